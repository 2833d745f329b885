# SPDX-License-Identifier: MIT
"""Programs of 20 ms, chains of exec, and interpreters that come late.

Their first Python event and their last have names and lines, although the
process is gone before a person could look at it.
"""
import os
import subprocess

import pytest

import check
from found import unless_ci
from tracing import TINY, assert_right

# How many marks tiny.py makes, the one from __del__ at the end included.
TINY_MARKS = 8


def assert_first_and_last(run, pid, known=True):
    """From the first event with a stack to the last, nothing is nameless.

    Where nobody could KNOW the interpreter's file before it ran, that first
    one is the first after its recognition: any call.  Between that and its
    initialisation the stack is unknown: it may yet load another.
    """
    mine = run.calls(pid=pid)
    assert mine, "no event of process %d" % pid
    begun = next(i for i, c in enumerate(mine)
                 if c["stack"] or known and c["stack"] is None)
    after = mine[begun:]
    nameless = [c for c in after if c["stack"] is None or any(
        not f["func"] or f["line"] is None for f in c["stack"] or [])]
    assert not nameless, nameless[:3]
    # What a fresh interpreter does first in Python is to import.
    first = after[0]["stack"][-1]
    assert not known or first["file"].startswith("<frozen ") \
        or first["func"] == "<module>", after[0]
    assert mine[-1]["name"] == "exit_group"


def pid_of(truth):
    marks, _ = check.read_truth(truth)
    pids = {m["pid"] for m in marks.values()}
    assert len(pids) == 1
    return pids.pop()


def test_one_run(tracer, python, tmp_path):
    truth = tmp_path / "truth"
    run = tracer.run(python.argv("-S", "-E", TINY, truth, 0, 3))
    assert run.status == 3
    report = check.check(truth, run.trace)
    assert_right(report, run, known=python.known)
    assert report.marks == TINY_MARKS
    assert_first_and_last(run, pid_of(truth), python.known)


def test_twenty_runs(tracer, debian_python, tmp_path):
    """20 of each of five interpreters: 100 runs, each with a tracer."""
    for i in range(20):
        truth = tmp_path / ("truth%d" % i)
        run = tracer.run(debian_python.argv("-S", "-E", TINY, truth, i, i))
        assert run.status == i
        report = check.check(truth, run.trace)
        assert_right(report, run, known=debian_python.known)
        assert report.marks == TINY_MARKS
        assert_first_and_last(run, pid_of(truth), debian_python.known)


def test_hundred_children(tracer, system_python, tmp_path):
    """A shell that starts a hundred of them, under one tracer."""
    truth = tmp_path / "truth"
    words = " ".join(system_python.argv("-S", "-E", TINY, truth))
    run = tracer.run(["sh", "-c", "for i in $(seq 100); do %s $i $i; done"
                      % words])
    report = check.check(truth, run.trace)
    assert_right(report, run)
    assert report.marks == 100 * TINY_MARKS
    marks, _ = check.read_truth(truth)
    last = {c["pid"]: c["args"][0] for c in run.calls("exit_group")}
    statuses = sorted(last[pid] for pid in {m["pid"] for m in marks.values()})
    assert statuses == list(range(1, 101))


def chains(python, truth):
    """Ways to come to a python by exec, as argument lists."""
    tiny = python.argv("-S", "-E", TINY, truth)
    words = " ".join(tiny)
    return {
        "sh exec": ["sh", "-c", "exec " + words],
        "sh": ["sh", "-c", words + "; exit $?"],
        "env": ["env", "A=1"] + tiny,
        "late": ["sh", "-c", "sleep 0.5; exec " + words],
        "sh sh sh": ["sh", "-c", "exec sh -c 'exec sh -c \"exec %s\"'"
                     % words],
        "python python": python.argv(
            "-c", "import os, sys; os.execv(sys.executable,"
            "[sys.executable] + %r)" % (["-S", "-E", str(TINY), str(truth)])),
        "no ASLR": ["setarch", "-R", "sh", "-c", "exec " + words],
        "xargs": ["sh", "-c", "echo %s | xargs %s" % (
            truth, " ".join(python.argv("-S", "-E", TINY)))],
        "nice timeout": ["nice", "timeout", "60"] + tiny,
    }


@pytest.mark.parametrize("way", sorted(chains(
    type("_", (), {"argv": lambda self, *a: [str(x) for x in a]})(), "x")))
def test_exec_chain(tracer, debian_python, tmp_path, way):
    truth = tmp_path / "truth"
    run = tracer.run(chains(debian_python, truth)[way])
    assert run.status == 0, run.stderr
    report = check.check(truth, run.trace)
    assert_right(report, run, known=debian_python.known)
    assert report.marks == TINY_MARKS
    assert_first_and_last(run, pid_of(truth), debian_python.known)


def test_three_programs_in_turn(tracer, interpreters, tmp_path):
    """One process that is three versions of Python, one after another.

    Nobody has seen the files of the later ones: they wait to be recognised.
    """
    order = sorted((i for i in interpreters if len(i.command) == 1),
                   key=lambda i: i.info)[-3:]
    if len(order) < 2:
        pytest.skip("one interpreter that needs no chroot is not enough")
    truth = tmp_path / "truth"
    program = tmp_path / "turn.py"
    program.write_text(
        "import os, sys, time\n"
        "sys.path.insert(0, %r)\n"
        "import mark\n"
        "n = int(sys.argv[1])\n"
        "time.sleep(1.5 if n > 1 else 0)\n"
        "mark.begin(%r, n)\n"
        "def f():\n"
        "%s    return mark.mark()\n"
        "f()\n"
        "left = sys.argv[2:]\n"
        "if left:\n"
        "    os.execv(left[0], [left[0], sys.argv[0], str(n + 1)] + left[1:])"
        "\n" % (str(TINY.parent), str(truth), "    x = 1\n" * 3))
    run = tracer.run([order[0].file, program, 1]
                     + [i.file for i in order[1:]])
    report = check.check(truth, run.trace)
    assert_right(report, run, known=False)
    assert report.marks == len(order)
    assert run.versions() == [i.version for i in order]


HOST = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Load the libpython named first, wait, and be a python with the rest. */
int main(int argc, char **argv)
{
	int (*run)(int, char **);
	void *lib;

	usleep(atoi(argv[1]) * 1000);
	lib = dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL);
	if (!lib) {
		fprintf(stderr, "%s\n", dlerror());
		return 99;
	}
	*(void **)&run = dlsym(lib, "Py_BytesMain");
	if (!run)
		return 98;
	argv[2] = argv[0];
	return run(argc - 2, argv + 2);
}
"""


@pytest.fixture(scope="session")
def host(tool, tmp_path_factory):
    """A C program that becomes a Python by dlopen, after a while."""
    folder = tmp_path_factory.mktemp("host")
    (folder / "host.c").write_text(HOST)
    subprocess.run([tool("gcc"), "-o", folder / "host", folder / "host.c",
                    "-ldl"], check=True)
    return folder / "host"


@pytest.mark.parametrize("ms", [0, 1000])
def test_libpython_loaded_late(tracer, host, tmp_path, ms):
    lib = "/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0"
    if not os.path.exists(lib):
        unless_ci("no %s: apt-get install libpython3.11" % lib)
    truth = tmp_path / "truth"
    run = tracer.run([host, ms, lib, "-S", "-E", TINY, truth],
                     env=dict(os.environ, PYTHONHOME="/usr"))
    assert run.status == 0, run.stderr
    # Nothing says beforehand that this program is to become a Python.
    assert_right(check.check(truth, run.trace), run, known=False)
    assert_first_and_last(run, pid_of(truth), known=False)


def test_child_of_a_process_that_was_there(tracer, system_python, tmp_path):
    """-p -f: a shell in between is no Python, what it becomes is one."""
    truth, fifo = tmp_path / "truth", tmp_path / "fifo"
    os.mkfifo(fifo)
    words = " ".join(system_python.argv("-S", "-E", TINY, truth))
    parent = tracer.start(system_python.argv(
        "-c", "import subprocess, sys; open(sys.argv[1]).read(); "
        "subprocess.check_call(['sh', '-c', 'exec ' + sys.argv[2]])",
        fifo, words))
    attached = tracer.attach(parent.pid, "-f")
    fifo.write_text("go")
    assert parent.wait(20) == 0
    run = attached.wait(20)
    assert_right(check.check(truth, run.trace), run)
    assert_first_and_last(run, pid_of(truth))
