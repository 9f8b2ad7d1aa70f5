"""The only module that runs git: plumbing commands in, plain values out.

User settings cannot change what is read: paths are literal, output is NUL-separated, external
diff drivers, text conversion and pagers are off, and nothing of the repository is executed.
"""

from __future__ import annotations

import os
import re
import subprocess
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from infx_lint.change import ChangedFile, Endpoint, FileMode, Hunk, TreeEntry
from infx_lint.paths import RepoPath

_ENVIRONMENT = {
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
# Exact renames are always found; the limit bounds only the quadratic search among edited files.
_DIFF_OPTIONS = ("--raw", "-r", "-z", "--no-abbrev", "--find-renames", "-l4000", "--no-ext-diff")
_PATCH_OPTIONS = ("-p", "-r", "--no-ext-diff", "--no-textconv", "--text", "--no-color")
# Patterns are compiled where they are used: most runs need none of them.
_HUNK = rb"(?m)^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@"
_COMMIT_FORMAT = "%H%x00%P%x00%aI%x00%s"


class GitError(Exception):
    """Git could not answer.

    Attributes:
        remedy: what the user can do about it.
        incomplete: True where the change is not to blame (a shallow clone, an unknown base):
            exit status 3 instead of 2.
    """

    def __init__(self, message: str, remedy: str, *, incomplete: bool = False) -> None:
        super().__init__(message)
        self.remedy = remedy
        self.incomplete = incomplete


class Commit(NamedTuple):
    """A commit of the first-parent line: full ids, the first line of its message, author date."""

    sha: str
    parent: str
    subject: str
    date: str


class Repository:
    """A git repository, bare or with a working tree."""

    def __init__(self, folder: Path) -> None:
        """Find the repository that `folder` belongs to; raise `GitError` where there is none."""
        self._folder = folder
        self._blobs: subprocess.Popen[bytes] | None = None
        self._end_blobs: weakref.finalize[..., Repository] | None = None
        if not folder.is_dir():
            raise GitError(
                f"`{folder}` is not a folder", "name a clone of the repository with --repo"
            )
        try:
            answer = self._run(
                "rev-parse", "--is-bare-repository", "--is-shallow-repository", "--show-cdup"
            )
        except FileNotFoundError:
            raise GitError("git is not installed", "install git 2.30 or newer") from None
        if answer.returncode:
            text = answer.stderr.decode(errors="replace").strip()
            if "dubious ownership" in text:
                raise GitError(
                    f"`{folder}` belongs to another user",
                    f"git config --global --add safe.directory {folder.resolve()}",
                )
            raise GitError(
                f"`{folder}` is not inside a git repository",
                "run inside a clone of InferenceX, or name one with --repo DIR",
            )
        bare, shallow, *rest = os.fsdecode(answer.stdout).split("\n")
        self.is_bare = bare == "true"
        self.is_shallow = shallow == "true"
        # Everything runs at the top: git reads paths relative to where it stands.
        self.root = self._folder = (folder / rest[0]).resolve()
        # It is needed in every run, and comes up while the caller goes on.
        self._start_reading()

    def close(self) -> None:
        """End the helper process that reads blobs."""
        if self._end_blobs is not None:
            self._end_blobs()
        self._blobs = self._end_blobs = None

    # Revisions

    def resolve(self, revision: str) -> str:
        """Return the full id of the commit that `revision` names."""
        sha = self._find_commit(revision)
        if sha is None:
            raise GitError(
                f"`{revision}` names no commit of this repository",
                "check the spelling, or fetch it first: git fetch origin",
            )
        return sha

    def _find_commit(self, revision: str) -> str | None:
        if "\n" in revision or not revision:
            return None
        # The process that reads blobs answers this too: one less to start.
        found = self._object(f"{revision}^{{commit}}")
        return found[0] if found else None

    def merge_base(self, target: str, head: str) -> str:
        """Return the commit where the line of `head` left that of `target`."""
        answer = self._run("merge-base", target, head)
        if answer.returncode == 0:
            return answer.stdout.decode().split("\n", 1)[0]
        if self.is_shallow:
            raise GitError(
                "this clone is shallow, and the commit where the branch began is not in it",
                "git fetch --unshallow origin",
                incomplete=True,
            )
        raise GitError(
            f"`{target[:12]}` and `{head[:12]}` have no commit in common",
            "name the commit to compare with: --base REV",
            incomplete=True,
        )

    def pull_request_head(self, number: int) -> str | None:
        """Return the head of a pull request, where it was fetched under one of the usual names."""
        names = (
            f"refs/pull/{number}/head",
            f"refs/pull/{number}",
            f"refs/remotes/origin/pr/{number}",
        )
        return next((sha for name in names if (sha := self._find_commit(name))), None)

    def default_branch(self) -> str:
        """Return the remote-tracking name of the branch that pull requests go to.

        A remote called `upstream` wins over `origin`, as in a fork's clone.
        """
        for remote in ("upstream", "origin"):
            answer = self._run("symbolic-ref", "--quiet", "--short", f"refs/remotes/{remote}/HEAD")
            if answer.returncode == 0:
                return os.fsdecode(answer.stdout).strip()
            for branch in ("main", "master"):
                if self._find_commit(f"refs/remotes/{remote}/{branch}"):
                    return f"{remote}/{branch}"
        raise GitError(
            "the default branch of the upstream repository is unknown here",
            "git remote set-head origin --auto, or name the base with --base REV",
            incomplete=True,
        )

    def first_parent_commits(self, since: str, until: str) -> tuple[Commit, ...]:
        """Return the commits after `since` up to `until` along first parents, oldest first."""
        raw = self._ask(
            "log",
            "--first-parent",
            "--reverse",
            "-z",
            f"--format={_COMMIT_FORMAT}",
            "--end-of-options",
            f"{since}..{until}",
        )
        return tuple(commit for commit in _parse_commits(raw) if commit.parent)

    def commit_that_added(self, text: str, path: RepoPath, until: str) -> Commit | None:
        """Return the last first-parent commit that brought a text into a file, or took it out.

        The parent of the first commit of all is empty.
        """
        return self._last_commit(path, until, f"-S{text}")

    def last_commit(self, path: RepoPath, until: str) -> Commit | None:
        """Return the last first-parent commit that changed a file."""
        return self._last_commit(path, until)

    def _last_commit(self, path: RepoPath, until: str, *options: str) -> Commit | None:
        common = ("--first-parent", "-1", "-z", f"--format={_COMMIT_FORMAT}", *options)
        raw = self._ask("log", *common, "--end-of-options", until, "--", path)
        return next(_parse_commits(raw), None)

    def messages(self, since: str, until: str) -> tuple[str, ...]:
        """Return the messages of the commits after `since` up to `until`, newest first."""
        raw = self._ask("log", "-z", "--format=%B", "--end-of-options", f"{since}..{until}")
        return tuple(raw.decode("utf-8", "replace").split("\0")) if raw else ()

    def blob_at(self, commit: str, path: RepoPath) -> str | None:
        """Return the id of a file's content at a commit, None where there is no such file."""
        found = self._object(f"{commit}:{path}")
        return found[0] if found else None

    def changed_lines(self, base: str, head: str | Endpoint, without: str) -> Counter[bytes]:
        """Count how many times a diff adds each line, in whatever file; negative if it takes away.

        The counts of changes that follow each other can be summed up: what one brought and the
        next took away again is gone. Files may have moved in between, so they are not told apart.

        Args:
            base: the commit to start from.
            head: what to compare it with.
            without: the name of files that are left out, wherever they lie.
        """
        raw = self._diff(base, head, "--raw", "-r", "-z", "--no-abbrev", "--no-renames")
        paths = [file.path for file in _parse_raw_diff(raw)]
        patch = self._diff(base, head, *_PATCH_OPTIONS, "-U0", "--no-renames")
        lines: Counter[bytes] = Counter()
        # One part for each file, in the order of the list. A line of content never starts with "d".
        parts = patch.split(b"\ndiff --git ")
        for path, part in zip(paths, parts, strict=False):
            if path.name == without:
                continue
            for line in part.split(b"\n"):
                if line[:1] in (b"+", b"-") and line[:3] not in (b"+++", b"---"):
                    lines[line[1:]] += 1 if line[:1] == b"+" else -1
        return lines

    # Trees and differences

    def tree(self, commit: str) -> dict[RepoPath, TreeEntry]:
        """Return every file of a commit."""
        entries = {}
        for record in self._ask("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")[:-1]:
            meta, path = record.split(b"\t", 1)
            mode, _, blob = meta.decode().split(" ")
            entry = TreeEntry(RepoPath.from_git(path), _mode(mode), blob)
            entries[entry.path] = entry
        return entries

    def changed_files(self, base: str, head: str | Endpoint) -> tuple[ChangedFile, ...]:
        """Return the files that differ, renames found, sorted by path."""
        files = list(_parse_raw_diff(self._diff(base, head, *_DIFF_OPTIONS)))
        if head is Endpoint.WORKTREE:
            files = [_from_disk(file) for file in files]
            files = [file for file in files if not self._is_only_touched(file)]
            files += [ChangedFile(base=None, head=entry) for entry in self._untracked()]
        return tuple(sorted(files, key=lambda file: file.path))

    def _diff(
        self, base: str, head: str | Endpoint, *options: str, paths: tuple[RepoPath, ...] = ()
    ) -> bytes:
        """Compare a commit with another one, the index or the working tree."""
        if head is Endpoint.WORKTREE:
            return self._ask("diff-index", *options, base, "--", *paths)
        if head is Endpoint.INDEX:
            return self._ask("diff-index", "--cached", *options, base, "--", *paths)
        return self._ask("diff-tree", *options, base, head, "--", *paths)

    def _is_only_touched(self, file: ChangedFile) -> bool:
        """Tell whether only the index's memory of a file is stale, not its content."""
        return (
            file.base is not None
            and file.head is not None
            and file.head.blob is None
            and file.base.path == file.head.path
            and file.base.mode == file.head.mode
            and file.base.mode.is_regular
            and self.read(file.base) == self.read(file.head)
        )

    def _untracked(self) -> Iterator[TreeEntry]:
        raw = self._ask("ls-files", "--others", "--exclude-standard", "-z")
        for record in raw.split(b"\0")[:-1]:
            path = RepoPath.from_git(record)
            location = self.root / path
            if location.is_symlink():
                mode = FileMode.SYMLINK
            elif path.endswith("/") or not location.is_file():
                continue  # a nested repository, or gone meanwhile
            else:
                mode = FileMode.FILE
            yield TreeEntry(path, mode, None)

    def hunks(self, base: str, head: str | Endpoint, file: ChangedFile) -> tuple[Hunk, ...]:
        """Return the hunks that a review of this file shows, three lines of context included."""
        paths = dict.fromkeys(entry.path for entry in (file.base, file.head) if entry)
        options = (
            *_PATCH_OPTIONS,
            "-U3",
            "--find-renames",
            "--inter-hunk-context=0",
            "--diff-algorithm=myers",
        )
        raw = self._diff(base, head, *options, paths=tuple(paths))
        found = [
            tuple(int(number) for number in match.groups(b"1")) for match in re.finditer(_HUNK, raw)
        ]
        return tuple(Hunk(*numbers) for numbers in found)

    # Content

    def read(self, entry: TreeEntry) -> bytes:
        """Return the bytes of a regular file."""
        if entry.blob is None:
            return self._read_from_disk(entry.path)
        found = self._object(entry.blob)
        if found is None:
            raise GitError(
                f"the content of `{entry.path.display()}` is missing from this clone",
                "git fetch --refetch origin",
                incomplete=True,
            )
        return found[1]

    def _start_reading(self) -> None:
        self._blobs = self._start("cat-file", "--batch")
        self._end_blobs = weakref.finalize(self, self._blobs.communicate)

    def _object(self, name: str) -> tuple[str, bytes] | None:
        """Return id and content of the object with a name, None where there is none."""
        if self._blobs is None:
            self._start_reading()
        if self._blobs is None:
            raise ValueError("git cat-file was not started")
        stdin, stdout = self._blobs.stdin, self._blobs.stdout
        if stdin is None or stdout is None:
            raise ValueError("git cat-file was started without pipes")
        stdin.write(os.fsencode(name) + b"\n")
        stdin.flush()
        # "<id> <type> <size>", or "<name> missing", "<name> ambiguous".
        header = stdout.readline().rsplit(b" ", 2)
        if len(header) != 3 or not header[2].strip().isdigit():  # noqa: PLR2004 - as above
            return None
        data = stdout.read(int(header[2]))
        stdout.read(1)
        return header[0].decode(), data

    def _read_from_disk(self, path: RepoPath) -> bytes:
        """Read a file as git would store it: with line feeds where the clone converts them."""
        location = self.root / path
        if not location.is_file():
            raise GitError(f"`{path.display()}` is no regular file", "remove it, or restore it")
        try:
            data = location.read_bytes()
        except OSError as error:
            raise GitError(
                f"`{path.display()}` cannot be read: {error.strerror}", "check its permissions"
            ) from None
        if b"\r\n" in data and self._converts_line_ends(path):
            data = data.replace(b"\r\n", b"\n")
        return data

    def _converts_line_ends(self, path: RepoPath) -> bool:
        state = self._ask("ls-files", "--eol", "--cached", "--others", "-z", "--", path)
        index_state, _, attributes = state.decode(errors="replace").partition("w/")
        if "i/crlf" in index_state or "i/mixed" in index_state or "attr/-text" in attributes:
            return False
        if "attr/text" in attributes:
            return True
        answer = self._run("config", "--get", "core.autocrlf")
        return answer.stdout.strip() in (b"true", b"input")

    # Processes

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ("git", *arguments),
            cwd=self._folder,
            env={**os.environ, **_ENVIRONMENT},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )

    def _ask(self, *arguments: str) -> bytes:
        answer = self._run(*arguments)
        if answer.returncode:
            lines = answer.stderr.decode(errors="replace").strip().splitlines() or [
                "no reason given"
            ]
            raise GitError(
                f"git {arguments[0]} failed: {lines[-1].removeprefix('fatal: ')}",
                "git fsck, then fetch again",
                incomplete=True,
            )
        return answer.stdout

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ("git", *arguments),
            cwd=self._folder,
            env={**os.environ, **_ENVIRONMENT},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )


def make_repository(folder: Path, trees: Sequence[Path]) -> list[str]:
    """Make a repository with one commit for each tree of files, and return their ids.

    For demonstrations and tests: nothing of the user's git settings takes part.

    Args:
        folder: an empty folder, which holds the last tree afterwards.
        trees: folders to copy from; one that does not exist stands for an empty tree.
    """
    import shutil

    environment = {
        **os.environ,
        **_ENVIRONMENT,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_NAME": "infx-lint" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "infx-lint@localhost" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_DATE": "2026-07-20T12:00:00Z" for who in ("AUTHOR", "COMMITTER")},
    }

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ("git", *arguments), cwd=folder, env=environment, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    git("init", "--quiet", "--initial-branch=main")
    commits = []
    for tree in trees:
        for old in folder.iterdir():
            if old.name != ".git":
                shutil.rmtree(old) if old.is_dir() else old.unlink()
        if tree.is_dir():
            shutil.copytree(
                tree,
                folder,
                symlinks=True,
                dirs_exist_ok=True,
                # pip compiles every Python file that a wheel holds, the embedded ones as well.
                ignore=shutil.ignore_patterns("__pycache__"),
            )
        # Copies keep their times: without the old index, git cannot take a file for unchanged.
        git("read-tree", "--empty")
        git("-c", "core.autocrlf=false", "add", "--all", "--force", ".")
        git("commit", "--quiet", "--allow-empty", "--message", tree.name)
        commits.append(git("rev-parse", "HEAD"))
    return commits


def _mode(text: str) -> FileMode:
    # Old trees hold modes such as 100664; git itself treats them as plain files.
    return FileMode.FILE if text.startswith("1006") else FileMode(text)


def _parse_commits(raw: bytes) -> Iterator[Commit]:
    fields = os.fsdecode(raw).split("\0")
    for sha, parents, date, subject in zip(*[iter(fields)] * 4, strict=False):
        yield Commit(sha=sha, parent=parents.split(" ", 1)[0], subject=subject, date=date)


def _from_disk(file: ChangedFile) -> ChangedFile:
    """Forget the id that git computed for a file on disk: there need not be such an object."""
    head = file.head
    if head is None or not head.mode.is_regular:
        return file
    return ChangedFile(file.base, TreeEntry(head.path, head.mode, None))


def _parse_raw_diff(raw: bytes) -> Iterator[ChangedFile]:
    """Read `--raw -z`: `:mode mode blob blob status`, then one path, or two for a rename."""
    fields: Iterator[bytes] = iter(raw.split(b"\0")[:-1])
    for meta in fields:
        base_mode, head_mode, base_blob, head_blob, status = meta.decode().lstrip(":").split(" ")
        path = RepoPath.from_git(next(fields))
        if status == "U":
            raise GitError(
                f"`{path.display()}` has an unresolved merge conflict",
                "resolve the conflict and `git add` the file",
            )
        new_path = RepoPath.from_git(next(fields)) if status[0] in "RC" else path
        base = head = None
        if status != "A":
            base = TreeEntry(path, _mode(base_mode), base_blob)
        if status != "D":
            blob = None if not head_blob.strip("0") else head_blob
            head = TreeEntry(new_path, _mode(head_mode), blob)
        yield ChangedFile(base=base, head=head)
