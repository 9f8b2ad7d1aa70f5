"""Answers questions that only the commits before a change can tell."""

from __future__ import annotations

from collections import Counter

from infx_lint.change import ChangedFile, ChangeSet, Hunk
from infx_lint.git import Commit, Repository
from infx_lint.paths import RepoPath


class GitHistory:
    """The history behind one change."""

    def __init__(self, repository: Repository, change: ChangeSet) -> None:
        self.repository = repository
        self.change = change
        self._hunks: dict[RepoPath, tuple[Hunk, ...]] = {}

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
        if last and entry and self.repository.blob_at(last.parent, base) == entry.blob:
            return {last}
        found = [self.repository.commit_that_added(text, base, since) for text in texts]
        return {commit for commit in found if commit} if None not in found else set()
