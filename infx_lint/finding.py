"""What a rule says: a finding, its places, its proof and its remedy."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from infx_lint.paths import RepoPath


class Severity(StrEnum):
    """How much a finding matters, in GitHub's own levels."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"

    @property
    def rank(self) -> int:
        """Return 0 for the gravest; findings sort by it."""
        return _RANKS[self]

    def reaches(self, threshold: Severity) -> bool:
        """Tell whether this is at least as grave as `threshold`."""
        return self.rank <= threshold.rank


_RANKS = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTICE: 2}


class Side(StrEnum):
    """The two trees of a change."""

    BASE = "base"
    HEAD = "head"


class Span(NamedTuple):
    """A stretch of text: lines and columns count from 1, columns in characters, the end exclusive.

    Lines are those of git and GitHub: only a line feed ends one.
    """

    line: int
    column: int
    end_line: int
    end_column: int


class Location(NamedTuple):
    """A place in one file of one side, with a short label that says why it is shown."""

    path: RepoPath
    span: Span
    side: Side = Side.HEAD
    label: str = ""


class Proof(NamedTuple):
    """Evidence that a reader can check by eye: a small table and what follows from it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    conclusion: str = ""


class Edit(NamedTuple):
    """Put `text` in the place of `span`; an empty span inserts."""

    path: RepoPath
    span: Span
    text: str


class Fix(NamedTuple):
    """Edits that mend a finding together. `safe` means that no meaning can be lost by them."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool


class Finding(NamedTuple):
    """One broken invariant at its place.

    `subject` names what the finding is about (a config key, an entry, a field), never a line
    number: together with rule and path it makes the fingerprint, which survives rebases and
    edits above. A rule leaves `rule` empty and `severity` at None for its default; the engine
    fills both.
    """

    message: str
    location: Location
    subject: str
    severity: Severity | None = None
    related: tuple[Location, ...] = ()
    proof: Proof | None = None
    fix: Fix | None = None
    rule: str = ""

    def fingerprint(self, path: RepoPath, occurrence: int) -> str:
        """Return the identity of the finding as 16 hex digits.

        Args:
            path: the file's path at the head, so that a rename alone makes nothing new.
            occurrence: how many findings of equal rule, path and subject came before.
        """
        import hashlib

        parts = (self.rule, path, self.subject, str(occurrence))
        text = "\0".join(parts).encode("utf-8", "surrogateescape")
        return hashlib.sha256(text).hexdigest()[:16]


class RuleFailure(NamedTuple):
    """Something was not analysed through no fault of the change: a crash, or a limit reached.

    Never silence: every reporter shows it, and the exit status is 3.
    """

    rule: str
    path: RepoPath | None
    summary: str
