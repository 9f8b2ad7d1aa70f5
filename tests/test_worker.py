import pytest

from infx_lint import worker
from infx_lint.domain.schema_source import read_class
from infx_lint.worker import Stopped, read_confined
from tests.harness import LAYOUTS

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
    assert isinstance(read_confined(READER, source, "E"), Stopped)


def test_reader_that_takes_too_long_is_stopped(monkeypatch):
    monkeypatch.setattr(worker, "SECONDS", 0.01)
    answer = read_confined(READER, SOURCE, "ChangelogEntry")
    assert answer == Stopped("reading it takes more than 0 seconds")


def test_nothing_is_imported_from_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "infx_lint").mkdir()
    (tmp_path / "infx_lint" / "__init__.py").write_text("raise SystemExit(7)\n")
    (tmp_path / "json.py").write_text("raise SystemExit(7)\n")
    monkeypatch.chdir(tmp_path)
    assert read_confined(READER, SOURCE, "ChangelogEntry") is not None
    assert not isinstance(read_confined(READER, SOURCE, "ChangelogEntry"), Stopped)
