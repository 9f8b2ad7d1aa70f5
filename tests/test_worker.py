import pytest

from infx_lint import worker
from infx_lint.domain.schema_source import read_class
from infx_lint.worker import StoppedError, read_confined
from tests.harness import FIXTURES, LAYOUTS, Case, lint_trees

READER = "infx_lint.domain.schema_source:read_class"
SOURCE = (LAYOUTS / "b" / "utils" / "matrix_logic" / "validation.py").read_bytes()


def test_answer_is_that_of_the_reader():
    assert read_confined(READER, SOURCE, "ChangelogEntry") == read_class(SOURCE, "ChangelogEntry")
    assert read_confined(READER, b"x = 1\n", "ChangelogEntry") is None


@pytest.mark.parametrize(
    "source",
    [
        b"x = " + b"(" * 50_000,
        b"x = " + b"-" * 50_000 + b"1\n",
        b"class E(M):\n    a: " + b"list[" * 500 + b"int" + b"]" * 500 + b"\n",
        b"class E(M):\n    a: str = Field(pattern='(')\n",
    ],
    ids=["parentheses", "signs", "types", "pattern"],
)
def test_source_that_brings_a_parser_down_only_stops_the_reader(source):
    with pytest.raises(StoppedError):
        read_confined(READER, source, "E")


def test_reader_that_takes_too_long_is_stopped(monkeypatch):
    monkeypatch.setattr(worker, "SECONDS", 0.01)
    with pytest.raises(StoppedError, match=r"^reading it takes more than 0\.01 seconds$"):
        read_confined(READER, SOURCE, "ChangelogEntry")


def test_nothing_is_imported_from_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "infx_lint").mkdir()
    (tmp_path / "infx_lint" / "__init__.py").write_text("raise SystemExit(7)\n")
    (tmp_path / "json.py").write_text("raise SystemExit(7)\n")
    monkeypatch.chdir(tmp_path)
    assert read_confined(READER, SOURCE, "ChangelogEntry")["unread"] == []


def test_limit_is_a_failure_of_the_rules_that_need_the_schema_and_is_not_remembered(
    tmp_path, monkeypatch
):
    case = Case(FIXTURES / "changelog-pr-link-missing" / "flags-no-link")
    (tmp_path / "trees").mkdir()
    trees = case.trees(tmp_path / "trees")
    schema = trees[-1] / "utils" / "matrix_logic" / "validation.py"
    schema.write_bytes(SOURCE + b"# never seen before\n")
    monkeypatch.setattr(worker, "SECONDS", 0.01)
    report = lint_trees(tmp_path / "stopped", trees)
    needing = {"changelog-entry-invalid", "changelog-pr-link-missing"}
    assert {failure.rule for failure in report.failures} == needing
    assert "validation.py`: reading it takes more than" in report.failures[0].summary
    assert report.exit_status(None) == 3
    monkeypatch.setattr(worker, "SECONDS", 30.0)
    report = lint_trees(tmp_path / "again", trees)
    assert report.failures == ()
    assert [item.finding.rule for item in report.findings] == ["changelog-pr-link-missing"]
