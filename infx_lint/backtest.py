"""Replays merged history: every first-parent change as if it were under review.

One JSON line for each change. It is the instrument by which rules are judged; a range that was
interrupted goes on where it stopped, since finished lines are kept.

What was reviewed is the head of the pull request against the commit where its branch began. A
squash merge has lost both: its parent is the tip of that day, and what git merged behind a moved
tail of the changelog looks misplaced against it. So where the clone holds the pull request's
head, that is replayed; else the merged commit against its parent. Fetch the heads with
`git fetch origin '+refs/pull/*/head:refs/pull/*/head'`.
"""

from __future__ import annotations

import json
import multiprocessing
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from infx_lint.cache import FactCache
from infx_lint.change import ChangeSet
from infx_lint.engine import Job, run
from infx_lint.git import Commit, GitError, Repository
from infx_lint.history import GitHistory
from infx_lint.registry import select_rules
from infx_lint.report.json_format import to_json
from infx_lint.scope import pair
from infx_lint.snapshot import ParseCache

# GitHub writes the number behind the title when it squashes or merges.
_NUMBER = re.compile(r"\(#(\d+)\)(?!.*\(#\d+\))|^Merge pull request #(\d+)")


@dataclass(frozen=True, slots=True)
class Plan:
    """What to replay, and with which rules."""

    repo: Path
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


def pull_request_of(subject: str) -> int | None:
    """Return the number that a merge commit's subject names."""
    match = _NUMBER.search(subject)
    return int(match[1] or match[2]) if match else None


def read_finished(lines: Iterable[str]) -> set[str]:
    """Return the commits that an earlier run has written; a torn last line does not count."""
    finished = set()
    for line in lines:
        try:
            finished.add(json.loads(line)["commit"])
        except (ValueError, KeyError, TypeError):
            continue
    return finished


def replay(plan: Plan, commits: Sequence[Commit], jobs: int) -> Iterator[dict[str, Any]]:
    """Yield the record of each commit, in order.

    A record holds `commit`, `date`, `subject`, `pull_request`, what was compared (`base`,
    `head`), `findings` and `failures` as in the JSON report, and `seconds`.
    """
    if jobs == 1:
        for commit in commits:
            yield _replay_one(plan, commit)
        return
    # Forked workers would share the pipe to git with the parent; spawned ones start their own.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=jobs, mp_context=context) as pool:
        yield from pool.map(_replay_one, [plan] * len(commits), commits, chunksize=4)


@lru_cache(maxsize=1)
def _worker(repo: Path) -> tuple[Repository, ParseCache, FactCache]:
    return Repository(repo), ParseCache(), FactCache()


def _reviewed(repository: Repository, commit: Commit, number: int | None) -> tuple[str, str]:
    """Return base and head of what was under review."""
    head = repository.pull_request_head(number) if number else None
    if head is None:
        return commit.parent, commit.sha
    try:
        # A branch that went on after its merge holds other people's commits.
        if repository.merge_base(commit.sha, head) == commit.sha:
            return commit.parent, commit.sha
        return repository.merge_base(commit.parent, head), head
    except GitError:
        return commit.parent, commit.sha


def _replay_one(plan: Plan, commit: Commit) -> dict[str, Any]:
    repository, parse_cache, facts = _worker(plan.repo)
    number = pull_request_of(commit.subject)
    started = time.perf_counter()
    base, head = _reviewed(repository, commit, number)
    record: dict[str, Any] = {
        "commit": commit.sha,
        "date": commit.date,
        "subject": commit.subject,
        "pull_request": number,
        "base": base,
        "head": head,
    }
    try:
        change = ChangeSet(base, head, repository.changed_files(base, head))
        report = run(
            Job(
                comparison=pair(repository, change, parse_cache),
                rules=select_rules(plan.select, plan.ignore),
                history=GitHistory(repository, change),
                cache=facts,
                severities={},
                pull_request=number,
            )
        )
    except GitError as error:
        failures = [{"rule": "git", "path": None, "summary": str(error)}]
        record |= {"findings": [], "failures": failures}
    else:
        shown = to_json(report, include_existing=False)
        record |= {"findings": shown["findings"], "failures": shown["failures"]}
    return record | {"seconds": round(time.perf_counter() - started, 4)}
