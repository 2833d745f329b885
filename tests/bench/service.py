# SPDX-License-Identifier: MIT
"""What pytrace takes from a busy Django site, and what it says it takes.

Pairs of equal stretches, one traced and one not, by turns which comes first.
Clients ask as fast as they are answered; requests are counted once each
stretch is under way, so that attaching is not in it.
"""
import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))
from planted.make_site import make_site  # noqa: E402

PYTRACE = os.environ.get("PYTRACE", "pytrace")
PAIRS = int(os.environ.get("BENCH_PAIRS", "10"))
STRETCH = 5
ATTACHING = 2
CLIENTS = 4
WORKERS = 2
LIMIT = 0.97


class Client(threading.Thread):
    def __init__(self, port):
        super().__init__(daemon=True)
        self.port = port
        self.answers = 0

    def run(self):
        n = 0
        while True:
            try:
                c = http.client.HTTPConnection("127.0.0.1", self.port)
                c.request("GET", "/%d" % (n % 20))
                c.getresponse().read()
                c.close()
                self.answers += 1
            except OSError:
                time.sleep(0.1)
            n += 1


def serve(folder):
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
    master = subprocess.Popen(
        ["gunicorn", "-w", str(WORKERS), "-k", "gthread", "--threads", "2",
         "-b", "127.0.0.1:%d" % port, "site_of_twenty"], cwd=folder,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True)
    return master, port


def rate(clients):
    begin, before = time.monotonic(), sum(c.answers for c in clients)
    time.sleep(STRETCH)
    return (sum(c.answers for c in clients) - before) / \
        (time.monotonic() - begin)


def traced(master, clients):
    tracer = subprocess.Popen(
        [PYTRACE, "--json", "--max-overhead", "0", "-p", str(master.pid),
         "-f", "-d",
         str(STRETCH + 2 * ATTACHING)], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True)
    time.sleep(ATTACHING)
    got = rate(clients)
    out = [json.loads(line) for line in tracer.communicate()[0].splitlines()]
    account = [o for o in out if o["type"] == "account"][0]
    end = [o for o in out if o["type"] == "end"][0]
    # of the CPUs that the service could have had
    said = (end["overhead_ns"] + (end["tracer_ns"] or 0)) / \
        (account["until"] - account["t"]) / os.cpu_count()
    return got, said, end["events"], end["lost"]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_site(folder, "none", 0, 0)
        master, port = serve(folder)
        try:
            clients = [Client(port) for _ in range(CLIENTS)]
            for c in clients:
                c.start()
            until = time.monotonic() + 60
            while any(c.answers < 20 for c in clients):
                if time.monotonic() > until:
                    sys.exit("service: the site does not answer")
                time.sleep(0.5)
            pairs, said, events, lost = [], [], 0, 0
            for i in range(PAIRS):
                plain = rate(clients) if i % 2 == 0 else None
                got, cost, n, l = traced(master, clients)
                plain = plain or rate(clients)
                pairs.append(got / plain)
                said.append(cost)
                events += n
                lost += l
        finally:
            os.killpg(master.pid, signal.SIGKILL)
            master.wait()
    low, mid, high = statistics.quantiles(pairs, n=4)
    print("throughput %.3f (%.3f-%.3f) of untraced, %d pairs, limit %.2f %s" % (
        mid, low, high, PAIRS, LIMIT, "met" if mid >= LIMIT else "MISSED"))
    print("by its own account it took %.3f of the CPUs, the tracer's own "
          "part with it; "
          "%d events, %d lost" % (statistics.median(said), events, lost))


main()
