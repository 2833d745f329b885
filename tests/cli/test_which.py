# SPDX-License-Identifier: MIT
"""pytrace probes FILE: the interpreter that a file will turn out to run."""
import glob
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def probes(pytrace):
    def run(path, **more):
        return subprocess.run([pytrace, "probes", "--json", str(path)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=60, **more)
    return run


@pytest.fixture
def which(probes):
    """which(FILE): the record of the interpreter that it runs, or None."""
    def ask(path, **more):
        ran = probes(path, **more)
        assert ran.returncode == 0, ran.stderr
        rows = [json.loads(line) for line in ran.stdout.splitlines()]
        found = [r for r in rows if r["type"] == "interpreter"]
        assert len(found) <= 1
        if found:
            # Its notes follow it, as those of a file of that name.
            after = rows[rows.index(found[0]) + 1]
            assert after["type"] == "file"
            assert after["path"] == found[0]["path"]
            assert after["subject"] == found[0]["python"]
        return found[0] if found else None
    return ask


def script(path, first, mode=0o755):
    path.write_text(first + "\nprint('hello')\n")
    path.chmod(mode)
    return path


def with_path(*folders, **more):
    return dict(os.environ, PATH=":".join(map(str, folders)), **more)


def is_system(found, system_python):
    assert found["python"] == "CPython " + system_python.version
    assert os.path.samefile(found["path"], system_python.file)
    return True


@pytest.mark.parametrize("first", [
    "#!{}", "#! {} -u", "#!/usr/bin/env python3.11", "#!{}\r",
    "#!/usr/bin/env -S python3.11 -u", "#!/usr/bin/env -S A=1 python3.11 -u"])
def test_first_lines(which, probes, system_python, tmp_path, first):
    name = Path(system_python.file).name
    first = first.format(system_python.file).replace("python3.11", name)
    path = script(tmp_path / "x", first)
    env = with_path("/usr/bin", "/bin")
    if "\r" in first:
        # The kernel takes it for a part of the name, and so do we.
        assert probes(path, env=env).returncode == 4
        return
    assert is_system(which(path, env=env), system_python)


def test_script_of_a_script(which, probes, system_python, tmp_path):
    previous = system_python.file
    for n in range(5):
        previous = script(tmp_path / str(n), "#!%s" % previous)
    assert is_system(which(previous), system_python)
    # One more than the kernel follows.
    assert probes(script(tmp_path / "5", "#!%s" % previous)).returncode == 4
    script(tmp_path / "loop", "#!%s" % (tmp_path / "loop"))
    assert probes(tmp_path / "loop").returncode == 4


def test_path_is_that_of_the_command(which, system_python, tmp_path):
    """env takes the first executable regular file of that name."""
    for name in "folder", "plain", "empty", "right":
        (tmp_path / name).mkdir()
    (tmp_path / "folder/python").mkdir()
    (tmp_path / "plain/python").write_text("")
    (tmp_path / "right/python").symlink_to(system_python.file)
    path = script(tmp_path / "x", "#!/usr/bin/env python")
    env = with_path(tmp_path / "nothing", tmp_path / "folder",
                    tmp_path / "plain", tmp_path / "empty",
                    tmp_path / "right")
    assert is_system(which(path, env=env), system_python)


@pytest.mark.parametrize("options", [["--symlinks"], ["--copies"]])
def test_venv(which, system_python, tmp_path, options):
    subprocess.run([system_python.file, "-m", "venv", "--without-pip",
                    tmp_path / "venv"] + options, check=True)
    python = tmp_path / "venv/bin/python"
    path = script(tmp_path / "x", "#!%s" % python)
    found = which(path)
    assert found["exe"] == str(python)
    assert found["python"] == "CPython " + system_python.version
    # The file itself: nothing else to follow.
    assert which(python) is None


def library_of(python):
    out = subprocess.run(
        python.argv("-c", "import sysconfig as s; print(s.get_config_var("
                    "'LIBDIR')); print(s.get_config_var('INSTSONAME'))"),
        check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")
    path = Path(out[0]) / out[1]
    if ".so" not in out[1] or not path.exists():
        pytest.skip("no shared library")
    return path


MAIN = "int Py_BytesMain(int, char **);\n" \
       "int main(int c, char **v) { return Py_BytesMain(c, v); }\n"


@pytest.fixture
def program(source_python, tmp_path):
    """program(FLAG...): bin/prog, linked with lib/libpython3.N.so.1.0."""
    library = library_of(source_python)

    def build(*flags):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "lib").mkdir(exist_ok=True)
        shutil.copy(library, tmp_path / "lib" / library.name)
        (tmp_path / "prog.c").write_text(MAIN)
        out = tmp_path / "bin/prog"
        subprocess.run(["cc", "-o", out, tmp_path / "prog.c",
                        tmp_path / "lib" / library.name] + list(flags),
                       check=True)
        return out
    build.library = tmp_path / "lib" / library.name
    return build


def loaded(program, env=None):
    """What the dynamic loader itself would take."""
    out = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True,
                         check=True, env=env).stdout
    (line,) = [x for x in out.splitlines() if "libpython" in x]
    where = line.split("=> ")[1]
    return None if "not found" in where else where.split(" (")[0]


@pytest.mark.parametrize("flags", [
    ["-Wl,-rpath,$ORIGIN/../lib"],
    ["-Wl,-rpath,${ORIGIN}/../lib"],
    ["-Wl,-rpath,$ORIGIN/../lib", "-Wl,--disable-new-dtags"],
    ["-Wl,-rpath,/nowhere:$ORIGIN/../lib:/tmp"],
    ["-Wl,-rpath,$ORIGIN/../lib", "-Wl,-z,nosectionheader"],
], ids=["runpath", "braces", "rpath", "several", "no-sections"])
def test_origin(which, program, tmp_path, flags):
    try:
        prog = program(*flags)
    except subprocess.CalledProcessError:
        pytest.skip("this linker does not know %s" % flags[-1])
    link = tmp_path / "link"
    link.symlink_to(prog)
    assert os.path.samefile(loaded(prog), program.library)
    for path in prog, link:
        assert os.path.samefile(which(path)["path"], program.library)


def test_library_path(which, program):
    prog = program()
    env = dict(os.environ, LD_LIBRARY_PATH=":" + str(program.library.parent))
    found = which(prog, env=env)
    assert os.path.samefile(found["path"], loaded(prog, env))
    # Before RUNPATH, after RPATH.
    other = program.library.parent.parent / "other"
    other.mkdir()
    shutil.copy(program.library, other)
    env["LD_LIBRARY_PATH"] = str(other)
    for dtags in "--enable-new-dtags", "--disable-new-dtags":
        prog = program("-Wl,-rpath,$ORIGIN/../lib", "-Wl," + dtags)
        found = which(prog, env=env)
        assert os.path.samefile(found["path"], loaded(prog, env))


def test_library_of_a_library(which, program, tmp_path):
    """The program needs a plugin, and that needs libpython."""
    program()
    (tmp_path / "mid.c").write_text(MAIN.replace("int main", "int mid_main"))
    subprocess.run(["cc", "-shared", "-fPIC", "-o",
                    tmp_path / "lib/libmid.so", tmp_path / "mid.c",
                    program.library, "-Wl,-rpath,$ORIGIN"], check=True)
    (tmp_path / "main.c").write_text(
        "int mid_main(int, char **);\n"
        "int main(int c, char **v) { return mid_main(c, v); }\n")
    subprocess.run(["cc", "-o", tmp_path / "bin/two", tmp_path / "main.c",
                    "-L", tmp_path / "lib", "-lmid",
                    "-Wl,-rpath,$ORIGIN/../lib"], check=True)
    found = which(tmp_path / "bin/two")
    assert os.path.samefile(found["path"], program.library)


def test_library_that_is_missing(which, program):
    prog = program("-Wl,-rpath,$ORIGIN/../lib")
    library = program.library
    library.unlink()
    assert loaded(prog) is None
    assert which(prog) is None
    # A file of that name and another architecture is passed over.
    library.write_bytes(b"\177ELF" + b"\0" * 100)
    assert which(prog) is None


SHIM = """#!/usr/bin/env bash
set -e
[ -n "$PYENV_DEBUG" ] && set -x

program="${{0##*/}}"

export PYENV_ROOT="{0}"
exec "{0}/libexec/pyenv" exec "$program" "$@"
"""


@pytest.fixture
def pyenv(tmp_path, system_python):
    """A pyenv with versions that are not what they say, to be told apart."""
    root = tmp_path / "pyenv"
    for version in "3.9.9", "3.11.2", "3.11.10":
        folder = root / "versions" / version / "bin"
        folder.mkdir(parents=True)
        shutil.copy(system_python.file, folder / "python3")
    (root / "shims").mkdir()
    shim = root / "shims/python3"
    shim.write_text(SHIM.format(root))
    shim.chmod(0o755)
    (root / "version").write_text("3.9.9\n")
    return root


def version_of(found):
    return Path(found["path"]).parts[-3]


def test_pyenv(which, probes, pyenv, system_python, tmp_path):
    shim = pyenv / "shims/python3"
    path = with_path(pyenv / "shims", Path(system_python.file).parent)
    path.pop("PYENV_VERSION", None)
    work = tmp_path / "work/deep"
    work.mkdir(parents=True)
    assert version_of(which(shim, env=path, cwd=work)) == "3.9.9"
    (tmp_path / "work/.python-version").write_text("nothing-here\n3.11.2\n")
    assert version_of(which(shim, env=path, cwd=work)) == "3.11.2"
    for said, meant in [("3.9.9", "3.9.9"), ("3.11", "3.11.10"),
                        ("none:3.9.9", "3.9.9")]:
        env = dict(path, PYENV_VERSION=said)
        assert version_of(which(shim, env=env, cwd=work)) == meant
    # By a script, and by PATH.
    user = script(tmp_path / "x", "#!/usr/bin/env python3")
    assert version_of(which(user, env=path, cwd=work)) == "3.11.2"
    env = dict(path, PYENV_VERSION="system")
    assert is_system(which(user, env=env, cwd=work), system_python)
    # A version that is not installed runs nothing.
    env = dict(path, PYENV_VERSION="2.7")
    assert probes(shim, env=env, cwd=work).returncode == 4


def test_real_pyenv(which, source_python):
    """What the shims of this machine say is what they run."""
    root = os.environ.get("PYENV_ROOT")
    shim = Path(root or "/nonexistent") / "shims" / \
        ("python" + source_python.minor)
    if not shim.exists():
        pytest.skip("no shims of pyenv here")
    env = dict(os.environ, PYENV_VERSION=source_python.version)
    assert which(shim, env=env)["python"] == \
        "CPython " + source_python.version


def test_other_root(which, pytrace, interpreters):
    """A path below /proc/PID/root is one of that root, links and all."""
    debian = [i for i in interpreters if i.origin == "debian"]
    if os.geteuid() or not debian:
        pytest.skip("needs root, and scripts/interpreters to have been run")
    child = subprocess.Popen(
        debian[-1].argv("-c", "print('ready', flush=True); input()"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        child.stdout.readline()
        top = "/proc/%d/root" % child.pid
        name = "x%d" % os.getpid()
        path = Path(top) / "tmp" / name
        script(path, "#!/usr/bin/env python%s" % debian[-1].minor)
        # An absolute link leads to that root, not to ours.
        link = Path(top) / "tmp" / (name + ".link")
        link.symlink_to("/tmp/" + name)
        for one in path, link:
            found = which(one)
            assert found["path"].endswith("bin/python" + debian[-1].minor)
            assert found["python"] == "CPython " + debian[-1].version
        path.unlink()
        link.unlink()
    finally:
        child.communicate(b"\n")


@pytest.mark.parametrize("make, code", [
    (lambda p: p.write_text("no program\n"), 4),
    (lambda p: p.write_text("#!\n"), 4),
    (lambda p: p.write_text("#!/nonexistent/python\n"), 4),
    (lambda p: p.write_text("#!/bin/cat\n"), 4),
    (lambda p: p.write_text("#!/usr/bin/env\n"), 4),
    (lambda p: p.mkdir(), 4),
    (os.mkfifo, 4),
    (lambda p: None, 3),
], ids=["text", "empty-line", "no-such", "cat", "bare-env", "folder", "fifo",
        "missing"])
def test_no_interpreter(probes, tmp_path, make, code):
    path = tmp_path / "x"
    make(path)
    ran = probes(path)
    assert ran.returncode == code, ran.stderr
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [r["type"] for r in rows] == ["error", "end"]
    assert str(path) in rows[0]["text"]
    assert not glob.glob(str(tmp_path / "core*"))


def test_program_without_one(which):
    assert which("/bin/true") is None
