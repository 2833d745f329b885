# SPDX-License-Identifier: MIT
"""The interpreter of a process is found wherever it is (cases F)."""
import os
import shutil
import signal
import subprocess
import sys

import pytest
import targets
from targets import WAIT, running

pytestmark = pytest.mark.usefixtures("may_trace")


def test_each_interpreter(pytrace, python):
    """Static and shared, in a chroot or not, each of this machine."""
    with running(python.argv("-c", WAIT)) as child:
        found = targets.the_interpreter(pytrace, child.pid)
        assert found["walk"] is True, found
        assert found["python"].startswith("CPython " + python.version), found
        assert not found["deleted"]
        assert not found["embedded"]


def test_the_listed_address_is_where_it_is_mapped(pytrace, source_python):
    """bias + the vaddr of a symbol is what the process itself says."""
    code = ("import ctypes; f = ctypes.pythonapi.Py_GetVersion;"
            "print(ctypes.cast(f, ctypes.c_void_p).value, flush=True);")
    child = subprocess.Popen(
        source_python.argv("-c", code + "input()"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    address = int(child.stdout.readline())
    found = targets.the_interpreter(pytrace, child.pid)
    child.communicate("\n")
    names = subprocess.run(["nm", "-D", found["path"]], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    vaddr = [int(n.split()[0], 16) for n in names
             if n.endswith(" T Py_GetVersion")]
    assert [v + found["bias"] for v in vaddr] == [address]


def test_embedded_in_gdb(pytrace, tool, system_python):
    """C67: the program is not called python."""
    argv = [tool("gdb"), "-nx", "-batch", "-ex",
            "python " + WAIT.replace("; ", ";")]
    with running(argv) as child:
        found = targets.the_interpreter(pytrace, child.pid)
        assert found["embedded"] is True
        assert "libpython" in found["path"]
        rows, _ = targets.ps(pytrace)
        assert rows[child.pid]["embedded"] is True
        assert rows[child.pid]["exe"].endswith("/gdb")
        text = targets.run(pytrace, "ps").stdout.decode()
        assert "embedded in gdb" in text


def test_deleted(pytrace, system_python, tmp_path):
    """The file is gone from its folder, the process runs on."""
    exe = tmp_path / "python-copy"
    shutil.copy(system_python.file, exe)
    with running([exe, "-c", WAIT]) as child:
        exe.unlink()
        found = targets.the_interpreter(pytrace, child.pid)
        assert found["path"] == str(exe)
        assert found["deleted"] is True
        assert found["walk"] is True
        assert found["python"].endswith(system_python.version)


def test_replaced(pytrace, system_python, source_python, tmp_path):
    """An upgrade: another version has the name now."""
    exe = tmp_path / "python3"
    other = tmp_path / "new"
    shutil.copy(system_python.file, exe)
    shutil.copy(targets.libpython(source_python), other)
    with running([exe, "-c", WAIT]) as child:
        inode = exe.stat().st_ino
        os.replace(other, exe)
        found = targets.the_interpreter(pytrace, child.pid)
        assert found["deleted"] is True
        assert found["inode"] == inode
        assert found["python"].endswith(system_python.version)


def shared_elsewhere(source_python, tmp_path):
    """preexec_fn that mounts a tmpfs with libpython at /mnt; and its env."""
    library = targets.libpython(source_python)

    def enter():
        targets.own_mounts()
        targets.mount("tmpfs", "/mnt", "tmpfs")
        shutil.copy(library, "/mnt/" + library.name)
    return enter, dict(os.environ, LD_LIBRARY_PATH="/mnt"), library.name


def test_path_that_is_not_here(pytrace, source_python, tmp_path):
    """C58: in another mount namespace, at a path that we do not have."""
    enter, env, name = shared_elsewhere(source_python, tmp_path)
    with running(source_python.argv("-c", WAIT), preexec_fn=enter,
                 env=env) as child:
        assert not os.path.exists("/mnt/" + name)
        found = targets.the_interpreter(pytrace, child.pid)
        assert found["path"] == "/mnt/" + name
        assert found["walk"] is True
        assert found["python"].endswith(source_python.version)
        assert not found["deleted"]


def test_path_that_is_another_file_here(pytrace, system_python,
                                        source_python):
    """C60: the same path is another build on the host."""
    def cover():
        targets.own_mounts()
        targets.bind(source_python.file, system_python.file)
    with running([system_python.file, "-c", WAIT],
                 preexec_fn=cover) as child:
        assert os.readlink("/proc/%d/exe" % child.pid) == system_python.file
        found = targets.the_interpreter(pytrace, child.pid)
        assert found["exe"] == system_python.file
        assert found["python"].endswith(source_python.version)
        (only,) = targets.interpreters(pytrace, child.pid)
        assert only == found


def test_library_that_is_another_file_here(pytrace, source_python, tmp_path):
    """The mapped file, not that of the same path and version."""
    library = targets.libpython(source_python)
    copy = tmp_path / "copy"
    shutil.copy(library, copy)

    def cover():
        targets.own_mounts()
        targets.bind(copy, library)
    with running(source_python.argv("-c", WAIT), preexec_fn=cover) as child:
        found = targets.the_interpreter(pytrace, child.pid)
        assert found["path"] == str(library)
        assert found["inode"] == copy.stat().st_ino
        assert found["inode"] != library.stat().st_ino
        assert found["deleted"] is False
        assert found["walk"] is True


EVIL = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY);
		void *p = mmap(NULL, 4 << 20, PROT_READ | PROT_EXEC,
			       MAP_PRIVATE, fd, 0);
		if (fd < 0 || p == MAP_FAILED)
			return 1;
		close(fd);
	}
	puts("ready");
	fflush(stdout);
	char c;
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
"""


def test_evil_names(pytrace, system_python, tool, tmp_path):
    """C61: names that read like others lead to no file but the mapped one."""
    evil = targets.build(tmp_path, "evil", EVIL)
    lured = ["libpython3.11.so.1.0", "a", "n", "b"]
    names = ["libpython3.11.so.1.0 evil", "a (deleted)", "n\nl", "b\\012c",
             "t\tab"]
    for name in lured:
        (tmp_path / name).write_bytes(b"\177ELF lure")
    for name in names:
        (tmp_path / name).write_bytes(b"\0" * (4 << 20))
    log = tmp_path / "strace"
    with running([evil] + [tmp_path / n for n in names]) as child:
        ran = subprocess.run(
            [tool("strace"), "-f", "-e", "trace=open,openat,openat2", "-y",
             "-o", log, pytrace, "probes", "-p", str(child.pid)],
            stderr=subprocess.PIPE, check=False,
            # A build with ASan cannot look for leaks under strace.
            env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
        assert ran.returncode == 4, ran.stderr
    opened = log.read_text()
    # The mapped files themselves were looked at ...
    assert opened.count("map_files") >= len(names)
    assert "libpython3.11.so.1.0 evil" in opened
    # ... and never by a name, whole or cut.
    for name in lured:
        assert '"%s"' % (tmp_path / name) not in opened
        assert "<%s>" % (tmp_path / name) not in opened


def test_real_deleted_suffix(pytrace, system_python, tmp_path):
    """A file may well be called that."""
    exe = tmp_path / "python (deleted)"
    shutil.copy(system_python.file, exe)
    with running([exe, "-c", WAIT]) as child:
        found = targets.the_interpreter(pytrace, child.pid)
        assert found["path"] == str(exe)
        assert found["deleted"] is False
        exe.unlink()
        found = targets.the_interpreter(pytrace, child.pid)
        assert found["path"] == str(exe)
        assert found["deleted"] is True


EMBED = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
/* usage: embed LIBRARY-TO-RUN LIBRARY-ONLY-LOADED... */
int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		if (!dlopen(argv[i], RTLD_NOW | RTLD_LOCAL))
			return fprintf(stderr, "%s\n", dlerror());
	void *lib = argv[1][0] ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : 0;
	if (lib) {
		((void (*)(int))dlsym(lib, "Py_InitializeEx"))(0);
		setvbuf(stdout, NULL, _IONBF, 0);
	}
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
"""


def python_home(python):
    return dict(os.environ, PYTHONHOME=targets.config(python, "prefix")[0])


@pytest.mark.parametrize("name", [
    "libpython3.10-vendor1.2.so.1.0", "libpython3.13td.so.1.0", "python3.10m",
    ".python3-wrapped", "libfoo.so"])
def test_renamed(pytrace, source_python, tmp_path, name):
    """C68: by what is in the file, not by its name."""
    embed = targets.build(tmp_path, "embed", EMBED, "-ldl")
    library = tmp_path / name
    shutil.copy(targets.libpython(source_python), library)
    with running([embed, library], env=python_home(source_python)) as child:
        found = targets.the_interpreter(pytrace, child.pid)
        assert found["path"] == str(library)
        assert found["walk"] is True
        assert found["embedded"] is True
        assert found["python"].endswith(source_python.version)


def test_two_libraries(pytrace, interpreters, tmp_path):
    """C70: the one that was only loaded is not the one that runs."""
    shared = [(i, targets.libpython(i)) for i in interpreters
              if i.origin == "source" and i.info >= (3, 7)]
    shared = [s for s in shared if s[1]]
    if len(shared) < 2:
        pytest.skip("fewer than two shared libpythons on this machine")
    embed = targets.build(tmp_path, "embed", EMBED, "-ldl")
    for runs, idle in (shared[0], shared[-1]), (shared[-1], shared[0]):
        argv = [embed, runs[1], idle[1]]
        with running(argv, env=python_home(runs[0])) as child:
            found = {i["path"]: i for i in
                     targets.interpreters(pytrace, child.pid)}
            assert set(found) == {str(runs[1]), str(idle[1])}
            assert found[str(runs[1])]["main"] is True
            assert found[str(runs[1])]["walk"] is True
            assert found[str(idle[1])]["main"] is False
            assert found[str(idle[1])]["walk"] is None


def test_not_initialised(pytrace, source_python, tmp_path):
    """Loaded, and nothing has called Py_Initialize() yet."""
    embed = targets.build(tmp_path, "embed", EMBED, "-ldl")
    library = targets.libpython(source_python)
    with running([embed, "", library]) as child:
        found = targets.the_interpreter(pytrace, child.pid)
        assert found["walk"] is None
        rows, _ = targets.ps(pytrace)
        assert rows[child.pid]["walk"] is None
        assert "starting" in targets.run(pytrace, "ps").stdout.decode()


STATIC = r"""
#include <Python.h>
#include <stdio.h>
int main(void)
{
	Py_InitializeEx(0);
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
"""


def static_flags(python):
    include, folder, archive, libs, modlibs = targets.config(
        python, "INCLUDEPY", "LIBPL", "LIBRARY", "LIBS", "MODLIBS")
    path = os.path.join(folder, archive)
    if not os.path.exists(path):
        pytest.skip("no %s: apt-get install libpython3.11-dev" % path)
    return ["-I", include, path, "-no-pie", "-rdynamic", "-lm", "-ldl", "-lutil",
            "-lpthread"] + modlibs.split() + libs.split()


@pytest.mark.parametrize("which", ["system_python", "source_python"])
def test_static_and_stripped(pytrace, request, which, tmp_path):
    """C72: libpython.a in a program with a name of its own, stripped."""
    python = request.getfixturevalue(which)
    app = targets.build(tmp_path, "myapp", STATIC, *static_flags(python))
    subprocess.run(["strip", app], check=True)
    with running([app], env=python_home(python)) as child:
        found = targets.the_interpreter(pytrace, child.pid)
        assert found["path"] == str(app)
        assert found["walk"] is True
        assert found["python"].endswith(python.version)
        rows, _ = targets.ps(pytrace)
        assert rows[child.pid]["library"] is None
        assert rows[child.pid]["embedded"] is True


def test_stripped_library(pytrace, source_python, tmp_path):
    """C73: a tiny program, and a stripped library beside it."""
    library = tmp_path / targets.libpython(source_python).name
    shutil.copy(targets.libpython(source_python), library)
    subprocess.run(["strip", library], check=True)
    env = dict(os.environ, LD_LIBRARY_PATH=str(tmp_path))
    with running(source_python.argv("-c", WAIT), env=env) as child:
        found = targets.the_interpreter(pytrace, child.pid)
        assert found["path"] == str(library)
        assert found["walk"] is True
        assert found["embedded"] is False


def test_own_pid_namespace(pytrace, system_python):
    """C65: pids are those of whoever looks."""
    code = ("import os, subprocess, sys\n"
            "child = subprocess.Popen([sys.executable, '-c', %r],"
            " stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
            "child.stdout.readline()\n"
            "print(child.pid, flush=True)\n"
            "sys.exit(subprocess.call([%r, 'ps', '--json']))\n"
            % (WAIT, pytrace))
    ran = subprocess.run(
        ["unshare", "-p", "-f", "--mount-proc", system_python.file, "-c",
         code], check=True, stdout=subprocess.PIPE, text=True, timeout=60)
    first, rest = ran.stdout.split("\n", 1)
    rows = {r["pid"]: r for r in targets.records(rest)
            if r["type"] == "python"}
    assert int(first) in rows
    assert rows[int(first)]["nspid"] == int(first)
    assert rows[1]["workers"] == 1
    # From outside, the same process has two numbers.
    code = "import os, sys\n" \
           "sys.stdout.write('ready\\n'); sys.stdout.flush()\n" \
           "sys.stdin.read()"
    argv = ["unshare", "-p", "-f", "--kill-child", system_python.file, "-c",
            code]
    with running(argv):
        rows, _ = targets.ps(pytrace)
        assert [r for r in rows.values()
                if r["nspid"] == 1 and r["pid"] != 1 and code in r["argv"]]


def as_nobody():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


def for_everyone(folder):
    """Let others into a folder of pytest's."""
    for one in [folder] + list(folder.parents)[:3]:
        os.chmod(one, os.stat(one).st_mode | 0o055)


def copy_for_everyone(pytrace, folder):
    for_everyone(folder)
    copy = folder / "pytrace"
    shutil.copy(pytrace, copy)
    copy.chmod(0o755)
    return copy


def test_file_that_is_not_to_be_had(pytrace, tmp_path):
    """C66: say which file, and what would help; not "no interpreter"."""
    copy = copy_for_everyone(pytrace, tmp_path)
    evil = targets.build(tmp_path, "evil", EVIL)
    library = tmp_path / "libpython3.11.so.1.0"
    library.write_bytes(b"\0" * (4 << 20))
    with running([evil, library], preexec_fn=as_nobody) as child:
        ran = targets.run(copy, "probes", "-p", child.pid,
                          preexec_fn=as_nobody)
        assert ran.returncode == 4, ran.stderr
        os.replace(copy, library)      # another file has its name
        ran = targets.run(library, "probes", "-p", child.pid,
                          preexec_fn=as_nobody)
        assert ran.returncode == 6, ran.stderr
        assert os.fsencode(str(library)) in ran.stderr
        assert b"map_files" in ran.stderr
        # Root can look, and knows that it is none.
        assert targets.run(pytrace, "probes", "-p",
                           child.pid).returncode == 4


def test_process_of_another(pytrace, system_python, tmp_path):
    with running([system_python.file, "-c", WAIT]) as child:
        copy = copy_for_everyone(pytrace, tmp_path)
        ran = targets.run(copy, "probes", "-p", child.pid,
                          preexec_fn=as_nobody)
        assert ran.returncode == 6
        assert b"not-permitted" in ran.stderr and b"root" in ran.stderr
        rows, end = targets.ps(copy, preexec_fn=as_nobody)
        assert child.pid not in rows
        assert end["refused"] > 0


@pytest.mark.parametrize("argv, words", [
    (["bash", "-c", "echo ready; read x; true"], b"a shell"),
    (["cat", "/dev/stdin"], b"/cat'"),
])
def test_not_python(pytrace, argv, words):
    child = subprocess.Popen(argv, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    if argv[0] == "bash":
        child.stdout.readline()
    else:
        child.stdin.write(b"x")
        child.stdin.flush()
        assert child.stdout.read(1) == b"x"
    ran = targets.run(pytrace, "probes", "-p", child.pid)
    child.communicate()
    assert ran.returncode == 4
    assert words in ran.stderr and b"not-python" in ran.stderr


def test_no_such_process(pytrace):
    child = subprocess.Popen(["true"])
    child.wait()
    ran = targets.run(pytrace, "probes", "-p", child.pid)
    assert ran.returncode == 3
    assert b"no-target" in ran.stderr and b"no process" in ran.stderr


def test_no_proc(pytrace):
    ran = subprocess.run(
        ["unshare", "-m", "sh", "-c",
         "mount -t tmpfs none /proc && exec \"$0\" probes -p $$", pytrace],
        capture_output=True, text=True, timeout=60, check=False)
    assert "/proc is not mounted" in ran.stderr
    assert "mount -t proc" in ran.stderr
    assert ran.returncode == 3


def test_zombie(pytrace):
    child = subprocess.Popen(["true"], stdout=subprocess.PIPE)
    child.stdout.read()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    ran = targets.run(pytrace, "probes", "-p", child.pid)
    assert ran.returncode == 3
    assert b"has ended" in ran.stderr
    child.wait()


def test_kernel_thread(pytrace):
    with open("/proc/2/comm") as comm:
        if comm.read() != "kthreadd\n":
            pytest.skip("no kernel threads in this pid namespace")
    ran = targets.run(pytrace, "probes", "-p", 2)
    assert ran.returncode == 4
    assert b"kernel thread" in ran.stderr


def test_another_python(pytrace, tmp_path):
    """PyPy: a Python, but not one that can be walked."""
    exe = tmp_path / "pypy3.10"
    shutil.copy(shutil.which("cat"), exe)
    child = subprocess.Popen([exe], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    child.stdin.write(b"x")
    child.stdin.flush()
    assert child.stdout.read(1) == b"x"
    ran = targets.run(pytrace, "probes", "-p", child.pid)
    rows, _ = targets.ps(pytrace)
    child.communicate()
    assert ran.returncode == 5
    assert b"PyPy" in ran.stderr
    assert rows[child.pid]["walk"] is False
    assert "PyPy" in rows[child.pid]["why"]


def test_stopped_process(pytrace, system_python):
    """A process that is stopped answers no worse."""
    with running([system_python.file, "-c", WAIT]) as child:
        os.kill(child.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WNOWAIT)
        assert targets.the_interpreter(pytrace, child.pid)["walk"] is True
        os.kill(child.pid, signal.SIGCONT)


def test_a_thread_stands_for_its_process(pytrace, system_python):
    code = ("import threading, sys; e = threading.Event();"
            "t = threading.Thread(target=e.wait, daemon=True); t.start();"
            + WAIT)
    with running([system_python.file, "-c", code]) as child:
        tids = {int(t) for t in os.listdir("/proc/%d/task" % child.pid)}
        (tid,) = tids - {child.pid}
        assert targets.the_interpreter(pytrace, tid)["pid"] == child.pid
        rows, _ = targets.ps(pytrace)
        assert rows[child.pid]["threads"] == 2


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
