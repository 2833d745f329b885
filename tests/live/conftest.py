# SPDX-License-Identifier: MIT
"""Fixtures of the live tests: a tracer that may trace, and its leftovers."""
import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE / "oracle"))

import tracing                  # noqa: E402
from found import unless_ci     # noqa: E402


# Machines that others use, too, disturb a test now and then: `make check-live`
# runs one that failed once more.  It is said which; more than these are a fault.
MOST_AGAIN = 6


def ran_again(config):
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return reporter.stats.get("rerun", []) if reporter else []


def pytest_sessionfinish(session):
    again = ran_again(session.config)
    if len(again) > MOST_AGAIN and not session.exitstatus:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    again = ran_again(config)
    if not again:
        return
    terminalreporter.section("failed, and run again: %d, at most %d may be" %
                             (len(again), MOST_AGAIN))
    with open("pytest-again.txt", "w") as f:
        for report in again:
            why = str(report.longreprtext).strip().split("\n")
            why = [x for x in why if x.startswith("E ")] or why[-1:]
            print("AGAIN\t%s: %s" % (report.nodeid, why[0]), file=f)
            terminalreporter.line("%s: %s" % (report.nodeid, why[0]))


@pytest.fixture(scope="session")
def may_trace():
    """Root and a kernel with BTF, or no live test at all."""
    if os.geteuid() != 0:
        unless_ci("live tests need root")
    if not os.path.exists("/sys/kernel/btf/vmlinux"):
        unless_ci("live tests need a kernel with BTF")


@pytest.fixture
def tracer(pytrace, may_trace, tmp_path):
    """Runs pytrace: see tracing.Tracer."""
    with tracing.Tracer(pytrace, tmp_path) as one:
        yield one
