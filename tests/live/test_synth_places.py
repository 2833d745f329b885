# SPDX-License-Identifier: MIT
"""Places of synthetic probes, in real interpreters and in damaged copies.

Nothing is traced, and no right is needed."""
import json
import os
import re
import resource
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from found import TOP, unless_ci

# By minor version: which kinds there are, each at least once.
KINDS = {
    "evaluator": {"eval", "eval-end"},
    "traceback": {"entry", "return", "yield", "eval", "eval-end", "traceback"},
    "clear": {"entry", "yield", "eval", "clear"},
}
EMULATED = re.compile(r"(5[0-7]|415[0-7]|90|6690|e[89b]..|7.|0f8.)")


def run(*args, **kw):
    return subprocess.run([str(a) for a in args], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, check=False, **kw)


def listing(pytrace, file):
    """The "synthetic" object of a file or its library, and its places."""
    done = run(pytrace, "probes", "--json", file)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    what = [r for r in rows if r["type"] == "synthetic"]
    assert len(what) == 1
    return what[0], [r for r in rows if r["type"] == "place"]


@pytest.fixture(name="show", scope="session")
def fixture_show():
    pytrace = Path(os.environ.get("PYTRACE", "./pytrace")).resolve()
    path = pytrace.parent / "tests/unit/show_synth"
    subprocess.run(["make", "-s", "-C", pytrace.parent,
                    "tests/unit/show_synth"], check=True,
                   stdout=subprocess.DEVNULL)
    return path


def have(*tools):
    for tool in tools:
        if not shutil.which(tool):
            unless_ci("needs " + tool)


def disassembled(file, lo, hi):
    """Address to raw bytes; a sweep finds its step within a few bytes."""
    text = run("objdump", "-d", "-w", "--start-address=%d" % lo,
               "--stop-address=%d" % hi, file).stdout
    return {int(m[0], 16): m[1].replace(" ", "")
            for m in re.findall(r"^\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)", text,
                                re.M)}


def test_places_of_each_interpreter(pytrace, python):
    have("objdump")
    what, places = listing(pytrace, python.file)
    assert what["why"] is None
    assert what["places"] == len(places)
    assert {p["kind"] for p in places} >= KINDS[what["method"]]
    assert ("makes" in {p["kind"] for p in places}) == \
        (python.info >= (3, 15))
    for place in places:
        at = place["location"]
        there = disassembled(what["path"], at - 512, at + 16)
        assert there.get(at) == place["bytes"], place
        assert place["emulated"] == bool(EMULATED.match(place["bytes"])), place
        assert place["traps"] == (1 if place["emulated"] else 2)
        if place["kind"] in ("entry", "yield", "return"):
            assert place["frame"] and place["opcode"]
    stepped = [p["kind"] for p in places if not p["emulated"]]
    assert what["stepped"] == len(stepped)
    assert stepped in ([], ["yield"])   # 3.13 as gcc makes it
    assert not stepped or python.minor == "3.13"


def test_text_says_the_same(pytrace, python):
    what, places = listing(pytrace, python.file)
    done = run(pytrace, "probes", python.file)
    head = "  synthetic probes on calls: %d places" % what["places"]
    assert head in done.stdout
    for place in places:
        assert re.search(r"^  %s +0x%x .*%s" % (
            place["kind"], place["location"],
            "emulated" if place["emulated"] else "single-stepped"),
            done.stdout, re.M), place
    wide = run(pytrace, "probes", "--offsets", python.file)
    for place in places:
        assert "0x%x " % place["offset"] in wide.stdout


def test_it_is_quick(pytrace, python, show):
    what, _ = listing(pytrace, python.file)
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(show, python.info[1], what["path"])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime -
                     before.ru_utime - before.ru_stime)
    assert min(spent) < 0.3


def test_of_another_minor_is_refused(pytrace, python, show):
    what, _ = listing(pytrace, python.file)
    for minor in range(11, 17):
        done = run(show, minor, what["path"])
        if minor == python.info[1]:
            assert done.returncode == 0, done.stdout
            continue
        assert done.returncode == 1
        assert re.search(r"of 256 entries differ|no dispatch table|not known|"
                         "no symbol", done.stdout), done.stdout


def test_stripped_of_all(pytrace, python, show, tmp_path):
    """Neither symbol table nor section headers: the same places."""
    have("strip")
    what, places = listing(pytrace, python.file)
    copy = tmp_path / "copy"
    shutil.copy(what["path"], copy)
    copy.chmod(0o755)
    assert run("strip", "--strip-all", copy).returncode == 0
    with copy.open("r+b") as f:
        f.seek(40)
        f.write(bytes(8))       # e_shoff
        f.seek(60)
        f.write(bytes(4))       # e_shnum, e_shstrndx
    done = run(show, python.info[1], copy)
    assert done.returncode == 0, done.stdout
    found = set(re.findall(r"^(?!jit)(\S+) +op +\d+ +(0x[0-9a-f]+) ",
                           done.stdout, re.M))
    assert found == {(p["kind"], "%#x" % p["location"]) for p in places}


def loads(file):
    data = Path(file).read_bytes()
    at, = struct.unpack_from("<Q", data, 32)
    nr, = struct.unpack_from("<H", data, 56)
    rows = [struct.unpack_from("<IIQQQQ", data, at + 56 * i)
            for i in range(nr)]
    return [(r[3], r[2], r[5]) for r in rows if r[0] == 1]


def offset_of(file, vaddr):
    for lo, offset, size in loads(file):
        if lo <= vaddr < lo + size:
            return vaddr - lo + offset
    raise AssertionError("not in the file")


def with_table(file, vaddr, change, copy):
    """A copy whose dispatch table, a list of 256, went through `change`."""
    data = bytearray(Path(file).read_bytes())
    at = offset_of(file, vaddr)
    table = list(struct.unpack_from("<256Q", data, at))
    change(table)
    struct.pack_into("<256Q", data, at, *table)
    copy.write_bytes(data)
    return copy


def at_fixed_address(pytrace, python):
    what, places = listing(pytrace, python.file)
    data = Path(what["path"]).read_bytes()
    if not what["table"] or struct.unpack_from("<H", data, 16)[0] != 2:
        pytest.skip("its table is not in the file as it is in memory")
    return what, places


def test_planted_table(pytrace, python, show, tmp_path):
    """RESUME is none; all handlers are a byte late; two are the other."""
    what, places = at_fixed_address(pytrace, python)
    resume = next(p["opcode"] for p in places if p["kind"] == "entry")
    gone = next(p["opcode"] for p in places if p["kind"] == "yield")

    def missing(table):
        unknown = max(set(table), key=table.count)
        table[resume] = unknown

    def late(table):
        table[:] = [to + 1 for to in table]

    def in_data(table):
        table[gone] = what["table"]

    for change, words in ((missing, "1 of 256 entries differ"),
                          (late, "amid an instruction"),
                          (in_data, "no dispatch table|entries differ")):
        copy = with_table(what["path"], what["table"], change,
                          tmp_path / change.__name__)
        done = run(show, python.info[1], copy)
        assert done.returncode == 1, change.__name__
        assert re.search(words, done.stdout), done.stdout


def test_shifted_code(pytrace, python, show, tmp_path):
    """The code is a byte off: the handlers are not where they are said."""
    what, _ = at_fixed_address(pytrace, python)
    done = run(show, python.info[1], what["path"])
    assert done.returncode == 0
    data = bytearray(Path(what["path"]).read_bytes())
    where = offset_of(what["path"], what["table"])
    table = struct.unpack_from("<256Q", data, where)
    lo = offset_of(what["path"], min(table))
    hi = offset_of(what["path"], max(table))
    data[lo + 1:hi] = data[lo:hi - 1]
    copy = tmp_path / "shifted"
    copy.write_bytes(data)
    after = run(show, python.info[1], copy)
    assert after.returncode == 1, after.stdout


def test_cut_short(pytrace, python, show, tmp_path):
    what, _ = listing(pytrace, python.file)
    data = Path(what["path"]).read_bytes()
    copy = tmp_path / "cut"
    for part in (0.01, 0.1, 0.3, 0.5, 0.7):
        copy.write_bytes(data[:int(len(data) * part)])
        done = run(show, python.info[1], copy)
        assert done.returncode == 1 and "refused: " in done.stdout


def test_opcodes_are_those_of_the_interpreter(python):
    if python.info < (3, 11):
        pytest.skip("its opcodes are not needed")
    done = run(TOP / "scripts/gen-opcodes", "--rows",
               " ".join(python.argv()))
    if done.returncode and os.geteuid():
        pytest.skip("cannot be run: " + done.stderr)
    assert done.returncode == 0, done.stderr
    assert ".version = 0x03%02x" % python.info[1] in done.stdout
    rows = (TOP / "src/python/opcodes_rows.h").read_text()
    assert done.stdout in rows


def test_why_there_are_none(pytrace, tmp_path):
    done = run(pytrace, "probes", "--json", "/bin/sh")
    assert '"synthetic"' not in done.stdout
    have("cc")
    src = Path(os.environ.get("SRCDIR") or TOP) / "tests/data/fake_python.c"
    fake = tmp_path / "fake"
    made = run("cc", "-w", "-o", fake, src, "-no-pie", "-fno-pie",
               "-Wl,--export-dynamic", "-DHEX=0x030b02f0", "-DBASIC=184",
               "-DITEM=2", "-DKEY=596")
    assert made.returncode == 0, made.stderr
    what, places = listing(pytrace, fake)
    assert not places and what["places"] == 0
    assert "no symbol _PyEval_EvalFrameDefault" in what["why"]
    assert "  no synthetic probes: " in run(pytrace, "probes", fake).stdout
