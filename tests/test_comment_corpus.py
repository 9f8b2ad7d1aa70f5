"""Labelled comments of the linted repository: what is reported of the stale ones, and of others.

Slow, and only where `INFX_CLONE` names a clone with the heads of its pull requests:
`make corpus INFX_CLONE=../InferenceX`.
"""

import json
from collections import defaultdict
from typing import Any

import pytest

from infx_lint.cache import FactCache
from infx_lint.domain.project import Project
from infx_lint.domain.stale_comments import stale_comments
from infx_lint.git import Repository
from infx_lint.scope import Request, compare

pytestmark = pytest.mark.slow

# Shapes 1 to 5 of the study, as its labels name them.
FIRST_SHAPES = {
    "image-tag",
    "image-kind",
    "topology",
    "count",
    "flag-equals",
    "field-equals",
    "flag-list",
    "list-of-concurrencies",
    "max-conc",
}


@pytest.fixture(scope="module")
def judged(clone, cases) -> list[tuple[dict[str, Any], bool]]:
    """Every labelled comment, and whether it is reported."""
    rows = [json.loads(line) for line in (cases / "comments.jsonl").read_text().splitlines()]
    groups = defaultdict(list)
    for row in rows:
        groups[row["parent"], row["sha"]].append(row)
    found = []
    repository = Repository(clone)
    cache = FactCache()
    for (parent, sha), group in groups.items():
        request = Request(parent, sha) if parent else Request(head=sha, everything=True)
        comparison = compare(repository, request)
        base, head = Project(comparison.base, cache), Project(comparison.head, cache)
        named = {row["file"] for row in group}
        files = comparison.change.files
        if not parent:
            files = tuple(file for file in files if file.path in named)
        reported = {
            (comment.path, line)
            for comment in stale_comments(base, head, files)
            for one in comment.claims
            for line in lines_of(comment, one)
        }
        found += [(row, (row["file"], row["line"]) in reported) for row in group]
    repository.close()
    return found


def lines_of(comment, one) -> range:
    span = comment.block.span(one.claim.start, one.claim.end)
    return range(span.line, span.end_line + 1)


def share(rows):
    return sum(is_reported for _, is_reported in rows) / len(rows)


def test_comments_that_a_commit_made_stale_are_reported(judged):
    made = [item for item in judged if item[0]["made_stale_by_this_commit"] is True]
    first = [item for item in made if item[0]["shape"] in FIRST_SHAPES]
    print(
        f"stale: {share(made):.0%} of {len(made)}, shapes 1-5: {share(first):.0%} of {len(first)}"
    )
    for row, is_reported in made:
        if not is_reported:
            print("not reported:", row["sha"][:9], row["file"], row["line"], row["claim"])
    assert share(made) >= 0.75
    assert share(first) >= 0.8


@pytest.mark.parametrize("label", ["true", "not-a-claim"])
def test_other_comments_are_not_reported(judged, label):
    rows = [item for item in judged if item[0]["label"] == label]
    for row, is_reported in rows:
        if is_reported:
            print("reported:", row["sha"][:9], row["file"], row["line"], row["claim"])
    assert share(rows) <= 0.02
