# SPDX-License-Identifier: MIT
"""Marks: system calls that write down the Python stack they are made on.

A mark is `lseek(fd, N(), 0)` on /dev/null.  The C function converts N() to
an integer by N.__index__, inside the very call that then enters the kernel,
so the frame that made the call stands at the same instruction in both: what
sys._getframe says there is what a tracer must find at the system call.

Runs unchanged on CPython 3.6 to 3.15 and needs no module that costs anything
to import, so that programs of 20 ms and sub-interpreters can use it too.
"""
import itertools
import os
import sys
import threading

try:
    from _json import encode_basestring_ascii as _quote
except ImportError:
    from json.encoder import py_encode_basestring_ascii as _quote

# An id is this, the number of the process, the number of the mark: below
# 2^53, so that every JSON reader has it exactly.
MAGIC = 0x15A << 44
PROC_SHIFT = 28


class _State(object):
    """Of this process: reset by begin() and in each forked child."""

    truth = -1      # where truth is appended
    null = -1       # the file that marks are made on
    buffer = None   # lines not yet written, or None: write at once
    next_id = None
    pid = 0
    label = ""
    local = threading.local()


S = _State()
lseek = os.lseek


def _native_id():
    try:
        return S.local.tid
    except AttributeError:
        pass
    # The link names the thread wherever get_native_id (3.8) is not there.
    S.local.tid = int(os.readlink("/proc/thread-self").rsplit("/", 1)[1])
    return S.local.tid


def chain(frame, _quote=_quote):
    """The stack from FRAME outwards as JSON: [func, file, line, lasti, def].

    Strings are encoded at once and never kept: a name held here would keep
    the allocator from using its memory again, which is what some of the
    programs are about.
    """
    out = []
    while frame is not None:
        code = frame.f_code
        line = frame.f_lineno
        out.append("[%s,%s,%s,%d,%d]" % (
            _quote(getattr(code, "co_qualname", code.co_name)),
            _quote(code.co_filename),
            "null" if line is None else line,
            frame.f_lasti, code.co_firstlineno))
        frame = frame.f_back
    return "[" + ",".join(out) + "]"


def put(line, S=S, write=os.write):
    """Append one line of truth, at once or with the next flush()."""
    if S.buffer is not None:
        S.buffer.append(line)
    else:
        write(S.truth, line.encode("ascii"))


def note(ident, frame, S=S):
    """Write down that mark IDENT is being made by FRAME."""
    put('{"id":%d,"pid":%d,"tid":%d,"label":%s,"stack":%s}\n' % (
        ident, S.pid, _native_id(), _quote(S.label), chain(frame)))


class N(object):
    """A fresh mark id, which notes the stack when C asks for its value."""

    __slots__ = ("id",)

    def __init__(self):
        self.id = S.next_id()

    def __index__(self, note=note, getframe=sys._getframe):
        note(self.id, getframe(1))
        return self.id

    __int__ = __index__     # 3.6 and 3.7 ask for this one


class Hook(object):
    """A path whose conversion by C notes the stack as a record of KIND.

    For calls that cannot be marked by an argument, such as those of a vfork
    child: fork_exec() converts its argument list just before it forks.
    """

    def __init__(self, path, kind):
        self.path = path
        self.kind = kind
        self.stack = "null"

    def __fspath__(self, getframe=sys._getframe):
        self.stack = chain(getframe(1))
        return self.path

    def done(self, pid):
        """The call is over and PID is the process that it made."""
        put('{"kind":"%s","pid":%d,"parent":%d,"stack":%s}\n' % (
            self.kind, pid, S.pid, self.stack))


def mark():
    """A mark from a function of its own."""
    return lseek(S.null, N(), 0)


def leaf():
    """A mark from a function of its own, over several lines."""
    return lseek(
        S.null,
        N(),
        0
    )


def made():
    """How many marks, about.  To ask makes a number that no mark will have."""
    return S.next_id() & ((1 << PROC_SHIFT) - 1)


def flush():
    """Write what is buffered.  Only at places where no mark is going on."""
    if S.buffer:
        take = S.buffer[:]
        del S.buffer[:len(take)]
        data = "".join(take).encode("ascii")
        while data:
            data = data[os.write(S.truth, data):]


def buffered(on):
    """Buffer the truth from now on, or write it at once."""
    flush()
    S.buffer = [] if on else None


def begin(path, proc=0):
    """Start marking in this process, the PROC-th of its program."""
    S.truth = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    S.null = os.open("/dev/null", os.O_RDWR)
    forked(proc)


def forked(proc):
    """In a child made by fork: nothing of the parent's marks is kept."""
    S.buffer = None
    S.pid = os.getpid()
    S.local = threading.local()
    S.next_id = itertools.count(MAGIC | proc << PROC_SHIFT).__next__
