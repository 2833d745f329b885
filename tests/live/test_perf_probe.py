# SPDX-License-Identifier: MIT
"""pytrace-perf-probe: perf records every call once, and nothing is left.

The interpreter is a copy where that runs, so that other tracers of this
machine, which may be at work on the real one, are not met.
"""
import ctypes
import os
import re
import shutil
import signal
import struct
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

import targets
from found import TOP, unless_ci
from tracing import wait_for

TRACING = Path("/sys/kernel/tracing")
EVENTS = TRACING / "uprobe_events"
HELPER = TOP / "scripts/pytrace-perf-probe"
LINKS = Path("/run/pytrace-perf-probe")

PROGRAM = """\
import gc

def leaf(n):
    return n

def mi\u00df(n):
    return leaf(n) + leaf(n + 1)

def outer():
    total = 0
    for i in range(100):
        total += mi\u00df(i)
    return total

class Shop:
    def visit(self, depth):
        return self.visit(depth - 1) if depth else outer()

gc.disable()
gc.collect()
Shop().visit(5)
gc.collect(1)
"""
LINES = {"leaf": 3, "mi\u00df": 6, "outer": 9, "Shop": 15, "visit": 16}


def expected():
    """(entries, returns) of the program's functions, in order."""
    entries, returns = ["Shop"] + ["visit"] * 6 + ["outer"], ["Shop"]
    for _ in range(100):
        entries += ["mi\u00df", "leaf", "leaf"]
        returns += ["leaf", "leaf", "mi\u00df"]
    return entries, returns + ["outer"] + ["visit"] * 6


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / "prog.py"
    path.write_text(PROGRAM)
    return path


class Helper:
    def __init__(self, pytrace, home):
        self.env = dict(os.environ, PYTRACE=pytrace, HOME=str(home))

    def start(self, *args, **more):
        return subprocess.Popen([str(a) for a in (HELPER, *args)], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=dict(self.env, **more.pop("env", {})),
                                **more)

    def run(self, *args, **more):
        child = self.start(*args, **more)
        out, err = child.communicate(timeout=60)
        return subprocess.CompletedProcess(args, child.returncode, out, err)

    def ok(self, *args, **more):
        ran = self.run(*args, **more)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def perf(self, *args, **more):
        ran = subprocess.run(["perf", *map(str, args)], env=self.env,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             timeout=120, check=False, **more)
        assert ran.returncode == 0, ran.stderr.decode()
        return ran.stdout.decode(errors="replace")


@pytest.fixture
def helper(pytrace, may_trace, tool, tmp_path):
    """Runs it; uprobe_events must be byte for byte as before at the end."""
    tool("perf", "linux-perf")
    if not EVENTS.exists():
        pytest.skip("no tracefs with uprobe_events")
    before = EVENTS.read_bytes()
    home = tmp_path / "home"
    home.mkdir()
    one = Helper(pytrace, home)
    yield one
    left = EVENTS.read_bytes()
    if left != before:
        one.run("--del")
    assert left == before
    assert not LINKS.exists()


@pytest.fixture
def copy(system_python, tmp_path):
    """A copy of the system's interpreter, a file that nobody else has."""
    path = tmp_path / "python"
    shutil.copy(os.path.realpath(system_python.file), path)
    return path


def text():
    return EVENTS.read_text()


def write(line):
    # open(..., "a") would seek, which tracefs does not like
    fd = os.open(EVENTS, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(fd, line.encode() + b"\n")
    finally:
        os.close(fd)


@contextmanager
def others(*lines):
    """Events of somebody else."""
    made = []
    try:
        for line in lines:
            write(line)
            made.append(line)
        yield
    finally:
        for line in made:
            write("-" + line[1:])


def lines_of(helper, *args):
    said = helper.ok("--add", "--dry-run", *args)
    return [line for line in said.splitlines() if line.startswith("p:")]


def place(line):
    """(offset, semaphore) of a line."""
    found = re.search(r":0x([0-9a-f]+)\(0x([0-9a-f]+)\)", line)
    return int(found[1], 16), int(found[2], 16)


def events_of(script):
    """(pid, event, fields) of each event of the group, as perf has printed it."""
    return [(int(m[1]), m[2], dict(re.findall(r'(\w+)=("[^"]*"|-?\d+)', m[3])))
            for m in re.finditer(r"^.*?\s(\d+)\s+\[\d+\].*? sdt_python:(\w+): "
                                 r"\([0-9a-f]+\) ?(.*)$", script, re.M)]


def record(helper, folder, *words):
    data = folder / "perf.data"
    helper.perf("record", "-q", "-o", data, *words)
    return helper.perf("script", "-i", data)


def functions(events, name, program):
    """Names of what was called, in order; each with its line."""
    mine = [f for _, event, f in events if event == name
            and f.get("filename") == '"%s"' % program
            and f["function"] != '"<module>"']
    names = [f["function"].strip('"') for f in mine]
    if name == "function__entry":
        # 3.15 has no line yet when the body of a class begins
        first = {(n, int(f["line"])) for n, f in zip(names, mine)} \
            - {("Shop", -1)}
        assert first == {(n, LINES[n]) for n in set(names) - {"Shop"}} \
            | first & {("Shop", LINES["Shop"])}
    return names


@pytest.fixture
def debians(interpreters):
    """debians("3.9"): that interpreter of a Debian."""
    def find(minor):
        found = [i for i in interpreters
                 if i.minor == minor and i.origin != "source"]
        if not found:
            unless_ci("no Debian's python%s: run scripts/interpreters" % minor)
        return found[0]
    return find


def check_calls(events, program, minor):
    entries, returns = expected()
    assert functions(events, "function__return", program) == returns
    # 3.11 has a place for it where no call passes
    assert functions(events, "function__entry", program) == (
        [] if minor == "3.11" else entries)


@pytest.mark.parametrize("minor", ["3.9", "3.11", "3.15"])
def test_every_call_once_with_its_name(helper, debians, program, tmp_path,
                                       minor):
    debian_python = debians(minor)
    said = helper.ok("--add", debian_python.file)
    if minor == "3.11":
        assert "does not fire on calls" in said
    try:
        script = record(helper, tmp_path, "-e", "sdt_python:*", "--",
                        *debian_python.argv(program))
    finally:
        helper.ok("--del", debian_python.file)
    events = events_of(script)
    check_calls(events, program, minor)
    starts = [f["generation"] for _, e, f in events if e == "gc__start"]
    assert ("2", "1") in zip(starts, starts[1:])     # gc.collect()
    assert all(int(f["collected"]) >= 0 for _, e, f in events
               if e == "gc__done")
    assert sum(1 for _, e, _ in events if e == "gc__done") == len(starts)
    assert '"compile"' in [f["event"] for _, e, f in events if e == "audit"]
    began = [f["module"] for _, e, f in events
             if e == "import__find__load__start"]
    done = [f["module"] for _, e, f in events if e == "import__find__load__done"
            and f["found"] == "1"]
    assert set(done) <= set(began) and '"site"' in done


@pytest.mark.parametrize("minor", ["3.13", "3.14"])
def test_gc_import_and_audit_where_there_is_no_more(helper, debians, program,
                                                    tmp_path, minor):
    debian_python = debians(minor)
    said = helper.ok("--add", debian_python.file)
    assert "function__" not in said
    try:
        script = record(helper, tmp_path, "-e", "sdt_python:*", "--",
                        *debian_python.argv(program))
    finally:
        helper.ok("--del", debian_python.file)
    events = events_of(script)
    starts = [f["generation"] for _, e, f in events if e == "gc__start"]
    assert ("2", "1") in zip(starts, starts[1:])     # gc.collect()
    assert '"compile"' in [f["event"] for _, e, f in events if e == "audit"]
    assert any(e == "import__find__load__done" for _, e, _ in events)
    ran = helper.run("--add", "-e", "function__*", debian_python.file)
    assert ran.returncode == 5 and "audit gc__done" in ran.stderr


def test_a_build_without_probes(helper, source_python):
    ran = helper.run("--add", source_python.file)
    assert ran.returncode == 5 and "--with-dtrace" in ran.stderr


def test_two_interpreters_at_once(helper, debians, copy, program, tmp_path):
    """One event, places in two files; of one file they are taken away alone."""
    other = debians("3.9")
    own = lines_of(helper, "-e", "function__*", copy)
    helper.ok("--add", "-e", "function__*", copy, other.file)
    both = text()
    try:
        second = tmp_path / "second.py"
        second.write_text(PROGRAM)
        script = record(helper, tmp_path, "-e", "sdt_python:*", "--", "sh",
                        "-c", '"$0" "$1"; shift; exec "$@"', copy, program,
                        *other.argv(second))
        helper.ok("--del", other.file)
        assert [line for line in text().splitlines() if line in own] == own
        assert "python3.9" not in text()
    finally:
        helper.ok("--del", copy)
    assert both.count("p:sdt_python/function__return ") == 2
    events = events_of(script)
    check_calls(events, program, "3.11")
    check_calls(events, second, "3.9")


def test_of_a_process(helper, copy, program, tmp_path):
    """-p PID and the file are the same thing, by whatever name."""
    code = "import sys; print('ready', flush=True); sys.stdin.readline(); " \
           "exec(compile(open(%r).read(), %r, 'exec')); " \
           "print('done', flush=True); sys.stdin.read()" % (
               str(program), str(program))
    up, stop = tmp_path / "up", tmp_path / "stop"
    with targets.running([copy, "-c", code]) as child:
        said = helper.ok("--add", "-p", child.pid)
        assert "-p %d" % child.pid in said
        registered = text()
        link, hard = tmp_path / "link", tmp_path / "hard"
        link.symlink_to(copy)
        os.link(copy, hard)
        helper.ok("--add", copy, link, hard)
        assert text() == registered
        data = tmp_path / "perf.data"
        # what it runs beside says when it records
        with subprocess.Popen(
                ["perf", "record", "-q", "-o", str(data), "-e",
                 "sdt_python:function__*", "-p", str(child.pid), "--", "sh",
                 "-c", "touch %s; until [ -e %s ]; do sleep 0.05; done" % (
                     up, stop)], env=helper.env) as perf:
            wait_for(up.exists, "perf records")
            assert semaphores(child.pid, copy, registered) == 1
            child.stdin.write(b"\n")
            child.stdin.flush()
            assert child.stdout.readline() == b"done\n"
            stop.touch()
            assert perf.wait(30) == 0
        wait_for(lambda: not semaphores(child.pid, copy, registered),
                 "the kernel has taken the semaphores back")
        helper.ok("--del", "-p", child.pid)
    check_calls(events_of(helper.perf("script", "-i", data)), program, "3.11")


def semaphores(pid, file, registered):
    """The sum of those of function__return in the memory of a process."""
    total = 0
    for line in registered.splitlines():
        if not line.startswith("p:sdt_python/function__return "):
            continue
        at = place(line)[1]
        for one in Path("/proc/%d/maps" % pid).read_text().splitlines():
            where, rights, offset, _, _, *name = one.split(None, 5)
            start, end = (int(n, 16) for n in where.split("-"))
            first = int(offset, 16)
            if name == [str(file)] and "w" in rights and \
                    first <= at < first + end - start:
                with open("/proc/%d/mem" % pid, "rb") as mem:
                    mem.seek(start + at - first)
                    total += struct.unpack("<H", mem.read(2))[0]
    return total


def test_a_process_with_a_root_of_its_own(helper, debians, program, tmp_path):
    debian_python = debians("3.9")
    with targets.running(debian_python.argv("-c", targets.WAIT)) as child:
        helper.ok("--add", "-p", child.pid)
        assert text().count(" " + debian_python.file + ":0x") >= 7
        script = record(helper, tmp_path, "-e", "sdt_python:*", "--",
                        *debian_python.argv(program))
        helper.ok("--del", "-p", child.pid)
    check_calls(events_of(script), program, "3.9")


def test_a_process_in_another_mount_namespace(helper, system_python, program,
                                              tmp_path):
    """Its file is not there for us but by /proc/PID/root."""
    inside = tmp_path / "inside"
    inside.mkdir()

    def enter():
        targets.own_mounts()
        targets.mount("none", inside, "tmpfs")
        shutil.copy(os.path.realpath(system_python.file), inside / "python")
    with targets.running([inside / "python", "-c", targets.WAIT],
                         preexec_fn=enter) as child:
        assert not (inside / "python").exists()
        name = "/proc/%d/root%s/python" % (child.pid, inside)
        before = text()
        ran = helper.run("--add", "--buildid-cache", "-p", child.pid)
        assert ran.returncode == 1 and "perf lists no file" in ran.stderr
        assert text() == before
        helper.ok("--add", "-p", child.pid)
        assert " %s:0x" % name in text()
        said = helper.ok("--add", "--dry-run", "-p", child.pid)
        assert "perf probe --target-ns %d -x %s/python " % (
            child.pid, inside) in said
        script = record(helper, tmp_path, "-e", "sdt_python:*", "--",
                        "nsenter", "-m", "-t", child.pid, inside / "python",
                        program)
    # it is gone, and so is that path
    helper.ok("--del")
    check_calls(events_of(script), program, "3.11")


def test_a_file_that_is_gone(helper, copy, program):
    """Upgraded while the process runs: by the link in /proc."""
    with targets.running([copy, "-c", targets.WAIT]) as child:
        os.rename(copy, str(copy) + ".old")
        os.unlink(str(copy) + ".old")
        helper.ok("--add", "-e", "gc__*", "-p", child.pid)
        assert " /proc/%d/exe:0x" % child.pid in text()
        helper.ok("--del", "-p", child.pid)


@pytest.mark.parametrize("name", ["a blank", "t\u00e0b\t#1", "back\\slash"])
def test_odd_paths(helper, copy, program, tmp_path, name):
    """A link stands in the line, and goes with it."""
    odd = tmp_path / name / "py thon"
    odd.parent.mkdir()
    os.rename(copy, odd)
    helper.ok("--add", "--buildid-cache", odd)
    link, = LINKS.iterdir()
    assert os.readlink(link) == str(odd)
    assert " %s:0x" % link in text()
    assert "py thon" in helper.ok("--list")
    script = record(helper, tmp_path, "-e", "sdt_python:*", "--", odd, program)
    assert "sdt_python:gc__done" in helper.perf("list", "sdt")
    helper.ok("--del", "--buildid-cache", odd)
    assert "sdt_python:gc__done" not in helper.perf("list", "sdt")
    check_calls(events_of(script), program, "3.11")


def test_perf_list_sdt(helper, copy):
    assert "sdt_python" not in helper.perf("list", "sdt")
    helper.ok("--add", "--buildid-cache", copy)
    listed = set(re.findall(r"sdt_python:(\w+) +\[SDT event\]",
                            helper.perf("list", "sdt")))
    assert listed >= {"function__return", "gc__start", "audit"}
    helper.ok("--del", copy)
    assert "sdt_python" in helper.perf("list", "sdt")
    helper.ok("--del", "--buildid-cache", copy)
    assert "sdt_python" not in helper.perf("list", "sdt")


def test_perfs_own_commands(helper, copy):
    """What --dry-run prints of perf works, and means the same places."""
    said = helper.ok("--add", "--dry-run", copy)
    own = {re.match("p:(\\S+)", line)[1]: place(line)
           for line in said.splitlines() if line.startswith("p:")}
    before = text()
    for line in said.splitlines():
        if line.startswith("#   perf "):
            helper.perf(*line.split()[2:])
    try:
        made = [line for line in text().splitlines()
                if line not in before.splitlines()]
        assert {re.match("p:(\\S+)", line)[1]: place(line)
                for line in made} == own
        assert all(" arg1=" in line for line in made)
        # they are perf's: refused beside them, and not ours to take away
        full = text()
        ran = helper.run("--add", copy)
        assert ran.returncode == 13 and "perf probe -d" in ran.stderr
        assert helper.ok("--del") == "0 taken away\n"
        assert text() == full
    finally:
        helper.perf("probe", "-q", "-d", "sdt_python:*")


def test_others_are_left_alone(helper, copy):
    own = lines_of(helper, copy)
    at = [place(line)[0] for line in own]
    with others("p:pt_other/x %s:0x%016x" % (copy, at[0] + 1),
                "p:sdt_python/mine %s:0x%016x" % (copy, at[1] + 1),
                "p:sdt_python/line %s:0x%016x arg1=%%ax:u64" % (copy, at[2] + 1)):
        before = text()
        helper.ok("--add", copy)
        assert text() == before + "".join(line + "\n" for line in own)
        listed = helper.ok("--list")
        assert listed.count(" another tool's ") == 2
        helper.ok("--del")
        assert text() == before


def test_a_failure_in_the_middle(helper, copy):
    """The name of a later event is taken: none of them stays."""
    with others("p:sdt_python/gc__start %s:0x0000000000001000 arg1=%%ax:u64" % copy):
        before = text()
        ran = helper.run("--add", "--buildid-cache", copy)
        assert ran.returncode == 13
        assert "another event of that name" in ran.stderr
        assert " arg1=%ax:u64" in ran.stderr
        assert text() == before
        assert "sdt_python" not in helper.perf("list", "sdt")
        # what was there before stays
        helper.ok("--add", "-e", "audit", copy)
        some = text()
        assert helper.run("--add", copy).returncode == 13
        assert text() == some
        helper.ok("--del", copy)


def test_a_uprobe_with_another_semaphore(helper, copy):
    line = [line for line in lines_of(helper, copy) if "/gc__start " in line][0]
    with others("p:pt_other/blind %s:0x%016x" % (copy, place(line)[0])):
        before = text()
        ran = helper.run("--add", copy)
        assert ran.returncode == 13
        assert "p:pt_other/blind %s:0x%016x" % (copy, place(line)[0]) \
            in ran.stderr
        assert text() == before
        helper.ok("--add", "-e", "gc__done,audit", copy)
        helper.ok("--del", copy)


@contextmanager
def uprobe(path, offset):
    """One without a semaphore, of perf_event_open(), which is in no file."""
    kind = int(Path("/sys/bus/event_source/devices/uprobe/type").read_text())
    name = ctypes.create_string_buffer(os.fsencode(path))
    attr = ctypes.create_string_buffer(128)
    struct.pack_into("<II", attr, 0, kind, 128)
    struct.pack_into("<QQ", attr, 56, ctypes.addressof(name), offset)
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(298, attr, -1, 0, -1, 8)
    assert fd >= 0, os.strerror(ctypes.get_errno())
    try:
        yield
    finally:
        os.close(fd)


def test_a_uprobe_that_no_file_names(helper, copy):
    line = [line for line in lines_of(helper, copy) if "/gc__done " in line][0]
    before = text()
    with uprobe(copy, place(line)[0]):
        ran = helper.run("--add", copy)
        assert ran.returncode == 13
        assert "cannot enable sdt_python:gc__done" in ran.stderr
        assert text() == before
        helper.ok("--add", "-e", "gc__start", copy)
        helper.ok("--del", copy)
    helper.ok("--add", copy)
    helper.ok("--del", copy)


def instance(name):
    folder = TRACING / "instances" / name
    folder.mkdir()
    return folder


def test_without_perf_and_in_use(helper, copy, program, tmp_path):
    """By tracefs alone; what is in use stays, and says so."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for one in ("awk cat cut dirname grep head ln mkdir readlink rm rmdir sed "
                "sleep sort stat tr uniq").split():
        (tools / one).symlink_to(shutil.which(one))
    path = {"PATH": str(tools)}
    said = helper.ok("--add", "-e", "function__*", copy, env=path)
    assert "echo 1 >%s/events/sdt_python/enable" % TRACING in said
    # an instance is not met by whoever else traces here
    folder = instance("pt_perf_probe")
    try:
        enable = folder / "events/sdt_python/function__return/enable"
        enable.write_text("1")
        subprocess.run([copy, program], check=True)
        ran = helper.run("--del", copy, env=path)
        assert ran.returncode == 13
        assert "still there: sdt_python:function__return" in ran.stderr
        assert "function__entry" not in text()
        enable.write_text("0")
        trace = (folder / "trace").read_text()
    finally:
        os.rmdir(folder)
    helper.ok("--del", copy, env=path)
    names = re.findall(r'function__return: \(.*\) filename="%s" '
                       r'function="([^<"]*)"' % program, trace)
    assert names == expected()[1]


@pytest.mark.parametrize("sig, group", [
    (signal.SIGINT, True), (signal.SIGINT, False), (signal.SIGTERM, False),
    (signal.SIGHUP, True)], ids=str)
def test_interrupted_in_the_middle(helper, copy, tmp_path, sig, group):
    """As by Ctrl-C: all that was added is taken back."""
    slow = tmp_path / "slow"
    slow.mkdir()
    (slow / "cat").write_text("#!/bin/sh\nsleep 0.2\nexec %s \"$@\"\n"
                              % shutil.which("cat"))
    (slow / "cat").chmod(0o755)
    before = text()
    child = helper.start("--add", copy, start_new_session=True, env={
        "PATH": "%s:%s" % (slow, os.environ["PATH"])})
    wait_for(lambda: text().count(" %s:0x" % copy) >= 2, "two were added")
    (os.killpg if group else os.kill)(child.pid, sig)
    _, err = child.communicate(timeout=30)
    assert child.returncode == 128 + sig, err
    assert text() == before


def test_killed_in_the_middle(helper, copy):
    """Nobody can take it back then; --del does."""
    before = text()
    child = helper.start("--add", copy)
    wait_for(lambda: text() != before, "one was added")
    child.kill()
    child.communicate()
    helper.ok("--del")
    assert text() == before


def test_with_sched_and_system_calls(helper, copy, program, tmp_path):
    """The events of the kernel lie between those of the calls."""
    sleeper = tmp_path / "sleeper.py"
    sleeper.write_text("import time\ndef nap():\n    time.sleep(0.01)\n"
                       "for i in range(20):\n    nap()\n")
    helper.ok("--add", "-e", "function__*", copy)
    try:
        script = record(helper, tmp_path, "-e", "sdt_python:*", "-e",
                        "sched:sched_switch", "-e", "raw_syscalls:*", "--",
                        copy, sleeper)
    finally:
        helper.ok("--del", copy)
    naps = [m.start() for m in re.finditer('function="nap"', script)]
    assert len(naps) == 20
    for a, b in zip(naps, naps[1:]):
        between = script[a:b]
        assert "NR 230 " in between             # clock_nanosleep
        assert "sched:sched_switch" in between
