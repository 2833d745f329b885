#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compare what a program said of its stacks with what a trace says of them.

usage: check.py TRUTH TRACE [--kind KIND] [--show N]
                    exit 1 if anything differs

TRUTH is what mark.py wrote, TRACE the output of `pytrace trace --json`.  Marks
are joined by their ids and compared frame for frame.
"""
import argparse
import collections
import json
import re
import sys

MAGIC = 0x15A
MAGIC_SHIFT = 44

# A stack of more frames than this is cut: so many innermost, so many outermost.
MOST, INNER, OUTER = 512, 448, 64

FIELDS = ("func", "file", "line", "lasti", "def")
SURROGATES = re.compile("[\ud800-\udfff\ufffd]+")

# The records that have a stack.
EVENTS = {"syscall", "fault", "offcpu", "sample"}

# Processes of other programs are no part of a trace, and where the machine's
# tracepoint did not fire nobody can see a switch: not a loss of ours.
NO_LOSS = {"not-python", "unseen"}


class Bad(Exception):
    """The trace is not what `trace --json` promises to write."""


class Report(object):
    """What was found.  ok() is the verdict, str() the text for people."""

    def __init__(self):
        self.marks = 0              # in the truth
        self.right = 0
        self.wrong = []             # (id, kind, text)
        self.unknown = []           # (id, why)
        self.lost = []              # ids of the truth not in the trace
        self.extra = []             # ids of the trace not in the truth, or twice
        self.vforked = 0            # children compared with their parent
        self.losses = collections.Counter()     # reason: count
        self.calls = 0              # system calls in the trace, marks included
        self.unknown_calls = collections.Counter()      # why: count
        self.end = None

    def ok(self):
        return (self.marks > 0 and self.right == self.marks
                and not (self.wrong or self.unknown or self.lost or self.extra
                         or self.losses))

    def summary(self):
        return ("%d marks: %d right, %d wrong, %d unknown, %d lost, %d extra; "
                "%d system calls, %d unknown, %d lost" % (
                    self.marks, self.right, len(self.wrong),
                    len(self.unknown), len(self.lost), len(self.extra),
                    self.calls, sum(self.unknown_calls.values()),
                    sum(self.losses.values())))

    def text(self, show=5):
        out = [self.summary()]
        kinds = collections.Counter(kind for _, kind, _ in self.wrong)
        if kinds:
            out.append("wrong: " + ", ".join(
                "%s %d" % item for item in kinds.most_common()))
        seen = collections.Counter()
        for ident, kind, text in self.wrong:
            seen[kind] += 1
            if seen[kind] <= show:
                out.append("mark %#x: %s\n%s" % (ident, kind, text))
        whys = collections.Counter(why for _, why in self.unknown)
        for why, count in whys.most_common():
            out.append("unknown mark, %d times: %s" % (count, why))
        for name, ids in (("lost", self.lost), ("extra", self.extra)):
            out += ["%s mark: %s" % (name, one) for one in ids[:show]]
        out += ["lost in the trace: %s, %d" % item
                for item in self.losses.items()]
        return "\n".join(out)

    __str__ = text


def clean(string):
    """As the trace spells it: what is no character is U+FFFD, once a run."""
    return string if string is None else SURROGATES.sub("\ufffd", string)


def read_truth(path):
    """(marks by id, children by pid) of a truth file."""
    marks, children = {}, {}
    with open(path, encoding="ascii") as f:
        for line in f:
            one = json.loads(line)
            one["stack"] = [
                (clean(func), clean(file), lineno, lasti, first)
                for func, file, lineno, lasti, first in one["stack"]]
            if "kind" in one:
                children[one["pid"]] = one
            elif one["id"] in marks:
                raise Bad("%s: mark %#x twice" % (path, one["id"]))
            else:
                marks[one["id"]] = one
    return marks, children


def records(path):
    """The objects of a trace, one a line."""
    with open(path, encoding="utf-8", errors="strict") as f:
        for number, line in enumerate(f, 1):
            try:
                yield json.loads(line)
            except ValueError as err:
                raise Bad("%s:%d: not JSON: %s: %.200r" % (
                    path, number, err, line))


def frames_of(record):
    """The stack of a record as tuples, or None if it is unknown."""
    try:
        stack = record["stack"]
    except KeyError:
        raise Bad("no stack in %.300r" % (record,))
    if stack is None:
        if not record.get("why"):
            raise Bad("an unknown stack without a reason: %.300r" % (record,))
        return None
    try:
        return [(clean(f["func"]), clean(f["file"]), f["line"], f["lasti"],
                 f["def"]) for f in stack]
    except (KeyError, TypeError):
        raise Bad("a frame is not whole in %.500r" % (record,))


def unknown_in(record):
    """Why the stack, or a frame of it, is unknown; None if all is known."""
    if record["stack"] is None:
        return record["why"]
    for frame in record["stack"]:
        if frame.get("why"):
            return "a frame: " + frame["why"]
        if frame["func"] is None or frame["file"] is None:
            raise Bad("a nameless frame without a reason: %.300r" % (frame,))
    return None


def expected(stack):
    """(frames, number left out) that a trace has of a stack of the truth."""
    if len(stack) <= MOST:
        return stack, 0
    return stack[:INNER] + stack[-OUTER:], len(stack) - MOST


def _brief(frame):
    func, file, line, lasti, first = frame
    if len(func) > 40:
        func = func[:36] + "...%d" % len(func)
    if len(file) > 60:
        file = "...%d" % len(file) + file[-50:]
    return "%s (%r:%s+%s def %s)" % (
        func.encode("unicode_escape").decode(), file, line, lasti, first)


def _kind(want, got):
    """In one word, how two stacks differ."""
    if len(got) < len(want):
        return "missing frame"
    if len(got) > len(want):
        return "extra frame"
    if sorted(map(repr, want)) == sorted(map(repr, got)):
        return "order"
    for name, wants, gots in zip(FIELDS, zip(*want), zip(*got)):
        if wants != gots:
            return name
    return "none"


def diff(want, got, around=2):
    """The frames that differ, innermost first, with a few beside them."""
    at = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b),
              min(len(want), len(got)))
    lines = ["  frame %d of %d in the truth, of %d in the trace" % (
        at, len(want), len(got))]
    for i in range(max(0, at - around), at + around + 1):
        a = _brief(want[i]) if i < len(want) else "(no frame)"
        b = _brief(got[i]) if i < len(got) else "(no frame)"
        lines += ["    " + a] if a == b else ["  - " + a, "  + " + b]
    return "\n".join(lines)


def compare(truth, record):
    """None if RECORD says what TRUTH says, or (kind, text)."""
    want, left_out = expected(truth["stack"])
    got = frames_of(record)
    if (record["pid"], record["tid"]) != (truth["pid"], truth["tid"]):
        return "thread", "  - %s/%s\n  + %s/%s" % (
            truth["pid"], truth["tid"], record["pid"], record["tid"])
    if want != got:
        return _kind(want, got), "  in %s\n%s" % (
            truth["label"], diff(want, got))
    if (record.get("truncated") or 0) != left_out:
        return "truncated", "  - %s\n  + %s" % (
            left_out, record.get("truncated"))
    return None


def is_mark(record):
    # of a call that was under way when the trace began there are no arguments
    return (record["name"] == "lseek" and record["args"] is not None
            and record["args"][1] >> MAGIC_SHIFT == MAGIC)


def mark_of(record, kind, marks):
    """The mark that a record is of, by what otherwise.py makes of each kind."""
    what = record.get("type")
    if kind is None and what == "syscall" and is_mark(record):
        return record["args"][1]
    if kind == "faults" and what == "fault":
        page = record["addr"] & ~4095
        return page if page in marks else None
    if kind == "waits" and what == "offcpu" and \
            record.get("name") == "nanosleep":
        return record["args"][0]
    return None


def _check_children(report, children, calls):
    """Each system call of a vfork child up to its exec: its parent's stack."""
    for pid, truth in children.items():
        mine = calls.get(pid, [])
        report.marks += 1
        if not any(call["name"] == "execve" for call in mine):
            report.lost.append("execve of vfork child %d" % pid)
            continue
        report.vforked += 1
        wrong = None
        for call in mine:
            got = frames_of(call)
            why = unknown_in(call)
            if why:
                report.unknown.append((pid, why))
                break
            if got != truth["stack"]:
                wrong = (pid, "vfork", "  %s of %d\n%s" % (
                    call["name"], pid, diff(truth["stack"], got)))
                report.wrong.append(wrong)
                break
            if call["name"] == "execve" and call["ret"] == 0:
                report.right += 1
                break
        else:
            report.lost.append("successful execve of vfork child %d" % pid)


def check(truth_path, trace_path, kind=None):
    """Compare the two files; a Report.  KIND: of marks that are no calls."""
    marks, children = read_truth(truth_path)
    report = Report()
    report.marks = len(marks)
    missing = dict.fromkeys(marks)
    of_child = {}
    for record in records(trace_path):
        what = record.get("type")
        if what == "lost" and record["reason"] not in NO_LOSS:
            report.losses[record["reason"]] += record["count"]
        elif what == "end":
            report.end = record
        if what not in EVENTS:
            continue
        report.calls += 1
        frames_of(record)
        why = unknown_in(record)
        if why:
            report.unknown_calls[why] += 1
        if record["pid"] in children:
            of_child.setdefault(record["pid"], []).append(record)
        ident = mark_of(record, kind, marks)
        if ident is None:
            continue
        if ident not in missing:
            report.extra.append("%#x" % ident)
            continue
        del missing[ident]
        if why:
            report.unknown.append((ident, why))
            continue
        wrong = compare(marks[ident], record)
        if wrong:
            report.wrong.append((ident,) + wrong)
        else:
            report.right += 1
    report.lost += ["%#x in %s, pid %d" % (
        ident, marks[ident]["label"], marks[ident]["pid"])
        for ident in missing]
    _check_children(report, children, of_child)
    return report


def without_marker(stack):
    """Less what lies within the mark's own Python, on top of its caller."""
    inside = [i for i, frame in enumerate(stack)
              if frame["file"].endswith("/otherwise.py")]
    return stack[inside[-1] + 1:] if inside else stack


def check_stretches(truth_path, trace_path):
    """Each sample within a stretch has its stack; (right, [wrong])."""
    marks, _ = read_truth(truth_path)
    of_thread = collections.defaultdict(list)
    for one in marks.values():
        of_thread[one["tid"]].append(one)
    right, wrong = 0, []
    for record in records(trace_path):
        if record.get("type") != "sample":
            continue
        for one in of_thread[record["tid"]]:
            if one["begin"] < record["t"] < one["end"]:
                break
        else:
            continue
        difference = unknown_in(record) or compare(
            one, dict(record, stack=without_marker(record["stack"])))
        if difference:
            wrong.append((one["id"], difference))
        else:
            right += 1
    return right, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("truth")
    parser.add_argument("trace")
    parser.add_argument("--kind", choices=("faults", "waits"))
    parser.add_argument("--show", type=int, default=5)
    args = parser.parse_args()
    report = check(args.truth, args.trace, args.kind)
    print(report.text(args.show))
    return 0 if report.ok() else 1


if __name__ == "__main__":
    sys.exit(main())
