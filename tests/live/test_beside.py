# SPDX-License-Identifier: MIT
"""Beside other tools on the same process: each sees all, nobody is harmed."""
import re
import signal
import subprocess
import time

import pytest

import tracing

MANY = 3000

# Waits for a line, makes MANY calls, says how often it was in them, and waits.
PROGRAM = """
import os, sys
def work(n):
    for i in range(n):
        os.getppid()
    return n
for line in sys.stdin:
    print(work(int(line)), flush=True)
"""


class Target:
    def __init__(self, tracer, python):
        self.child = tracer.start(
            python.argv("-c", PROGRAM), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.pid = self.child.pid
        self.work(1)            # it has begun

    def work(self, n=MANY):
        self.child.stdin.write("%d\n" % n)
        self.child.stdin.flush()
        assert self.child.stdout.readline() == "%d\n" % n

    def end(self):
        self.child.stdin.close()
        assert self.child.wait(20) == 0


@pytest.fixture
def target(tracer, system_python):
    return Target(tracer, system_python)


def end(child, sig=signal.SIGINT):
    child.send_signal(sig)
    return child.communicate(timeout=60)[0]


def started(argv, ready):
    """Another tool, once its output has READY in it."""
    child = subprocess.Popen(argv, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True)
    said = ""
    while ready and not re.search(ready, said):
        line = child.stdout.readline()
        if not line:
            pytest.fail("%s: %s" % (argv[0], said))
        said += line
    return child


def check(run, n=MANY):
    assert not run.losses(), run.stderr
    mine = run.calls("getppid")
    assert len(mine) == n
    assert {r["stack"][0]["func"] for r in mine} == {"work"}


def test_a_second_pytrace(tracer, target):
    """Two attach, one ends first: both have all, and nothing stays."""
    first = tracer.attach(target.pid, "-e", "getppid,offcpu,cpu")
    second = tracer.attach(target.pid, "-e", "getppid,faults")
    target.work()
    check(first.stop())
    target.work()
    check(second.stop(), 2 * MANY)
    assert not tracing.text_differs(target.pid)
    target.end()


def test_a_second_pytrace_counts_calls(tracer, calls_python):
    """The same function probes twice, each with its own semaphore count."""
    target = Target(tracer, calls_python)
    first = tracer.attach(target.pid, "-e", "calls")
    second = tracer.attach(target.pid, "-e", "calls")
    target.work(10)
    one = first.stop()
    target.work(10)
    two = second.stop()
    for run, n in (one, 1), (two, 2):
        entries = [r for r in run.records("enter")
                   if r["func"] == "work"]
        assert len(entries) == n, run.stderr
        assert not run.losses()
    assert not tracing.text_differs(target.pid)
    target.end()


@pytest.mark.parametrize("what", [
    ("record", "-g", "-e", "sched:sched_switch"),
    ("record", "-g", "-e", "cpu-clock"),
    ("trace",),
    ("stat", "-e", "raw_syscalls:sys_enter"),
], ids=lambda w: "-".join(w[:2]))
def test_perf(tracer, target, tool, tmp_path, what):
    out = ["-o", str(tmp_path / "perf.out")]
    perf = started([tool("perf", "linux-perf"), what[0], *out, *what[1:],
                    "-p", str(target.pid)], None)
    time.sleep(2)                   # it does not say when it has begun
    attached = tracer.attach(target.pid, "-e", "getppid,offcpu,faults,cpu")
    target.work()
    run = attached.stop()
    said = end(perf)
    check(run)
    if what[0] == "stat":           # which has been there for longer
        said = (tmp_path / "perf.out").read_text()
        count = int(re.search(r"([\d,.]+) +raw_syscalls", said)[1]
                    .replace(",", ""))
        assert MANY <= count < MANY + 1000
    target.end()


def test_bpftrace(tracer, target, tool):
    """Programs on the same tracepoints, and one on the function probes."""
    script = """
        BEGIN { printf("ready\\n"); }
        tracepoint:syscalls:sys_enter_getppid /pid == %d/ { @calls++; }
        tracepoint:sched:sched_switch { @switches++; }
        """ % target.pid
    other = started([tool("bpftrace"), "-e", script], "ready")
    attached = tracer.attach(target.pid, "-e", "getppid,offcpu")
    target.work()
    run = attached.stop()
    target.work(7)
    said = end(other)
    check(run)
    assert "@calls: %d\n" % (MANY + 7) in said
    target.end()


@pytest.mark.parametrize("other", ["gdb", "strace"])
def test_a_debugger(tracer, target, tool, tmp_path, other):
    """One that holds it: gdb stopped and went on, strace stops at each call."""
    argv = {"gdb": [tool("gdb"), "-nx", "-batch", "-p", str(target.pid),
                    "-ex", "shell sleep 2", "-ex", "detach"],
            "strace": [tool("strace"), "-f", "-e", "trace=getppid",
                       "-o", str(tmp_path / "calls"),
                       "-p", str(target.pid)]}[other]
    child = started(argv, "attached" if other == "strace" else None)
    time.sleep(1)
    attached = tracer.attach(target.pid, "-e", "getppid,offcpu")
    if other == "gdb":
        child.communicate(timeout=60)
    target.work()
    run = attached.stop()
    check(run)
    if other == "strace":
        end(child)
        assert (tmp_path / "calls").read_text().count("getppid(") == MANY
    assert not tracing.text_differs(target.pid)
    target.end()
