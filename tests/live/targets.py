# SPDX-License-Identifier: MIT
"""Processes for pytrace to find, and what it says of them."""
import ctypes
import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

# Says that it is there, and then does nothing until its stdin is closed.
WAIT = "import sys; sys.stdout.write('ready\\n'); sys.stdout.flush(); " \
       "sys.stdin.read()"

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS = 0x00020000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18


@contextmanager
def running(argv, **more):
    """The process of ARGV, which prints "ready" and ends with its stdin."""
    child = subprocess.Popen([str(a) for a in argv], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, **more)
    try:
        line = child.stdout.readline()
        assert line == b"ready\n", "%r said %r" % (argv, line)
        yield child
    finally:
        child.stdin.close()
        child.stdout.close()
        try:
            child.wait(20)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def run(pytrace, *args, **more):
    more.setdefault("timeout", 60)
    return subprocess.run([pytrace] + [str(a) for a in args],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **more)


def records(text):
    return [json.loads(line) for line in text.splitlines()]


def probes(pytrace, pid, **more):
    """All records of `probes -p PID --json`; it must end with 0."""
    ran = run(pytrace, "probes", "-p", pid, "--json", **more)
    assert ran.returncode == 0, ran.stderr
    return records(ran.stdout)


def interpreters(pytrace, pid, **more):
    """The interpreters that it finds in a process."""
    return [r for r in probes(pytrace, pid, **more)
            if r["type"] == "interpreter"]


def the_interpreter(pytrace, pid, **more):
    """The one that it would walk."""
    mains = [i for i in interpreters(pytrace, pid, **more) if i["main"]]
    assert len(mains) == 1, mains
    return mains[0]


def ps(pytrace, **more):
    """`ps --json`: rows by pid, and the record of its end."""
    ran = run(pytrace, "ps", "--json", **more)
    all_of_it = records(ran.stdout)
    assert all_of_it[-1]["type"] == "end"
    assert all_of_it[-1]["exit"] == ran.returncode, ran.stderr
    return {r["pid"]: r for r in all_of_it[:-1]}, all_of_it[-1]


def mount(source, target, kind=None, flags=0, data=None):
    def raw(s):
        return None if s is None else os.fsencode(str(s))
    if LIBC.mount(raw(source), raw(target), raw(kind), flags, raw(data)) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(target))


def own_mounts():
    """For preexec_fn: a mount namespace whose mounts nobody else sees."""
    if LIBC.unshare(CLONE_NEWNS) < 0:
        raise OSError(ctypes.get_errno(), "unshare")
    mount("none", "/", None, MS_REC | MS_PRIVATE)


def bind(source, target):
    mount(source, target, None, MS_BIND)


def compiler():
    return shutil.which("cc") or shutil.which("gcc")


def build(tmp_path, name, source, *flags):
    """The program NAME, made of C."""
    path = Path(tmp_path) / (name + ".c")
    path.write_text(source)
    out = Path(tmp_path) / name
    subprocess.run([compiler(), "-O1", "-o", out, path] + list(flags),
                   check=True)
    return out


def config(python, *names):
    """What an interpreter's sysconfig says."""
    code = "import sysconfig; [print(sysconfig.get_config_var(n) or '') " \
           "for n in %r]" % (names,)
    out = subprocess.run(python.argv("-c", code), check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    return out.splitlines()


def libpython(python):
    """The file of an interpreter's shared library, or None."""
    folder, name = config(python, "LIBDIR", "INSTSONAME")
    path = Path(folder) / name
    return path.resolve() if ".so" in name and path.exists() else None


if __name__ == "__main__":
    sys.exit("a module of the live tests")
