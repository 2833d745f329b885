# SPDX-License-Identifier: MIT
"""What all pytest tests share: the binary, and the interpreters found here.

A test that takes `python` runs once for each interpreter that
`scripts/interpreters --list` knows; `debian_python` only for those that
Debian ships.  Where CI is "true" the five Debian ones must be there;
elsewhere a missing one is skipped, and says how to get it.
"""
import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import found                        # noqa: E402
from found import TOP, unless_ci    # noqa: E402


def pytest_generate_tests(metafunc):
    names = {"python", "debian_python", "calls_python",
             "synth_python"} & set(metafunc.fixturenames)
    if not names:
        return
    if not hasattr(metafunc.config, "pt_interpreters"):
        metafunc.config.pt_interpreters = found.interpreters()
    for name in names:
        chosen = [i for i in metafunc.config.pt_interpreters
                  if name == "python" or i.origin != "source"]
        if name == "calls_python":      # whose probes tell of every call
            chosen = [i for i in chosen if repr(i) in ("3.9-debian",
                                                       "3.15-debian")]
        if name == "synth_python":      # that take synthetic probes
            chosen = [i for i in metafunc.config.pt_interpreters
                      if i.info in found.SYNTHETIC]
        metafunc.parametrize(name, chosen, ids=repr, indirect=True)


def _present(request):
    if request.param.missing:
        unless_ci(request.param.missing)
    return request.param


@pytest.fixture
def python(request):
    """One after another, each interpreter of this machine."""
    return _present(request)


@pytest.fixture
def debian_python(request):
    """One after another, the interpreters that Debian ships."""
    return _present(request)


@pytest.fixture
def calls_python(request):
    """Debian's interpreters with function__entry and function__return."""
    return _present(request)


@pytest.fixture
def synth_python(request):
    """One after another, each interpreter that takes synthetic probes."""
    return _present(request)


@pytest.fixture(scope="session")
def interpreters(request):
    """All that are here, for tests that choose among them."""
    config = request.config
    if not hasattr(config, "pt_interpreters"):
        config.pt_interpreters = found.interpreters()
    return [i for i in config.pt_interpreters if not i.missing]


@pytest.fixture(scope="session")
def system_python(interpreters):
    """The interpreter of this Debian itself."""
    for one in interpreters:
        if one.origin == "system":
            return one
    return pytest.fail("no /usr/bin/python3.N")


@pytest.fixture(scope="session")
def source_python(interpreters):
    """The newest interpreter built from source, with a shared libpython."""
    mine = [i for i in interpreters if i.origin == "source"]
    if not mine:
        pytest.skip("no interpreter built from source on this machine")
    return max(mine, key=lambda i: i.info)


@pytest.fixture(scope="session")
def pytrace():
    """The binary under test: $PYTRACE, or that of the build folder."""
    named = os.environ.get("PYTRACE")
    path = Path(named) if named else TOP / "build/pytrace"
    if not os.access(path, os.X_OK):
        pytest.fail("%s is not there: build it, or set PYTRACE" % path)
    return str(path.resolve())


@pytest.fixture(scope="session")
def tool():
    """tool("gdb"): its path; a test that needs a missing tool is skipped."""
    def find(name, package=None):
        path = shutil.which(name)
        if path is None:
            unless_ci("no %s: apt-get install %s" % (name, package or name))
        return path
    return find
