# SPDX-License-Identifier: MIT
"""Write line tables and the lines they mean, as this interpreter says.

usage: dump_linetables.py [PATTERN...]  >STREAM

Every code object of the standard library without its own tests (of its files
whose path within it matches a PATTERN), in the form that
tests/unit/linetable_stream.h reads.
"""
import dis
import fnmatch
import importlib.util
import marshal
import os
import struct
import sys
import sysconfig
import types
import warnings

out = sys.stdout.buffer
version = sys.version_info[:2]
not_library = {"site-packages", "dist-packages", "test", "tests", "idle_test"}


def code_of(path):
    """The module's code object: from its cache (fast), else compiled."""
    cache = importlib.util.cache_from_source(path)
    try:
        with open(cache, "rb") as f:
            data = f.read()
        if data[:4] == importlib.util.MAGIC_NUMBER:
            return marshal.loads(data[12 if version < (3, 7) else 16:])
    except (OSError, ValueError, EOFError, TypeError):
        pass
    try:
        with open(path, "rb") as f:
            return compile(f.read(), path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None             # a file made to be wrong


def ranges(code):
    """(start, end, line or None) of each range of bytes."""
    if hasattr(code, "co_lines"):
        return list(code.co_lines())
    starts = list(dis.findlinestarts(code))
    ends = [s for s, _ in starts[1:]] + [len(code.co_code)]
    return [(s, e, line) for (s, line), e in zip(starts, ends)]


def dump(code):
    table = code.co_linetable if hasattr(code, "co_linetable") \
        else code.co_lnotab
    runs = []
    at = 0
    for start, end, line in ranges(code):
        if start == end:
            continue
        if start != at:
            # bytes before the first entry belong to the first line
            assert at == 0, "a hole"
            runs.append((start // 2, code.co_firstlineno))
        runs.append(((end - start) // 2, -1 if line is None else line))
        at = end
    out.write(struct.pack("=IiI", len(table), code.co_firstlineno, len(runs)))
    out.write(table)
    for run in runs:
        out.write(struct.pack("=Ii", *run))
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            dump(const)


def files(top, patterns):
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(set(folders) - not_library)
        for name in sorted(names):
            path = os.path.join(folder, name)
            within = os.path.relpath(path, top)
            if name.endswith(".py") and (not patterns or any(
                    fnmatch.fnmatch(within, p) for p in patterns)):
                yield path


def main():
    warnings.simplefilter("ignore")
    out.write(struct.pack("=I", sys.hexversion >> 16))
    for path in files(sysconfig.get_path("stdlib"), sys.argv[1:]):
        code = code_of(path)
        if code is not None:
            dump(code)


main()
