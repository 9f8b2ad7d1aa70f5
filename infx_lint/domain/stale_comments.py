"""Comments that a change made stale: claims that the values of its head contradict.

A claim counts only if the change made it so: its comment is new, or it agreed with the base, or
what it speaks of was not there at the base. That is worth more than the grammar: names and numbers
alone were right in 10 of 100 readings, with it in 50.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from infx_lint.change import ChangedFile
from infx_lint.claims.claim import Claim, Judgement, Verdict
from infx_lint.documents.comment_blocks import CommentBlock
from infx_lint.domain.comment_scope import Subject, subjects
from infx_lint.domain.comment_subjects import Spoken
from infx_lint.finding import Edit, Span
from infx_lint.paths import RepoPath

if TYPE_CHECKING:
    from infx_lint.domain.project import Project

# Shapes of claims about what a script computes, which may differ between its branches.
_OF_BRANCHES = frozenset({"value", "speculation", "mode"})
_LONGEST_QUOTE = 70


class StaleClaim(NamedTuple):
    """A claim that is not true any more, and what is the case."""

    claim: Claim
    judgement: Judgement
    quote: str

    @property
    def contradiction(self) -> str:
        """Return what is the case, as the end of a sentence."""
        is_partly = self.judgement.verdict is Verdict.PARTLY
        said = self.claim.contradiction(self.judgement)
        return f"{said} at some points" if is_partly else said


class StaleComment(NamedTuple):
    """A comment with everything in it that is stale.

    Attributes:
        path: the file that it stands in.
        claims: what is stale, in the order of the text.
        twins: comments of other files that say the same.
    """

    path: RepoPath
    block: CommentBlock
    claims: tuple[StaleClaim, ...]
    twins: tuple[tuple[RepoPath, Span], ...] = ()

    @property
    def span(self) -> Span:
        """Return the place of the first stale claim."""
        return self._span(self.claims[0])

    @property
    def edits(self) -> tuple[Edit, ...]:
        """Return the values to put in, where each stale claim needs another literal only."""
        edits = []
        for one in self.claims:
            literal, value = one.claim.literal, one.judgement.replacement
            if literal is None or value is None:
                return ()
            edits.append(Edit(self.path, self.block.span(*literal), value))
        return tuple(edits)

    def _span(self, one: StaleClaim) -> Span:
        return self.block.span(one.claim.start, one.claim.end)


def stale_comments(
    base: Project, head: Project, files: tuple[ChangedFile, ...]
) -> tuple[StaleComment, ...]:
    """Return the comments that a change made stale, wherever they stand."""
    found = [comment for subject in subjects(base, head, files) for comment in _in_subject(subject)]
    places: dict[tuple[object, ...], list[tuple[RepoPath, Span]]] = {}
    for comment in found:
        places.setdefault(comment.claims[0].claim.key, []).append((comment.path, comment.span))
    return tuple(
        comment._replace(
            twins=tuple(
                place
                for place in places[comment.claims[0].claim.key]
                if place != (comment.path, comment.span)
            )
        )
        for comment in found
    )


def _in_subject(subject: Subject) -> Iterator[StaleComment]:
    before = {
        _identity(claim, spoken.block): (claim, spoken)
        for spoken in subject.base
        for claim in spoken.claims
    }
    for spoken in subject.head:
        claims = []
        for claim in spoken.claims:
            judgement = _made_stale(claim, spoken, before.get(_identity(claim, spoken.block)))
            if judgement is not None:
                claims.append(StaleClaim(claim, judgement, _quote(claim, spoken.block)))
        if claims:
            yield StaleComment(spoken.path, spoken.block, tuple(claims))


def _made_stale(claim: Claim, spoken: Spoken, old: tuple[Claim, Spoken] | None) -> Judgement | None:
    """Return the judgement on a claim, None where it is not stale, or was so before."""
    if old is None and claim.is_cautious:
        return None
    if claim.shape in _OF_BRANCHES and (
        # Neither the comment nor anything that the value is computed from has changed.
        (old is not None and old[1].facts.inputs == spoken.facts.inputs)
        # A branch that no row reaches.
        or (claim.is_of_attention and not _has_attention(spoken))
    ):
        return None
    judgement = _judge(claim, spoken)
    if judgement.verdict is Verdict.FALSE and old is None:
        return judgement
    if judgement.verdict in {Verdict.TRUE, Verdict.UNKNOWN} or old is None:
        return None
    before = old[0].judge(old[1].facts.sample).verdict
    if judgement.verdict is Verdict.ABSENT:
        is_gone = before is Verdict.TRUE and _is_gone(claim, spoken)
        return judgement._replace(actual="not set any more") if is_gone else None
    return judgement if before in _verdicts_before(claim, judgement) else None


def _verdicts_before(claim: Claim, judgement: Judgement) -> set[Verdict]:
    """Return what must have been the verdict at the base, so that the change made it otherwise."""
    if judgement.verdict is Verdict.PARTLY and not claim.is_fact:
        return set()
    before = {Verdict.TRUE}
    if not claim.is_cautious:
        # What it speaks of came with the change.
        before.add(Verdict.ABSENT)
    if judgement.verdict is Verdict.FALSE:
        before.add(Verdict.PARTLY)
    return before


def _judge(claim: Claim, spoken: Spoken) -> Judgement:
    judgement = claim.judge(spoken.facts.sample)
    if judgement.verdict in {Verdict.PARTLY, Verdict.FALSE}:
        return claim.judge(spoken.facts)
    return judgement


def _is_gone(claim: Claim, spoken: Spoken) -> bool:
    name = getattr(claim, "name", "")
    facts = spoken.facts
    return bool(name) and facts.knows_all_names and not facts.mentions(name)


def _has_attention(spoken: Spoken) -> bool:
    return any(side.dp_attention for row in spoken.facts.rows for side in row.sides)


def _identity(claim: Claim, block: CommentBlock) -> tuple[object, ...]:
    return (*claim.key, block.lines(claim.start, claim.end))


def _quote(claim: Claim, block: CommentBlock) -> str:
    text = " ".join(block.text[claim.start : claim.end].split())
    return text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 1]}…"
