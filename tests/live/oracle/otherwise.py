# SPDX-License-Identifier: MIT
"""Marks that are no system call: a page fault, a wait, a stretch on the CPU.

A mark is still `lseek(S.null, N(), 0)`, but `lseek` is a C function that ctypes
calls: it converts N() in the very call that then touches the page, sleeps, or
burns.  Each has an argument of its own, by which it is known in a trace.
"""
import ctypes
import mmap
import time

import mark

PAGE = 4096
ROOM = 12000             # marks of a program, with something to spare
NAP_NS = 200000
SYS_NANOSLEEP = 35
BURN = 24 << 20         # bytes that are compared: some milliseconds

quick = ctypes.CDLL(None)       # gives up the GIL for the call
holding = ctypes.PyDLL(None)    # keeps it


class One(object):
    """The third argument, whatever it is, as the number that is passed."""

    def __init__(self, value):
        self.value = value

    def from_param(self, _):
        return ctypes.c_size_t(self.value)


class N(object):
    """A fresh mark; notes the stack when ctypes asks for its value."""

    def __init__(self):
        self.id = mark.S.next_id()

    @property
    def _as_parameter_(self, note=mark.note, getframe=mark.sys._getframe):
        note(self.id, getframe(1))
        return ctypes.c_void_p(self.id)


class Stretch(N):
    """One that takes its time: from when, and until when, is noted, too."""

    @property
    def _as_parameter_(self, getframe=mark.sys._getframe):
        self.stack = mark.chain(getframe(1))
        mark.S.local.stretch = self
        self.begin = time.monotonic_ns()
        return ctypes.c_void_p(addresses.base)

    @staticmethod
    def over(result, _function, _arguments):
        end = time.monotonic_ns()
        one = mark.S.local.stretch
        mark.put('{"id":%d,"pid":%d,"tid":%d,"label":%s,"stack":%s,'
                 '"begin":%d,"end":%d}\n' % (
                     one.id, mark.S.pid, mark._native_id(),
                     mark._quote(mark.S.label), one.stack, one.begin, end))
        return result


class Memory(object):
    """Anonymous memory, whose pages are small and not there yet."""

    def __init__(self, size):
        self.map = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | 0x20)
        at = (ctypes.c_char * size).from_buffer(self.map)
        self.base = ctypes.addressof(at)
        quick.madvise(ctypes.c_void_p(self.base), ctypes.c_size_t(size), 15)


addresses = None


def use(function, first, third, kind):
    mark.lseek = function
    mark.S.null = first
    mark.N = kind
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, One(third)]


def each(step):
    """Numbers of marks are addresses; the begin is left out."""
    def count():
        count.at += step
        assert count.at < addresses.base + ROOM * step
        return count.at
    count.at = addresses.base
    mark.S.next_id = count
    mark.made = lambda: (count.at - addresses.base) // step


def faults():
    """Each mark reads the first byte of a fresh page."""
    global addresses
    addresses = Memory((ROOM + 1) * PAGE)
    each(PAGE)
    use(holding.memcmp, addresses.base, 1, N)
    holding.memcmp(addresses.base, addresses.base, 1)


def waits():
    """Each mark sleeps, by a struct timespec of its own."""
    global addresses
    addresses = Memory((ROOM + 1) * 16)
    for i in range(ROOM):
        addresses.map[16 * i:16 * i + 16] = \
            b"\0" * 8 + NAP_NS.to_bytes(8, "little")
    each(16)
    use(quick.syscall, SYS_NANOSLEEP, 0, N)


def stretches():
    """Each mark compares a lot of memory with itself."""
    global addresses
    addresses = Memory(BURN)
    addresses.map[:] = b"x" * BURN
    use(holding.memcmp, addresses.base, BURN, Stretch)
    holding.memcmp.errcheck = Stretch.over


KINDS = {"faults": faults, "waits": waits, "stretches": stretches}


def begin(kind):
    if kind:
        KINDS[kind]()
