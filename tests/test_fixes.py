import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx_lint.documents.text_file import TextFile
from infx_lint.finding import Edit, Span
from infx_lint.fixes import OverlappingEditsError, apply_edits
from infx_lint.paths import RepoPath
from tests.harness import all_cases, lint_case, lint_trees

PATH = RepoPath("a.yaml")


def edit(line, column, end_line, end_column, text):
    return Edit(PATH, Span(line, column, end_line, end_column), text)


def test_edits_do_not_disturb_each_other():
    text = TextFile("one\ntwo\nthree\n")
    edits = [edit(3, 1, 3, 6, "3"), edit(1, 4, 1, 4, "!"), edit(2, 1, 3, 1, "")]
    assert apply_edits(text, edits) == "one!\n3\n"


def test_overlapping_edits_are_refused():
    with pytest.raises(OverlappingEditsError):
        apply_edits(TextFile("abc"), [edit(1, 1, 1, 3, "x"), edit(1, 2, 1, 4, "y")])


@given(st.text(alphabet="a中\n"), st.text(alphabet="b\n"), st.data())
def test_everything_outside_an_edit_stays(text, new, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    file = TextFile(text)
    changed = apply_edits(file, [Edit(PATH, file.span(start, end), new)])
    assert changed == text[:start] + new + text[end:]


FIXED = [case for case in all_cases() if case.folder.name.startswith("flags-")]


@pytest.mark.parametrize("case", FIXED, ids=lambda case: f"{case.rule_id}/{case.folder.name}")
def test_offered_fixes_leave_nothing_above_a_notice_of_their_rule(case, tmp_path):
    report = lint_case(case, tmp_path)
    mended = [item for item in report.findings if item.finding.fix]
    if not mended:
        return
    (tmp_path / "again").mkdir()
    *_, before, after = case.trees(tmp_path / "again")
    for path in {item.finding.location.path for item in mended}:
        edits = [
            edit
            for item in mended
            if item.finding.location.path == path and item.finding.fix
            for edit in item.finding.fix.edits
        ]
        text = TextFile((after / path).read_bytes().decode())
        (after / path).write_bytes(apply_edits(text, edits).encode())
    again = lint_trees(
        tmp_path / "mended", [before, after], pull_request=case.settings.get("pull-request")
    )
    gone = {item.fingerprint for item in mended}
    assert not gone & {item.fingerprint for item in again.findings}
