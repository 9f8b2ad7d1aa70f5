"""Answers questions that only the commits before a change can tell."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from infx_lint.change import ChangedFile, ChangeSet, Hunk
from infx_lint.git import Repository
from infx_lint.paths import RepoPath


@dataclass(frozen=True, slots=True)
class GitHistory:
    """The history behind one change."""

    repository: Repository
    change: ChangeSet

    def hunks(self, file: ChangedFile) -> tuple[Hunk, ...]:
        """Return the regions of a changed file's diff, context included."""
        if self.change.base is None:
            return ()
        return self.repository.hunks(self.change.base, self.change.head, file)

    def is_exact_revert(self, base: RepoPath, head: RepoPath, texts: tuple[str, ...]) -> bool:
        """Tell whether the change undoes, line for line, the commits that brought `texts`."""
        if self.change.base is None:
            return False
        undone: Counter[bytes] = Counter()
        commits = {self.repository.commit_that_added(text, base, self.change.base) for text in texts}
        for commit in commits:
            if commit is None:
                return False
            undone += self.repository.changed_lines(commit.sha, commit.parent, {base, head})
        done = self.repository.changed_lines(self.change.base, self.change.head, {base, head})
        return done == undone
