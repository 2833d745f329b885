# SPDX-License-Identifier: MIT
"""Print all that a process knows of itself and a tracer might have changed.

usage: mirror.py        one JSON object on stdout; the same traced or not
"""
import json
import os
import resource
import signal
import sys


def status():
    """The lines of /proc/self/status that are the same in each run."""
    keep = ("Umask", "Uid", "Gid", "Groups", "SigPnd", "ShdPnd",
            "SigBlk", "SigIgn", "SigCgt", "CapInh", "CapPrm", "CapEff",
            "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Seccomp_filters",
            "TracerPid", "Threads", "Cpus_allowed", "CoreDumping",
            "THP_enabled")
    out = {}
    with open("/proc/self/status") as f:
        for line in f:
            name, _, value = line.partition(":")
            if name in keep:
                out[name] = value.strip()
    return out


def files():
    """What is open: number, what it is (but not which pipe), its flags."""
    out = {}
    for fd in sorted(os.listdir("/proc/self/fd"), key=int):
        try:
            where = os.readlink("/proc/self/fd/" + fd).split("[")[0]
            with open("/proc/self/fdinfo/" + fd) as f:
                flags = [line for line in f if line.startswith("flags")]
        except OSError:
            continue    # the folder that was being read
        out[fd] = [where, flags]
    return out


def mirror():
    out = {
        "status": status(),
        "files": files(),
        "argv": sys.argv,
        "cwd": os.getcwd(),
        "environment": dict(os.environ),
        "priority": os.getpriority(os.PRIO_PROCESS, 0),
        "affinity": sorted(os.sched_getaffinity(0)),
        "policy": os.sched_getscheduler(0),
        "group leader": os.getpgrp() == os.getpid(),
        "session leader": os.getsid(0) == os.getpid(),
        "limits": {name: resource.getrlimit(getattr(resource, name))
                   for name in dir(resource) if name.startswith("RLIMIT_")},
        "handlers": {str(n): str(signal.getsignal(n))
                     for n in range(1, signal.NSIG)},
        "blocked": sorted(map(str, signal.pthread_sigmask(
            signal.SIG_BLOCK, []))),
    }
    for name in ("oom_score_adj", "personality", "coredump_filter",
                 "timerslack_ns", "comm", "cgroup"):
        try:
            with open("/proc/self/" + name) as f:
                out[name] = f.read()
        except OSError as err:
            out[name] = str(err)
    try:
        import ctypes
        death = ctypes.c_int(-1)
        prctl = ctypes.CDLL(None).prctl
        prctl(2, ctypes.byref(death), 0, 0, 0)
        out["parent death signal"] = death.value
        out["dumpable"] = prctl(3, 0, 0, 0, 0)
        out["subreaper"] = prctl(37, ctypes.byref(death), 0, 0, 0)
    except ImportError:
        pass
    return out


if __name__ == "__main__":
    json.dump(mirror(), sys.stdout, sort_keys=True, indent=1)
