# SPDX-License-Identifier: MIT
"""Programs that were not written for us, with marks put into them.

oracle/hook/sitecustomize.py marks at each so-manieth profile event.  Stacks
agree with the marks, and of all system calls made while Python runs less than
one in a thousand has an unknown stack, each with its reason.
"""
import os
import re
import socket
import subprocess
import textwrap
import time
import urllib.request

import pytest

import check
from found import unless_ci
from tracing import ORACLE, assert_right, wait_for


def hooked(truth, every, **more):
    """The environment in which a Python marks by itself."""
    env = dict(os.environ, PYTHONPATH=str(ORACLE / "hook"),
               PT_TRUTH=str(truth), PT_EVERY=str(every), **more)
    return env


def assert_few_unknown(report):
    """Below one in a thousand, and check.py wants a reason for each."""
    unknown = sum(report.unknown_calls.values())
    assert unknown < 0.001 * report.calls, report.unknown_calls


def judge(run, truth, least):
    report = check.check(truth, run.trace)
    print(report.summary())
    assert_right(report, run, least)
    assert_few_unknown(report)
    return report


EMBEDDED = """
import sys
sys.path.insert(0, %r)
import mark
mark.begin(%r)

class Walker:
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        for i in range(self.n):
            mark.mark()
            yield i
            mark.leaf()

def work(n):
    return [sum(Walker(5)) for _ in range(n)]

def recurse(n):
    return recurse(n - 1) if n else work(20)

recurse(10)
work(100)
"""


def test_gdb(tracer, tool, tmp_path):
    """gdb's embedded Python: a loop, and callbacks from gdb's own C++."""
    truth = tmp_path / "truth"
    (tmp_path / "loop.py").write_text(EMBEDDED % (str(ORACLE), str(truth)))
    (tmp_path / "callback.py").write_text(textwrap.dedent("""
        class Hello(gdb.Command):
            def __init__(self):
                super().__init__("hello", gdb.COMMAND_USER)
            def invoke(self, arg, tty):
                mark.mark()
                if arg:
                    gdb.execute("hello " + arg[1:])
        class Twice(gdb.Function):
            def __init__(self):
                super().__init__("twice")
            def invoke(self, x):
                mark.mark()
                return x * 2
        Hello(), Twice()
        """))
    run = tracer.run([
        tool("gdb"), "-nx", "-batch", "-ex", "source %s/loop.py" % tmp_path,
        "-ex", "source %s/callback.py" % tmp_path, "-ex", "hello abcdef",
        "-ex", "print $twice(21)", "-ex",
        "python for i in range(50): mark.mark()"])
    assert b"$1 = 42" in run.stdout
    judge(run, truth, least=1200)


def test_vim(tracer, tool, tmp_path):
    """vim's Python, which it loads by dlopen when it is first asked for."""
    vim = tool("vim", "vim-nox")
    version = subprocess.run([vim, "--version"], stdout=subprocess.PIPE,
                             text=True).stdout
    if not re.search(r"\+python3", version):
        unless_ci("this vim has no Python: apt-get install vim-nox")
    truth = tmp_path / "truth"
    (tmp_path / "loop.py").write_text(EMBEDDED % (str(ORACLE), str(truth)))
    run = tracer.run([vim, "-N", "-u", "NONE", "-es",
                      "-c", "py3file %s/loop.py" % tmp_path,
                      "-c", "python3 for i in range(50): mark.mark()",
                      "-c", "qa!"])
    judge(run, truth, least=1200)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def test_http_server(tracer, debian_python, tmp_path):
    """python -m http.server, attached to while it serves."""
    truth = tmp_path / "truth"
    served = tmp_path / "served"
    served.mkdir()
    (served / "page.html").write_text("<p>hello" * 1000)
    port = free_port()
    env = hooked(truth, 40)
    server = tracer.start(
        debian_python.argv("-m", "http.server", port, "--bind", "127.0.0.1",
                           "--directory", served),
        env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def fetch(path="/page.html"):
        with urllib.request.urlopen(
                "http://127.0.0.1:%d%s" % (port, path)) as answer:
            return answer.read()

    def up():
        try:
            return fetch()
        except OSError:
            return None
    wait_for(up, "the server answers")
    attached = tracer.attach(server.pid)
    begin = wait_until_marks_are_seen(attached, truth, fetch)
    for i in range(60):
        assert len(fetch()) == 8000
        assert b"page.html" in fetch("/")
    run = attached.stop()
    server.terminate()
    server.wait()
    report = check.check(truth, run.trace)
    # What was marked before we came, or after we went, is not in the trace.
    assert report.right > 100, report.text()
    assert not (report.wrong or report.unknown or report.extra
                or report.losses), report.text()
    missed = [m for m in report.lost if int(m.split()[0], 16) > begin]
    assert len(missed) <= 2, missed
    assert_few_unknown(report)
    sends = [r for r in run.calls() if r["name"] in ("sendto", "sendfile",
                                                     "write")
             and r["stack"] and any("do_GET" in f["func"]
                                    for f in r["stack"])]
    assert len(sends) >= 120
    assert all(r["stack"][-1]["func"] in (
        "_run_module_as_main", "Thread._bootstrap", "_bootstrap")
        for r in sends)


def wait_until_marks_are_seen(attached, truth, poke):
    """The last mark that was made when the trace had some already."""
    def seen():
        poke()
        time.sleep(0.05)
        return '"lseek"' in attached.trace.read_text()
    wait_for(seen, "marks in the trace")
    marks, _ = check.read_truth(truth)
    return max(marks)


# Programs of Debian whose first line names its Python, and arguments.
DEBIAN_TOOLS = {
    "py3compile": ["-v", "{folder}"],
    "py3clean": ["-v", "{folder}"],
    "pydoc3": ["json"],
    "pytest": ["--collect-only", "-q", "-p", "no:cacheprovider", "{folder}"],
}


@pytest.mark.parametrize("name", sorted(DEBIAN_TOOLS))
def test_debian_tool(tracer, tmp_path, name):
    path = "/usr/bin/" + name
    if not os.path.exists(path):
        unless_ci("no %s" % path)
    with open(path, "rb") as f:
        assert re.match(rb"#! ?/usr/bin/(env )?python3", f.readline())
    folder = tmp_path / "sources"
    folder.mkdir()
    for i in range(5):
        (folder / ("test_%d.py" % i)).write_text(
            "def test_%d():\n    assert [x for x in (1, 2)]\n" % i)
    truth = tmp_path / "truth"
    run = tracer.run([path] + [a.format(folder=folder)
                               for a in DEBIAN_TOOLS[name]],
                     env=hooked(truth, 300, PATH="/usr/bin:/bin"),
                     cwd=str(tmp_path))
    assert run.status == 0, run.stderr
    judge(run, truth, least=5)


SUITES = ["test_generators", "test_coroutines", "test_contextlib",
          "test_asyncgen", "test_functools", "test_iter", "test_decorators",
          "test_asyncio.test_streams"]


@pytest.mark.parametrize("suite", SUITES)
def test_cpythons_own_tests(tracer, interpreters, tmp_path, suite):
    """CPython's tests of its own odd corners, each on another version."""
    mine = [i for i in interpreters if i.origin == "source"]
    if not mine:
        pytest.skip("no interpreter built from source: only those have tests")
    python = mine[-1 - SUITES.index(suite) % len(mine)]
    truth = tmp_path / "truth"
    run = tracer.run(python.argv("-m", "unittest", "-q", "test." + suite),
                     env=hooked(truth, 100))
    # Some of these tests dislike a profile function: only stacks count here.
    report = check.check(truth, run.trace)
    print(python, report.summary())
    assert report.right > 100, report.text()
    assert not (report.wrong or report.unknown or report.lost or report.extra
                or report.losses), report.text()


def test_greenlets(tracer, system_python, tmp_path):
    """Frames of one greenlet are never found beneath another's."""
    if subprocess.run(system_python.argv("-c", "import greenlet"),
                      stderr=subprocess.DEVNULL).returncode:
        unless_ci("no greenlet: apt-get install python3-greenlet")
    truth = tmp_path / "truth"
    code = textwrap.dedent("""
        import sys
        sys.path.insert(0, %r)
        import mark
        from greenlet import greenlet
        mark.begin(%r)
        def down(n, k):
            mark.mark()
            r = down(n - 1, k) if n else k()
            mark.leaf()
            return r
        def ping():
            for i in range(50):
                down(3, two.switch)
        def pong():
            while True:
                down(7, one.switch)
        one, two = greenlet(ping), greenlet(pong)
        down(2, one.switch)
        mark.mark()
        """) % (str(ORACLE), str(truth))
    run = tracer.run(system_python.argv("-c", code))
    judge(run, truth, least=1000)


def test_shop_example(tracer, system_python, tmp_path):
    """The program that ships as an example, if its folder is here."""
    from found import TOP
    shop = TOP / "examples" / "shop.py"
    if not shop.exists():
        pytest.skip("no examples/shop.py")
    truth = tmp_path / "truth"
    run = tracer.run(system_python.argv(shop, 3), env=hooked(truth, 200))
    assert run.status == 0, run.stderr
    report = check.check(truth, run.trace)
    assert report.right > 20, report.text()
    assert not (report.wrong or report.unknown or report.extra
                or report.losses), report.text()
    assert_few_unknown(report)
