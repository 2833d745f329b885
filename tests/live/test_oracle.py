# SPDX-License-Identifier: MIT
"""The stack oracle: what programs say of their stacks, and what pytrace says.

About 10,000 marks an interpreter, from everywhere in CPython; none may be
wrong, unknown or lost.  oracle/ has the programs and the checker.  A failure
names its seed: PYTRACE_SEED=N runs the fresh one again.
"""
import os
import random
import signal
import subprocess
import time

import pytest

import check
from tracing import PROGRAM, assert_right, wait_for

FIXED = 20240229
FRESH = int(os.environ.get("PYTRACE_SEED", random.SystemRandom().randrange(
    10 ** 9)))


@pytest.fixture(scope="module", autouse=True)
def say_seed(request):
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    if reporter:
        reporter.write_line("\nfresh seed: PYTRACE_SEED=%d" % FRESH)


def program(python, seed, folder, *options):
    return python.argv(PROGRAM, "--seed", seed, "--truth", folder / "truth",
                       "--folder", folder, *options)


def traced(tracer, python, folder, seed, *options):
    """A program under `pytrace trace -- COMMAND`, checked."""
    run = tracer.run(program(python, seed, folder, *options))
    print("seed %d, pytrace %s: %s" % (seed, run.status, run.stderr[-500:]))
    assert run.status == 0, run.stderr[-3000:]
    report = check.check(folder / "truth", run.trace)
    print(report.summary())
    assert_right(report, run, known=python.known)
    assert report.end is not None, "no `end` record"
    return report


def test_fixed_seed(tracer, python, tmp_path):
    report = traced(tracer, python, tmp_path, FIXED, "--marks", "2500")
    assert report.marks > 7000
    assert report.vforked == 5


def test_fresh_seed(tracer, python, tmp_path):
    report = traced(tracer, python, tmp_path, FRESH, "--marks", "2500",
                    "--only", "chains", "--only", "threads", "--only",
                    "signals", "--only", "reuse", "--only", "fork")
    assert report.marks > 3000


@pytest.mark.parametrize("scenario", ["deep", "reuse", "odd_names", "nul_names",
                                      "vfork"])
def test_one_kind_alone(tracer, debian_python, tmp_path, scenario):
    """Where nothing before it has filled a cache."""
    traced(tracer, debian_python, tmp_path, FIXED + 1, "--only", scenario)


EVENTS = {"faults": "faults", "waits": "offcpu", "stretches": "cpu:999"}


def other_marks(tracer, python, folder, kind, *options):
    """Marks that are no system calls, from everywhere in a random program."""
    run = tracer.run(program(
        python, FRESH, folder, "--kind", kind, "--only", "chains", "--only",
        "threads", *options), "-e", EVENTS[kind])
    assert run.status == 0, run.stderr[-3000:]
    return run


@pytest.mark.parametrize("kind", ["faults", "waits"])
def test_other_events(tracer, debian_python, tmp_path, kind):
    run = other_marks(tracer, debian_python, tmp_path, kind, "--marks", "800")
    report = check.check(tmp_path / "truth", run.trace, kind)
    print(report)
    assert report.right > 1000
    assert not (report.wrong or report.unknown or report.losses)
    # of 3,776 waits one was found once, at its place, under another address
    assert len(report.extra) <= (report.marks / 1000 if kind == "waits" else 0)
    # one that is preempted before it sleeps can find its time to be over
    assert len(report.lost) <= (report.marks / 100 if kind == "waits" else 0)


def test_samples(tracer, debian_python, tmp_path):
    """The clock ticks where it wants; what it finds in a stretch is right."""
    run = other_marks(tracer, debian_python, tmp_path, "stretches", "--marks",
                      "300")
    right, wrong = check.check_stretches(tmp_path / "truth", run.trace)
    print(right, wrong[:3])
    assert right > 100
    assert not wrong


def attach_and_go(tracer, python, folder, seed, *options, trace_options=()):
    """A program that waits 40 frames deep while pytrace attaches to it."""
    child = tracer.start(program(python, seed, folder, "--wait", *options),
                         stdout=subprocess.DEVNULL)
    wait_for((folder / "ready").exists, "the program waits")
    pid = int((folder / "ready").read_text())
    assert pid == child.pid
    attached = tracer.attach(pid, *trace_options)
    (folder / "go").touch()
    return child, attached


def test_attached(tracer, python, tmp_path):
    """-p: names and lines of code that ran before we came."""
    child, attached = attach_and_go(
        tracer, python, tmp_path, FIXED, "--marks", "600", "--only", "chains",
        "--only", "threads", "--only", "foreign_thread", "--only", "deep",
        "--only", "reuse_inner")
    assert child.wait(120) == 0
    run = attached.wait(20)     # the target's end is the trace's
    assert run.status == 0, run.stderr
    report = check.check(tmp_path / "truth", run.trace)
    assert_right(report, run, least=1000)


def test_attached_with_descendants(tracer, debian_python, tmp_path):
    """-p -f: children that are born later, by fork, vfork and exec."""
    child, attached = attach_and_go(
        tracer, debian_python, tmp_path, FIXED, "--only", "fork", "--only",
        "vfork", "--only", "preexec", "--only", "executed",
        trace_options=["-f"])
    assert child.wait(120) == 0
    run = attached.wait(20)
    report = check.check(tmp_path / "truth", run.trace)
    assert_right(report, run, least=40)


def test_attached_without_descendants(tracer, system_python, tmp_path):
    """-p alone: the marks of the process, none of its children's."""
    child, attached = attach_and_go(tracer, system_python, tmp_path, FIXED,
                                    "--only", "fork", "--only", "imports")
    assert child.wait(120) == 0
    run = attached.wait(20)
    assert {r["pid"] for r in run.calls()} == {child.pid}
    marks, _ = check.read_truth(tmp_path / "truth")
    mine = [m for m in marks.values() if m["pid"] == child.pid]
    report = check.check(tmp_path / "truth", run.trace)
    assert report.right == len(mine) > 10
    assert len(report.lost) == len(marks) - len(mine) > 10
    assert not report.wrong and not report.unknown


def test_attached_in_the_middle(tracer, debian_python, tmp_path):
    """Attach and leave while it runs: what is seen is right."""
    child = tracer.start(program(
        debian_python, FIXED, tmp_path, "--marks", "10000000", "--only",
        "chains", "--only", "threads"))
    wait_for(lambda: (tmp_path / "truth").exists()
             and os.path.getsize(tmp_path / "truth") > 10000, "it marks")
    attached = tracer.attach(child.pid)
    time.sleep(0.4)
    run = attached.stop(signal.SIGINT)
    (tmp_path / "stop").touch()
    assert run.status == 0, run.stderr
    assert child.wait(120) == 0
    report = check.check(tmp_path / "truth", run.trace)
    assert report.right > 20, report
    assert not (report.wrong or report.unknown or report.extra
                or report.losses), report


def test_two_tracers(tracer, system_python, tmp_path):
    """A second pytrace beside the first: both see everything."""
    child = tracer.start(program(system_python, FIXED, tmp_path, "--wait",
                                 "--marks", "500", "--only", "chains",
                                 "--only", "reuse"))
    wait_for((tmp_path / "ready").exists, "the program waits")
    both = [tracer.attach(child.pid) for _ in range(2)]
    (tmp_path / "go").touch()
    assert child.wait(120) == 0
    for attached in both:
        run = attached.wait(20)
        assert_right(check.check(tmp_path / "truth", run.trace), run, 1000)


def test_20000_frames(tracer, debian_python, tmp_path):
    """A stack that is far deeper than any walk: its innermost part is right,
    the rest is left out by number or unknown, and what comes after is right.
    """
    truth = tmp_path / "truth"
    code = ("import sys, threading\n"
            "sys.path.insert(0, %r)\n"
            "import mark\n"
            "mark.begin(%r)\n"
            "def down(n):\n"
            "    return down(n - 1) if n else mark.mark()\n"
            "def main():\n"
            "    sys.setrecursionlimit(30000)\n"
            "    down(20000)\n"
            "    down(3)\n"
            "threading.stack_size(512 << 20)\n"
            "t = threading.Thread(target=main)\n"
            "t.start()\n"
            "t.join()\n" % (str(PROGRAM.parent), str(truth)))
    run = tracer.run(debian_python.argv("-c", code))
    marks, _ = check.read_truth(truth)
    calls = [r for r in run.calls("lseek") if check.is_mark(r)]
    assert len(calls) == len(marks) == 2
    deep, low = calls
    want = marks[deep["args"][1]]["stack"]
    got = check.frames_of(deep)
    left_out = deep["truncated"]
    assert got[:check.INNER] == want[:check.INNER]
    assert len(got) == check.MOST
    if deep.get("why"):     # the root is unknown, and it says so
        below = check.INNER + left_out
        assert got[check.INNER:] == want[below:below + check.OUTER]
        assert below + check.OUTER < len(want)
    else:
        assert got[check.INNER:] == want[-check.OUTER:]
        assert left_out == len(want) - len(got)
    assert check.compare(marks[low["args"][1]], low) is None
