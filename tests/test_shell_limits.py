"""Scripts that are not analysed: never in silence, and never at the cost of anything else."""

import shutil

from infx_lint.report import Report
from tests.harness import LAYOUTS, lines_of, lint_trees, rules_on_files

SCRIPT = "benchmarks/single_node/fixed_seq_len/dsr1_fp8_mi355x_sglang.sh"
OTHER = "benchmarks/single_node/fixed_seq_len/gptoss_fp4_h200.sh"


def review(tmp_path, files: dict[str, str]) -> Report:

    trees = []
    for name, content in (("before", {}), ("after", files)):
        tree = tmp_path / name
        shutil.copytree(LAYOUTS / "b", tree)
        for path, text in content.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text)
        trees.append(tree)
    return lint_trees(tmp_path / "repository", trees, rules=rules_on_files())


def test_a_script_that_takes_too_long_is_a_failure_and_hides_no_finding(tmp_path):
    endless = "for a in {1..60}; do for b in {1..60}; do for c in {1..60}; do :; done; done; done\n"
    dead = "export A=1\nexport A=2\n"
    report = review(tmp_path, {SCRIPT: endless, OTHER: dead})
    assert report.exit_status(None) == 3
    assert {failure.path for failure in report.failures} == {SCRIPT}
    assert all("more than 30,000 steps" in failure.summary for failure in report.failures)
    assert "assignment-overwritten" in lines_of(report)


def test_a_script_that_bash_accepts_and_we_cannot_read_is_a_notice_and_a_failure(tmp_path):
    report = review(tmp_path, {SCRIPT: "#!/bin/bash\necho $((1 + ))\n"})
    (line,) = lines_of(report).splitlines()
    assert " notice shell-unreadable [inline] This could not be read: " in line
    assert line.startswith(f"{SCRIPT}:2:")
    (failure,) = report.failures
    assert failure.path == SCRIPT
    assert "(line 2)" in failure.summary
    assert report.exit_status(None) == 3


def test_without_the_parser_every_other_finding_stays(tmp_path, monkeypatch):
    monkeypatch.setattr("infx_lint.worker.find_program", lambda _name: None)
    master = "a: {image: x}\na: {image: y}\n"
    report = review(
        tmp_path, {SCRIPT: "echo\n", OTHER: "echo a\n", "configs/amd-master.yaml": master}
    )
    assert "yaml-duplicate-key" in lines_of(report)
    # A rule that looks at the whole change has no file.
    assert {failure.path for failure in report.failures} == {SCRIPT, OTHER, None}
    assert all("shfmt is not installed" in failure.summary for failure in report.failures)


def test_a_script_that_bash_refuses_is_an_error_and_no_failure(tmp_path):
    report = review(tmp_path, {SCRIPT: "if true; then\n"})
    (line,) = lines_of(report).splitlines()
    assert " error shell-unreadable [inline] This cannot be parsed: " in line
    assert report.failures == ()
