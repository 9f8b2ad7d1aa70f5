import json
from pathlib import Path

import jsonschema

import infx_lint.report
from infx_lint.change import ChangeSet, Endpoint
from infx_lint.registry import all_rules
from infx_lint.report import Analysed, Report
from infx_lint.report.json_format import to_json
from tests.harness import FIXTURES, OF_THE_WHOLE_CHANGE, all_cases, lint_case

SCHEMA = json.loads(
    (Path(infx_lint.report.__file__).parent / "report.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_reports_of_all_cases_fit_the_schema(tmp_path):
    for number, case in enumerate(all_cases()):
        if "flags-" not in case.folder.name:
            continue
        folder = tmp_path / str(number)
        folder.mkdir()
        report = lint_case(case, folder)
        for existing in (False, True):
            VALIDATOR.validate(json.loads(json.dumps(to_json(report, include_existing=existing))))


def test_a_whole_report(tmp_path):
    case = next(
        case for case in all_cases() if case.folder.name == "flags-number-known-from-review"
    )
    assert case.rule_id == "changelog-pr-link-missing"
    assert FIXTURES in case.folder.parents
    written = to_json(lint_case(case, tmp_path), include_existing=False)
    (found,) = written.pop("findings")
    assert found == {
        "rule": "changelog-pr-link-missing",
        "severity": "error",
        "message": "The entry for `dsr1-fp8-b200-sglang` has no `pr-link`. "
        "Add `pr-link: https://github.com/SemiAnalysisAI/InferenceX/pull/120`.",
        "path": "perf-changelog.yaml",
        "line": 20,
        "column": 3,
        "end_line": 20,
        "end_column": 14,
        "state": "new",
        "place": "inline",
        "fingerprint": found["fingerprint"],
        "related": [
            {
                "path": "utils/matrix_logic/validation.py",
                "side": "head",
                "line": 15,
                "column": 5,
                "end_line": 15,
                "end_column": 42,
                "label": "required here",
            }
        ],
        "proof": None,
        "fix": {
            "safe": True,
            "edits": [
                {
                    "path": "perf-changelog.yaml",
                    "line": 23,
                    "column": 38,
                    "end_line": 23,
                    "end_column": 38,
                    "text": "\n  pr-link: https://github.com/SemiAnalysisAI/InferenceX/pull/120",
                }
            ],
        },
    }
    assert written["failures"] == []
    assert written["analysed"]["files"] == ["perf-changelog.yaml"]
    assert len(written["analysed"]["rules"]) == len(all_rules()) - len(OF_THE_WHOLE_CHANGE)
    assert written["summary"] == {"error": 1, "warning": 0, "notice": 0}


def test_heads_that_are_no_commits():
    empty = Analysed((), (), (), {})
    for head in Endpoint:
        report = Report(ChangeSet(None, head, ()), (), (), empty)
        VALIDATOR.validate(to_json(report, include_existing=False))
