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
