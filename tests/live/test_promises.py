# SPDX-License-Identifier: MIT
"""What pytrace promises to whoever runs it in production, one by one."""
import json
import subprocess
import time
from contextlib import contextmanager

import pytest
from tracing import LONG

pytestmark = pytest.mark.usefixtures("may_trace")

# As many system calls as it can; now and then one that blocks.
BUSY = """
import os, time
def quick():
    for _ in range(20000):
        os.getppid()
def slow():
    time.sleep(.01)
while True:
    quick()
    slow()
"""
NAPS = "import time\nwhile True: time.sleep(.02)\n"


@contextmanager
def running(python, code):
    with subprocess.Popen(python.argv("-c", code),
                          stdin=subprocess.DEVNULL) as child:
        time.sleep(0.5)
        try:
            yield child
        finally:
            child.kill()


def run(pytrace, *args, **kw):
    kw.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([pytrace, *map(str, args)],
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          timeout=LONG, check=False, text=True, **kw)


def objects(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


# --- what tracing may cost

def test_over_budget_it_sheds_and_detaches(pytrace, system_python):
    """Step by step, each said and in the stream; what was measured is shown."""
    with running(system_python, BUSY) as child:
        done = run(pytrace, "trace", "--json", "-p", child.pid, "-d", 30,
                   "-e", "syscalls,cpu", "--max-overhead", 1)
    assert done.returncode == 12, done.stderr
    records = objects(done)
    steps = [r for r in records if r["type"] == "shed"]
    assert [r["step"] for r in steps] == ["stacks", "calls", "samples",
                                          "detach"]
    for r in steps:
        assert r["limit_percent"] == 1 and r["why"] == "target"
        assert r["span_ns"] >= 5e8
        assert r["cost_ns"] > 0.01 * (r["target_ns"] - r["cost_ns"])
        assert 0 < r["target_ns"] < 1.2 * r["span_ns"]
    for words in ("no stacks of system calls", "no system calls below 1 ms",
                  "no samples", "detached"):
        assert words in done.stderr
    assert "--max-overhead 0" in done.stderr
    assert records[-1]["type"] == "end" and records[-1]["exit"] == 12
    # it is over when it says so, not after 30 s
    assert records[-1]["t"] - records[0]["t"] < 10e9
    calls = [r for r in records if r["type"] == "syscall"]
    first, second = steps[0]["t"], steps[1]["t"]
    assert all(r["stack"] for r in calls if r["t"] < first - 5e7)
    quick = [r for r in calls if r["name"] == "getppid" and
             first + 5e7 < r["t"] < second]
    assert quick and not any(r["stack"] for r in quick)
    late = [r for r in calls if r["t"] > second + 5e7]
    assert late and all(r["dur"] is None or r["dur"] >= 1e6 for r in late)


def test_blocking_calls_keep_their_stacks(pytrace, system_python):
    """Where a thread waits is what the first step does not cost."""
    with running(system_python, BUSY) as child:
        done = run(pytrace, "trace", "--json", "-p", child.pid, "-d", 1.5,
                   "-e", "syscalls,offcpu", "--max-overhead", 1)
    records = objects(done)
    first = next(r["t"] for r in records if r["type"] == "shed")
    sleeps = [r for r in records if r["type"] == "syscall" and
              r["name"] == "clock_nanosleep" and r["t"] > first]
    assert sleeps
    assert all(r["stack"][0]["func"] == "slow" for r in sleeps)


def test_estimates_are_marked(pytrace, system_python):
    with running(system_python, BUSY) as child:
        done = run(pytrace, "syscalls", "-p", child.pid, "-d", 30,
                   "--max-overhead", 1)
        strict = run(pytrace, "-p", child.pid, "-d", 1, "--json", "--strict",
                     "--max-overhead", 1)
    assert done.returncode == 12
    rows = [line for line in done.stdout.splitlines() if "getppid" in line]
    assert rows and all("~" in line for line in rows)
    assert "note: over --max-overhead; after " in done.stdout
    assert strict.returncode in (10, 12)
    got = objects(strict)
    assert got[0]["type"] == "account" and got[0]["complete"] is False
    assert all("ns" in r["estimate"] for r in got
               if r["type"] == "row" and r.get("cause") == "cpu")


def test_no_limit(pytrace, system_python):
    """0 and a command of our own have none."""
    with running(system_python, BUSY) as child:
        done = run(pytrace, "trace", "--json", "-p", child.pid, "-d", 1.1,
                   "--max-overhead", 0)
    assert done.returncode == 0
    assert not any(r["type"] == "shed" for r in objects(done))
    done = run(pytrace, "trace", "-o", "/dev/null", "--", *system_python.argv(
        "-c", "import os\nfor _ in range(200000): os.getppid()"))
    assert done.returncode == 0
    assert "budget" not in done.stderr


def test_idle_target_is_never_too_much(pytrace, system_python):
    """Whatever share of next to nothing it is."""
    with running(system_python, NAPS) as child:
        done = run(pytrace, "trace", "--json", "-p", child.pid, "-d", 2,
                   "--max-overhead", 1)
    assert done.returncode == 0, done.stderr
    assert not any(r["type"] == "shed" for r in objects(done))
