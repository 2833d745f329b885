# SPDX-License-Identifier: MIT
"""CPU quota of a control group: what the kernel throttles is told."""
import json
import os
import subprocess
import time
from contextlib import contextmanager

import pytest
from targets import WAIT, running
from tracing import wait_for

pytestmark = pytest.mark.usefixtures("may_trace")

SPIN = "import time\nwhile True: sum(range(2000))\n"


def hierarchy():
    """(folder, version) of the hierarchy that shares out the CPU."""
    two = None
    with open("/proc/self/mountinfo") as f:
        for line in f:
            front, _, back = line.partition(" - ")
            kind, _, options = back.split()[:3]
            if kind == "cgroup" and "cpu" in options.split(","):
                return front.split()[4], 1
            if kind == "cgroup2":
                two = front.split()[4], 2
    return two or (None, 0)


@contextmanager
def group(quota_us, period_us):
    """A new control group with a quota; its folder."""
    top, version = hierarchy()
    if not top:
        pytest.skip("no hierarchy of control groups is mounted")
    folder = os.path.join(top, "pytrace-test-%d" % os.getpid())
    try:
        os.mkdir(folder)
    except OSError as e:
        pytest.skip("control groups cannot be made here: %s" % e)
    try:
        try:
            if version == 1:
                write(folder, "cpu.cfs_period_us", period_us)
                write(folder, "cpu.cfs_quota_us", quota_us)
            else:
                write(folder, "cpu.max", "%d %d" % (quota_us, period_us))
        except OSError as e:
            pytest.skip("no CPU quota can be set here: %s" % e)
        yield folder
    finally:
        wait_for(lambda: removed(folder), "the group can be removed")


def removed(folder):
    try:
        os.rmdir(folder)
    except OSError:
        return False
    return True


def write(folder, name, value):
    with open(os.path.join(folder, name), "w") as f:
        f.write(str(value))


def throttled(folder):
    """(periods, nanoseconds) that the group was throttled so far."""
    with open(os.path.join(folder, "cpu.stat")) as f:
        said = dict(line.split() for line in f)
    return int(said["nr_throttled"]), int(
        said.get("throttled_time", 0)) or 1000 * int(
        said.get("throttled_usec", 0))


@contextmanager
def spinning(folder, python):
    with subprocess.Popen(python.argv("-c", SPIN),
                          stdin=subprocess.DEVNULL) as child:
        try:
            write(folder, "cgroup.procs", child.pid)
            wait_for(lambda: throttled(folder)[0] > 1, "it is throttled")
            yield child
        finally:
            child.kill()
            child.wait()


def report(pytrace, *args):
    ran = subprocess.run([pytrace, *map(str, args)], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, timeout=60)
    assert ran.returncode == 0, ran
    return ran.stdout


def test_account_shows_throttling(pytrace, system_python):
    """As much as the group's own counters say, within what comes before the
    first and after the last look at them."""
    with group(20000, 100000) as folder, \
            spinning(folder, system_python) as child:
        before = throttled(folder)
        text = report(pytrace, "-p", child.pid, "-d", 2, "--json")
        after = throttled(folder)
    account = next(r for r in map(json.loads, text.splitlines())
                   if r["type"] == "account")
    quota = account["cpu_quota"]
    assert quota["throttled_periods"] >= 10
    assert quota["throttled_periods"] <= after[0] - before[0]
    assert 0.2e9 < quota["throttled_ns"] <= after[1] - before[1] + 1000
    # to the scheduler a throttled thread was preempted
    assert account["busy"]["preempted"] > 0.5 * quota["throttled_ns"]


def test_screen_and_doctor(pytrace, system_python):
    with group(20000, 100000) as folder, \
            spinning(folder, system_python) as child:
        screen = report(pytrace, "-p", child.pid, "-d", 1)
        doctor = report(pytrace, "doctor", "-p", child.pid, "--json")
    line = next(one for one in screen.splitlines() if "run queue" in one)
    assert "CPU quota throttled ~" in line and " periods" in line
    row = next(r for r in map(json.loads, doctor.splitlines())
               if r.get("id") == "cpu-quota")
    assert row["state"] == "note"
    assert "0.20 CPUs (cpu.max 20000 100000 of /" in row["reason"]
    assert "throttled in " in row["reason"]


def test_each_second_while_it_lasts(tracer, system_python):
    """Told at first sight, each second, and at the end; of a group that is
    above the process' own as well."""
    with group(20000, 100000) as folder:
        inner = os.path.join(folder, "inner")
        os.mkdir(inner)
        try:
            with spinning(folder, system_python) as child:
                if hierarchy()[1] == 2:
                    pytest.skip("a group of version 2 with processes has none "
                                "below it")
                write(inner, "cgroup.procs", child.pid)
                time.sleep(0.2)
                run = tracer.attach(child.pid, "-d", "2.5").wait()
        finally:
            wait_for(lambda: removed(inner), "the inner group is empty")
    stats = run.records("cpustat")
    outer = [s for s in stats if not s["cgroup"].endswith("/inner")]
    assert any(s["cgroup"].endswith("/inner") for s in stats)
    assert len(outer) >= 3 and outer[0]["quota_us"] == 20000
    counts = [s["nr_throttled"] for s in outer]
    assert counts == sorted(counts) and counts[-1] > counts[0]
    assert all(s["pid"] == child.pid for s in stats)


def test_none(pytrace, system_python):
    with running(system_python.argv("-c", WAIT)) as child:
        doctor = report(pytrace, "doctor", "-p", child.pid, "--json")
    row = next(r for r in map(json.loads, doctor.splitlines())
               if r.get("id") == "cpu-quota")
    assert row["state"] in ("ok", "note")
    if row["state"] == "ok":
        assert row["reason"] == "none"
