# SPDX-License-Identifier: MIT
"""Stacks of threads that have been asleep since before the trace began."""
import json
import subprocess
import textwrap
import time

import pytest

KNOWS_ITSELF = """
import collections, json, os, queue, socket, sys, threading, time
from concurrent.futures import ThreadPoolExecutor

class Place:
    def in_lock(self):
        lock.acquire()

def in_read():
    os.read(inner, 1)

def in_accept():
    server.accept()

def in_get():
    jobs.get()

def in_generator():
    def deeper(n):
        yield (yield from deeper(n - 1)) if n else time.sleep(1000)
    collections.deque(deeper(5), 0)

def recursive(n):
    return recursive(n - 1) if n else event.wait()

def deep():
    recursive(150)

def wakes_up():
    time.sleep(float(sys.argv[1]))
    time.sleep(1000)

lock = threading.Lock()
lock.acquire()
event = threading.Event()
inner, outer = os.pipe()
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen()
jobs = queue.Queue()
threads = [threading.Thread(target=f, daemon=True)
           for f in (Place().in_lock, in_read, in_accept, in_get,
                     in_generator, deep, wakes_up)]
[t.start() for t in threads]
pool = ThreadPoolExecutor(2)
[f.result() for f in [pool.submit(time.sleep, 0.05) for i in range(4)]]
time.sleep(0.3)

def stack_of(frame):
    out = []
    while frame:
        code = frame.f_code
        out.append([getattr(code, "co_qualname", code.co_name),
                    code.co_filename, frame.f_lineno, frame.f_lasti])
        frame = frame.f_back
    return out

frames = sys._current_frames()
ours = threading.get_ident()
ids = {t.ident: t.native_id for t in threading.enumerate()}
print(json.dumps([[ids[i], stack_of(f)] for i, f in frames.items()
                  if i != ours]), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def program(tracer, tmp_path):
    """It runs, and says where each of its threads is."""
    path = tmp_path / "program.py"
    path.write_text(KNOWS_ITSELF)

    def start(python, seconds=1000):
        child = tracer.start(python.argv(path, seconds),
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return child, dict(json.loads(child.stdout.readline()))
    return start


def frames_of(record):
    return [[f["func"], f["file"], f["line"], f["lasti"]]
            for f in record["stack"]]


def test_stacks_are_what_the_program_says(tracer, program, debian_python):
    """Each frame, with its line and its instruction."""
    child, stacks = program(debian_python)
    run = tracer.attach(child.pid, "-e", "offcpu", "-d", "1").wait()
    assert run.status == 0 and not run.losses()
    ends = {r["tid"]: r for r in run.records("offcpu")}
    assert len(stacks) == 9
    for tid, stack in stacks.items():
        assert ends[tid]["state"] == "unfinished", ends[tid]
        assert frames_of(ends[tid]) == stack


def test_one_that_wakes_up(tracer, program, debian_python):
    """The time that began before has its stack, and the next has its own."""
    child, stacks = program(debian_python, 4)
    run = tracer.attach(child.pid, "-e", "offcpu,clock_nanosleep,select",
                        "-d", "6").wait()
    assert run.status == 0 and not run.losses()
    [first] = [r for r in run.records("offcpu") if r.get("state") == "before"
               and r["tid"] in stacks]
    assert frames_of(first) == stacks[first["tid"]]
    [last] = [r for r in run.records("offcpu") if r["tid"] == first["tid"]
              and r.get("state") == "unfinished"]
    assert last["stack"][0]["line"] == first["stack"][0]["line"] + 1
    [call] = [r for r in run.records("syscall") if r["tid"] == first["tid"]
              and r.get("state") == "no-entry"]
    assert call["stack"] == first["stack"]


def test_idle_from_the_first_second(pytrace, may_trace, program, tracer,
                                    debian_python):
    """A pool's workers, an accept loop and queues wait for work."""
    child, stacks = program(debian_python)
    done = subprocess.run([pytrace, "--json", "-d", "0.5", "-p",
                           str(child.pid)], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=True)
    account = [json.loads(one) for one in done.stdout.splitlines()
               if b'"account"' in one][0]
    assert account["unseen_ns"] == 0
    # the two workers, and the one that gets from a queue
    each = account["thread_ns"] / (len(stacks) + 1)
    assert account["idle_ns"] == pytest.approx(3 * each, rel=0.1)


RESTLESS = """
import random, time, threading
def one():
    time.sleep(0.3 * random.random())
def other():
    time.sleep(0.01)
def work():
    while True:
        one()
        other()
[threading.Thread(target=work, daemon=True).start() for i in range(20)]
time.sleep(1000)
"""


def test_who_moves_is_not_walked(tracer, tmp_path, debian_python):
    """Where a stack is given, the kernel half saw the same at the return."""
    path = tmp_path / "restless.py"
    path.write_text(textwrap.dedent(RESTLESS))
    child = tracer.start(debian_python.argv(path))
    time.sleep(0.5)
    known = 0
    for _ in range(4):
        run = tracer.attach(child.pid, "-e",
                            "offcpu,clock_nanosleep,select,nanosleep",
                            "-d", "0.3").wait()
        assert run.status == 0
        calls = {r["tid"]: r for r in run.records("syscall")
                 if r.get("state") == "no-entry"}
        for off in run.records("offcpu"):
            if off.get("state") == "before" and off["stack"] and \
                    off["tid"] in calls:
                known += 1
                assert off["stack"] == calls[off["tid"]]["stack"]
    assert known
