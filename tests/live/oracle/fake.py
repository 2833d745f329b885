#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Write the trace that a perfect tracer would have made of a truth file.

usage: fake.py TRUTH TRACE

For trying the checker: with a fault planted (see FAULTS) it must find it.
"""
import json
import sys

import check


def frame(f):
    func, file, line, lasti, first = f
    return {"func": func, "file": file, "line": line, "lasti": lasti,
            "def": first}


def syscall(pid, tid, name, args, stack, ret=0):
    frames, left_out = check.expected(stack)
    record = {"type": "syscall", "t": 1, "dur": 1, "pid": pid, "tid": tid,
              "thread": "python", "nr": 8, "name": name, "args": args,
              "ret": ret, "ip": 1, "stack": [frame(f) for f in frames]}
    if left_out:
        record["truncated"] = left_out
    return record


def trace(truth_path):
    """The records, marks in the order of the truth file."""
    marks, children = check.read_truth(truth_path)
    out = [syscall(m["pid"], m["tid"], "lseek", [3, ident, 0], m["stack"])
           for ident, m in marks.items()]
    for pid, child in children.items():
        out += [syscall(pid, pid, name, [1, 2, 3], child["stack"])
                for name in ("close", "execve")]
        out.append(syscall(pid, pid, "brk", [0], []))
    return out


def write(records, path):
    with open(path, "w", encoding="utf-8") as f:
        for record in records:
            f.write(json.dumps(record, ensure_ascii=False) + "\n")


# --- faults: each changes the record of one mark (or all of them)

def _change(field, value):
    def fault(record):
        top = record["stack"][len(record["stack"]) // 2]
        top[field] = value(top[field])
    return fault


def _drop(at):
    def fault(record):
        del record["stack"][at]
    return fault


def _swap(record):
    stack = record["stack"]
    stack[0], stack[-1] = stack[-1], stack[0]


def _double(record):
    record["stack"].insert(0, record["stack"][0])


def _unknown(record):
    record["stack"] = None
    record["why"] = "page not resident"


def _nameless(record):
    record["stack"][0].update(func=None, why="lost")


# name: (what changes a record, what the report must call it)
FAULTS = {
    "function": (_change("func", lambda v: v + "x"), "func"),
    "file": (_change("file", lambda v: v[:-1]), "file"),
    "line": (_change("line", lambda v: v + 1), "line"),
    "no line": (_change("line", lambda v: None), "line"),
    "lasti": (_change("lasti", lambda v: v + 2), "lasti"),
    "def": (_change("def", lambda v: v - 1), "def"),
    "innermost frame missing": (_drop(0), "missing frame"),
    "outermost frame missing": (_drop(-1), "missing frame"),
    "frame twice": (_double, "extra frame"),
    "frames swapped": (_swap, "order"),
    "another thread": (lambda r: r.update(tid=1), "thread"),
    "another process": (lambda r: r.update(pid=1), "thread"),
    "empty stack": (lambda r: r.update(stack=[]), "missing frame"),
    "unknown": (_unknown, "unknown"),
    "frame without a name": (_nameless, "unknown"),
    "another number left out": (
        lambda r: r.update(truncated=r.get("truncated", 0) + 1), "truncated"),
}


if __name__ == "__main__":
    write(trace(sys.argv[1]), sys.argv[2])
