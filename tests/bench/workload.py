# SPDX-License-Identifier: MIT
# workload: a Python that does what it is told, and times it by its own clock.
#
# Each line of standard input is a command, each answer a line:
#
#	calls DEPTH N	N system calls (getppid) from under DEPTH Python frames;
#			answers WALL CPU in ns
#	spin N		N rounds of pure Python; answers WALL CPU in ns
#	touch DEPTH N	one write to each of N fresh pages from under DEPTH
#			frames; answers CPU in ns, a second round of the same
#			writes taken off
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
