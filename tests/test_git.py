"""Changes as git really makes them, in real repositories."""

import os
import subprocess
from pathlib import Path

import pytest

from infx_lint.change import ChangeKind, Endpoint, FileMode, Hunk, TreeEntry
from infx_lint.git import GitError, Repository
from infx_lint.paths import RepoPath
from infx_lint.scope import Request, compare, select_paths


class Work:
    """A repository to play with."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, **options) -> str:
        return run_git(self.folder, *arguments, **options)

    def write(self, path: str | bytes, content: bytes = b"text\n") -> None:
        location = self.folder / os.fsdecode(path)
        location.parent.mkdir(parents=True, exist_ok=True)
        location.write_bytes(content)

    def commit(self, message: str = "change") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


def run_git(folder: Path, *arguments: str, check: bool = True) -> str:
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@localhost",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@localhost",
        "GIT_ALLOW_PROTOCOL": "file",
    }
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=check,
    )
    return done.stdout.strip()


@pytest.fixture
def work(tmp_path):
    return Work(tmp_path / "work")


def kinds(repository: Repository, base: str, head) -> list[tuple[str, ChangeKind]]:
    return [(file.path, file.kind) for file in repository.changed_files(base, head)]


def test_every_kind_of_change(work):
    work.write("same.txt")
    work.write("edited.txt")
    work.write("gone.txt", b"nobody has this text\n" * 5)
    work.write("old name.txt", b"a long text that stays\n" * 20)
    work.write("run.sh")
    base = work.commit()
    work.write("edited.txt", b"other\n")
    work.write("new.txt", b"brand new\n")
    (work.folder / "gone.txt").unlink()
    (work.folder / "old name.txt").rename(work.folder / "new name.txt")
    (work.folder / "run.sh").chmod(0o755)
    head = work.commit()
    repository = Repository(work.folder)
    expected = [
        ("edited.txt", ChangeKind.MODIFIED),
        ("gone.txt", ChangeKind.DELETED),
        ("new name.txt", ChangeKind.RENAMED),
        ("new.txt", ChangeKind.ADDED),
        ("run.sh", ChangeKind.MODE_CHANGED),
    ]
    assert kinds(repository, base, head) == expected
    repository.close()


NAMES = [
    b"with blank.yaml",
    b'quo"te.yaml',
    b"new\nline.yaml",
    "中文 é.yaml".encode(),
    b"\xff\xfe.yaml",
]
NAMES += [b"-dash.yaml", b":(glob)x.yaml", b"*.yaml", b"back\\slash.yaml", b"tab\t.yaml"]


@pytest.mark.parametrize("head", ["commit", "index", "worktree"])
def test_any_file_name_is_read(work, head):
    base = work.commit()
    for number, name in enumerate(NAMES):
        work.write(name, b"number: %d\n" % number)
    if head != "worktree":
        work.git("add", "-A")
    endpoint: str | Endpoint = Endpoint(head) if head != "commit" else work.commit()
    repository = Repository(work.folder)
    files = repository.changed_files(base, endpoint)
    found = {os.fsencode(file.path): repository.read(file.head) for file in files if file.head}
    assert found == {name: b"number: %d\n" % number for number, name in enumerate(NAMES)}
    if head == "commit":
        for file in files:
            assert repository.hunks(base, endpoint, file) == (Hunk(0, 0, 1, 1),)
    repository.close()


def test_odd_names_are_displayed_on_one_line():
    assert RepoPath.from_git(b"a\nb\xff\x1b[31m").display() == r"a\nb\udcff\x1b[31m"
    assert RepoPath.from_git("中文.yaml".encode()).display() == "中文.yaml"


def test_links_and_submodules_are_seen_but_never_followed(work, tmp_path):
    inner = Work(tmp_path / "inner")
    inner.write("file.txt")
    inner.commit()
    base = work.commit()
    (work.folder / "link.yaml").symlink_to("/etc/passwd")
    work.git(
        "-c", "protocol.file.allow=always", "submodule", "-q", "add", str(inner.folder), "module"
    )
    head = work.commit()
    repository = Repository(work.folder)
    for endpoint in (head, Endpoint.WORKTREE):
        modes = {
            str(file.path): file.head.mode
            for file in repository.changed_files(base, endpoint)
            if file.head
        }
        assert modes["link.yaml"] is FileMode.SYMLINK
        assert modes["module"] is FileMode.SUBMODULE
        assert modes[".gitmodules"] is FileMode.FILE


def test_untracked_files_belong_to_the_working_tree_unless_ignored(work):
    work.write(".gitignore", b"*.log\n")
    base = work.commit()
    work.write("new/file.yaml")
    work.write("new/file.log")
    nested = Work(work.folder / "nested")
    nested.write("x.yaml")
    nested.commit()
    repository = Repository(work.folder / "new")
    assert kinds(repository, base, Endpoint.WORKTREE) == [("new/file.yaml", ChangeKind.ADDED)]


def test_renamed_file_with_unstaged_edits_is_read_from_disk(work):
    work.write("old.yaml", b"same: 1\n" * 20)
    base = work.commit()
    work.git("mv", "old.yaml", "new.yaml")
    work.write("new.yaml", b"same: 1\n" * 20 + b"more: 2\n")
    repository = Repository(work.folder)
    (file,) = repository.changed_files(base, Endpoint.WORKTREE)
    assert file.kind is ChangeKind.RENAMED
    assert file.head is not None
    assert repository.read(file.head).endswith(b"more: 2\n")


def test_what_is_no_file_is_never_waited_for(work):
    work.write("a.yaml")
    base = work.commit()
    (work.folder / "a.yaml").unlink()
    os.mkfifo(work.folder / "a.yaml")
    entry = TreeEntry(RepoPath("a.yaml"), FileMode.FILE, None)
    with pytest.raises(GitError, match="is no regular file"):
        Repository(work.folder).read(entry)
    assert base


def test_touched_file_is_no_change(work):
    work.write("file.yaml")
    base = work.commit()
    os.utime(work.folder / "file.yaml", (1, 1))
    assert Repository(work.folder).changed_files(base, Endpoint.WORKTREE) == ()


def test_index_and_disk_are_told_apart(work):
    work.write("file.yaml", b"a: 1\n")
    base = work.commit()
    work.write("file.yaml", b"a: 2\n")
    work.git("add", "file.yaml")
    work.write("file.yaml", b"a: 3\n")
    repository = Repository(work.folder)
    for endpoint, content in ((Endpoint.INDEX, b"a: 2\n"), (Endpoint.WORKTREE, b"a: 3\n")):
        (file,) = repository.changed_files(base, endpoint)
        assert file.head is not None
        assert repository.read(file.head) == content
        assert repository.hunks(base, endpoint, file) == (Hunk(1, 1, 1, 1),)
    repository.close()


@pytest.mark.parametrize(
    ("convert", "attributes", "expected"),
    [
        ("true", b"", b"a: 1\nb: 2\n"),
        ("false", b"", b"a: 1\r\nb: 2\r\n"),
        ("true", b"*.yaml -text\n", b"a: 1\r\nb: 2\r\n"),
        ("false", b"*.yaml text\n", b"a: 1\nb: 2\n"),
    ],
)
def test_files_on_disk_are_read_as_git_would_store_them(work, convert, attributes, expected):
    work.write(".gitattributes", attributes)
    work.write("file.yaml", b"a: 1\n")
    base = work.commit()
    work.git("config", "core.autocrlf", convert)
    work.write("file.yaml", b"a: 1\r\nb: 2\r\n")
    repository = Repository(work.folder)
    (file,) = repository.changed_files(base, Endpoint.WORKTREE)
    assert file.head is not None
    assert repository.read(file.head) == expected
    repository.close()


def test_settings_of_the_user_change_nothing(work):
    work.write("a b.yaml", b"x\n" * 30)
    base = work.commit()
    work.write("a b.yaml", b"x\n" * 15 + b"y\n" + b"x\n" * 15)
    head = work.commit()
    for setting, value in (
        ("diff.noprefix", "true"),
        ("diff.context", "0"),
        ("diff.external", "false"),
        ("color.ui", "always"),
        ("core.quotepath", "true"),
        ("diff.renames", "false"),
    ):
        work.git("config", setting, value)
    repository = Repository(work.folder)
    (file,) = repository.changed_files(base, head)
    assert repository.hunks(base, head, file) == (Hunk(13, 6, 13, 7),)


def test_base_is_where_the_branch_began(work):
    work.write("file.yaml", b"a: 1\n")
    fork = work.commit()
    work.git("checkout", "-q", "-b", "topic")
    work.write("mine.yaml")
    head = work.commit()
    work.git("checkout", "-q", "main")
    work.write("theirs.yaml")
    tip = work.commit()
    repository = Repository(work.folder)
    change = compare(repository, Request(base="main", head="topic")).change
    assert (change.base, change.head) == (fork, head)
    assert [file.path for file in change.files] == ["mine.yaml"]
    assert change.reason == f"topic ({head[:9]}) against where it left main ({fork[:9]})"
    assert tip not in change.reason


def test_default_is_the_upstreams_default_branch(work, tmp_path):
    work.write("file.yaml")
    fork = work.commit()
    run_git(tmp_path, "clone", "-q", str(work.folder), "clone")
    clone = Work(tmp_path / "clone")
    clone.write("mine.yaml")
    clone.commit()
    clone.write("draft.yaml")
    repository = Repository(clone.folder)
    comparison = compare(repository, Request())
    assert comparison.change.base == fork
    assert comparison.change.head is Endpoint.WORKTREE
    assert [file.path for file in comparison.change.files] == ["draft.yaml", "mine.yaml"]
    assert comparison.change.reason == f"the working tree against origin/main ({fork[:9]})"
    assert sorted(comparison.head.entries) == ["draft.yaml", "file.yaml", "mine.yaml"]
    assert sorted(comparison.base.entries) == ["file.yaml"]


def test_remote_called_upstream_wins(work, tmp_path):
    work.commit()
    run_git(tmp_path, "clone", "-q", str(work.folder), "clone")
    clone = Work(tmp_path / "clone")
    assert Repository(clone.folder).default_branch() == "origin/main"
    clone.git("remote", "add", "upstream", str(work.folder))
    clone.git("fetch", "-q", "upstream")
    assert Repository(clone.folder).default_branch() == "upstream/main"


def test_all_counts_every_file_as_new(work):
    work.write("a.yaml")
    work.commit()
    work.write("b.yaml")
    comparison = compare(Repository(work.folder), Request(everything=True))
    assert comparison.change.base is None
    assert [(f.path, f.kind) for f in comparison.change.files] == [
        ("a.yaml", ChangeKind.ADDED),
        ("b.yaml", ChangeKind.ADDED),
    ]
    assert comparison.base.entries == {}


def test_paths_narrow_the_change_but_not_the_tree(work, monkeypatch):
    base = work.commit()
    for path in ("configs/a.yaml", "configs/b.yaml", "other.yaml"):
        work.write(path)
    head = work.commit()
    repository = Repository(work.folder)
    comparison = compare(repository, Request(base, head))
    monkeypatch.chdir(work.folder / "configs")
    narrowed = select_paths(repository, comparison, (".",))
    assert [file.path for file in narrowed.change.files] == ["configs/a.yaml", "configs/b.yaml"]
    assert "other.yaml" in narrowed.head.entries
    narrowed = select_paths(repository, comparison, ("b.yaml", "../other.yaml"))
    assert [file.path for file in narrowed.change.files] == ["configs/b.yaml", "other.yaml"]
    for wrong in ("missing.yaml", "/etc/hostname", "../.."):
        with pytest.raises(GitError):
            select_paths(repository, comparison, (wrong,))


def remedy(function, *arguments, **options) -> tuple[str, str, bool]:
    with pytest.raises(GitError) as caught:
        function(*arguments, **options)
    return str(caught.value), caught.value.remedy, caught.value.incomplete


def test_shallow_clone_names_the_command_that_mends_it(work, tmp_path):
    work.commit("one")
    work.git("checkout", "-q", "-b", "topic")
    work.write("b.yaml")
    work.commit("two")
    work.git("checkout", "-q", "main")
    work.write("c.yaml")
    work.commit("three")
    for branch in ("main", "topic"):
        work.git("update-ref", f"refs/heads/{branch}", branch)
    run_git(
        tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", work.folder.as_uri(), "clone"
    )
    clone = Repository(tmp_path / "clone")
    message, command, incomplete = remedy(
        compare, clone, Request(base="origin/main", head="origin/topic")
    )
    assert "shallow" in message
    assert command == "git fetch --unshallow origin"
    assert incomplete


def test_missing_base_is_incomplete_and_wrong_use_is_not(work, tmp_path):
    work.commit()
    repository = Repository(work.folder)
    assert remedy(compare, repository, Request())[2] is True
    message, command, incomplete = remedy(compare, repository, Request(base="nope", head="HEAD"))
    assert (message, incomplete) == ("`nope` names no commit of this repository", False)
    assert command.endswith("git fetch origin")
    assert remedy(compare, repository, Request(base="--output=x", head="HEAD"))[2] is False
    assert remedy(Repository, tmp_path)[2] is False
    assert remedy(Repository, tmp_path / "nowhere")[2] is False
    work.git("checkout", "-q", "--orphan", "other")
    lonely = work.commit("a line of its own")
    assert remedy(compare, repository, Request(base="main", head=lonely))[2] is True


def test_conflict_in_the_index_is_named(work):
    work.write("file.yaml", b"a: 1\n")
    work.commit()
    work.git("checkout", "-q", "-b", "topic")
    work.write("file.yaml", b"a: 2\n")
    work.commit()
    work.git("checkout", "-q", "main")
    work.write("file.yaml", b"a: 3\n")
    work.commit()
    work.git("merge", "topic", check=False)
    message, _, incomplete = remedy(compare, Repository(work.folder), Request(staged=True))
    assert (message, incomplete) == ("`file.yaml` has an unresolved merge conflict", False)


def test_bare_repository_needs_a_head(work, tmp_path):
    base = work.commit()
    work.write("a.yaml", b"a: 1\n")
    head = work.commit()
    run_git(tmp_path, "clone", "-q", "--bare", str(work.folder), "bare.git")
    bare = Repository(tmp_path / "bare.git")
    assert remedy(compare, bare, Request(base=base))[2] is False
    comparison = compare(bare, Request(base, head))
    assert comparison.head.read(RepoPath("a.yaml")) == b"a: 1\n"
    bare.close()


def test_content_missing_from_a_clone_is_incomplete(work):
    base = work.commit()
    work.write("a.yaml", b"a: 1\n")
    head = work.commit()
    blob = work.git("rev-parse", "HEAD:a.yaml")
    (work.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    repository = Repository(work.folder)
    (file,) = repository.changed_files(base, head)
    message, _, incomplete = remedy(repository.read, file.head)
    assert message == "the content of `a.yaml` is missing from this clone"
    assert incomplete
    repository.close()


def test_blob_ids_of_the_working_tree_are_gits(work):
    base = work.commit()
    work.write("a.yaml", b"a: 1\n")
    comparison = compare(Repository(work.folder), Request(base=base))
    assert comparison.head.blob(RepoPath("a.yaml")) == work.git("hash-object", "a.yaml")
