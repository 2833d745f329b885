# SPDX-License-Identifier: MIT
"""Every instruction of the standard library has the line that Python says."""
import subprocess
from pathlib import Path

from test_layouts import helper

DUMP = Path(__file__).resolve().parent / "dump_linetables.py"


def test_lines_of_the_standard_library(python, pytrace, tmp_path):
    with open(tmp_path / "stream", "w+b") as stream:
        subprocess.run(python.argv(DUMP), stdout=stream, check=True,
                       timeout=120)
        stream.seek(0)
        got = subprocess.run([helper(pytrace, "check_linetables")],
                             stdin=stream, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, timeout=120)
    assert got.returncode == 0, got.stderr
    codes, instructions, without_line, different = map(int,
                                                       got.stdout.split())
    assert different == 0
    assert codes > 10000 and instructions > 500000
    # from 3.10 some have none: that they are seen is part of the test
    assert (without_line > 1000) == (python.info >= (3, 10))
