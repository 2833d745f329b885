# SPDX-License-Identifier: MIT
"""Which processes and threads are traced, and that it is these alone."""
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
import targets
import tracing

pytestmark = pytest.mark.usefixtures("may_trace")

# Two threads of known names, which the interpreter does not set before 3.14.
NAMED = r"""
import ctypes, threading, time
prctl = ctypes.CDLL(None).prctl
def named(name):
    prctl(15, name, 0, 0, 0)
    said.release()
    while True:
        time.sleep(.02)
said = threading.Semaphore(0)
for name in b"worker-1", b"worker-2", b"other":
    threading.Thread(target=named, args=(name,), daemon=True).start()
for _ in range(3):
    said.acquire()
"""


def tids(pid):
    """Thread ids of a process by their names."""
    out = {}
    for path in (tracing.Path("/proc") / str(pid) / "task").iterdir():
        out[(path / "comm").read_text().strip()] = int(path.name)
    return out


def report(pytrace, *args):
    """(exit code, the records of --json, stderr)"""
    ran = targets.run(pytrace, *args, "--json")
    return ran.returncode, targets.records(ran.stdout), ran.stderr.decode()


def account(records):
    one, = (r for r in records if r["type"] == "account")
    assert one["thread_ns"] == (one["idle_ns"] + one["unseen_ns"] +
                                one["busy_ns"]), one
    assert one["busy_ns"] == sum(one["busy"].values()), one
    return one


@pytest.fixture
def named(system_python):
    with targets.running(system_python.argv("-c", NAMED + targets.WAIT)) as c:
        yield c.pid, tids(c.pid)


# ---- threads


@pytest.mark.parametrize("view", [[], ["cpu"], ["offcpu"], ["syscalls"]])
def test_threads_in_views(pytrace, named, view):
    """The account closes over the threads that are asked for."""
    pid, by_name = named
    for choice, nr in [(["-t", by_name["worker-1"]], 1),
                       (["--thread", "worker-*"], 2),
                       (["--thread", "worker-*", "-t", "%d,%d" % (
                           by_name["worker-2"], by_name["other"])], 1)]:
        code, records, said = report(pytrace, *view, "-p", pid, "-d", "0.5",
                                     *choice)
        assert code == 0, said
        if view:
            continue
        one = account(records)
        assert one["threads"] == nr
        lasted = one["until"] - one["t"]
        assert one["thread_ns"] == pytest.approx(nr * lasted, rel=.02)
        rows = [r for r in records if r["type"] == "row"]
        assert sum(r["ns"] for r in rows) <= one["thread_ns"]


def test_rows_are_of_the_chosen_threads(pytrace, named):
    pid, by_name = named
    code, records, said = report(pytrace, "syscalls", "--by", "thread", "-p",
                                 pid, "-d", "0.5", "--thread", "worker-?")
    assert code == 0, said
    rows = [r for r in records if r["type"] == "row"]
    assert {r["key"]["tid"] for r in rows} == {by_name["worker-1"],
                                               by_name["worker-2"]}


def test_a_thread_is_a_target(pytrace, named):
    """-t alone: the process of the thread, and nothing of the others."""
    pid, by_name = named
    ran = targets.run(pytrace, "trace", "-t", by_name["other"], "-d", "0.5",
                      "--json")
    assert ran.returncode == 0, ran.stderr
    calls = [r for r in targets.records(ran.stdout) if r["type"] == "syscall"]
    assert calls and {c["tid"] for c in calls} == {by_name["other"]}
    assert {c["pid"] for c in calls} == {pid}


def test_no_such_thread(pytrace, named):
    pid, _ = named
    ran = targets.run(pytrace, "-p", pid, "-d", "0.3", "--thread", "nobody")
    assert ran.returncode == 11
    assert b"none of the 4 threads" in ran.stderr
    assert b"is called 'worker-1'" in ran.stderr
    for more in ["-p", pid], []:
        ran = targets.run(pytrace, "-t", "4194303", "-d", "1", *more)
        assert ran.returncode == 3
        assert b"there is no thread 4194303" in ran.stderr
    ran = targets.run(pytrace, "-t", "1", "-p", pid, "-d", "1")
    assert ran.returncode == 3
    assert b"thread 1 is of process 1, which is not traced" in ran.stderr


# ---- processes that somebody holds


TICKS = "import os, threading, time\n" \
        "def ticks():\n" \
        "    while True:\n" \
        "        os.stat('/tick'[:1])\n" \
        "        time.sleep(.01)\n" \
        "threading.Thread(target=ticks, daemon=True).start()\n"


@pytest.fixture
def ticking(system_python):
    with targets.running(system_python.argv("-c", TICKS + targets.WAIT)) as c:
        yield c.pid


def test_stopped(pytrace, ticking):
    """It is said at once, and again when nothing came."""
    os.kill(ticking, signal.SIGSTOP)
    try:
        tracing.wait_for(lambda: "T (stopped)" in (
            tracing.Path("/proc/%d/status" % ticking).read_text()), "a stop")
        ran = targets.run(pytrace, "trace", "-p", ticking, "-d", "0.3")
        view = targets.run(pytrace, "-p", ticking, "-d", "0.3")
    finally:
        os.kill(ticking, signal.SIGCONT)
    assert ran.returncode == 11
    assert ran.stderr.count(b"process %d is stopped (state T)" % ticking) == 2
    assert view.returncode == 0
    assert b"note: process %d is stopped" % ticking in view.stderr


def stats(pytrace, pid):
    ran = targets.run(pytrace, "trace", "-p", pid, "-d", "0.6", "--json")
    assert ran.returncode == 0, ran.stderr
    return [r for r in targets.records(ran.stdout)
            if r["type"] == "syscall" and r["name"] == "newfstatat" or
            r["type"] == "syscall" and r["name"] == "stat"]


def tracer_of(pid):
    for line in open("/proc/%d/status" % pid):
        if line.startswith("TracerPid:"):
            return int(line.split()[1])


def test_under_strace(pytrace, tool, ticking, tmp_path):
    """Another tool holds it by ptrace: calls and lines are as ever."""
    other = subprocess.Popen([tool("strace"), "-f", "-o", tmp_path / "out",
                              "-p", str(ticking)], stderr=subprocess.DEVNULL)
    try:
        tracing.wait_for(lambda: tracer_of(ticking), "strace is attached")
        calls = stats(pytrace, ticking)
        assert len(calls) > 20
        assert all(c["stack"][0]["func"] == "ticks" for c in calls)
        assert all(c["stack"][0]["line"] == 4 for c in calls)
    finally:
        other.terminate()
        other.wait(20)


def test_under_gdb(pytrace, tool, ticking):
    """Held at its prompt it is said to be; let go on it is traced."""
    other = subprocess.Popen([tool("gdb"), "-nx", "-q", "-p", str(ticking)],
                             stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    try:
        tracing.wait_for(lambda: tracer_of(ticking) == other.pid and
                         "t (tracing stop)" in tracing.Path(
                             "/proc/%d/status" % ticking).read_text(),
                         "gdb holds it", 60)
        ran = targets.run(pytrace, "trace", "-p", ticking, "-d", "0.3")
        assert b"is held by a debugger (state t, traced by %d)" % other.pid \
            in ran.stderr
        other.stdin.write(b"continue\n")
        other.stdin.flush()
        tracing.wait_for(lambda: "t (tracing stop)" not in tracing.Path(
            "/proc/%d/status" % ticking).read_text(), "it goes on", 60)
        calls = stats(pytrace, ticking)
        assert len(calls) > 20
        assert all(c["stack"][0]["line"] == 4 for c in calls)
    finally:
        other.kill()
        other.wait(20)


def test_under_seccomp(pytrace, system_python):
    """Strict filters of the target are none of ours."""
    filtered = "import ctypes, struct\n" \
        "libc = ctypes.CDLL(None)\n" \
        "assert libc.prctl(38, 1, 0, 0, 0) == 0\n" \
        "code = ctypes.create_string_buffer(\n" \
        "    struct.pack('HBBI', 6, 0, 0, 0x7fff0000))\n" \
        "prog = struct.pack('HxxxxxxP', 1, ctypes.addressof(code))\n" \
        "assert libc.prctl(22, 2, prog, 0, 0) == 0\n"
    argv = system_python.argv("-c", filtered + TICKS + targets.WAIT)
    with targets.running(argv) as child:
        assert "Seccomp:\t2" in tracing.Path(
            "/proc/%d/status" % child.pid).read_text()
        calls = stats(pytrace, child.pid)
        assert len(calls) > 20
        assert all(c["stack"][0]["func"] == "ticks" for c in calls)


# ---- by what they are


# Calls that can be counted, after as long as it takes to be recognised.
LATE = """
import os, sys, time
time.sleep(float(sys.argv[1]))
for _ in range(200):
    os.stat("/tick"[:1])
"""


def late(python, wait, *words, **more):
    return subprocess.run([*map(str, python), "-c", LATE, str(wait), *words],
                          check=True, **more)


class Traced:
    """A trace of what is selected, and what it saw of whom."""

    def __init__(self, tracer, *options):
        self.trace = tracer.new_file("trace")
        errors = tracer.new_file("stderr")
        with open(errors, "w") as err:
            child = subprocess.Popen(
                [tracer.pytrace, "trace", "--json", "-o", str(self.trace),
                 "-e", "stat,newfstatat", "-d", "60", *map(str, options)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=err)
        tracer.running.append(child)
        self.attached = tracing.Attached(child, self.trace, errors)
        tracing.wait_for(self.attached.says_attached, "attached")

    def stop(self):
        self.run = self.attached.stop()
        assert self.run.status == 0, self.run.stderr
        return self.run

    def counts(self):
        """How many of the calls of LATE's line, by pid."""
        out = {}
        for r in self.run.calls():
            if r["stack"] and r["stack"][0]["line"] == 5 and \
                    r["stack"][0]["file"] == "<string>":
                out[r["pid"]] = out.get(r["pid"], 0) + 1
        return out


@pytest.fixture
def outsider(system_python):
    """A Python that ticks, and that nobody asks for."""
    with targets.running(system_python.argv("-c", TICKS + targets.WAIT)) as c:
        yield c.pid


def test_all(tracer, system_python, source_python, outsider):
    """-a: who is there, and who comes, from the first call on."""
    t = Traced(tracer, "-a")
    for _ in range(3):
        late([system_python.file], 0)
    late(source_python.argv(), 2)       # time enough on a loaded machine
    t.stop()
    assert outsider in {r["pid"] for r in t.run.calls()}
    assert sorted(t.counts().values()) == [200] * 4
    # the file of the first three was known beforehand: not a call is missing
    whole = tracer.run([system_python.file, "-c", LATE, "0"],
                       "-e", "stat,newfstatat")
    execs = [r for r in t.run.records("exec") if r["pid"] in t.counts()
             and r["file"] == system_python.file]
    assert len(execs) == 3, t.run.records("exec")
    assert {len(t.run.calls(pid=r["pid"])) for r in execs} == \
        {len(whole.calls())}
    assert "and those to come" in t.run.stderr


def test_exe(tracer, system_python, source_python, outsider, tmp_path):
    """By path or by name; a link means what it leads to."""
    link = tmp_path / "py"
    link.symlink_to(source_python.argv()[0])
    with targets.running(source_python.argv("-c", targets.WAIT)) as child:
        for value in link, os.path.basename(os.path.realpath(link)):
            t = Traced(tracer, "--exe", value)
            late(source_python.argv(), .5)
            late([system_python.file], 0)
            t.stop()
            assert list(t.counts().values()) == [200]
            pids = {r["pid"] for r in t.run.calls()}
            assert outsider not in pids
            assert child.pid in {r["pid"] for r in t.run.records("process")}


def test_name(tracer, system_python, outsider):
    """A word of the command line; what came before recognition is counted."""
    argv = [*system_python.argv("-c", TICKS + targets.WAIT), "shop-worker"]
    with targets.running(argv) as child:
        t = Traced(tracer, "--name", "shop-*")
        late([system_python.file], .5, "shop-late")
        late([system_python.file], 0, "other")
        t.stop()
        assert list(t.counts().values()) == [200]
        assert child.pid in {r["pid"] for r in t.run.calls()}
        assert outsider not in {r["pid"] for r in t.run.calls()}
        assert set(t.run.losses()) <= {"unrecognised"}


def test_children_of_the_selected(tracer, system_python):
    """What they execute is looked at again; with -f it is traced for good."""
    code = "import subprocess, sys\nsys.stdin.readline()\n" \
        "subprocess.run([%r, '-c', %r, '.5'])\n" % (system_python.file, LATE)
    for options, seen in ([], []), (["-f"], [200]):
        child = tracer.start(system_python.argv("-c", code, "shop-parent"),
                             stdin=subprocess.PIPE)
        t = Traced(tracer, "--name", "shop-parent", *options)
        child.stdin.write(b"\n")
        child.stdin.close()
        assert child.wait(60) == 0
        t.stop()
        assert list(t.counts().values()) == seen
        assert len(t.run.records("exec")) == 1


TITLE = """
import ctypes, os, sys, time
fields = open('/proc/self/stat').read().rpartition(')')[2].split()
start, end = int(fields[45]), int(fields[46])
title = b'shop: worker'
sys.stdin.readline()
ctypes.memset(start, 0, end - start)
ctypes.memmove(start, title, len(title))
for _ in range(400):
    time.sleep(.01)
    os.stat("/tick"[:1])
"""


def test_title_that_comes_late(tracer, system_python):
    """A worker writes its title after its start: found within seconds."""
    argv = [*system_python.argv("-c", targets.WAIT), "shop: old"]
    with targets.running(argv):
        child = subprocess.Popen(
            [*system_python.argv("-c", TITLE), "x" * 50],
            stdin=subprocess.PIPE)
        t = Traced(tracer, "--name", "shop: *")
        child.communicate(b"\n")
        t.stop()
        seen = [r for r in t.run.calls() if r["pid"] == child.pid]
        assert 50 < len(seen) < 400


def cgroup_root(version=None):
    """A folder where control groups can be made: (folder, "v2" or "systemd")."""
    for kind, path in [("v2", "/sys/fs/cgroup/unified"), ("v2",
                       "/sys/fs/cgroup"), ("systemd",
                       "/sys/fs/cgroup/systemd")]:
        is_it = os.path.exists(path + "/cgroup.procs") and \
            os.path.exists(path + "/cgroup.controllers") == (kind == "v2")
        if is_it and version in (None, kind) and os.access(path, os.W_OK):
            return tracing.Path(path)
    pytest.skip("no control group can be made here")


@pytest.fixture
def cgroup(request):
    """Makes groups, and runs Python in them; removes them."""
    made = []

    class Maker:
        def make(self, name, root=None):
            group = (root or cgroup_root()) / name
            for folder in [*reversed(group.relative_to(
                    root or cgroup_root()).parents)][1:]:
                full = (root or cgroup_root()) / folder
                if not full.exists():
                    full.mkdir()
                    made.append(full)
            try:
                group.mkdir()
            except OSError as e:
                pytest.skip("no control group can be made here: %s" % e)
            made.append(group)
            return group

        def into(self, group):
            return lambda: (group / "cgroup.procs").write_text(
                str(os.getpid()))

    yield Maker()
    for group in reversed(made):
        tracing.wait_for(lambda: _rmdir(group), "%s is empty" % group)


def _rmdir(folder):
    try:
        folder.rmdir()
    except OSError:
        return False
    return True


def test_cgroup(tracer, system_python, cgroup, outsider):
    """Folder or path; groups below; who is moved in while tracing."""
    group = cgroup.make("pt-%d" % os.getpid())
    inner = cgroup.make("pt-%d/inner" % os.getpid())
    argv = system_python.argv("-c", TICKS + targets.WAIT)
    with targets.running(argv, preexec_fn=cgroup.into(group)) as child, \
            targets.running(argv) as mover:
        for value in group, "/" + group.name:
            t = Traced(tracer, "--cgroup", value)
            late([system_python.file], .5, preexec_fn=cgroup.into(inner))
            late([system_python.file], 0)
            if value == group:
                (inner / "cgroup.procs").write_text(str(mover.pid))
                time.sleep(4)
            t.stop()
            pids = {r["pid"] for r in t.run.calls()}
            assert list(t.counts().values()) == [200]
            assert child.pid in pids and mover.pid in pids
            assert outsider not in pids


def test_unit(tracer, system_python, cgroup, outsider):
    group = cgroup.make("pt-%d.slice/shop-%d.service" % ((os.getpid(),) * 2))
    argv = system_python.argv("-c", TICKS + targets.WAIT)
    with targets.running(argv, preexec_fn=cgroup.into(group)) as child:
        for value in group.name, group.name[:-8], group.parent.name:
            t = Traced(tracer, "--unit", value)
            late([system_python.file], .5, preexec_fn=cgroup.into(group))
            t.stop()
            assert list(t.counts().values()) == [200], (value, t.run.stderr)
            assert child.pid in {r["pid"] for r in t.run.calls()}
            assert outsider not in {r["pid"] for r in t.run.calls()}


def test_container(tracer, system_python, cgroup, outsider):
    """The beginning of the id, if it is only one's."""
    one, other = "ab12" + "0" * 60, "ab13" + "0" * 60
    mine = cgroup.make("docker-%s.scope" % one)
    its = cgroup.make("docker-%s.scope" % other)
    argv = system_python.argv("-c", TICKS + targets.WAIT)
    with targets.running(argv, preexec_fn=cgroup.into(mine)) as child, \
            targets.running(argv, preexec_fn=cgroup.into(its)) as second:
        t = Traced(tracer, "--container", "ab12")
        late([system_python.file], .5, preexec_fn=cgroup.into(mine))
        late([system_python.file], 0, preexec_fn=cgroup.into(its))
        t.stop()
        assert list(t.counts().values()) == [200]
        pids = {r["pid"] for r in t.run.calls()}
        assert child.pid in pids and not pids & {second.pid, outsider}
        ran = targets.run(tracer.pytrace, "--container", "ab1", "-d", "1")
        assert ran.returncode == 2
        assert b"more than one container" in ran.stderr


@pytest.mark.parametrize("option, says", [
    (["--exe", "no-such-program"], b"no process matches --exe"),
    (["--name", "no such name"], b"no process matches --name"),
    (["--cgroup", "/no/such/group"], b"no process matches --cgroup"),
    (["--unit", "no-such-unit"], b"no process matches --unit"),
    (["--container", "fedcba98"], b"no process matches --container"),
    (["--exe", "sleep"], b"match"),
])
def test_none_matches(pytrace, option, says):
    with subprocess.Popen(["sleep", "60"]) as other:
        ran = targets.run(pytrace, *option, "-d", "1")
        other.kill()
    assert ran.returncode == 3
    assert says in ran.stderr
    if option[0] == "--unit" and not os.path.exists("/run/systemd/system"):
        assert b"no systemd runs this machine" in ran.stderr
    if option[1] == "sleep":
        assert b"none is a Python" in ran.stderr


# ---- threads by the thousand, numbers that come again


# 2,000 threads at a time, each in a function of its own name; then 300, one
# after the other, that all have the thread id of the one before.
MANY = r"""
import os, sys, threading
here = {}
def make(name):
    exec("def %s():\n for _ in range(3):\n  os.stat('/tick'[:1])\n gate.wait()"
         % name, globals())
    return globals()[name]
class Open:
    def wait(self): pass
threading.stack_size(128 * 1024)
gate = threading.Event()
crowd = [threading.Thread(target=make("crowd_%d" % i)) for i in range(2000)]
for t in crowd: t.start()
gate.set()
for t in crowd: t.join()
gate = Open()
tids = set()
for i in range(300):
    with open("/proc/sys/kernel/ns_last_pid", "w") as f:
        f.write("50000")
    t = threading.Thread(target=make("turn_%d" % i))
    t.start()
    t.join()
    tids.add(t.native_id)
print(len(tids))
"""


def test_thousands_of_threads(tracer, tool, system_python, tmp_path):
    """Each call under its own thread, whoever had that id before (C52)."""
    program = tmp_path / "many.py"
    program.write_text(MANY)
    words, trace = tracer.command(system_python.argv(program), "-e",
                                  "stat,newfstatat")
    done = subprocess.run([tool("unshare", "util-linux"), "--pid", "--fork",
                           "--mount-proc", *words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run = tracing.Run(done.returncode, done.stdout, done.stderr, trace)
    assert run.status == 0, run.stderr
    assert int(run.stdout) < 300        # ids did come again
    assert not run.losses(), run.stderr
    counts, tids = {}, {}
    for r in run.calls():
        name = r["stack"][0]["func"] if r["stack"] else None
        if name and name.startswith(("crowd_", "turn_")):
            counts[name] = counts.get(name, 0) + 1
            tids.setdefault(name, set()).add(r["tid"])
            assert [f["func"] for f in r["stack"]][1:] == [
                "Thread.run", "Thread._bootstrap_inner", "Thread._bootstrap"]
    assert counts == {**{"crowd_%d" % i: 3 for i in range(2000)},
                      **{"turn_%d" % i: 3 for i in range(300)}}
    assert all(len(t) == 1 for t in tids.values())
    assert len(set().union(*tids.values())) < 2300


HOPS = """
import os, sys
f = os.open("/dev/null", os.O_RDONLY)
sys.stdin.readline()
for i in range(20000):
    if not i % 10:
        os.sched_setaffinity(0, {cpus[i // 10 % len(cpus)]})
    os.lseek(f, i, 0)
"""


def test_order_on_many_cpus(tracer, system_python):
    """A thread that changes its CPU, and a reader that sleeps (C54)."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("one CPU only")
    child = tracer.start(system_python.argv(
        "-c", "cpus = %r" % cpus + HOPS), stdin=subprocess.PIPE)
    t = tracer.attach(child.pid, "-e", "lseek")
    child.stdin.write(b"\n")
    child.stdin.close()
    time.sleep(.05)
    t.child.send_signal(signal.SIGSTOP)
    time.sleep(.3)
    t.child.send_signal(signal.SIGCONT)
    run = t.wait()
    assert run.status == 0 and not run.losses(), run.stderr
    calls = run.calls("lseek")
    assert [r["args"][1] for r in calls] == list(range(20000))
    assert all(a["t"] <= b["t"] for a, b in zip(calls, calls[1:]))


# ---- files of containers that go


def test_file_system_can_go_afterwards(tracer, system_python, tmp_path):
    """Its files are in use while they are traced, and not for longer (C63)."""
    folder = tmp_path / "layer"
    folder.mkdir()
    targets.mount("none", folder, "tmpfs")
    try:
        exe = folder / "python"
        shutil.copy(system_python.file, exe)
        with targets.running([exe, "-c", TICKS + targets.WAIT]) as child:
            t = tracer.attach(child.pid, "-e", "stat,newfstatat")
            exe.unlink()
            shutil.copy(system_python.file, exe)
            time.sleep(.3)
        run = t.wait()
        assert run.status == 0, run.stderr
        assert run.calls()
        with targets.running([exe, "-c", TICKS + targets.WAIT]) as child:
            assert stats(tracer.pytrace, child.pid)
    finally:
        assert targets.LIBC.umount(os.fsencode(folder)) == 0


def test_late_with_each(tracer, debian_python):
    """Recognised after its exec, whichever version and wherever its root is."""
    with targets.running(debian_python.argv("-c", targets.WAIT, "shop-1")):
        t = Traced(tracer, "--name", "shop-*")
        late(debian_python.argv(), 1.5, "shop-late")
        t.stop()
    assert list(t.counts().values()) == [200], t.run.stderr


# ---- namespaces of numbers


def test_another_namespace_of_the_same_depth(pytrace, tool, system_python,
                                             tmp_path):
    """Its processes have the same numbers, and are none of ours."""
    def inside(path, *then):
        (tmp_path / path).write_text(
            "import os, time\nwhile True:\n os.stat('/')\n time.sleep(.01)")
        script = "%s %s & P=$!; echo $P; %s; kill $P" % (
            system_python.file, tmp_path / path, " ".join(map(str, then)))
        return subprocess.Popen(
            [tool("unshare", "util-linux"), "--pid", "--fork", "--mount-proc",
             "sh", "-c", script], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
    trace = tmp_path / "trace"
    its = inside("its.py", "read x")
    pid = its.stdout.readline()
    mine = inside("mine.py", "sleep .5;", pytrace, "trace", "--json", "-o",
                  trace, "-e", "stat,newfstatat", "-d", "1", "-p", "$P")
    assert mine.stdout.readline() == pid
    mine.communicate(timeout=60)
    its.communicate("\n", timeout=60)
    calls = [r for r in targets.records(trace.read_bytes())
             if r["type"] == "syscall"]
    assert len(calls) > 20
    assert {r["pid"] for r in calls} == {int(pid)}
    assert all(r["stack"][0]["file"].endswith("/mine.py") for r in calls)


# ---- workers of the kernel in the process


def test_io_uring_worker(pytrace, system_python):
    """A thread of the kernel's in the process is none of its threads."""
    ring = "import ctypes, struct\n" \
        "p = ctypes.create_string_buffer(120)\n" \
        "p[8:12] = struct.pack('I', 2)\n" \
        "fd = ctypes.CDLL(None, use_errno=True).syscall(425, 8, p)\n" \
        "if fd < 0:\n" \
        "    print('ready', flush=True)\n" \
        "    raise SystemExit(77)\n"
    argv = system_python.argv("-c", ring + TICKS + targets.WAIT)
    with targets.running(argv) as child:
        if len(tids(child.pid)) < 2 or child.poll() is not None:
            pytest.skip("no io_uring here")
        assert [n for n in tids(child.pid) if n.startswith("iou-sqp")]
        code, records, said = report(pytrace, "-p", child.pid, "-d", "0.5")
        assert code == 0, said
        one = account(records)
        assert one["threads"] == 2
        lasted = one["until"] - one["t"]
        assert one["thread_ns"] == pytest.approx(2 * lasted, rel=.02)


# ---- children


FAMILY = """
import os, sys
for _ in range(2):
    if not os.fork():
        sys.stdin.read()
        os._exit(0)
"""


def test_children_are_hinted_at(pytrace, system_python):
    argv = system_python.argv("-c", FAMILY + targets.WAIT)
    with targets.running(argv) as child:
        for more, says in [([], True), (["-f"], False), (["-q"], False)]:
            ran = targets.run(pytrace, "-p", child.pid, "-d", "0.3", *more)
            assert (b"note: 2 Python children of %d are not traced; add -f" %
                    child.pid in ran.stderr) is says, ran.stderr
        code, records, _ = report(pytrace, "-p", child.pid, "-f", "-d", "0.5")
        assert code == 0
        assert account(records)["threads"] == 3


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
