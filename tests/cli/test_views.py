# SPDX-License-Identifier: MIT
"""cpu, offcpu, syscalls, faults: their shapes, filters and numbers."""
import json
import os
import subprocess
from pathlib import Path

import pytest

TOP = Path(os.environ.get("SRCDIR") or Path(__file__).resolve().parents[2])
GOLDEN = TOP / "tests/golden"
STREAMS = sorted(GOLDEN.glob("*.ev"))
CALLS = GOLDEN / "calls.ev"
INCIDENT = GOLDEN / "incident.ev"
VIEWS = ["cpu", "offcpu", "syscalls", "faults"]


def run(pytrace, *args):
    return subprocess.run([pytrace, *map(str, args)], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=False)


def objects(pytrace, *args):
    done = run(pytrace, *args, "--json")
    assert done.returncode == 0, done.stderr
    return [json.loads(one) for one in done.stdout.splitlines()]


def of_type(what, kind):
    return [one for one in what if one["type"] == kind]


@pytest.mark.parametrize("ev", STREAMS, ids=lambda p: p.stem)
@pytest.mark.parametrize("view", VIEWS)
def test_shapes_have_one_sum(pytrace, view, ev):
    """Rows, nodes and bars sum to the total, whatever a row is."""
    totals = []
    for by in ("app", "stack", "process"):
        got = objects(pytrace, view, "--idle", "-i", ev, "--by", by)
        total, rows = of_type(got, "total")[0], of_type(got, "row")
        for key in ("count", "ns", "bytes", "errors", "private_bytes",
                    "resident_bytes", "major", "in_gc"):
            assert sum(row.get(key, 0) for row in rows) == total.get(key, 0)
        for row in rows:
            if view == "faults":
                assert sum(row["kinds"].values()) == row["count"]
            if view == "syscalls":
                assert sum(row["by_errno"].values()) == row["errors"]
        totals.append((total["count"], total["ns"]))
    assert len(set(totals)) == 1
    nodes = of_type(objects(pytrace, view, "--idle", "-i", ev, "--tree"),
                    "node")
    assert (nodes[0]["count"], nodes[0]["ns"]) == totals[0]
    for node in nodes:
        below = [one for one in nodes if one["parent"] == node["id"]]
        for key in ("count", "ns"):
            assert node[key] == node["self_" + key] + \
                sum(one[key] for one in below)


def test_bars_sum_up(pytrace):
    for row in of_type(objects(pytrace, "syscalls", "--hist", "-i", CALLS),
                       "row"):
        assert sum(bar["count"] for bar in row["hist"]) == row["count"]
        assert row["hist"][-1]["from_ns"] <= row["max_ns"] \
            <= row["hist"][-1]["to_ns"]


@pytest.mark.parametrize("shape", ["--tree", "--hist", "--hist=linear",
                                   "--by=stack"])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("width", [80, 140])
def test_shapes_fit(pytrace, view, shape, width):
    if view == "cpu" and "hist" in shape:
        pytest.skip("samples took no time")
    for ev in STREAMS:
        done = run(pytrace, view, shape, "--width", width, "-i", ev)
        lines = done.stdout.decode().splitlines()
        assert done.returncode == 0 and not done.stderr
        assert not [one for one in lines if len(one) > width]
        assert not any(one.endswith(" ") for one in lines)


def test_stack_shows_every_function_whole(pytrace):
    shown = run(pytrace, "offcpu", "--by", "stack", "--width", "80", "-i",
                INCIDENT).stdout.decode()
    for line in ("cache.py:88  get", "web/views.py:140  render_page",
                 "concurrent/futures/thread.py:75  _worker"):
        assert line in shown
    assert "/srv/shop/cache.py" not in shown


@pytest.mark.parametrize("args, share, is_in, is_not", [
    (["-F", "_refresh"], "28.7 %", "rates.py:31", "views.py:140"),
    (["-F", "shop/web/*"], "71.2 %", "cache.py:88", "rates.py"),
    (["-F", "!render_page"], "28.7 %", "rates.py:31", "views.py"),
    (["-F", "render_page", "--innermost"], "9.8 %", "views.py:140", "cache"),
    (["-F", "cache.py:get", "-F", "!_refresh"], "61.3 %", "cache.py:88",
     "rates.py"),
])
def test_picked_stacks(pytrace, args, share, is_in, is_not):
    for shape in ([], ["--tree"], ["--by", "stack"]):
        shown = run(pytrace, "offcpu", *args, *shape, "-i",
                    INCIDENT).stdout.decode()
        assert "through -F  %s of 13.20 s off CPU" % share in shown
        assert is_in in shown and is_not not in shown


COUNTED = GOLDEN / "counted.ev"


@pytest.mark.parametrize("counter", ["page-faults", "cycles"])
def test_counter_has_one_sum(pytrace, counter):
    """Rows and nodes of a counter sum to its total, and no time is in them."""
    totals = []
    for by in ("app", "line", "stack", "thread", "process"):
        got = objects(pytrace, "cpu", "-e", counter, "-i", COUNTED, "--by", by)
        total, rows = of_type(got, "total")[0], of_type(got, "row")
        for key in ("count", "events", "kernel_events"):
            assert sum(row[key] for row in rows) == total[key]
        assert {row["ns"] for row in rows} == {None}
        assert {row["event"] for row in rows} == {counter}
        assert not of_type(got, "account")
        totals.append((total["count"], total["events"]))
    assert set(totals) == {{"page-faults": (3, 3),
                            "cycles": (3, 3222346678)}[counter]}
    nodes = of_type(objects(pytrace, "cpu", "-e", counter, "-i", COUNTED,
                            "--tree"), "node")
    for node in nodes:
        below = [one for one in nodes if one["parent"] == node["id"]]
        for key in ("count", "events"):
            assert node[key] == node["self_" + key] + \
                sum(one[key] for one in below)


def test_counter_that_is_not_there(pytrace):
    done = run(pytrace, "cpu", "-e", "cs", "-i", COUNTED)
    assert done.returncode == 11
    assert b"no samples of 'context-switches'" in done.stderr
    assert b"it has 'page-faults'" in done.stderr


def test_counter_of_a_filter(pytrace):
    shown = run(pytrace, "cpu", "-e", "cycles", "-F", "load", "-i",
                COUNTED).stdout.decode()
    assert "through -F  99.6 % of 3.22 G cycles" in shown


def test_what_is_picked_and_left_out_is_all(pytrace):
    for view in VIEWS:
        both = [of_type(objects(pytrace, view, "-F", pattern, "-i", INCIDENT),
                        "total")[0] for pattern in ("get", "!get")]
        whole = of_type(objects(pytrace, view, "-i", INCIDENT), "total")[0]
        for key in ("count", "ns"):
            assert sum(one[key] for one in both) == whole[key]


def test_nothing_picked_is_said(pytrace):
    shown = run(pytrace, "offcpu", "-F", "nowhere", "-i", INCIDENT).stdout
    assert b"no stack passes -F" in shown


@pytest.mark.parametrize("view, column, key", [
    ("offcpu", "p99", "p99_ns"), ("offcpu", "max", "max_ns"),
    ("syscalls", "p50", "p50_ns"), ("syscalls", "errors", "errors"),
    ("syscalls", "bytes", "bytes"), ("faults", "private", "private_bytes"),
    ("faults", "resident", "resident_bytes"), ("faults", "major", "major"),
    ("cpu", "samples", "count"),
])
def test_order(pytrace, view, column, key):
    for ev in (CALLS, INCIDENT):
        rows = of_type(objects(pytrace, view, "--sort", column, "-i", ev),
                       "row")
        values = [row[key] for row in rows]
        assert values == sorted(values, reverse=True)


def test_idle_calls_are_apart(pytrace):
    shown = run(pytrace, "syscalls", "-i", CALLS).stdout.decode()
    assert "epoll_wait" not in shown
    assert "4 idle calls of 1.60 s, waiting for work, not among them" in shown
    rows = of_type(objects(pytrace, "syscalls", "--idle", "-i", CALLS), "row")
    assert [row["state"] for row in rows if row["call"] == "epoll_wait"] == \
        ["idle"]


def test_errors_by_errno(pytrace):
    rows = of_type(objects(pytrace, "syscalls", "-i", CALLS), "row")
    openat = [row for row in rows if row["call"] == "openat"]
    assert openat[0]["by_errno"] == {"ENOENT": 15, "EAGAIN": 3}
    assert "errors: ENOENT 15, EAGAIN 3" in run(
        pytrace, "syscalls", "-i", CALLS).stdout.decode()


def test_ages_and_the_collector(pytrace):
    rows = of_type(objects(pytrace, "faults", "--by", "age", "-i", CALLS),
                   "row")
    assert {(row["key"]["age"], row["gc"]): row["count"] for row in rows} == {
        ("0-1 s", True): 12, ("1-5 s", False): 5, ("5-30 s", False): 8}
    shown = run(pytrace, "faults", "-i", CALLS).stdout.decode()
    assert "(gc) orm.py:20" in shown and "note: the collector" in shown


@pytest.mark.parametrize("view", VIEWS + [""])
def test_intervals_sum_up(pytrace, view):
    """A report for each interval, and the whole, which is their sum."""
    args = ([view] if view else []) + ["-I", "2", "-i", CALLS]
    accounts = of_type(objects(pytrace, *args), "account")
    parts = [one for one in accounts if "interval" in one]
    assert [one["interval"] for one in parts] == list(range(1, len(parts) + 1))
    assert len(accounts) == len(parts) + 1 > 3
    assert [one["t"] for one in parts[1:]] == \
        [one["until"] for one in parts[:-1]]
    assert sum(one["thread_ns"] for one in parts) == accounts[-1]["thread_ns"]
    for one in accounts:
        assert one["thread_ns"] == one["idle_ns"] + one["unseen_ns"] + \
            one["busy_ns"]
    totals = of_type(objects(pytrace, *args), "total")
    assert sum(one["count"] for one in totals[:-1]) == \
        (totals[-1]["count"] if totals else 0)
    text = run(pytrace, *args).stdout.decode()
    assert text.count("thread time") == len(accounts)


def test_interval_longer_than_all(pytrace):
    args = ["offcpu", "-i", INCIDENT]
    assert run(pytrace, *args, "-I", "1m").stdout == run(pytrace, *args).stdout


@pytest.mark.parametrize("args, says", [
    (["cpu", "-I", "1ms"], "-I takes a duration"),
    (["cpu", "--hist"], "samples took no time"),
    (["offcpu", "--hist=cubic"], "--hist takes log2 or linear"),
    (["offcpu", "--hist", "--tree"], "not both"),
    (["offcpu", "--tree", "--by", "line"], "--tree is by stack"),
    (["offcpu", "--tree", "--sort", "p99"], "--sort takes time, count, max"),
    (["offcpu", "--by", "age"], "--by age is for faults"),
    (["faults", "--sort", "bytes"], "--sort takes faults, cow, private"),
    (["cpu", "-F", "99"], "-e cpu:99"),
    (["cpu", "--innermost"], "--innermost is for -F"),
])
def test_usage(pytrace, args, says):
    done = run(pytrace, *args, "-i", INCIDENT)
    assert done.returncode == 2 and not done.stdout
    assert says in done.stderr.decode()


def test_input_that_is_an_interval(pytrace):
    done = run(pytrace, "offcpu", "-i", "1")
    assert done.returncode == 2
    assert b"no recording '1'" in done.stderr and b"use -I 1" in done.stderr
