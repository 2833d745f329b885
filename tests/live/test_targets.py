# SPDX-License-Identifier: MIT
"""Which processes and threads are traced, and that it is these alone."""
import os
import signal
import subprocess
import sys

import pytest
import targets
import tracing

pytestmark = pytest.mark.usefixtures("may_trace")

# Two threads of known names, which the interpreter does not set before 3.14.
NAMED = r"""
import ctypes, threading, time
prctl = ctypes.CDLL(None).prctl
def named(name):
    prctl(15, name, 0, 0, 0)
    said.release()
    while True:
        time.sleep(.02)
said = threading.Semaphore(0)
for name in b"worker-1", b"worker-2", b"other":
    threading.Thread(target=named, args=(name,), daemon=True).start()
for _ in range(3):
    said.acquire()
"""


def tids(pid):
    """Thread ids of a process by their names."""
    out = {}
    for path in (tracing.Path("/proc") / str(pid) / "task").iterdir():
        out[(path / "comm").read_text().strip()] = int(path.name)
    return out


def report(pytrace, *args):
    """(exit code, the records of --json, stderr)"""
    ran = targets.run(pytrace, *args, "--json")
    return ran.returncode, targets.records(ran.stdout), ran.stderr.decode()


def account(records):
    one, = (r for r in records if r["type"] == "account")
    assert one["thread_ns"] == (one["idle_ns"] + one["unseen_ns"] +
                                one["busy_ns"]), one
    assert one["busy_ns"] == sum(one["busy"].values()), one
    return one


@pytest.fixture
def named(system_python):
    with targets.running(system_python.argv("-c", NAMED + targets.WAIT)) as c:
        yield c.pid, tids(c.pid)


# ---- threads


@pytest.mark.parametrize("view", [[], ["cpu"], ["offcpu"], ["syscalls"]])
def test_threads_in_views(pytrace, named, view):
    """The account closes over the threads that are asked for."""
    pid, by_name = named
    for choice, nr in [(["-t", by_name["worker-1"]], 1),
                       (["--thread", "worker-*"], 2),
                       (["--thread", "worker-*", "-t", "%d,%d" % (
                           by_name["worker-2"], by_name["other"])], 1)]:
        code, records, said = report(pytrace, *view, "-p", pid, "-d", "0.5",
                                     *choice)
        assert code == 0, said
        if view:
            continue
        one = account(records)
        assert one["threads"] == nr
        lasted = one["until"] - one["t"]
        assert one["thread_ns"] == pytest.approx(nr * lasted, rel=.02)
        rows = [r for r in records if r["type"] == "row"]
        assert sum(r["ns"] for r in rows) <= one["thread_ns"]


def test_rows_are_of_the_chosen_threads(pytrace, named):
    pid, by_name = named
    code, records, said = report(pytrace, "syscalls", "--by", "thread", "-p",
                                 pid, "-d", "0.5", "--thread", "worker-?")
    assert code == 0, said
    rows = [r for r in records if r["type"] == "row"]
    assert {r["key"]["tid"] for r in rows} == {by_name["worker-1"],
                                               by_name["worker-2"]}


def test_a_thread_is_a_target(pytrace, named):
    """-t alone: the process of the thread, and nothing of the others."""
    pid, by_name = named
    ran = targets.run(pytrace, "trace", "-t", by_name["other"], "-d", "0.5",
                      "--json")
    assert ran.returncode == 0, ran.stderr
    calls = [r for r in targets.records(ran.stdout) if r["type"] == "syscall"]
    assert calls and {c["tid"] for c in calls} == {by_name["other"]}
    assert {c["pid"] for c in calls} == {pid}


def test_no_such_thread(pytrace, named):
    pid, _ = named
    ran = targets.run(pytrace, "-p", pid, "-d", "0.3", "--thread", "nobody")
    assert ran.returncode == 11
    assert b"none of the 4 threads" in ran.stderr
    assert b"is called 'worker-1'" in ran.stderr
    for more in ["-p", pid], []:
        ran = targets.run(pytrace, "-t", "4194303", "-d", "1", *more)
        assert ran.returncode == 3
        assert b"there is no thread 4194303" in ran.stderr
    ran = targets.run(pytrace, "-t", "1", "-p", pid, "-d", "1")
    assert ran.returncode == 3
    assert b"thread 1 is of process 1, which is not traced" in ran.stderr


# ---- processes that somebody holds


TICKS = "import os, threading, time\n" \
        "def ticks():\n" \
        "    while True:\n" \
        "        os.stat('/tick'[:1])\n" \
        "        time.sleep(.01)\n" \
        "threading.Thread(target=ticks, daemon=True).start()\n"


@pytest.fixture
def ticking(system_python):
    with targets.running(system_python.argv("-c", TICKS + targets.WAIT)) as c:
        yield c.pid


def test_stopped(pytrace, ticking):
    """It is said at once, and again when nothing came."""
    os.kill(ticking, signal.SIGSTOP)
    try:
        tracing.wait_for(lambda: "T (stopped)" in (
            tracing.Path("/proc/%d/status" % ticking).read_text()), "a stop")
        ran = targets.run(pytrace, "trace", "-p", ticking, "-d", "0.3")
        view = targets.run(pytrace, "-p", ticking, "-d", "0.3")
    finally:
        os.kill(ticking, signal.SIGCONT)
    assert ran.returncode == 11
    assert ran.stderr.count(b"process %d is stopped (state T)" % ticking) == 2
    assert view.returncode == 0
    assert b"note: process %d is stopped" % ticking in view.stderr


def stats(pytrace, pid):
    ran = targets.run(pytrace, "trace", "-p", pid, "-d", "0.6", "--json")
    assert ran.returncode == 0, ran.stderr
    return [r for r in targets.records(ran.stdout)
            if r["type"] == "syscall" and r["name"] == "newfstatat" or
            r["type"] == "syscall" and r["name"] == "stat"]


def tracer_of(pid):
    for line in open("/proc/%d/status" % pid):
        if line.startswith("TracerPid:"):
            return int(line.split()[1])


def test_under_strace(pytrace, tool, ticking, tmp_path):
    """Another tool holds it by ptrace: calls and lines are as ever."""
    other = subprocess.Popen([tool("strace"), "-f", "-o", tmp_path / "out",
                              "-p", str(ticking)], stderr=subprocess.DEVNULL)
    try:
        tracing.wait_for(lambda: tracer_of(ticking), "strace is attached")
        calls = stats(pytrace, ticking)
        assert len(calls) > 20
        assert all(c["stack"][0]["func"] == "ticks" for c in calls)
        assert all(c["stack"][0]["line"] == 4 for c in calls)
    finally:
        other.terminate()
        other.wait(20)


def test_under_gdb(pytrace, tool, ticking):
    """Held at its prompt it is said to be; let go on it is traced."""
    other = subprocess.Popen([tool("gdb"), "-nx", "-q", "-p", str(ticking)],
                             stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    try:
        tracing.wait_for(lambda: tracer_of(ticking) == other.pid and
                         "t (tracing stop)" in tracing.Path(
                             "/proc/%d/status" % ticking).read_text(),
                         "gdb holds it", 60)
        ran = targets.run(pytrace, "trace", "-p", ticking, "-d", "0.3")
        assert b"is held by a debugger (state t, traced by %d)" % other.pid \
            in ran.stderr
        other.stdin.write(b"continue\n")
        other.stdin.flush()
        tracing.wait_for(lambda: "t (tracing stop)" not in tracing.Path(
            "/proc/%d/status" % ticking).read_text(), "it goes on", 60)
        calls = stats(pytrace, ticking)
        assert len(calls) > 20
        assert all(c["stack"][0]["line"] == 4 for c in calls)
    finally:
        other.kill()
        other.wait(20)


def test_under_seccomp(pytrace, system_python):
    """Strict filters of the target are none of ours."""
    filtered = "import ctypes, struct\n" \
        "libc = ctypes.CDLL(None)\n" \
        "assert libc.prctl(38, 1, 0, 0, 0) == 0\n" \
        "code = ctypes.create_string_buffer(\n" \
        "    struct.pack('HBBI', 6, 0, 0, 0x7fff0000))\n" \
        "prog = struct.pack('HxxxxxxP', 1, ctypes.addressof(code))\n" \
        "assert libc.prctl(22, 2, prog, 0, 0) == 0\n"
    argv = system_python.argv("-c", filtered + TICKS + targets.WAIT)
    with targets.running(argv) as child:
        assert "Seccomp:\t2" in tracing.Path(
            "/proc/%d/status" % child.pid).read_text()
        calls = stats(pytrace, child.pid)
        assert len(calls) > 20
        assert all(c["stack"][0]["func"] == "ticks" for c in calls)


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
