"""Runs rules over a change. A loop, not a brain: it knows no rule, no format and no git."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from infx_lint.cache import FactCache
from infx_lint.change import TreeEntry
from infx_lint.clean_files import CleanFiles
from infx_lint.documents.by_path import parser_for
from infx_lint.domain.project import Project
from infx_lint.finding import Finding, RuleFailure, Severity
from infx_lint.git import GitError
from infx_lint.paths import RepoPath
from infx_lint.placement import place
from infx_lint.registry import rules_folder
from infx_lint.report import Analysed, Report, Reported, State
from infx_lint.rule_api import ChangeContext, FileContext, History, Rule
from infx_lint.scope import Comparison


class Job(NamedTuple):
    """What to run, and on what.

    Attributes:
        history: answers what only git can tell.
        cache: facts about blobs from earlier runs.
        severities: levels from the settings, by rule id.
        pull_request: the number under review, where it is known.
    """

    comparison: Comparison
    rules: tuple[Rule, ...]
    history: History
    cache: FactCache
    severities: Mapping[str, Severity]
    pull_request: int | None = None


def run(job: Job) -> Report:
    """Run every rule and report what it found, what is old, and what could not be analysed."""
    return _Run(job).report()


class _Run:
    def __init__(self, job: Job) -> None:
        self._job = job
        self._change = job.comparison.change
        self._base = Project(job.comparison.base, job.cache)
        self._head = Project(job.comparison.head, job.cache)
        self._context = ChangeContext(
            self._change, self._base, self._head, job.history, job.pull_request
        )
        self._failures: dict[RuleFailure, None] = {}
        self._seconds: dict[str, float] = {}
        self._silent: list[str] = []
        self._clean = CleanFiles(job.cache, rules_folder())

    def report(self) -> Report:
        found = self.findings()
        if any(item.finding.fix for item in found):
            from infx_lint.fixes import keep_working_fixes

            found = keep_working_fixes(found, self._job.comparison, self._relint)
        return Report(
            change=self._change,
            findings=found,
            failures=tuple(self._failures),
            analysed=Analysed(
                files=tuple(file.path for file in self._change.files),
                rules=tuple(rule.id for rule in self._job.rules if rule.id not in self._silent),
                without_authority=tuple(self._silent),
                seconds=self._seconds,
            ),
        )

    def _relint(self, comparison: Comparison) -> dict[str, Severity]:
        found = _Run(self._job._replace(comparison=comparison)).findings()
        return {item.fingerprint: item.severity for item in found}

    def findings(self) -> tuple[Reported, ...]:
        """Return what all rules find, sorted by place."""
        found: list[Reported] = []
        self._prepare()
        for rule in self._job.rules:
            started = time.perf_counter()
            if self._has_authority(rule):
                found += self._run_rule(rule)
            else:
                self._silent.append(rule.id)
            self._seconds[rule.id] = time.perf_counter() - started
        self._clean.save()
        found.sort(key=lambda item: (item.finding.location.path, item.finding.location.span))
        return tuple(found)

    def _prepare(self) -> None:
        """Parse at once what rules will look at."""
        rules = [rule.id for rule in self._job.rules if rule.document]
        heads = [file.head for file in self._change.files if file.head]
        self._head.prepare(
            entry
            for entry in heads
            if _is_looked_at(entry)
            and not all(
                self._clean.knows(rule, self._head.evidence_of(entry.path)) for rule in rules
            )
        )

    def _has_authority(self, rule: Rule) -> bool:
        """Tell whether the policy that a rule enforces stands, or the settings ask for it."""
        if rule.policy is None or rule.id in self._job.severities:
            return True
        return rule.policy.find(self._base.tree, self._base.layout.root) is not None

    def _run_rule(self, rule: Rule) -> Iterator[Reported]:
        if rule.document is None:
            found = self._collect(rule, lambda: self._context, None)
            yield from self._label(rule, found, known=frozenset())
            return
        for file in self._change.files:
            if file.head is None:
                continue
            found = self._run_on_file(rule, file.head, self._head)
            known = frozenset[str]()
            if found and file.base is not None:
                old = self._run_on_file(rule, file.base, self._base)
                known = frozenset(name for _, name in self._identify(old, file.path))
            yield from self._label(rule, found, known)

    def _run_on_file(self, rule: Rule, entry: TreeEntry, project: Project) -> list[Finding]:
        if not _is_looked_at(entry):
            return []
        evidence = project.evidence_of(entry.path)
        if self._clean.knows(rule.id, evidence):
            return []

        def context() -> FileContext[object] | None:
            document = project.document(entry.path)
            limit = getattr(document, "limit", None)
            if limit:
                summary = f"not analysed: {limit}"
                self._failures[RuleFailure("limit", entry.path, summary)] = None
            if rule.document is None or not isinstance(document, rule.document):
                return None
            return FileContext(entry.path, document, project)

        found = self._collect(rule, context, entry.path)
        if not found and not any(failure.path == entry.path for failure in self._failures):
            self._clean.add(rule.id, evidence)
        return found

    def _collect(
        self, rule: Rule, make_context: Callable[[], object | None], path: RepoPath | None
    ) -> list[Finding]:
        """Take what a rule yields; a crash ends the rule here and leaves everything else alone."""
        found: list[Finding] = []
        try:
            context = make_context()
            if context is not None:
                for finding in rule.check(context):
                    found.append(finding._replace(rule=rule.id))  # noqa: PERF401 - a crash must keep what came before it
        except GitError:
            raise
        except Exception as error:  # noqa: BLE001 - the one place: a broken rule must not hide others
            import traceback

            where = traceback.extract_tb(error.__traceback__)[-1]
            summary = (
                f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
            )
            self._failures[RuleFailure(rule.id, path, summary)] = None
        return found

    @staticmethod
    def _identify(
        findings: Iterable[Finding], path: RepoPath | None = None
    ) -> Iterator[tuple[Finding, str]]:
        """Pair findings with their fingerprints; equals are told apart by their order."""
        seen: Counter[tuple[RepoPath, str]] = Counter()
        for finding in sorted(findings, key=lambda item: item.location.span):
            key = (path or finding.location.path, finding.subject)
            yield finding, finding.fingerprint(key[0], seen[key])
            seen[key] += 1

    def _label(
        self, rule: Rule, findings: list[Finding], known: frozenset[str]
    ) -> Iterator[Reported]:
        for finding, fingerprint in self._identify(findings):
            override = self._job.severities.get(rule.id)
            yield Reported(
                finding=finding,
                severity=override or finding.severity or rule.severity,
                state=State.EXISTING if fingerprint in known else State.NEW,
                place=place(finding.location, self._change, self._job.history.hunks),
                fingerprint=fingerprint,
            )


def _is_looked_at(entry: TreeEntry) -> bool:
    return entry.mode.is_regular and parser_for(entry.path) is not None
