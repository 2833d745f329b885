# SPDX-License-Identifier: MIT
"""Which file, which process, which interpreter: never the wrong one.

Interpreters in other namespaces, deleted, replaced, renamed, embedded and
twice in one process; files and processes that are named to mislead.
"""
import os
import shutil
import signal
import subprocess
import textwrap
import time

import pytest

import check
from found import unless_ci
from test_short_lived import host           # noqa: F401, a fixture
from tracing import (ORACLE, PROGRAM, TINY, assert_right, wait_for)


def folder_of(python):
    """The installation of a source-built interpreter: PREFIX of PREFIX/bin."""
    return os.path.dirname(os.path.dirname(python.file))


def library_of(python):
    lib = os.path.join(folder_of(python), "lib",
                       "libpython%s.so.1.0" % python.minor)
    if not os.path.exists(lib):
        pytest.skip("%s has no shared libpython" % python)
    return lib


def in_namespace(commands, argv, *options):
    """ARGV in a mount namespace of its own in which COMMANDS were run."""
    return ["unshare", "--mount", "--propagation", "private", *options, "--",
            "sh", "-ec", commands + '\nexec "$@"', "sh", *map(str, argv)]


def judge(truth, run, least=8, known=True):
    report = check.check(truth, run.trace)
    assert_right(report, run, least, known)
    return report


def waiting(tracer, argv, folder, **kwargs):
    """Start program.py --wait by the words ARGV + its own; when it waits."""
    child = tracer.start(
        list(argv) + [PROGRAM, "--seed", "5", "--truth", folder / "truth",
                      "--folder", folder, "--wait", "--only", "imports",
                      "--only", "deep", "--only", "reuse_inner"], **kwargs)
    wait_for((folder / "ready").exists, "the program waits")
    return child


def go(child, attached, folder):
    (folder / "go").touch()
    assert child.wait(60) == 0
    run = attached.wait(20)
    assert run.status == 0, run.stderr
    return run


def recognised_in_time(tracer, argv, truth):
    """A program of 20 ms in a file that nobody knows can be over when it is
    recognised: then its calls are counted, and it runs again."""
    for _ in range(5):
        run = tracer.run(argv + [TINY, truth])
        assert run.status == 0, run.stderr
        if run.records("syscall"):
            break
        assert "process without an interpreter" in run.stderr
        truth.unlink()
    judge(truth, run, known=False)
    truth.unlink()


# --- namespaces

def test_interpreter_only_in_another_mount_namespace(tracer, source_python,
                                                     tmp_path):
    """Its path does not exist out here."""
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    commands = "mount -t tmpfs none %s; mkdir %s/py; mount --bind %s %s/py" % (
        hidden, hidden, folder_of(source_python), hidden)
    inside = "%s/py/bin/python%s" % (hidden, source_python.minor)
    lib = "LD_LIBRARY_PATH=%s/py/lib" % hidden
    truth = tmp_path / "truth"
    recognised_in_time(tracer, in_namespace(commands, ["env", lib, inside]),
                       truth)
    child = waiting(tracer, in_namespace(commands, ["env", lib, inside]),
                    tmp_path)
    assert not os.path.exists(inside)
    judge(truth, go(child, tracer.attach(child.pid), tmp_path), 100)


def test_another_python_at_the_path_of_ours(tracer, system_python,
                                            source_python, tmp_path):
    """In there /usr/bin/python3.N is another version than out here."""
    assert source_python.minor != system_python.minor
    home = "PYTHONHOME=" + folder_of(source_python)
    commands = "mount --bind %s %s" % (source_python.file,
                                       system_python.file)
    truth = tmp_path / "truth"
    argv = in_namespace(commands, ["env", home, system_python.file])
    recognised_in_time(tracer, argv, truth)
    child = waiting(tracer, argv, tmp_path)
    run = go(child, tracer.attach(child.pid), tmp_path)
    judge(truth, run, 100)
    assert run.versions() == [source_python.version]


def test_tracer_in_a_pid_namespace(tracer, system_python, tmp_path):
    """pytrace and target inside: the numbers are those that they see."""
    truth = tmp_path / "truth"
    words, trace = tracer.command(system_python.argv(TINY, truth))
    done = subprocess.run(["unshare", "--pid", "--fork", "--mount-proc",
                           *words], stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    report = check.check(truth, trace)
    assert_right(report)
    marks, _ = check.read_truth(truth)
    assert max(m["pid"] for m in marks.values()) < 100


def test_target_in_a_pid_namespace(tracer, system_python, tmp_path):
    """The tracer outside: its own numbers, and the target's as nspid."""
    truth = tmp_path / "truth"
    run = tracer.run(["unshare", "--pid", "--fork", "--mount-proc",
                      *system_python.argv(TINY, truth)])
    marks, _ = check.read_truth(truth)
    inner = {m["pid"] for m in marks.values()}
    assert len(inner) == 1 and min(inner) < 100
    calls = [r for r in run.calls("lseek") if check.is_mark(r)]
    assert len(calls) == len(marks) == 8
    outer = {r["pid"] for r in calls}
    assert len(outer) == 1 and outer != inner
    for r in calls:
        assert check.frames_of(r) == marks[r["args"][1]]["stack"]
    mine = [r for r in run.records("process") if r["pid"] in outer
            and r["walk"]]
    assert mine and mine[-1]["nspid"] == inner.pop()


# --- files that are not what they were

def copied(python, folder, name="python-copy"):
    path = folder / name
    shutil.copy(python.file, path)
    return path


def test_executable_is_deleted(tracer, system_python, tmp_path):
    path = copied(system_python, tmp_path)
    child = waiting(tracer, ["env", "PYTHONHOME=/usr", path], tmp_path)
    path.unlink()
    run = go(child, tracer.attach(child.pid), tmp_path)
    judge(tmp_path / "truth", run, 100)


def test_executable_is_replaced(tracer, system_python, source_python,
                                tmp_path):
    """An upgrade while it runs: the new file at that path is not its."""
    path = copied(system_python, tmp_path)
    child = waiting(tracer, ["env", "PYTHONHOME=/usr", path], tmp_path)
    other = copied(source_python, tmp_path, "other")
    os.rename(other, path)
    run = go(child, tracer.attach(child.pid), tmp_path)
    judge(tmp_path / "truth", run, 100)
    assert run.versions() == [system_python.version]


def test_library_is_deleted(tracer, source_python, tmp_path):
    """libpython goes away while it is traced, and another one comes."""
    lib = tmp_path / "lib"
    lib.mkdir()
    mine = lib / os.path.basename(library_of(source_python))
    argv = ["env", "LD_LIBRARY_PATH=%s" % lib, source_python.file]
    for round in range(2):
        folder = tmp_path / str(round)
        folder.mkdir()
        shutil.copy(library_of(source_python), mine)
        child = waiting(tracer, argv, folder)
        attached = tracer.attach(child.pid)
        mine.unlink()
        judge(folder / "truth", go(child, attached, folder), 100)


@pytest.mark.parametrize("name", [
    ".python3-wrapped", "python3.10m", "a b (deleted)", "line\nbreak",
    "caf\u00e9", "python2.7", "libpython3.13td.so.1.0", "perl"])
def test_executable_of_another_name(tracer, system_python, tmp_path, name):
    path = copied(system_python, tmp_path, name)
    truth = tmp_path / "truth"
    run = tracer.run(["env", "PYTHONHOME=/usr", path, TINY, truth])
    assert run.status == 0, run.stderr
    judge(truth, run)


@pytest.mark.parametrize("name", [
    "libpython3.10-vendor1.2.so.1.0", "libpython3.13td.so.1.0",
    "libnothing.so", "libpython2.7.so.1.0"])
def test_library_of_another_name(tracer, host, source_python,  # noqa: F811
                                 tmp_path, name):
    if source_python.info < (3, 8):
        pytest.skip("no Py_BytesMain before 3.8")
    path = tmp_path / name
    shutil.copy(library_of(source_python), path)
    truth = tmp_path / "truth"
    run = tracer.run(
        [host, 0, path, TINY, truth],
        env=dict(os.environ, PYTHONHOME=folder_of(source_python)))
    assert run.status == 0, run.stderr
    judge(truth, run, known=False)


def test_stripped_library(tracer, tool, source_python, tmp_path):
    """A small executable and a stripped libpython, as container images have.
    """
    name = os.path.basename(library_of(source_python))
    subprocess.run([tool("strip", "binutils"), "-o", tmp_path / name,
                    library_of(source_python)], check=True)
    truth = tmp_path / "truth"
    run = tracer.run(source_python.argv(TINY, truth),
                     env=dict(os.environ, LD_LIBRARY_PATH=str(tmp_path)))
    assert run.status == 0, run.stderr
    judge(truth, run)
    truth.unlink()
    child = waiting(tracer, source_python.argv(), tmp_path,
                    env=dict(os.environ, LD_LIBRARY_PATH=str(tmp_path)))
    judge(truth, go(child, tracer.attach(child.pid), tmp_path), 100)


def test_static_library_in_an_application(tracer, tool, tmp_path):
    """libpython3.11.a linked into a program of another name, stripped."""
    static = "/usr/lib/x86_64-linux-gnu/libpython3.11.a"
    if not os.path.exists(static):
        unless_ci("no %s: apt-get install libpython3.11-dev" % static)
    (tmp_path / "app.c").write_text(
        "#include <Python.h>\n"
        "int main(int c, char **v) { return Py_BytesMain(c, v); }\n")
    app = tmp_path / "myapp"
    subprocess.run([tool("gcc"), "-I/usr/include/python3.11", "-o", app,
                    tmp_path / "app.c", static, "-rdynamic", "-lexpat", "-lz",
                    "-lm", "-ldl", "-lpthread", "-lutil", "-no-pie"],
                   check=True)
    subprocess.run([tool("strip", "binutils"), app], check=True)
    truth = tmp_path / "truth"
    env = dict(os.environ, PYTHONHOME="/usr")
    run = tracer.run([app, TINY, truth], env=env)
    assert run.status == 0, run.stderr
    judge(truth, run)
    truth.unlink()
    child = waiting(tracer, [app], tmp_path, env=env)
    judge(truth, go(child, tracer.attach(child.pid), tmp_path), 100)


TWO = r"""
#include <dlfcn.h>
#include <stdio.h>

/* Two libpythons; the one named first is mapped and never initialised. */
int main(int argc, char **argv)
{
	void *idle = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	void *used = dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL);
	int (*run)(int, char **);

	if (!idle || !used) {
		fprintf(stderr, "%s\n", dlerror());
		return 99;
	}
	*(void **)&run = dlsym(used, "Py_BytesMain");
	argv[2] = argv[0];
	return run(argc - 2, argv + 2);
}
"""


def test_two_libpythons_in_a_process(tracer, tool, interpreters, tmp_path):
    """One is loaded, the other runs; the command names both."""
    mine = [i for i in interpreters
            if i.origin == "source" and i.info >= (3, 8)
            and os.path.exists(os.path.join(
                folder_of(i), "lib", "libpython%s.so.1.0" % i.minor))]
    if len(mine) < 2:
        pytest.skip("fewer than two shared libpythons on this machine")
    (tmp_path / "two.c").write_text(TWO)
    two = tmp_path / "two"
    subprocess.run([tool("gcc"), "-o", two, tmp_path / "two.c", "-ldl"],
                   check=True)
    for idle, used in ((mine[0], mine[-1]), (mine[-1], mine[0])):
        truth = tmp_path / ("truth" + used.minor)
        run = tracer.run(
            [two, library_of(idle), library_of(used), TINY, truth],
            env=dict(os.environ, PYTHONHOME=folder_of(used)))
        assert run.status == 0, run.stderr
        judge(truth, run, known=False)
        assert run.versions() == [used.version]


def test_mapped_files_with_misleading_names(tracer, system_python, tmp_path):
    """Lines of maps that a careless reader would take for a libpython."""
    names = ["libpython3.11.so.1.0 evil", "a (deleted)", "new\nline",
             "tab\there", "back\\slash", "libpython3.9.so.1.0",
             "7f00-7f01 r-xp 00000000 00:00 0 x"]
    for name in names:
        shutil.copy("/bin/true", tmp_path / name)
    # One of these is a libpython by its name and its symbols, none by nature.
    code = textwrap.dedent("""
        import mmap, os, sys
        sys.path.insert(0, %r)
        import mark
        kept = []
        for name in sys.argv[2:]:
            with open(name, "rb") as f:
                kept.append(mmap.mmap(f.fileno(), 4096, mmap.MAP_PRIVATE,
                                      mmap.PROT_READ | mmap.PROT_EXEC))
        mark.begin(sys.argv[1])
        for i in range(10):
            mark.mark()
        """) % str(ORACLE)
    truth = tmp_path / "truth"
    run = tracer.run(system_python.argv(
        "-c", code, truth, *[tmp_path / n for n in names]))
    assert run.status == 0, run.stderr
    judge(truth, run)
    assert {r["exe"] for r in run.records("process")} == {system_python.file}


# --- processes

def test_children_of_every_kind(tracer, interpreters, tmp_path):
    """sleep, bash, other Pythons, a zombie, another user: exit status 0."""
    truth = tmp_path / "truth"
    tmp_path.chmod(0o755)
    others = [i for i in interpreters if len(i.command) == 1]
    code = textwrap.dedent("""
        import os, subprocess, sys
        sys.path.insert(0, %r)
        import mark
        mark.begin(%r)
        mark.mark()
        kids = [subprocess.Popen(a) for a in %r]
        # A file that nobody has seen before is known a second after.
        zombie = os.fork()
        if zombie == 0:
            os._exit(0)
        def nobody():
            mark.forked(99)
            mark.mark()
            os.setuid(65534)
            mark.mark()
        subprocess.call(["/bin/true"], preexec_fn=nobody)
        assert [k.wait() for k in kids] == [0] * len(kids)
        mark.mark()
        os.waitpid(zombie, 0)
        """) % (str(ORACLE), str(truth), [
            ["sleep", "0.2"], ["bash", "-c", "true"]] + [
            [o.file, "-c", "import runpy, sys, time; time.sleep(4); "
             "sys.argv[1:] = %r; runpy.run_path(%r)" % (
                 [str(truth), str(i + 1)], str(TINY))]
            for i, o in enumerate(others)])
    run = tracer.run(others[0].argv("-c", code))
    assert run.status == 0, run.stderr
    assert_right(check.check(truth, run.trace), run, 8 * len(others) + 4,
                 known=False, late=1000 * len(others))
    assert set(run.versions()) == {o.version for o in others}


def test_pools_fork_and_spawn(tracer, debian_python, tmp_path):
    """multiprocessing by fork and by spawn; one worker is born late."""
    truth = tmp_path / "truth"
    program = tmp_path / "pool.py"
    program.write_text(textwrap.dedent("""
        import multiprocessing, os, sys, time
        sys.path.insert(0, %r)
        import mark
        def work(n):
            mark.begin(%r, os.getpid() & 0xffff)
            for i in range(n):
                mark.mark()
        def many(method, n):
            ctx = multiprocessing.get_context(method)
            kids = [ctx.Process(target=work, args=(n + i,))
                    for i in range(3)]
            [k.start() for k in kids]
            [k.join() for k in kids]
            assert all(k.exitcode == 0 for k in kids)
        if __name__ == "__main__":
            many("fork", 10)
            many("spawn", 20)
            time.sleep(0.5)
            many("fork", 30)
        """) % (str(ORACLE), str(truth)))
    run = tracer.run(debian_python.argv(program))
    assert run.status == 0, run.stderr
    report = judge(truth, run, known=debian_python.known)
    assert report.marks == 33 + 63 + 93


def test_thread_names_do_not_disturb(tracer, system_python, tmp_path):
    """prctl(PR_SET_NAME) writes the same field as exec does."""
    truth = tmp_path / "truth"
    code = textwrap.dedent("""
        import ctypes, sys
        sys.path.insert(0, %r)
        import mark
        mark.begin(%r)
        name = ctypes.CDLL(None).prctl
        for text in (b"a b 12/34 [00]", b"python3.9", b"\\xff\\x1b[31m",
                     b"", b"bash"):
            name(15, text, 0, 0, 0)
            mark.mark()
        """) % (str(ORACLE), str(truth))
    run = tracer.run(system_python.argv("-c", code))
    judge(truth, run, 5)
    names = [r["thread"] for r in run.calls("lseek") if check.is_mark(r)]
    assert names[:2] == ["a b 12/34 [00]", "python3.9"]
    assert names[2] == "\ufffd\x1b[31m" and names[4] == "bash"


def test_debug_build(tracer, tmp_path):
    """python3.11d: right, or refused by name; never garbage."""
    path = "/usr/bin/python3.11d"
    if not os.path.exists(path):
        pytest.skip("no %s: apt-get install python3.11-dbg" % path)
    truth = tmp_path / "truth"
    run = tracer.run([path, TINY, truth])
    if run.status == 125:
        assert "debug" in run.stderr and not truth.exists()
        return
    report = check.check(truth, run.trace)
    assert not report.wrong, report.text()
    assert_right(report, run)


def test_unknown_version_is_refused_by_name(tracer, source_python, tmp_path):
    """A libpython whose version word says 3.17."""
    if source_python.info < (3, 11):
        pytest.skip("no Py_Version before 3.11")
    name = os.path.basename(library_of(source_python))
    with open(library_of(source_python), "rb") as f:
        data = f.read()
    a, b, c = (int(n) for n in source_python.version.split("."))
    word = (a << 24 | b << 16 | c << 8 | 0xf0).to_bytes(8, "little")
    fake = (a << 24 | 17 << 16 | c << 8 | 0xf0).to_bytes(8, "little")
    if word not in data:
        pytest.skip("no version word in %s" % name)
    (tmp_path / name).write_bytes(data.replace(word, fake))
    truth = tmp_path / "truth"
    refused = tracer.run(source_python.argv(TINY, truth),
                         env=dict(os.environ, LD_LIBRARY_PATH=str(tmp_path)))
    assert refused.status == 125 and "3.17" in refused.stderr
    assert not truth.exists()
    child = waiting(tracer, source_python.argv(), tmp_path,
                    env=dict(os.environ, LD_LIBRARY_PATH=str(tmp_path)))
    run = tracer.attach(child.pid, "-d", "5", wait=False).wait(20)
    assert run.status == 5 and "3.17" in run.stderr, run.stderr
    (tmp_path / "go").touch()
    assert child.wait(60) == 0


def test_relative_paths_are_given_as_they_are(tracer, system_python,
                                              tmp_path):
    """Two modules of one name by relative sys.path entries and chdir."""
    truth = tmp_path / "truth"
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.py").write_text(textwrap.dedent("""
            import mark
            class C%s:
                def run(self):
                    return mark.mark()
            """) % name)
    code = textwrap.dedent("""
        import os, sys
        sys.path[:0] = [%r, "."]
        import mark
        mark.begin(%r)
        for name in "ab":
            os.chdir(%r + "/" + name)
            import same
            getattr(same, "C" + name)().run()
            kept = sys.modules.pop("same")
            getattr(kept, "C" + name)().run()
            sys.path_importer_cache.clear()
        """) % (str(ORACLE), str(truth), str(tmp_path))
    run = tracer.run(system_python.argv("-c", code))
    judge(truth, run, 4)


def test_same_address_in_another_process(tracer, system_python, tmp_path):
    """Without ASLR every run has its code objects at the same addresses."""
    truth = tmp_path / "truth"
    program = tmp_path / "same.py"
    program.write_text(textwrap.dedent("""
        import sys
        sys.path.insert(0, %r)
        import mark
        n = int(sys.argv[1])
        mark.begin(%r, n)
        exec("def f_%%03d():\\n%%s    mark.mark()\\nf_%%03d()"
             %% (n, "\\n" * n, n))
        """) % (str(ORACLE), str(truth)))
    run = tracer.run(["setarch", "-R", "sh", "-c",
                      "for i in $(seq 40); do %s %s $i; done" % (
                          system_python.file, program)])
    assert judge(truth, run, 40, known=False).marks == 40


def test_process_ends_and_its_number_comes_again(tracer, system_python,
                                                 tmp_path):
    """Two programs with the same pid, one after the other."""
    truth = tmp_path / "truth"
    tiny = system_python.argv("-S", "-E", TINY, truth)
    script = "\n".join(
        "echo 500 >/proc/sys/kernel/ns_last_pid; %s %d" % (
            " ".join(tiny), i) for i in range(1, 9))
    words, trace = tracer.command(["sh", "-ec", script])
    done = subprocess.run(["unshare", "--pid", "--fork", "--mount-proc",
                           *words], stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    report = check.check(truth, trace)
    assert_right(report, None, 64, known=False)
    marks, _ = check.read_truth(truth)
    assert {m["pid"] for m in marks.values()} == {501}


# --- things that are no Python

@pytest.mark.parametrize("what,status", [
    ("sleep", 4), ("gone", 3), ("kernel thread", 4), ("nonsense", 2)])
def test_attach_to_what_is_no_python(tracer, what, status):
    if what == "sleep":
        pid = tracer.start(["sleep", "60"]).pid
    elif what == "gone":
        child = tracer.start(["true"])
        child.wait()
        pid = child.pid
    elif what == "kernel thread":
        pid = 2
        with open("/proc/2/cmdline") as f:
            if f.read():
                pytest.skip("process 2 is no kernel thread here")
    else:
        pid = "12x"
    attached = tracer.attach(pid, "-d", "5", wait=False)
    run = attached.wait(20)
    assert run.status == status, run.stderr
    assert run.stderr.startswith("pytrace"), run.stderr


def test_zombie_is_no_target(tracer):
    child = tracer.start(["true"])
    time.sleep(0.2)
    with open("/proc/%d/status" % child.pid) as f:
        assert "zombie" in f.read()
    run = tracer.attach(child.pid, "-d", "5", wait=False).wait(20)
    assert run.status in (3, 4), run.stderr


def test_stopped_target(tracer, system_python, tmp_path):
    """A target that is stopped is attached to, and seen when it goes on."""
    child = waiting(tracer, system_python.argv(), tmp_path)
    child.send_signal(signal.SIGSTOP)
    attached = tracer.attach(child.pid)
    child.send_signal(signal.SIGCONT)
    judge(tmp_path / "truth", go(child, attached, tmp_path), 100)
