"""`--format json`: the machine's view of a report. The schema is `report.schema.json` beside it."""

from __future__ import annotations

import json
from typing import Any

from infx_lint.finding import Fix, Location, Proof, Severity, Span
from infx_lint.report import Report, Reported

VERSION = 1


def to_json(report: Report, *, include_existing: bool) -> dict[str, Any]:
    """Return the report as the JSON values that the schema describes."""
    return {
        "version": VERSION,
        "base": report.change.base,
        "head": str(report.change.head),
        "findings": [_finding(item) for item in report.shown(include_existing=include_existing)],
        "failures": [
            {
                "rule": failure.rule,
                "path": None if failure.path is None else failure.path.display(),
                "summary": failure.summary,
            }
            for failure in report.failures
        ],
        "analysed": {
            "files": [path.display() for path in report.analysed.files],
            "rules": list(report.analysed.rules),
            "without_authority": list(report.analysed.without_authority),
        },
        "summary": {severity.value: report.count(severity) for severity in Severity},
    }


def render(report: Report, *, include_existing: bool) -> str:
    """Return the report as JSON text."""
    return json.dumps(to_json(report, include_existing=include_existing), indent=2) + "\n"


def _finding(item: Reported) -> dict[str, Any]:
    finding = item.finding
    return {
        "rule": finding.rule,
        "severity": item.severity.value,
        "message": finding.message,
        "path": finding.location.path.display(),
        **_place(finding.location.span),
        "state": item.state.value,
        "place": item.place.value,
        "fingerprint": item.fingerprint,
        "related": [_related(location) for location in finding.related],
        "proof": _proof(finding.proof),
        "fix": _fix(finding.fix),
    }


def _place(span: Span) -> dict[str, int]:
    return {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


def _related(location: Location) -> dict[str, Any]:
    return {
        "path": location.path.display(),
        "side": location.side.value,
        **_place(location.span),
        "label": location.label,
    }


def _proof(proof: Proof | None) -> dict[str, Any] | None:
    if proof is None:
        return None
    return {
        "title": proof.title,
        "columns": list(proof.columns),
        "rows": [list(row) for row in proof.rows],
        "conclusion": proof.conclusion,
    }


def _fix(fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    return {
        "safe": fix.safe,
        "edits": [
            {"path": edit.path.display(), **_place(edit.span), "text": edit.text}
            for edit in fix.edits
        ],
    }
