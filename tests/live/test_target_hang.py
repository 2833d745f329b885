# SPDX-License-Identifier: MIT
"""Files and pages that never answer do not hang pytrace (case C74)."""
import os
import sys
import time
from pathlib import Path

import pytest
import targets
from found import unless_ci
from targets import WAIT, running

pytestmark = pytest.mark.usefixtures("may_trace")

HERE = Path(__file__).resolve().parent

# Maps FILE as code.
TARGET = r"""
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDONLY);
	char c;
	if (fd < 0 || mmap(NULL, 4 << 20, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			   fd, 0) == MAP_FAILED)
		return 1;
	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
"""

# Maps FILE over a page in the middle of its own command line.
OVER_ARGS = """
import ctypes, os, sys
fields = open("/proc/self/stat").read().rpartition(")")[2].split()
page = (int(fields[45]) + 8192) & ~4095
fd = os.open(sys.argv[1], os.O_RDONLY)
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
got = libc.mmap(ctypes.c_void_p(page), ctypes.c_size_t(4096), 1, 0x12, fd,
                ctypes.c_long(0))
assert got == page
"""


@pytest.fixture
def hanging(tmp_path):
    """The path of a file whose bytes never come."""
    if not os.path.exists("/dev/fuse"):
        unless_ci("no /dev/fuse")
    where = tmp_path / "fuse"
    where.mkdir()
    with running([sys.executable, HERE / "hangfs.py", where]):
        yield where / "f"


def test_mapped_file(pytrace, hanging, system_python, tmp_path):
    target = targets.build(tmp_path, "target", TARGET)
    with running([target, hanging]) as child, \
            running([system_python.file, "-c", WAIT]) as python:
        before = time.monotonic()
        rows, end = targets.ps(pytrace)
        assert time.monotonic() - before < 30
        assert end["hung"] == 1
        assert rows[python.pid]["walk"] is True
        assert b"did not answer" in targets.run(pytrace, "ps").stderr
        ran = targets.run(pytrace, "probes", "-p", child.pid)
        assert ran.returncode == 1
        assert b"does not answer" in ran.stderr


def test_page_of_the_arguments(pytrace, hanging, system_python):
    """A read of /proc/PID/cmdline would not come back, not even if killed."""
    argv = [system_python.file, "-c", OVER_ARGS + WAIT, hanging, "x" * 20000]
    with running(argv) as child, \
            running([system_python.file, "-c", WAIT]) as python:
        before = time.monotonic()
        rows, _ = targets.ps(pytrace)
        assert time.monotonic() - before < 30
        assert rows[python.pid]["walk"] is True
        assert rows[python.pid]["argv"] == [system_python.file, "-c", WAIT]
        assert rows[child.pid]["walk"] is True
        assert rows[child.pid]["argv"] is None


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
