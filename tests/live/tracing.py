# SPDX-License-Identifier: MIT
"""Run pytrace on something and read back what it wrote."""
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import check

ORACLE = Path(__file__).resolve().parent / "oracle"
PROGRAM = ORACLE / "program.py"
TINY = ORACLE / "tiny.py"

# Longer than anything takes on a busy machine of two cores.
LONG = 180


def wait_for(what, describe, seconds=20):
    """Poll until WHAT() is true; fail with DESCRIBE if it never is."""
    end = time.monotonic() + seconds
    while True:
        got = what()
        if got:
            return got
        if time.monotonic() > end:
            raise AssertionError("%s: not within %s s" % (
                describe() if callable(describe) else describe, seconds))
        time.sleep(0.01)


class Run:
    """A pytrace that has ended: status, its output, the trace it wrote."""

    def __init__(self, status, stdout, stderr, trace):
        self.status = status
        self.stdout = stdout
        self.stderr = stderr
        self.trace = trace
        self._records = None

    def records(self, kind=None):
        if self._records is None:
            self._records = list(check.records(self.trace))
        return [r for r in self._records
                if kind is None or r.get("type") == kind]

    def versions(self):
        """The versions of Python that were walked, in order."""
        seen = [r["python"] for r in self.records("process") if r["walk"]]
        return [v for i, v in enumerate(seen) if i == 0 or v != seen[i - 1]]

    def losses(self):
        """Lost events by reason; other programs' are no loss of ours."""
        return {r["reason"]: r["count"] for r in self.records("lost")
                if r["reason"] not in check.NO_LOSS}

    def unseen(self):
        """Context switches of which the machine's kernel did not tell."""
        return sum(r["count"] for r in self.records("lost")
                   if r["reason"] == "unseen")

    def calls(self, name=None, pid=None):
        """The system calls, of one name or one process."""
        return [r for r in self.records("syscall")
                if (name is None or r["name"] == name)
                and (pid is None or r["pid"] == pid)]


class Attached:
    """A pytrace at work on a process that was there before."""

    def __init__(self, child, trace, errors):
        self.child = child
        self.trace = trace
        self.errors = errors

    def stderr(self):
        return Path(self.errors).read_text(errors="replace")

    def says_attached(self):
        """Has it said what it traces?  From then on nothing is missed."""
        said = self.stderr()
        if re.search(r"^pytrace: \d+ .*(attached|not walked)", said, re.M):
            return True
        if self.child.poll() is not None:
            raise AssertionError("pytrace ended with %d: %s" % (
                self.child.returncode, said))
        return False

    def stop(self, sig=signal.SIGINT, timeout=20):
        """End it as a person would; the Run."""
        if self.child.poll() is None:
            self.child.send_signal(sig)
        self.child.wait(timeout)
        return Run(self.child.returncode, b"", self.stderr(), self.trace)

    def wait(self, timeout=LONG):
        """Until it ends by itself, for instance with its target."""
        self.child.wait(timeout)
        return Run(self.child.returncode, b"", self.stderr(), self.trace)


class Tracer:
    """Runs pytrace with a folder of its own; ends what is left of it."""

    def __init__(self, pytrace, folder, way=()):
        self.pytrace = pytrace
        self.way = list(way)        # words in front: setpriv, ...
        self.folder = Path(folder)
        self.number = 0
        self.running = []

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for child in self.running:
            if child.poll() is None:
                child.kill()
            child.wait()

    def new_file(self, name):
        self.number += 1
        return self.folder / ("%s.%d" % (name, self.number))

    def command(self, argv, *options, trace=None, view="trace"):
        """The words that trace ARGV, for tests that run them themselves."""
        trace = trace or self.new_file("trace")
        return [*self.way, self.pytrace, view, "--json", "-o", str(trace),
                *options, "--", *map(str, argv)], trace

    def run(self, argv, *options, timeout=LONG, view="trace", **kwargs):
        """Trace a command to its end."""
        words, trace = self.command(argv, *options, view=view)
        kwargs.setdefault("stdin", subprocess.DEVNULL)
        child = subprocess.Popen(words, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, **kwargs)
        self.running.append(child)
        try:
            out, err = child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            child.kill()
            out, err = child.communicate()
            raise AssertionError("no end within %d s: %s\n%s" % (
                timeout, words, err.decode(errors="replace")[-2000:]))
        return Run(child.returncode, out, err.decode(errors="replace"),
                   trace)

    def start(self, argv, **kwargs):
        """Start a target untraced, to attach to."""
        kwargs.setdefault("stdin", subprocess.DEVNULL)
        child = subprocess.Popen([str(a) for a in argv], **kwargs)
        self.running.append(child)
        return child

    def attach(self, pid, *options, wait=True):
        """Attach to PID; return when pytrace says that it is."""
        trace = self.new_file("trace")
        errors = self.new_file("stderr")
        if "-d" not in options:     # none of ours may stay for ever
            options += ("-d", "%d" % LONG)
        if "--max-overhead" not in options:     # test programs may be busy
            options += ("--max-overhead", "0")
        with open(errors, "w") as err:
            child = subprocess.Popen(
                [*self.way, self.pytrace, "trace", "--json", "-o", str(trace),
                 *options, "-p", str(pid)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=err)
        self.running.append(child)
        attached = Attached(child, trace, errors)
        if wait:
            wait_for(attached.says_attached, lambda: "attached to %s (%s)" % (
                pid, attached.stderr()))
        return attached


def is_python_call(record):
    return bool(record["stack"])


def assert_right(report, run=None, least=1, known=True, late=20000):
    """The oracle's verdict, with all that helps to see why.

    Where nobody could KNOW the interpreter's file before it ran, the calls
    from its start to its recognition may be missing: up to LATE are counted.
    """
    text = report.text()
    if run is not None:
        text += "\n--- pytrace exited with %s and said:\n%s" % (
            run.status, run.stderr[-3000:])
    if not known and report.losses["unrecognised"] < late:
        del report.losses["unrecognised"]
    assert report.ok(), text
    assert report.marks >= least, text


def text_of(pid):
    """The executable pages of files that PID has mapped: {(path, at): bytes}.

    As they are in memory, where a probe would show.
    """
    pages = {}
    with open("/proc/%d/maps" % pid) as maps, \
            open("/proc/%d/mem" % pid, "rb") as mem:
        for line in maps:
            where, rights, offset, _, inode, *name = line.split(None, 5)
            if "x" not in rights or inode == "0" or not name:
                continue
            start, end = (int(n, 16) for n in where.split("-"))
            mem.seek(start)
            pages[name[0].strip(), int(offset, 16), start] = \
                mem.read(end - start)
    return pages


def text_differs(pid):
    """Where the executable pages of PID differ from the files behind them."""
    bad = []
    for (path, offset, start), data in text_of(pid).items():
        with open("/proc/%d/map_files/%x-%x" % (
                pid, start, start + len(data)), "rb") as f:
            f.seek(offset)
            file = f.read(len(data))
        at = [i for i in range(0, len(file), 4096)
              if file[i:i + 4096] != data[i:i + 4096][:len(file) - i]]
        bad += ["%s+%#x" % (path, offset + i) for i in at]
    return bad


def programs_of(pid):
    """(ids of BPF programs, ids of BPF links) that process PID holds."""
    ids = set(), set()
    folder = "/proc/%d/fdinfo" % pid
    for fd in os.listdir(folder):
        try:
            with open(os.path.join(folder, fd)) as f:
                text = f.read()
        except OSError:
            continue
        for line in text.splitlines():
            word, _, value = line.partition(":")
            if word == "prog_id":
                ids[0].add(int(value))
            elif word == "link_id":
                ids[1].add(int(value))
    return ids


def existing(kind):
    """The ids of all BPF objects of a KIND, "prog" or "link"."""
    shown = subprocess.run(["bpftool", kind, "show", "-j"],
                           stdout=subprocess.PIPE, check=True)
    return {one["id"] for one in json.loads(shown.stdout or b"[]")}
