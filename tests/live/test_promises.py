# SPDX-License-Identifier: MIT
"""What pytrace promises to whoever runs it in production, one by one."""
import json
import resource
import signal
import struct
import subprocess
import time
from contextlib import contextmanager

import pytest
from tracing import LONG, programs_of, wait_for

pytestmark = pytest.mark.usefixtures("may_trace")

# As many system calls as it can; now and then one that blocks.
BUSY = """
import os, time
def quick():
    for _ in range(20000):
        os.getppid()
def slow():
    time.sleep(.01)
while True:
    quick()
    slow()
"""
NAPS = "import time\nwhile True: time.sleep(.02)\n"


@contextmanager
def running(python, code):
    with subprocess.Popen(python.argv("-c", code),
                          stdin=subprocess.DEVNULL) as child:
        time.sleep(0.5)
        try:
            yield child
        finally:
            child.kill()


def run(pytrace, *args, **kw):
    kw.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([pytrace, *map(str, args)],
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          timeout=LONG, check=False, text=True, **kw)


def objects(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


# --- what tracing may cost

def test_over_budget_it_sheds_and_detaches(pytrace, system_python):
    """Step by step, each said and in the stream; what was measured is shown."""
    with running(system_python, BUSY) as child:
        done = run(pytrace, "trace", "--json", "-p", child.pid, "-d", 30,
                   "-e", "syscalls,cpu", "--max-overhead", 1)
    assert done.returncode == 12, done.stderr
    records = objects(done)
    steps = [r for r in records if r["type"] == "shed"]
    assert [r["step"] for r in steps] == ["stacks", "calls", "samples",
                                          "detach"]
    for r in steps:
        assert r["limit_percent"] == 1 and r["why"] == "target"
        assert r["span_ns"] >= 5e8
        assert r["cost_ns"] > 0.01 * (r["target_ns"] - r["cost_ns"])
        assert 0 < r["target_ns"] < 1.2 * r["span_ns"]
    for words in ("no stacks of system calls", "no system calls below 1 ms",
                  "no samples", "detached"):
        assert words in done.stderr
    assert "--max-overhead 0" in done.stderr
    assert records[-1]["type"] == "end" and records[-1]["exit"] == 12
    # it is over when it says so, not after 30 s
    assert records[-1]["t"] - records[0]["t"] < 10e9
    calls = [r for r in records if r["type"] == "syscall"]
    first, second = steps[0]["t"], steps[1]["t"]
    assert all(r["stack"] for r in calls if r["t"] < first - 5e7)
    quick = [r for r in calls if r["name"] == "getppid" and
             first + 5e7 < r["t"] < second]
    assert quick and not any(r["stack"] for r in quick)
    late = [r for r in calls if r["t"] > second + 5e7]
    assert late and all(r["dur"] is None or r["dur"] >= 1e6 for r in late)


def test_blocking_calls_keep_their_stacks(pytrace, system_python):
    """Where a thread waits is what the first step does not cost."""
    with running(system_python, BUSY) as child:
        done = run(pytrace, "trace", "--json", "-p", child.pid, "-d", 20,
                   "-e", "syscalls,offcpu", "--max-overhead", 1)
    records = objects(done)
    steps = [r["t"] for r in records if r["type"] == "shed"]
    if not steps:
        pytest.skip("the machine is too busy for the target to cost anything")
    first = steps[0]
    sleeps = [r for r in records if r["type"] == "syscall" and
              r["name"] == "clock_nanosleep" and r["t"] > first]
    assert sleeps
    assert all(r["stack"][0]["func"] == "slow" for r in sleeps)


def test_estimates_are_marked(pytrace, system_python):
    with running(system_python, BUSY) as child:
        done = run(pytrace, "syscalls", "-p", child.pid, "-d", 30,
                   "--max-overhead", 1)
        strict = run(pytrace, "-p", child.pid, "-d", 1, "--json", "--strict",
                     "--max-overhead", 1)
    assert done.returncode == 12
    rows = [line for line in done.stdout.splitlines() if "getppid" in line]
    assert rows and all("~" in line for line in rows)
    assert "note: over --max-overhead; after " in done.stdout
    assert strict.returncode in (10, 12)
    got = objects(strict)
    assert got[0]["type"] == "account" and got[0]["complete"] is False
    assert all("ns" in r["estimate"] for r in got
               if r["type"] == "row" and r.get("cause") == "cpu")


def test_no_limit(pytrace, system_python):
    """0 and a command of our own have none."""
    with running(system_python, BUSY) as child:
        done = run(pytrace, "trace", "--json", "-p", child.pid, "-d", 1.1,
                   "--max-overhead", 0)
    assert done.returncode == 0
    assert not any(r["type"] == "shed" for r in objects(done))
    done = run(pytrace, "trace", "-o", "/dev/null", "--", *system_python.argv(
        "-c", "import os\nfor _ in range(200000): os.getppid()"))
    assert done.returncode == 0
    assert "budget" not in done.stderr


def test_idle_target_is_never_too_much(pytrace, system_python):
    """Whatever share of next to nothing it is."""
    with running(system_python, NAPS) as child:
        done = run(pytrace, "trace", "--json", "-p", child.pid, "-d", 2,
                   "--max-overhead", 1)
    assert done.returncode == 0, done.stderr
    assert not any(r["type"] == "shed" for r in objects(done))


# --- the end comes, whoever reads

def is_attached(pid):
    return bool(programs_of(pid)[1])


@pytest.mark.parametrize("how", ["duration", "signal"])
def test_reader_that_does_not_read(pytrace, system_python, how):
    """It holds the report, not the trace; and has all of it later."""
    with running(system_python, BUSY) as child, subprocess.Popen(
            [pytrace, "trace", "-p", str(child.pid), "-d",
             "2" if how == "duration" else str(LONG)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE) as tracer:
        wait_for(lambda: is_attached(tracer.pid), "attached")
        if how == "signal":
            time.sleep(1)       # the pipe is full long since
            tracer.send_signal(signal.SIGINT)
        wait_for(lambda: not is_attached(tracer.pid), "detached", 30)
        assert tracer.poll() is None
        text, _ = tracer.communicate(timeout=LONG)
        assert tracer.returncode == 0
    assert text.count(b"getppid") > 1000


# --- files

def test_recording_is_looked_at_first(pytrace, system_python, tmp_path):
    """Nothing is attached, or run, for a file that cannot be written."""
    bad = tmp_path / "none" / "x.ptr"
    with running(system_python, NAPS) as child:
        done = run(pytrace, "record", "-o", bad, "-p", child.pid, "-d", 1)
    assert done.returncode == 8 and "attached" not in done.stderr
    ran = tmp_path / "ran"
    done = run(pytrace, "record", "-o", bad, "--", "touch", ran)
    assert done.returncode == 125 and not ran.exists()


@pytest.fixture
def recording(pytrace, system_python, tmp_path):
    path = tmp_path / "x.ptr"
    code = "import os\nfor n in range(3000):\n" \
           "  try: os.stat('/' + 'x' * (n % 7))\n  except OSError: pass\n"
    done = run(pytrace, "record", "-o", path, "--",
               *system_python.argv("-c", code))
    assert done.returncode == 0, done.stderr
    return path


def test_dump_into_head(pytrace, recording):
    """Who has seen enough is no failure."""
    with subprocess.Popen([pytrace, "dump", recording],
                          stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as dump:
        assert dump.stdout.readline()
        dump.stdout.close()
        assert dump.wait(60) == 0
        assert dump.stderr.read() == b""


def test_recording_names_the_boot(pytrace, recording):
    done = run(pytrace, "trace", "--json", "-i", recording)
    with open("/proc/sys/kernel/random/boot_id") as f:
        assert objects(done)[0]["boot_id"] == f.read().strip()


def test_padding_is_empty(recording):
    """No byte of what the kernel half sent before."""
    data = recording.read_bytes()
    at = struct.unpack_from("<H", data, 14)[0]
    seen = 0
    while at < len(data):
        size, kind = struct.unpack_from("<IH", data, at)
        end = at + size
        if kind == 8:           # a part: u64 code, u16 part, u16 nr
            nr = struct.unpack_from("<H", data, at + 42)[0]
            assert not any(data[at + 56 + nr:end])
            seen += 1
        if kind == 10:          # a system call: its arguments
            arg = at + 120
            for _ in range(data[at + 119]):
                length = struct.unpack_from("<H", data, arg + 2)[0]
                whole = (length + 7) & ~7
                assert not any(data[arg + 8 + length:arg + 8 + whole])
                arg += 8 + whole
                seen += 1
            assert arg == end
        at = end
    assert seen > 3000


# --- memory and files

def test_dies_before_the_target(pytrace, system_python, tmp_path):
    """oom_score_adj is raised; that of a command is its own."""
    told = tmp_path / "told"
    code = ("import time\ntime.sleep(1)\n"
            "open(%r, 'w').write(open('/proc/self/oom_score_adj').read())"
            % str(told))
    with subprocess.Popen(
            [pytrace, "trace", "-q", "-e", "access", "--",
             *map(str, system_python.argv("-c", code))],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as tracer:
        score = "/proc/%d/oom_score_adj" % tracer.pid
        wait_for(lambda: open(score).read().strip() == "700", "the score")
        assert tracer.wait(LONG) == 0
    assert told.read_text().strip() == open(
        "/proc/self/oom_score_adj").read().strip()


def test_recording_has_a_size(pytrace, system_python, tmp_path):
    recording = tmp_path / "x.ptr"
    with running(system_python, BUSY) as child:
        done = run(pytrace, "record", "-o", recording, "-p", child.pid, "-d",
                   LONG / 2, "--max-size", "300K", "--max-overhead", 0,
                   "--buffer", "256K")
    assert done.returncode == 0, done.stderr
    assert "x.ptr has reached --max-size" in done.stderr
    assert 300 << 10 <= recording.stat().st_size < 4 << 20
    last = run(pytrace, "dump", recording).stdout.splitlines()[-1]
    assert " end events=" in last


# --- open files

def test_a_low_limit_of_open_files_is_raised(pytrace, calls_python):
    """To the hard one, and for the command it is as it was."""
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))"
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]

    done = run(pytrace, "trace", "-e", "calls,offcpu,faults", "-o", "/dev/null",
               "--", *calls_python.argv("-c", code), preexec_fn=lambda:
               resource.setrlimit(resource.RLIMIT_NOFILE, (40, hard)))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "(40, %d)\n" % hard


@pytest.mark.parametrize("limit", [30, 64, 90])
def test_too_few_open_files_are_named(pytrace, calls_python, limit):
    """Whatever the first is that cannot be opened."""
    with running(calls_python, NAPS) as child:
        done = run(pytrace, "trace", "-e", "calls,offcpu,faults", "-d", "1",
                   "-p", child.pid, preexec_fn=lambda: resource.setrlimit(
                       resource.RLIMIT_NOFILE, (limit, limit)))
    assert done.returncode == 0 or "open files" in done.stderr, done.stderr
