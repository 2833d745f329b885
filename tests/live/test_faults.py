# SPDX-License-Identifier: MIT
"""Page faults: numbers, kinds and lines that the program knows, and perf's."""
import collections
import os
import textwrap
import time

from tracing import wait_for

PAGE = 4096

# What the programs below begin with: pages of their own, and where they are.
BEGIN = """
import ctypes, gc, mmap, os, sys
PAGE, NOHUGE = 4096, 15
def where(m):
    return ctypes.addressof(ctypes.c_char.from_buffer(m))
def fresh(n):
    m = mmap.mmap(-1, n * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    m.madvise(NOHUGE)
    return m
"""


def script(text, *args):
    return ["-c", BEGIN + textwrap.dedent(text), *map(str, args)]


def line_of(text, words):
    """The line of the program that has these words, once."""
    lines = (BEGIN + textwrap.dedent(text)).split("\n")
    found = [i + 1 for i, line in enumerate(lines) if words in line]
    assert len(found) == 1, found
    return found[0]


def faults(run, start=0, pages=1 << 60):
    return [r for r in run.records("fault")
            if start <= r["addr"] < start + pages * PAGE]


def trace(tracer, python, text, *args):
    run = tracer.run(python.argv(*script(text, *args)), "-e", "faults")
    assert run.status == 0, run.stderr
    assert not [r for r in run.losses() if r != "unrecognised"]
    assert not run.records("syscall")
    return run


def at_one_line(records, func, line):
    return {(r["stack"][0]["func"], r["stack"][0]["line"])
            for r in records} == {(func, line)}


def each_page_once(records, start, pages):
    return sorted(r["addr"] & -PAGE for r in records) == [
        start + i * PAGE for i in range(pages)]


FIRST_TOUCH = """
def touch(m, n):
    for i in range(0, n * PAGE, PAGE):
        m[i] = 1                # first
    for i in range(0, n * PAGE, PAGE):
        m[i] = 2                # not again
m = fresh(1500)
print(where(m))
touch(m, 1500)
"""


def test_first_touch(tracer, debian_python):
    run = trace(tracer, debian_python, FIRST_TOUCH)
    start = int(run.stdout)
    mine = faults(run, start, 1500)
    assert each_page_once(mine, start, 1500)
    assert at_one_line(mine, "touch", line_of(FIRST_TOUCH, "# first"))
    for r in mine:
        assert r["kind"] == "first-touch" and r["write"] is True, r
        assert r["major"] is False and r["kernel"] is False, r
        assert r["bytes"] == PAGE and r["in_gc"] is False, r
        assert 0 < r["dur"] < 1e9 and r["ip"], r
    assert [r["t"] for r in mine] == sorted(r["t"] for r in mine)


COPY = """
def read(m, n):
    for i in range(0, n * PAGE, PAGE):
        m[i]                    # zeros
def write(m, n):
    for i in range(0, n * PAGE, PAGE):
        m[i] = 3                # copy
m, zeros = fresh(700), fresh(300)
for i in range(0, 700 * PAGE, PAGE):
    m[i] = 1                    # parent
read(zeros, 300)
print(where(m), where(zeros), flush=True)
pid = os.fork()
if pid == 0:
    write(m, 700)
    write(zeros, 300)
    os._exit(0)
print(pid)
os.waitpid(pid, 0)
"""


def test_copy_on_write(tracer, debian_python):
    run = trace(tracer, debian_python, COPY)
    start, zeros, child = map(int, run.stdout.split())
    mine = [r for r in faults(run, start, 700) if r["pid"] == child]
    assert each_page_once(mine, start, 700)
    assert {(r["kind"], r["bytes"], r["write"]) for r in mine} == {
        ("cow", PAGE, True)}
    assert at_one_line(mine, "write", line_of(COPY, "# copy"))
    # The page of zeros is shared by all: read, then copied.
    parent = [r for r in faults(run, zeros, 300) if r["pid"] != child]
    assert {(r["kind"], r["bytes"], r["write"]) for r in parent} == {
        ("first-touch", None, False)}
    assert at_one_line(parent, "read", line_of(COPY, "# zeros"))
    assert each_page_once(parent, zeros, 300)
    again = [r for r in faults(run, zeros, 300) if r["pid"] == child]
    assert each_page_once(again, zeros, 300)
    # fork does not copy what can be read again from the page of zeros
    assert {r["kind"] for r in again} <= {"cow", "first-touch"}


FILE = """
def touch(m, n):
    for i in range(0, n * PAGE, PAGE):
        m[i]                    # read
def change(m, n):
    for i in range(0, n * PAGE, PAGE):
        m[i] = 1                # write
n = 320
with open(sys.argv[1], "r+b") as f:
    private = mmap.mmap(f.fileno(), n * PAGE, access=mmap.ACCESS_COPY)
    shared = mmap.mmap(f.fileno(), n * PAGE)
print(where(private), where(shared))
touch(private, n)
change(private, n)
change(shared, n)
"""


def test_file(tracer, debian_python, tmp_path):
    (tmp_path / "file").write_bytes(b"x" * (320 * PAGE))
    tmp_path.chmod(0o755)
    run = trace(tracer, debian_python, FILE, tmp_path / "file")
    private, shared = map(int, run.stdout.split())
    by = collections.defaultdict(list)
    for r in faults(run, private, 320):
        by[r["write"]].append(r)
    # Reading maps some pages at a time, whose number is not known.
    assert 1 <= len(by[False]) <= 320
    assert {(r["kind"], r["bytes"]) for r in by[False]} == {("file", None)}
    assert at_one_line(by[False], "touch", line_of(FILE, "# read"))
    # Each private page is copied when it is written to.
    assert each_page_once(by[True], private, 320)
    assert {(r["kind"], r["bytes"]) for r in by[True]} == {("cow", PAGE)}
    assert at_one_line(by[True], "change", line_of(FILE, "# write"))
    mine = faults(run, shared, 320)
    assert mine and {r["kind"] for r in mine} == {"file"}


COLLECTOR = """
gc.disable()
def collect():
    gc.collect()                # here
def touch(m):
    for i in range(0, 200 * PAGE, PAGE):
        m[i] = 1                # there
many = [[] for i in range(200000)]
gc.collect()
pid = os.fork()
if pid == 0:
    touch(fresh(200))
    collect()
    os._exit(0)
print(pid)
os.waitpid(pid, 0)
"""


def test_collector_after_fork(tracer, debian_python):
    """The collector writes into each object that it looks at."""
    run = trace(tracer, debian_python, COLLECTOR)
    mine = [r for r in run.records("fault")
            if r["pid"] == int(run.stdout) and r["stack"]]
    here, there = (line_of(COLLECTOR, "# " + w) for w in ("here", "there"))
    copied = [r for r in mine if r["kind"] == "cow"
              and r["stack"][0]["line"] == here]
    # 200,000 lists of 56 bytes and 16 before each: some 3500 pages
    assert len(copied) > 2500
    assert sum(r["in_gc"] is True for r in copied) > 0.99 * len(copied)
    others = [r for r in mine if r["stack"][0]["line"] == there]
    assert len(others) >= 200
    assert all(r["in_gc"] is False for r in others)


# The outermost frame has another one below it, which is not there: each walk
# reads at its address.
ABSENT = """
gc.disable()
def touch(m, n):
    for i in range(0, n * PAGE, PAGE):
        m[i] = 1                # walk
        os.getppid()
def back(frame):
    if sys.version_info < (3, 11):
        return ctypes.c_uint64.from_address(id(frame) + 24)
    inner = ctypes.c_uint64.from_address(id(frame) + 24).value
    return ctypes.c_uint64.from_address(
        inner + (48 if sys.version_info < (3, 12) else 8))
m, gone = fresh(400), fresh(4)
hole = where(gone)
print(where(m), hole)
ctypes.CDLL(None).munmap(ctypes.c_void_p(hole), 4 * PAGE)
slot = back(sys._getframe())
old = slot.value
slot.value = hole + PAGE
touch(m, 400)
slot.value = old
"""


def test_our_own_reads_are_none(tracer, debian_python):
    """A walk over a page that is not there makes no fault of the target's."""
    run = tracer.run(debian_python.argv(*script(ABSENT)),
                     "-e", "faults,getppid")
    start, hole = map(int, run.stdout.split())
    mine = faults(run, start, 400)
    assert each_page_once(mine, start, 400)
    assert {r["stack"][0]["line"] for r in mine} == {line_of(ABSENT, "# walk")}
    # They were walked up to the hole, and no further.
    assert {r["why"] for r in mine} == {"a page was not resident"}
    assert not faults(run, hole, 4)
    first, last = mine[0]["t"], mine[-1]["t"]
    assert not [r for r in run.records("fault")
                if first < r["t"] < last and r["kernel"]]
    calls = run.calls("getppid")
    assert len(calls) == 400
    assert {c["why"] for c in calls} == {"a page was not resident"}
    assert set(run.losses()) <= {"unrecognised"}


CALL = """
def fill(m, n):
    with open("/dev/zero", "rb", buffering=0) as f:
        f.readinto(m)           # in the kernel
m = fresh(256)
print(where(m))
fill(m, 256)
"""


def test_in_a_system_call(tracer, debian_python):
    """The kernel writes into pages for the program: at the call's line."""
    for events in ("faults", "faults,syscalls"):
        run = tracer.run(debian_python.argv(*script(CALL)), "-e", events)
        start = int(run.stdout)
        mine = faults(run, start, 256)
        assert each_page_once(mine, start, 256)
        assert {(r["kernel"], r["kind"], r["write"]) for r in mine} == {
            (True, "first-touch", True)}
        assert at_one_line(mine, "fill", line_of(CALL, "# in the kernel"))


SEGV = """
import resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
def crash():
    ctypes.memset(0x1230, 0, 1)     # there is nothing
crash()
"""


def test_a_fault_that_fails(tracer, system_python):
    """It is there once, and nothing became of it."""
    run = tracer.run(system_python.argv(*script(SEGV)), "-e", "faults")
    mine = faults(run, 0x1000, 1)
    assert len(mine) == 1, mine
    assert mine[0]["addr"] == 0x1230 and mine[0]["write"] is True
    assert mine[0]["major"] is None and mine[0]["dur"] is None
    assert mine[0]["kind"] == "other" and mine[0]["bytes"] is None
    assert at_one_line(mine, "crash", line_of(SEGV, "# there is nothing"))


BUSY = """
import threading
open(sys.argv[1]).read()
def touch(n):
    m = fresh(n)
    for i in range(0, n * PAGE, PAGE):
        m[i] = 1
many = [threading.Thread(target=touch, args=(2000,)) for i in range(8)]
[t.start() for t in many]
[t.join() for t in many]
if os.fork() == 0:
    text = [str(i) for i in range(200000)]
    os._exit(0)
os.wait()
import json, decimal, email.message
os.posix_spawn(sys.executable, [sys.executable, "-c", "import json"],
               os.environ)
os.wait()
"""


def test_perf_counts_the_same(tracer, debian_python, tool, tmp_path):
    """All faults of a program and its children: perf stat's numbers."""
    counts, fifo = tmp_path / "perf", tmp_path / "fifo"
    os.mkfifo(fifo)
    child = tracer.start(debian_python.argv(*script(BUSY, fifo)))
    wait_for(lambda: call_of(child.pid) == "257", "it opens the fifo")
    names = ["page-faults", "minor-faults", "major-faults"]
    perf = tracer.start([tool("perf", "linux-perf"), "stat", "-x,", "-e",
                         ",".join(names), "-o", counts, "-p", child.pid])
    attached = tracer.attach(child.pid, "-f", "-e", "faults")
    wait_for(lambda: any("perf_event" in os.readlink(
        "/proc/%d/fd/%s" % (perf.pid, fd)) for fd in os.listdir(
            "/proc/%d/fd" % perf.pid)), "perf counts")
    time.sleep(0.3)
    fifo.write_text("go")
    assert child.wait(60) == 0
    assert perf.wait(20) == 0
    run = attached.wait(20)
    rows = [row.split(",") for row in counts.read_text().splitlines()]
    theirs = [int(next(r[0] for r in rows if name in r)) for name in names]
    major = collections.Counter(r["major"] for r in run.records("fault"))
    ours = [len(run.records("fault")), major[False], major[True]]
    # An exec has its new memory a little before it is known to be one: the
    # faults in between are counted.
    lost = run.losses().pop("unrecognised", 0)
    assert lost < 10 and set(run.losses()) <= {"unrecognised"}
    ours[0] += lost
    ours[1] += lost
    assert theirs[0] > 18000
    for mine, perfs in zip(ours, theirs):
        assert abs(mine - perfs) <= perfs * 0.001, (ours, theirs)


def call_of(pid):
    with open("/proc/%d/syscall" % pid) as f:
        return f.read().split()[0]
