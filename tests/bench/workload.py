# SPDX-License-Identifier: MIT
# workload: a Python that does what it is told, and times it by its own clock.
#
# Each line of standard input is a command, each answer a line:
#
#	calls DEPTH N	N system calls (getppid) from under DEPTH Python frames;
#			answers WALL CPU in ns
#	pong DEPTH N	N times a byte to a child process and one back, from under
#			DEPTH frames; answers WALL CPU in ns
#	volley RATE S	the same for S seconds, as often as it can; answers how many there were and
#			how long it took in ns
#	spin N		N rounds of pure Python; answers WALL CPU in ns
#	touch DEPTH N	one write to each of N fresh pages from under DEPTH
#			frames; answers CPU in ns, a second round of the same
#			writes taken off
#	functions DEPTH N	about N calls of Python functions, which call one
#			another; answers WALL CPU in ns, as of N
#	rush RATE S	calls of such functions for S seconds, as many as go; answers
#			how many there were and how long it took in ns
#	pace RATE S	RATE system calls a second for S seconds; answers how
#			many there were and how long it took in ns
#	threads N	start N threads that wait; answers N
#	gap S		look at the clock for S seconds; answers the longest
#			time between two looks in ns
#
# It runs on every CPython from 3.6 on.  The first line that it writes is its
# process id and version.
import mmap
import os
import sys
import threading
import time
from os import getppid
from time import perf_counter as clock

# 3.6 has no thread_time, and of this process only one thread works.
cpu_clock = getattr(time, 'thread_time', time.process_time)

sys.setrecursionlimit(5000)


def ns(seconds):
    return int(seconds * 1e9)


def down(depth, todo):
    """Call todo with `depth` frames on top of the caller's; its own is one."""
    if depth > 2:
        return down(depth - 1, todo)
    return todo()


def calls(n):
    def block():
        cpu = cpu_clock()
        wall = clock()
        for _ in range(n):
            getppid()
        wall = clock() - wall
        return ns(wall), ns(cpu_clock() - cpu)
    return block


class Partner:
    """A child process that sends back what it gets."""

    def __init__(self):
        self.ours, theirs = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid:
            os.close(self.ours[0])
            os.close(theirs[1])
            self.to, self.back = self.ours[1], theirs[0]
            return
        os.close(self.ours[1])
        os.close(theirs[0])
        while os.write(theirs[1], os.read(self.ours[0], 1) or b'') > 0:
            pass
        os._exit(0)

    def close(self):
        os.close(self.to)
        os.close(self.back)
        os.waitpid(self.pid, 0)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


FIB_CALLS = 1973    # of fib(15)


def functions(n):
    def block():
        rounds = max(1, n // FIB_CALLS)
        cpu = cpu_clock()
        wall = clock()
        for _ in range(rounds):
            fib(15)
        wall = clock() - wall
        cpu = cpu_clock() - cpu
        share = n / (rounds * FIB_CALLS)
        return ns(wall * share), ns(cpu * share)
    return block


def rush(seconds):
    rounds = 0
    begin = clock()
    while clock() - begin < seconds:
        fib(15)
        rounds += 1
    return rounds * FIB_CALLS, ns(clock() - begin)


def pong(n):
    def block():
        partner = Partner()
        to, back = partner.to, partner.back
        cpu = cpu_clock()
        wall = clock()
        for _ in range(n):
            os.write(to, b'x')
            os.read(back, 1)
        wall = clock() - wall
        cpu = cpu_clock() - cpu
        partner.close()
        return ns(wall), ns(cpu)
    return block


def volley(seconds):
    def block():
        partner = Partner()
        done = 0
        start = now = clock()
        while now - start < seconds:
            for _ in range(1000):
                os.write(partner.to, b'x')
                os.read(partner.back, 1)
            done += 1000
            now = clock()
        partner.close()
        return done, ns(now - start)
    return block


def write(pages, n):
    cpu = cpu_clock()
    for i in range(0, n * 4096, 4096):
        pages[i] = 1
    return cpu_clock() - cpu


def touch(n):
    def block():
        pages = mmap.mmap(-1, n * 4096, flags=mmap.MAP_PRIVATE | 0x20)
        if hasattr(pages, 'madvise'):
            pages.madvise(15)       # MADV_NOHUGEPAGE
        cpu = write(pages, n) - write(pages, n)
        pages.close()
        return (ns(cpu),)
    return block


def spin(n):
    cpu = cpu_clock()
    x = 0
    wall = clock()
    for i in range(n):
        x = (x * 31 + i) & 0xffff
    return ns(clock() - wall), ns(cpu_clock() - cpu)


def pace(rate, seconds):
    def tick(batch):
        for _ in range(batch):
            getppid()
    done = 0
    start = now = clock()
    while now - start < seconds:
        due = int((now - start) * rate)
        if due > done:
            tick(due - done)
            done = due
        time.sleep(0.0005)
        now = clock()
    return done, ns(now - start)


def gap(seconds):
    longest = 0
    start = last = clock()
    while last - start < seconds:
        now = clock()
        if now - last > longest:
            longest = now - last
        last = now
    return (ns(longest),)


def threads(n):
    wait = threading.Event()
    for _ in range(n):
        threading.Thread(target=wait.wait, daemon=True).start()
    return (n,)


def answer(words):
    what = words[0]
    if what == 'spin':
        return spin(int(words[1]))
    if what == 'touch':
        # write() is one more
        return down(int(words[1]) - 3, touch(int(words[2])))
    if what == 'functions':
        return down(int(words[1]) - 1, functions(int(words[2])))
    if what == 'pong':
        return down(int(words[1]) - 2, pong(int(words[2])))
    if what == 'volley':
        return down(18, volley(float(words[2])))
    if what == 'rush':
        return rush(float(words[2]))
    if what == 'pace':
        return down(19, lambda: pace(int(words[1]), float(words[2])))
    if what == 'threads':
        return threads(int(words[1]))
    if what == 'gap':
        return gap(float(words[1]))
    raise ValueError(what)


print(os.getpid(), sys.hexversion, flush=True)
while True:
    line = sys.stdin.readline()
    if not line:
        break
    words = line.split()
    if words[0] != 'calls':
        print(*answer(words), flush=True)
        continue
    depth = int(words[1])
    n = int(words[2])
    if depth == 1:
        # in this very frame: a function would be the second
        cpu = cpu_clock()
        wall = clock()
        for _ in range(n):
            getppid()
        wall = clock() - wall
        print(ns(wall), ns(cpu_clock() - cpu), flush=True)
    else:
        print(*down(depth - 1, calls(n)), flush=True)
