"""All shapes of claims, in the order in which they are worth supporting."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from infx_lint.cache import source_version
from infx_lint.claims import concurrency, equality, image, mode, speculation, topology, unset
from infx_lint.claims.claim import Claim
from infx_lint.claims.wording import sentences, without_code
from infx_lint.documents.comment_blocks import CommentBlock

_SHAPES = (image, topology, equality, speculation, concurrency, unset, mode)


_CLASSES: dict[str, type[Any]] = {
    one.__name__: one
    for one in (
        concurrency.BandClaim,
        concurrency.ListClaim,
        concurrency.MostClaim,
        concurrency.PointsClaim,
        equality.EqualityClaim,
        image.ImageClaim,
        mode.ModeClaim,
        speculation.DepthClaim,
        speculation.TripleClaim,
        topology.CountClaim,
        topology.LabelClaim,
        topology.NodesClaim,
        unset.KnobClaim,
        unset.UnsetClaim,
    )
}


def pack(claim: Claim) -> list[Any]:
    """Return a claim in the kinds that JSON holds."""
    return [type(claim).__name__, vars(claim)]


def unpack(facts: list[Any]) -> Claim:
    """Return a claim from what `pack` made of it."""
    name, fields = facts
    values = {
        key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()
    }
    claim: Claim = _CLASSES[name](**values)
    return claim


def version() -> str:
    """Return what changes with the grammar, for claims that are remembered."""
    return source_version(Path(__file__).parent)


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
