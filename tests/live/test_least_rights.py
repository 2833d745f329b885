# SPDX-License-Identifier: MIT
"""With CAP_BPF and CAP_PERFMON only, as another user than the target's.

/proc shows no memory and no files of it then: the kernel half reads them.
"""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

import check
import tracing
from targets import WAIT, running
from test_oracle import FIXED, attach_and_go
from tracing import assert_right

NOBODY = 65534
WAY = ("setpriv --reuid=%d --regid=%d --clear-groups --inh-caps=+bpf,+perfmon "
       "--ambient-caps=+bpf,+perfmon --" % (NOBODY, NOBODY)).split()


@pytest.fixture
def least(pytrace, may_trace):
    """A Tracer of a user with only these two capabilities."""
    if not shutil.which("setpriv"):
        pytest.skip("no setpriv (util-linux) on this machine")
    # not below pytest's folder, which is root's alone
    folder = tempfile.mkdtemp(prefix="pytrace-least-")
    os.chown(folder, NOBODY, NOBODY)
    try:
        with tracing.Tracer(pytrace, folder, WAY) as one:
            yield one
    finally:
        shutil.rmtree(folder)


def test_oracle(least, system_python, tmp_path):
    """All of it, descendants too."""
    child, attached = attach_and_go(least, system_python, tmp_path, FIXED,
                                    "--marks", "2500", trace_options=["-f"])
    assert child.wait(tracing.LONG) == 0
    run = attached.wait()
    report = check.check(tmp_path / "truth", run.trace)
    print(report.summary())
    assert_right(report, run, known=False)
    assert report.marks > 1000


def test_files_out_of_reach(least, python, tmp_path):
    """Other mount namespaces, other users' folders: all is from memory."""
    child, attached = attach_and_go(
        least, python, tmp_path, FIXED, "--marks", "600", "--only", "chains",
        "--only", "threads", "--only", "foreign_thread", "--only", "deep",
        "--only", "reuse_inner")
    assert child.wait(tracing.LONG) == 0
    run = attached.wait()
    assert run.status == 0, run.stderr
    report = check.check(tmp_path / "truth", run.trace)
    assert_right(report, run, least=1000)


ODD = r"""
import mmap, os, sys
folder = sys.argv[1]
kept = []
for name in ("a b", "new\nline", "back\\slash", "x (deleted)", "gone"):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(b"x" * 8192)
    with open(path, "rb") as f:
        kept.append(mmap.mmap(f.fileno(), 8192, mmap.MAP_SHARED,
                              mmap.PROT_READ))
os.unlink(os.path.join(folder, "gone"))
where = mmap.mmap(-1, 1 << 20)
where[:] = bytes(range(256)) * 4096
""" + WAIT


def show(pytrace, *args):
    build = Path(pytrace).parent
    subprocess.run(["make", "-s", "-C", build, "tests/live/show_through"],
                   check=True, stdout=subprocess.DEVNULL)
    return subprocess.run([*WAY, build / "tests/live/show_through",
                           *map(str, args)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)


def lines_of_files(text):
    """The lines of maps that are of files: the others' names are /proc's."""
    return [line for line in text.decode().splitlines() if "/" in line]


def test_mappings_as_proc_has_them(least, pytrace, system_python, tmp_path):
    """Of other users' processes Linux before 6.13 does not show them."""
    with running([system_python.file, "-c", ODD, tmp_path]) as child:
        ran = show(pytrace, child.pid)
        assert ran.returncode == 0, ran.stderr
        with open("/proc/%d/maps" % child.pid, "rb") as f:
            want = lines_of_files(f.read())
        got = lines_of_files(ran.stdout)
        # columns are padded in the one and not in the other
        assert [x.split(None, 5) for x in got] == \
            [x.split(None, 5) for x in want]
        assert any("new\\012line" in x for x in got)
        assert any(x.endswith("/gone (deleted)") for x in got)


def test_memory_as_it_is(least, pytrace, system_python, tmp_path):
    with running([system_python.file, "-c", ODD, tmp_path]) as child:
        with open("/proc/%d/maps" % child.pid) as f:
            ranges = [line.split() for line in f]
        start, end = next(
            (int(n, 16) for n in r[0].split("-")) for r in ranges
            if len(r) > 5 and r[5].endswith("python3.11") and "r-x" in r[1])
        with open("/proc/%d/mem" % child.pid, "rb") as f:
            f.seek(start)
            want = f.read(end - start)
        ran = show(pytrace, child.pid, hex(start), end - start)
        assert ran.returncode == 0 and ran.stdout == want
        for addr, size in ((start + 1, 16383), (start + 255, 1), (start, 0),
                           (start + 5, 16385)):
            ran = show(pytrace, child.pid, hex(addr), size)
            assert ran.stdout == want[addr - start:addr - start + size]
        for bad in (0, 0xffff800000000000, 2 ** 64 - 1):
            ran = show(pytrace, child.pid, hex(bad), 8)
            assert ran.returncode == 1 and b"Bad address" in ran.stderr
    assert show(pytrace, child.pid, hex(start), 8).returncode == 1
