"""Image tags and kinds: `the v0.5.16-cu130 image`, `container set to vllm/vllm-openai:v0.20.1`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from infx_lint.claims.claim import ABSENT, UNKNOWN, Claim, Judgement, Verdict, listed
from infx_lint.claims.facts import Facts, Image
from infx_lint.claims.pattern import Pattern
from infx_lint.claims.wording import Sentence

_TAG = (
    r"(?:v?\d+\.\d+\.\d+(?:\.?(?:post|rc|dev)\d*)?(?:[-_+][A-Za-z0-9.]*[A-Za-z0-9])*|"
    r"v\d+\.\d+\b|nightly(?:[-_][\w]+)+|cu1\d\d|rocm\d[\d.]*|20\d{6}|[a-z]+\d+(?:\.\d+)+(?:\.?post\d*)?)"
)
# Kinds of fragments; one can take the place of another of its kind.
_FORMS = (
    Pattern(r"v?\d+\.\d+\.\d+(?:\.?(?:post|rc|dev)\d*)?"),
    Pattern(r"20\d{6}"),
    Pattern(r"cu1\d\d"),
    Pattern(r"rocm\d[\d.]*"),
)
_REFERENCE = Pattern(r"[a-z][\w.-]*(?:/[\w.-]+)+:(?P<tag>[\w][\w.-]*[\w])")
_TOKEN = Pattern(rf"(?<![\w./#@-]){_TAG}(?![\w/])")
# `image` right beside the tag: then it is the image of this entry that is spoken of.
_BEFORE = Pattern(
    r"\b(?:image|container|tag|pins?|pinned)\s+(?:tag\s+)?(?:is\s+|stays\s+)?"
    r"(?:(?:set|bumped|updated|moved|pinned|kept|upgraded|switched)\s+)?(?:to\s+|at\s+|on\s+|=\s*|:\s*)?"
    r"(?:the\s+)?(?:standard\s+|pinned\s+|public\s+|stable\s+)?[`\"']?(?:[\w./-]+:)?$",
    re.IGNORECASE,
)
_AFTER = Pattern(
    r"^[`\"']?\s+(?:[A-Z][\w-]*\s+|base\s+|vLLM\s+|nightly\s+)?(?:image|container|build|nightly)s?\b",
    re.IGNORECASE,
)
# `the images (a:b and its forks)`: one of them may be this one.
_MANY = Pattern(r"\bimages\b[^.]*$", re.IGNORECASE)
_KIND = Pattern(
    r"\b(?:the|a|an|same|this|dedicated)\s+(?P<kind>[a-z][a-z0-9]{2,15})\s+(?:container\s+)?(?:image|container)\b"
)
# Hashes are often cut short.
_HASH = Pattern(r"^([0-9a-f]{7})[0-9a-f]+$")
_PRODUCT = Pattern(
    r"\b(?:vLLM|SGLang|TRT-LLM|TensorRT-LLM|Dynamo|ATOM|AITER|FlashInfer|PyTorch|torch|NCCL|CUDA|ROCm|"
    r"triton|transformers|Mooncake|LMCache)(?:'s)?\s*[`\"'(]*$",
    re.IGNORECASE,
)
_OF_PRODUCT = Pattern(r"\s+(?:\S+\s+)?(?:recipes?|releases?|branch|source|wheels?)\b")
_PAST = Pattern(r"\+|\s+(?:was|were|had|did)\b")
_SINCE = Pattern(
    r"\b(?:since|from|merged|includ\w+|introduc\w+|fix\w*|adds?|added|first|requires?|needs?|"
    r"needed|exists?|land\w*|available|newer|later|lacks?|ships?|upstream\w*|client|CUDA|driver|"
    r"firmware|version|hash|reported|present|than|before|after|ROCm)\s*(?:[A-Za-z-]+\s+){0,3}[`\"'(]*$",
    re.IGNORECASE,
)


@dataclass(eq=False, repr=False)
class ImageClaim(Claim):
    """An image is said to bear a tag, a part of one, or to be of some kind."""

    shape: ClassVar[str] = "image"

    tag: str
    repository: str

    def judge(self, facts: Facts) -> Judgement:
        """Compare whole fragments: 0.6 is not the version of 0.6.8."""
        images = [image for image in facts.images if self._is_about(image)]
        if not images:
            return ABSENT if facts.images else UNKNOWN
        wanted = fragments(self.tag)
        is_there = any(wanted <= fragments(image.text) for image in images)
        verdict = Verdict.TRUE if is_there else Verdict.FALSE
        tags = [image.text.partition("@")[0].rpartition(":")[2] for image in images]
        rows = tuple(dict.fromkeys(("image", image.text) for image in images))
        places = tuple(image.place for image in images)
        other = self._in_place(tags[0]) if len(set(tags)) == 1 else None
        return Judgement(verdict, listed(tags), rows, places, other)

    def contradiction(self, judgement: Judgement) -> str:
        """Return what the image is."""
        return f"the image is `{judgement.actual}`"

    def _in_place(self, tag: str) -> str | None:
        """Return what of a new tag stands for what is claimed of the old one."""
        if self.repository or len(fragments(self.tag)) > 1:
            return tag
        for form in _FORMS:
            found = form.findall(tag)
            if form.fullmatch(self.tag) and len(found) == 1:
                return str(found[0])
        return None

    def _is_about(self, image: Image) -> bool:
        name = image.text.partition("@")[0].rpartition(":")[0] or image.text
        name = name.rpartition("#")[2]
        return not self.repository or name.endswith(self.repository.rpartition("/")[2])


def fragments(tag: str) -> frozenset[str]:
    """Return the parts of an image's name, of versions without the `v`."""
    parts = re.split(r"[-:_/@+#]", tag.lower())
    plain = (re.sub(r"^v(?=\d)", "", part) for part in parts if part)
    return frozenset(_HASH.sub(r"\1", part) for part in plain)


def find(sentence: Sentence) -> Iterator[ImageClaim]:
    """Yield the claims of a sentence about images."""
    taken: list[tuple[int, int]] = []
    for match in _REFERENCE.finditer(sentence.text):
        start, end = sentence.start + match.start("tag"), sentence.start + match.end("tag")
        taken.append(match.span())
        if not sentence.is_history(sentence.start + match.start(), end):
            if re.match(r"[`\"']?\s+(?:and|or)\b", sentence.text[match.end() :]) and _MANY.search(
                sentence.text[: match.start()]
            ):
                continue
            repository = match.group().rpartition(":")[0]
            yield ImageClaim(start, end, match["tag"], repository, literal=(start, end))
    for match in _TOKEN.finditer(sentence.text):
        if any(first <= match.start() < last for first, last in taken):
            continue
        start, end = sentence.place(match)
        before = sentence.before(start, end)
        after = sentence.text[match.end() :]
        if sentence.is_history(start, end) or _SINCE.search(before) or _PAST.match(after):
            continue
        is_tight = bool(_BEFORE.search(before) or _AFTER.search(after))
        if not is_tight and (_PRODUCT.search(before) or _OF_PRODUCT.match(after)):
            continue
        yield ImageClaim(
            start, end, match.group(), "", is_cautious=not is_tight, literal=(start, end)
        )
    for match in _KIND.finditer(sentence.text):
        start, end = sentence.start + match.start("kind"), sentence.start + match.end("kind")
        kind = match["kind"]
        if not _TOKEN.fullmatch(kind) and not sentence.is_history(start, end):
            yield ImageClaim(start, end, kind, "", is_cautious=True)
