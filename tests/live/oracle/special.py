# SPDX-License-Identifier: MIT
"""Marks from places that a chain of shapes cannot reach.

Each scenario is a function of a random generator and a State; state.functions
are those of a random module.  A scenario leaves the process as it was.
"""
import builtins
import functools
import gc
import os
import signal
import subprocess
import sys
import threading
import types

import build
import mark

HERE = os.path.dirname(os.path.abspath(__file__))


class State(object):
    """What the scenarios share: the module, a folder, process numbers."""

    def __init__(self, functions, folder, truth):
        self.functions = functions
        self.folder = folder
        self.truth = truth
        self.proc = 0

    def new_proc(self):
        self.proc += 1
        return self.proc


# --- depth

def deeper(n, k):
    """k(), N frames deeper."""
    return deeper(n - 1, k) if n else k()


def _down(n, k):
    if n > 1:
        return _down(n - 1, k)
    k()
    return mark.mark()


def _down_generator(n, k):
    if n > 1:
        yield from _down_generator(n - 1, k)
    else:
        k()
        yield mark.mark()


def _down_callback(n, k):
    if n > 1:
        return max([n], key=lambda m: _down_callback(m - 2, k))
    k()
    return mark.mark()


class _DownInit(object):
    def __init__(self, n, k):
        if n > 1:
            self.next = _DownInit(n - 1, k)
        else:
            k()
            mark.mark()


def _down_await(n, k):
    async def down(n):
        if n > 1:
            await down(n - 1)
        else:
            k()
            mark.mark()
    try:
        down(n).send(None)
    except StopIteration:
        pass


def _recurse(ways, depth):
    base = 0
    frame = sys._getframe()
    while frame:
        base += 1
        frame = frame.f_back
    # The stack at the mark: base frames, the recursion, mark() itself.
    for way in ways:
        way(depth - base - 1, lambda: None)


def deep(rng, state):
    """400 frames, in each way of getting there."""
    ways = [_down, lambda n, k: list(_down_generator(n, k)), _DownInit,
            _down_await, lambda n, k: _down_callback(n * 2 // 3, k)]
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(3000)     # calls from C count twice in 3.6
    try:
        for depth in (400, 400 + rng.randrange(100)):
            _recurse(ways, depth)
        _down(200, lambda: build.run_chain(rng, state.functions, 4))
    finally:
        sys.setrecursionlimit(limit)


def truncated(rng, state):
    """Around and above the 512 frames that a record holds."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(6000)
    try:
        for depth in (510, 511, 512, 513, 514, 600, 900, 3000):
            _recurse([_down, lambda n, k: list(_down_generator(n, k))], depth)
    finally:
        sys.setrecursionlimit(limit)


# --- odd names

LONG_FILES = [
    "/very/long/" + "d" * 4900 + ".py",
    "wide-long-" + "\U0001f40d" * 1100,
    "latin-long-" + "\xe9" * 2500,
]

LONG_NAMES = [
    "f" * 5000, "\xe9" * 300, "\u95a2" * 500, "\U00020bb7" * 300,
    "f" * 31, "f" * 32, "f" * 63, "f" * 64, "f" * 127, "f" * 128, "f" * 255,
    "f" * 256, "f" * 511, "f" * 512,
]

ODD_CODE_NAMES = [
    "line1\nline2", "\x1b[31mred", "\udcff", "", "a;b c",
    "</script>", "\ud83d", "\u2028", "tab\there", "quote\"'\\",
]


def _renamed(code, **new):
    """CODE with another name: what only replace() or C can make."""
    if sys.version_info >= (3, 11):
        new["co_qualname"] = "Q." + new["co_name"]
    if hasattr(code, "replace"):
        return code.replace(**new)
    return types.CodeType(
        code.co_argcount, code.co_kwonlyargcount, code.co_nlocals,
        code.co_stacksize, code.co_flags, code.co_code, code.co_consts,
        code.co_names, code.co_varnames, new.get("co_filename"),
        new["co_name"], new.get("co_firstlineno", code.co_firstlineno),
        code.co_lnotab, code.co_freevars, code.co_cellvars)


def odd_names(rng, state):
    """Files and functions whose names are long, wide or hostile."""
    scope = build.names_for("odd")
    source = "%sdef %s(k):\n    k()\n    return _lseek(_S.null, _N(), 0)\n"
    for filename in build.ODD_FILES + LONG_FILES:
        for name in rng.sample(LONG_NAMES, 3):
            text = source % ("\n" * rng.randrange(300), name)
            exec(compile(text, filename, "exec"), scope)
            made = [v for v in scope.values()
                    if isinstance(v, types.FunctionType)
                    and v.__code__.co_filename == filename][-1]
            made(mark.mark)
            del scope[made.__name__]
    for name in ODD_CODE_NAMES:
        for filename in ("plain.py", "ctrl\x01\x1f.py", "\ud800.py"):
            _call_renamed(name, filename)


def _call_renamed(name, filename):
    code = _renamed(_down.__code__, co_name=name, co_filename=filename,
                    co_firstlineno=77)
    types.FunctionType(code, globals())(1, mark.mark)


def nul_names(rng, state):
    """NULs within names, which Python has no quarrel with."""
    for name, filename in (("nul\x00inside", "a.py"), ("f", "b\x00c.py"),
                           ("\x00", "\x00"), ("\xe9\x00", "\u20ac\x00.py")):
        _call_renamed(name, filename)


def odd_lines(rng, state):
    """Lines far apart, backwards, huge, and none at all."""
    import ast
    text = "def f():\n  x = [\n%s\n  0]\n  return mark()\n" % "".join(
        "    mark(),\n" for _ in range(30))
    # Older tables take two bytes for each 127 lines; over 64 KiB a table is
    # read later, when this code is gone.
    most = 2 ** 30 if sys.version_info >= (3, 11) else 2 ** 16
    for _ in range(6):
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if hasattr(node, "lineno"):
                node.lineno = rng.choice([
                    node.lineno, rng.randrange(1, 60),
                    rng.randrange(1, 30000), rng.randrange(1, most)])
                if hasattr(node, "end_lineno"):
                    node.end_lineno = node.lineno + rng.randrange(3)
                    node.col_offset = 0
                    node.end_col_offset = rng.choice([1, 200, 100000])
        scope = {"mark": lambda: mark.mark()}
        exec(compile(tree, "odd-lines.py", "exec"), scope)
        scope["f"]()
    if sys.version_info >= (3, 10):
        code = scope["f"].__code__.replace(co_linetable=b"")
        types.FunctionType(code, scope)()


# --- code that dies

def reuse(rng, state, rounds=1000):
    """Functions made, run and dropped: new names at the same addresses."""
    scope = build.names_for("reuse")
    mark.flush()
    for i in range(rounds):
        name = "made_%d_%s" % (i, "x" * (i % 7))
        exec(compile("%sdef %s():\n return _lseek(_S.null, _N(), 0)\n%s()"
                     % ("\n" * (i % 50), name, name),
                     "reused %d.py" % i, "exec"), scope)
        del scope[name]
        if i % 100 == 99:
            gc.collect()
            mark.flush()


def reuse_inner(rng, state, rounds=300):
    """The same for lambdas, nested code, classes and generators."""
    scope = build.names_for("reuse")
    for i in range(rounds):
        text = ("class C%d:\n"
                "    def m%d(self):\n"
                "        yield (lambda z%d=1: _lseek(_S.null, _N(), 0))()\n"
                "for x in C%d().m%d(): pass\n" % (i, i, i, i, i))
        local = dict(scope)
        exec(compile(text, "inner %d" % i, "exec"), local)
        del local
        mark.flush()


# --- threads

def threads(rng, state, count=8, chains=25):
    """COUNT threads at once, each with chains of its own."""
    import random
    start = threading.Barrier(count)

    def body(seed):
        own = random.Random(seed)
        start.wait()
        for _ in range(chains):
            build.run_chain(own, state.functions, own.randrange(1, 6))
    many = [threading.Thread(target=body, args=(rng.random(),))
            for _ in range(count)]
    for t in many:
        t.start()
    for t in many:
        t.join()


def thread_churn(rng, state, count=200):
    """Short threads one after another: their ids and stacks are reused."""
    import _thread
    for i in range(count):
        done = _thread.allocate_lock()
        done.acquire()

        def body(i=i, done=done):
            try:
                mark.mark()
                _down(i % 9 + 1, mark.mark)
            finally:
                done.release()
        _thread.start_new_thread(body, ())
        done.acquire()


def foreign_thread(rng, state):
    """A thread that Python did not make calls into it, twice."""
    import ctypes
    kind = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)

    def body(arg):
        mark.mark()
        _down(5, lambda: build.run_chain(rng, state.functions, 2))
        return 0
    callback = kind(body)
    try:
        lib = ctypes.CDLL(None)
        lib.pthread_create
    except AttributeError:
        lib = ctypes.CDLL("libpthread.so.0")
    for _ in range(2):
        t = ctypes.c_ulong()
        lib.pthread_create(ctypes.byref(t), None, callback, None)
        lib.pthread_join(t, None)


# --- signals

def signals(rng, state):
    """Handlers that run between any two instructions of a chain."""
    def handler(sig, frame):
        mark.mark()
        _down(2, lambda: None)
    old = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)
        for _ in range(20):
            build.run_chain(rng, state.functions, 5)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def interrupted_calls(rng, state):
    """Handlers that run while a system call is interrupted and restarted."""
    import time

    def handler(sig, frame):
        mark.mark()
        signal.setitimer(signal.ITIMER_REAL, 0)
    old = signal.signal(signal.SIGALRM, handler)
    try:
        for _ in range(5):
            signal.setitimer(signal.ITIMER_REAL, 0.005)
            time.sleep(0.01)
            mark.mark()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


# --- modules

def imports(rng, state):
    """Modules in files that mark while they are imported."""
    folder = os.path.join(state.folder, "modules")
    if not os.path.isdir(folder):
        os.mkdir(folder)
    lines = ["import mark", "x = mark.mark()", "class C:", "    mark.mark()"]
    for i in range(5):
        text = lines + (["import pt_mod_%d" % (i + 1)] if i < 4 else [])
        with open(os.path.join(folder, "pt_mod_%d.py" % i), "w") as f:
            f.write("\n".join(text + ["mark.mark()\n"]))
    sys.path.insert(0, folder)
    try:
        import pt_mod_0
        if sys.version_info >= (3, 15):
            del sys.modules["pt_mod_3"]
            scope = {}
            exec("lazy import pt_mod_3\ndef use():\n  return pt_mod_3.x\n"
                 "use()", scope)
        return pt_mod_0
    finally:
        sys.path.remove(folder)
        for i in range(5):
            sys.modules.pop("pt_mod_%d" % i, None)


# --- processes

def in_child(state, body):
    """Run BODY in a forked child that counts marks of its own."""
    mark.flush()
    proc = state.new_proc()
    pid = os.fork()
    if pid == 0:
        try:
            mark.forked(proc)
            state.proc = proc * 1000
            body()
        finally:
            mark.flush()
            os._exit(0)
    os.waitpid(pid, 0)


def fork(rng, state):
    """Children born at several depths, and grandchildren."""
    def family():
        mark.mark()
        build.run_chain(rng, state.functions, 3)
        in_child(state, lambda: _down(3, mark.mark))
        mark.mark()
    in_child(state, mark.mark)
    _down(8, lambda: in_child(state, family))
    for x in _down_generator(20, lambda: in_child(state, family)):
        pass
    functools.reduce(lambda a, b: in_child(state, family), [1, 2])


def vfork(rng, state):
    """subprocess: between vfork and exec a child has its parent's stack."""
    def spawn():
        hook = mark.Hook("ignored", "vfork")
        child = subprocess.Popen(["/bin/true", hook],
                                 stdout=subprocess.DEVNULL, close_fds=True)
        child.wait()
        hook.done(child.pid)
    for _ in range(3):
        spawn()
    _down(rng.randrange(2, 30), spawn)
    t = threading.Thread(target=spawn)
    t.start()
    t.join()


def preexec(rng, state):
    """Python code between fork and exec."""
    proc = state.new_proc()

    def before():
        mark.forked(proc)
        _down(4, mark.mark)
    mark.flush()
    # Only threads that hold no lock of ours are around here.
    subprocess.call(["/bin/true"], preexec_fn=before)


def executed(rng, state):
    """A child that becomes another Python by exec, twice."""
    program = ("import sys; sys.path.insert(0, %r)\n"
               "import mark, os\n"
               "proc = int(sys.argv[1])\n"
               "mark.begin(%r, proc)\n"
               "def f():\n    mark.mark()\n    mark.leaf()\n"
               "f()\n"
               "if proc %% 1000 < 902:\n"
               "    os.execv(sys.executable, [sys.executable, '-c',\n"
               "             sys.argv[2], str(proc + 1), sys.argv[2]])\n"
               % (HERE, state.truth))
    first = str(900 + 1000 * (state.proc % 50))
    subprocess.check_call([sys.executable, "-c", program, first, program])


def subinterpreters(rng, state):
    """Code in interpreters of its own, from one thread and from another."""
    try:
        import _interpreters as inter
    except ImportError:
        try:
            import _xxsubinterpreters as inter
        except ImportError:
            return
    text = ("import sys\n"
            "sys.path.insert(0, %r)\n"
            "import mark\n"
            "mark.begin(%r, %%d)\n"
            "def f(n):\n"
            "    return f(n - 1) if n else mark.mark()\n"
            "f(3)\n"
            "class C:\n"
            "    x = [mark.leaf() for i in range(2)]\n"
            "f(20)\n" % (HERE, state.truth))

    def run():
        for _ in range(2):
            ident = inter.create()
            mark.mark()
            failed = inter.run_string(ident, text % state.new_proc())
            if failed is not None:
                raise RuntimeError(failed)
            mark.mark()
            inter.destroy(ident)
            mark.mark()
    mark.flush()
    run()
    t = threading.Thread(target=run)
    t.start()
    t.join()


# --- the end

class _AtEnd(object):
    """Marks when the interpreter takes its modules apart."""

    def __init__(self, mark):
        self.mark = mark

    def __del__(self):
        self.mark()


def at_exit(rng, state):
    """Exit handlers, and __del__ after them.  To be called last."""
    import atexit
    mark.buffered(False)
    atexit.register(mark.mark)
    atexit.register(_down, 6, mark.leaf)
    atexit.register(build.run_chain, rng, state.functions, 3)
    cycle = _AtEnd(mark.mark)
    cycle.me = cycle
    sys.modules["__main__"].cycle = cycle
    builtins.kept_to_the_end = _AtEnd(mark.leaf)
    threading.Thread(target=mark.mark).start()


ALL = [deep, truncated, odd_names, odd_lines, reuse, reuse_inner, threads,
       thread_churn, foreign_thread, signals, interrupted_calls, imports,
       fork, vfork, preexec, executed, subinterpreters]
ALONE = [nul_names]     # only when asked for by name
