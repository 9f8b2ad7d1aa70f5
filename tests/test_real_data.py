"""Real files of the linted repository: pull request 2254, and a recent state."""

import shutil

import pytest
import yaml

from infx_lint.documents.yaml_file import YamlFile, parse_yaml, repeated_keys
from infx_lint.documents.yaml_value import value_of
from infx_lint.domain.changelog import Changelog
from infx_lint.paths import RepoPath
from infx_lint.report import State
from tests.harness import lint_trees
from tests.test_yaml_file import independent_repeats

BASE, HEAD, RECENT = "a141bfcb0", "e868f8cca", "843c6254f"


def test_pull_request_2254(real_data, tmp_path):
    report = lint_trees(tmp_path / "repository", [real_data / BASE, real_data / HEAD])
    found = {item.finding.rule: item for item in report.findings}
    # The two commits hold no Python here: the built-in schema says so with a notice.
    assert set(found) == {
        "changelog-entry-invalid",
        "changelog-pr-link-missing",
        "yaml-duplicate-key",
    }
    assert all(item.state is State.NEW for item in report.findings)
    assert found["changelog-entry-invalid"].severity == "notice"
    link = found["changelog-pr-link-missing"].finding
    assert (link.location.path, link.location.span.line) == ("perf-changelog.yaml", 4978)
    double = found["yaml-duplicate-key"]
    assert double.severity == "warning"
    assert "lines 1538 and 1554. Both copies are equal" in double.finding.message
    assert double.finding.location.span.line == 1554
    assert double.finding.fix is not None
    assert report.failures == ()


def test_the_same_state_twice_has_no_findings(real_data, tmp_path):
    report = lint_trees(tmp_path / "repository", [real_data / RECENT, real_data / RECENT])
    assert report.findings == ()


def test_move_of_the_recent_state_to_todays_layout_is_silent(real_data, tmp_path):
    shutil.copytree(real_data / RECENT, tmp_path / "after" / "inferencex-e2e")
    report = lint_trees(tmp_path / "repository", [real_data / RECENT, tmp_path / "after"])
    assert report.findings == ()
    assert len(report.analysed.files) > 10


def test_every_real_file_reads_as_the_repositorys_loader_reads_it(real_data):
    files = sorted(real_data.rglob("*.yaml"))
    assert len(files) >= 20
    for path in files:
        text = path.read_text(encoding="utf-8")
        file = parse_yaml(text.encode())
        assert isinstance(file, YamlFile)
        assert value_of(file.root) == yaml.load(text, Loader=yaml.CSafeLoader)
        copies = sum(len(pairs) - 1 for _, pairs in repeated_keys(file))
        assert copies == independent_repeats(text)


@pytest.mark.parametrize("commit", [BASE, HEAD, RECENT])
def test_entries_of_the_real_changelog_cover_the_file(real_data, commit):
    text = (real_data / commit / "perf-changelog.yaml").read_text(encoding="utf-8")
    file = parse_yaml(text.encode())
    assert isinstance(file, YamlFile)
    entries = Changelog(RepoPath("perf-changelog.yaml"), file).entries
    assert "".join(entry.content + entry.separator for entry in entries) == text
    assert all(entry.content.startswith("- config-keys:") for entry in entries)
    assert len(entries) == sum(line.startswith("- config-keys:") for line in text.split("\n"))
