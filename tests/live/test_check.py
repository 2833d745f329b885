# SPDX-License-Identifier: MIT
"""The oracle's checker must find each kind of planted fault; no kernel here."""
import copy
import subprocess
import sys

import pytest

import check
import fake
from tracing import PROGRAM


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    """A real truth file, of an untraced program."""
    folder = tmp_path_factory.mktemp("truth")
    path = folder / "truth"
    subprocess.run([sys.executable, PROGRAM, "--seed", "11", "--truth", path,
                    "--folder", folder, "--only", "deep", "--only", "vfork"],
                   check=True)
    return path


@pytest.fixture(scope="module")
def perfect(truth):
    return fake.trace(truth)


def judge(truth, records, tmp_path):
    path = tmp_path / "trace"
    fake.write(records, path)
    return check.check(truth, path)


def marks_in(records):
    return [i for i, r in enumerate(records) if check.is_mark(r)]


def test_perfect_trace_passes(truth, perfect, tmp_path):
    report = judge(truth, perfect, tmp_path)
    assert report.ok(), report
    assert report.marks > 40 and report.vforked == 5
    assert report.right == report.marks


def test_cut_stacks_and_odd_names_pass(tmp_path):
    path = tmp_path / "truth"
    subprocess.run([sys.executable, PROGRAM, "--seed", "12", "--truth", path,
                    "--folder", tmp_path, "--only", "truncated", "--only",
                    "odd_names"], check=True)
    report = judge(path, fake.trace(path), tmp_path)
    assert report.ok(), report
    assert report.marks > 100


@pytest.mark.parametrize("fault", sorted(fake.FAULTS))
@pytest.mark.parametrize("where", ["first", "middle", "last"])
def test_planted_fault_is_found(truth, perfect, tmp_path, fault, where):
    records = copy.copy(perfect)
    # A stack of a few different frames, so that each fault is one.
    at = [i for i in marks_in(records) if 3 <= len(records[i]["stack"]) < 400]
    at = {"first": at[0], "middle": at[len(at) // 2], "last": at[-1]}[where]
    records[at] = copy.deepcopy(records[at])
    change, kind = fake.FAULTS[fault]
    change(records[at])
    report = judge(truth, records, tmp_path)
    assert not report.ok()
    assert report.right == report.marks - 1
    if kind == "unknown":
        assert len(report.unknown) == 1
    else:
        assert [k for _, k, _ in report.wrong] == [kind]
    assert len(report.text().splitlines()) > 1


def test_each_frame_of_a_stack_is_compared(truth, perfect, tmp_path):
    at = next(i for i in marks_in(perfect) if len(perfect[i]["stack"]) == 400)
    for n in range(0, 400, 50):
        records = copy.copy(perfect)
        records[at] = copy.deepcopy(records[at])
        records[at]["stack"][n]["line"] += 1
        records = [records[at]]
        report = judge(truth, records, tmp_path)
        assert [k for _, k, _ in report.wrong] == ["line"]
        assert "frame %d of 400" % n in report.text()


def test_lost_mark_is_found(truth, perfect, tmp_path):
    records = list(perfect)
    del records[marks_in(records)[5]]
    report = judge(truth, records, tmp_path)
    assert not report.ok() and len(report.lost) == 1


def test_empty_trace_is_no_success(truth, tmp_path):
    report = judge(truth, [], tmp_path)
    assert not report.ok() and len(report.lost) == report.marks


def test_empty_truth_is_no_success(tmp_path):
    (tmp_path / "truth").write_text("")
    assert not judge(tmp_path / "truth", [], tmp_path).ok()


def test_mark_twice_is_found(truth, perfect, tmp_path):
    report = judge(truth, perfect + [perfect[0]], tmp_path)
    assert not report.ok() and len(report.extra) == 1


def test_mark_that_nobody_made_is_found(truth, perfect, tmp_path):
    other = copy.deepcopy(perfect[0])
    other["args"][1] += 1 << 30
    report = judge(truth, perfect + [other], tmp_path)
    assert not report.ok() and len(report.extra) == 1


def test_loss_record_is_no_success(truth, perfect, tmp_path):
    lost = {"type": "lost", "t": 1, "until": 2, "reason": "ring-full",
            "count": 3, "cpu": 0, "tid": None}
    report = judge(truth, perfect + [lost], tmp_path)
    assert not report.ok() and report.losses["ring-full"] == 3


@pytest.mark.parametrize("field", check.FIELDS)
def test_vfork_child_must_have_its_parents_stack(truth, perfect, tmp_path,
                                                 field):
    records = copy.deepcopy(perfect)
    child = next(r for r in records if r["name"] == "close")
    child["stack"][1][field] = 12345 if field not in ("func", "file") else "?"
    report = judge(truth, records, tmp_path)
    assert [k for _, k, _ in report.wrong] == ["vfork"]


def test_vfork_child_must_be_seen(truth, perfect, tmp_path):
    records = [r for r in perfect if r["name"] != "execve"]
    report = judge(truth, records, tmp_path)
    assert not report.ok() and len(report.lost) == 5


@pytest.mark.parametrize("line", [
    "{", '{"type":"syscall","pid":1,"tid":1,"name":"read","args":[1]}',
    '{"type":"syscall","pid":1,"tid":1,"name":"read","args":[1],'
    '"stack":null}',
    '{"type":"syscall","pid":1,"tid":1,"name":"read","args":[1],'
    '"stack":[{"func":"f","file":"a","line":1,"lasti":2}]}'])
def test_record_that_breaks_the_promise_is_refused(truth, tmp_path, line):
    path = tmp_path / "trace"
    path.write_text(line + "\n")
    with pytest.raises(check.Bad):
        check.check(truth, path)


def test_command_line(truth, perfect, tmp_path):
    path = tmp_path / "trace"
    for records, status in ((perfect, 0), (perfect[1:], 1)):
        fake.write(records, path)
        done = subprocess.run([sys.executable, check.__file__, truth, path],
                              stdout=subprocess.PIPE, text=True)
        assert done.returncode == status, done.stdout
        assert "marks" in done.stdout
