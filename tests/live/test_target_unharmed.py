# SPDX-License-Identifier: MIT
"""The traced program is the same with and without pytrace, and after it."""
import json
import os
import shutil
import signal
import subprocess
import textwrap
import time

import pytest

import check
from tracing import (ORACLE, PROGRAM, assert_right, existing, programs_of,
                     text_differs, wait_for)

MIRROR = ORACLE / "mirror.py"
BUSY = ORACLE / "busy.py"
SOAK = os.environ.get("PYTRACE_SOAK") == "1"


# --- a command

def flat(text):
    """What mirror.py printed, as {"status/SigBlk": "0000", ...}."""
    out = {}

    def walk(name, value):
        if isinstance(value, dict):
            for key, one in value.items():
                walk(name + "/" + key, one)
        else:
            out[name] = value
    walk("", json.loads(text))
    return out


def assert_same(traced, plain):
    traced, plain = flat(traced), flat(plain)
    differ = {name: (plain.get(name), traced.get(name))
              for name in sorted(set(traced) | set(plain))
              if plain.get(name) != traced.get(name)}
    assert differ == {}, "untraced, traced"


def test_command_sees_no_difference(tracer, python):
    """Files, signal masks, limits, environment... (mirror.py says what)."""
    argv = python.argv(MIRROR)
    plain = subprocess.run(argv, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE,
                           stdin=subprocess.DEVNULL, check=True)
    run = tracer.run(argv)
    assert run.status == 0, run.stderr
    assert_same(run.stdout, plain.stdout)


def test_blocked_and_ignored_signals_are_kept(tracer, system_python):
    """What its parent had blocked or ignored a command still has."""
    def odd():
        signal.pthread_sigmask(signal.SIG_BLOCK,
                               [signal.SIGUSR2, signal.SIGINT,
                                signal.SIGCHLD])
        signal.signal(signal.SIGQUIT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.umask(0o27)
    argv = system_python.argv(MIRROR)
    plain = subprocess.run(argv, stdout=subprocess.PIPE, check=True,
                           stderr=subprocess.PIPE,
                           stdin=subprocess.DEVNULL, preexec_fn=odd)
    run = tracer.run(argv, preexec_fn=odd)
    assert_same(run.stdout, plain.stdout)
    blocked = int(flat(run.stdout)["/status/SigBlk"], 16)
    assert blocked >> (signal.SIGUSR2 - 1) & 1


def test_inherited_files_are_kept(tracer, system_python, tmp_path):
    argv = system_python.argv(MIRROR)
    with open(tmp_path / "one", "w") as one:
        os.set_inheritable(one.fileno(), True)
        plain = subprocess.run(argv, stdout=subprocess.PIPE, check=True,
                               stderr=subprocess.PIPE,
                               stdin=subprocess.DEVNULL,
                               pass_fds=[one.fileno()])
        run = tracer.run(argv, pass_fds=[one.fileno()])
    assert_same(run.stdout, plain.stdout)
    assert "/one" in run.stdout.decode()


def test_output_of_a_program(tracer, python, tmp_path):
    """What it prints on both streams, and what it reads."""
    argv = python.argv("-c", textwrap.dedent("""
        import sys
        text = sys.stdin.read()
        print(text.upper() * 1000)
        print("error stream", file=sys.stderr)
        sys.exit(5)
        """))
    (tmp_path / "in").write_text("some text\n")
    with open(tmp_path / "in") as f:
        run = tracer.run(argv, stdin=f)
    assert run.stdout == b"SOME TEXT\n\n"[:10] * 1000 + b"\n"
    assert "error stream" in run.stderr
    assert run.status == 5


@pytest.mark.parametrize("code,status", [
    ("pass", 0), ("raise SystemExit(7)", 7), ("1/0", 1),
    ("import os; os._exit(255)", 255),
    ("import os; os.kill(os.getpid(), 9)", 128 + 9),
    ("import os; os.kill(os.getpid(), 15)", 128 + 15),
    ("import os; os.abort()", 128 + 6)])
def test_exit_status_passes_through(tracer, system_python, code, status):
    assert tracer.run(system_python.argv("-c", code)).status == status


@pytest.mark.parametrize("name,status", [
    ("does-not-exist-anywhere", 127), ("{}/not-executable", 126), ("/", 126)])
def test_command_that_cannot_run(tracer, tmp_path, name, status):
    (tmp_path / "not-executable").write_text("true\n")
    run = tracer.run([name.format(tmp_path)])
    assert run.status == status
    assert run.stderr.startswith("pytrace: ")


# --- attached

@pytest.fixture
def own_python(system_python, tmp_path):
    """Words that run a copy of Debian's Python: the probes that others have
    in the file of the real one are not in this one's text."""
    path = tmp_path / "own-python"
    shutil.copy(system_python.file, path)
    return ["env", "PYTHONHOME=/usr", str(path)]


@pytest.fixture
def busy(tracer, own_python, tmp_path):
    """A busy program of 16 threads; .finish() ends it and checks its sums."""
    return start_busy(tracer, own_python, tmp_path)


def start_busy(tracer, python, folder, threads=16):
    child = tracer.start(python + [BUSY, folder, threads],
                         stdout=subprocess.PIPE)

    def finish():
        (folder / "stop").touch()
        out, _ = child.communicate(timeout=60)
        assert child.returncode == 0, child.returncode
        assert out == b"sums are right\n"
    child.finish = finish
    wait_for((folder / "ready").exists, "the busy program runs")
    return child


def state_of(pid):
    """What of a process may not change: files, masks, tracer, threads."""
    with open("/proc/%d/status" % pid) as f:
        lines = [line for line in f if line.split(":")[0] in (
            "TracerPid", "SigIgn", "SigCgt", "Threads", "Seccomp",
            "NoNewPrivs", "Uid", "CapEff", "SigBlk")]
    files = sorted(os.readlink("/proc/%d/fd/%s" % (pid, fd))
                   for fd in os.listdir("/proc/%d/fd" % pid))
    return lines, files


def test_text_and_state_after_detach(tracer, debian_python, own_python,
                                     tmp_path):
    child = start_busy(
        tracer, own_python if debian_python.origin == "system"
        else debian_python.argv(), tmp_path, 4)
    assert text_differs(child.pid) == []
    before = state_of(child.pid)
    attached = tracer.attach(child.pid)
    time.sleep(0.3)
    during = state_of(child.pid)
    run = attached.stop()
    assert run.status == 0, run.stderr
    assert during == before
    assert state_of(child.pid) == before
    assert text_differs(child.pid) == []
    child.finish()


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM,
                                 signal.SIGHUP])
def test_signals_end_it_with_a_report(tracer, busy, sig):
    attached = tracer.attach(busy.pid)
    time.sleep(0.2)
    begin = time.monotonic()
    run = attached.stop(sig)
    assert time.monotonic() - begin < 3
    assert run.status == 0, run.stderr
    assert run.records()[-1]["type"] == "end"
    busy.finish()


def test_sigkill_leaves_nothing(tracer, busy, tool):
    """No program, no link, no breakpoint a second after kill -9."""
    tool("bpftool")
    attached = tracer.attach(busy.pid)
    pid = attached.child.pid
    programs, links = programs_of(pid)
    assert programs, "a tracer at work holds BPF programs"
    time.sleep(0.2)
    os.kill(pid, signal.SIGKILL)
    attached.child.wait()
    wait_for(lambda: not programs & existing("prog")
             and not links & existing("link"),
             lambda: "gone: programs %s, links %s" % (
                 programs & existing("prog"), links & existing("link")), 3)
    assert text_differs(busy.pid) == []
    busy.finish()


def test_sigkill_with_a_command(tracer, system_python, tool, tmp_path):
    """The command goes on to its end, untraced and whole."""
    tool("bpftool")
    words, _ = tracer.command(system_python.argv(BUSY, tmp_path, 4))
    child = subprocess.Popen(words, stdout=subprocess.PIPE,
                             stdin=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    tracer.running.append(child)
    wait_for((tmp_path / "ready").exists, "the command runs")
    programs, _ = programs_of(child.pid)
    assert programs
    child.kill()
    child.wait()
    wait_for(lambda: not programs & existing("prog"), "programs are gone", 3)
    (tmp_path / "stop").touch()
    # The command holds the other end of the pipe until it has ended.
    assert child.stdout.read() == b"sums are right\n"


def test_attach_and_detach_rounds(tracer, busy):
    """50 rounds (500 in a soak) on 16 busy threads."""
    rounds = 500 if SOAK else 50
    events = 0
    for _ in range(rounds):
        attached = tracer.attach(busy.pid)
        run = attached.stop()
        assert run.status == 0, run.stderr
        with open(run.trace) as f:
            for line in f:
                events += line.startswith('{"type":"syscall"')
        assert line.startswith('{"type":"end"')
        run.trace.unlink()
        assert busy.poll() is None
    assert events > rounds
    assert text_differs(busy.pid) == []
    busy.finish()


def test_attach_to_many_threads_is_quick(tracer, system_python, tmp_path):
    """200 threads: attached and at work within a second or two."""
    child = tracer.start(system_python.argv("-c", textwrap.dedent("""
        import os, sys, threading, time
        stop = threading.Event()
        def body():
            while not stop.wait(0.05):
                os.getpgid(0)
        many = [threading.Thread(target=body) for i in range(200)]
        [t.start() for t in many]
        open(sys.argv[1] + "/ready", "w").close()
        time.sleep(600)
        """), tmp_path))
    wait_for((tmp_path / "ready").exists, "200 threads")
    begin = time.monotonic()
    attached = tracer.attach(child.pid)
    took = time.monotonic() - begin
    time.sleep(0.6)
    run = attached.stop()
    calls = run.calls("getpgid")
    assert len({c["tid"] for c in calls}) == 200
    assert all(c["stack"] and c["stack"][0]["func"] == "body" for c in calls)
    assert took < 2, "attached after %.2f s" % took


def test_target_without_events_is_nothing(tracer, system_python):
    """Attached, and not one event came: exit 11, says how long."""
    child = tracer.start(system_python.argv(
        "-c", "import signal, sys; print(1, flush=True); signal.pause()"),
        stdout=subprocess.PIPE)
    child.stdout.readline()
    time.sleep(0.1)
    attached = tracer.attach(child.pid, "-d", "0.5", wait=False)
    run = attached.wait(20)
    assert run.status == 11, run.stderr


def test_it_never_stops_the_target(tracer, system_python, tmp_path):
    """A program that measures its longest pause sees none at an attach."""
    child = tracer.start(system_python.argv("-c", textwrap.dedent("""
        import os, sys, time
        open(sys.argv[1] + "/ready", "w").close()
        longest, last = 0, time.monotonic()
        while not os.path.exists(sys.argv[1] + "/stop"):
            now = time.monotonic()
            longest, last = max(longest, now - last), now
        print(longest)
        """), tmp_path), stdout=subprocess.PIPE)
    wait_for((tmp_path / "ready").exists, "it runs")
    for _ in range(3):
        attached = tracer.attach(child.pid)
        with open("/proc/%d/status" % child.pid) as f:
            assert "TracerPid:\t0" in f.read()
        attached.stop()
    (tmp_path / "stop").touch()
    out, _ = child.communicate(timeout=30)
    # Two cores and other tests beside: far above any run of the scheduler.
    assert float(out) < 0.5


def test_leaves_no_file_behind(tracer, system_python, tmp_path):
    """Neither in the current folder nor beside the program or in /tmp."""
    work = tmp_path / "work"
    work.mkdir()
    truth = tmp_path / "truth"

    def tmp():
        return {n for n in os.listdir("/tmp") if "pytrace" in n.lower()
                or n.startswith(("perf-", "jit-", "pt-"))}
    before = tmp()
    words, trace = tracer.command(system_python.argv(
        PROGRAM, "--seed", 1, "--truth", truth, "--folder", tmp_path,
        "--only", "reuse"))
    subprocess.run(words, cwd=work, check=True, stdin=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    assert os.listdir(work) == []
    assert tmp() - before == set()
    assert_right(check.check(truth, trace))
    # What a tracer writes may hold paths and names of others.
    assert os.stat(trace).st_mode & 0o077 == 0 or \
        os.stat(trace).st_mode & 0o777 == 0o644
