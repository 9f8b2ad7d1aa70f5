"""What the `pr-link` of a changelog entry points to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

# The repository was renamed once (in February 2026), so its names are read from the links
# themselves; this is the newest one known here.
NEWEST_NAME = "SemiAnalysisAI/InferenceX"

_GITHUB = (
    r"(?:https?://)?(?:www\.)?github\.com/(?P<repository>[\w.-]+/[\w.-]+)"
    r"/(?P<kind>pull|pulls|issues|discussions|commit|compare|tree)(?:/(?P<rest>.*))?"
)
_NUMBER = r"#?([1-9]\d{0,8})(?![\w-])"
_CANONICAL = r"https://github\.com/([\w.-]+/[\w.-]+)/pull/([1-9]\d{0,8})"


class LinkKind(StrEnum):
    """How a link reads."""

    CANONICAL = "canonical"
    TOLERATED = "tolerated"
    NOT_CANONICAL = "not-canonical"
    NO_PULL_REQUEST = "no-pull-request"
    OTHER_REPOSITORY = "other-repository"


class PullRequestLink(NamedTuple):
    """A link read for what it means. `number` is None where none can be told."""

    text: str
    kind: LinkKind
    number: int | None
    repository: str

    @property
    def is_tolerated(self) -> bool:
        """Tell whether the merge tool will replace the text."""
        return self.kind is LinkKind.TOLERATED

    @property
    def is_malformed(self) -> bool:
        """Tell whether the text is no address that could be followed, or not in the one form."""
        return self.kind is LinkKind.NOT_CANONICAL

    @property
    def is_elsewhere(self) -> bool:
        """Tell whether the text leads to an issue, a commit, or another repository."""
        return self.kind in (LinkKind.NO_PULL_REQUEST, LinkKind.OTHER_REPOSITORY)


def canonical_link(repository: str, number: int | str) -> str:
    """Return the one form that the repository's tools accept."""
    return f"https://github.com/{repository}/pull/{number}"


def read_link(text: str, repositories: Sequence[str]) -> PullRequestLink:
    """Read a link as seen from a repository, given by all its names (`owner/name`), newest first.

    The merge tool of the linted repository (`prepare_perf_changelog_merge.py`) replaces exactly
    `XXX` and `<canonical>/XXX`; every other text that is not canonical stops the merge.
    """
    text = text.strip()
    repository = repositories[0]
    if text == "XXX" or text in [canonical_link(name, "XXX") for name in repositories]:
        return PullRequestLink(text, LinkKind.TOLERATED, None, repository)
    if (match := re.fullmatch(_CANONICAL, text)) and _is_one_of(match[1], repositories):
        return PullRequestLink(text, LinkKind.CANONICAL, int(match[2]), match[1])
    match = re.fullmatch(_GITHUB, text)
    if match is None:
        bare = re.fullmatch(_NUMBER, text)
        number = int(bare[1]) if bare else None
        return PullRequestLink(text, LinkKind.NOT_CANONICAL, number, repository)
    start = re.match(_NUMBER, match["rest"] or "")
    number = int(start[1]) if start else None
    if not _is_one_of(match["repository"], repositories):
        kind = LinkKind.OTHER_REPOSITORY if number else LinkKind.NOT_CANONICAL
    elif match["kind"] in ("pull", "pulls"):
        kind = LinkKind.NOT_CANONICAL
    else:
        kind = LinkKind.NO_PULL_REQUEST
    return PullRequestLink(text, kind, number, match["repository"])


def _is_one_of(name: str, repositories: Sequence[str]) -> bool:
    # GitHub compares owners and repositories without case.
    return name.casefold() in [other.casefold() for other in repositories]


def most_linked(links: Iterable[str]) -> str | None:
    """Return the repository that most links point to, None where none points to any."""
    counts = Counter(
        match[1] for text in links if (match := re.fullmatch(_CANONICAL, text.strip()))
    )
    return counts.most_common(1)[0][0] if counts else None
