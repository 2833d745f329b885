# SPDX-License-Identifier: MIT
"""Time off the CPU and samples of it, against programs that know their own."""
import json
import os
import subprocess
import textwrap
import time
from pathlib import Path

import pytest

from tracing import wait_for

TOLD = "import json, os, sys, time, threading"


def script(text, *args):
    return ["-c", TOLD + textwrap.dedent(text), *map(str, args)]


def at(record, func):
    """Is FUNC the innermost frame of the event?"""
    return bool(record["stack"]) and record["stack"][0]["func"] == func


def offs(run, func=None, **fields):
    return [r for r in run.records("offcpu")
            if (func is None or at(r, func))
            and all(r.get(k) == v for k, v in fields.items())]


def test_parts_make_the_whole(tracer, system_python):
    run = tracer.run(system_python.argv(*script("""
        def work():
            for i in range(20):
                time.sleep(0.001)
                sum(range(20000))
        many = [threading.Thread(target=work) for i in range(4)]
        [t.start() for t in many]
        [t.join() for t in many]
        """)), "-e", "offcpu")
    assert run.status == 0, run.stderr
    assert not run.losses()
    assert not run.records("syscall")
    got = offs(run)
    assert len(got) > 80
    for r in got:
        assert r["dur"] == r["blocked"] + r["runq"] + r["preempted"]
        assert (r["reason"] == "preempted") == (r["preempted"] > 0), r
    # A thread is off once at a time.
    for tid in {r["tid"] for r in got}:
        end = 0
        for r in sorted((r for r in got if r["tid"] == tid),
                        key=lambda r: r["t"]):
            assert r["t"] >= end
            end = r["t"] + r["dur"]


def assert_timer(sleeps):
    """The timer woke them, and nobody else is ever blamed.

    A few wake-ups are not seen by any program: of those there is no waker.
    """
    kinds = [r["waker"] and r["waker"]["kind"] for r in sleeps]
    assert set(kinds) <= {"timer", None}, sleeps
    assert kinds.count("timer") >= 0.7 * len(kinds), sleeps


@pytest.mark.parametrize("events", ["offcpu", "syscalls,offcpu"])
def test_sleeps_of_known_length(tracer, debian_python, events):
    """Blocked in a call of that name, at its line; it was the clock."""
    run = tracer.run(debian_python.argv(*script("""
        import select
        def sleeps():
            for i in range(5):
                time.sleep(0.03)
            for i in range(5):
                select.select([], [], [], 0.02)
        sleeps()
        """)), "-e", events)
    assert run.status == 0, run.stderr
    slept = [r for r in offs(run, "sleeps") if r["blocked"] > 15e6]
    calls = [(r["name"], r["stack"][0]["line"]) for r in slept]
    # 3.9 sleeps by select(), later ones by clock_nanosleep()
    assert {name for name, line in calls if line == 5} <= {
        "clock_nanosleep", "select", "pselect6"}, calls
    lines = [line for name, line in calls]
    assert lines == sorted(lines)
    # One that is preempted on its way may find its time over.
    assert 4 <= lines.count(5) <= 5 and 4 <= lines.count(7) <= 5, lines
    for r in slept:
        length = 30e6 if r["stack"][0]["line"] == 5 else 20e6
        assert length * 0.8 <= r["blocked"] < length + 30e6, r
        assert r["reason"] == "syscall:" + r["name"]
    assert_timer(slept)


def test_a_thread_wakes_another(tracer, debian_python):
    """The partner at the other end of a pipe is the waker, with its line."""
    run = tracer.run(debian_python.argv(*script("""
        r, w = os.pipe()
        def writes():
            for i in range(10):
                time.sleep(0.03)
                os.write(w, b"x")
        def reads():
            for i in range(10):
                os.read(r, 1)
        one = threading.Thread(target=writes)
        one.start()
        reads()
        one.join()
        """)), "-e", "offcpu")
    assert run.status == 0, run.stderr
    waits = offs(run, "reads", name="read")
    assert 5 <= len(waits) <= 10     # a busy machine lets it come late
    for r in waits:
        waker = r["waker"]
        assert waker["kind"] == "task" and waker["pid"] == r["pid"]
        assert waker["tid"] != r["tid"]
        assert [(f["func"], f["line"]) for f in waker["stack"]][0] == \
            ("writes", 6)
        assert r["args"][0] >= 3


def test_a_child_wakes_its_parent(tracer, debian_python):
    run = tracer.run(debian_python.argv(*script("""
        r, w = os.pipe()
        def child():
            for i in range(5):
                time.sleep(0.02)
                os.write(w, b"x")
            os._exit(0)
        def parent():
            for i in range(5):
                os.read(r, 1)
        pid = os.fork()
        child() if pid == 0 else parent()
        os.waitpid(pid, 0)
        print(pid)
        """)), "-f", "-e", "offcpu")
    child = int(run.stdout)
    waits = offs(run, "parent", name="read")
    assert 2 <= len(waits) <= 5
    for r in waits:
        assert r["waker"]["pid"] == child
        assert r["waker"]["stack"][0]["func"] == "child"
        assert r["waker"]["stack"][0]["line"] == 6


def test_who_is_not_traced_has_a_name(tracer, system_python):
    run = tracer.run(system_python.argv(*script("""
        import subprocess
        def waits(pipe):
            pipe.read(1)
        child = subprocess.Popen(["/bin/sh", "-c", "sleep 0.2; echo x"],
                                 stdout=subprocess.PIPE, bufsize=0)
        waits(child.stdout)
        child.wait()
        print(child.pid)
        """)), "-e", "offcpu")
    child = int(run.stdout)
    wait, = [r for r in offs(run, "waits", name="read") if r["dur"] > 100e6]
    assert wait["waker"]["kind"] == "task"
    assert wait["waker"]["pid"] == child
    assert wait["waker"]["thread"] == "sh"
    assert wait["waker"]["stack"] is None


def test_a_spinner_does_not_wake_the_sleeper(tracer, system_python):
    """On one CPU a timer fires while the spinner is `current`."""
    run = tracer.run(system_python.argv(*script("""
        os.sched_setaffinity(0, {0})
        if os.fork() == 0:
            def spins():
                end = time.monotonic() + 1.5
                while time.monotonic() < end:
                    pass
            spins()
            os._exit(0)
        def sleeps():
            for i in range(100):
                time.sleep(0.01)
        sleeps()
        os.wait()
        """)), "-f", "-e", "offcpu")
    assert run.status == 0, run.stderr
    slept = [r for r in offs(run, "sleeps") if r["blocked"] > 5e6]
    assert 90 <= len(slept) <= 100
    assert_timer(slept)
    assert offs(run, "spins", reason="preempted")


def between(records, begin, end):
    return [r for r in records if begin < r["t"] < end]


def test_switches_and_times_are_the_kernels(tracer, system_python):
    """/proc's counts of switches and schedstat's times, read between marks."""
    run = tracer.run(system_python.argv(*script("""
        def kernels():
            with open("/proc/thread-self/status") as f:
                words = f.read().split()
            with open("/proc/thread-self/schedstat") as f:
                ran, waited, _ = map(int, f.read().split())
            return [int(words[words.index(kind + "_ctxt_switches:") + 1])
                    for kind in ("voluntary", "nonvoluntary")] + [ran + waited]
        def spin(seconds):
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                pass
        def marked():
            os.getppid()
            said = kernels()
            os.getppid()
            return said
        if os.fork() == 0:
            spin(2)
            os._exit(0)
        before = marked()
        for i in range(200):
            time.sleep(0.002)
            spin(0.004)
        print(json.dumps([b - a for a, b in zip(before, marked())]))
        """)), "-e", "offcpu,getppid")
    assert run.status == 0, run.stderr
    assert not run.losses()
    voluntary, forced, busy = json.loads(run.stdout)
    marks = [c for c in run.calls("getppid") if at(c, "marked")]
    outer, begin, end, last = [c["t"] for c in marks]
    mine = [r for r in offs(run) if r["tid"] == marks[0]["tid"]]
    least, most = between(mine, begin, end), between(mine, outer, last)
    unseen = run.unseen()
    assert len(least) - 1 <= voluntary + forced <= len(most) + 1 + unseen
    least_forced, most_forced = [sum(r["preempted"] > 0 for r in some)
                                 for some in (least, most)]
    assert least_forced - 1 - unseen <= forced <= most_forced + 1 + unseen
    assert unseen < voluntary * 0.05
    assert forced and voluntary >= 190
    slack = busy * 0.01 + 4e6
    assert end - begin - sum(r["blocked"] for r in least) <= busy + slack
    assert busy - slack <= last - outer - sum(r["blocked"] for r in most)


def test_samples_of_a_spinner(tracer, debian_python):
    """As many as its time on the CPU makes, each in its loop."""
    run = tracer.run(debian_python.argv(*script("""
        def spins():
            os.getppid()
            end = time.thread_time() + 1
            while time.thread_time() < end:
                sum(range(1000))
            os.getppid()
        spins()
        """)), "-e", "offcpu,getppid,cpu:99")
    assert run.status == 0, run.stderr
    begin, end = [c["t"] for c in run.calls("getppid") if at(c, "spins")]
    ran = end - begin - sum(r["dur"] for r in between(offs(run), begin, end))
    mine = between(run.records("sample"), begin, end)
    # ticks are missed while the host runs another machine on this CPU
    assert abs(sum(r["dur"] for r in mine) - ran) < ran * 0.3
    assert {r["stack"][0]["line"] for r in mine} <= {3, 4, 5, 6, 7}
    assert all(at(r, "spins") for r in mine)
    assert all(abs(r["dur"] - 1e9 / 99) < 1e3 for r in mine)
    assert sum(r["mode"] == "user" for r in mine) > len(mine) / 2


def test_samples_alone(tracer, system_python):
    run = tracer.run(system_python.argv(*script("""
        sum(range(20000000))
        """)), "-e", "cpu")
    assert run.status == 0, run.stderr
    assert run.records("sample")
    assert not run.records("offcpu") and not run.records("syscall")


@pytest.fixture
def few_samples():
    """The kernel allows but few samples a second."""
    knob = Path("/proc/sys/kernel/perf_event_max_sample_rate")
    was = knob.read_text()
    knob.write_text("400")
    yield
    knob.write_text(was)


def test_too_many_samples_are_refused_by_name(tracer, system_python,
                                              few_samples):
    run = tracer.run(system_python.argv(*script("""
        os.getppid()
        """)), "-e", "getppid,cpu:500")
    assert run.status == 0
    assert len(run.calls("getppid")) == 1
    assert "no samples of the CPU" in run.stderr
    assert "perf_event_max_sample_rate" in run.stderr


def blocked_in(tid, number):
    with open("/proc/%d/syscall" % tid) as f:
        return f.read().split()[0] == str(number)


def test_asleep_before_and_after(tracer, debian_python):
    """Attached to a process whose threads are all off the CPU."""
    child = tracer.start(debian_python.argv(*script("""
        r, w = os.pipe()
        def stays():
            os.read(r, 1)
        def sleeps():
            time.sleep(8)
        threading.Thread(target=stays, daemon=True).start()
        two = threading.Thread(target=sleeps)
        two.start()
        time.sleep(0.3)
        print(1, flush=True)
        two.join()
        os.read(r, 1)
        """)), stdout=subprocess.PIPE)
    child.stdout.readline()
    attached = tracer.attach(child.pid, "-e", "offcpu")
    begun = time.monotonic_ns()
    wait_for(lambda: blocked_in(child.pid, 0), "it reads")
    run = attached.stop()
    assert len({r["tid"] for r in offs(run)}) == 3
    begin, = run.records("begin")
    assert begin["events"] == ["offcpu"] and begin["t"] <= begun
    sleep, = [r for r in offs(run) if r["tid"] not in (child.pid,)
              and r.get("state") == "before"]
    assert sleep["t"] == begin["t"]
    assert sleep["blocked"] < 8e9
    assert not sleep["waker"] or sleep["waker"]["kind"] == "timer"
    assert sleep["name"] in ("clock_nanosleep", "select", "pselect6")
    # Two are reading when the trace ends, one of them since before it.
    left = [r for r in offs(run) if r.get("state") == "unfinished"]
    assert {r["name"] for r in left} == {"read"} and len(left) == 2
    assert {r["waker"] for r in left} == {None}
    assert sorted(r["t"] == begin["t"] for r in left) == [False, True]


def test_ping_pong_loses_nothing(tracer, system_python):
    run = tracer.run(system_python.argv(*script("""
        a, b = os.pipe(), os.pipe()
        def pong(n):
            for i in range(n):
                os.read(a[0], 1)
                os.write(b[1], b"x")
        def ping(n):
            for i in range(n):
                os.write(a[1], b"x")
                os.read(b[0], 1)
        os.sched_setaffinity(0, {0})
        if os.fork() == 0:
            pong(30000)
            os._exit(0)
        ping(30000)
        os.wait()
        """)), "-f", "-e", "offcpu")
    assert run.status == 0, run.stderr
    assert not run.losses()
    got = offs(run, "ping", name="read") + offs(run, "pong", name="read")
    assert len(got) >= 25000
    pairs = {(r["stack"][0]["func"], r["waker"]["stack"][0]["func"])
             for r in got if r["waker"] and r["waker"].get("stack")}
    assert pairs == {("ping", "pong"), ("pong", "ping")}


def test_stopped_is_not_blocked(tracer, system_python):
    run = tracer.run(system_python.argv(*script("""
        import signal
        def stops():
            os.kill(os.getpid(), signal.SIGSTOP)
        pid = os.getpid()
        if os.fork() == 0:
            time.sleep(0.3)
            os.kill(pid, signal.SIGCONT)
            os._exit(0)
        stops()
        """)), "-e", "offcpu")
    stop, = offs(run, reason="stopped")
    assert stop["blocked"] > 100e6
    assert at(stop, "stops")
    assert stop["waker"]["kind"] == "task"


def test_waits_for_the_gil(tracer, python):
    """Two that spin wait for it; one that waits for a lock does not."""
    if python.info < (3, 7):
        pytest.skip("3.6 has its GIL in static variables")
    run = tracer.run(python.argv(*script("""
        lock = threading.Lock()
        def spins():
            end = time.monotonic() + 0.7
            while time.monotonic() < end:
                pass
        def locked():
            lock.acquire()
        lock.acquire()
        two = [threading.Thread(target=spins) for i in range(2)]
        one = threading.Thread(target=locked)
        [t.start() for t in two + [one]]
        [t.join() for t in two]
        lock.release()
        one.join()
        """)), "-e", "offcpu")
    assert run.status == 0, run.stderr
    gil, = run.records("gil")
    assert gil["to"] - gil["from"] == 208
    spun = [r for r in offs(run, "spins") if r.get("name") == "futex"]
    assert len(spun) > 20
    mine = [r for r in spun if r["reason"] == "gil"]
    assert len(mine) == len(spun)
    assert all(gil["from"] <= r["args"][0] < gil["to"] for r in mine)
    # Whoever gives it up wakes the next one.
    assert any(r["waker"] and r["waker"].get("stack") and
               r["waker"]["stack"][0]["func"] == "spins" for r in mine)
    wait = max(offs(run, "locked"), key=lambda r: r["dur"])
    assert wait["reason"] == "futex" and wait["blocked"] > 0.2e9


def test_waits_for_the_gil_of_who_was_there(tracer, debian_python):
    """Told before any wait; a forked child has one of its own."""
    child = tracer.start(debian_python.argv(*script("""
        def spins():
            while True:
                pass
        threading.Thread(target=spins, daemon=True).start()
        while True:
            time.sleep(0.02)
            if os.fork() == 0:
                threading.Thread(target=spins, daemon=True).start()
                for i in range(20):
                    time.sleep(0.005)
                os._exit(0)
            os.wait()
        """)))
    wait_for(lambda: len(os.listdir("/proc/%d/task" % child.pid)) > 1,
             "its thread")
    attached = tracer.attach(child.pid, "-f", "-e", "offcpu")
    time.sleep(2)
    run = attached.stop()
    child.kill()
    # a fork of it that is there already may come first
    first = next(r for r in run.records() if r["type"] in ("gil", "offcpu")
                 and r["pid"] == child.pid)
    assert first["type"] == "gil"
    by_pid = {r["pid"] == child.pid for r in offs(run) if r["reason"] == "gil"}
    assert by_pid == {True, False}


NAPS = """
    def nap():
        while True:
            time.sleep(0.02)
    def burn():
        while True:
            end = time.perf_counter() + 0.02
            while time.perf_counter() < end:
                pass
            time.sleep(0.001)
    for f in (nap, burn, burn):
        threading.Thread(target=f, daemon=True).start()
    open(sys.argv[1] + "/ready", "w").close()
    time.sleep(1000)
    """


def timehist(perf, data, pid):
    """(tid, back on the CPU at, ms off it, ms of them in the run queue)."""
    out = subprocess.run([perf, "sched", "timehist", "-i", data, "--pid",
                          str(pid)], capture_output=True, text=True,
                         check=False).stdout
    for line in out.splitlines():
        words = line.split()
        if len(words) < 6 or "[" not in words[2] or words[0] == "time":
            continue
        tid = int(words[2].rsplit("[", 1)[1].split("/")[0].rstrip("]"))
        wait, delay, run = map(float, words[3:6])
        if wait:
            yield tid, float(words[0]) * 1e9 - run * 1e6, wait, delay


def test_agrees_with_perf_sched(tracer, system_python, tool, tmp_path):
    """Time off the CPU, and in the run queue, of the same intervals."""
    perf = tool("perf", "linux-perf")
    child = tracer.start(system_python.argv(*script(NAPS, tmp_path)))
    wait_for((tmp_path / "ready").exists, "it naps")
    attached = tracer.attach(child.pid, "-e", "offcpu")
    data = str(tmp_path / "sched.data")
    # With sched_waking, too, perf would count from that on; the kernel's own
    # run_delay, and we, begin when the thread is in the queue.
    subprocess.run([perf, "record", "-a", "-k", "CLOCK_MONOTONIC", "-o", data,
                    "-e", "sched:sched_switch,sched:sched_wakeup,"
                    "sched:sched_wakeup_new,sched:sched_process_fork",
                    "--", "sleep", "2"], capture_output=True, check=True)
    run = attached.stop()
    ours = {}
    for r in offs(run):
        ours.setdefault(r["tid"], []).append((r["t"] + r["dur"], r))
    matched = [(wait, delay, min(ours[tid], key=lambda o: abs(o[0] - back)),
                back) for tid, back, wait, delay in timehist(
                    perf, data, child.pid) if tid in ours]
    assert len(matched) > 100
    same = [(wait, delay, r) for wait, delay, (end, r), back in matched
            if abs(end - back) < 100e3]
    assert len(same) > 0.8 * len(matched)
    # perf rounds, and one of the two programs runs after the other: 20 us,
    # which the host can make any number when it takes the CPU in between
    agree = [abs(r["dur"] / 1e6 - wait) < 0.02 + 0.01 * wait and
             (r["reason"] == "preempted" or
              abs(r["runq"] / 1e6 - delay) < 0.02 + 0.01 * delay)
             for wait, delay, r in same]
    assert sum(agree) > 0.9 * len(agree)
