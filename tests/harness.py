"""Runs the real pipeline on small trees: a case folder becomes a repository, then a report."""

import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infx_lint.cache import FactCache
from infx_lint.engine import Job, run
from infx_lint.git import Repository, make_repository
from infx_lint.history import GitHistory
from infx_lint.registry import all_rules, find_rule
from infx_lint.report import Report
from infx_lint.rule_api import Rule
from infx_lint.scope import Request, compare

FIXTURES = Path(__file__).parent.parent / "fixtures"
LAYOUTS = FIXTURES / "_layouts"


@dataclass(frozen=True)
class Case:
    """A folder `fixtures/<rule>/<case>`.

    `before` and `after` lie over a whole small project, in layout B unless `case.toml` says
    otherwise; `earlier` is a commit before `before`.
    """

    folder: Path

    @property
    def rule_id(self) -> str:
        return self.folder.parent.name

    @property
    def settings(self) -> dict[str, Any]:
        file = self.folder / "case.toml"
        return tomllib.loads(file.read_text()) if file.is_file() else {}

    @property
    def expected(self) -> str:
        return (self.folder / "expected.txt").read_text(encoding="utf-8")

    def trees(self, target: Path) -> list[Path]:
        """Write the trees of the case below a folder and return them, oldest first."""
        layouts = self.settings.get("layout", "b")
        before, after = layouts if isinstance(layouts, list) else (layouts, layouts)
        sides = {"earlier": before, "before": before, "after": after}
        if not (self.folder / "earlier").is_dir():
            del sides["earlier"]
        trees = []
        for side, layout in sides.items():
            tree = target / side
            tree.mkdir()
            if layout != "none":
                shutil.copytree(LAYOUTS / layout, tree, dirs_exist_ok=True)
            if (self.folder / side).is_dir():
                shutil.copytree(self.folder / side, tree, dirs_exist_ok=True)
            trees.append(tree)
        return trees


def all_cases() -> list[Case]:
    return [
        Case(folder)
        for rule in sorted(FIXTURES.iterdir())
        if rule.is_dir() and not rule.name.startswith("_")
        for folder in sorted(rule.iterdir())
        if folder.is_dir()
    ]


def lint(
    repository: Repository, request: Request, *, rules=None, pull_request=None, severities=None
) -> Report:
    comparison = compare(repository, request)
    return run(
        Job(
            comparison=comparison,
            rules=all_rules() if rules is None else rules,
            history=GitHistory(repository, comparison.change),
            cache=FactCache(),
            severities=severities or {},
            pull_request=pull_request,
        )
    )


def lint_trees(folder: Path, trees: list[Path], **options) -> Report:
    """Make a repository of trees and review the last one against the one before."""
    folder.mkdir(exist_ok=True)
    *_, base, head = make_repository(folder, trees)
    repository = Repository(folder)
    try:
        return lint(repository, Request(base, head), **options)
    finally:
        repository.close()


# What these ask of a change, an entry for all that it does, the cases of other rules do not give.
OF_THE_WHOLE_CHANGE = frozenset({"changelog-entry-missing", "changelog-change-undescribed"})


def rules_on_files() -> tuple[Rule, ...]:
    """Return all rules but those."""
    return tuple(rule for rule in all_rules() if rule.id not in OF_THE_WHOLE_CHANGE)


def lint_case(case: Case, folder: Path) -> Report:
    (folder / "trees").mkdir()
    if "only-this-rule" in case.settings:
        rules: tuple[Rule, ...] = (find_rule(case.rule_id),)
    else:
        rules = all_rules() if case.rule_id in OF_THE_WHOLE_CHANGE else rules_on_files()
    return lint_trees(
        folder / "repository",
        case.trees(folder / "trees"),
        rules=rules,
        pull_request=case.settings.get("pull-request"),
    )


def lines_of(report: Report) -> str:
    """Return the findings as `expected.txt` writes them: one line each, exact to the column."""
    lines = []
    for item in report.shown(include_existing=False):
        span = item.finding.location.span
        place = f"{span.line}:{span.column}-{span.end_line}:{span.end_column}"
        path = item.finding.location.path.display()
        words = (f"{path}:{place}", item.severity, item.finding.rule, f"[{item.place}]")
        lines.append(f"{' '.join(words)} {item.finding.message}\n")
    return "".join(lines)
