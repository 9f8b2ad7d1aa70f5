"""What a rule is, and what it is given to look at.

A rule is a generator in a file of its own. One that looks at the state of a file takes a
`FileContext`; it runs on the head and, where it finds something, on the base as well, so that old
faults are told from new ones. One that looks at what a change did takes a `ChangeContext`; what
it finds is new by nature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from infx_lint.change import ChangedFile, ChangeSet, Hunk
from infx_lint.documents.text_file import TextFile, parse_text
from infx_lint.documents.yaml_file import UnreadableYaml, parse_yaml
from infx_lint.domain.changelog import Changelog, ChangelogEntry
from infx_lint.domain.changelog_change import ChangelogChange, compare_changelogs
from infx_lint.domain.layout import CHANGELOG_NAME
from infx_lint.domain.policy import Policy
from infx_lint.domain.project import Project
from infx_lint.finding import Finding, Fix, Location, Severity, Span
from infx_lint.paths import RepoPath
from infx_lint.snapshot import Snapshot

if TYPE_CHECKING:
    from infx_lint.domain.stale_comments import StaleComment
    from infx_lint.inventory.compare import Inventory
    from infx_lint.inventory.contradictions import Contradiction
    from infx_lint.inventory.coverage import Coverage, Undescribed
    from infx_lint.inventory.items import Scope
    from infx_lint.inventory.ledger import Missing

Document = TypeVar("Document")

# Files of these kinds can change what is measured.
_MEASURED_KINDS = frozenset({".yaml", ".yml", ".sh"})


class FileContext(NamedTuple, Generic[Document]):
    """One changed file at one side: its document, and the project around it."""

    path: RepoPath
    document: Document
    project: Project

    def at(self, span: Span, label: str = "", path: RepoPath | None = None) -> Location:
        """Return a place in this file, or in another one of the same side."""
        return Location(path or self.path, span, self.project.tree.side, label)


class History(Protocol):
    """What only the commits before a change can tell."""

    def hunks(self, file: ChangedFile) -> tuple[Hunk, ...]:
        """Return the regions of a changed file's diff, context included."""

    def messages(self) -> tuple[str, ...]:
        """Return the messages of the change's commits, newest first."""

    def when_added(
        self, text: str, path: RepoPath
    ) -> tuple[Snapshot, tuple[ChangedFile, ...]] | None:
        """Return the tree of the commit that brought a text into a file before the change.

        With it come the files that differ between that tree and the head.
        """

    def is_exact_revert(self, base: RepoPath, head: RepoPath, texts: tuple[str, ...]) -> bool:
        """Tell whether a change undoes the commits that brought some texts into a file.

        Args:
            base: the file's path at the base.
            head: the file's path at the head.
            texts: what those commits added to it and the change removed. The file itself is left
                out of the comparison: others may have appended to it since.
        """


@dataclass(frozen=True)
class ChangeContext:
    """A whole change: the project before and after.

    Attributes:
        pull_request: the number of the pull request under review, where it is known.
    """

    change: ChangeSet
    base: Project
    head: Project
    history: History
    pull_request: int | None = None
    _trees: dict[str, tuple[Project, tuple[ChangedFile, ...]] | None] = field(
        default_factory=dict, repr=False
    )

    @property
    def files(self) -> tuple[ChangedFile, ...]:
        """Return the files that the change touches."""
        return self.change.files

    @property
    def is_whole_tree(self) -> bool:
        """Tell whether everything counts as new (`--all`), so that there is no real change."""
        return self.change.base is None

    @cached_property
    def is_exact_revert(self) -> bool:
        """Tell whether the change takes back what brought the changelog entries that it removes."""
        log = self.changelog
        if log is None or log.base is None or log.added:
            return False
        texts = tuple(entry.content for entry in log.removed)
        return self.history.is_exact_revert(log.base.path, log.head.path, texts)

    def stale_comments(self) -> tuple[StaleComment, ...]:
        """Return the comments that the change made stale, wherever they stand."""
        if not any(map(self.head.layout.has_comments, self.change.by_head_path)):
            return ()
        from infx_lint.domain.stale_comments import stale_comments

        return stale_comments(self.base, self.head, self.change.files)

    @cached_property
    def inventory(self) -> Inventory:
        """Return what the change did to what each config key runs."""
        from infx_lint.inventory.compare import Inventory, inventory

        kinds = {path.suffix for path in self.change.by_head_path if path.name != CHANGELOG_NAME}
        if self.is_whole_tree or not kinds & _MEASURED_KINDS:
            return Inventory((), {})
        return inventory(self.base, self.head, self.change.files)

    @cached_property
    def coverage(self) -> Coverage:
        """Return what the added changelog entries speak of."""
        from infx_lint.inventory.coverage import Coverage

        return Coverage(self._whole_changelog.added if self._whole_changelog else ())

    @cached_property
    def missing_entries(self) -> tuple[Missing, ...]:
        """Return which config keys the change leaves without a changelog entry.

        None of a change whose changelog cannot be read: other rules speak of that.
        """
        from infx_lint.inventory.ledger import missing_entries

        if all(item.exempt for item in self.inventory.items):
            return ()
        log = self.head.changelog
        if log is None or self.changelog_defect is not None:
            return ()
        kept = self._whole_changelog.older if self._whole_changelog else log.entries
        return missing_entries(self.inventory, self.coverage, kept, self._is_same_as_then)

    @cached_property
    def undescribed_changes(self) -> tuple[Undescribed, ...]:
        """Return the added entries that leave out something of what they stand for."""
        from infx_lint.inventory.coverage import undescribed

        added = self.changelog.added if self.changelog else ()
        return undescribed(self.inventory.items, added, self.coverage)

    @property
    def contradicted_descriptions(self) -> tuple[Contradiction, ...]:
        """Return what added entries say and the config keys that they select contradict."""
        from infx_lint.inventory.contradictions import contradictions

        added = self.changelog.added if self.changelog else ()
        return tuple(contradictions(self.base, self.head, added))

    def draft_entry(self, missing: Missing) -> Fix | None:
        """Return an edit that appends the changelog entry that is missing."""
        from infx_lint.inventory.draft import draft_entry

        log = self.head.changelog
        if log is None or not missing.keys:
            return None
        return draft_entry(log, self.pull_request, missing.keys, missing.items)

    @cached_property
    def _messages(self) -> tuple[str, ...]:
        return self.history.messages()

    @property
    def skips_sweep(self) -> bool:
        """Tell whether the title of the change asks for no sweep."""
        from infx_lint.inventory.waivers import skips_sweep

        return skips_sweep(self._messages)

    def is_waived(self, rule_id: str) -> bool:
        """Tell whether a message of the change gives a reason to pass over a rule."""
        from infx_lint.inventory.waivers import waiver_of

        return waiver_of(rule_id, self._messages) is not None

    def _is_same_as_then(self, entry: ChangelogEntry, key: str, scopes: frozenset[Scope]) -> bool:
        """Tell whether a config key runs what it ran when a changelog entry was added."""
        from infx_lint.inventory.compare import compare_key

        text = entry.content_without_link
        if text not in self._trees:
            path = self.base.layout.changelog
            found = self.history.when_added(text, path) if path else None
            self._trees[text] = (self.head.at(found[0]), found[1]) if found else None
        then = self._trees[text]
        if then is None:
            return False
        items = compare_key(then[0], self.head, key, then[1]).items
        return not any(item.scope in scopes and not item.exempt for item in items)

    @property
    def deleted_changelog(self) -> Changelog | None:
        """Return the changelog of the base, where the head has none any more."""
        touched = {file.base.path for file in self.change.files if file.base}
        if not any(path.name == CHANGELOG_NAME for path in touched):
            return None
        if self.head.layout.changelog or self.base.layout.changelog not in touched:
            return None
        return self.base.changelog

    @property
    def changelog_defect(self) -> tuple[RepoPath, UnreadableYaml] | None:
        """Return the path of a changed changelog that cannot be read, and why."""
        if not any(path.name == CHANGELOG_NAME for path in self.change.by_head_path):
            return None
        path = self.head.layout.changelog
        if path is None or path not in self.change.by_head_path:
            return None
        file = self.head.tree.parse(path, parse_yaml)
        return (path, file) if isinstance(file, UnreadableYaml) else None

    @cached_property
    def changelog(self) -> ChangelogChange | None:
        """Return what happened to the changelog; None if nothing did, or if it cannot be read.

        The two sides are found by the layout of each: a changelog that only moved is unchanged.
        """
        # Most changes of scripts and recipes leave it alone: then not even a tree is listed.
        if not any(path.name == CHANGELOG_NAME for path in self.change.by_head_path):
            return None
        head = self.head.changelog
        return self._whole_changelog if head and head.path in self.change.by_head_path else None

    @cached_property
    def _whole_changelog(self) -> ChangelogChange | None:
        """Return the same though the review is narrowed to other files."""
        path, old_path = self.head.layout.changelog, self.base.layout.changelog
        if path and old_path and self.base.tree.blob(old_path) == self.head.tree.blob(path):
            return None
        head = self.head.changelog
        if head is None:
            return None
        if old_path is None:
            return compare_changelogs(None, head)
        old_text = self.base.tree.parse(old_path, parse_text)
        base = head.before_append(old_path, old_text) if isinstance(old_text, TextFile) else None
        if base is not None:
            return compare_changelogs(base, head, same=len(base.entries))
        base = self.base.changelog
        # An unreadable base cannot be compared with; a finding would be a guess.
        return compare_changelogs(base, head) if base else None


Check: TypeAlias = Callable[[Any], Iterator[Finding]]


class Rule(NamedTuple):
    """A rule as its file declares it.

    Attributes:
        id: the file's name with dashes: the mistake, so that `allow[mistake]` reads as English.
        document: the type of document that a file rule looks at; None for a change rule.
        policy: the sentence of the linted repository that the rule enforces, if it needs one.
        page: the module's docstring, which is the rule's documentation.
    """

    id: str
    severity: Severity
    check: Check
    document: type | None
    policy: Policy | None
    page: str

    @property
    def summary(self) -> str:
        """Return the first line of the page."""
        return self.page.partition("\n")[0]


def rule(
    *, severity: Severity, document: type | None = None, policy: Policy | None = None
) -> Callable[[Check], Rule]:
    """Declare the decorated generator to be the rule of its file.

    Args:
        severity: the default; settings may change it.
        document: what a file rule looks at (`YamlFile`, `UnreadableYaml`); none for a rule that
            takes a `ChangeContext`.
        policy: the sentence that gives the rule its authority; without it the rule is silent.
    """

    def declare(check: Check) -> Rule:
        module = check.__globals__
        return Rule(
            id=str(module["__name__"]).rpartition(".")[2].replace("_", "-"),
            severity=severity,
            check=check,
            document=document,
            policy=policy,
            page=str(module["__doc__"] or ""),
        )

    return declare
