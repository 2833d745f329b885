# SPDX-License-Identifier: MIT
"""A FUSE file system with one file, `f`, whose reads are never answered.

usage: hangfs.py MOUNTPOINT     until its stdin is closed

Speaks the kernel's protocol itself (linux/fuse.h), so that neither libfuse nor
fusermount is needed; root is.
"""
import ctypes
import errno
import os
import select
import stat
import struct
import sys

LOOKUP, FORGET, GETATTR, OPEN, READ, RELEASE, FLUSH, INIT, BATCH_FORGET = \
    1, 2, 3, 14, 15, 18, 25, 26, 42
SIZE = 4 << 20
MNT_FORCE, MNT_DETACH = 1, 2


def attributes(node):
    folder = node == 1
    mode = stat.S_IFDIR | 0o755 if folder else stat.S_IFREG | 0o755
    return struct.pack("<6Q10I", node, 0 if folder else SIZE, 0, 0, 0, 0,
                       0, 0, 0, mode, 2 if folder else 1, 0, 0, 0, 4096, 0)


def answer(opcode, node, body):
    """The bytes to send back; None: nothing, now or ever."""
    if opcode == INIT:
        return struct.pack("<4IHHIIHHI7I", 7, 31, 0, 0, 4, 4, 4096, 1, 0, 0,
                           0, *[0] * 7)
    if opcode == LOOKUP:
        if body.rstrip(b"\0") != b"f":
            return errno.ENOENT
        return struct.pack("<4Q2I", 2, 0, 3600, 3600, 0, 0) + attributes(2)
    if opcode == GETATTR:
        return struct.pack("<QII", 3600, 0, 0) + attributes(node)
    if opcode == OPEN:
        return struct.pack("<QII", 1, 0, 0)
    if opcode in (READ, FORGET, BATCH_FORGET):
        return None
    if opcode in (FLUSH, RELEASE):
        return b""
    return errno.ENOSYS


def serve(fd):
    while True:
        ready, _, _ = select.select([fd, 0], [], [])
        if 0 in ready:
            return
        message = os.read(fd, 1 << 17)
        _, opcode, unique, node = struct.unpack_from("<IIQQ", message)
        body = answer(opcode, node, message[40:])
        if body is None:
            continue
        error = -body if isinstance(body, int) else 0
        body = b"" if error else body
        os.write(fd, struct.pack("<IiQ", 16 + len(body), error, unique) +
                 body)


def main(where):
    libc = ctypes.CDLL(None, use_errno=True)
    fd = os.open("/dev/fuse", os.O_RDWR)
    options = "fd=%d,rootmode=40000,user_id=0,group_id=0" % fd
    if libc.mount(b"hangfs", where.encode(), b"fuse.hangfs", 0,
                  options.encode()) < 0:
        raise OSError(ctypes.get_errno(), "mount")
    print("ready", flush=True)
    try:
        serve(fd)
    finally:
        # Whoever waits for an answer gets an error.
        os.close(fd)
        libc.umount2(where.encode(), MNT_FORCE | MNT_DETACH)


if __name__ == "__main__":
    main(sys.argv[1])
