# SPDX-License-Identifier: MIT
"""The account and its rows, of programs whose time is known beforehand."""
import json
import os
import signal
import subprocess

import pytest

SECONDS = 2

LOCK = """
import threading, time
lock = threading.Lock()
def hold():
    time.sleep(0.05)
def work():
    while True:
        with lock:
            hold()
def start():
    for _ in range(3):
        threading.Thread(target=work, daemon=True).start()
    print("ready", flush=True)
    while True:
        time.sleep(0.001)
start()
"""

BURN = """
def burn():
    x = 0
    while True:
        x = (x * 31 + 7) % 1000003
print("ready", flush=True)
burn()
"""

ASYNCIO = """
import asyncio
async def serve():
    server = await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0)
    print("ready", flush=True)
    await server.serve_forever()
asyncio.run(serve())
"""

POOL = """
import multiprocessing, time
if __name__ == "__main__":
    pool = multiprocessing.Pool(3)
    pool.map(abs, range(10))
    print("ready", flush=True)
    time.sleep(1000)
"""

THREADS = """
import concurrent.futures, threading
pool = concurrent.futures.ThreadPoolExecutor(4)
list(pool.map(abs, range(10)))
print("ready", flush=True)
threading.Event().wait()
"""

SERVER = """
import http.server, threading
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
print("ready", flush=True)
server.serve_forever(0.05)
"""

PARENT = """
import os, sys, time
for _ in range(2):
    if not os.fork():
        time.sleep(1000)
print("ready", flush=True)
time.sleep(1000)
"""


class Summary:
    """What `pytrace -p` said of a program, as text and as JSON."""

    def __init__(self, pytrace, python, tmp_path, code, *options):
        path = tmp_path / "program.py"
        path.write_text(code)
        self.child = subprocess.Popen(python.argv(path), text=True,
                                      stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE,
                                      start_new_session=True)
        try:
            assert self.child.stdout.readline() == "ready\n"
            recording = tmp_path / "x.ptr"
            self.pid = self.child.pid
            done = self.run(pytrace, "record", "-o", recording, "-p", self.pid,
                            "-e", "syscalls,faults,offcpu,cpu", "-d", SECONDS,
                            *options)
            self.stderr = done.stderr
            self.screen = self.run(pytrace, "-i", recording).stdout
            lines = self.run(pytrace, "--json", "-i",
                             recording).stdout.splitlines()
        finally:
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()
        objects = [json.loads(one) for one in lines]
        self.account = objects[0]
        self.rows = [o for o in objects if o["type"] == "row"]

    def run(self, *words):
        done = subprocess.run([str(w) for w in words], capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=120, text=True,
                              check=False)
        assert done.returncode == 0, done.stderr
        return done

    def closes(self, threads):
        """Each of so many threads lived as long as the trace."""
        a = self.account
        assert a["threads"] >= threads
        assert a["thread_ns"] == pytest.approx(
            threads * (a["until"] - a["t"]), rel=0.05)
        assert a["thread_ns"] == a["idle_ns"] + a["unseen_ns"] + a["busy_ns"]
        assert a["busy_ns"] == sum(a["busy"].values()) + a["unknown_ns"]
        assert a["unknown_ns"] < a["thread_ns"] / 100

    def share(self, cause):
        return self.account["busy"].get(cause, 0) / self.account["thread_ns"]


@pytest.fixture
def summary(pytrace, may_trace, tmp_path):
    def of(python, code, *options):
        return Summary(pytrace, python, tmp_path, code, *options)
    return of


def test_lock(summary, debian_python):
    """Two of four wait for the lock at any time, one has it and sleeps."""
    s = summary(debian_python, LOCK)
    s.closes(4)
    assert 0.3 < s.share("lock") < 0.65
    assert 0.3 < s.share("sleep") < 0.65
    first = [r for r in s.rows if r["cause"] == "lock"][0]
    assert first["key"]["line"] == 8 and first["key"]["func"] == "work"
    assert first["holder"]["call"] == "clock_nanosleep" or \
        first["holder"]["cause"] == "sleep"
    assert first["holder"]["place"]["func"] == "hold"
    assert first["holder"]["ns"] > 0.8 * first["holder"]["of_ns"]
    assert "program.py:8" in s.screen and "who meanwhile was" in s.screen


def test_burner(summary, debian_python):
    """On CPU, or waiting for one; its lines are where it burns."""
    s = summary(debian_python, BURN)
    s.closes(1)
    cpu = s.share("cpu_user") + s.share("cpu_kernel")
    assert cpu + s.share("runq") + s.share("preempted") > 0.98
    assert s.share("cpu_kernel") < 0.1
    row = [r for r in s.rows if r["cause"] == "cpu" and r["key"]][0]
    assert row["key"]["func"] == "burn" and row["estimate"] == ["ns"]


def test_server_without_requests_is_idle(summary, debian_python):
    s = summary(debian_python, SERVER)
    s.closes(1)
    # the rest is its turns, and the wait it was in when we came
    assert s.account["idle_ns"] > 0.8 * s.account["thread_ns"]


@pytest.mark.parametrize("code", [ASYNCIO, POOL, THREADS])
def test_whoever_waits_for_work_is_not_ranked(summary, debian_python, code):
    s = summary(debian_python, code, "-f")
    # the main thread of the last two waits for no work that we know of
    mine = [r for r in s.rows if r["key"] and
            r["key"]["file"].endswith("program.py")]
    others = [r for r in s.rows if r not in mine]
    assert not [r for r in others if r["ns"] > s.account["thread_ns"] / 50]
    assert s.account["idle_ns"] + s.account["unseen_ns"] > \
        0.9 * (s.account["thread_ns"] - sum(r["ns"] for r in mine))


def test_children_are_noted(summary, system_python):
    s = summary(system_python, PARENT)
    assert "note: 2 Python children of %d are not traced; add -f" % s.pid \
        in s.stderr
    s = summary(system_python, PARENT, "-f")
    assert "note: " not in s.stderr
    s.closes(3)
