# SPDX-License-Identifier: MIT
"""The event oracle: what programs say of their calls, and what pytrace says.

A profile function in C writes down each call and return of a random program
(oracle/calls_program.py); pytrace, beside it, must have the same, in the same
order, for each thread: none missed, none more.  A failure names its seed:
PYTRACE_SEED=N runs the fresh one again.
"""
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from found import unless_ci
from tracing import ORACLE, text_differs, wait_for

PROGRAM = ORACLE / "calls_program.py"
FIXED = 20240229
FRESH = int(os.environ.get("PYTRACE_SEED", random.SystemRandom().randrange(
    10 ** 9)))
CALL, RETURN = 0, 3     # PyTrace_CALL, PyTrace_RETURN
WHAT = {CALL: "call", RETURN: "return"}


@pytest.fixture(scope="module")
def profiler(tmp_path_factory):
    """The profile function, for any CPython."""
    out = tmp_path_factory.mktemp("profiler") / "profiler.so"
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC",
                    "-nostdlib", "-o", str(out), str(ORACLE / "profiler.c")],
                   check=True)
    return out


def program(python, folder, seed, *options):
    return python.argv(PROGRAM, "--seed", seed, "--truth", folder / "truth",
                       *options)


def truth_of(folder):
    """What the program was told of each thread: [(what, function, file, line)]."""
    threads = {}
    for line in open(str(folder / "truth")):
        tid, events = json.loads(line)
        threads[tid] = [tuple(e) for e in events]
    return threads


def trace_of(run):
    """The same of a trace; and its steps that are no events: (nr, record)."""
    threads, others = {}, {}
    for r in run.records():
        if r["type"] not in ("enter", "call"):
            continue
        events = threads.setdefault(r["tid"], [])
        what = CALL if r["type"] == "enter" else RETURN
        odd = r["begin"] == "seeded" if what == CALL else \
            r["end"] == "unfinished"
        if odd:
            others.setdefault(r["tid"], []).append((len(events), r))
        else:
            events.append((what, r["func"], r["file"], r["line"]))
    return threads, others


def marked(events):
    """Those between the markers, these included."""
    begin = next(i for i, e in enumerate(events)
                 if e[:2] == (CALL, "begin_marker"))
    end = next(i for i, e in enumerate(events)
               if e[:2] == (RETURN, "end_marker"))
    return events[begin:end + 1]


def difference(truth, trace, tid):
    """Where two streams part, with what is around."""
    at = next((i for i, (a, b) in enumerate(zip(truth, trace)) if a != b),
              min(len(truth), len(trace)))

    def around(events):
        return "\n".join("   %s %s %s:%s" % ((WHAT[e[0]],) + e[1:])
                         for e in events[max(0, at - 5):at + 6])
    return "thread %s: %d events, and %d in the trace, which part at %d:\n" \
        "%s\n  in the trace:\n%s" % (tid, len(truth), len(trace), at,
                                      around(truth), around(trace))


def assert_same(truth, trace):
    for tid, events in truth.items():
        assert events == trace.get(tid), difference(events,
                                                    trace.get(tid, []), tid)


def traced(tracer, python, profiler, folder, seed, *words, options=()):
    run = tracer.run(program(python, folder, seed, "--profiler", profiler,
                             *words), "-e", "calls", "--buffer", "64M", *options)
    print("seed %d, pytrace %s: %s" % (seed, run.status, run.stderr[-500:]))
    assert run.status == 0, run.stderr[-3000:]
    assert not run.losses()
    return run


@pytest.mark.parametrize("seed", [FIXED, FRESH], ids=["fixed", "fresh"])
def test_event_oracle(tracer, calls_python, profiler, tmp_path, seed):
    run = traced(tracer, calls_python, profiler, tmp_path, seed, "--rounds",
                 "45")
    truth = {tid: marked(e) for tid, e in truth_of(tmp_path).items()}
    trace, others = trace_of(run)
    assert_same(truth, {tid: marked(trace.get(tid, [])) for tid in truth})
    sizes = sorted(map(len, truth.values()))
    assert len(sizes) == 5
    assert sizes[-1] >= 10000 and sum(sizes) >= 45000
    # what nobody saw begin or end is outside the markers
    for tid in truth:
        begin = trace[tid].index(truth[tid][0])
        assert all(not begin < nr < begin + len(truth[tid])
                   for nr, _ in others.get(tid, ())), others[tid]


MET_LATE = """
import time
def once_more(): pass
time.sleep(1)
for i in range(30): once_more()
"""


def test_an_interpreter_that_is_met_late(tracer, calls_python, tmp_path):
    """Nobody could know the file: its probes come when rights are given up."""
    (tmp_path / "late.py").write_text(MET_LATE)
    script = tmp_path / "late.sh"
    script.write_text("#!/bin/sh\nexec %s\n" % " ".join(
        calls_python.argv(tmp_path / "late.py")))
    script.chmod(0o755)
    run = tracer.run([script], "-e", "calls")
    assert run.status == 0, run.stderr
    assert len([r for r in run.records("enter")
                if r["func"] == "once_more"]) == 30


def attached_in_the_middle(tracer, python, profiler, tmp_path, *options):
    child = tracer.start(program(
        python, tmp_path, FRESH, "--profiler", profiler, "--rounds", "45",
        "--threads", "16", "--at-once", "--deep", "12", "--pause", ".3",
        "--wait", "--folder", tmp_path))
    wait_for((tmp_path / "ready").exists, "the program runs")
    (tmp_path / "go").touch()
    wait_for((tmp_path / "busy").exists, "its threads run")
    attached = tracer.attach(child.pid, "-e", "calls", "--buffer", "256M",
                             *options)
    assert child.wait(170) == 0
    run = attached.wait()
    assert not run.losses(), run.stderr
    truth = {tid: marked(e) for tid, e in truth_of(tmp_path).items()}
    trace, others = trace_of(run)
    sizes = []
    for tid, events in truth.items():
        got = trace[tid]
        end = next(i for i, e in enumerate(got)
                   if e[:2] == (RETURN, "end_marker")) + 1
        sizes.append(end)
        assert end <= len(events), "it began before"
        assert events[-end:] == got[:end], difference(events[-end:],
                                                      got[:end], tid)
        assert all(r["end"] != "unfinished" for nr, r in others[tid]
                   if r["type"] == "call" and nr < end), others[tid]
    assert len(sizes) == 17
    assert sum(sizes) > 50000
    assert any(r["begin"] == "seeded" and r["func"].endswith("deep")
               for o in others.values() for _, r in o)


def test_attached_in_the_middle(tracer, calls_python, profiler, tmp_path):
    """16 busy threads, some of them deep in a recursion, generators suspended:
    from then on the trace is what one from the start would be."""
    attached_in_the_middle(tracer, calls_python, profiler, tmp_path)


def test_lost_records(tracer, calls_python, profiler, tmp_path):
    """Pytrace is stopped while its ring is small: what is lost is counted, and
    each thread goes on from its true stack."""
    child = tracer.start(program(
        calls_python, tmp_path, FRESH, "--profiler", profiler, "--rounds", "200",
        "--threads", "4", "--at-once", "--pause", ".02", "--wait", "--folder",
        tmp_path))
    wait_for((tmp_path / "ready").exists, "the program runs")
    attached = tracer.attach(child.pid, "-e", "calls", "--buffer", "256K")
    (tmp_path / "go").touch()
    wait_for((tmp_path / "busy").exists, "its threads run")
    for _ in range(3):
        attached.child.send_signal(signal.SIGSTOP)
        time.sleep(.3)
        attached.child.send_signal(signal.SIGCONT)
        time.sleep(.3)
    assert child.wait(170) == 0
    run = attached.wait()
    assert run.losses().get("ring-full", 0) > 100
    truth = {tid: marked(e) for tid, e in truth_of(tmp_path).items()}
    trace, last = {}, max(r["until"] for r in run.records("lost"))
    for r in run.records():
        if r["type"] not in ("enter", "call"):
            continue
        assert r["depth"] >= 0
        assert r["t"] > 0 and r.get("dur", 0) >= 0
        odd = r["begin"] == "seeded" if r["type"] == "enter" else \
            r["end"] == "unfinished"
        if r["t"] + r.get("dur", 0) > last and not odd:
            trace.setdefault(r["tid"], []).append(
                (CALL if r["type"] == "enter" else RETURN, r["func"],
                 r["file"], r["line"]))
    assert len(run.records("enter")) == len(run.records("call"))
    # all that came after the last loss is as it was
    compared = 0
    for tid, events in truth.items():
        got = trace.get(tid, [])
        end = next((i for i, e in enumerate(got)
                    if e[:2] == (RETURN, "end_marker")), None)
        if end is None:         # lost itself
            continue
        mine = got[:end + 1]
        compared += len(mine)
        assert events[-len(mine):] == mine, difference(events[-len(mine):],
                                                       mine, tid)
    assert compared > 1000


FORKS = """
import os, sys, time
def leaf(): pass
def work(seconds):
    end = time.time() + seconds
    while time.time() < end:
        leaf()
        time.sleep(.001)
if sys.argv[1] == "fork":
    work(.5)
    while not os.path.exists(sys.argv[2]):
        work(.1)
    child = os.fork()
    if child:
        print(child, flush=True)
work(60)
"""


def semaphores(pytrace, pid):
    """Those of the calls' probes in a process: {probe: value}."""
    exe = os.readlink("/proc/%d/exe" % pid)
    shown = subprocess.run([pytrace, "probes", "--json", exe], check=True,
                           stdout=subprocess.PIPE).stdout
    values = {}
    with open("/proc/%d/mem" % pid, "rb") as mem:
        for line in shown.splitlines():
            probe = json.loads(line)
            if probe["type"] == "probe" and \
                    probe["name"].startswith("function__"):
                mem.seek(probe["semaphore"])    # no Debian build is PIE
                values[probe["name"]] = int.from_bytes(mem.read(2), "little")
    assert len(values) == 2
    return values


def assert_clean(pytrace, pid):
    wait_for(lambda: set(semaphores(pytrace, pid).values()) == {0},
             lambda: "semaphores of %d: %s" % (pid, semaphores(pytrace, pid)))
    wait_for(lambda: not text_differs(pid), lambda: text_differs(pid))
    assert os.path.exists("/proc/%d/exe" % pid)


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM,
                                 signal.SIGKILL], ids=lambda s: s.name)
def test_nothing_stays(tracer, calls_python, tmp_path, sig):
    """Neither a breakpoint nor a semaphore, in the process and in a child that
    it forked while it was traced: also if pytrace is killed."""
    script = tmp_path / "forks.py"
    script.write_text(FORKS)
    target = tracer.start(calls_python.argv(script, "fork", tmp_path / "go"),
                          stdout=subprocess.PIPE)
    time.sleep(.3)
    attached = tracer.attach(target.pid, "-e", "calls")
    assert set(semaphores(tracer.pytrace, target.pid).values()) == {1}
    assert len(text_differs(target.pid)) >= 1
    (tmp_path / "go").touch()
    child = int(target.stdout.readline())
    os.kill(attached.child.pid, sig)
    attached.child.wait(20)
    try:
        assert_clean(tracer.pytrace, target.pid)
        assert_clean(tracer.pytrace, child)
        assert target.poll() is None
    finally:
        os.kill(child, signal.SIGKILL)


def test_price_and_budget(tracer, calls_python, tmp_path):
    """Too many calls: after 100 ms the probes are out again, with numbers."""
    busy = tmp_path / "busy.py"
    busy.write_text("def leaf(): pass\nwhile True: leaf()\n")
    target = tracer.start(calls_python.argv(busy))
    time.sleep(.3)
    done = subprocess.run(
        [tracer.pytrace, "trace", "-e", "calls", "-d", "20", "-p",
         str(target.pid), "-o", str(tmp_path / "out")],
        stderr=subprocess.PIPE, universal_newlines=True, timeout=60)
    assert done.returncode == 12, done.stderr
    found = re.search(r"budget: function probes on %d: over --max-overhead 10\n"
                      r"  ~([\d.]+) us a call; ~(\d+) calls/s in (\d+) ms: "
                      r"about ~(\d+) %% slower" % target.pid, done.stderr)
    assert found, done.stderr
    us, calls, ms, slower = map(float, found.groups())
    assert .3 < us < 200
    assert calls * us < 2e6      # no more than all of the time, twice
    assert 100 <= ms < 5000 and slower > 10
    assert_clean(tracer.pytrace, target.pid)


def test_interpreters_that_do_not_tell(tracer, system_python, tmp_path):
    """3.11 has both probes, and one of them says nothing: refused before it
    begins, with what there is instead."""
    run = tracer.run(system_python.argv("-c", "pass"), "-e", "calls",
                     "--probes=usdt")
    assert run.status == 125
    assert "has no USDT probes that tell of every call" in run.stderr
    assert "pytrace -p PID" in run.stderr


THROWS = """
import os
class Stop(Exception): pass
def leaf():
    os.getppid()
def gen():
    while True:
        try:
            os.getppid()
            yield 1
        except Stop:
            os.getppid()
            leaf()
            os.getppid()
def mid():
    try:
        yield from gen()
    except ValueError:
        os.getppid()
    except GeneratorExit:
        os.getppid()
        raise
def outer():
    try:
        yield from mid()
    finally:
        os.getppid()
def throws():
    g = outer()
    next(g)
    g.throw(Stop())
    try:
        g.throw(ValueError())
    except StopIteration:
        os.getppid()
    g = outer()
    next(g)
    g.close()
    g = gen()
    next(g)
    g.throw(Stop())
    try:
        g.throw(KeyError())
    except KeyError:
        os.getppid()
for _ in range(50):
    throws()
"""


def test_verified(tracer, calls_python, tmp_path):
    """Where exceptions are thrown into generators, whose frames run without a
    call in 3.15, no walked stack differs; and some are compared outright."""
    script = tmp_path / "throws.py"
    script.write_text(THROWS)
    run = tracer.run(calls_python.argv(script), "--verify", "--buffer", "64M",
                     "-e", "calls,syscalls,faults,offcpu,cpu:997", view="calls")
    assert run.status == 0, run.stderr
    found = [r["verified"] for r in run.records() if "verified" in r][-1]
    assert found["differed"] == 0, (found, run.stderr)
    assert found["compared"] > 1000
    assert found["untold"] < found["compared"] / 2, found


def test_each_process_says_what_tells_its_calls(tracer, calls_python,
                                                system_python):
    """Beside it a Python without such probes: places in its code, or none, and
    why."""
    both = " ; ".join(shlex.join(map(str, p.argv("-c", "import glob")))
                      for p in (calls_python, system_python))
    mine, other = (".".join(map(str, p.info[:2]))
                   for p in (calls_python, system_python))
    for probes in "auto", "usdt":
        run = tracer.run(["sh", "-c", both], "-e", "calls", "--probes",
                         probes)
        assert run.status == 0, run.stderr
        told = {r["python"].rsplit(".", 1)[0]: (r["calls"], r.get("no_calls"))
                for r in run.records("process") if r["walk"]}
        assert told[mine] == ("usdt", None)
        if probes == "auto":
            assert told[other] == ("synthetic", None)
            continue
        assert told[other][0] == "none"
        assert "no USDT probes that tell of every call" in told[other][1]
    # where nobody asked, there is no reason
    run = tracer.run(calls_python.argv("-c", "open('/dev/null')"))
    assert [(r["calls"], r["no_calls"]) for r in run.records("process")
            if r["walk"]] == [("none", None)]


PICKED = """
import sys, threading
rounds = int(sys.argv[1])
def leaf(): return 1
def gen(n):
    for i in range(n):
        leaf()
        yield i
def delegates(n):
    yield from gen(n)
def recursive(n):
    leaf()
    return recursive(n - 1) if n else ping(3)
def ping(n): return pong(n) if n else 0
def pong(n): return ping(n - 1)
class Made:
    def __init__(self): leaf()
def raises():
    try:
        raise ValueError
    finally:
        leaf()
def caught(what, error):
    try: what()
    except error: pass
def main():
    for _ in range(rounds):
        recursive(5)
        list(delegates(4))
        Made()
        caught(raises, ValueError)
        for _ in range(2):
            g = delegates(3)
            next(g)
            caught(lambda: g.throw(KeyError), KeyError)
        g = delegates(3)
        next(g)
        g.close()
        sorted([3, 1, 2], key=lambda n: -n)
threads = [threading.Thread(target=main) for _ in range(2)]
for t in threads: t.start()
main()
for t in threads: t.join()
"""


def counts_of(tracer, python, script, out, *options):
    """The rows of a table; and how many records of calls there were."""
    done = subprocess.run(
        [tracer.pytrace, "calls", "--json", "-o", str(out), "--limit", "0",
         "--max-overhead", "0", "--buffer", "64M", *options, "--",
         *python.argv(script, 400)], stderr=subprocess.PIPE,
        universal_newlines=True, timeout=120)
    assert done.returncode == 0, done.stderr
    rows, records = {}, 0
    for line in open(str(out)):
        r = json.loads(line)
        if r["type"] == "calls-row":
            assert r["max_ns"] <= r["total_ns"], r
            assert (r["self_ns"] is None) == ("self" not in options)
            rows[r["key"]["func"], r["key"]["def"]] = {
                name: r[name] for name in (
                    "count", "seeded", "resumes", "generators", "raised",
                    "cut", "gaps")}
        elif r["type"] == "end":
            assert set(r["losses"]) <= {"unseen"}, r   # a switch
            records = r["by_type"]["call"]
        elif r["type"] == "calls-total":
            repairs = r["repairs"]
    return rows, records, repairs


def filtered_in_the_kernel(tracer, python, tmp_path, pick, *options):
    """-F: of the functions that it picks nothing is missed, nothing is more, and
    records of others soon come no more."""
    script = tmp_path / "picked.py"
    script.write_text(PICKED)
    out = tmp_path / "rows"
    options += ("-F", *pick.split())
    all_rows, all_records, _ = counts_of(tracer, python, script, out,
                                         "--sort", "self", *options)
    rows, records, repairs = counts_of(tracer, python, script, out, *options)
    assert all_rows.keys() == rows.keys()
    for key, row in all_rows.items():
        assert rows[key] == row, key
    assert not repairs["leaked"] and not repairs["unknown_callers"]
    if pick in ("recursive", "pong"):
        (key, row), = rows.items()
        assert key[0] == pick
        assert row["count"] == 1200 * {"recursive": 6, "pong": 3}[pick]
        assert records < all_records / 2


@pytest.mark.parametrize("pick", ["recursive", "picked.py:*e*",
                                  "picked.py -F !leaf", "pong"])
def test_filtered_in_the_kernel(tracer, calls_python, tmp_path, pick):
    filtered_in_the_kernel(tracer, calls_python, tmp_path, pick)


GREENLETS = """
import sys, random
from greenlet import greenlet, getcurrent
rng = random.Random(int(sys.argv[1]))
OTHERS = []

def begin_marker(): pass
def end_marker(): pass
def leaf(): pass

def hop():
    if OTHERS:
        OTHERS[rng.randrange(len(OTHERS))].switch()

def mine_%d(n):
    leaf()
    if n:
        mine_%d(n - 1)
        hop()
        mine_%d(n - 1)
    else:
        hop()

def run_%d():
    for _ in range(20):
        mine_%d(3)
    OTHERS.remove(getcurrent())
"""
GREENLETS_END = """
begin_marker()
for f in RUNS:
    OTHERS.append(greenlet(f))
while OTHERS:
    OTHERS[0].switch()
end_marker()
"""


def has_greenlet(python):
    return not subprocess.run(python.argv("-c", "import greenlet"),
                              stderr=subprocess.DEVNULL).returncode


def greenlets(tracer, python, tmp_path, *options):
    """No function of one greenlet is ever below one of another."""
    head, each = GREENLETS.split("def mine_", 1)
    script = tmp_path / "greenlets.py"
    script.write_text(
        head + "\n".join("def mine_" + each.replace("%d", str(i))
                         for i in range(8)) +
        "\nRUNS = [%s]\n" % ", ".join("run_%d" % i for i in range(8)) +
        GREENLETS_END)
    run = tracer.run(python.argv(script, FRESH), "-e", "calls", "-k",
                     "--buffer", "64M", *options)
    assert run.status == 0 and "balance" not in run.stderr, run.stderr
    calls = [r for r in run.records("call") if r["file"] == str(script)
             and re.match("(mine|run)_", r["func"])]
    counts = {}
    for r in calls:
        number = r["func"].split("_")[1]
        above = {f["func"].split("_")[1] for f in r["stack"]
                 if re.match("(mine|run)_", f["func"])}
        assert above == {number}, r
        assert r["begin"] == "entry" and r["end"] == "return", r
        counts[r["func"]] = counts.get(r["func"], 0) + 1
    # 20 trees of 15 calls each, and the one that makes them
    assert counts == {**{"mine_%d" % i: 300 for i in range(8)},
                      **{"run_%d" % i: 1 for i in range(8)}}


def test_greenlets(tracer, calls_python, tmp_path):
    if not has_greenlet(calls_python):
        unless_ci("needs Debian's python3-greenlet (scripts/interpreters)")
    greenlets(tracer, calls_python, tmp_path)


def test_greenlets_filtered(tracer, calls_python, tmp_path):
    """... and with -F a recursion of one is none of another."""
    if not has_greenlet(calls_python):
        unless_ci("needs Debian's python3-greenlet (scripts/interpreters)")
    script = tmp_path / "greenlets.py"
    script.write_text(
        GREENLETS.replace("%d", "0") +
        "\nRUNS = [run_0] * 8\n" + GREENLETS_END)
    out = tmp_path / "rows"
    done = subprocess.run(
        [tracer.pytrace, "calls", "--json", "-o", str(out), "-F", "mine_*",
         "--max-overhead", "0", "--"] + calls_python.argv(script, FRESH),
        stderr=subprocess.PIPE, universal_newlines=True, timeout=60)
    assert done.returncode == 0, done.stderr
    row, = [r for r in map(json.loads, open(str(out)))
            if r["type"] == "calls-row"]
    total, = [r for r in map(json.loads, open(str(out)))
              if r["type"] == "calls-total"]
    assert row["count"] == 8 * 300
    assert not row["cut"] and not row["seeded"] and not row["gaps"]
    assert not total["repairs"]["leaked"]
    assert not total["repairs"]["unknown_callers"]
    assert total["repairs"]["switches"] > 100


JIT = """
import time
def f(i): return i + 1
def loop(n):
    for i in range(n):
        f(i)
loop(20000)
time.sleep(.6)
"""


@pytest.mark.parametrize("jit", ["0", "1"])
def test_code_of_the_jit_is_said(tracer, calls_python, tmp_path, monkeypatch,
                                 jit):
    """There the probes are not hit: too few calls are never shown as all."""
    has = subprocess.run(calls_python.argv(
        "-c", "import sys; print(sys._jit.is_available())"),
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    if has != b"True\n":
        pytest.skip("this Python has no JIT")
    script = tmp_path / "jit.py"
    script.write_text(JIT)
    monkeypatch.setenv("PYTHON_JIT", jit)
    run = tracer.run(calls_python.argv(script), "-e", "calls", "-F", "jit.py")
    assert run.status == 0, run.stderr
    calls = sum(r["func"] == "f" for r in run.records("call"))
    if jit == "0":
        assert calls == 20000
        assert "JIT" not in run.stderr
    else:
        assert calls < 20000
        assert re.search(r"note: process \d+ runs code that its JIT has compiled:"
                         r" calls there are not seen", run.stderr), run.stderr


def unless_has_gevent(python):
    """Debian builds it for its own Python alone: forky's is not 3.15."""
    if python.info[:2] == (3, 9):
        unless_ci("needs Debian's python3-gevent (scripts/interpreters)")
    pytest.skip("no gevent for this Python")


GEVENT = """
import random, sys
import gevent
from gevent.event import Event
from gevent.queue import Queue

NR = 8
rng = random.Random(int(sys.argv[1]))
TURNS = [Event() for _ in range(NR)]
QUEUE = Queue(3)

def leaf(): pass

def wait(mine):
    how = rng.randrange(4)
    if how == 0:
        gevent.sleep(0)
    elif how == 1:
        gevent.sleep(.0005)
    elif how == 2:
        QUEUE.put(mine)         # blocks when three are there
        QUEUE.get()
    else:
        TURNS[(mine + 1) % NR].set()
        TURNS[mine].wait(.002)
        TURNS[mine].clear()
"""
GEVENT_EACH = """
def mine_%d(n):
    leaf()
    if n:
        mine_%d(n - 1)
        wait(%d)
        mine_%d(n - 1)
    else:
        wait(%d)

def run_%d():
    for _ in range(10):
        mine_%d(3)
"""


def test_gevent(tracer, calls_python, tmp_path):
    """The same of a hub that switches: also the functions that gevent calls
    are on the stack of the greenlet that runs, and of no other."""
    if subprocess.run(calls_python.argv("-c", "import gevent"),
                      stderr=subprocess.DEVNULL).returncode:
        unless_has_gevent(calls_python)
    script = tmp_path / "gevents.py"
    script.write_text(GEVENT + "".join(GEVENT_EACH.replace("%d", str(i))
                                       for i in range(8)) +
                      "gevent.joinall([gevent.spawn(f) for f in (%s)])\n" %
                      ", ".join("run_%d" % i for i in range(8)))
    run = tracer.run(calls_python.argv(script, FRESH), "-e", "calls", "-k",
                     "--buffer", "64M", "-F", "gevents.py", "-F", "gevent/*")
    assert run.status == 0, run.stderr
    assert not run.losses()
    counts, waited = {}, set()
    for r in run.records("call"):
        mine = [f["func"] for f in r["stack"]
                if re.match("(mine|run)_", f["func"] or "")]
        assert len({f.split("_")[1] for f in mine}) <= 1, r
        if not mine:
            continue
        # it ends where the greenlet does: below it is no module
        assert mine[-1].startswith("run_"), r
        assert r["stack"][-1]["func"] in (mine[-1], "Greenlet.run"), r
        if r["file"] == str(script) and r["func"] in mine[:1]:
            assert (r["begin"], r["end"]) == ("entry", "return"), r
            counts[r["func"]] = counts.get(r["func"], 0) + 1
        elif "/gevent/" in (r["file"] or ""):
            waited.add(r["func"])
    assert counts == {**{"mine_%d" % i: 150 for i in range(8)},
                      **{"run_%d" % i: 1 for i in range(8)}}
    assert waited


def dtracedata(python, name, tmp_path):
    """CPython's own test of its probes, and what it expects."""
    name_of = "python%s.%s" % python.info[:2]
    folder = Path(python.file).parents[1] / "lib" / name_of / "test/dtracedata"
    if not (folder / (name + ".py")).exists():
        unless_ci("needs libpython-testsuite's dtracedata "
                  "(scripts/interpreters)")
    kind = "d" if name == "call_stack" else "stp"
    expected = (folder / ("%s.%s.expected" % (name, kind))).read_text()
    # its interpreter lives in a root of its own, which has no such path
    return shutil.copy(folder / (name + ".py"), tmp_path), expected


def test_cpythons_own_call_stack(tracer, calls_python, tmp_path):
    """What it expects of DTrace: 3.9's list for SystemTap misses calls that its
    program makes."""
    script, expected = dtracedata(calls_python, "call_stack", tmp_path)
    run = tracer.run(calls_python.argv(script), "-e", "calls")
    seen, depth = [], None
    for r in run.records():
        if r["type"] not in ("enter", "call") or \
                not (r["file"] or "").endswith("call_stack.py"):
            continue
        if r["func"] == "start":
            depth = r["depth"]
        if depth is not None:
            seen.append((r["type"], r["depth"] - depth, r["func"]))
        if r["func"] == "start" and r["type"] == "call":
            depth = None
    found = re.findall(r"function-(entry|return):( *)call_stack.py:(\w+):",
                       expected)
    assert seen == [({"entry": "enter", "return": "call"}[kind], len(blanks),
                     func) for kind, blanks, func in found]


def test_cpythons_own_gc(tracer, calls_python, tmp_path):
    script, expected = dtracedata(calls_python, "gc", tmp_path)
    run = tracer.run(calls_python.argv(script), "-e", "gc,calls")
    seen, tracing = [], False
    for r in run.records():
        if r["type"] in ("enter", "call") and r["func"] == "start":
            tracing = r["type"] == "enter"
        elif r["type"] == "gc" and tracing:
            seen += ["gc__start:%d" % r["generation"],
                     "gc__done:%d" % r["collected"]]
    assert seen == expected.split()
