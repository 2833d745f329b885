# SPDX-License-Identifier: MIT
"""The smallest program that marks, from its first line to its last.

usage: tiny.py TRUTH [NUMBER [STATUS]]

NUMBER keeps the ids of several programs apart; STATUS is what it exits with.
"""
import builtins
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mark     # noqa: E402

mark.begin(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
mark.mark()


class Tiny:
    x = mark.mark()

    def __init__(self, n):
        self.n = n
        for _ in self.steps():
            mark.leaf()

    def steps(self):
        for i in range(self.n):
            yield mark.lseek(mark.S.null, mark.N(), 0)


def nested(n):
    if n:
        return [nested(n - 1) for _ in range(1)]
    return Tiny(2)


class Last:
    mark = staticmethod(mark.mark)

    def __del__(self):
        self.mark()


builtins.kept_to_the_end = Last()
nested(3)
mark.mark()
if len(sys.argv) > 3:
    sys.exit(int(sys.argv[3]))
