"""The outcome of a run, and one module for each format that it can be written in."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from infx_lint.change import ChangeSet
from infx_lint.finding import Finding, RuleFailure, Severity
from infx_lint.paths import RepoPath
from infx_lint.placement import Place


class State(StrEnum):
    """Whether a finding is the change's doing."""

    NEW = "new"
    EXISTING = "existing"


class Reported(NamedTuple):
    """A finding with everything that the engine knows of it."""

    finding: Finding
    severity: Severity
    state: State
    place: Place
    fingerprint: str


class Analysed(NamedTuple):
    """What a run looked at.

    Attributes:
        files: every file of the change.
        rules: the rules that ran.
        without_authority: the rules that were silent, since the policy they enforce does not stand.
        seconds: wall time by rule id.
    """

    files: tuple[RepoPath, ...]
    rules: tuple[str, ...]
    without_authority: tuple[str, ...]
    seconds: Mapping[str, float]


class Report(NamedTuple):
    """The outcome of a run. Nothing is dropped from it: formats decide what they show."""

    change: ChangeSet
    findings: tuple[Reported, ...]
    failures: tuple[RuleFailure, ...]
    analysed: Analysed

    def shown(self, *, include_existing: bool) -> tuple[Reported, ...]:
        """Return the findings to show: the new ones, and the old ones if they are asked for."""
        return tuple(item for item in self.findings if include_existing or item.state is State.NEW)

    def count(self, severity: Severity) -> int:
        """Return the number of new findings of a level."""
        return sum(item.severity is severity for item in self.findings if item.state is State.NEW)

    def exit_status(self, fail_on: Severity | None) -> int:
        """Return 3 if anything was not analysed, 1 if a new finding reaches `fail_on`, else 0."""
        if self.failures:
            return 3
        if fail_on is None:
            return 0
        return int(
            any(item.severity.reaches(fail_on) for item in self.findings if item.state is State.NEW)
        )
