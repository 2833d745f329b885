# SPDX-License-Identifier: MIT
"""Every system call exactly once: numbers that the program knows, and perf's."""
import collections
import os
import signal
import textwrap
import time

import pytest

from tracing import wait_for


def script(text, *args):
    return ["-c", textwrap.dedent(text), *map(str, args)]


def frames(record):
    return [(f["func"], f["line"]) for f in record["stack"]]


def test_known_number_of_calls(tracer, python):
    run = tracer.run(python.argv(*script("""
        import os
        def ask(n):
            for i in range(n):
                os.getppid()
        ask(10000)
        os.getpgid(0)
        """)))
    assert run.status == 0, run.stderr
    calls = run.calls("getppid")
    assert len(calls) == 10000
    # Each by the same two frames; the command's parent is the same each time.
    assert {tuple(frames(c)) for c in calls} == {
        (("ask", 5), ("<module>", 6))}
    assert len({c["ret"] for c in calls}) == 1 and calls[0]["ret"] > 0
    times = [c["t"] for c in calls]
    assert times == sorted(times)
    assert len(run.calls("getpgid")) == 1


def test_known_number_of_calls_in_threads(tracer, debian_python):
    run = tracer.run(debian_python.argv(*script("""
        import os, threading
        def ask(n):
            for i in range(n):
                os.getppid()
        many = [threading.Thread(target=ask, args=(3000 + i,))
                for i in range(8)]
        [t.start() for t in many]
        [t.join() for t in many]
        """)))
    by_thread = collections.Counter(c["tid"] for c in run.calls("getppid"))
    assert sorted(by_thread.values()) == [3000 + i for i in range(8)]
    assert all(c["stack"][0]["func"] == "ask" for c in run.calls("getppid"))


def test_results_arguments_and_durations(tracer, system_python, tmp_path):
    (tmp_path / "file").write_text("0123456789")
    run = tracer.run(system_python.argv(*script("""
        import os, sys, time
        def calls(path):
            fd = os.open(path, os.O_RDONLY)
            os.read(fd, 7)
            os.read(fd, 7)
            time.sleep(0.05)
            try:
                os.close(fd + 1000)
            except OSError:
                pass
            os.close(fd)
            print(fd)
        calls(sys.argv[1])
        """, tmp_path / "file")))
    fd = int(run.stdout)
    mine = [c for c in run.records("syscall")
            if c["stack"] and c["stack"][0]["func"] == "calls"
            and c["name"] in ("read", "close", "openat", "clock_nanosleep",
                              "lseek")]
    names = [(c["name"], c["ret"], c["stack"][0]["line"]) for c in mine]
    assert names[:3] == [("openat", fd, 4), ("read", 7, 5), ("read", 3, 6)]
    assert names[-2:] == [("close", -9, 9), ("close", 0, 12)]
    assert mine[1]["args"][0] == fd and mine[1]["args"][2] == 7
    sleep = next(c for c in mine if c["name"] == "clock_nanosleep")
    assert 0.05e9 <= sleep["dur"] < 0.5e9
    assert all(c["dur"] < sleep["dur"] for c in mine if c is not sleep)


def test_interrupted_calls_are_one_record_each(tracer, system_python):
    """A signal that interrupts read() and restarts it in Python."""
    run = tracer.run(system_python.argv(*script("""
        import os, signal, threading, time
        signal.signal(signal.SIGUSR1, lambda *a: os.getppid())
        r, w = os.pipe()
        main = threading.main_thread().ident
        def poke():
            for i in range(3):
                time.sleep(0.05)
                signal.pthread_kill(main, signal.SIGUSR1)
            time.sleep(0.05)
            os.write(w, b"x")
        threading.Thread(target=poke).start()
        os.read(r, 1)
        print(r)
        """)))
    fd = int(run.stdout)
    reads = [c for c in run.calls("read")
             if c["args"][0] == fd and len(c["stack"]) == 1
             and c["stack"][0]["file"] == "<string>"]
    assert reads[-1]["ret"] == 1 and len(reads) == 4
    # EINTR as the program gets it: it is not the kernel that restarts.
    assert {c["ret"] for c in reads[:-1]} <= {-4, -512}
    assert len(run.calls("getppid")) == 3
    assert all(c["stack"][0]["line"] == 13 for c in reads)


def test_perf_counts_the_same(tracer, debian_python, tool, tmp_path):
    """All system calls of a program and its children: perf stat's number."""
    counts, fifo = tmp_path / "perf", tmp_path / "fifo"
    os.mkfifo(fifo)
    child = tracer.start(debian_python.argv(*script("""
        import os, sys, threading
        # One call until both tracers are there, however long that takes.
        open(sys.argv[1]).read()
        def work(n):
            for i in range(n):
                os.stat("/")
                os.getppid()
        many = [threading.Thread(target=work, args=(4000,)) for i in range(4)]
        [t.start() for t in many]
        [t.join() for t in many]
        if os.fork() == 0:
            work(5000)
            os._exit(0)
        os.wait()
        """, fifo)))
    wait_for(lambda: syscall_of(child.pid) == "257", "it opens the fifo")
    perf = tracer.start([tool("perf", "linux-perf"), "stat", "-x,", "-e",
                         "raw_syscalls:sys_enter", "-o", counts,
                         "-p", child.pid])
    attached = tracer.attach(child.pid, "-f")
    wait_for(lambda: any("perf_event" in os.readlink(
        "/proc/%d/fd/%s" % (perf.pid, fd)) for fd in os.listdir(
            "/proc/%d/fd" % perf.pid)), "perf counts")
    time.sleep(0.3)
    fifo.write_text("go")
    assert child.wait(60) == 0
    assert perf.wait(20) == 0
    run = attached.wait(20)
    line = [row for row in counts.read_text().splitlines()
            if "raw_syscalls" in row]
    perf = int(line[0].split(",")[0])
    ours = len(run.records("syscall"))
    assert not run.losses()
    assert perf > 42000
    assert abs(ours - perf) <= perf * 0.001, (ours, perf)


def syscall_of(pid):
    with open("/proc/%d/syscall" % pid) as f:
        return f.read().split()[0]


def test_filtered_by_name(tracer, system_python):
    """-e: those calls and no others, as many as there were."""
    run = tracer.run(system_python.argv(*script("""
        import os
        for i in range(500):
            os.getppid()
            os.stat("/")
        os.getpgid(0)
        """)), "-e", "getppid,getpgid")
    names = collections.Counter(c["name"] for c in run.records("syscall"))
    assert names == {"getppid": 500, "getpgid": 1}


def test_errors_only(tracer, system_python):
    run = tracer.run(system_python.argv(*script("""
        import os
        for i in range(50):
            os.getppid()
            try:
                os.close(12345 + i)
            except OSError:
                pass
        """)), "--errors")
    calls = run.records("syscall")
    assert all(c["ret"] < 0 for c in calls)
    mine = [c for c in calls if c["name"] == "close" and c["stack"]
            and c["args"][0] >= 12345]
    assert [c["args"][0] for c in mine] == [12345 + i for i in range(50)]
    assert not run.calls("getppid")


@pytest.mark.parametrize("pattern,seen", [
    ("wanted", {"inner", "wanted"}), ("C.method", {"method"}),
    ("!wanted", {"other", "method", "<module>"})])
def test_filtered_by_function(tracer, system_python, pattern, seen):
    """-F: any frame of the stack."""
    run = tracer.run(system_python.argv(*script("""
        import os
        class C:
            def method(self):
                os.getppid()
        def inner():
            os.getppid()
        def wanted():
            os.getppid()
            inner()
        def other():
            os.getppid()
        wanted(), other(), C().method(), os.getppid()
        """)), "-F", pattern)
    got = {c["stack"][0]["func"].split(".")[-1]
           for c in run.calls("getppid")}
    assert got == seen


def test_call_that_never_returns(tracer, system_python):
    """The last call is there although it has no end."""
    run = tracer.run(system_python.argv(*script("""
        import os
        def leave():
            os._exit(3)
        leave()
        """)))
    assert run.status == 3
    last = run.calls("exit_group")
    assert len(last) == 1
    assert last[0]["args"][0] == 3
    assert frames(last[0])[0] == ("leave", 4)


def test_killed_inside_a_call(tracer, system_python):
    """A thread that dies in read() leaves no call that lasts for ever."""
    child = tracer.start(system_python.argv(*script("""
        import os
        r, w = os.pipe()
        os.read(r, 1)
        """)))
    attached = tracer.attach(child.pid)
    time.sleep(0.2)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    run = attached.wait(20)
    assert run.status == 0, run.stderr
    for call in run.records("syscall"):
        assert call["pid"] == child.pid
        assert call["dur"] is None or call["dur"] < 30e9


def test_events_come_while_it_runs(tracer, system_python):
    """One call a second is on the screen soon after it was made."""
    child = tracer.start(system_python.argv(*script("""
        import os, time
        while True:
            time.sleep(0.3)
            os.getpgid(0)
        """)))
    attached = tracer.attach(child.pid)

    def seen():
        text = attached.trace.read_text()
        return text.count('"getpgid"')
    wait_for(lambda: seen() >= 1, "the first event", 5)
    had = seen()
    wait_for(lambda: seen() > had, "the next event", 1.5)
    attached.stop()
