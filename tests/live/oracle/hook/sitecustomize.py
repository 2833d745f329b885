# SPDX-License-Identifier: MIT
"""Marks in a program that knows nothing of them, by a profile function.

With this folder on PYTHONPATH, $PT_TRUTH names the truth file, $PT_EVERY says
that each so-manieth profile event makes a mark, and $PT_PROC is the number of
the process: its children by fork and exec count on from it.  The mark is made
where the event is: at calls, returns and calls of C functions.
"""
import os
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
import mark     # noqa: E402
del sys.path[0]


def _install():
    every = int(os.environ.get("PT_EVERY", "50"))
    left = [every]

    def profile(frame, event, arg, mark=mark.mark, left=left):
        left[0] -= 1
        if left[0] <= 0:
            left[0] = every
            mark()

    # A pid is as good a number as any, and each child has another.
    mark.begin(os.environ["PT_TRUTH"], os.getpid() & 0xffff)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: mark.forked(
            os.getpid() & 0xffff))
    threading.setprofile(profile)
    sys.setprofile(profile)


if "PT_TRUTH" in os.environ:
    _install()
