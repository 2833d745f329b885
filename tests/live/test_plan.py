# SPDX-License-Identifier: MIT
"""What is said before and after a trace is true: the plan, the end, the log."""
import json
import os
import re
import signal
import socket
import subprocess
import time

import pytest

from targets import MS_BIND, MS_REC, bind, mount, own_mounts
from tracing import LONG, existing, programs_of, wait_for

pytestmark = pytest.mark.usefixtures("may_trace")

NAPS = "import time\nwhile True: time.sleep(.02)\n"
NOBODY = 65534


@pytest.fixture
def napping(system_python):
    with subprocess.Popen(system_python.argv("-c", NAPS),
                          stdin=subprocess.DEVNULL) as p:
        time.sleep(0.7)
        yield p
        p.kill()


def run(pytrace, *args, **kw):
    kw.setdefault("stdout", subprocess.PIPE)
    kw.setdefault("stderr", subprocess.PIPE)
    return subprocess.run([pytrace, *map(str, args)],
                          stdin=subprocess.DEVNULL, timeout=LONG, check=False,
                          text=True, **kw)


def objects(text, kind):
    return [r for r in map(json.loads, text.splitlines()) if r["type"] == kind]


# --- --dry-run

VIEWS = [[], ["cpu"], ["offcpu"], ["syscalls"], ["faults"], ["trace"],
         ["record", "-o", "x.ptr"]]


@pytest.mark.parametrize("view", VIEWS, ids=lambda v: v[0] if v else "summary")
def test_dry_run_attaches_nothing(pytrace, napping, view, tmp_path, tool):
    calls = tmp_path / "calls"
    folder = tmp_path / "folder"
    folder.mkdir()
    done = run(tool("strace"), "-f", "-o", calls, "-e",
               "bpf,perf_event_open,ptrace", pytrace, *view, "-p",
               napping.pid, "--dry-run", cwd=folder)
    assert done.returncode == 0 and not done.stderr
    asked = [line for line in calls.read_text().splitlines() if "(" in line]
    assert not asked, asked
    assert not os.listdir(folder)
    assert "%d python3" % napping.pid in done.stdout
    assert "until       Ctrl-C, or the end of all of them" in done.stdout
    assert "sys_enter" in done.stdout and "on_dealloc" in done.stdout
    assert re.search(r"^cost +~[0-9.]+ us a ", done.stdout, re.M)


def attached_by(pid):
    """(programs, uprobes) by name, of all that a tracer holds."""
    shown = subprocess.run(["bpftool", "link", "show", "-j"],
                           stdout=subprocess.PIPE, check=True)
    held = programs_of(pid)[1]
    names = {p["id"]: p["name"] for p in json.loads(subprocess.run(
        ["bpftool", "prog", "show", "-j"], stdout=subprocess.PIPE,
        check=True).stdout)}
    return sorted(names[one["prog_id"]]
                  for one in json.loads(shown.stdout) if one["id"] in held)


@pytest.mark.parametrize("args", [
    ["trace"], ["record", "-o", "/dev/null"],
    ["trace", "-f", "-e", "gc,faults,sched:sched_waking,page-faults"]],
    ids=lambda a: " ".join(a))
def test_plan_is_what_is_attached(pytrace, napping, args):
    """Each link that the tracer has then, and no other."""
    words = [*args, "-p", napping.pid, "-d", LONG]
    plan = run(pytrace, *args[:1], *args[1:], "-p", napping.pid, "-d", 5,
               "--dry-run", *(["--json"] if args[0] == "trace" else []))
    assert plan.returncode == 0, plan.stderr
    with subprocess.Popen([pytrace, *map(str, words)],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as tracer:
        said = tracer.stderr.readline()
        assert tracer.stderr.readline().startswith(
            "pytrace: %d " % napping.pid)
        time.sleep(0.5)
        has = attached_by(tracer.pid)
        tracer.send_signal(signal.SIGINT)
        end = tracer.communicate(timeout=LONG)[1]
    assert "detached: nothing left" in end
    if args[0] == "trace":
        rows = objects(plan.stdout, "attach")
        want = sorted(r["program"][:15] for r in rows for _ in range(r["nr"]))
        assert sorted(name[:15] for name in has) == want
        n = [sum(1 for r in rows if (r["way"] == "uprobe") == is_probe)
             for is_probe in (False, True)]
    else:
        body = plan.stdout.split("events  ")[1]
        names = body.split("places")[0].replace("\n", " ").split(", ")
        n = [len(names), body.count("+0x")]
    assert said.startswith("pytrace: %d tracepoints and events, %d places in "
                           "1 file; for 180 s; ~" % tuple(n))
    assert "at most 25 %" in said


def test_plan_of_a_command(pytrace, system_python, tmp_path):
    ran = tmp_path / "ran"
    done = run(pytrace, "--dry-run", "--json", "--", "touch", ran)
    assert done.returncode == 0 and not ran.exists()
    plan, = objects(done.stdout, "plan")
    assert plan["command"] == ["touch", str(ran)] and plan["follow"]
    assert plan["may_trace"] is True
    assert plan["cost_ns"]["syscall"] > 0 and plan["estimate"] == ["cost_ns"]
    assert run(pytrace, "--dry-run", "--", "no-such-command").returncode == 127
    refused = run(pytrace, "--dry-run", "-i", ran)
    assert refused.returncode == 2 and "of no use with -i" in refused.stderr


def test_plan_without_rights(pytrace, napping, system_python):
    """Anybody may ask; that it would be refused is said."""
    way = ["setpriv", "--reuid=%d" % NOBODY, "--regid=%d" % NOBODY,
           "--clear-groups", "--"]
    with subprocess.Popen([*way, *system_python.argv("-c", NAPS)],
                          stdin=subprocess.DEVNULL) as own:
        time.sleep(0.7)
        done = subprocess.run([*way, pytrace, "-p", str(own.pid), "--dry-run"],
                              capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=LONG)
        own.kill()
    assert done.returncode == 0, done.stderr
    assert "CPython " in done.stdout
    assert "do not suffice as you are: 'pytrace doctor'" in done.stdout


# --- before and after

def test_end_is_true(pytrace, napping):
    with subprocess.Popen([pytrace, "trace", "-p", str(napping.pid), "-d",
                           str(LONG)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as tracer:
        assert tracer.stdout.readline()
        time.sleep(1)
        progs, links = programs_of(tracer.pid)
        assert progs and links
        assert progs <= existing("prog") and links <= existing("link")
        tracer.send_signal(signal.SIGINT)
        said = tracer.communicate(timeout=LONG)[1]
    assert tracer.returncode == 0
    assert re.search(r"^pytrace: [0-9]\.\d{3} s from first to last event; "
                     r"detached: nothing left$", said, re.M)
    wait_for(lambda: not progs & existing("prog") and
             not links & existing("link"), "the kernel has let go", 2)
    quiet = run(pytrace, "-q", "-p", napping.pid, "-d", ".5")
    assert quiet.returncode == 0 and not quiet.stderr
    assert len(quiet.stdout.splitlines()) <= 24


def test_detached_while_the_command_goes_on(pytrace, system_python):
    """It says so, holds nothing then, and has the command's status."""
    with subprocess.Popen(
            [pytrace, "trace", "-d", "1", "-o", "/dev/null", "--",
             *map(str, system_python.argv(
                 "-c", "import time; time.sleep(4); raise SystemExit(5)"))],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True) as tracer:
        assert "detached: nothing left" in tracer.stderr.readline()
        assert programs_of(tracer.pid) == (set(), set())
        assert tracer.wait(LONG) == 5


def test_descendants_that_go_on(pytrace, system_python):
    done = run(pytrace, "trace", "-e", "execve", "-o", "/dev/null", "--",
               "sh", "-c", "sleep 3 & sleep 3 & exit 4",
               stdout=subprocess.DEVNULL)
    assert done.returncode == 4
    assert "note: 2 descendants of the command still run, and are no longer " \
        "traced" in done.stderr
    done = run(pytrace, "trace", "-e", "execve", "-o", "/dev/null", "--",
               "sh", "-c", "sleep 0.1 & wait", stdout=subprocess.DEVNULL)
    assert "no longer traced" not in done.stderr


def test_strict_with_a_command(pytrace, system_python):
    """Its status is its own: what is not whole is said."""
    code = "import os\nfor _ in range(100000): os.getppid()\n" \
           "raise SystemExit(6)"
    done = run(pytrace, "trace", "--strict", "--buffer", "4K", "-o",
               "/dev/null", "--", *system_python.argv("-c", code))
    assert done.returncode == 6
    assert "pytrace: incomplete: " in done.stderr
    done = run(pytrace, "trace", "--strict", "-e", "openat", "-o",
               "/dev/null", "--", *system_python.argv("-c", "1"))
    assert done.returncode == 0 and "incomplete" not in done.stderr


@pytest.mark.parametrize("command, status", [("no-such-command", 127),
                                             ("/etc/passwd", 126)])
def test_older_recording_is_kept(pytrace, system_python, tmp_path, command,
                                 status):
    """Until it is known that there is something to be written."""
    path = tmp_path / "x.ptr"
    assert run(pytrace, "record", "-o", path, "--",
               *system_python.argv("-c", "1")).returncode == 0
    before = path.read_bytes()
    assert len(before) > 1000
    done = run(pytrace, "record", "-o", path, "--", command)
    assert done.returncode == status and path.read_bytes() == before
    text = tmp_path / "bad.ev"
    text.write_text(run(pytrace, "dump", path).stdout + "nonsense\n")
    done = run(pytrace, "dump", "--text", text, "-o", path)
    assert done.returncode == 9 and path.read_bytes() == before


# --- itself

def test_not_itself(pytrace):
    for option in ("-p", "-t"):
        done = subprocess.run(
            ["sh", "-c", 'exec "$0" trace %s $$ -d 1' % option, pytrace],
            capture_output=True, text=True, timeout=LONG, check=False)
        assert done.returncode == 2, done.stderr
        assert "is pytrace itself" in done.stderr


PARENT = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.argv[1], "trace", "--json", "-o", sys.argv[2],
                          "-f", "-d", "2", "-p", str(os.getpid())],
                         stdin=subprocess.DEVNULL)
while child.poll() is None:
    time.sleep(.02)
print(child.pid, child.returncode)
"""


def test_descendant_of_its_target(pytrace, system_python, tmp_path):
    """Who starts pytrace on himself with -f has no trace of pytrace."""
    trace = tmp_path / "trace"
    done = subprocess.run(system_python.argv("-c", PARENT, pytrace, trace),
                          capture_output=True, text=True, timeout=LONG,
                          check=False)
    pid, code = map(int, done.stdout.split())
    assert code == 0, done.stderr
    records = [json.loads(line) for line in trace.read_text().splitlines()]
    assert not any(r.get("pid") == pid for r in records)
    assert sum(r.get("name") == "clock_nanosleep" for r in records) > 20


# --- the system's log

def log_in(folder):
    """For preexec_fn: FOLDER/log is /dev/log, for nobody else."""
    def enter():
        own_mounts()
        for name in ("null", "full", "urandom"):
            bind("/dev/" + name, os.path.join(folder, name))
        mount(folder, "/dev", None, MS_BIND | MS_REC)
    return enter


@pytest.fixture
def log(tmp_path):
    folder = tmp_path / "dev"
    folder.mkdir()
    for name in ("null", "full", "urandom"):
        (folder / name).touch()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(str(folder / "log"))
        sock.settimeout(0.2)

        def lines():
            got = []
            try:
                while True:
                    got.append(sock.recv(4096).decode())
            except (TimeoutError, socket.timeout):
                return got
        yield str(folder), lines


@pytest.mark.skipif(os.geteuid() != 0, reason="it is root's log")
def test_start_and_end_are_logged(pytrace, napping, log):
    folder, lines = log
    env = dict(os.environ, SUDO_USER="ali\x1bce")
    done = run(pytrace, "trace", "-p", napping.pid, "-d", ".5", "-f",
               env=env, preexec_fn=log_in(folder))
    assert done.returncode == 0, done.stderr
    start, end = lines()
    # facility authpriv, level notice
    assert re.match(r"<85>.* pytrace\[\d+\]: start: pytrace trace -p %d -f "
                    r"\(.*python3.*\), by ali\\x1bce" % napping.pid, start)
    assert re.search(r"end: pytrace trace -p %d .*after 0\.\d s, \d+ events, "
                     r"exit 0" % napping.pid, end)
    done = run(pytrace, "-d", ".5", "--no-journal", "-p", napping.pid,
               preexec_fn=log_in(folder))
    assert done.returncode == 0 and not lines()


@pytest.mark.skipif(os.geteuid() != 0, reason="it is root's log")
def test_arguments_of_a_command_are_not_logged(pytrace, log):
    folder, lines = log
    done = run(pytrace, "trace", "-e", "openat", "--", "/bin/sh", "-c",
               "exit 3 # secret", preexec_fn=log_in(folder))
    assert done.returncode == 3
    start, end = lines()
    assert "start: pytrace trace -- /bin/sh, by " in start
    assert "exit 3" in end and "secret" not in start + end


# --- rights

CAPS = {"dac_read_search": 2, "sys_ptrace": 19, "sys_admin": 21,
        "perfmon": 38, "bpf": 39, "checkpoint_restore": 40}


def caps_of(pid):
    """{field: set of capabilities} of each thread."""
    out = {}
    for tid in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/status" % (pid, tid)) as f:
            for line in f:
                word, _, value = line.partition(":")
                if word in ("CapPrm", "CapEff", "CapBnd"):
                    out.setdefault(word, set()).add(int(value, 16))
                if word == "NoNewPrivs":
                    out.setdefault(word, set()).add(int(value))
    return out


@pytest.mark.skipif(os.geteuid() != 0, reason="nothing to drop")
@pytest.mark.parametrize("how", ["-p", "--exe"])
def test_rights_are_dropped(pytrace, napping, how, tmp_path):
    exe = os.readlink("/proc/%d/exe" % napping.pid)
    target = napping.pid if how == "-p" else exe
    with subprocess.Popen([pytrace, "record", "-o", str(tmp_path / "x"), how,
                           str(target), "-d", "3"], stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as tracer:
        tracer.stderr.readline()
        tracer.stderr.readline()
        time.sleep(1)
        caps = caps_of(tracer.pid)
        err = tracer.communicate(timeout=LONG)[1]
    kept = {CAPS[n] for n in ("bpf", "perfmon", "sys_ptrace",
                              "dac_read_search", "checkpoint_restore")}
    allowed = kept | {CAPS["sys_admin"]}
    release = tuple(map(int, re.findall(r"\d+", os.uname().release)[:2]))
    with open("/proc/sys/kernel/perf_event_paranoid") as f:
        paranoid = int(f.read())
    if release >= (6, 6) and paranoid < 3:
        allowed = kept
    for field in ("CapPrm", "CapEff"):
        for value in caps[field]:
            assert value and not value & ~sum(1 << c for c in allowed), field
    assert caps["CapBnd"] == {0} and caps["NoNewPrivs"] == {1}
    assert "cannot give up" not in err


@pytest.mark.skipif(os.geteuid() != 0, reason="nothing to drop")
def test_command_keeps_its_rights(pytrace, system_python):
    """It was started before, and is its own."""
    code = "print(''.join(l for l in open('/proc/self/status') " \
           "if l[:3] in ('Cap', 'NoN')))"
    alone = subprocess.run(system_python.argv("-c", code), text=True,
                           stdout=subprocess.PIPE, check=True)
    done = run(pytrace, "trace", "-e", "openat", "--",
               *system_python.argv("-c", code))
    assert done.returncode == 0 and done.stdout == alone.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="nothing to drop")
def test_later_processes_of_other_users(pytrace, system_python, tmp_path):
    """With what is left: their memory, their files, probes in them."""
    trace = tmp_path / "trace"
    copy = tmp_path / "python-late"     # whose file nobody has seen
    copy.write_bytes(open(os.path.realpath(
        system_python.argv("-c", "")[0]), "rb").read())
    copy.chmod(0o755)
    code = "import os, time\ndef here():\n" \
           "  for _ in range(50): time.sleep(.02)\nhere()\n"
    with subprocess.Popen([pytrace, "trace", "--json", "-o", str(trace), "-a",
                           "--max-overhead", "0", "-d", str(LONG)], stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as tracer, \
            subprocess.Popen(system_python.argv("-c", NAPS)) as first:
        wait_for(lambda: programs_of(tracer.pid)[1], "attached")
        time.sleep(2)
        parents = [p for p in tmp_path.parents if p.stat().st_mode & 5 != 5]
        modes = [(p, p.stat().st_mode) for p in parents]
        for p in parents:
            p.chmod(p.stat().st_mode | 0o755)
        try:
            late = subprocess.run(
                ["setpriv", "--reuid=%d" % NOBODY, "--clear-groups", "--",
                 str(copy), "-c", code], check=False, timeout=LONG)
        finally:
            for p, mode in modes:
                p.chmod(mode)
        first.kill()
        time.sleep(1)
        tracer.send_signal(signal.SIGINT)
        err = tracer.communicate(timeout=LONG)[1]
    assert late.returncode == 0 and tracer.returncode == 0, err
    records = [json.loads(line) for line in trace.read_text().splitlines()]
    pids = {r["pid"] for r in records if r["type"] == "process" and
            (r["exe"] or "").endswith("python-late")}
    sleeps = [r for r in records if r.get("name") == "clock_nanosleep" and
              r["pid"] in pids and r["stack"]]
    assert len(sleeps) > 20
    assert all(r["stack"][0]["func"] == "here" for r in sleeps)
