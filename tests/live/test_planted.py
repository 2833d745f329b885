# SPDX-License-Identifier: MIT
"""A fault planted in one of twenty pages of a Django site under gunicorn.

Whoever asks `pytrace -p MASTER -f` does not know what was planted; its first
row must say it.  Page and kind come from a seed that the test prints.
"""
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import threading
import time

import pytest
from planted.make_site import make_site

WORKERS = 4
SECONDS = 5

# Waits for a CPU come from whatever else this machine does, too, and make waits
# for the GIL longer: no test can say how many there are.
SHARED = {"runq", "preempted", "gil"}

# How many clients ask, and what each kind may be called.
KINDS = {
    "lock": (16, {"lock"}),
    "file": (4, {"disk", "file"}),
    "upstream": (8, {"socket"}),
    "forks": (4, {"process"}),
    "gil": (2, {"cpu"}),
    "cpu": (1, {"cpu"}),
}


class Upstream(threading.Thread):
    """A service that takes its time to answer."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = self.listener.getsockname()[1]

    def answer(self, connection):
        time.sleep(0.3)
        connection.sendall(b"late")
        connection.close()

    def run(self):
        while True:
            connection = self.listener.accept()[0]
            threading.Thread(target=self.answer, args=(connection,),
                             daemon=True).start()


class Client(threading.Thread):
    """Asks for random pages, with a pause in between, until it is stopped."""

    def __init__(self, port, seed):
        super().__init__(daemon=True)
        self.port = port
        self.random = random.Random(seed)
        self.stop = False
        self.answers = 0

    def ask(self, page):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        c.request("GET", "/%d" % page)
        assert c.getresponse().status == 200
        c.close()
        self.answers += 1

    def run(self):
        while not self.stop:
            try:
                self.ask(self.random.randrange(20))
            except OSError:     # the service was stopped in between
                assert self.stop
            time.sleep(self.random.uniform(0.01, 0.03))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def show(line, account, rows):
    """What was seen, for whoever reads of a failure."""
    print("planted at line %s; busy %s" % (line, account["busy"]))
    for r in rows[:6]:
        print("%8.3f s  %-8s %s:%s %s" % (
            r["ns"] / 1e9, r["cause"], os.path.basename(r["key"]["file"]),
            r["key"]["line"], r["call"]) if r["key"] else r["why"])


class Service:
    """gunicorn with four workers of four threads."""

    def __init__(self, folder):
        self.port = free_port()
        self.master = subprocess.Popen(
            ["gunicorn", "-w", str(WORKERS), "-k", "gthread", "--threads", "4",
             "-b", "127.0.0.1:%d" % self.port, "site_of_twenty"], cwd=folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=(folder / "gunicorn.log").open("w"), start_new_session=True)
        self.log = folder / "gunicorn.log"

    def wait(self):
        end = time.monotonic() + 30
        while self.log.read_text().count("Booting worker") < WORKERS:
            assert time.monotonic() < end, self.log.read_text()
            time.sleep(0.1)
        time.sleep(1)       # they import Django

    def stop(self):
        os.killpg(self.master.pid, signal.SIGKILL)
        self.master.wait()


@pytest.fixture
def look(pytrace, may_trace, tool, tmp_path):
    """Serve the site, ask for its pages, and say what pytrace makes of it."""
    tool("gunicorn")
    pytest.importorskip("django")
    upstream = Upstream()
    upstream.start()
    running = []

    def look(fault, clients, page, seed):
        line = make_site(tmp_path, fault, page, upstream.port)
        service = Service(tmp_path)
        running.append(service)
        service.wait()
        asking = [Client(service.port, seed + i) for i in range(clients)]
        for c in asking:
            c.start()
        time.sleep(1)
        done = subprocess.run(
            [pytrace, "--json", "-p", str(service.master.pid), "-f", "-d",
             str(SECONDS)], stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=120, check=False)
        for c in asking:
            c.stop = True
        assert done.returncode == 0, done.stderr
        assert all(c.answers for c in asking)
        out = [json.loads(one) for one in done.stdout.splitlines()]
        rows = [o for o in out if o["type"] == "row"]
        show(line, out[0], rows)
        return line, out[0], rows

    yield look
    for service in running:
        service.stop()


@pytest.mark.parametrize("fault", KINDS)
def test_planted_fault_comes_first(look, fault):
    seed = random.SystemRandom().randrange(1 << 30)
    page = seed % 20
    clients, causes = KINDS[fault]
    print("seed %d: %s in page %d" % (seed, fault, page))
    line, account, rows = look(fault, clients, page, seed)
    first = [r for r in rows if r["cause"] not in SHARED][0]
    assert first["cause"] in causes
    assert first["key"]["file"].endswith("site_of_twenty.py")
    assert first["key"]["line"] == line
    assert account["unknown_ns"] < account["thread_ns"] / 50


def test_nothing_planted(look):
    seed = random.SystemRandom().randrange(1 << 30)
    print("seed %d" % seed)
    _, account, rows = look("none", 2, 0, seed)
    busy = account["busy_ns"] - sum(account["busy"].get(c, 0) for c in SHARED)
    assert busy < 0.1 * account["thread_ns"]
    assert account["idle_ns"] > 5 * busy
    assert all(r["ns"] < 0.05 * account["thread_ns"] for r in rows
               if r["cause"] not in SHARED)
