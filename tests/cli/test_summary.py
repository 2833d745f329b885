# SPDX-License-Identifier: MIT
"""Without a view: one screen, or its account and rows as JSON."""
import json
import os
import subprocess
from pathlib import Path

import pytest

TOP = Path(os.environ.get("SRCDIR") or Path(__file__).resolve().parents[2])
GOLDEN = TOP / "tests/golden"
STREAMS = sorted(GOLDEN.glob("*.ev"))


def run(pytrace, *args, **env):
    return subprocess.run([pytrace, *map(str, args)], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=False,
                          env={**os.environ, **env})


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
])
def test_usage(pytrace, args, says):
    done = run(pytrace, *args)
    assert done.returncode == 2 and not done.stdout
    assert says in done.stderr.decode()


def test_help_has_the_options(pytrace):
    assert b"--idle-at" in run(pytrace, "--help").stdout
    assert b"Usage: pytrace [OPTION...]" in run(pytrace, "-q", "--help").stdout
