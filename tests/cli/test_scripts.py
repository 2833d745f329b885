# SPDX-License-Identifier: MIT
"""What CI believes: the sums of scripts/ci-summary, and scripts/timed."""
import os
import subprocess

TOP = os.environ.get("SRCDIR") or os.path.join(os.path.dirname(__file__), "../..")


def run(*args):
    return subprocess.run([os.path.join(TOP, "scripts", args[0])]
                          + [str(a) for a in args[1:]],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True)


def summary(folder):
    done = run("ci-summary", folder)
    assert done.returncode == 0, done.stdout
    return done.stdout.splitlines()


def trs(folder, name, *results):
    (folder / "tests").mkdir(exist_ok=True)
    (folder / "tests" / (name + ".trs")).write_text(
        "".join(":test-result: %s\n" % r for r in results))


def test_sums_automake_and_pytest(tmp_path):
    trs(tmp_path, "a", "PASS one", "PASS two", "FAIL three", "SKIP # four")
    trs(tmp_path, "b", "XFAIL one", "XPASS two", "ERROR - died")
    (tmp_path / "tests" / "a.log").write_text("ok 1\n# took 0.250000 s\n")
    (tmp_path / "pytest-x.xml").write_text(
        '<testsuites><testsuite>'
        '<testcase classname="t" name="good" time="1.5"/>'
        '<testcase classname="t" name="bad" time="2.5">'
        '<failure message="1 != 2"/></testcase>'
        '<testcase classname="t" name="absent" time="0">'
        '<skipped message="no root"/></testcase>'
        '<testcase classname="t" name="broken" time="0">'
        '<error message="fixture"/></testcase>'
        '</testsuite></testsuites>')
    lines = summary(tmp_path)
    assert lines[-1] == "4 5 2"
    assert lines[1].split() == ["2.500", "s", "t::bad"]
    assert "    0.250 s  tests/a" in lines
    assert any("three" in line for line in lines)
    assert any("t::absent: no root" in line for line in lines)


def test_nothing_ran_is_nothing_passed(tmp_path):
    assert summary(tmp_path)[-1] == "0 0 0"


def test_a_program_that_dies_keeps_its_status():
    done = run("timed", "sh", "-c", "echo ok 1; exit 7")
    assert done.returncode == 7
    assert done.stdout.startswith("ok 1\n# took 0.")
