# SPDX-License-Identifier: MIT
"""What is wrong is said once, in one form, with the exit code of its kind."""
import json
import os
import subprocess
from pathlib import Path

import pytest

TOP = Path(os.environ.get("SRCDIR") or Path(__file__).resolve().parents[2])
SHOP = TOP / "tests/golden/shop.ev"
WAITS = TOP / "tests/golden/waits.ev"
NOBODY = 2 ** 31 - 1        # above the kernel's largest pid


def run(pytrace, *args):
    return subprocess.run([pytrace, *map(str, args)], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=False)


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("args, says", [
    ("trace", "no target"),
    ("trace -F 99 -p 1", "a sampling rate is -e cpu:99"),
    ("-F 99 -p 1", "a sampling rate is -e cpu:99"),
    ("record -F f -o x -p 1", "-F is for trace, calls, cpu, offcpu"),
    ("trace -i 1", "no recording '1': -i takes a file"),
    ("trace -s 10 -p 1 -d 1", "-s takes 32 to 4096"),
    ("trace -e nonsense -p 1 -d 1", "no system call 'nonsense'"),
    ("trace -e , -p 1 -d 1", "-e names nothing"),
    ("trace -e cpu:0 -p 1 -d 1", "cpu:HZ takes 1 to 4999"),
    ("record -e fault -o x -p 1 -d 1", "no event and no system call 'fault'"),
    ("trace -p 1", "-d DUR"),
    ("trace -p x -d 1", "-p takes process ids"),
    ("trace -p 1 -d 0", "-d takes a duration"),
    ("trace -p 1 -i x -d 1", "one target only"),
    ("trace -p 1 -d 1 --innermost", "--innermost is for -F"),
    ("trace -p 1 -d 1 --no-follow", "--no-follow is for -- COMMAND"),
    ("trace -f -i x", "of no use with -i"),
    ("trace --no-such-option", "unrecognized option '--no-such-option'"),
    ("trace -o", "requires an argument"),
    ("record -p 1 -d 1", "-o FILE"),
    ("record --json -o x -p 1 -d 1", "unrecognized option '--json'"),
    ("dump", "name a recording"),
    ("probes", "no file"),
    ("ps --width x", "no number of columns"),
    ("no-such-view", "unknown view"),
    ("-a -p 1 -d 1", "one target only"),
    ("--unit x -d 1 -- true", "one target only"),
    ("trace -a --exe x -d 1", "-a is each of them"),
    ("-a", "-d DUR"),
    ("--cgroup x -d 1", "--cgroup takes a path from / on"),
    ("123", "a process is named by -p 123"),
    ("trace 123", "a process is named by -p 123"),
    ("ps foo", "unexpected argument 'foo'"),
    ("doctor foo", "unexpected argument 'foo'"),
    ("trace -e line -F f -- true", "with -F PATTERN and -d DUR only"),
    ("trace -e gc,line -d 1 -p 1", "with -F PATTERN and -d DUR only"),
    ("record -o x -e line -d 1 -p 1", "with -F PATTERN and -d DUR only"),
    ("faults -e syscalls -p 1 -d 1", "leaves out what this view shows"),
    ("cpu -e openat -p 1 -d 1", "leaves out what this view shows"),
    ("offcpu -e offcpu,openat -p 1 -d 1", "-e names kinds of events here"),
    ("-e openat -p 1 -d 1", "-e names kinds of events here"),
    ("syscalls -e read -i x.ptr", "a recording has what was recorded"),
    ("-e page-faults -p 1 -d 1", "page-faults is a counter"),
    ("faults -e cycles:99 -p 1 -d 1", "cycles is a counter"),
    ("cpu -e gc -p 1 -d 1", "-e gc names single events"),
    ("offcpu -e sched:sched_waking -p 1 -d 1", "-e sched:sched_waking names single"),
    ("-e offcpu,usdt:python:line -p 1 -d 1", "-e usdt:python:line names single"),
    ("cpu -e cs,page-faults -p 1 -d 1", "one counter, or else the clock"),
    ("cpu -e cpu,cs -p 1 -d 1", "one counter, or else the clock"),
    ("cpu -e !cs -p 1 -d 1", "one counter, or else the clock"),
    ("cpu -e cs --hist -p 1 -d 1", "samples took no time"),
    ("cpu -e cs --sort time -p 1 -d 1", "--sort takes events, samples here"),
])
def test_usage_has_one_form(pytrace, args, says):
    done = run(pytrace, *args.split())
    message = done.stderr.decode().splitlines()
    assert done.returncode == 2 and not done.stdout
    assert message[0].startswith("pytrace: usage: ") and says in message[0]
    assert len(message) == 2 and message[1].startswith("  ")


@pytest.mark.parametrize("args, leads_to", [
    ("-e page-faults", "cpu -e page-faults shows its events by line"),
    ("faults -e cycles:99", "cpu -e cycles shows its events by line"),
    ("cpu -e import", "trace -e import shows them, one a line"),
])
def test_another_view_is_named(pytrace, args, leads_to):
    done = run(pytrace, *args.split(), "-p", "1", "-d", "1")
    assert done.returncode == 2
    assert leads_to in done.stderr.decode()


@pytest.mark.parametrize("view", ["trace", "record", "dump", "probes", "ps"])
@pytest.mark.parametrize("option", ["--help", "-?", "--usage"])
def test_help_names_the_view(pytrace, view, option):
    done = run(pytrace, view, option)
    assert done.returncode == 0 and not done.stderr
    assert ("Usage: pytrace %s " % view).encode() in done.stdout


def test_usage_in_json(pytrace):
    done = run(pytrace, "trace", "-F", "99", "--json")
    assert [(o["type"], o["kind"]) for o in objects(done.stdout)] == [
        ("error", "usage")]


@pytest.mark.parametrize("view", [[], ["trace"], ["syscalls"], ["cpu"]])
def test_json_ends_with_end_before_anything_began(pytrace, view):
    """The events are refused when there is no engine yet."""
    done = run(pytrace, *view, "--json", "-e", "nonsense", "-p", "1", "-d", "1")
    assert done.returncode == 2
    error, end = objects(done.stdout or done.stderr)
    assert (error["type"], error["kind"]) == ("error", "usage")
    assert end["type"] == "end" and end["exit"] == 2 and end["events"] == 0


def test_json_ends_with_end(pytrace):
    done = run(pytrace, "trace", "--json", "-i", SHOP)
    assert objects(done.stdout)[-1]["exit"] == done.returncode == 0


def test_damage_is_marked_in_json(pytrace, tmp_path):
    whole, cut = tmp_path / "whole.ptr", tmp_path / "cut.ptr"
    assert run(pytrace, "dump", "--text", SHOP, "-o", whole).returncode == 0
    cut.write_bytes(whole.read_bytes()[:-7])
    done = run(pytrace, "trace", "--json", "-i", cut)
    error, end = objects(done.stdout)[-2:]
    assert (error["type"], error["kind"]) == ("error", "input")
    assert error["text"] in done.stderr.decode()
    assert (end["type"], end["exit"], done.returncode) == ("end", 9, 9)


def test_losses_are_said_of_a_recording(pytrace):
    """Zeros as well; --strict makes an exit code of them."""
    lossy = TOP / "tests/golden/unknown.ev"
    done = run(pytrace, "trace", "-i", lossy)
    assert done.returncode == 0
    assert b" unknown: " in done.stderr.splitlines()[-1]
    assert run(pytrace, "trace", "--strict", "-i", lossy).returncode == 10
    quiet = run(pytrace, "trace", "-q", "-i", lossy)
    assert b" unknown: " in quiet.stderr


@pytest.mark.parametrize("path, args, account", [
    (SHOP, (), "5 calls, lost 212, stacks unknown 0; 212 lost: ring full"),
    (SHOP, ("-e", "faults,read"),
     "5 events: 5 system calls, 0 faults, lost 212,"),
    (WAITS, (), "28 events: 1 system calls, 6 faults, 18 times off the CPU, "
     "3 samples, lost 3, stacks unknown 4;"),
])
def test_account_has_the_kinds_of_events(pytrace, path, args, account):
    done = run(pytrace, "trace", "-i", path, *args)
    assert done.returncode == 0
    assert account in done.stderr.decode().splitlines()[-1]


@pytest.mark.parametrize("events, types", [
    ((), {"syscall": 1}), (("-e", "faults"), {"fault": 6}),
    (("-e", "offcpu,cpu:99"), {"offcpu": 18, "sample": 3}),
    (("-e", "!faults"), {"syscall": 1}),
    (("-e", "syscalls,faults,offcpu,cpu", "-t", "815"),
     {"fault": 2, "offcpu": 3, "sample": 1}),
    (("-e", "syscalls,faults,offcpu,cpu", "--slower", "3ms"),
     {"fault": 1, "offcpu": 9}),
])
def test_events_that_are_asked_for_are_shown(pytrace, events, types):
    """Text and JSON alike; trace alone is about system calls."""
    done = run(pytrace, "trace", "--json", "-i", WAITS, *events)
    shown = [o["type"] for o in objects(done.stdout)]
    kinds = {"syscall", "fault", "offcpu", "sample"} & set(shown)
    assert {t: shown.count(t) for t in kinds} == types
    text = run(pytrace, "trace", "-i", WAITS, *events).stdout.decode()
    says = {"syscall": "  read(", "fault": "  page fault 0x",
            "offcpu": "  off CPU", "sample": "  on CPU ("}
    assert {t: text.count(s) for t, s in says.items() if s in text} == types


def test_filters_that_leave_nothing_are_named(pytrace):
    done = run(pytrace, "trace", "-i", SHOP, "-t", "1", "--json")
    error, end = objects(done.stdout)[-2:]
    assert error["kind"] == "nothing" and "-t left out" in error["hint"]
    assert end["exit"] == done.returncode == 11


def test_trace_alone_is_about_system_calls(pytrace, tmp_path):
    """A recording without any says so, and what to ask for."""
    text = WAITS.read_text()
    only = tmp_path / "only.ev"
    only.write_text("".join(line + "\n" for line in text.splitlines()
                            if " syscall " not in line))
    done = run(pytrace, "trace", "-i", only)
    assert done.returncode == 11
    assert b"without -e only system calls are shown" in done.stderr


def test_reader_that_has_seen_enough(pytrace):
    """A closed pipe is no error; the writer notices by itself."""
    read, write = os.pipe()
    os.close(read)
    for args in (["trace", "-i", SHOP], ["trace", "--json", "-i", SHOP],
                 ["dump", "-i", SHOP]):
        done = subprocess.run([pytrace, *map(str, args)], stdout=write,
                              stderr=subprocess.PIPE, timeout=60, check=False)
        assert done.returncode == 0
        assert b"Broken pipe" not in done.stderr
    os.close(write)


@pytest.mark.parametrize("args", [
    ["trace", "-i", "no\x1b[2J"], ["dump", "-i", "no\x1b[2J"],
    ["probes", "no\x1b[2J"], ["trace", "-p", "no\x1b[2J"], ["no\x1b[2J"]])
def test_names_in_messages_do_not_act(pytrace, args):
    done = run(pytrace, *args)
    assert done.returncode in (2, 3, 9)
    assert rb"\x1b[2J" in done.stderr and b"\x1b" not in done.stderr


@pytest.mark.parametrize("view", ["trace", "record"])
def test_older_output_outlives_a_mistyped_pid(pytrace, tmp_path, view):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("what I found\n")
    for out in (old, new):
        done = run(pytrace, view, "-p", NOBODY, "-d", 1, "-o", out)
        assert done.returncode in (3, 6, 7, 8)
    assert old.read_text() == "what I found\n"
    assert not new.exists()


def test_input_is_not_overwritten(pytrace, tmp_path):
    copy = tmp_path / "x.ev"
    copy.write_bytes(SHOP.read_bytes())
    done = run(pytrace, "trace", "-i", copy, "-o", copy)
    assert done.returncode == 2 and b"-o would overwrite" in done.stderr
    assert copy.read_bytes() == SHOP.read_bytes()


def test_links_are_followed_where_nobody_can_lay_them(pytrace, tmp_path):
    """/dev/stdout, >(command); not in a folder that everybody may write to."""
    done = run(pytrace, "trace", "-i", SHOP, "-o", "/dev/stdout")
    assert done.returncode == 0 and b"recvfrom" in done.stdout
    (tmp_path / "link").symlink_to(tmp_path / "to")
    assert run(pytrace, "trace", "-i", SHOP, "-o",
               tmp_path / "link").returncode == 0
    assert b"recvfrom" in (tmp_path / "to").read_bytes()
    (tmp_path / "to").unlink()
    tmp_path.chmod(0o1777)
    done = run(pytrace, "trace", "-i", SHOP, "-o", tmp_path / "link")
    assert done.returncode == 8 and b"symbolic link" in done.stderr
    assert not (tmp_path / "to").exists()


def test_closed_output_is_an_error(pytrace, tmp_path):
    """Not a file that happens to be opened under its number."""
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" trace -i "$1" >&- 2>"$2"', pytrace, str(SHOP),
         str(tmp_path / "said")], timeout=60, check=False)
    assert done.returncode == 8
    assert b"cannot write" in (tmp_path / "said").read_bytes()


def test_color(pytrace, tmp_path):
    """Only where it is asked for; but for it the text is the same."""
    plain = run(pytrace, "trace", "-i", SHOP).stdout
    color = run(pytrace, "trace", "-i", SHOP, "--color", "always").stdout
    assert b"\x1b" not in plain
    assert b"\x1b[33m-- lost 212 events" in color
    assert color.replace(b"\x1b[33m", b"").replace(b"\x1b[31m", b"").replace(
        b"\x1b[m", b"") == plain
    failed = tmp_path / "failed.ev"
    failed.write_text(SHOP.read_text().replace(" ret=1448", " ret=-11"))
    assert failed.read_text() != SHOP.read_text()
    color = run(pytrace, "trace", "-i", failed, "--color", "always").stdout
    assert b"\x1b[31mrecvfrom(" in color
