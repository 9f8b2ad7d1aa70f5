"""What a finding about a stale comment holds: places, proof, twins and the value to put in."""

import shutil

import pytest

from infx_lint.domain.script_values import values_from
from infx_lint.registry import find_rule
from infx_lint.report import State
from tests.harness import FIXTURES, Case, lint_case, lint_trees

RULE = "stale-comment"


def findings(name, folder):
    report = lint_case(Case(FIXTURES / RULE / name), folder)
    assert report.failures == ()
    return [item.finding for item in report.findings if item.finding.rule == RULE]


def test_the_proof_has_a_row_for_each_point(tmp_path):
    (finding,) = findings("flags-value-that-a-change-computes", tmp_path)
    assert finding.proof.rows == tuple(
        ("max-running-requests=16", f"CONC={conc}", str(max(conc, 16)))
        for conc in (4, 8, 16, 32, 64)
    )
    (computed,) = finding.related
    assert computed.span.line == 9


def test_both_places_of_a_sentence_name_each_other(tmp_path):
    script, entry = sorted(
        findings("flags-both-places-of-a-sentence", tmp_path), key=lambda one: one.location.path
    )
    others = {"says the same"}
    assert [one.path for one in script.related if one.label in others] == [entry.location.path]
    assert [one.path for one in entry.related if one.label in others] == [script.location.path]


def test_readings_come_in_the_order_of_the_points():
    facts = [["a", "b", "c"], True, [], {"n": [["1", None, [0, 2]], ["2", None, [1, 1]]]}]
    (quantity,) = values_from(facts).quantities
    assert [(one.point, one.value) for one in quantity.readings] == [
        ("a", "1"),
        ("b", "2"),
        ("c", "1"),
    ]


def test_a_value_of_the_whole_entry_can_change_too(tmp_path):
    case = Case(FIXTURES / RULE / "flags-range-and-count")
    (tmp_path / "trees").mkdir()
    before, _ = case.trees(tmp_path / "trees")
    config = before / "configs/amd-master.yaml"
    text = config.read_text().replace("TP8 sweeps conc 4-64.", "The router-version is 3 here.")
    config.write_text(text.replace("  multinode: false", "  multinode: false\n  router-version: 3"))
    after = tree(tmp_path, "changed", {"perf-changelog.yaml": ""})
    shutil.copytree(before, after, dirs_exist_ok=True)
    new = (
        (before / "configs/amd-master.yaml")
        .read_text()
        .replace("router-version: 3", "router-version: 4")
    )
    (after / "configs/amd-master.yaml").write_text(new)
    report = lint_trees(tmp_path / "repository", [before, after], rules=(find_rule(RULE),))
    assert [item.finding.message for item in report.findings] == [
        "The comment says `router-version is 3`, but `router-version` is 4."
    ]


EDITS = [
    ("flags-value-that-moved", ["0.9"]),
    ("flags-both-places-of-a-sentence", ["0.9", "0.9"]),
    ("flags-image-tag", ["v0.5.12-rocm720-mi35x"]),
    ("flags-image-of-a-script", ["rocm720"]),
    ("flags-recipe-named-by-the-entry", ["2048"]),
    # A kind of image, several statements of which one has no literal, values that differ.
    ("flags-image-kind", []),
    ("flags-copied-recipe", []),
    ("flags-value-that-a-change-computes", []),
]


@pytest.mark.parametrize(("name", "texts"), EDITS)
def test_an_edit_puts_the_present_value_in(name, texts, tmp_path):
    edits = [edit for one in findings(name, tmp_path) if one.fix for edit in one.fix.edits]
    assert [edit.text for edit in edits] == texts


def tree(folder, name, files):
    for path, text in files.items():
        file = folder / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder / name


def test_a_change_of_other_files_reads_no_comment(tmp_path, monkeypatch):
    before = tree(tmp_path, "a", {"docs/x.md": "a", "perf-changelog.yaml": "[]\n"})
    after = tree(tmp_path, "b", {"docs/x.md": "b", "perf-changelog.yaml": "[]\n"})

    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr("infx_lint.domain.stale_comments.stale_comments", refuse)
    report = lint_trees(tmp_path / "repository", [before, after], rules=(find_rule(RULE),))
    assert report.failures == ()


def test_the_same_state_twice_is_silent(tmp_path):
    case = Case(FIXTURES / RULE / "flags-copied-recipe")
    (tmp_path / "trees").mkdir()
    trees = case.trees(tmp_path / "trees")
    report = lint_trees(tmp_path / "repository", [trees[-1], trees[-1]])
    assert report.findings == ()


def test_a_renamed_script_keeps_its_old_comments(tmp_path):
    case = Case(FIXTURES / RULE / "allows-what-was-stale-before")
    (tmp_path / "trees").mkdir()
    before, after = case.trees(tmp_path / "trees")
    folder = after / "benchmarks/single_node/fixed_seq_len"
    (folder / "dsr1_fp8_mi355x_sglang.sh").rename(folder / "dsr1_fp8_mi355x.sh")
    report = lint_trees(tmp_path / "repository", [before, after])
    found = [item for item in report.findings if item.finding.rule == RULE]
    assert [item for item in found if item.state is State.NEW] == []
