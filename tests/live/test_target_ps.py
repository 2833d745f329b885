# SPDX-License-Identifier: MIT
"""pytrace ps: the Python processes here, and what is said of each."""
import os
import pwd
import subprocess
import sys

import pytest
import targets
from targets import WAIT, running

pytestmark = pytest.mark.usefixtures("may_trace")

# Three workers, and a child that is no Python.
FAMILY = """
import os, subprocess, sys
pids = []
for _ in range(3):
    pid = os.fork()
    if not pid:
        sys.stdin.read()
        os._exit(0)
    pids.append(pid)
other = subprocess.Popen(["cat"], stdout=subprocess.DEVNULL)
"""


def test_row(pytrace, system_python):
    argv = [system_python.file, "-c", FAMILY + WAIT, "two words", ""]
    with running(argv) as child:
        rows, end = targets.ps(pytrace)
        row = rows[child.pid]
        assert end["processes"] == len(rows)
        assert row["python"] == system_python.version
        assert row["exe"] == os.path.realpath(system_python.file)
        assert row["library"] is None
        assert row["walk"] is True and row["why"] is None
        assert row["embedded"] is False
        assert row["threads"] == 1
        assert row["argv"] == argv
        assert row["ppid"] == os.getpid()
        assert row["uid"] == os.geteuid()
        assert row["user"] == pwd.getpwuid(os.geteuid()).pw_name
        assert row["workers"] == 3
        workers = [r for r in rows.values() if r["ppid"] == child.pid]
        assert len(workers) == 3
        assert all(w["workers"] == 0 for w in workers)


@pytest.mark.parametrize("version, calls", [
    ("3.9", "usdt"), ("3.11", "returns"), ("3.13", "none"), ("3.14", "none"),
    ("3.15", "usdt")])
def test_call_probes(pytrace, interpreters, version, calls):
    """What Debian's builds have, and the version makes of it."""
    mine = [i for i in interpreters if i.minor == version and
            i.origin != "source"]
    if not mine:
        pytest.skip("no python%s: run scripts/interpreters" % version)
    with running(mine[0].argv("-c", WAIT)) as child:
        rows, _ = targets.ps(pytrace)
        assert rows[child.pid]["calls"] == calls


def test_old_python(pytrace, tmp_path):
    """2.7 is shown, and said why not."""
    old = os.path.join(os.environ.get("PYENV_ROOT", "/nonexistent"),
                       "versions/2.7.18/bin/python2.7")
    if not os.path.exists(old):
        pytest.skip("no Python 2.7 on this machine")
    with running([old, "-c", WAIT]) as child:
        rows, _ = targets.ps(pytrace)
        assert rows[child.pid]["python"].startswith("2.7")
        assert rows[child.pid]["walk"] is False
        assert "2.7" in rows[child.pid]["why"]
        text = targets.run(pytrace, "ps").stdout.decode()
        assert "%d: " % child.pid in text


def lines_of(pytrace, pid, *args, **more):
    out = targets.run(pytrace, "ps", *args, **more).stdout.decode()
    return out.splitlines()[0], [x for x in out.splitlines()
                                 if x.split()[:1] == [str(pid)]]


def test_table(pytrace, system_python):
    argv = [system_python.file, "-c", WAIT, "\033[31mred\n", "x" * 200]
    with running(argv) as child:
        head, (row,) = lines_of(pytrace, child.pid)
        assert head.split() == ["PID", "USER", "PYTHON", "CALL", "PROBES",
                                "WALK", "THR", "WORKERS", "WHERE", "PROGRAM"]
        # What its names could do to a terminal, they do not.
        assert r"\x1b[31mred\x0a" in row
        for title, value in [("PYTHON", system_python.version),
                             ("WALK", "yes"), ("CALL PROBES", "returns")]:
            at = head.index(title)
            assert row[at:].startswith(value), (head, row)
        assert row.endswith("x" * 200)
        head, (row,) = lines_of(pytrace, child.pid, "--width", "90")
        assert 60 < len(row) <= 90 + len(head) - len(head.rstrip())


def test_own_title(pytrace, system_python):
    """A program that has written its own command line, as servers do."""
    code = ("import ctypes\n"
            "fields = open('/proc/self/stat').read().rpartition(')')[2]"
            ".split()\n"
            "start, end = int(fields[45]), int(fields[46])\n"
            "title = b'gunicorn: worker [%s]'\n"
            "ctypes.memset(start, 0, end - start)\n"
            "ctypes.memmove(start, title, len(title))\n")
    for more, shown in [("x", "gunicorn: worker [x]"),
                        ("y" * 300, "gunicorn: worker [%s]" % ("y" * 300))]:
        argv = [system_python.file, "-c", code % more + WAIT]
        with running(argv) as child:
            rows, _ = targets.ps(pytrace)
            assert rows[child.pid]["argv"][0] == shown
            assert [a for a in rows[child.pid]["argv"] if a] == [shown]


def test_nothing_here(pytrace):
    """Without a Python process it says so, and exits with 3."""
    ran = subprocess.run(["unshare", "-p", "-f", "--mount-proc", pytrace,
                          "ps"], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, check=False)
    assert ran.returncode == 3
    assert ran.stdout == b""
    assert b"no Python process" in ran.stderr


def test_usage(pytrace):
    for args in ["--width", "x"], ["--nonsense"], ["word"]:
        ran = targets.run(pytrace, "ps", *args)
        assert ran.returncode == 2, args


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
