"""All shapes of claims, in the order in which they are worth supporting."""

from __future__ import annotations

from dataclasses import replace

from infx_lint.claims import concurrency, equality, image, mode, speculation, topology, unset
from infx_lint.claims.claim import Claim
from infx_lint.claims.wording import sentences, without_code
from infx_lint.documents.comment_blocks import CommentBlock

_SHAPES = (image, topology, equality, speculation, concurrency, unset, mode)


def claims_of(block: CommentBlock) -> tuple[Claim, ...]:
    """Return the claims of a block in the order of its text."""
    found: list[Claim] = []
    for sentence in sentences(block):
        for shape in _SHAPES:
            for claim in shape.find(sentence):
                is_loose = claim.is_cautious or sentence.is_after_arrow(claim.start)
                found.append(
                    replace(claim, is_cautious=is_loose, is_of_attention=sentence.names_attention())
                )
    found += unset.find_knobs(without_code(block.text))
    return tuple(sorted(found, key=lambda claim: (claim.start, claim.end)))
