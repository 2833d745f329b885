# SPDX-License-Identifier: MIT
"""The formats: what describes them is true to the header, dump goes both ways."""
import os
import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(os.environ.get("SRCDIR") or Path(__file__).resolve().parents[2])
ABI = (TOP / "probes/pytrace_abi.h").read_text()
EVENTS = (TOP / "docs/EVENTS.md").read_text()
MAN = (TOP / "man/pytrace.data.5").read_text()
GOLDEN = sorted((TOP / "tests/golden").glob("*.ev"))


def x_list(name, row):
    """Rows X(...) of the macro NAME, as tuples of ROW's groups."""
    body = re.search(r"#define %s\(X\)(.*?)\n\n" % name, ABI, re.S).group(1)
    rows = re.findall(row, body)
    assert rows and len(rows) == body.count("X(")
    return rows


def test_records_are_described():
    records = x_list("PT_RECORDS", r"X\((\d+), (\w+),\s*\w+,\s*(\d+)\)")
    assert len(records) >= 13
    for nr, name, size in records:
        name = name.lower()
        assert "\n| %s | `%s` | %s |" % (nr, name, size) in EVENTS
        assert "\n.B %s %s (%s)\n" % (nr, name, size) in MAN


@pytest.mark.parametrize("macro", ["PT_WHYS", "PT_LOSSES"])
def test_reasons_are_described(macro):
    page = " ".join(MAN.split())
    for nr, name, words in x_list(macro, r'X\((\d+), (\w+),\s*"(.*?)"\)'):
        word = name.lower().replace("_", "-")
        assert re.search(r"^\| %s \| `%s` \|( %s)? \|$" %
                         (nr, word, re.escape(words)), EVENTS, re.M), word
        if words:
            assert "%s %s" % (nr, words) in page


def dump(pytrace, *args, **options):
    return subprocess.run([pytrace, "dump"] + [str(a) for a in args],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60, **options)


@pytest.mark.parametrize("ev", GOLDEN, ids=lambda p: p.stem)
def test_text_and_recording_say_the_same(pytrace, tmp_path, ev):
    recording, again = tmp_path / "a.ptr", tmp_path / "b.ptr"
    text = tmp_path / "a.ev"

    assert dump(pytrace, "--text", ev, "-o", recording).returncode == 0
    shown = dump(pytrace, "-i", recording)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert shown.stdout == dump(pytrace, "-i", ev).stdout
    text.write_bytes(shown.stdout)
    assert dump(pytrace, "--text", text, "-o", again).returncode == 0
    assert again.read_bytes() == recording.read_bytes()
    assert recording.stat().st_mode & 0o777 == 0o600


def test_example_of_the_page_is_text(pytrace):
    example = EVENTS.split("## The text")[1].split("```")[1]
    shown = dump(pytrace, "-i", "-", input=example.encode())
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert len(shown.stdout.splitlines()) == 8


@pytest.mark.parametrize("args, code, says", [
    ((), 2, "name a recording"),
    (("-i", "x", "--text", "y"), 2, "exclude"),
    (("--text", "x"), 2, "needs -o"),
    (("-i", "x", "-o", "y"), 2, "-o is for --text"),
    (("-i", "no-such-file"), 9, "no-such-file"),
    (("a", "b"), 2, "one file at a time"),
])
def test_wrong_usage(pytrace, args, code, says):
    done = dump(pytrace, *args)
    assert done.returncode == code
    assert says in done.stderr.decode()
    assert done.stdout == b""


def test_cut_recording_is_shown_up_to_the_cut(pytrace, tmp_path):
    recording = tmp_path / "a.ptr"
    dump(pytrace, "--text", GOLDEN[0], "-o", recording)
    whole = dump(pytrace, "-i", recording).stdout
    recording.write_bytes(recording.read_bytes()[:-7])
    cut = dump(pytrace, "-i", recording)
    assert cut.returncode == 9
    assert cut.stdout and whole.startswith(cut.stdout)
    assert b"pytrace: input: " in cut.stderr


def test_output_is_not_lost_silently(pytrace):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([pytrace, "dump", "-i", str(GOLDEN[0])],
                              stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 8
    assert b"No space left" in done.stderr


def test_what_exists_is_not_overwritten(pytrace, tmp_path):
    precious = tmp_path / "thesis.txt"
    precious.write_text("chapter one\n")
    done = dump(pytrace, "--text", GOLDEN[0], "-o", precious)
    assert done.returncode == 8
    assert b"is not a recording" in done.stderr
    assert precious.read_text() == "chapter one\n"
