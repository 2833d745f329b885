# SPDX-License-Identifier: MIT
"""Without a view: one screen, or its account and rows as JSON."""
import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

TOP = Path(os.environ.get("SRCDIR") or Path(__file__).resolve().parents[2])
GOLDEN = TOP / "tests/golden"
STREAMS = sorted(GOLDEN.glob("*.ev"))


def run(pytrace, *args, cwd=None):
    return subprocess.run([pytrace, *map(str, args)], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=False,
                          cwd=cwd)


@pytest.mark.parametrize("ev", STREAMS, ids=lambda p: p.stem)
@pytest.mark.parametrize("width", [100, 80])
@pytest.mark.parametrize("more", [(), ("--idle",)])
def test_screen_fits(pytrace, ev, width, more):
    done = run(pytrace, "--width", width, "-i", ev, *more)
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0 and not done.stderr
    assert 2 <= len(lines) <= 24
    long = [one for one in lines if len(one) > width]
    # a command to be pasted is not cut
    assert all(one.startswith("next: ") for one in long)
    assert not any(one.endswith(" ") for one in lines)
    assert any("lost " in one for one in lines)


@pytest.mark.parametrize("ev", STREAMS, ids=lambda p: p.stem)
def test_account_closes(pytrace, ev):
    done = run(pytrace, "--json", "-i", ev)
    objects = [json.loads(one) for one in done.stdout.splitlines()]
    account, rows, end = objects[0], objects[1:-1], objects[-1]
    assert account["type"] == "account" and end["type"] == "end"
    assert end["exit"] == done.returncode == 0
    assert account["thread_ns"] == sum(
        account[key] for key in ("idle_ns", "unseen_ns", "busy_ns"))
    assert account["busy_ns"] == \
        sum(account["busy"].values()) + account["unknown_ns"]
    assert all(row["type"] == "row" for row in rows)
    assert sum(row["ns"] for row in rows) == account["busy_ns"]


@pytest.mark.parametrize("ev", STREAMS, ids=lambda p: p.stem)
def test_next_command_works(pytrace, ev):
    last = run(pytrace, "-i", ev.relative_to(TOP),
               cwd=TOP).stdout.decode().splitlines()[-1]
    if not last.startswith("next: pytrace "):
        assert last.startswith("cost ")
        return
    words = shlex.split(last)[2:]
    assert run(pytrace, *words, cwd=TOP).returncode == 0


def rows_of(pytrace, *args):
    done = run(pytrace, *args, "--json")
    assert done.returncode == 0
    objects = [json.loads(one) for one in done.stdout.splitlines()]
    return objects[0], [o for o in objects if o["type"] == "row"]


@pytest.mark.parametrize("ev", STREAMS, ids=lambda p: p.stem)
@pytest.mark.parametrize("by", ["app", "line", "func", "stack", "thread",
                                "process"])
def test_views_are_one_account(pytrace, ev, by):
    """The sum of a column is the same whatever a row is."""
    account, rows = rows_of(pytrace, "cpu", "-i", ev, "--by", by)
    cpu = sum(row["ns"] for row in rows)
    account, rows = rows_of(pytrace, "offcpu", "-i", ev, "--by", by)
    assert cpu + sum(row["ns"] for row in rows) == account["busy_ns"]
    assert cpu == sum(ns for cause, ns in account["busy"].items()
                      if cause.startswith("cpu_"))
    _, rows = rows_of(pytrace, "offcpu", "--idle", "-i", ev, "--by", by)
    assert cpu + sum(row["ns"] for row in rows) == account["thread_ns"]
    end = json.loads(run(pytrace, "trace", "--json", "-e",
                         "syscalls,faults,offcpu,cpu", "-i",
                         ev).stdout.splitlines()[-1])
    # samples of other events than the clock are in no sum
    missing = -len(re.findall(r"^\d+ sample .*\bevent=[1-9]", ev.read_text(),
                              re.M))
    for view, kind in (("syscalls", "syscall"), ("faults", "fault"),
                       ("cpu", "sample")):
        _, rows = rows_of(pytrace, view, "--idle", "-i", ev, "--by", by)
        missing += end["by_type"].get(kind, 0)
        missing -= sum(row["count"] for row in rows)
    assert 0 <= missing <= account["before_begin"]


@pytest.mark.parametrize("view", ["cpu", "offcpu", "syscalls", "faults"])
@pytest.mark.parametrize("by", ["app", "stack", "thread"])
@pytest.mark.parametrize("width", [80, 100])
def test_tables_fit(pytrace, view, by, width):
    for ev in STREAMS:
        done = run(pytrace, view, "--by", by, "--width", width, "-i", ev)
        lines = done.stdout.decode().splitlines()
        assert done.returncode == 0 and not done.stderr
        assert not [one for one in lines if len(one) > width]
        assert not any(one.endswith(" ") for one in lines)


def test_width_of_the_environment(pytrace, monkeypatch):
    """COLUMNS counts wherever the report goes; --width counts more."""
    ev = GOLDEN / "incident.ev"
    args = ("offcpu", "-i", ev)
    narrow = run(pytrace, *args, "--width", "80").stdout
    wide = run(pytrace, *args).stdout
    assert narrow != wide
    monkeypatch.setenv("COLUMNS", "80")
    assert run(pytrace, *args).stdout == narrow
    assert run(pytrace, *args, "--width", "100").stdout == wide
    monkeypatch.setenv("COLUMNS", "nonsense")
    assert run(pytrace, *args).stdout == wide


def test_patterns_that_match_nothing_are_named(pytrace):
    args = ("-i", GOLDEN / "incident.ev", "--app", "shop/*", "--app",
            "blog/*", "--idle-at", "nowhere.py:wait")
    done = run(pytrace, *args)
    assert done.stderr.decode().splitlines() == [
        "note: --app 'blog/*' matched no file",
        "note: --idle-at 'nowhere.py:wait' matched no wait in which threads "
        "can be idle"]
    assert not run(pytrace, *args, "-q").stderr


def test_order_and_limit(pytrace):
    ev = GOLDEN / "incident.ev"
    _, rows = rows_of(pytrace, "offcpu", "--sort", "count", "-i", ev)
    counts = [row["count"] for row in rows]
    assert counts == sorted(counts, reverse=True)
    shown = run(pytrace, "offcpu", "--limit", "1", "-i", ev).stdout
    assert b"further rows (--limit 0)" in shown
    assert b"such events are not in this stream" in run(
        pytrace, "faults", "-i", GOLDEN / "shop.ev").stdout


def test_cut_recording_is_shown_and_marked(pytrace, tmp_path):
    whole, cut = tmp_path / "whole.ptr", tmp_path / "cut.ptr"
    text = GOLDEN / "incident.ev"
    assert run(pytrace, "dump", "--text", text, "-o", whole).returncode == 0
    cut.write_bytes(whole.read_bytes()[:-600])
    done = run(pytrace, "-i", cut)
    assert done.returncode == 9 and b"pytrace: input: " in done.stderr
    assert b"waiting for a lock" in done.stdout and b"cut: no end" in done.stdout
    done = run(pytrace, "--json", "-i", cut)
    objects = [json.loads(one) for one in done.stdout.splitlines()]
    assert objects[-1]["exit"] == 9
    assert [o for o in objects if o["type"] == "account"][0]["complete"] is False


def test_report_into_a_file(pytrace, tmp_path):
    out = tmp_path / "report"
    done = run(pytrace, "-i", GOLDEN / "incident.ev", "-o", out)
    assert done.returncode == 0 and not done.stdout
    assert b"thread time" in out.read_bytes()
    assert out.stat().st_mode & 0o777 == 0o600


def test_own_frames_and_places(pytrace):
    ev = GOLDEN / "incident.ev"
    shown = run(pytrace, "--app", "socket.py", "-i", ev).stdout
    assert b"socket.py:669" in shown and b"rates.py" not in shown
    shown = run(pytrace, "--idle-at", "cache.py:get < render_page", "-i",
                ev).stdout
    assert b"waiting for a lock" not in shown
    shown = run(pytrace, "--no-paths", "-i", ev).stdout
    assert b"10.0.3.7" not in shown


@pytest.mark.parametrize("args, says", [
    ([], "no target and no view"),
    (["-d", "1"], "no target"),
    (["--idle-at", "a << ", "-i", GOLDEN / "shop.ev"], "--idle-at"),
    (["--width", "3", "-i", GOLDEN / "shop.ev"], "--width"),
    (["-k", "-i", GOLDEN / "shop.ev"], "invalid option"),
    (["trac", "-p", "1"], "unknown view 'trac'"),
    (["cpu", "--by", "x", "-i", GOLDEN / "shop.ev"], "--by takes app"),
    (["cpu", "--sort", "errors", "-i", GOLDEN / "shop.ev"],
     "--sort takes time"),
    (["cpu", "--limit", "x", "-i", GOLDEN / "shop.ev"], "--limit takes"),
])
def test_usage(pytrace, args, says):
    done = run(pytrace, *args)
    assert done.returncode == 2 and not done.stdout
    assert says in done.stderr.decode()


def test_help_has_the_options(pytrace):
    assert b"--idle-at" in run(pytrace, "--help").stdout
    assert b"Usage: pytrace [OPTION...]" in run(pytrace, "-q", "--help").stdout
