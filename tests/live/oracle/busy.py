# SPDX-License-Identifier: MIT
"""A busy target: threads that call, allocate, make code and enter the kernel.

usage: busy.py FOLDER [THREADS]

Makes FOLDER/ready, works until FOLDER/stop is there, then checks and prints
what the threads computed: a wrong sum is exit status 9.
"""
import os
import sys
import threading
import time


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def numbers(n):
    for i in range(n):
        yield i
        os.getppid()


class Worker(threading.Thread):
    def __init__(self, folder):
        threading.Thread.__init__(self)
        self.stop = os.path.join(folder, "stop")
        self.rounds = 0
        self.bad = 0

    def once(self):
        scope = {}
        name = "made_%d" % self.rounds
        exec("def %s(x):\n    return x + 1\n" % name, scope)
        total = fib(8) + sum(numbers(10)) + scope[name](1)
        if total != 21 + 45 + 2:
            self.bad += 1
        self.rounds += 1

    def run(self):
        while not os.path.exists(self.stop):
            self.once()


def main():
    folder = sys.argv[1]
    many = [Worker(folder) for _ in range(
        int(sys.argv[2]) if len(sys.argv) > 2 else 16)]
    for t in many:
        t.start()
    # Under another name at first: who sees it may count our open files, and
    # to close one takes a turn of the GIL.
    ready = os.path.join(folder, "ready")
    open(ready + ".part", "w").close()
    os.rename(ready + ".part", ready)
    for t in many:
        t.join()
    if any(t.bad for t in many) or not all(t.rounds for t in many):
        sys.exit(9)
    print("sums are right")


if __name__ == "__main__":
    main()
