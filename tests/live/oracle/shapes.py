# SPDX-License-Identifier: MIT
"""The shapes that random programs are made of, as source text.

Each shape is a function $F(k) that calls k() from some odd place and makes
marks of its own on the way.  In the text:

    $F  the function's name, drawn anew for each copy
    $M  an expression that makes a mark
    $P  a line of its own: filler that changes nothing but the bytecode
    $R  a small number: how often something is repeated before k() is called

A shape names the first version of Python that can compile it.
"""

SHAPES = []


def shape(text, since=(3, 6), needs=None):
    SHAPES.append((text, since, needs))


# --- calls

shape("""
def $F(k):
    $P
    $M
    k()
    $P
    $M
""")

shape("""
def $F(k):
    def down(n, a, *rest, key=None, **more):
        $P
        if n:
            return down(n - 1, *(a, 2), key=n, **{"x": 1})
        $M
        return k()
    return down($R, 1)
""")

shape("""
def $F(k):
    def count(n):
        if n == 0:
            return k()
        return count(n - 1) or $M
    for i in range($R):
        count(0 if i else 3)
        k = _nop
""")

shape("""
def $F(k):
    one = lambda: (
        $M,
        k(),
        $M)
    two = lambda f=one: f()
    return two()
""")

shape("""
def $F(k):
    from functools import partial, partialmethod

    class Part:
        def go(self, f, n):
            $P
            $M
            return f()
        quick = partialmethod(go, n=2)
    partial(Part().quick, k)()
""")

shape("""
def $F(k):
    x = 1
    def outer():
        nonlocal x
        y = x
        def inner():
            nonlocal y
            y += x
            $P
            k()
            return $M
        return inner
    x = 2
    outer()()
""")

shape("""
def $F(k):
    def shared(self=None, *, k=k):
        $M
        return (k if self is None else _nop)()

    class Kinds:
        def method(self):
            return shared(self)

        @staticmethod
        def static():
            return shared()

        @classmethod
        def klass(cls):
            return cls.static()
    for i in range($R):
        Kinds().method()
    Kinds.klass()
""")

shape("""
def $F(k):
    f = _nop
    for i in range($R + 1):
        if i == $R - 1:
            f = k
        (lambda *a, **b: f(*a, **b))(*[], **{})
        f = _nop
    $M
""")

shape("""
def $F(k):
    class Callable:
        def __call__(self, *args, **kwargs):
            $P
            $M
            return args[0]()
    c = Callable()
    c(k, x=1)
""")

# --- generators

shape("""
def $F(k):
    def gen(n):
        $M
        for i in range(n):
            $P
            yield i
            $M
        k()
    for x in gen($R):
        pass
""")

shape("""
def $F(k):
    def low():
        got = yield 1
        $P
        if got == "go":
            k()
        $M
        yield 2
        return 3

    def mid():
        r = yield from low()
        $M
        return r

    def top():
        return (yield from mid())
    g = top()
    next(g)
    g.send("go")
    for x in g:
        pass
""")

shape("""
def $F(k):
    def low():
        try:
            yield 1
        except KeyError:
            $M
            k()
            yield 2
        finally:
            $P
            $M

    def top():
        yield from low()
    g = top()
    next(g)
    g.throw(KeyError("x"))
    g.close()
""")

shape("""
def $F(k):
    def low():
        try:
            while True:
                yield
                $M
        finally:
            k()
            $M
    g = low()
    for i in range($R):
        next(g)
    if $R % 2:
        g.close()
    else:
        del g
""")

shape("""
def $F(k):
    it = ($M for i in range($R))
    total = sum(x for x in it)
    a, *b = (k() for i in (1,))
    return total
""")

shape("""
def $F(k):
    def gen(n):
        if n:
            yield from gen(n - 1)
            yield n
        else:
            $M
            k()
            yield 0
    list(gen($R + 3))
""")

# --- comprehensions

shape("""
def $F(k):
    def once(i):
        $P
        return k() if i == 1 else $M
    return ([once(i) for i in range(3)],
            {once(i + 5) for i in range($R)},
            {i: once(i + 9) for i in range(2)})
""")

shape("""
def $F(k):
    rows = [[(k() if i == j == 0 else 0, $M) for j in range(2)]
            for i in range(2)]
    return [lambda: rows for i in rows][0]()
""")

# --- exceptions

shape("""
def $F(k):
    try:
        $P
        raise ValueError($M)
    except ValueError as err:
        $M
        k()
    else:
        $P
    finally:
        $M
""")

shape("""
def $F(k):
    def thrower(n):
        if n:
            try:
                thrower(n - 1)
            finally:
                $M
        else:
            raise LookupError("deep")
    try:
        thrower($R)
    except LookupError as err:
        try:
            raise RuntimeError from err
        except RuntimeError:
            k()
            $M
""")

shape("""
def $F(k):
    for i in range($R + 1):
        try:
            if i < $R:
                continue
            return k()
        finally:
            $P
            $M
""")

shape("""
def $F(k):
    def gen():
        try:
            raise ExceptionGroup("g", [ValueError(1), KeyError(2)])
        except* ValueError as e:
            $M
            k()
        except* KeyError:
            yield $M
    list(gen())
""", since=(3, 11))

shape("""
def $F(k):
    try:
        (lambda a: a)(1, 2)
    except TypeError:
        $M
    try:
        k()
        1 / 0
    except ZeroDivisionError:
        $M
""")

# --- with

shape("""
def $F(k):
    class Ctx:
        def __enter__(self):
            $M
            return self

        def __exit__(self, *exc):
            $P
            k()
            $M
            return True
    with Ctx() as a, \\
         Ctx.__new__(Ctx) as b:
        k = _nop if a is b else k
        $M
        raise ValueError
""")

shape("""
def $F(k):
    import contextlib

    @contextlib.contextmanager
    def manage():
        $M
        try:
            yield k
        finally:
            $M
    with contextlib.ExitStack() as stack:
        f = stack.enter_context(manage())
        stack.callback(lambda: $M)
        $P
        f()
""")

# --- classes

shape("""
def $F(k):
    class Body:
        $P
        x = $M
        class Inner:
            y = [k(), $M]
        z = (lambda: $M)()
    return Body
""")

shape("""
def $F(k):
    class Meta(type):
        @classmethod
        def __prepare__(mcs, name, bases, **kw):
            $M
            return {}

        def __new__(mcs, name, bases, ns, **kw):
            $P
            $M
            return super().__new__(mcs, name, bases, ns)

        def __init__(cls, name, bases, ns, **kw):
            k()
            super().__init__(name, bases, ns)

        def __call__(cls, *args):
            $M
            return super().__call__(*args)

    class Made(metaclass=Meta, option=1):
        def __init__(self):
            $M
    Made()
""")

shape("""
def $F(k):
    class Init:
        def __init__(self, f, n=0):
            self.f = f
            self.v = f()

    class Base(Init):
        def __init__(self, f):
            $M
            super().__init__(f)
            $P
    for i in range($R + 6):
        Init(_nop)
    Init(lambda: $M)
    Base(k)
""")

shape("""
def $F(k):
    class Item:
        def __init__(self, n):
            self.n = n
            if n == 0:
                k()
                $M
    items = [Item(i) for i in range($R + 6)]
    for i in range($R + 4):
        Item(-1)
    class New:
        def __new__(cls, f):
            $M
            return object.__new__(cls)
    New(k if not items else _nop)
""")

shape("""
def $F(k):
    class Gone:
        def __init__(self, f):
            self.f = f

        def __del__(self):
            $P
            self.f()
            $M
    Gone(k)
    a = Gone(_nop)
    a = [a, Gone(lambda: $M)]
    a = None
""")

shape("""
def $F(k):
    class Base:
        def __init_subclass__(cls, **kw):
            $M
            kw.get("then", _nop)()

    class Desc:
        def __set_name__(self, owner, name):
            $M

        def __get__(self, obj, kind=None):
            $P
            $M
            return k if obj is None else _nop

        def __set__(self, obj, value):
            value()

    class Sub(Base, then=lambda: $M):
        d = Desc()
    Sub.d()
    Sub().d()
    Sub().d = lambda: $M
""")

shape("""
def $F(k):
    class Props:
        @property
        def p(self):
            $M
            return self.q

        @p.setter
        def p(self, f):
            $P
            f()

        def __getattr__(self, name):
            $M
            return name == "q" and k()
    o = Props()
    for i in range($R):
        o.p = _nop
    o.p
    o.p = lambda: $M
""")

shape("""
def $F(k):
    class Attr:
        x = 3
        def __getattribute__(self, name):
            if name == "go":
                k()
                return $M
            return object.__getattribute__(self, name)

        def __setattr__(self, name, value):
            $M
            object.__setattr__(self, name, value)
    a = Attr()
    a.y = a.x
    a.go
""")

# --- operators and protocols, called by C

shape("""
def $F(k):
    class Num:
        def __init__(self, n, f=_nop):
            self.n, self.f = n, f

        def __lt__(self, other):
            $M
            self.f()
            return self.n < other.n

        def __add__(self, other):
            $P
            $M
            self.f()
            return self

        def __radd__(self, other):
            return self + 1

        __iadd__ = __add__

        def __bool__(self):
            $M
            return True
    sorted([Num(2), Num(1)])
    x = Num(1, k)
    x += 1
    x.f = _nop
    if not sum([x, x]) or x:
        $M
""")

shape("""
def $F(k):
    class Seq:
        def __getitem__(self, i):
            if i == 7:
                k()
            elif i > 2:
                raise IndexError
            return $M

        def __len__(self):
            $M
            return 3

        def __contains__(self, x):
            $P
            return bool($M)
    s = Seq()
    for i in range($R):
        s[0]
    list(s)
    len(s), 3 in s
    s[7]
""")

shape("""
def $F(k):
    class It:
        n = 0
        def __iter__(self):
            $M
            return self

        def __next__(self):
            self.n += 1
            if self.n == 3:
                k()
                $M
                raise StopIteration
            return self.n
    if $R % 2:
        for x in It():
            $P
            $M
    else:
        a, b = It()
""")

shape("""
def $F(k):
    class Key:
        def __hash__(self):
            $M
            return 1

        def __eq__(self, other):
            $P
            k()
            return True

    class Miss(dict):
        def __missing__(self, key):
            $M
            return key
    d = {Key(): 1}
    d[Key()], Miss()["x"]
""")

shape("""
def $F(k):
    class Fmt:
        def __format__(self, spec):
            $M
            return spec

        def __repr__(self):
            $P
            k()
            return "<r>"

        def __str__(self):
            $M
            return "s"
    f = Fmt()
    return f"{f:>3} {f!r}" "%s" % f + str(f)
""")

shape("""
def $F(k):
    import functools
    def add(a, b):
        $M
        (k if b == 2 else _nop)()
        return b
    functools.reduce(add, [1, 2, 3])
    list(map(lambda x: $M, range($R)))
    list(filter(lambda x: $M, [1]))
    max([3, 1], key=lambda x: $M)
    sorted([3, 1], key=functools.cmp_to_key(lambda a, b: $M))
""")

shape("""
def $F(k):
    import re
    def sub(m):
        $P
        k()
        return str($M)
    re.sub("b", sub, "abc")
""")

shape("""
def $F(k):
    import json
    def hook(pairs):
        $M
        if len(pairs) == 2:
            k()
        return dict(pairs)

    def default(o):
        $P
        return $M
    json.loads('[{"a": 1, "b": {}}]', object_pairs_hook=hook)
    json.dumps([k], default=default)
""")

shape("""
def $F(k):
    import ctypes
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)

    def compare(a, b):
        nonlocal k
        k, f = _nop, k
        f()
        $M
        return 0
    libc = ctypes.CDLL(None)
    array = (ctypes.c_int * 3)(1, 2, 3)
    libc.qsort(array, 3, 4, kind(compare))
""", needs="ctypes")

shape("""
def $F(k):
    import sqlite3
    db = sqlite3.connect(":memory:")
    def twice(x):
        k()
        $M
        return x
    db.create_function("twice", 1, twice)
    db.execute("select twice(2)").fetchall()
    db.close()
""", needs="sqlite3")

shape("""
def $F(k):
    from xml.parsers import expat
    p = expat.ParserCreate()
    def start(name, attrs):
        $P
        if name == "b":
            k()
        $M
    p.StartElementHandler = start
    p.Parse("<a><b/></a>", True)
""", needs="pyexpat")

shape("""
def $F(k):
    import io
    class Raw(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, b):
            nonlocal k
            f, k = k, _nop
            f()
            $M
            return 0
    io.BufferedReader(Raw()).read(3)
    class Out:
        def write(self, s):
            $P
            $M
    print("x", file=Out())
""")

shape("""
def $F(k):
    import copy
    import pickle
    class Red:
        def __reduce__(self):
            $M
            k()
            return (int, (1,))

        def __deepcopy__(self, memo):
            $P
            $M
    copy.deepcopy([Red()])
    pickle.dumps(Red())
""")

shape("""
def $F(k):
    import gc
    import weakref
    class Node:
        def __del__(self):
            $M
    gc.collect()
    n = Node()
    r = weakref.ref(n, lambda _: k())
    n = n.me = Node()
    n.me = n
    n = None
    gc.collect(0)
    $M
""")

shape("""
def $F(k):
    left = [$R + 1]
    def step():
        left[0] -= 1
        $M
        return left[0]
    for x in iter(step, 0):
        $P
    k()
""")

shape("""
def $F(k):
    import sys
    seen = []
    def tracer(frame, event, arg):
        if event == "call" and frame.f_code.co_name == "traced":
            $M
            return local

    def local(frame, event, arg):
        if not seen:
            $M
            seen.append(event)
        return local

    def traced():
        x = 1
        $M
        k()
        return x
    old = sys.gettrace()
    sys.settrace(tracer)
    try:
        traced()
    finally:
        sys.settrace(old)
""")

shape("""
def $F(k):
    import sys
    def profiler(frame, event, arg):
        if frame.f_code.co_name == "profiled":
            $M

    def profiled():
        $P
        return k()
    sys.setprofile(profiler)
    try:
        profiled()
    finally:
        sys.setprofile(None)
""")

shape("""
def $F(k):
    import sys
    mon = sys.monitoring
    tool = next((i for i in (3, 4) if mon.get_tool(i) is None), None)
    def watched():
        x = [i for i in range(2)]
        $M
        return k()
    if tool is None:
        return watched()
    mon.use_tool_id(tool, "marks")
    try:
        for event in (mon.events.PY_START, mon.events.LINE, mon.events.CALL):
            mon.register_callback(tool, event, lambda *a: $M)
            mon.set_local_events(tool, watched.__code__, event)
        watched()
    finally:
        mon.set_local_events(tool, watched.__code__, 0)
        mon.free_tool_id(tool)
""", since=(3, 12))

# --- async

shape("""
def $F(k):
    import types
    @types.coroutine
    def pause():
        $M
        yield

    async def low():
        await pause()
        $P
        k()
        return $M

    async def top():
        return await low()
    c = top()
    try:
        while True:
            c.send(None)
            $M
    except StopIteration:
        pass
""")

shape("""
def $F(k):
    class Aw:
        def __await__(self):
            $M
            if 0:
                yield
            return k()

    class Actx:
        async def __aenter__(self):
            return $M

        async def __aexit__(self, *exc):
            await Aw()
            $M

    class Ait:
        n = 0
        def __aiter__(self):
            $M
            return self

        async def __anext__(self):
            self.n += 1
            if self.n > 2:
                raise StopAsyncIteration
            return $M

    async def agen():
        for i in range(2):
            $P
            yield $M

    async def main():
        async with Actx():
            async for x in Ait():
                $M
        return [x async for x in agen() if $M == 0]
    c = main()
    try:
        c.send(None)
    except StopIteration:
        pass
""")

shape("""
def $F(k):
    async def agen():
        try:
            got = yield $M
            k()
            yield got
        finally:
            $M

    async def main():
        g = agen()
        await g.asend(None)
        await g.asend(3)
        await g.aclose()
        h = agen()
        await h.__anext__()
        try:
            await h.athrow(KeyError)
        except KeyError:
            $M
    try:
        main().send(None)
    except StopIteration:
        pass
""")

shape("""
def $F(k):
    import asyncio
    async def one(n):
        await asyncio.sleep(0)
        $M
        if n == 1:
            k()

    async def main():
        loop.call_soon(lambda: $M)
        await asyncio.gather(one(1), one(2))
    if asyncio._get_running_loop():
        return k()
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(main())
    finally:
        loop.close()
""", needs="_asyncio")

# --- code made at run time

shape("""
def $F(k):
    def deco(f):
        $M
        def wrapper(*a):
            $P
            return f(*a)
        return wrapper

    @deco
    @(lambda f: ($M, f)[1])
    def target(x=$M):
        return k()
    target()
""", since=(3, 9))

shape("""
def $F(k):
    code = compile("def made(k):\\n\\n  k()\\n  return mark()\\nmade(k)",
                   "<made %d>" % $R, "exec")
    exec(code, {"k": k, "mark": lambda: $M, "__name__": "made"})
    eval("[mark() for i in range(2)]", {"mark": lambda: $M})
""")

shape("""
def $F(k):
    import importlib.abc
    import importlib.util
    import sys
    class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
        def find_spec(self, name, path, target=None):
            if name == wanted:
                $M
                return importlib.util.spec_from_loader(name, self)

        def create_module(self, spec):
            $P
            $M

        def exec_module(self, module):
            k()
    finder = Finder()
    wanted = "pt_imported_%d" % id(finder)
    sys.meta_path.insert(0, finder)
    try:
        __import__(wanted)
    finally:
        sys.meta_path.remove(finder)
        sys.modules.pop(wanted, None)
""")

shape("""
def $F(k):
    import contextvars
    contextvars.Context().run(lambda: ($M, k()))
""", since=(3, 7))

shape("""
def $F(k):
    import _thread
    import signal
    def handler(sig, frame):
        $P
        $M
        k()
    if not _main_thread():
        return k()
    old = signal.signal(signal.SIGUSR1, handler)
    try:
        _kill(_getpid(), signal.SIGUSR1)
        for i in range(3):
            $M
    finally:
        signal.signal(signal.SIGUSR1, old)
""")

shape("""
def $F(k):
    import threading
    def body():
        $P
        $M
        k()
    t = threading.Thread(target=body)
    t.start()
    t.join()
""")

# --- newer syntax

shape("""
def $F(k, /, *, x=2):
    if (y := $M) == 0:
        while (z := k()):
            break
    return [w := $M, w]
""", since=(3, 8))

shape("""
def $F(k):
    class Point:
        __match_args__ = ("x", "y")
        @property
        def x(self):
            $M
            return 1

        @property
        def y(self):
            k()
            return 2
    match Point():
        case Point(5, _):
            pass
        case Point(1, y) if $M:
            pass
        case {"a": 1} | [1, *_]:
            pass
        case _:
            $M
""", since=(3, 10))

shape("""
def $F(k):
    def generic[T: (int, str)](x: T) -> T:
        $M
        k()
        return x

    class Box[T](list[T]):
        $P
        x = $M
        def get[U](self) -> U:
            return $M
    type Alias[T] = list[(T, $M)]
    generic(1), Box().get(), Alias.__value__
""", since=(3, 12))

shape("""
def $F(k):
    def annotated(a: $M, b: k() = 1) -> $M:
        pass
    class Notes:
        x: $M
    return annotated.__annotations__, Notes.__annotations__
""", since=(3, 14))

shape("""
def $F(k):
    value = t"{$M} and {k()!r:>{$M}}"
    return list(value)
""", since=(3, 14))
