# SPDX-License-Identifier: MIT
"""What cannot be had, or is not all there, is said and not left to be guessed."""
import json
import os
import shutil
import subprocess
import time

import pytest

from targets import mount, own_mounts
from tracing import LONG

pytestmark = pytest.mark.usefixtures("may_trace")

NAPS = "import time\nwhile True: time.sleep(.02)\n"


@pytest.fixture
def napping(system_python):
    with subprocess.Popen(system_python.argv("-c", NAPS),
                          stdin=subprocess.DEVNULL) as p:
        time.sleep(0.7)
        yield p
        p.kill()


def run(pytrace, *args, **kw):
    kw.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([pytrace, *map(str, args)],
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          timeout=LONG, check=False, text=True, **kw)


def has_notes(pytrace, python):
    return "gc__start" in run(pytrace, "probes", python.file).stdout


# --- probes that are not there

@pytest.mark.parametrize("how", ["-p", "--"])
def test_misspelt_probe_of_python(pytrace, system_python, napping, how):
    """At once, with those that there are, the likely ones first."""
    if not has_notes(pytrace, system_python):
        pytest.skip("this Python has no probes")
    target = ["-p", napping.pid, "-d", LONG] if how == "-p" else \
        ["--", *system_python.argv("-c", NAPS)]
    began = time.monotonic()
    done = run(pytrace, "trace", "-e", "usdt:python:gc__strat", *target)
    assert time.monotonic() - began < 20
    assert done.returncode == (5 if how == "-p" else 125)
    assert "it has python:gc__start, python:gc__done, " in done.stderr


def test_probe_of_nobody(pytrace, napping):
    """A library may come later: it is waited for, but not in silence."""
    done = run(pytrace, "trace", "-e", "usdt:nobody:gc__strat", "-p",
               napping.pid, "-d", ".5")
    assert done.returncode == 11
    assert done.stderr.count("note: no probe 'usdt:nobody:gc__strat'") == 1
    assert "python:gc__start" in done.stderr
    ok = run(pytrace, "trace", "-e", "usdt:python:gc__start", "-p",
             napping.pid, "-d", ".5")
    assert "note: no probe" not in ok.stderr


def test_command_without_probes(pytrace, system_python, source_python):
    """Found out when it is met, and said at the end."""
    if has_notes(pytrace, source_python):
        pytest.skip("that Python has probes")
    line = "'%s' -c 'import gc; gc.collect()'; '%s' -c 'import gc; " \
        "gc.collect()'; exit 3" % (source_python.file, system_python.file)
    done = run(pytrace, "trace", "-e", "gc", "--", "sh", "-c", line,
               stdout=subprocess.DEVNULL,
               env=dict(os.environ, PYTHONNOUSERSITE="1"))
    assert done.returncode == 3, done.stderr
    assert done.stderr.count("note: not of every process: 'gc' needs a USDT "
                             "probe") == 1


# --- files that are not all there

@pytest.mark.parametrize("how", ["-p", "--"])
def test_full_disk_of_a_recording(pytrace, system_python, tmp_path, how):
    """How many of the events are in it; and so many are."""
    def small():
        own_mounts()
        mount("none", tmp_path, "tmpfs", 0, "size=200k")

    busy = "import os\nfor _ in range(%d): os.getppid()\n"
    path = tmp_path / "x.ptr"
    keep = tmp_path.parent / (tmp_path.name + ".kept")
    script = 'code=0; "$@" || code=$?; cp %s %s; exit $code' % (path, keep)
    with subprocess.Popen(system_python.argv("-c", busy % 10 ** 9),
                          stdin=subprocess.DEVNULL) as target:
        time.sleep(0.7)
        words = ["-p", target.pid, "-d", LONG] if how == "-p" else \
            ["--", *system_python.argv("-c", busy % 20000)]
        done = run("sh", "-c", script, "sh", pytrace, "record", "-e",
                   "syscalls", "-o", path, *words, preexec_fn=small)
        target.kill()
    assert done.returncode == (8 if how == "-p" else 0), done.stderr
    assert "No space left on device" in done.stderr
    line, = [s for s in done.stderr.splitlines() if "ends before" in s]
    held, made = [int(w) for w in line.split() if w.isdigit()]
    dump = run(pytrace, "dump", keep)
    assert dump.returncode == 9
    calls = [s for s in dump.stdout.splitlines() if " syscall " in s]
    assert 0 < held == len(calls) < made


def test_cut_paths_are_marked(pytrace, system_python):
    code = "import os\nfor n in 31, 33, 300:\n" \
           "  try: os.stat('/' + 'x' * (n - 1))\n  except OSError: pass\n"
    done = run(pytrace, "trace", "--json", "-s", "32", "-o", "/dev/stdout",
               "--", *system_python.argv("-c", code))
    calls = [r for r in map(json.loads, done.stdout.splitlines())
             if r["type"] == "syscall" and "/xxxx" in str(r.get("decoded"))]
    assert [(len(next(iter(r["decoded"].values()))), "cut" in r)
            for r in calls] == [(31, False), (32, True), (32, True)]
    assert all(list(map(str, r["cut"])) == list(r["decoded"])
               for r in calls if "cut" in r)


# --- processes

def test_unusual_name_of_a_static_python(pytrace, interpreters, tmp_path):
    """It is what it does: a copy of it is no guest in itself."""
    seen = 0
    for python in interpreters:
        if python.origin == "source" or python.info < (3, 8):
            continue
        odd = tmp_path / "unusual"
        shutil.copy(os.path.realpath(python.file), odd)
        argv = python.argv("-c", "import time; time.sleep(20)")
        argv = [str(odd) if w == str(python.file) else w for w in argv]
        with subprocess.Popen(argv, stdin=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as p:
            time.sleep(1)
            done = run(pytrace, "probes", "--json", "-p", p.pid)
            alive = p.poll() is None
            p.kill()
        odd.unlink()
        if not alive or done.returncode:
            continue            # cannot run outside of its own root
        one, = [r for r in map(json.loads, done.stdout.splitlines())
                if r["type"] == "interpreter"]
        assert one["embedded"] is False, python
        seen += 1
    assert seen


def test_one_message_for_what_nobody_may_see(pytrace):
    """Process 1 of some hosts: each view says the same of it."""
    try:
        with open("/proc/1/maps", "rb") as f:
            f.read(1)
        pytest.skip("process 1 can be looked into here")
    except OSError:
        pass
    said = [run(pytrace, *words, "-p", 1) for words in
            (["trace", "-d", 1], ["-d", 1], ["probes"])]
    assert {d.returncode for d in said} == {6}
    assert len({d.stderr for d in said}) == 1
