# SPDX-License-Identifier: MIT
"""-n: where in the kernel threads wait, and are when they are sampled."""
import json
import subprocess
import textwrap

import pytest

WAITS = """
import os, threading, time
def sleeps():
    for i in range(5):
        time.sleep(0.02)
def reads():
    os.read(ours, 1)
def spins():
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        os.pread(zero, 1 << 20, 0)
ours, theirs = os.pipe()
zero = os.open("/dev/zero", os.O_RDONLY)
t = threading.Thread(target=reads)
t.start()
sleeps()
os.write(theirs, b"x")
t.join()
spins()
"""


def of(run, kind, func):
    return [r for r in run.records(kind)
            if r["stack"] and r["stack"][0]["func"] == func]


def test_waits_and_samples(tracer, system_python):
    argv = system_python.argv("-c", textwrap.dedent(WAITS))
    run = tracer.run(argv, "-n", "-e", "offcpu,cpu:499")
    assert run.status == 0, run.stderr
    assert not run.losses()
    sleeps = [r for r in of(run, "offcpu", "sleeps")
              if r["reason"] == "syscall:clock_nanosleep"]
    assert len(sleeps) == 5
    for r in sleeps:
        # nothing of the tracing itself, and the wait's own function
        assert r["kernel"][0] == "__schedule"
        assert any("nanosleep" in f for f in r["kernel"])
    [read] = [r for r in of(run, "offcpu", "reads")
              if r["reason"] == "syscall:read"]
    assert any("pipe_read" in f for f in read["kernel"])
    samples = of(run, "sample", "spins")
    kernel = [r for r in samples if r["mode"] == "kernel"]
    assert len(kernel) > 20
    assert all("kernel" not in r for r in samples if r["mode"] == "user")
    with_stack = [r for r in kernel if r.get("kernel")]
    assert len(with_stack) >= 0.9 * len(kernel)
    assert any("zero" in f or "clear" in f for r in with_stack
               for f in r["kernel"])


def test_nothing_of_it_unasked(tracer, system_python):
    argv = system_python.argv("-c", textwrap.dedent(WAITS))
    run = tracer.run(argv, "-e", "offcpu,cpu:499")
    assert not [r for r in run.records() if "kernel" in r
                and isinstance(r["kernel"], list)]


def test_views(pytrace, may_trace, tmp_path, system_python):
    """A recording has them; tree and stacks show them, and sum up alike."""
    rec = tmp_path / "a.ptr"
    subprocess.run([pytrace, "record", "-q", "-n", "-o", rec, "-e",
                    "offcpu,cpu:499", "--",
                    *system_python.argv("-c", textwrap.dedent(WAITS))],
                   check=True, timeout=60)

    def rows(*args):
        out = subprocess.run([pytrace, *args, "--json", "-i", rec],
                             stdout=subprocess.PIPE, check=True, timeout=60)
        return [json.loads(one) for one in out.stdout.splitlines()]

    plain = rows("offcpu", "--by", "stack")
    native = rows("offcpu", "--by", "stack", "-n")
    total = [r for r in plain if r["type"] == "total"]
    assert total == [r for r in native if r["type"] == "total"]
    assert any("nanosleep" in f for r in native for f in r.get("kernel", []))
    assert not any("kernel" in r for r in plain)
    tree = rows("cpu", "--tree", "-n")
    assert any(r.get("kind") == "kernel" and r["name"] for r in tree)
    shown = subprocess.run([pytrace, "offcpu", "--tree", "-n", "-i", rec],
                           stdout=subprocess.PIPE, check=True).stdout.decode()
    assert "[kernel] __schedule" in shown


@pytest.mark.parametrize("args", [
    ["syscalls", "-n", "--tree"], ["faults", "-n", "--by", "stack"],
    ["offcpu", "-n"], ["cpu", "-n", "--by", "line"],
])
def test_where_it_is_of_no_use(pytrace, args):
    done = subprocess.run([pytrace, *args, "-p", "1", "-d", "1"],
                          stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
