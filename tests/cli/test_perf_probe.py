# SPDX-License-Identifier: MIT
"""pytrace-perf-probe: what it would write, what it refuses, and where to.

No rights are needed: the tracefs here is a folder with a file in it, which
takes whatever is written.  What a kernel does is in tests/live.
"""
import os
import re
import shlex
import shutil
import subprocess

import pytest

PYTRACE = os.environ.get("PYTRACE", "./pytrace")
SRCDIR = os.environ.get("SRCDIR", ".")
HELPER = os.path.join(SRCDIR, "scripts/pytrace-perf-probe")
PYTHON = "/usr/bin/python3.11"
DEFAULT = ["audit", "function__entry", "function__return", "gc__done",
           "gc__start", "import__find__load__done",
           "import__find__load__start"]

if not os.path.exists(PYTHON):
    pytest.skip("no " + PYTHON, allow_module_level=True)


def helper(*args, **more):
    env = dict(os.environ, PYTRACE=os.path.abspath(PYTRACE),
               **more.pop("env", {}))
    return subprocess.run([HELPER, *map(str, args)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60,
                          check=False, env=env, **more)


def lines_of(ran):
    assert ran.returncode == 0, ran.stderr
    return [line for line in ran.stdout.splitlines()
            if not line.startswith("#")]


def names(lines):
    return [re.match(r"[p-]:sdt_python/(\w+) ", line)[1] for line in lines]


def dry(*args):
    return lines_of(helper("--add", "--dry-run", *args))


@pytest.fixture
def tracefs(tmp_path):
    """A folder with uprobe_events, and a tool that lacks perf in PATH."""
    folder = tmp_path / "tracing"
    folder.mkdir()
    (folder / "uprobe_events").write_text("")
    return folder


@pytest.fixture
def without_perf(tmp_path):
    """A PATH with everything but perf."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for one in ("awk cat cut dirname grep head ln mkdir readlink rm rmdir sed "
                "sleep sort stat tr uniq sh").split():
        (folder / one).symlink_to(shutil.which(one))
    return {"PATH": str(folder)}


def test_dry_run_is_what_pytrace_says():
    said = subprocess.run([PYTRACE, "probes", "--uprobe-events", PYTHON],
                          stdout=subprocess.PIPE, text=True, check=True)
    want = [line for line in said.stdout.splitlines()
            if line.startswith("p:sdt_python/")
            and not line.startswith("p:sdt_python/line ")]
    assert dry(PYTHON) == want
    assert names(want) == DEFAULT
    assert dry("-n", PYTHON, PYTHON) == want


def test_dry_run_has_perfs_commands(tmp_path):
    """As words for a shell, whatever the path is."""
    odd = tmp_path / "it's a $HOME"
    shutil.copy(PYTHON, odd)
    for path in (PYTHON, str(odd)):
        ran = helper("--add", "--dry-run", path)
        commands = [line[4:] for line in ran.stdout.splitlines()
                    if line.startswith("#   ")]
        assert [shlex.split(c) for c in commands] == [
            ["perf", "buildid-cache", "--add", path],
            ["perf", "probe", "-x", path,
             *(w for n in DEFAULT for w in ("-a", "sdt_python:" + n))]]


@pytest.mark.parametrize("wanted, found", [
    (["-e", "line"], ["line"]),
    (["-e", "gc__*,audit"], ["audit", "gc__done", "gc__start"]),
    (["--event=python:gc__done", "-eline"], ["gc__done", "line"]),
    (["--event", "sdt_python:function__?????"], ["function__entry"]),
    (["-e", "*"], sorted(DEFAULT + ["line"])),
])
def test_events_by_name(wanted, found):
    assert names(dry(*wanted, PYTHON)) == found


def test_odd_paths_get_a_link(tmp_path):
    odd = tmp_path / "a b#\u00e0"
    shutil.copy(PYTHON, odd)
    st = os.stat(odd)
    link = "/run/pytrace-perf-probe/%d-%d" % (st.st_dev, st.st_ino)
    ran = helper("--add", "--dry-run", odd)
    assert ["ln", "-s", str(odd), link] in [
        shlex.split(line[9:]) for line in ran.stdout.splitlines()
        if line.startswith("# first: ")]
    lines = lines_of(ran)
    assert lines and all(line.split(" ")[1].startswith(link + ":0x")
                         for line in lines)
    assert not os.path.lexists(link)


@pytest.mark.parametrize("code, kind, args", [
    (2, "usage", []),
    (2, "usage", ["--add"]),
    (2, "usage", ["--frob", PYTHON]),
    (2, "usage", ["--add", "--del", PYTHON]),
    (2, "usage", ["--add", "-p", "x"]),
    (2, "usage", ["--add", "-p"]),
    (2, "usage", ["--list", "--dry-run"]),
    (2, "usage", ["--del", "--buildid-cache"]),
    (3, "no-target", ["--add", "-n", "/nonexistent"]),
    (3, "no-target", ["--add", "-n", "-p", "4194999"]),
    (4, "not-python", ["--add", "-n", "/bin/true"]),
    (4, "not-python", ["--add", "-n", "/etc/passwd"]),
    (5, "unsupported", ["--add", "-n", "-e", "nope", PYTHON]),
    (7, "kernel", ["--list", "--tracefs=/nonexistent"]),
    (7, "kernel", ["--list", "--tracefs", "/"]),
], ids=str)
def test_refusals(code, kind, args):
    """A sentence on stderr, nothing on stdout, and the code of its kind."""
    ran = helper(*args)
    assert ran.returncode == code, ran.stderr
    assert not ran.stdout
    assert re.match(r"pytrace(-perf-probe)?: %s: " % kind, ran.stderr)


def test_hints():
    assert "-p 4194999" in helper("--add", "-n", "4194999").stderr
    assert "gc__done gc__start" in helper("--add", "-n", "-e", "nope",
                                          PYTHON).stderr
    ran = helper("--help")
    assert ran.returncode == 0 and "--buildid-cache" in ran.stdout
    assert helper("--version").stdout.startswith("pytrace ")


def test_adds_lists_and_leaves_others_alone(tracefs, without_perf):
    events = tracefs / "uprobe_events"
    theirs = "p:other/x /bin/true:0x0000000000001000\n" \
             "p:sdt_python/gc__done /bin/true:0x0000000000001000 arg1=%ax:u64\n"
    events.write_text(theirs)
    ran = helper("--add", "-e", "function__*", "--tracefs", tracefs, PYTHON,
                 env=without_perf)
    assert ran.returncode == 0, ran.stderr
    assert "does not fire on calls" in ran.stdout
    assert "%s/events/sdt_python/enable" % tracefs in ran.stdout
    assert events.read_text() == theirs + "".join(
        line + "\n" for line in dry("-e", "function__*", PYTHON))
    # what is there is not added again
    before = events.read_text()
    ran = helper("--add", "-e", "function__*", "--tracefs", tracefs, PYTHON,
                 env=without_perf)
    assert ran.returncode == 0 and events.read_text() == before
    ran = helper("--list", "--tracefs", tracefs)
    assert [line.split(None, 1) for line in ran.stdout.splitlines()] == [
        ["sdt_python:gc__done", "another tool's  /bin/true"],
        ["sdt_python:function__entry", "own             " + PYTHON],
        ["sdt_python:function__return", "own             " + PYTHON]]
    ran = helper("--list", "--tracefs", tracefs, PYTHON)
    states = dict(re.findall(r"^  sdt_python:(\w+) +(registered|not registered"
                             r"|name is taken) ", ran.stdout, re.M))
    assert states == {n: "registered" if n.startswith("function") else
                      "name is taken" if n == "gc__done" else "not registered"
                      for n in DEFAULT}


def test_del_takes_its_own_lines_away(tracefs):
    """By the whole line: another location of that event is not meant."""
    events = tracefs / "uprobe_events"
    own = dry(PYTHON)
    events.write_text(
        "p:sdt_python/audit /bin/true:0x0000000000001000 arg1=%ax:u64\n"
        + "\n".join(own) + "\np:sdt_python/mine /x:0x0000000000001000\n"
        "p:sdt_python/gc__done /gone/python3.9:0x0000000000001000(0x10) "
        "collected=%r12:s64\n")
    gone = "-:sdt_python/gc__done /gone/python3.9:0x0000000000001000(0x10) " \
           "collected=%r12:s64"
    minus = ["-" + line[1:] for line in own]
    assert lines_of(helper("--del", "-n", "--tracefs", tracefs, PYTHON)) \
        == minus
    assert lines_of(helper("--del", "-n", "--tracefs", tracefs)) \
        == minus + [gone]
    assert lines_of(helper("--del", "-n", "-e", "gc__done", "--tracefs",
                           tracefs)) == [minus[3], gone]
    before = events.read_text()
    ran = helper("--del", "--tracefs", tracefs, "-e", "gc__start", PYTHON)
    assert ran.returncode == 0 and ran.stdout == "1 taken away\n"
    assert events.read_text() == before + minus[4] + "\n"


def test_needs_perf_for_its_cache(tracefs, without_perf):
    for mode in "--add", "--del":
        ran = helper(mode, "--buildid-cache", "--tracefs", tracefs, PYTHON,
                     env=without_perf)
        assert ran.returncode == 1 and "needs perf" in ran.stderr
    assert (tracefs / "uprobe_events").read_text() == ""


def test_names_cannot_act_on_the_terminal(tmp_path):
    odd = tmp_path / "a\x1b[31m"
    shutil.copy("/bin/true", odd)
    ran = helper("--add", "-n", odd)
    assert ran.returncode == 4 and "\x1b" not in ran.stderr
