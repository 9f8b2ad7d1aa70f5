"""What is compared: from the options of a run to a change and its two trees."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from infx_lint.change import ChangedFile, ChangeSet, Endpoint, TreeEntry
from infx_lint.documents.text_file import TextFile, parse_text
from infx_lint.finding import Location, Side
from infx_lint.git import GitError, Repository
from infx_lint.paths import RepoPath
from infx_lint.snapshot import ParseCache, Snapshot

_FULL_ID = r"[0-9a-f]{40,64}"


class Request(NamedTuple):
    """What the user asked to compare; all fields left out: this branch against its upstream."""

    base: str | None = None
    head: str | None = None
    staged: bool = False
    everything: bool = False


class Comparison(NamedTuple):
    """A change with the trees on both sides of it."""

    change: ChangeSet
    base: Snapshot
    head: Snapshot

    def source(self, location: Location) -> TextFile | None:
        """Return the text around a place; None where it is not text."""
        tree = self.base if location.side is Side.BASE else self.head
        text = tree.parse(location.path, parse_text) if tree.is_file(location.path) else None
        return text if isinstance(text, TextFile) else None


def compare(
    repository: Repository, request: Request, cache: ParseCache | None = None
) -> Comparison:
    """Find out what to compare and list what differs.

    Raises:
        GitError: an unknown revision, a missing base, or nothing that could be compared.
    """
    base, head, reason = _endpoints(repository, request)
    tree = base or repository.resolve("HEAD")
    files = repository.changed_files(tree, head)
    if base is None:
        entries = _apply(repository.tree(tree), files)
        files = tuple(ChangedFile(base=None, head=entry) for _, entry in sorted(entries.items()))
    return pair(repository, ChangeSet(base, head, files, reason), cache or ParseCache())


def pair(repository: Repository, change: ChangeSet, parse_cache: ParseCache) -> Comparison:
    """Make the two trees of a change. Both come from one listing: the head is the base, changed."""

    @cache
    def base_entries() -> Mapping[RepoPath, TreeEntry]:
        return repository.tree(change.base) if change.base else {}

    return Comparison(
        change,
        base=Snapshot(Side.BASE, base_entries, repository.read, parse_cache),
        head=Snapshot(
            Side.HEAD,
            lambda: _apply(base_entries(), change.files),
            repository.read,
            parse_cache,
        ),
    )


def _apply(
    entries: Mapping[RepoPath, TreeEntry], files: tuple[ChangedFile, ...]
) -> dict[RepoPath, TreeEntry]:
    after = dict(entries)
    for file in files:
        if file.base:
            after.pop(file.base.path, None)
    for file in files:
        if file.head:
            after[file.head.path] = file.head
    return after


def _endpoints(repository: Repository, request: Request) -> tuple[str | None, str | Endpoint, str]:
    """Return base commit, head and the line that tells the user why these."""
    if request.staged:
        head = repository.resolve("HEAD")
        return head, Endpoint.INDEX, f"what is staged, against HEAD ({head[:9]})"
    head_name = request.head or "HEAD"
    if repository.is_bare and request.head is None:
        raise GitError(
            "a bare repository has no working tree to look at", "name the commit: --head REV"
        )
    head = repository.resolve(head_name)
    endpoint = head if request.head else Endpoint.WORKTREE
    shown = f"{_named(request.head, head)}" if request.head else "the working tree"
    if request.everything:
        return None, endpoint, f"all files of {shown}"
    target = request.base or repository.default_branch()
    tip = repository.resolve(target)
    base = repository.merge_base(tip, head)
    if base == tip:
        return base, endpoint, f"{shown} against {_named(target, base)}"
    return base, endpoint, f"{shown} against where it left {_named(target, base)}"


def _named(revision: str, commit: str) -> str:
    """Return a revision as the user wrote it, with the commit that it stands for."""
    if re.fullmatch(_FULL_ID, revision) or commit.startswith(revision):
        return commit[:9]
    return f"{revision} ({commit[:9]})"


def select_paths(
    repository: Repository, comparison: Comparison, paths: tuple[str, ...]
) -> Comparison:
    """Narrow a comparison to files and folders given on the command line.

    The trees stay whole: rules still see the other files, they only do not speak of them.

    Raises:
        GitError: a path outside the repository, or one that neither side knows.
    """
    if not paths:
        return comparison
    wanted = [_repo_path(repository, path) for path in paths]
    known = {*comparison.base.entries, *comparison.head.entries}
    for path in wanted:
        if path not in known and not any(entry.is_within(path) for entry in known):
            raise GitError(
                f"`{path.display()}` exists neither at the base nor at the head",
                "give paths relative to the current folder",
            )
    change = comparison.change
    files = tuple(
        file
        for file in change.files
        if any(
            entry.path.is_within(path)
            for entry in (file.base, file.head)
            if entry
            for path in wanted
        )
    )
    narrowed = ChangeSet(
        change.base, change.head, files, f"{change.reason}, {' '.join(paths)} only"
    )
    return Comparison(narrowed, comparison.base, comparison.head)


def _repo_path(repository: Repository, argument: str) -> RepoPath:
    # Links in the argument itself stay: they are entries of their own in git.
    location = Path(argument).absolute()
    location = location.parent.resolve() / location.name
    root = repository.root.resolve()
    if location == root or root in location.parents:
        relative = location.relative_to(root).as_posix()
        return RepoPath("" if relative == "." else relative)
    raise GitError(f"`{argument}` lies outside the repository", "give a path inside it")
