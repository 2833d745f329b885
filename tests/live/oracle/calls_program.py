# SPDX-License-Identifier: MIT
"""A random program that knows its calls: the traced side of the event oracle.

usage: calls_program.py --seed N --truth FILE [--profiler SO] [--rounds N]
                        [--threads N [--at-once]] [--deep N] [--pause S]
                        [--folder DIR --wait]

Of each thread FILE gets what a profile function in C (profiler.c) was told
between begin_marker() and end_marker(): a line of JSON [tid, [[what, name,
file, line]...]].  Without --profiler the program runs alike and is silent.
With --wait it writes a file "ready" into the folder and goes on when there is
one called "go"; when its threads are at work, there is a file "busy".  --deep:
so many calls below each other run half of the time.  --pause: seconds between
two rounds.
"""
import argparse
import ctypes
import functools
import json
import os
import random
import sys
import threading
import time


def begin_marker():
    pass


def end_marker():
    pass


class Broken(Exception):
    pass


# ---- what there is to be called ---------------------------------------------
# Each takes (rng, deeper): deeper(rng) makes calls of its own, or raises.

def plain(rng, deeper):
    deeper(rng)


def nested(rng, deeper):
    def inner(n):
        return inner(n - 1) if n else deeper(rng)
    return inner(rng.randrange(6))


def to_the_limit(rng, deeper):
    def down(n):
        return down(n + 1)
    try:
        down(0)
    except RecursionError:
        pass
    deeper(rng)


def numbers(n):
    for i in range(n):
        yield i


def guarded(n):
    try:
        for i in range(n):
            yield i
    finally:
        plain_leaf()


def catching(n):
    for i in range(n):
        try:
            yield i
        except Broken:
            plain_leaf()
            yield -1


def delegating(n):
    x = yield from catching(n)
    yield x
    yield from guarded(n)


def plain_leaf():
    pass


def generators(rng, deeper):
    list(numbers(rng.randrange(4)))
    for i in numbers(3):
        deeper(rng)
        if rng.random() < .5:
            break
    sum(i for i in range(3))


def closed(rng, deeper):
    for make in numbers, guarded, catching, delegating:
        g = make(3)
        for _ in range(rng.randrange(3)):
            next(g)
        if rng.random() < .5:
            g.close()
    deeper(rng)


def thrown(rng, deeper):
    for make in numbers, guarded, catching, delegating:
        g = make(3)
        for _ in range(rng.randrange(3)):
            next(g)
        try:
            g.throw(Broken())
            next(g)
        except (Broken, StopIteration):
            plain_leaf()
    deeper(rng)


def sent(rng, deeper):
    def echo():
        got = None
        while True:
            got = yield got
            if got == 2:
                return got
    g = echo()
    next(g)
    try:
        for i in range(4):
            g.send(i)
    except StopIteration:
        pass
    deeper(rng)


class Awaitable:
    def __await__(self):
        yield 1
        return 2


def coroutines(rng, deeper):
    async def leaf():
        return await Awaitable()

    async def agen():
        for i in range(2):
            yield i
            await leaf()

    async def top():
        async for i in agen():
            deeper(rng)
        return [i async for i in agen()], await leaf()

    def drive(c):
        try:
            while True:
                c.send(None)
        except StopIteration:
            pass
    drive(top())
    never = leaf()
    never.close()
    part = top()
    part.send(None)
    part.close()


def exceptions(rng, deeper):
    def down(n):
        if not n:
            raise Broken
        try:
            down(n - 1)
        finally:
            plain_leaf()
    try:
        down(rng.randrange(9))
    except Broken:
        deeper(rng)


class Manager:
    def __init__(self, swallow):
        self.swallow = swallow

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return self.swallow


def withs(rng, deeper):
    with Manager(True):
        deeper(rng)
        raise Broken
    try:
        with Manager(False), Manager(False):
            raise Broken
    except Broken:
        pass


def classes(rng, deeper):
    class Local(Manager):
        value = [i for i in range(2)]

        @property
        def prop(self):
            return plain_leaf()

        def __lt__(self, other):
            return False

        def __getattr__(self, name):
            raise AttributeError(name)
    a, b = Local(1), Local(2)
    a.prop
    getattr(a, "nothing", None)
    sorted([a, b, a])
    deeper(rng)


class Failing:
    def __init__(self, fail):
        plain_leaf()
        if fail:
            raise Broken


def constructors(rng, deeper):
    for i in range(rng.randrange(30)):
        Failing(False)
    try:
        for i in range(5):
            Failing(i == 3)
    except Broken:
        deeper(rng)


def binding(rng, deeper):
    def takes(a, b):
        return a, b
    for args in (1,), (1, 2), (1, 2, 3):
        try:
            takes(*args)
        except TypeError:
            plain_leaf()
    try:
        Failing()
    except TypeError:
        deeper(rng)


def comprehensions(rng, deeper):
    [plain_leaf() for i in range(2)]
    {i: plain_leaf() for i in range(2)}
    {j for j in (i for i in range(2))}
    deeper(rng)


def callbacks(rng, deeper):
    sorted(range(3), key=lambda i: -i)
    list(map(lambda i: plain_leaf(), range(2)))
    list(filter(lambda i: i, range(3)))
    functools.reduce(lambda a, b: a + b, range(4))
    functools.partial(deeper, rng)()
    max(range(3), key=numbers)if 0 else None


def evaluated(rng, deeper):
    exec(compile("def made(x):\n    return x\nmade(1)\n", "<made>", "exec"), {})
    eval("(lambda: 1)()")
    deeper(rng)


def recursive_repr(rng, deeper):
    class R:
        def __repr__(self):
            deeper(rng)
            return "R"
    repr([R(), {1: R()}])


def abandoned(rng, deeper):
    g = guarded(4)
    next(g)
    del g
    deeper(rng)


NEWER = '''
def matching(rng, deeper):
    for x in (1, [1, 2], {"a": 1}, "s"):
        match x:
            case int() if plain_leaf() is None:
                deeper(rng)
            case [a, *rest]:
                plain_leaf()
            case {"a": b}:
                plain_leaf()
            case _:
                plain_leaf()
'''

NEWEST = '''
def groups(rng, deeper):
    try:
        raise ExceptionGroup("g", [Broken(), ValueError()])
    except* Broken:
        plain_leaf()
    except* ValueError:
        deeper(rng)
'''

KINDS = [plain, nested, generators, closed, thrown, sent, coroutines,
         exceptions, withs, classes, constructors, binding, comprehensions,
         callbacks, evaluated, recursive_repr, abandoned]
if sys.version_info >= (3, 10):
    exec(compile(NEWER, "<newer>", "exec"))
    KINDS.append(matching)      # noqa: F821
if sys.version_info >= (3, 11):
    exec(compile(NEWEST, "<newest>", "exec"))
    KINDS.append(groups)        # noqa: F821


def go(depth, rng):
    if not depth:
        return
    for _ in range(rng.randrange(1, 3)):
        rng.choice(KINDS)(rng, functools.partial(go, depth - 1))


PAUSE = [0]


def rounds(rng, nr):
    for _ in range(nr):
        go(3, rng)
        time.sleep(PAUSE[0])
    to_the_limit(rng, plain_leaf_of)


def plain_leaf_of(rng):
    pass


# ---- who listens ------------------------------------------------------------

class Event(ctypes.Structure):
    _fields_ = [("tid", ctypes.c_int), ("what", ctypes.c_int),
                ("code", ctypes.c_void_p)]


class Profiler:
    def __init__(self, path):
        self.lib = path and ctypes.CDLL(path)
        self.set = ctypes.pythonapi.PyEval_SetProfile
        self.set.argtypes = [ctypes.c_void_p, ctypes.py_object]
        self.set.restype = None

    def begin(self):
        if self.lib:
            self.set(ctypes.cast(self.lib.profiler_event, ctypes.c_void_p),
                     None)

    def end(self):
        if self.lib:
            self.set(None, None)

    def write(self, path):
        threads = {}
        nr = ctypes.c_uint.in_dll(self.lib, "profiler_nr").value
        events = (Event * nr).in_dll(self.lib, "profiler_events")
        names = {}
        for e in events:
            if e.code not in names:
                code = ctypes.cast(e.code, ctypes.py_object).value
                names[e.code] = [getattr(code, "co_qualname", code.co_name),
                                 code.co_filename, code.co_firstlineno]
            threads.setdefault(e.tid, []).append([e.what] + names[e.code])
        with open(path, "w") as f:
            for tid in threads:
                f.write(json.dumps([tid, threads[tid]]) + "\n")


def deep(n, rng, nr):
    """Half of the work is done down there, with a generator suspended."""
    if n:
        deep(n - 1, rng, nr)
        return
    g = guarded(4)
    next(g)
    rounds(rng, nr // 2)
    list(g)


def one_thread(profiler, seed, nr, depth):
    rng = random.Random(seed)
    profiler.begin()
    begin_marker()
    deep(depth, rng, nr)
    rounds(rng, nr - nr // 2)
    end_marker()
    profiler.end()


def put_file(folder, name):
    part = os.path.join(folder, name + ".part")
    with open(part, "w") as f:
        f.write(str(os.getpid()))
    os.rename(part, os.path.join(folder, name))


def wait(folder):
    """Say that we are ready; come back when told to go on."""
    put_file(folder, "ready")
    while not os.path.exists(os.path.join(folder, "go")):
        time.sleep(0.01)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--truth")
    parser.add_argument("--profiler")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--at-once", action="store_true")
    parser.add_argument("--deep", type=int, default=0)
    parser.add_argument("--pause", type=float, default=0)
    parser.add_argument("--folder")
    parser.add_argument("--wait", action="store_true")
    args = parser.parse_args()
    PAUSE[0] = args.pause
    profiler = Profiler(args.profiler)
    if args.wait:
        wait(args.folder)
    if not args.at_once:
        one_thread(profiler, args.seed, args.rounds, args.deep)
    threads = [threading.Thread(target=one_thread, args=(
                   profiler, args.seed + i, args.rounds, args.deep))
               for i in range(1, args.threads + 1)]
    for t in threads:
        t.start()
    if args.at_once:
        put_file(args.folder, "busy")
        one_thread(profiler, args.seed, args.rounds, args.deep)
    for t in threads:
        t.join()
    if args.profiler:
        profiler.write(args.truth)


if __name__ == "__main__":
    main()
