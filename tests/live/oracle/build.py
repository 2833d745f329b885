# SPDX-License-Identifier: MIT
"""Random modules out of the shapes, and random chains of their functions."""
import functools
import importlib
import os
import re
import sys
import threading

import mark
import shapes

# File names as nobody should choose them.  1, 2 and 4 byte kinds, and what a
# reader of lines, quotes, C strings or a terminal would trip over.
ODD_FILES = [
    "plain.py",
    "with blanks and (deleted)",
    "line1\nline2 7f0000000000 ff evil",
    "quote\"back\\slash'`$(x)",
    "ctrl\x01\x1b[31m\x7f\ttab",
    "latin-\xe9\xff.py",
    "greek-\u03b1\u20ac.py",
    "wide-\U0001d518\U0001f40d.py",
    "undecodable-\udcff\udc80.py",
    "/a/long/one/" + "d" * 600 + ".py",
    "</script><script>alert(1)</script>",
    "<stdin>",
    "__init__",
    "",
]

NAMES = [
    "plain_%d", "x%d", "_under_%d_", "caf\xe9_%d",
    "\u0444\u0443\u043d\u043a\u0446\u0438\u044f_%d", "\u95a2\u6570_%d",
    "\U00020bb7\U00020bb7_%d", "long_%d_" + "n" * 300,
]

FORMS = [
    (10, "_lseek(_S.null, _N(), 0)"),
    (4, "_lseek(\n_S.null,\n\n   _N(),\n0\n)"),
    (2, "_mark()"),
    (1, "_leaf()"),
    (2, "_lseek(*(_S.null, _N(), 0))"),
    (1, "_partial(_lseek, _S.null)(_N(), 0)"),
    (2, "list(map(_lseek, [_S.null], [_N()], [0]))[0]"),
    # Over 255 arguments the call has a wide operand; 3.6 allows no more.
    (1, "_many(" + ", ".join(
        map(str, range(280 if sys.version_info >= (3, 7) else 255))) + ")"),
    (1, "(lambda: _lseek(_S.null, _N(), 0))()"),
]


def _fillers(rng):
    n = rng.randrange(10 ** 6)
    yield "v%d = %d" % (n, n)
    yield "\n" * rng.randrange(1, 9) + "pass"
    yield "pass  # " + "~" * rng.randrange(60)
    yield "v%d = (\n\n    %d,\n)" % (n, n)
    yield "if _never: v%d = _never.a%d" % (n, n)
    yield "v%d = [i for i in (1, 2)]" % n
    yield "'''text\n%s'''" % ("more\n" * rng.randrange(9))


def _rare_fillers(rng):
    yield "\n" * rng.randrange(100, 700) + "pass"
    # Many names and constants: wide arguments, long jumps.
    yield "if _never: %s" % "; ".join(
        "_never.a%d = %d" % (i, i + 1000) for i in range(300))
    yield "v = 0" + "".join("; v = v + %d" % i for i in range(300))


def filler(rng, indent):
    kind = _rare_fillers if rng.random() < 0.06 else _fillers
    text = rng.choice(list(kind(rng)))
    return "\n".join(indent + line if line and not line.startswith("more")
                     else line for line in text.split("\n"))


def render(rng, text, name):
    """The source of one shape as function NAME."""
    out = []
    for line in text.strip("\n").split("\n"):
        if line.strip() == "$P":
            out.append(filler(rng, line[:line.index("$")]))
        else:
            out.append(line)
    text = "\n".join(out).replace("$F", name)
    text = text.replace("$R", str(rng.randrange(1, 6)))
    total = sum(w for w, _ in FORMS)

    def form(_):
        at = rng.randrange(total)
        for weight, expr in FORMS:
            at -= weight
            if at < 0:
                return expr
    return re.sub(r"\$M", form, text)


def _has(module):
    if module is None:
        return True
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def usable():
    """The shapes that this interpreter can run."""
    return [text for text, since, needs in shapes.SHAPES
            if sys.version_info >= since and _has(needs)]


def _many(*args):
    return mark.lseek(mark.S.null, mark.N(), len(args) * 0)


def names_for(module):
    """What the text of a shape may use."""
    return {
        "__name__": module, "_lseek": mark.lseek, "_S": mark.S, "_N": mark.N,
        "_mark": mark.mark, "_leaf": mark.leaf, "_many": _many,
        "_partial": functools.partial, "_nop": lambda *a, **k: None,
        "_never": None, "_kill": os.kill, "_getpid": os.getpid,
        "_main_thread": lambda: (threading.current_thread()
                                 is threading.main_thread()),
    }


class Module(object):
    """Every usable shape once, in random order, in a file of an odd name."""

    def __init__(self, rng, number, filename=None):
        texts = usable()
        rng.shuffle(texts)
        if filename is None:
            filename = rng.choice(ODD_FILES)
        names = [rng.choice(NAMES) % (number * 1000 + i)
                 for i in range(len(texts))]
        parts = ["\n" * rng.randrange(40)]
        for text, name in zip(texts, names):
            parts.append(render(rng, text, name))
            parts.append("\n" * rng.randrange(1, 4))
        self.source = "\n".join(parts) + "\n"
        scope = names_for("gen%d" % number)
        exec(compile(self.source, filename, "exec"), scope)
        # The compiler normalises names (NFKC): take what was defined.
        self.functions = [scope[n] for n in names]


class Caller(object):
    """A callable object: a Python frame of its own below the function."""

    def __init__(self, f, k):
        self.f = f
        self.k = k

    def __call__(self):
        return self.f(self.k)

    def method(self):
        self.f(self.k)
        return mark.leaf()


def wrap(rng, f, k):
    """F with continuation K, called without arguments, in one of the ways."""
    way = rng.randrange(4)
    if way == 0:
        return functools.partial(f, k)
    if way == 1:
        return lambda: f(k)
    if way == 2:
        return Caller(f, k)
    return Caller(f, k).method


def run_chain(rng, functions, length):
    """Functions that call each other, LENGTH deep, in random order."""
    k = mark.mark
    names = []
    for _ in range(length):
        f = rng.choice(functions)
        names.append(f.__name__[:20])
        k = wrap(rng, f, k)
    mark.S.label = ">".join(reversed(names))
    k()
