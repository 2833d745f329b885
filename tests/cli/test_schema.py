# SPDX-License-Identifier: MIT
"""--json-schema says what --json writes, all of it and nothing else."""
import json
import os
import subprocess
from pathlib import Path

import pytest

TOP = Path(os.environ.get("SRCDIR") or Path(__file__).resolve().parents[2])
GOLDEN = TOP / "tests/golden"
STREAMS = sorted(GOLDEN.glob("*.ev"))
TYPES = {"string": str, "boolean": bool, "integer": int, "array": list,
         "object": dict, "null": type(None)}


def run(pytrace, *args):
    return subprocess.run([pytrace, *map(str, args)], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=False)


@pytest.fixture(scope="module", name="schema")
def fixture_schema(pytrace):
    done = run(pytrace, "--json-schema")
    assert done.returncode == 0 and done.stdout.count(b"\n") == 1
    return json.loads(done.stdout)


def is_a(value, kind):
    if isinstance(value, bool) and kind == "integer":
        return False
    return isinstance(value, TYPES[kind])


def check(value, what, schema, where):
    """The part of JSON Schema that is in use; objects have nothing more."""
    if "$ref" in what:
        name = what["$ref"].rsplit("/", 1)[-1]
        check(value, schema["$defs"][name], schema, where)
        return
    if "anyOf" in what:
        if value is not None:
            check(value, what["anyOf"][0], schema, where)
        return
    if "const" in what:
        assert value == what["const"], where
        return
    kinds = what["type"]
    kinds = [kinds] if isinstance(kinds, str) else kinds
    assert any(is_a(value, kind) for kind in kinds), (where, value)
    if "minimum" in what and value is not None:
        assert value >= what["minimum"], (where, value)
    for one in value if "items" in what else ():
        check(one, what["items"], schema, where)
    if isinstance(value, dict) and "properties" in what:
        assert not set(value) - set(what["properties"]), where
        assert not set(what["required"]) - set(value), where
        for key, one in value.items():
            check(one, what["properties"][key], schema, where + "." + key)
    elif isinstance(value, dict) and "additionalProperties" in what:
        for key, one in value.items():
            check(one, what["additionalProperties"], schema, where + "." + key)


def check_lines(out, schema):
    for line in out.splitlines():
        one = json.loads(line)
        check(one, schema["$defs"][one["type"]], schema, one["type"])
    return len(out.splitlines())


@pytest.mark.parametrize("args", [
    [], ["-I", "1"], ["trace"], ["cpu", "--by", "process"],
    ["offcpu", "--idle"], ["offcpu", "--tree"], ["syscalls", "--hist"],
    ["syscalls", "--by", "stack"], ["syscalls", "--tree"],
    ["faults", "--by", "age"], ["faults", "--tree", "-I", "2"],
    ["cpu", "--by", "thread"], ["trace", "-e", "calls", "-k"],
    ["calls", "--hist"], ["calls", "--tree"], ["calls", "--slower", "2ms"],
    ["calls", "--verify", "--by", "process"], ["calls", "--gc"],
    ["calls", "--imports"],
], ids=" ".join)
def test_streams(pytrace, schema, args):
    for ev in STREAMS:
        assert check_lines(run(pytrace, *args, "--json", "-i", ev).stdout,
                           schema) > (ev.stem not in ("funcs", "python"))


@pytest.mark.parametrize("args", [
    ["doctor", "--json"], ["doctor", "--leftovers", "--json"],
    ["ps", "--json"], ["probes", "--json", "/bin/sh"],
    ["cpu", "--json", "--sort", "nonsense"], ["cpu", "--json", "-i", "/none"],
], ids=" ".join)
def test_others(pytrace, schema, args):
    assert check_lines(run(pytrace, *args).stdout, schema)


def test_interpreter(pytrace, schema):
    """Of this very process."""
    done = run(pytrace, "probes", "--json", "-p", os.getpid())
    assert b'"type":"interpreter"' in done.stdout
    assert check_lines(done.stdout, schema)


@pytest.mark.parametrize("bad", [
    {"type": "gil", "t": 1, "pid": 1, "from": 1},
    {"type": "gil", "t": 1, "pid": 1, "from": 1, "to": 2, "more": 3},
    {"type": "gil", "t": -1, "pid": 1, "from": 1, "to": 2},
    {"type": "gil", "t": None, "pid": 1, "from": 1, "to": 2},
    {"type": "gil", "t": "1", "pid": 1, "from": 1, "to": 2},
])
def test_the_check_can_fail(schema, bad):
    good = {"type": "gil", "t": 1, "pid": None, "from": 1, "to": 2}
    check(good, schema["$defs"]["gil"], schema, "good")
    with pytest.raises(AssertionError):
        check(bad, schema["$defs"]["gil"], schema, "bad")
