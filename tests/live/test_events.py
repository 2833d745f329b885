# SPDX-License-Identifier: MIT
"""Events by name: tracepoints with their fields, against perf's own counts."""
import json
import os
import shutil
import subprocess
import tempfile
import textwrap
import time
from pathlib import Path

import pytest

import tracing
from test_least_rights import WAY

TRACEFS = Path("/sys/kernel/tracing/events")


def script(text, *args):
    return ["-c", "import os, sys, time\n" + textwrap.dedent(text),
            *map(str, args)]


def hits(run, name, func=None):
    return [r for r in run.records("tracepoint") if r["name"] == name
            and (func is None or (r["stack"] and
                                  r["stack"][0]["func"] == func))]


def samples(run, name, func=None):
    return [r for r in run.records("sample") if r.get("name") == name
            and (func is None or (r["stack"] and
                                  r["stack"][0]["func"] == func))]


@pytest.fixture
def tracefs(may_trace):
    if not (TRACEFS / "sched").is_dir():
        pytest.skip("no tracefs at /sys/kernel/tracing")


STATS = """
    def stats(n):
        for i in range(n):
            os.getppid()
    def sleeps(n):
        for i in range(n):
            time.sleep(0.001)
    stats(%d)
    sleeps(%d)
"""


def test_fields_and_stacks(tracer, tracefs, debian_python):
    """Each at the line that made it, with what the kernel says of it."""
    run = tracer.run(debian_python.argv(*script(STATS % (30, 20))), "-e",
                     "syscalls:sys_enter_getppid,sched:sched_switch")
    assert run.status == 0, run.stderr
    assert not run.losses()
    calls = hits(run, "syscalls:sys_enter_getppid", "stats")
    assert len(calls) == 30
    assert {r["stack"][0]["line"] for r in calls} == {5}
    assert all(r["fields"]["__syscall_nr"] == 110
               and not r["interrupt"] for r in calls)
    switches = hits(run, "sched:sched_switch", "sleeps")
    assert len(switches) >= 20
    for r in switches:
        assert r["fields"]["prev_pid"] == r["tid"]
        assert r["fields"]["prev_comm"] == r["thread"]
    assert not run.records("syscall") and not run.records("offcpu")


def test_text_behind_the_fields(tracer, tracefs, system_python):
    """The name of a program that is executed is as long as it is."""
    run = tracer.run(system_python.argv("-c", ""), "-e",
                     "sched:sched_process_exec,sched:sched_process_exit")
    names = [r["fields"]["filename"]
             for r in hits(run, "sched:sched_process_exec")]
    assert names == [system_python.file]
    assert len(hits(run, "sched:sched_process_exit")) == 1


@pytest.mark.parametrize("names", [
    ("syscalls:sys_enter_getppid", "sched:sched_switch",
     "kmem:mm_page_alloc"),
    ("page-faults", "context-switches", "cpu-migrations"),
], ids=["tracepoints", "counters"])
def test_as_many_as_perf_counts(tracer, tracefs, system_python, tmp_path,
                                names):
    """Within 0.1 % of the same processes, each event counted by both."""
    perf = shutil.which("perf")
    if not perf:
        pytest.skip("no perf")
    # blocked while both attach: nothing happens that one sees alone
    child = tracer.start(system_python.argv(*script("""
    import threading
    os.read(0, 1)
    """ + STATS % (30000, 1000) + """
    many = [threading.Thread(target=stats, args=(5000,)) for i in range(3)]
    [t.start() for t in many]
    [t.join() for t in many]
    held = [bytes(100000) for i in range(200)]
    """)), stdin=subprocess.PIPE)
    tracing.wait_for(lambda: "read" in Path("/proc/%d/wchan" % child.pid)
                     .read_text() or Path("/proc/%d/syscall" % child.pid)
                     .read_text().startswith("0 "), "it waits")
    attached = tracer.attach(child.pid, "-e", ",".join(names))
    counts = tmp_path / "perf"
    stat = tracer.start([perf, "stat", "-x", ",", "-o", counts, "-e",
                         ",".join(names), "-p", str(child.pid)])
    tracing.wait_for(lambda: stat.poll() is not None or
                     fds_of(stat.pid).count(b"perf_event") >= len(names),
                     "perf is at work")
    child.stdin.write(b"x")
    child.stdin.close()
    assert child.wait(tracing.LONG) == 0
    stat.wait(20)
    run = attached.wait()
    assert run.status == 0, run.stderr
    assert not run.losses()
    want = {}
    for line in counts.read_text().splitlines():
        part = line.split(",")
        if len(part) > 2 and part[2] in names:
            want[part[2]] = int(part[0])
    assert set(want) == set(names), counts.read_text()
    # perf lets go of a thread when it exits, and misses what comes then
    ends = {r["tid"]: r["t"] for r in run.records("exit")}
    for name in names:
        got = len([r for r in hits(run, name) + samples(run, name)
                   if r["t"] < ends.get(r["tid"], r["t"] + 1)])
        print(name, got, want[name])
        assert abs(got - want[name]) <= 1 + 0.001 * want[name], (got, want)


def fds_of(pid):
    try:
        return b" ".join(os.readlink(b"/proc/%d/fd/%s" % (pid, fd))
                         for fd in os.listdir(b"/proc/%d/fd" % pid))
    except OSError:
        return b""


def test_counters_of_the_kernel(tracer, debian_python):
    """Each fault at the line that touched, each switch where it slept."""
    run = tracer.run(debian_python.argv(*script("""
    import mmap
    def touch():
        m = mmap.mmap(-1, 4096 * 500)
        if hasattr(m, "madvise"):
            m.madvise(mmap.MADV_NOHUGEPAGE)
        for i in range(500):
            m[i * 4096] = 1
    def sleeps():
        for i in range(20):
            time.sleep(0.002)
    touch()
    sleeps()
    """)), "-e", "page-faults,cs,cpu")
    assert run.status == 0, run.stderr
    assert not run.losses()
    faults = samples(run, "page-faults", "touch")
    assert len([r for r in faults if r["stack"][0]["line"] == 9]) == 500
    assert all(r["count"] == 1 and r["dur"] is None for r in faults)
    assert 20 <= len(samples(run, "context-switches", "sleeps")) < 30
    named = {r["name"]: r for r in run.records("named")}
    assert named["page-faults"]["kind"] == "counter"
    assert named["page-faults"]["period"] == 1


def test_counters_of_the_processor(tracer, pytrace, system_python):
    """Where the machine has none, it is said, and what there is instead."""
    run = tracer.run(system_python.argv(*script("""
    def spin():
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            pass
    spin()
    """)), "-e", "cycles:199")
    if run.status == 125:
        assert "this machine does not count 'cycles'" in run.stderr
        assert "-e cpu" in run.stderr
        got = subprocess.run([pytrace, "trace", "-e", "cycles", "-d", "1",
                              "-p", str(os.getpid())], stderr=subprocess.PIPE)
        assert got.returncode == 7
        return
    assert run.status == 0, run.stderr
    got = samples(run, "cycles", "spin")
    assert len(got) >= 30
    assert all(r["count"] > 0 for r in got)


def test_recorded_and_read_elsewhere(tracer, pytrace, tracefs, system_python,
                                     tmp_path):
    """A recording has what its fields mean in it; text and back too."""
    rec, again = tmp_path / "a.ptr", tmp_path / "b.ptr"
    subprocess.run([pytrace, "record", "-q", "-o", rec, "-e",
                    "syscalls:sys_enter_getppid,faults", "--",
                    *system_python.argv(*script(STATS % (9, 1)))],
                   check=True, timeout=60)
    text = subprocess.run([pytrace, "dump", "-i", rec], check=True,
                          stdout=subprocess.PIPE).stdout
    (tmp_path / "a.ev").write_bytes(text)
    subprocess.run([pytrace, "dump", "--text", tmp_path / "a.ev", "-o",
                    again], check=True)
    shown = [subprocess.run([pytrace, "trace", "--json", "-i", f, *more],
                            check=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE).stdout
             for f in (rec, again)
             for more in ([], ["-e", "syscalls:sys_enter_getppid"])]
    assert shown[0] == shown[2] and shown[1] == shown[3]
    records = [json.loads(line) for line in shown[1].splitlines()]
    mine = [r for r in records if r["type"] == "tracepoint" and r["stack"]
            and r["stack"][0]["func"] == "stats"]
    assert len(mine) == 9
    assert all(r["fields"]["__syscall_nr"] == 110 for r in mine)
    assert not [r for r in records if r["type"] == "fault"]


def test_names_that_are_none(pytrace, tracefs):
    for word, says in (("sched:sched_wakin", "sched_waking"),
                       ("nonsense:x", "no category 'nonsense'"),
                       ("../sched:x", "no tracepoint")):
        got = subprocess.run([pytrace, "trace", "-e", word, "--", "/bin/true"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert got.returncode == 125
        assert says in got.stderr.decode(), got.stderr
    got = subprocess.run([pytrace, "trace", "-e", "sched:x", "-d", "1", "-p",
                          str(os.getpid())], stderr=subprocess.PIPE)
    assert got.returncode == 2


def test_without_tracefs(pytrace, may_trace, system_python):
    """Names from BTF, arguments without names; two of them at once."""
    folder = tempfile.mkdtemp(prefix="pytrace-least-")
    os.chown(folder, 65534, 65534)
    try:
        with tracing.Tracer(pytrace, folder, WAY) as one:
            run = one.run(system_python.argv(*script(STATS % (1, 30))), "-e",
                          "sched:sched_switch,sched:sched_process_exit")
            if "tells only one" in run.stderr:
                pytest.skip("raw tracepoints without cookies")
            assert run.status == 0, run.stderr
            got = hits(run, "sched:sched_switch", "sleeps")
            assert len(got) >= 30
            assert all(set(r["fields"]) == {"arg1", "arg2", "arg3", "arg4"}
                       and r["fields"]["arg2"] > 1 << 63 for r in got)
            assert len(hits(run, "sched:sched_process_exit")) == 1
            refused = one.run(["/bin/true"], "-e",
                              "syscalls:sys_enter_getppid")
            assert refused.status == 125
            assert "root only" in refused.stderr
    finally:
        shutil.rmtree(folder)


# ---- USDT probes ----------------------------------------------------------

TOLD = """
    import gc, json
    seen = {}
    def note(phase, info):
        if phase == "stop":
            seen[info["generation"]] = seen.get(info["generation"], 0) + 1
    def collects():
        for i in range(4):
            gc.collect()
        kept = []
        for i in range(20000):
            kept.append([kept])
        gc.collect(0)
    def imports():
        import wave
        try:
            import no_such_module_of_ours
        except ImportError:
            pass
    def audits():
        for i in range(5):
            sys.audit("ours.event", "secret", i)
    gc.callbacks.append(note)
    collects()
    gc.callbacks.clear()
    gc.disable()
    imports()
    audits()
    print(json.dumps(seen))
"""


def at(records, func):
    return [r for r in records if r["stack"]
            and func in [f["func"] for f in r["stack"]]]


LINES = """
import sys

class Closing:
    def __enter__(self):
        return self

    def __exit__(self, *what):
        return True

def helper(n):
    return [i for i in range(n)
            if i % 2]

def wanted(n):
    total = 0
    for i in range(n):
        if i % 2:
            continue
        total += sum(helper(i))
    while total > 3:
        total -= 3
    try:
        int("x")
    except ValueError:
        total = len(
            helper(
                4))
    finally:
        total += 1
    with Closing():
        total += 1
    return (total,
            n)

def gen(n):
    for i in range(n):
        got = yield i
    return got

def tell(frame, event, arg):
    if event == "line":
        SEEN.append((frame.f_code.co_name, frame.f_lineno))
    return tell

SEEN = []
if sys.argv[1:] == ["truth"]:
    sys.settrace(tell)
wanted(6)
list(gen(3))
sys.settrace(None)
for name, line in SEEN:
    print(name, line)
"""


def test_line(tracer, debian_python, tmp_path):
    """The lines of the functions that are asked for, in order, as Python itself
    tells them in another run; where its probe fires.

    Python tells a line once more when an exception leaves a `with` on its last
    line, for settrace() alone (3.9's exception_unwind in Python/ceval.c): so
    there is none here."""
    script = tmp_path / "lines.py"
    script.write_text(LINES)
    truth = subprocess.run(debian_python.argv(script, "truth"), check=True,
                           stdout=subprocess.PIPE, universal_newlines=True)
    truth = [(name, int(line)) for name, line in
             map(str.split, truth.stdout.splitlines())]
    options = ("-e", "line", "-F", "lines.py:wanted", "-F", "lines.py:gen")
    if debian_python.info[:2] > (3, 11):
        target = tracer.start(debian_python.argv("-c",
                                                 "import time; time.sleep(99)"))
        tracing.wait_for(lambda: b"time.sleep" in Path(
            "/proc/%d/cmdline" % target.pid).read_bytes() and "python" in
            os.readlink("/proc/%d/exe" % target.pid), "it runs")
        time.sleep(.3)
        run = tracer.attach(target.pid, *options, "-d", "60", wait=False).wait()
        assert run.status == 5, run.stderr
        assert "'line' needs a USDT probe that this CPython " in run.stderr
        return
    run = tracer.run(debian_python.argv(script), *options, "-d", "60")
    assert run.status == 0, run.stderr
    assert not run.losses()
    lines = run.records("line")
    assert len(truth) > 60
    assert [(r["func"], r["line"]) for r in lines] == \
        [t for t in truth if t[0] in ("wanted", "gen")]
    assert {r["file"] for r in lines} == {str(script)}
    assert all(r["stack"][0]["func"] == r["func"] for r in lines)


def test_gc_import_audit(tracer, debian_python):
    """What Python itself counts, at its line; each pause has a length."""
    run = tracer.run(debian_python.argv(*script(TOLD)), "-e",
                     "gc,import,audit")
    assert run.status == 0, run.stderr
    assert not run.losses()
    want = {int(k): v for k, v in json.loads(run.stdout).items()}
    got = {}
    for r in at(run.records("gc"), "collects"):
        assert r["dur"] > 0
        got[r["generation"]] = got.get(r["generation"], 0) + 1
    assert got == want
    found = {r["module"]: r for r in at(run.records("import"), "imports")}
    assert found["wave"]["found"] == 1 and found["wave"]["dur"] > 0
    assert found["no_such_module_of_ours"]["found"] == 0
    for r in found.values():
        outer = found["wave"]
        if r["found"] and r["module"] != "wave":
            assert outer["t"] < r["t"]
            assert r["t"] + r["dur"] <= outer["t"] + outer["dur"]
    audits = [r for r in run.records("audit") if r["event"] == "ours.event"]
    assert len(audits) == 5
    assert all(r["stack"][0]["func"] == "audits" for r in audits)
    assert not [r for r in run.records() if r["type"] != "meta"
                and "secret" in json.dumps(r)]


def test_usdt_by_name(tracer, debian_python):
    """The probes alone, with their arguments; a library's, too."""
    run = tracer.run(debian_python.argv(*script("""
    import gc, threading
    def collects():
        for i in range(7):
            gc.collect()
    gc.disable()
    collects()
    for i in range(3):
        t = threading.Thread(target=collects)
        t.start()
        t.join()
    """)), "-e", "usdt:python:gc__start,usdt:python:gc__done")
    assert run.status == 0, run.stderr
    starts = [r for r in at(run.records("tracepoint"), "collects")
              if r["name"] == "usdt:python:gc__start"]
    assert len(starts) == 28
    assert {r["fields"]["generation"] for r in starts} == {2}
    dones = [r for r in at(run.records("tracepoint"), "collects")
             if r["name"] == "usdt:python:gc__done"]
    assert len(dones) == 28


LIBRARY = """
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
unsigned short ours_hit_semaphore __attribute__((section(".probes")));
int go(int a, long b, unsigned char c)
{
    volatile short in_memory = -7;
    if (ours_hit_semaphore)
        STAP_PROBE5(ours, hit, a, b, c, in_memory, 12345);
    return ours_hit_semaphore;
}
"""


def test_usdt_of_a_library(tracer, system_python, tmp_path):
    """Arguments of every kind, of a probe that only runs while it is wanted."""
    (tmp_path / "ours.c").write_text(LIBRARY)
    built = subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o",
                            tmp_path / "ours.so", tmp_path / "ours.c"],
                           stderr=subprocess.PIPE)
    if built.returncode:
        pytest.skip("no gcc, or no sys/sdt.h (systemtap-sdt-dev)")
    child = tracer.start(system_python.argv(*script("""
    import ctypes
    lib = ctypes.CDLL(sys.argv[1])
    lib.go.argtypes = ctypes.c_int, ctypes.c_long, ctypes.c_ubyte
    def hits(times):
        return [lib.go(-5 - i, -(1 << 40), 250) for i in range(times)]
    assert hits(3) == [0] * 3
    os.read(0, 1)
    assert hits(6) == [1] * 6
    os.read(0, 1)
    assert hits(3) == [0] * 3
    """, tmp_path / "ours.so")), stdin=subprocess.PIPE)
    tracing.wait_for(lambda: "ours.so" in Path(
        "/proc/%d/maps" % child.pid).read_text(), "it is loaded")
    attached = tracer.attach(child.pid, "-e", "usdt:ours:hit")
    child.stdin.write(b"x")
    child.stdin.flush()
    time.sleep(0.5)
    run = attached.stop()
    assert run.status == 0, run.stderr
    child.stdin.write(b"x")
    child.stdin.close()
    assert child.wait(tracing.LONG) == 0
    got = [r["fields"] for r in at(run.records("tracepoint"), "hits")]
    assert got == [{"arg1": -5 - i, "arg2": -(1 << 40), "arg3": 250,
                    "arg4": -7, "arg5": 12345} for i in range(6)]


PLACES = """
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
static unsigned short our_own_semaphore
    __attribute__((section(".probes"), used));
#if NR == 0
#define PROBE() STAP_PROBE(our, own)
#elif NR == 1
#define PROBE() STAP_PROBE1(our, own, n)
#else
#define PROBE() STAP_PROBE3(our, own, n, (unsigned char)200, 1L << 40)
#endif
#define NAME_(nr) loop##nr
#define NAME(nr) NAME_(nr)
void NAME(NR)(int n)
{
    while (n--)
        if (*(volatile unsigned short *)&our_own_semaphore)
            PROBE();
}
"""


def test_usdt_of_many_places(tracer, system_python, tmp_path):
    """One name, three places: each has its own semaphore, which are all raised,
    and its own arguments; those that it has not are not known, never 0."""
    (tmp_path / "places.c").write_text(PLACES)
    for nr in range(3):
        built = subprocess.run(
            ["gcc", "-O1", "-fPIC", "-c", "-DNR=%d" % nr, "-o",
             tmp_path / ("%d.o" % nr), tmp_path / "places.c"],
            stderr=subprocess.PIPE)
        if built.returncode:
            pytest.skip("no gcc, or no sys/sdt.h (systemtap-sdt-dev)")
    subprocess.run(["gcc", "-shared", "-o", tmp_path / "places.so"] +
                   [tmp_path / ("%d.o" % nr) for nr in range(3)], check=True)
    child = tracer.start(system_python.argv(*script("""
    import ctypes
    lib = ctypes.CDLL(sys.argv[1])
    os.read(0, 1)
    lib.loop0(3), lib.loop1(4), lib.loop2(2)
    """, tmp_path / "places.so")), stdin=subprocess.PIPE)
    tracing.wait_for(lambda: "places.so" in Path(
        "/proc/%d/maps" % child.pid).read_text(), "it is loaded")
    attached = tracer.attach(child.pid, "-e", "usdt:our:own")
    child.stdin.write(b"x")
    child.stdin.close()
    run = attached.wait()
    assert run.status == 0, run.stderr
    none = {"arg1": None, "arg2": None, "arg3": None}
    assert [r["fields"] for r in run.records("tracepoint")] == \
        [none] * 3 + [{**none, "arg1": n} for n in (3, 2, 1, 0)] + \
        [{"arg1": n, "arg2": 200, "arg3": 1 << 40} for n in (1, 0)]


def test_usdt_that_is_not_there(tracer, pytrace, source_python):
    """A build without probes is told so, and what would have them."""
    run = tracer.run(source_python.argv("-c", "pass"), "-e", "gc")
    assert run.status == 125
    assert "does not have" in run.stderr and "--with-dtrace" in run.stderr


def semaphores(pytrace, python, pid):
    """Those of the audit and gc probes, in the memory of process PID."""
    out = subprocess.run([pytrace, "probes", "-p", str(pid), "--json"],
                         check=True, stdout=subprocess.PIPE).stdout
    rows = [json.loads(line) for line in out.splitlines()]
    bias = [r["bias"] for r in rows if r["type"] == "interpreter"][0]
    at = {r["semaphore"] + bias for r in rows if r["type"] == "probe"
          and r["name"] in ("audit", "gc__start", "gc__done")}
    assert len(at) == 3
    with open("/proc/%d/mem" % pid, "rb") as mem:
        got = []
        for addr in sorted(at):
            mem.seek(addr)
            got.append(int.from_bytes(mem.read(2), "little"))
    return got


@pytest.mark.parametrize("follow", [[], ["-f"]], ids=["alone", "follow"])
def test_nothing_stays_after_a_kill(tracer, pytrace, debian_python, follow):
    """Semaphores and breakpoints are the kernel's: gone with the tracer."""
    child = tracer.start(debian_python.argv(*script("""
    import gc, signal
    pid = os.fork()
    if not pid:
        while os.getppid() != 1:
            time.sleep(0.05)
        os._exit(0)
    print(pid, flush=True)
    while True:
        time.sleep(0.01)
        gc.collect()
        if not os.fork():
            time.sleep(0.2)
            os._exit(0)
    """)), stdout=subprocess.PIPE)
    other = int(child.stdout.readline())
    assert semaphores(pytrace, debian_python, child.pid) == [0, 0, 0]
    attached = tracer.attach(child.pid, "-e", "gc,audit", *follow)
    # as many as the probe has places
    assert all(semaphores(pytrace, debian_python, child.pid))
    attached.child.kill()
    attached.child.wait(20)
    for pid in (child.pid, other):
        tracing.wait_for(lambda: semaphores(pytrace, debian_python, pid) ==
                         [0, 0, 0], lambda: "%d: %s" % (pid, semaphores(
                             pytrace, debian_python, pid)), 5)
        tracing.wait_for(lambda: not tracing.text_differs(pid),
                         lambda: tracing.text_differs(pid), 5)
    child.kill()


COUNTED = """
import mmap, time
def touch():
    m = mmap.mmap(-1, 4096 * 500)
    if hasattr(m, "madvise"):
        m.madvise(mmap.MADV_NOHUGEPAGE)
    for i in range(500):
        m[i * 4096] = 1
def spin():
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        pass
def sleeps():
    for i in range(20):
        time.sleep(0.002)
touch()
sleeps()
spin()
"""


def by_line(run):
    return {(r["key"]["func"], r["key"]["line"]): r
            for r in run.records("row") if r["key"]}


def test_view_of_a_counter(tracer, debian_python):
    """cpu -e COUNTER: on which lines the events of a counter were."""
    argv = debian_python.argv(*script(COUNTED))

    run = tracer.run(argv, "--by", "line", "-e", "minor-faults",
                     view="cpu")
    assert run.status == 0, run.stderr
    row = by_line(run)["touch", 9]
    assert (row["count"], row["events"], row["estimate"]) == (500, 500, [])
    run = tracer.run(argv, "--by", "line", "-e", "page-faults/10",
                     view="cpu")
    row = by_line(run)["touch", 9]
    assert 45 <= row["count"] <= 51 and row["events"] == row["count"] * 10
    assert "events" in row["estimate"]
    run = tracer.run(argv, "--by", "line", "-e", "context-switches",
                     view="cpu")
    row = by_line(run)["sleeps", 16]
    # a sleep may be over before the thread has left its CPU
    assert 18 <= row["events"] < 30
    run = tracer.run(argv, "--by", "func", "-e", "cpu-clock:499",
                     view="cpu")
    spun = [r for r in run.records("row")
            if r["key"] and r["key"]["func"] == "spin"]
    assert 1e8 < sum(r["events"] for r in spun) < 6e8
    assert sum(r["events"] for r in run.records("row")) == \
        run.records("total")[0]["events"]
