"""What is remembered of files in which nothing was found, and what makes it forgotten."""

import shutil

import pytest

from infx_lint.cache import ENVIRONMENT_VARIABLE, FactCache
from infx_lint.clean_files import CleanFiles
from infx_lint.documents.shell_file import ShellFile
from infx_lint.documents.yaml_file import YamlFile
from infx_lint.domain.project import Project
from infx_lint.finding import Finding, Severity, Span
from infx_lint.git import Repository, make_repository
from infx_lint.registry import all_rules
from infx_lint.rule_api import FileContext, Rule
from infx_lint.scope import Request, compare
from tests.harness import LAYOUTS, lint_trees

SCRIPT = "benchmarks/single_node/fixed_seq_len/gptoss_fp4_b200.sh"


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, str(tmp_path / "cache"))


@pytest.fixture
def review(tmp_path):
    """Review files that a change adds, with one rule, each time in a repository of its own."""
    runs = iter(range(100))

    def run(check, files, document=YamlFile):
        folder = tmp_path / f"run{next(runs)}"
        (folder / "before").mkdir(parents=True)
        for path, text in files.items():
            target = folder / "after" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        rule = Rule("made-up", Severity.ERROR, check, document, None, "A rule of a test.\n")
        trees = [folder / "before", folder / "after"]
        return lint_trees(folder / "repository", trees, rules=(rule,))

    return run


def counting(calls, *, finds=False, fails=False):
    def check(file):
        calls.append(file.path)
        if fails:
            raise ValueError("oops")
        if finds:
            yield Finding("here", file.at(Span(1, 1, 1, 2)), subject="")

    return check


def test_clean_file_is_looked_at_once(review):
    calls: list[str] = []
    for _ in range(2):
        assert not review(counting(calls), {"a.yaml": "x: 1\n"}).findings
    assert calls == ["a.yaml"]
    review(counting(calls), {"a.yaml": "x: 2\n"})
    assert len(calls) == 2


@pytest.mark.parametrize("outcome", ["finds", "fails"])
def test_what_is_found_or_fails_is_never_remembered(review, outcome):
    calls: list[str] = []
    reports = [review(counting(calls, **{outcome: True}), {"a.yaml": "x: 1\n"}) for _ in range(2)]
    assert len(calls) == 2
    assert all(report.findings or report.failures for report in reports)


def test_script_is_looked_at_again_when_what_it_sources_changes_or_moves(review):
    calls: list[str] = []
    script = {"bench/run.sh": "source bench/lib.sh\nstart\n"}
    for library in (
        {"bench/lib.sh": "start() { :; }\n"},
        {"bench/lib.sh": "start() { :; }\n"},
        {"bench/lib.sh": "start() { exit 1; }\n"},
        {"lib.sh": "start() { exit 1; }\n"},
    ):
        review(counting(calls), script | library, ShellFile)
    assert calls.count("bench/run.sh") == 3


def recording(blob_of, read):
    def blob(path):
        read.add(path)
        return blob_of(path)

    return blob


def test_rules_look_at_nothing_but_their_evidence_where_they_find_nothing(tmp_path, monkeypatch):
    """Else a file would stay clean in memory though what decides it has changed."""
    shutil.copytree(LAYOUTS / "b", tmp_path / "before")
    shutil.copytree(LAYOUTS / "b", tmp_path / "after")
    (tmp_path / "repository").mkdir()
    base, head = make_repository(tmp_path / "repository", [tmp_path / "before", tmp_path / "after"])
    repository = Repository(tmp_path / "repository")
    try:
        tree = compare(repository, Request(base, head)).head
        scripts = [path for path in tree.entries if path.suffix in {".sh", ".yaml"}]
        assert len(scripts) > 3
        for path in scripts:
            project = Project(tree, FactCache())
            document = project.document(path)
            for rule in all_rules():
                if rule.document is None or not isinstance(document, rule.document):
                    continue
                allowed = {path, *project.layout.master_configs, *project.layout.python}
                if path.suffix == ".sh":
                    allowed |= {one for one, _ in project.files_run_by(path)}
                read: set[str] = set()
                with monkeypatch.context() as patch:
                    patch.setattr(tree, "blob", recording(tree.blob, read))
                    found = list(rule.check(FileContext(path, document, project)))
                assert found or read <= allowed, (rule.id, path, read - allowed)
    finally:
        repository.close()


def test_what_is_known_ends_with_a_change_of_the_rules(tmp_path):
    cache, rules = FactCache(tmp_path / "cache"), tmp_path / "rules"
    rules.mkdir()
    (rules / "one_rule.py").write_text("1\n")
    first = CleanFiles(cache, rules)
    first.add("one-rule", "evidence")
    first.save()
    assert CleanFiles(cache, rules).knows("one-rule", "evidence")
    assert not CleanFiles(cache, rules).knows("other-rule", "evidence")
    (rules / "one_rule.py").write_text("12\n")
    assert not CleanFiles(cache, rules).knows("one-rule", "evidence")
