# SPDX-License-Identifier: MIT
"""How a live run ends, and what it says: exit codes, the last line, signals."""
import json
import os
import shutil
import signal
import subprocess
import time

import pytest

from tracing import LONG

NAPS = "import time\nwhile True: time.sleep(.02)\n"


@pytest.fixture
def napping(system_python):
    with subprocess.Popen(system_python.argv("-c", NAPS)) as p:
        time.sleep(1)
        yield p
        p.kill()


def trace(pytrace, *args, **kw):
    return subprocess.run([pytrace, "trace", *map(str, args)],
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          timeout=LONG, check=False, **kw)


def test_reader_that_leaves_ends_it(pytrace, napping):
    with subprocess.Popen([pytrace, "trace", "-p", str(napping.pid), "-d",
                           str(LONG)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as p:
        assert p.stdout.readline()
        p.stdout.close()
        assert p.wait(20) == 0
        assert b"Broken pipe" not in p.stderr.read()
    assert napping.poll() is None


def test_all_left_out(pytrace, napping):
    done = trace(pytrace, "-p", napping.pid, "--thread", "nobody", "-d", ".3",
                 "--json", stdout=subprocess.PIPE)
    error, end = map(json.loads, done.stdout.splitlines()[-2:])
    assert error["kind"] == "nothing" and "--thread left out" in error["hint"]
    assert end["exit"] == done.returncode == 11


def test_full_disk(pytrace, napping):
    done = trace(pytrace, "-p", napping.pid, "-d", ".3", "-o", "/dev/full")
    assert done.returncode == 8 and b"No space left" in done.stderr


def test_program_name_does_not_act(pytrace, system_python, tmp_path):
    named = tmp_path / "py\x1b[2Jthon"
    shutil.copy(os.path.realpath(system_python.argv("-c", "")[0]), named)
    with subprocess.Popen([named, "-c", NAPS]) as p:
        time.sleep(1)
        done = trace(pytrace, "-p", p.pid, "-d", ".2", stdout=subprocess.PIPE)
        shown = subprocess.run([pytrace, "probes", "-p", str(p.pid)],
                               capture_output=True, timeout=LONG, check=False)
        p.kill()
    assert done.returncode == 0 and rb"py\x1b[2Jthon" in done.stderr
    assert shown.returncode == 0 and rb"py\x1b[2Jthon" in shown.stdout
    for text in (done.stdout, done.stderr, shown.stdout):
        assert b"\x1b" not in text


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_asked_to_end_it_reports(pytrace, napping, sig):
    with subprocess.Popen([pytrace, "trace", "-p", str(napping.pid), "-d",
                           str(LONG)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as p:
        assert p.stdout.readline()
        asked = time.monotonic()
        p.send_signal(sig)
        _, said = p.communicate(timeout=30)
        took = time.monotonic() - asked
    assert p.returncode == 0 and b" calls, lost 0" in said.splitlines()[-1]
    assert took < 5     # a second, on a machine that does nothing else


@pytest.mark.parametrize("body, status", [
    ("raise SystemExit(7)", 7), ("import os; os.kill(os.getpid(), 9)", 137)])
def test_status_of_the_command(pytrace, system_python, body, status):
    done = trace(pytrace, "--", *system_python.argv("-c", body))
    assert done.returncode == status


@pytest.mark.parametrize("command, status", [
    ("/no/such/command", 127), ("no-such-command", 127), ("/etc/passwd", 126)])
def test_command_that_cannot_be_run(pytrace, tmp_path, command, status):
    """An older report stays as it is; the end is told where there is none."""
    out = tmp_path / "out"
    out.write_text("older")
    done = trace(pytrace, "--json", "-o", out, "--", command)
    assert done.returncode == status and out.read_text() == "older"
    last = json.loads(done.stderr.splitlines()[-1])
    assert (last["type"], last["exit"]) == ("end", status)


@pytest.mark.parametrize("others", ["pypy3", "python2.7"])
def test_command_of_another_python_is_refused(pytrace, others, tmp_path):
    """Before it runs, as -p does: not an empty trace and 0."""
    exe = shutil.which(others)
    if exe is None or subprocess.run([exe, "-c", ""], check=False).returncode:
        pytest.skip("no %s on this machine" % others)
    real = subprocess.run([exe, "-c", "import sys; print(sys.executable)"],
                          capture_output=True, check=True).stdout.strip()
    ran = tmp_path / "ran"
    done = trace(pytrace, "--", os.fsdecode(real), "-c",
                 "open(%r, 'w')" % str(ran))
    assert done.returncode == 125 and not ran.exists()
    assert b"pytrace: unsupported: cannot trace" in done.stderr
