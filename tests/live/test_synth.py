# SPDX-License-Identifier: MIT
"""Synthetic probes: places of an interpreter's code, held against the oracle.

The same oracle as of the interpreter's own probes (test_calls.py): none missed
and none more, for each thread and in order.
"""
import os
import time

import pytest

from found import SYNTHETIC as SYNTHETIC_VERSIONS
from test_calls import (FIXED, FRESH, assert_same,  # noqa: F401
                        attached_in_the_middle, filtered_in_the_kernel,
                        greenlets, has_greenlet, marked, profiler, trace_of,
                        traced, truth_of)
from tracing import wait_for

SYNTHETIC = ("--probes=synthetic", "--allow=single-step")


def debian_or_soak(python):
    """What takes long is left to make soak where Debian's builds are alike."""
    if python.origin == "source" and python.info not in ((3, 10), (3, 12)) and \
            not os.environ.get("PYTRACE_SOAK"):
        pytest.skip("Debian's builds stand for it, but in make soak")


# 30 times each, two thirds of them with a trace or a profile function.
TRACED = """
import os, sys, time
def leaf(): pass
def numbers():
    yield 1
    leaf()
    yield 2
    leaf()
    yield 3
def bad():
    raise ValueError
def main():
    for i in range(30):
        if i == 10:
            sys.settrace(lambda *a: None)
        if i == 20:
            sys.settrace(None)
            sys.setprofile(lambda *a: None)
        assert list(numbers()) == [1, 2, 3]
        try:
            bad()
        except ValueError:
            pass
    sys.setprofile(None)
while len(sys.argv) > 1 and not os.path.exists(sys.argv[1]):
    time.sleep(.01)
main()
"""


@pytest.mark.parametrize("seed", [FIXED, FRESH], ids=["fixed", "fresh"])
def test_event_oracle(tracer, synth_python, profiler, tmp_path, seed):  # noqa: F811
    run = traced(tracer, synth_python, profiler, tmp_path, seed, "--rounds",
                 "45", options=SYNTHETIC)
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


def test_attached_in_the_middle(tracer, synth_python, profiler, tmp_path):  # noqa: F811
    """16 busy threads, deep in a recursion, generators suspended."""
    debian_or_soak(synth_python)
    attached_in_the_middle(tracer, synth_python, profiler, tmp_path, *SYNTHETIC)


def test_greenlets(tracer, synth_python, tmp_path):
    if not has_greenlet(synth_python):
        pytest.skip("it has no greenlet")
    greenlets(tracer, synth_python, tmp_path, *SYNTHETIC)


@pytest.mark.parametrize("pick", ["picked.py:*e*", "pong"])
def test_filtered_in_the_kernel(tracer, synth_python, tmp_path, pick):
    debian_or_soak(synth_python)
    filtered_in_the_kernel(tracer, synth_python, tmp_path, pick, *SYNTHETIC)


def test_with_a_trace_function(tracer, synth_python, tmp_path):
    """sys.settrace and a profiler change the code that is run: the calls stay
    what they are."""
    script = tmp_path / "traced.py"
    script.write_text(TRACED)
    run = tracer.run(synth_python.argv(script), "-e", "calls", *SYNTHETIC)
    assert run.status == 0 and not run.losses(), run.stderr
    if synth_python.info == (3, 11):    # its return comes before the function
        assert "do not balance" in run.stderr
        assert "do not use it" in run.stderr
        return
    assert "do not balance" not in run.stderr
    seen = {}
    for r in run.records("call"):
        if r["file"] == str(script) and r["end"] != "unfinished":
            seen[r["func"].split(".")[-1]] = \
                seen.get(r["func"].split(".")[-1], 0) + 1
    assert seen["leaf"] == 60
    assert seen["numbers"] == 4 * 30
    assert seen["bad"] == 30


def test_two_streams_are_one(tracer, calls_python, tmp_path):
    """The interpreter's own probes and synthetic ones, at the same time."""
    script = tmp_path / "script.py"
    if calls_python.info not in SYNTHETIC_VERSIONS:
        pytest.skip("it takes no synthetic probes")
    # without a profile function: it is called between the two of them
    script.write_text(TRACED.replace("sys.settrace(", "str(").replace(
        "sys.setprofile(", "str("))
    child = tracer.start(calls_python.argv(script, tmp_path / "go"))
    wait_for(lambda: "script.py" in open("/proc/%d/cmdline" % child.pid).read(),
             "it runs")
    time.sleep(.5)
    both = [tracer.attach(child.pid, "-e", "calls", "--probes=" + kind)
            for kind in ("usdt", "synthetic")]
    (tmp_path / "go").touch()
    assert child.wait(60) == 0
    streams = []
    for attached in both:
        run = attached.wait()
        assert run.status == 0 and not run.losses(), run.stderr
        events = trace_of(run)[0][child.pid]
        begin = next(i for i, e in enumerate(events) if e[1] == "main")
        streams.append(events[begin:])
    assert len(streams[0]) > 400
    assert streams[0] == streams[1]


JIT = """
def leaf(a): return a + 1
def main():
    x = 0
    for i in range(60000):
        x = leaf(x)
import sys
print(sys._jit.is_enabled(), flush=True)
main()
"""


def test_stopped_by_the_jit(tracer, synth_python, tmp_path):
    """What a just-in-time compiler has made begins no frame where we look: the
    trace ends, and says that it is not to be used."""
    script = tmp_path / "jit.py"
    script.write_text(JIT)
    if synth_python.info < (3, 14):
        pytest.skip("it has no such compiler")
    run = tracer.run(synth_python.argv(script), "-e", "calls", "--buffer",
                     "64M", *SYNTHETIC, env=dict(os.environ, PYTHON_JIT="1"))
    if b"True" not in run.stdout:
        pytest.skip("it was built without")
    assert "do not balance" in run.stderr and "do not use it" in run.stderr
    assert len(run.records("enter")) < 60000
