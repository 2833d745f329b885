# SPDX-License-Identifier: MIT
"""calls: what it takes, what it refuses, and that its shapes agree."""
import json
import os
import subprocess
from pathlib import Path

import pytest

TOP = Path(os.environ.get("SRCDIR") or Path(__file__).resolve().parents[2])
GOLDEN = TOP / "tests/golden"
FUNCS = GOLDEN / "funcs.ev"
PYTHON = GOLDEN / "python.ev"


def run(pytrace, *args):
    return subprocess.run([pytrace, *map(str, args)], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=False)


def objects(pytrace, *args):
    done = run(pytrace, *args, "--json")
    assert done.returncode == 0, done.stderr
    return [json.loads(one) for one in done.stdout.splitlines()]


def of_type(what, kind):
    return [one for one in what if one["type"] == kind]


@pytest.mark.parametrize("args, says", [
    (["--by", "line"], "--by takes func, thread or process, not 'line'"),
    (["--sort", "bytes"], "--sort takes total, self, cpu, calls, resumes, "
     "suspended, p50, p99, max, not 'bytes'"),
    (["--tree", "--hist"], "--tree or --hist, not both"),
    (["--hist=linear"], "no linear steps"),
    (["--tree", "--by", "thread"], "--by is for tables"),
    (["--slower", "1ms", "--tree"], "--slower prints calls as they end"),
    (["--gc", "--imports"], "two views"),
    (["--gc", "--tree"], "--gc is a view of its own"),
    (["--imports", "-F", "f"], "--imports is a view of its own"),
    (["-e", "faults"], "-e leaves out calls"),
    (["-e", "calls"], "a recording has what was recorded"),
    (["-F", "99"], "-F takes a function"),
    (["--idle"], "--idle"),
])
def test_what_it_cannot_do_is_an_error(pytrace, args, says):
    done = run(pytrace, "calls", "-i", FUNCS, *args)
    assert done.returncode == 2
    assert says in done.stderr.decode()


def test_recordings_without_calls_say_so(pytrace):
    done = run(pytrace, "calls", "-i", PYTHON)
    assert done.returncode == 11 and b"record -e calls" in done.stderr
    for option, what in (("--gc", b"collections"), ("--imports", b"imports")):
        done = run(pytrace, "calls", option, "-i", FUNCS)
        assert done.returncode == 11 and b"no " + what in done.stderr


def test_shapes_have_one_sum(pytrace):
    """Rows of each kind, and nodes, sum to the total."""
    for by in ("func", "thread", "process"):
        got = objects(pytrace, "calls", "-i", FUNCS, "--by", by)
        total, rows = of_type(got, "calls-total")[0], of_type(got, "calls-row")
        for key in ("count", "seeded", "resumes", "generators", "raised",
                    "self_ns", "cut", "gaps"):
            assert sum(row[key] for row in rows) == total[key], key
    got = objects(pytrace, "calls", "-i", FUNCS, "--tree")
    total, nodes = of_type(got, "calls-total")[0], of_type(got, "calls-node")
    assert sum(node["self_ns"] for node in nodes) == total["self_ns"]
    for node in nodes:
        below = [one for one in nodes if one["parent"] == node["id"]]
        assert node["total_ns"] == node["self_ns"] + \
            sum(one["total_ns"] for one in below)


def test_calls_are_those_of_the_trace(pytrace):
    got = objects(pytrace, "trace", "-e", "calls", "-i", FUNCS)
    ends, begins = of_type(got, "call"), of_type(got, "enter")
    assert len(ends) == len(begins)
    stacks = {}
    total = of_type(objects(pytrace, "calls", "-i", FUNCS), "calls-total")[0]
    assert len(ends) == total["count"] + total["resumes"]
    assert sum(one["self"] for one in ends) == total["self_ns"]
    for one in got:			# each ends what is open on its thread
        open_ = stacks.setdefault(one.get("tid"), [])
        if one["type"] == "enter":
            open_.append((one["func"], one["depth"]))
        elif one["type"] == "call":
            open_.remove((one["func"], one["depth"]))
    assert not any(stacks.values())


def test_only_some_functions(pytrace):
    got = objects(pytrace, "calls", "-i", FUNCS, "-F", "load", "-F", "orm.py:parse")
    assert {row["key"]["func"] for row in of_type(got, "calls-row")} == \
        {"load", "parse"}
    got = objects(pytrace, "calls", "-i", FUNCS, "--tree", "-F", "load")
    roots = [n for n in of_type(got, "calls-node") if n["parent"] is None]
    assert [n["key"]["func"] for n in roots] == ["load"]
    got = objects(pytrace, "trace", "-e", "calls", "-i", FUNCS, "-F", "load")
    assert {one["func"] for one in of_type(got, "call")} == {"load"}
    got = objects(pytrace, "calls", "-i", FUNCS, "-t", "901")
    assert of_type(got, "calls-total")[0]["threads"] == 1


def test_slow_ones(pytrace):
    done = run(pytrace, "calls", "-i", FUNCS, "--slower", "5ms")
    assert b"4 over 5.00ms of 21 calls and resumes" in done.stdout
    got = of_type(objects(pytrace, "calls", "-i", FUNCS, "--slower", "5ms"),
                  "call")
    assert [one["func"] for one in got] == ["load", "walk", "walk", "main"]
    assert got[0]["off_cpu"] == 2900000 and got[0]["syscalls"] == 1
    assert [f["func"] for f in got[0]["stack"]] == ["load", "walk", "walk",
                                                    "main"]


def test_verify(pytrace, tmp_path):
    """Zero of zero is a failure, and so is a difference."""
    done = run(pytrace, "calls", "-i", FUNCS, "--verify")
    assert done.returncode == 0
    assert b"verified: 4 stacks compared with walked ones, 0 differed" in \
        done.stdout
    text = FUNCS.read_text(encoding="utf-8").splitlines(True)
    other = tmp_path / "none.ev"
    other.write_text("".join(line for line in text if "stack=0x2" not in line),
                     encoding="utf-8")
    done = run(pytrace, "calls", "-i", other, "--verify")
    assert done.returncode == 10 and b"no stack could be compared" in done.stderr
    other.write_text("".join(
        line.replace("frame=8@0 frame=3@0", "frame=8@0 frame=5@0")
        for line in text), encoding="utf-8")
    done = run(pytrace, "calls", "-i", other, "--verify")
    assert done.returncode == 10 and b"differ from the walked ones" in done.stderr
    assert b"walked read < parse < walk" in done.stdout
    assert b"calls  read < load < walk" in done.stdout


def test_a_cut_stream_ends_what_runs(pytrace, tmp_path):
    text = FUNCS.read_text(encoding="utf-8").splitlines(True)
    cut = tmp_path / "cut.ev"
    cut.write_text("".join(text[:-6]), encoding="utf-8")
    got = objects(pytrace, "trace", "-e", "calls", "-i", cut)
    assert len(of_type(got, "call")) == len(of_type(got, "enter"))
