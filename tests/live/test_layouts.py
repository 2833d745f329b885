# SPDX-License-Identifier: MIT
"""What pytrace knows of an interpreter's file is what the interpreter says.

Each interpreter runs layout_probe.py on itself: static ones, shared ones, and
Debian's libpython in a program that embeds it.
"""
import json
import os
import subprocess
from pathlib import Path

import pytest

from found import unless_ci

HERE = Path(__file__).resolve().parent
PROBE = HERE / "layout_probe.py"

# A libpython may need an older glibc than this machine's: begin as crt1.o did
# before 2.34.
EMBED = """
int Py_BytesMain(int, char **);
int main(int argc, char **argv) { return Py_BytesMain(argc, argv); }
__asm__(".symver start, __libc_start_main@GLIBC_2.2.5\\n"
	".globl _start\\n"
	"_start: xor %ebp, %ebp\\n"
	"mov %rsp, %rdi\\n"
	"and $-16, %rsp\\n"
	"call begin\\n"
	"hlt");
int start(int (*)(int, char **), int, char **, void *, void *, void *, void *);
void begin(long *sp) { start(main, sp[0], (char **)(sp + 1), 0, 0, 0, sp); }
"""

# Where the interpreter's code is: of the executable itself or of libpython.
CODE_FILE = """
import types
for line in open("/proc/self/maps"):
    words = line.split()
    lo, hi = (int(n, 16) for n in words[0].split("-"))
    if len(words) > 5 and words[5].startswith("/"):
        last = words[5]
    if lo <= id(types.CodeType) < hi:
        print(last)
        break
"""


def helper(pytrace, name):
    """A check program of the unit tests."""
    path = Path(pytrace).parent / "tests/unit" / name
    subprocess.run(["make", "-s", "-C", path.parents[2],
                    "tests/unit/" + name], check=True,
                   stdout=subprocess.DEVNULL)
    return path


def image_of(pytrace, file):
    shown = subprocess.run([helper(pytrace, "show_pyimage"), file],
                           stdout=subprocess.PIPE, text=True)
    return json.loads(shown.stdout)


def root_of(python):
    """The folder that the interpreter sees as /."""
    return python.file.split("/usr/bin/")[0] if python.origin == "debian" \
        else ""


def probe(argv, image):
    got = subprocess.run(argv + [PROBE, json.dumps(image)],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, timeout=60)
    assert got.returncode == 0, got.stdout


def code_file(python):
    path = subprocess.run(python.argv("-c", CODE_FILE), check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()
    return root_of(python) + path


def test_layout_is_the_interpreters(python, pytrace):
    image = image_of(pytrace, code_file(python))
    assert image["walk"], image["why"]
    assert image["what"] == "CPython " + python.version
    assert image["layout"] == image["row"]
    probe(python.argv(), image)


@pytest.fixture
def embedding(debian_python, tmp_path):
    """A program with Debian's libpython, as words that run it."""
    minor = debian_python.minor
    lib = Path(root_of(debian_python) + "/usr/lib/x86_64-linux-gnu") / (
        "libpython%s.so.1.0" % minor)
    if not lib.exists():
        unless_ci("no %s: apt-get install libpython%s" % (lib.name, minor))
    source = tmp_path / "embed.c"
    source.write_text(EMBED)
    program = tmp_path / "embed"
    subprocess.run(["cc", "-nostartfiles", "-o", program, source, lib,
                    "-Wl,--unresolved-symbols=ignore-in-shared-libs",
                    "-Wl,--allow-shlib-undefined"], check=True)
    tmp_path.chmod(0o755)
    become = "import os, sys; os.execv(sys.argv[1], sys.argv[1:])"
    return str(lib), debian_python.argv("-c", become, program)


def test_layout_of_an_embedded_library(embedding, pytrace, debian_python):
    lib, argv = embedding
    image = image_of(pytrace, lib)
    assert image["walk"], image["why"]
    assert image["layout"] == image["row"]
    probe(argv, image)


def test_the_probe_sees_a_wrong_number(system_python, pytrace):
    """Each number that is changed makes it fail: it looks at all of them."""
    right = image_of(pytrace, code_file(system_python))
    numbers = [n for n, v in right["layout"].items() if v != -1 and n not in (
        "frames", "tagged", "owner_c", "lasti_scale", "fr_size", "is_next",
        "fr_owner", "str_data")]
    unseen = []
    for name in numbers:
        wrong = json.loads(json.dumps(right))
        wrong["layout"][name] += 8
        got = subprocess.run(system_python.argv(PROBE, json.dumps(wrong)),
                             stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        if got.returncode == 0:
            unseen.append(name)
    assert not unseen
    assert len(numbers) > 20
    for name in ("runtime", "dealloc", "init"):
        wrong = dict(right)
        wrong[name] += 8
        got = subprocess.run(system_python.argv(PROBE, json.dumps(wrong)),
                             stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        assert got.returncode != 0, name


def test_what_is_not_an_interpreter(pytrace):
    assert "error" in image_of(pytrace, "/bin/ls")
    assert image_of(pytrace, os.path.realpath("/bin/sh"))["error"].startswith(
        "no Python interpreter in ")
