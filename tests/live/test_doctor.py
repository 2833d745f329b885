# SPDX-License-Identifier: MIT
"""pytrace doctor: what it says where something is missing, and that it is so."""
import ctypes
import json
import os
import shutil
import struct
import subprocess

import pytest
import targets
from targets import WAIT, running

pytestmark = pytest.mark.usefixtures("may_trace")

NOBODY = 65534
USER = ("setpriv --reuid=%d --regid=%d --clear-groups" % (NOBODY, NOBODY)).split()


def with_caps(*names):
    caps = ",".join("+" + n for n in names)
    return USER + ["--inh-caps=" + caps, "--ambient-caps=" + caps]


def doctor(pytrace, *args, way=(), **more):
    """(rows by id, the end, the process as it ended)"""
    if way and not shutil.which(way[0]):
        pytest.skip("no %s on this machine" % way[0])
    more.setdefault("timeout", 60)
    ran = subprocess.run([*way, pytrace, "doctor", "--json", *map(str, args)],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, **more)
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert lines and lines[-1]["type"] == "end", ran
    assert lines[-1]["exit"] == ran.returncode
    return ({r["id"]: r for r in lines if r["type"] == "check"}, lines[-1],
            ran)


def test_root(pytrace, system_python):
    """All that a trace needs works here, or the live tests would not."""
    with running([system_python.file, "-c", WAIT]) as child:
        rows, end, _ = doctor(pytrace, "-p", child.pid)
    assert end["exit"] == 0 and end["may_trace"] is True
    assert end["next"] == "pytrace -p %d -d 10" % child.pid
    for row in ("btf", "load", "syscalls", "processes", "process", "access",
                "interpreter"):
        assert rows[row]["state"] == "ok", rows[row]
        assert rows[row]["kind"] is None
    assert system_python.version in rows["interpreter"]["reason"]
    assert rows["interpreter"]["pid"] == child.pid
    assert rows["load"]["pid"] is None


def test_tracepoints_by_name(pytrace):
    """With their fields, or, where tracefs cannot be read, without."""
    rows, _, _ = doctor(pytrace)
    assert rows["tracepoints"]["state"] == "ok", rows["tracepoints"]
    rows, _, _ = doctor(pytrace, way=with_caps("bpf", "perfmon"))
    assert rows["tracepoints"]["state"] == "partly", rows["tracepoints"]
    assert "without names of fields" in rows["tracepoints"]["reason"]


def test_what_it_tries_is_gone(pytrace):
    doctor(pytrace)
    shown = subprocess.run(["bpftool", "prog", "show"], stdout=subprocess.PIPE,
                           check=True).stdout
    assert b"pt_doctor" not in shown


@pytest.mark.parametrize("way, says, cure", [
    (USER, "lacks CAP_BPF and CAP_PERFMON", "setcap cap_bpf,cap_perfmon+ep"),
    (USER + ["--no-new-privs"], "no_new_privs", "allowPrivilegeEscalation"),
    (with_caps("bpf"), "lacks CAP_PERFMON", "setcap"),
    (["setpriv", "--bounding-set=-bpf,-perfmon,-sys_admin"],
     "the bounding set has no CAP_BPF and CAP_PERFMON", "add: [BPF, PERFMON]"),
    (["setpriv", "--bounding-set=-bpf,-sys_admin"],
     "the bounding set has no CAP_BPF:", "add: [BPF]"),
    (["unshare", "-U"], "user namespace", "host"),
    (["unshare", "-U", "-r"], "user namespace (uid_map 0 0 1)", "host"),
], ids=["user", "no-new-privs", "bpf-only", "bounding", "bounding-bpf", "userns",
        "userns-root"])
def test_each_cause_by_name(pytrace, way, says, cure):
    rows, end, _ = doctor(pytrace, way=way)
    assert end["exit"] == 6 and end["may_trace"] is False
    row = rows["load"]
    assert row["state"] == "no" and row["kind"] == "not-permitted"
    assert says in row["reason"], row
    assert cure in row["cure"], row
    assert rows["syscalls"]["state"] == "no"
    # what refuses a trace says the same
    ran = subprocess.run([*way, pytrace, "trace", "-d", "1", "-p", "1"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, timeout=60)
    assert ran.returncode == 6
    assert says in ran.stderr.decode() and cure in ran.stderr.decode()


def forbid(*numbers):
    """A seccomp filter for this process: EPERM for these calls."""
    code = [(0x20, 0, 0, 0)]                            # the number of the call
    for i, number in enumerate(numbers):
        code.append((0x15, len(numbers) - i, 0, number))    # that one: refuse
    code.append((0x06, 0, 0, 0x7FFF0000))               # allow
    code.append((0x06, 0, 0, 0x00050000 | 1))           # EPERM
    text = b"".join(struct.pack("HBBI", *one) for one in code)
    filt = ctypes.create_string_buffer(text)
    prog = ctypes.create_string_buffer(
        struct.pack("HxxxxxxP", len(code), ctypes.addressof(filt)))
    if targets.LIBC.prctl(22, 2, prog, 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def test_seccomp(pytrace):
    """Root with all capabilities, and the calls do not reach the kernel."""
    rows, end, _ = doctor(pytrace, preexec_fn=lambda: forbid(321, 298))
    assert end["exit"] == 6
    assert "bpf() is filtered by seccomp" in rows["load"]["reason"]
    # a filter of something else is no reason
    rows, end, _ = doctor(pytrace, preexec_fn=lambda: forbid(169))  # reboot
    assert end["exit"] == 0 and rows["load"]["state"] == "ok"
    rows, end, _ = doctor(pytrace, preexec_fn=lambda: forbid(298))
    assert "perf_event_open() is filtered" in rows["samples"]["reason"]
    assert rows["load"]["state"] == "ok"


def test_locked_memory_is_no_obstacle(pytrace):
    rows, end, _ = doctor(pytrace, way=["prlimit", "--memlock=65536:65536"])
    assert end["exit"] == 0
    assert "64 KiB" in rows["memlock"]["reason"]


def test_targets(pytrace):
    rows, end, _ = doctor(pytrace, "-p", 2 ** 22 + 1)
    assert end["exit"] == 3 and rows["process"]["kind"] == "no-target"
    assert end["next"] == "pytrace ps"
    with subprocess.Popen(["sleep", "60"]) as child:
        try:
            rows, end, _ = doctor(pytrace, "-p", child.pid)
        finally:
            child.kill()
    assert end["exit"] == 4 and rows["interpreter"]["kind"] == "not-python"
    assert "sleep" in rows["interpreter"]["reason"]


def test_namespaces_of_the_target(pytrace, system_python):
    argv = ["unshare", "-p", "-m", "--fork", system_python.file, "-c", WAIT]
    with running(argv) as child:
        with open("/proc/%d/task/%d/children" % (child.pid, child.pid)) as f:
            inner = int(f.read().split()[0])
        rows, end, _ = doctor(pytrace, "-p", inner)
    assert end["exit"] == 0
    assert rows["namespaces"]["state"] == "note"
    assert "pid, mnt" in rows["namespaces"]["reason"]
    assert "its own pid is 1" in rows["namespaces"]["reason"]


def test_text(pytrace):
    ran = targets.run(pytrace, "doctor")
    lines = ran.stdout.decode().splitlines()
    assert ran.returncode == 0
    assert lines[0].startswith("pytrace ") and "capabilities:" in lines[0]
    assert lines[-1] == "processes can be traced:   pytrace ps"
    assert all(len(line) <= 100 for line in lines[1:])
    bad = targets.run(pytrace, "doctor", "--leftovers", "-p", "1")
    assert bad.returncode == 2


@pytest.fixture
def uprobe_events():
    path = "/sys/kernel/tracing/uprobe_events"
    if not os.access(path, os.W_OK):
        pytest.skip("no tracefs to write to")

    def write(line):
        # open(..., "a") would seek, which tracefs does not like
        fd = os.open(path, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(fd, line.encode() + b"\n")
        finally:
            os.close(fd)

    def add(line):
        write(line)
        made.append(line.split()[0].split(":")[1])
    made = []
    yield add
    for name in made:
        try:
            write("-:" + name)
        except OSError:
            pass            # gone, as it should be


def leftovers(pytrace):
    ran = targets.run(pytrace, "doctor", "--leftovers", "--json")
    lines = targets.records(ran.stdout)
    assert lines[-1]["exit"] == ran.returncode
    return {r["event"]: r for r in lines if r["type"] == "leftover"}, ran


def test_leftovers(pytrace, system_python, uprobe_events, tmp_path):
    """Own ones are removed, unless in use; those of others are shown."""
    python = os.path.realpath(system_python.file)
    other = tmp_path / "other"
    shutil.copy("/bin/true", other)
    uprobe_events("p:pytrace/pt_left %s:0x1000" % python)
    uprobe_events("p:pytrace/pt_used %s:0x1010" % python)
    uprobe_events("p:pt_other/pt_theirs %s:0x1020" % python)
    uprobe_events("p:sdt_python/pt_perfs %s:0x1030" % python)
    uprobe_events("p:pt_other/pt_no_python %s:0x1000" % other)
    enable = "/sys/kernel/tracing/events/pytrace/pt_used/enable"
    with open(enable, "w") as f:
        f.write("1")
    try:
        rows, ran = leftovers(pytrace)
    finally:
        with open(enable, "w") as f:
            f.write("0")
    assert ran.returncode == 0
    assert rows["pt_left"]["state"] == "removed"
    assert rows["pt_used"]["state"] == "in-use"
    assert rows["pt_theirs"]["state"] == "other"
    assert rows["pt_perfs"]["state"] == "other"
    assert rows["pt_theirs"]["file"] == python
    assert rows["pt_theirs"]["offset"] == 0x1020
    assert "pt_no_python" not in rows
    with open("/sys/kernel/tracing/uprobe_events") as f:
        text = f.read()
    assert "pt_left" not in text
    assert "pt_theirs" in text and "pt_no_python" in text
    rows, _ = leftovers(pytrace)
    assert rows["pt_used"]["state"] == "removed"
