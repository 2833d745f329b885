#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A small web shop with three faults that a CPU profile does not show.

usage: shop.py [SECONDS]        (5; serves itself and its own customers)

A threaded HTTP service, the bank whose exchange rates it asks for, and
customers who look at products and order some; the last two are processes of
their own.  It prints how long a request took, and little of it is CPU time:

  - a page needs today's rates.  They are kept for a second, and whoever finds
    them too old asks the bank while holding the lock: all others wait;
  - an order is written to a journal and flushed to the disk, each by itself;
  - a picture is read from its file again for each page.

Standard library only, Python 3.6 and later.
"""
import http.client
import json
import os
import random
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

CUSTOMERS = 6
PRODUCTS = ["anvil", "bellows", "chisel", "drill"]


class Rates:
    """Exchange rates of the bank, kept for a second."""

    def __init__(self, bank):
        self.bank = bank
        self.lock = threading.Lock()
        self.rates = {}
        self.until = 0.0

    def get(self, currency):
        with self.lock:
            if time.monotonic() > self.until:
                self.rates = self.ask_bank()
                self.until = time.monotonic() + 1
            return self.rates[currency]

    def ask_bank(self):
        with socket.create_connection(self.bank) as conn:
            conn.sendall(b"rates please\n")
            return json.loads(conn.recv(4096).decode())


class Shop:
    def __init__(self, folder, bank):
        self.folder = folder
        self.rates = Rates(bank)
        self.journal = open(os.path.join(folder, "journal"), "a")
        self.journal_lock = threading.Lock()
        for name in PRODUCTS:
            with open(self.path_of(name), "wb") as picture:
                picture.write(os.urandom(1 << 18))

    def path_of(self, name):
        return os.path.join(self.folder, name + ".png")

    def picture(self, name):
        with open(self.path_of(name), "rb") as picture:
            return picture.read()

    def product_page(self, name):
        price = 100 * self.rates.get("EUR")
        return {"name": name, "price": price,
                "picture": len(self.picture(name))}

    def order(self, name):
        with self.journal_lock:
            self.journal.write(json.dumps({"order": name}) + "\n")
            self.journal.flush()
            os.fsync(self.journal.fileno())
        return {"ordered": name}


class Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1               # head and body in one packet

    def do_GET(self):
        self.answer(self.server.shop.product_page(self.path[1:]))

    def do_POST(self):
        self.answer(self.server.shop.order(self.path[1:]))

    def answer(self, what):
        body = json.dumps(what).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *args):
        pass


class Server(socketserver.ThreadingMixIn, HTTPServer):
    daemon_threads = True


class Bank(socketserver.BaseRequestHandler):
    """Knows the rates, and takes its time."""

    def handle(self):
        self.request.recv(100)
        time.sleep(0.15)
        self.request.sendall(json.dumps({"EUR": 0.9, "CHF": 1.1}).encode())


def bank():
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Bank)
    print(server.server_address[1], flush=True)
    server.serve_forever()


def customer(port, until, times, seed):
    choice = random.Random(seed)
    conn = http.client.HTTPConnection("127.0.0.1", port)
    while time.monotonic() < until:
        method = "POST" if choice.random() < 0.2 else "GET"
        start = time.monotonic()
        conn.request(method, "/" + choice.choice(PRODUCTS))
        conn.getresponse().read()
        times.append(time.monotonic() - start)
        time.sleep(0.02)


def customers(port, seconds):
    times = []
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=customer, args=(port, until, times, i))
               for i in range(CUSTOMERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times.sort()
    print("shop: %d requests, half below %.0f ms, the slowest %.0f ms"
          % (len(times), 1e3 * times[len(times) // 2], 1e3 * times[-1]))


def start(*args, **more):
    return subprocess.Popen([sys.executable, __file__] + list(args), **more)


def shop(seconds):
    rates = start("bank", stdout=subprocess.PIPE)
    try:
        port = int(rates.stdout.readline())
        with tempfile.TemporaryDirectory() as folder:
            server = Server(("127.0.0.1", 0), Request)
            server.shop = Shop(folder, ("127.0.0.1", port))
            threading.Thread(target=server.serve_forever).start()
            crowd = start("customers", str(server.server_address[1]), seconds)
            code = crowd.wait()
            server.shutdown()
    finally:
        rates.kill()
        rates.wait()
    return code


if __name__ == "__main__":
    if sys.argv[1:2] == ["bank"]:
        bank()
    elif sys.argv[1:2] == ["customers"]:
        customers(int(sys.argv[2]), float(sys.argv[3]))
    else:
        sys.exit(shop(sys.argv[1] if sys.argv[1:] else "5"))
