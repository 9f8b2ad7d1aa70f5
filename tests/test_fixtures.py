"""Every case of every rule, with all rules on: the right line at the right place, and no other."""

import pytest

from tests.harness import all_cases, lines_of, lint_case

CASES = all_cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule_id}/{case.folder.name}")
def test_case(case, tmp_path, bless):
    report = lint_case(case, tmp_path)
    found = lines_of(report)
    assert report.failures == ()
    if bless:
        (case.folder / "expected.txt").write_text(found, encoding="utf-8")
    own = [line for line in found.splitlines() if f" {case.rule_id} [" in line]
    if case.folder.name.startswith("flags-"):
        assert own, "a flags- case must have a finding of its rule"
    else:
        assert case.folder.name.startswith("allows-"), "a case is named flags-... or allows-..."
        assert not own, "an allows- case must have no finding of its rule"
    assert found == case.expected
