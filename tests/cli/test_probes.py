# SPDX-License-Identifier: MIT
"""pytrace probes FILE: what it lists, against readelf, and what it refuses."""
import glob
import json
import os
import re
import shutil
import struct
import subprocess

import pytest

PYTRACE = os.environ.get("PYTRACE", "./pytrace")
SRCDIR = os.environ.get("SRCDIR", ".")
PYTHON = "/usr/bin/python3.11"
INTERPRETERS = os.environ.get("PYTRACE_INTERPRETERS",
                              os.path.join(SRCDIR, ".interpreters"))


def pytrace(*args, **kw):
    kw.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([PYTRACE, *args], stderr=subprocess.PIPE, text=True,
                          timeout=60, check=False, **kw)


def listing(path, *args):
    """The JSON objects of one file, by type."""
    r = pytrace("probes", "--json", *args, path)
    assert r.returncode == 0, r.stderr
    rows = [json.loads(line) for line in r.stdout.splitlines()]
    assert rows[0]["type"] == "file"
    assert rows[-1] == {"type": "end", "exit": 0}
    probes = [r for r in rows if r["type"] == "probe"]
    assert rows[0]["probes"] == len(probes)
    return rows[0], probes


def have(*tools):
    missing = [t for t in tools if not shutil.which(t)]
    if missing:
        pytest.skip("needs " + ", ".join(missing))


def readelf_notes(path):
    text = subprocess.run(["readelf", "-n", path], capture_output=True,
                          text=True, check=True).stdout
    return sorted(
        (m[0], m[1], int(m[2], 16), int(m[3], 16), int(m[4], 16), m[5].strip())
        for m in re.findall(
            r"Provider: (.*)\n\s+Name: (.*)\n\s+Location: (\S+), "
            r"Base: (\S+), Semaphore: (\S+)\n\s+Arguments: ?(.*)", text))


def readelf_loads(path):
    text = subprocess.run(["readelf", "-lW", path], capture_output=True,
                          text=True, check=True).stdout
    return [(int(m[0], 16), int(m[1], 16), int(m[2], 16), m[3])
            for m in re.findall(r"^\s+LOAD\s+(\S+) (\S+) \S+ (\S+) \S+ "
                                r"([RWE ]{3})", text, re.M)]


def offset_of(loads, vaddr, flag):
    for offset, start, size, flags in loads:
        if flag in flags and start <= vaddr < start + size:
            return offset + vaddr - start
    return None


def check_against_readelf(path):
    _, probes = listing(path)
    assert readelf_notes(path) == sorted(
        (p["provider"], p["name"], p["location"], p["base"],
         p["semaphore"] or 0, p["args_text"]) for p in probes)
    loads = readelf_loads(path)
    assert loads
    for p in probes:
        assert p["offset"] == offset_of(loads, p["location"], "E") is not None
        if p["semaphore"]:
            assert p["semaphore_offset"] == offset_of(loads, p["semaphore"],
                                                      "W") is not None
        with open(path, "rb") as f:
            f.seek(p["offset"])
            assert f.read(1) == b"\x90"
        for arg in p["args"]:
            assert arg["place"] != "unknown", arg
    return probes


def interpreters():
    paths = [PYTHON]
    for pattern in ("*/usr/bin/python3.[0-9]*[0-9]",
                    "*/usr/lib/x86_64-linux-gnu/libpython3.*.so.1.0"):
        paths += sorted(glob.glob(os.path.join(INTERPRETERS, pattern)))
    return [p for p in paths if os.path.isfile(p) and not os.path.islink(p)]


@pytest.mark.parametrize("path", interpreters(), ids=lambda p: p.split("/")[-1])
def test_interpreters_as_readelf_has_them(path):
    have("readelf")
    probes = check_against_readelf(path)
    assert {"gc__start", "gc__done"} <= {p["name"] for p in probes}


@pytest.mark.parametrize("flags", [
    "-no-pie -fno-pie", "-fPIE -pie", "-shared -fPIC", "-static-pie", "-s",
    "-fuse-ld=lld"])
def test_offsets_of_links(tmp_path, flags):
    have("cc", "readelf")
    out = str(tmp_path / "prog")
    made = subprocess.run(
        ["cc", "-O2", *flags.split(), "-o", out,
         os.path.join(SRCDIR, "tests/data/sdt_target.c")],
        capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip("no such build here: " + flags)
    assert len(check_against_readelf(out)) == 8


ASM = """
    .text
    .globl _start
_start:
place:
    nop
    ret
    .pushsection .note.stapsdt,"","note"
    {notes}
    .popsection
"""
NOTE = """
    .balign 4
    .long 1f-0f, 3f-2f, 3
0:  .asciz "stapsdt"
1:  .balign 4
2:  .8byte place, 0, {sem}
    .asciz {provider}
    .asciz {name}
    .asciz {args}
3:  .balign 4
"""


def assemble(tmp_path, *notes):
    """A program of notes (provider, name, args), in assembler's spelling."""
    have("cc")
    source, out = tmp_path / "notes.s", str(tmp_path / "notes")
    source.write_text(ASM.format(notes="".join(
        NOTE.format(provider=f'"{p}"', name=f'"{n}"', args=f'"{a}"', sem=0)
        for p, n, a in notes)))
    subprocess.run(["cc", "-nostdlib", "-static", "-o", out, str(source)],
                   check=True)
    return out


def test_operands_by_place(tmp_path):
    path = assemble(
        tmp_path,
        ("p", "mem", "8@(%rsp) 8@8(%rsp) -4@24(%rsp)"),
        ("p", "bad", "8@%rax 8@[x1, #:lo12:.LANCHOR0] -4@$-1"),
        ("p", "float", "8f@%rax 4f@%edx"))
    _, probes = listing(path)
    by_name = {p["name"]: p["args"] for p in probes}
    assert [(a["place"], a["size"], a["signed"]) for a in by_name["mem"]] == [
        ("memory", 8, False), ("memory", 8, False), ("memory", 4, True)]
    assert [a["place"] for a in by_name["bad"]] == ["register", "unknown",
                                                    "constant"]
    assert by_name["bad"][2]["value"] == -1
    assert by_name["bad"][1]["text"] == "8@[x1, #:lo12:.LANCHOR0]"
    assert by_name["bad"][1]["why"]
    assert [(a["float"], a["size"]) for a in by_name["float"]] == [(True, 8),
                                                                   (True, 4)]
    text = pytrace("probes", path).stdout
    assert "float64 %rax, float32 %edx" in text
    assert text.count("cannot be read") == 1


def test_one_name_many_places(tmp_path):
    path = assemble(tmp_path, *[("p", "n", " ".join(["4@%eax"] * i))
                                for i in range(7)], ("p", "m", ""))
    _, probes = listing(path)
    assert [len(p["args"]) for p in probes if p["name"] == "n"] == list(range(7))
    text = pytrace("probes", path).stdout
    assert text.count("p:n ") == 1 and text.count("p:m ") == 1
    assert text.count("0x") == 8


def test_columns_are_aligned():
    for args in ([], ["--offsets"]):
        text = pytrace("probes", *args, PYTHON).stdout
        lines = text.split("\n  synthetic probes")[0].splitlines()
        title = lines[1]
        starts = [m.start() for m in re.finditer(r"(?<=  )\S", title)]
        assert len(starts) == (6 if args else 4)
        for line in lines[2:]:
            if re.match(r"    \S", line):
                continue        # what the probe really does
            for at in starts:
                assert line[at] != " " and line[at - 2:at] == "  ", line


def test_hostile_names_do_not_act(tmp_path):
    path = assemble(tmp_path, (r"\033[31mred\n", r"\377n", r"8@\033[2J"))
    text = pytrace("probes", path).stdout
    assert r"\x1b[31mred\x0a:\xffn" in text
    assert "\033" not in text
    _, probes = listing(path)
    assert probes[0]["provider"] == "\033[31mred\n"
    assert probes[0]["name"] == "\ufffdn"


def patched(tmp_path, source, *patches):
    data = bytearray(open(source, "rb").read())
    for at, fmt, value in patches:
        struct.pack_into(fmt, data, at, value)
    out = tmp_path / "patched"
    out.write_bytes(data)
    return str(out)


def test_foreign_architecture_is_listed_only(tmp_path):
    path = patched(tmp_path, assemble(tmp_path, ("p", "n", "8@x0 4@[sp, 8]")),
                   (18, "<H", 183))     # EM_AARCH64
    head, probes = listing(path)
    assert head["foreign"] and head["machine"] == "aarch64"
    assert [a["place"] for a in probes[0]["args"]] == ["register", "memory"]
    r = pytrace("probes", path)
    assert r.returncode == 0
    assert "foreign architecture: listed only" in r.stdout
    assert "foreign" not in pytrace("probes", PYTHON).stdout


def test_without_section_headers(tmp_path):
    path = patched(tmp_path, PYTHON, (40, "<Q", 0), (58, "<H", 0),
                   (60, "<H", 0), (62, "<H", 0))
    head, probes = listing(path)
    assert not head["sections"] and not probes
    assert head["build_id"] == listing(PYTHON)[0]["build_id"]
    assert head["cpython"]
    r = pytrace("probes", path)
    assert r.returncode == 0 and "no section headers" in r.stdout


def test_extended_section_numbering(tmp_path):
    with open(PYTHON, "rb") as f:
        head = f.read(64)
    shoff, = struct.unpack_from("<Q", head, 40)
    shnum, shstrndx = struct.unpack_from("<HH", head, 60)
    path = patched(tmp_path, PYTHON, (60, "<H", 0), (62, "<H", 0xffff),
                   (shoff + 32, "<Q", shnum), (shoff + 40, "<I", shstrndx))
    assert [p["location"] for p in listing(path)[1]] == [
        p["location"] for p in listing(PYTHON)[1]]
    path = patched(tmp_path, PYTHON, (60, "<H", 0),
                   (shoff + 32, "<Q", 1 << 32))
    r = pytrace("probes", path)
    assert r.returncode == 9 and "section headers" in r.stderr


def test_debug_information_only(tmp_path):
    have("objcopy")
    out = str(tmp_path / "only.debug")
    subprocess.run(["objcopy", "--only-keep-debug", PYTHON, out], check=True)
    head, probes = listing(out)
    assert head["debug_only"]
    assert all(p["offset"] is None for p in probes)
    assert "listed only" in pytrace("probes", out).stdout


def test_each_refusal_says_what_is_so(tmp_path):
    text, cut = tmp_path / "text", tmp_path / "cut"
    text.write_text("hello\n")
    with open(PYTHON, "rb") as f:
        cut.write_bytes(f.read(100000))
    os.mkfifo(tmp_path / "fifo")
    for path, code, says in [
            (str(text), 4, "is a text file"),
            (str(tmp_path), 4, "is a directory"),
            (str(tmp_path / "fifo"), 4, "is a pipe"),
            (str(cut), 9, "cut short"),
            (str(tmp_path / "none"), 3, "No such file")]:
        r = pytrace("probes", path)
        assert r.returncode == code, path
        assert says in r.stderr and path in r.stderr
        assert r.stderr.startswith("pytrace: ") and r.stderr.count("\n") == 1
        assert not r.stdout
        r = pytrace("probes", "--json", path)
        error, end = map(json.loads, r.stdout.splitlines())
        assert error["type"] == "error" and says in error["text"]
        assert end == {"type": "end", "exit": code} and r.returncode == code


def test_each_absence_has_its_reason(tmp_path):
    have("cc")
    said = set()
    python = tmp_path / "py.c"
    python.write_text("const char *Py_GetVersion(void) { return \"3\"; }\n"
                      "int main(void) { return 0; }\n")
    lib = str(tmp_path / "libpython3.99.so.1.0")
    subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname," + lib, "-o", lib,
                    str(python)], check=True)
    linked = tmp_path / "linked.c"
    linked.write_text("const char *Py_GetVersion(void);\n"
                      "int main(void) { return !Py_GetVersion(); }\n")
    link = str(tmp_path / "python3.99")
    subprocess.run(["cc", "-Wl,--no-as-needed", "-Wl,-rpath," + str(tmp_path),
                    "-o", link, str(linked), "-L" + str(tmp_path),
                    "-l:libpython3.99.so.1.0"], check=True, cwd=tmp_path)
    for path, says in [("/bin/true", "not a CPython"),
                       (lib, "--with-dtrace"),
                       (link, "its interpreter is in")]:
        r = pytrace("probes", path)
        assert r.returncode == 0 and not r.stderr
        assert says in r.stdout, r.stdout
        said.add(r.stdout.splitlines()[1])
    assert len(said) == 3


def test_one_bad_file_does_not_hide_the_others(tmp_path):
    r = pytrace("probes", str(tmp_path), PYTHON)
    assert r.returncode == 4
    assert "python:gc__start" in r.stdout


@pytest.mark.parametrize("args", [
    [], ["no-such-view"], ["probes"], ["probes", "--no-such-option"], ["-p", "1"]])
def test_usage_errors(args):
    r = pytrace(*args)
    assert r.returncode == 2
    assert r.stderr and not r.stdout


def test_help_and_version():
    for args in (["--help"], ["--version"], ["probes", "--help"]):
        r = pytrace(*args)
        assert r.returncode == 0 and r.stdout and not r.stderr
    assert "probes" in pytrace("--help").stdout


def test_output_that_cannot_be_written():
    with open("/dev/full", "w", encoding="ascii") as full:
        r = pytrace("probes", PYTHON, stdout=full)
    assert r.returncode == 8 and "No space left" in r.stderr
    read, write = os.pipe()
    os.close(read)
    r = pytrace("probes", PYTHON, stdout=write)
    os.close(write)
    assert r.returncode == 0 and not r.stderr


def uprobe_events(path, *args):
    """(comments by keyword, lines) of --uprobe-events."""
    r = pytrace("probes", "--uprobe-events", *args, path)
    assert r.returncode == 0, r.stderr
    comments, lines = {}, []
    for line in r.stdout.splitlines():
        if line.startswith("#"):
            words = line[1:].split("\t")
            comments.setdefault(words[0], []).append(words[1:])
        else:
            lines.append(line)
    return comments, lines


@pytest.mark.parametrize("path", interpreters(), ids=lambda p: p.split("/")[-1])
def test_uprobe_events_of_interpreters(path):
    """A line for each location, with its offsets and named fields."""
    comments, lines = uprobe_events(path)
    _, probes = listing(path)
    real = os.path.realpath(path)
    st = os.stat(path)
    file, = comments["file"]
    assert file[0] == real
    assert file[1] == "%d:%d" % (st.st_dev, st.st_ino)
    assert file[3].startswith("CPython 3.")
    verdicts = dict(comments["verdict"])
    assert {"sdt_python/" + p["name"]: p["verdict"] for p in probes} == verdicts
    assert "without" not in comments and "skipped" not in comments
    assert [line.split("(")[0].rsplit(":", 1)[0] for line in lines] == \
        ["p:sdt_python/%s %s" % (p["name"], real) for p in probes]
    for line, p in zip(lines, probes):
        assert ":0x%016x(%#x) " % (p["offset"], p["semaphore_offset"]) in line
        fields = re.findall(r" (\w+)=\S+:(\w+)", line)
        assert fields == {
            "function": [("filename", "ustring"), ("function", "ustring"),
                         ("line", "s32")],
            "line": [("filename", "ustring"), ("function", "ustring"),
                     ("line", "s32")],
            "gc__start": [("generation", "s32")],
            "gc__done": [("collected", "s64")],
            "import__find__load__start": [("module", "ustring")],
            "import__find__load__done": [("module", "ustring"),
                                         ("found", "s32")],
            "audit": [("event", "ustring")],
        }[re.sub("function__.*", "function", p["name"])], line


def test_uprobe_events_of_odd_paths(tmp_path):
    """A line is words: what ends one is written as octal numbers."""
    odd = tmp_path / "a b#\u00e0"
    shutil.copy(PYTHON, odd)
    comments, lines = uprobe_events(str(odd))
    want = str(tmp_path) + "/a\\040b\\043\\303\\240"
    assert comments["file"][0][0] == want
    assert lines and all(line.split(" ")[1].startswith(want + ":0x")
                         for line in lines)
    link = tmp_path / "link"
    link.symlink_to(PYTHON)
    assert uprobe_events(str(link))[0]["file"][0][0] == PYTHON


def test_uprobe_events_of_scripts_and_others(tmp_path):
    script = tmp_path / "x.py"
    script.write_text("#!%s\n" % PYTHON)
    script.chmod(0o755)
    assert uprobe_events(str(script))[0]["file"][0][0] == PYTHON
    comments, lines = uprobe_events("/bin/true")
    assert comments["file"][0][3] == "-" and not lines
    for args, code in ((["/etc/passwd"], 4), (["/nonexistent"], 3),
                       (["--json", PYTHON], 2), (["--offsets", PYTHON], 2)):
        r = pytrace("probes", "--uprobe-events", *args)
        assert r.returncode == code and not r.stdout, (args, r.stderr)
