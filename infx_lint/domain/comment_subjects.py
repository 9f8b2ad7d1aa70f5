"""The comments of scripts, master entries and recipes at one side of a change, with their facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from infx_lint.claims.claim import Claim
from infx_lint.claims.facts import Facts
from infx_lint.documents.comment_blocks import CommentBlock
from infx_lint.domain.comment_facts import EntryFacts, RecipeFacts, ScriptFacts
from infx_lint.domain.entries import Entry
from infx_lint.paths import RepoPath

if TYPE_CHECKING:
    from infx_lint.domain.project import Project


class Spoken(NamedTuple):
    """A comment, what it claims, and the facts that this is compared with."""

    path: RepoPath
    block: CommentBlock
    claims: tuple[Claim, ...]
    facts: Facts


def comments_of_script(project: Project, path: RepoPath) -> Iterator[Spoken]:
    """Yield the comments of a benchmark script."""
    if project.layout.is_benchmark_script(path):
        facts = ScriptFacts(project, path)
        for block, claims in project.comments_of(path):
            yield Spoken(path, block, claims, facts)


def comments_of_entry(project: Project, entry: Entry) -> Iterator[Spoken]:
    """Yield the comments of an entry of a master config."""
    scopes: dict[tuple[int, ...], EntryFacts] = {}
    comments = entry.comments
    found = project.claims_of(entry.digest, [block for block, _ in comments])
    for (block, rows), claims in zip(comments, found, strict=True):
        key = tuple(row.row.place.span.line for row in rows)
        facts = scopes.setdefault(key, EntryFacts(project, entry, rows))
        yield Spoken(entry.path, block, claims, facts)


def comments_of_recipe(project: Project, path: RepoPath) -> Iterator[Spoken]:
    """Yield the comments of a recipe; in a bundle those inside a variant speak of it alone."""
    scopes: dict[tuple[str, ...], RecipeFacts] = {}
    for block, claims in project.comments_of(path):
        if not claims:
            continue
        variants = project.variants_of(path)
        inside = tuple(
            one
            for one in variants
            if one.selector and one.first_line <= block.first_line <= one.last_line
        )
        chosen = inside or variants
        key = tuple(one.selector for one in chosen)
        facts = scopes.setdefault(key, RecipeFacts(project, path, chosen))
        yield Spoken(path, block, claims, facts)
