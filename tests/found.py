# SPDX-License-Identifier: MIT
"""What this machine has for the tests to run on."""
import os
import shlex
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent
CI = os.environ.get("CI") == "true"
# The versions in whose code places are known that tell of every call.
SYNTHETIC = [(3, minor) for minor in range(6, 16)]
REQUIRED = ["3.9", "3.11", "3.13", "3.14", "3.15"]


def unless_ci(reason):
    """Skip for REASON; in CI, where everything must be there, fail."""
    if CI:
        pytest.fail(reason)
    pytest.skip(reason)


class Interpreter:
    """A CPython: `argv()` runs it, `file` is its executable on the host."""

    def __init__(self, version, origin, file, command):
        self.version = version
        self.minor = ".".join(version.split(".")[:2])
        self.info = tuple(int(n) for n in self.minor.split("."))
        self.origin = origin
        self.file = file
        self.command = shlex.split(command)
        self.missing = None

    def argv(self, *args):
        return self.command + [str(a) for a in args]

    @property
    def known(self):
        """Can a tracer know the file before it runs?  It is a word of the
        command, although the script there enters a root of its own."""
        return self.file in self.command

    def __repr__(self):
        return "%s-%s" % (self.minor, self.origin)


def _missing(minor):
    one = Interpreter(minor, "debian", "", "")
    one.missing = "Debian's python%s is not here: run scripts/interpreters" \
        % minor
    return one


def interpreters():
    listed = subprocess.run([TOP / "scripts/interpreters", "--list"],
                            stdout=subprocess.PIPE, check=True, text=True)
    found = [Interpreter(*line.split("\t"))
             for line in listed.stdout.splitlines()]
    debian = {i.minor for i in found if i.origin != "source"}
    return found + [_missing(m) for m in REQUIRED if m not in debian]
