"""Answers questions that only the commits before a change can tell."""

from __future__ import annotations

from collections import Counter

from infx_lint.change import ChangedFile, ChangeSet, Endpoint, Hunk
from infx_lint.finding import Side
from infx_lint.git import Commit, Repository
from infx_lint.paths import RepoPath
from infx_lint.snapshot import ParseCache, Snapshot


class GitHistory:
    """The history behind one change."""

    def __init__(self, repository: Repository, change: ChangeSet) -> None:
        self.repository = repository
        self.change = change
        self._hunks: dict[RepoPath, tuple[Hunk, ...]] = {}
        self._parsed = ParseCache()

    def hunks(self, file: ChangedFile) -> tuple[Hunk, ...]:
        """Return the regions of a changed file's diff, context included."""
        if self.change.base is None:
            return ()
        if file.path not in self._hunks:
            found = self.repository.hunks(self.change.base, self.change.head, file)
            self._hunks[file.path] = found
        return self._hunks[file.path]

    def is_exact_revert(self, base: RepoPath, head: RepoPath, texts: tuple[str, ...]) -> bool:
        """Tell whether the change undoes, line for line, the commits that brought `texts`."""
        if self.change.base is None:
            return False
        commits = self._commits_to_undo(base, head, texts)
        if not commits:
            return False
        undone: Counter[bytes] = Counter()
        for commit in commits:
            undone.update(self.repository.changed_lines(commit.sha, commit.parent, base.name))
        done = self.repository.changed_lines(self.change.base, self.change.head, base.name)
        return done == undone

    def _commits_to_undo(
        self, base: RepoPath, head: RepoPath, texts: tuple[str, ...]
    ) -> set[Commit]:
        """Return the commits that a revert would have to undo; none if not all are known."""
        since = str(self.change.base)
        last = self.repository.last_commit(base, since)
        entry = self.change.by_head_path[head].head
        if (
            last
            and last.parent
            and entry
            and self.repository.blob_at(last.parent, base) == entry.blob
        ):
            return {last}
        found = [self.repository.commit_that_added(text, base, since) for text in texts]
        is_known = all(commit is not None and commit.parent for commit in found)
        return {commit for commit in found if commit} if is_known else set()

    def messages(self) -> tuple[str, ...]:
        """Return the messages of the change's commits, newest first."""
        if self.change.base is None:
            return ()
        head = "HEAD" if isinstance(self.change.head, Endpoint) else self.change.head
        return self.repository.messages(self.change.base, head)

    def when_added(
        self, text: str, path: RepoPath
    ) -> tuple[Snapshot, tuple[ChangedFile, ...]] | None:
        """Return the tree of the commit that brought a text into a file before the change.

        Args:
            text: the text.
            path: the file as the base names it.

        Returns:
            The tree, and the files that differ between it and the head; None if no commit did.
        """
        if self.change.base is None:
            return None
        commit = self.repository.commit_that_added(text, path, self.change.base)
        if commit is None:
            return None
        tree = Snapshot(
            Side.BASE,
            lambda: self.repository.tree(commit.sha),
            self.repository.read,
            self._parsed,
        )
        return tree, self.repository.changed_files(commit.sha, self.change.head)
