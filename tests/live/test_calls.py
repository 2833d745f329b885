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
import signal
import subprocess
import time

import pytest

from tracing import ORACLE, wait_for

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


def traced(tracer, python, profiler, folder, seed, *options):
    run = tracer.run(program(python, folder, seed, "--profiler", profiler,
                             *options), "-e", "calls", "--buffer", "64M")
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


def test_attached_in_the_middle(tracer, calls_python, profiler, tmp_path):
    """16 busy threads, some of them deep in a recursion, generators suspended:
    from then on the trace is what one from the start would be."""
    child = tracer.start(program(
        calls_python, tmp_path, FRESH, "--profiler", profiler, "--rounds", "45",
        "--threads", "16", "--at-once", "--deep", "12", "--pause", ".15",
        "--wait", "--folder", tmp_path))
    wait_for((tmp_path / "ready").exists, "the program runs")
    (tmp_path / "go").touch()
    wait_for((tmp_path / "busy").exists, "its threads run")
    attached = tracer.attach(child.pid, "-e", "calls", "--buffer", "256M")
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


def test_lost_records(tracer, calls_python, profiler, tmp_path):
    """Pytrace is stopped while its ring is small: what is lost is counted, and
    each thread goes on from its true stack."""
    child = tracer.start(program(
        calls_python, tmp_path, FRESH, "--profiler", profiler, "--rounds", "45",
        "--threads", "4", "--at-once", "--wait", "--folder", tmp_path))
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
    assert run.losses().get("ring-full", 0) > 1000
    truth = {tid: marked(e) for tid, e in truth_of(tmp_path).items()}
    trace, others = trace_of(run)
    for r in run.records():
        if r["type"] in ("enter", "call"):
            assert r["depth"] >= 0
            assert r["t"] > 0 and r.get("dur", 0) >= 0
    begun = [r for r in run.records("enter")]
    ended = [r for r in run.records("call")]
    assert len(begun) == len(ended)
    gaps = 0
    for tid, events in truth.items():
        got = trace[tid]
        end = next((i for i, e in enumerate(got)
                    if e[:2] == (RETURN, "end_marker")), None)
        if end is None:         # lost itself
            continue
        # all that came after the last repair is as it was
        last = max([nr for nr, _ in others.get(tid, ()) if nr <= end] or [0])
        gaps += last > 0
        mine = got[last:end + 1]
        assert events[-len(mine):] == mine, difference(events[-len(mine):],
                                                       mine, tid)
    assert gaps
