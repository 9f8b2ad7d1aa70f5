"""The command as users start it: a process, its output and its exit status."""

import json
import os
import pty
import shutil
import subprocess
import sys

import pytest

from infx_lint.git import make_repository
from infx_lint.registry import all_rules
from tests.harness import FIXTURES, LAYOUTS

CASE = FIXTURES / "changelog-pr-link-missing" / "flags-no-link"


def start(*arguments, cwd, **environment):
    return subprocess.run(
        [sys.executable, "-m", "infx_lint", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "COLUMNS": "100", **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture
def clone(tmp_path):
    """A branch that adds a changelog entry without a link; `origin/main` is its base."""
    after = tmp_path / "after"
    shutil.copytree(LAYOUTS / "b", after)
    shutil.copytree(CASE / "after", after, dirs_exist_ok=True)
    folder = tmp_path / "clone"
    folder.mkdir()
    base, _ = make_repository(folder, [LAYOUTS / "b", after])
    subprocess.run(["git", "update-ref", "refs/remotes/origin/main", base], cwd=folder, check=True)
    return folder


def test_without_options_the_branch_is_reviewed(clone):
    done = start(cwd=clone)
    assert done.returncode == 1
    first = done.stdout.splitlines()[0]
    assert first.startswith("infx-lint: the working tree against origin/main (")
    assert "error[changelog-pr-link-missing]" in done.stdout
    assert done.stdout.endswith(f"Found 1 error (2 changed files, {len(all_rules())} rules).\n")
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_json_on_standard_output_and_in_a_file(clone, tmp_path):
    done = start("--format", "json", "--base", "origin/main", "--head", "HEAD", cwd=clone)
    assert done.returncode == 1
    assert json.loads(done.stdout)["summary"]["error"] == 1
    file = tmp_path / "report.json"
    done = start("--format", "json", "--output", file, cwd=clone)
    assert (done.returncode, done.stdout) == (1, "")
    assert json.loads(file.read_text())["head"] == "worktree"


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["--fail-on", "never"], 0),
        (["--ignore", "changelog-pr-link-missing"], 0),
        (["--select", "yaml-duplicate-key"], 0),
        (["configs"], 0),
        (["perf-changelog.yaml"], 1),
        (["check", "--repo", "."], 1),
        (["--staged"], 0),
        (["--all"], 1),
        (["--pr", "120"], 1),
        (["--stats"], 1),
        (["--include-existing"], 1),
    ],
)
def test_exit_status(clone, options, status):
    done = start(*options, cwd=clone)
    assert (done.returncode, done.stderr) == (status, "")
    assert "Traceback" not in done.stdout


def test_nothing_staged_has_nothing_to_say(clone):
    done = start("--staged", cwd=clone)
    assert (
        done.stdout.splitlines()[1]
        == f"Nothing to report (0 changed files, {len(all_rules())} rules)."
    )


def test_staged_reads_the_index_and_not_the_disk(clone):
    log = clone / "perf-changelog.yaml"
    good = log.read_text()
    log.write_text(good + "bad: [\n")
    subprocess.run(["git", "add", "."], cwd=clone, check=True)
    log.write_text(good)
    done = start("--staged", cwd=clone)
    assert done.returncode == 1
    assert "error[yaml-unreadable]" in done.stdout


def one_line(done, status):
    assert done.returncode == status
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("infx-lint: ")
    return line


@pytest.mark.parametrize(
    ("arguments", "status", "remedy"),
    [
        (["--base", "nope"], 2, "git fetch origin"),
        (["--head", "nope"], 2, "git fetch origin"),
        (["--select", "yaml-duplicated-key"], 2, "did you mean `yaml-duplicate-key`?"),
        (["--ignore", "no-such-thing-at-all"], 2, "`infx-lint rules` lists them all"),
        (["--stagd"], 2, "--staged"),
        (["expain"], 2, "did you mean `explain`?"),
        (["explain", "yaml-unreadble"], 2, "did you mean `yaml-unreadable`?"),
        (["missing.yaml"], 2, "give paths relative to the current folder"),
        (["/etc"], 2, "give a path inside it"),
        (["--staged", "--all"], 2, "leave out"),
        (["--all", "--base", "HEAD"], 2, "leave out --base"),
        (["--format", "xml"], 2, "'terminal', 'json'"),
        (["--pr", "0"], 2, "x>=1"),
        (["--config", "missing.toml"], 2, "--config"),
        (["--output", "no/such/folder/x", "--format", "json"], 2, "cannot write"),
        (["--output", "no/such/folder/x"], 2, "cannot write"),
        (["--repo", "nowhere"], 2, "--repo"),
        (["backtest", "HEAD"], 2, "OLD..NEW"),
        (["backtest", "nope..HEAD"], 2, "git fetch origin"),
        (["new", "Bad Name"], 2, "key-repeated"),
    ],
)
def test_wrong_use_is_one_line_with_a_remedy(clone, arguments, status, remedy):
    assert remedy in one_line(start(*arguments, cwd=clone), status)


def test_outside_a_repository(tmp_path):
    line = one_line(start(cwd=tmp_path, GIT_CEILING_DIRECTORIES=str(tmp_path.parent)), 2)
    assert "is not inside a git repository" in line


def test_unknown_base_is_incomplete(clone):
    subprocess.run(["git", "update-ref", "-d", "refs/remotes/origin/main"], cwd=clone, check=True)
    assert "git remote set-head origin --auto" in one_line(start(cwd=clone), 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'fail-onn = "error"\n',
            "infx-lint.toml:1: unknown setting `fail-onn`; did you mean `fail-on`?",
        ),
        (
            '[rules]\n\nyaml-unreadble = "off"\n',
            "infx-lint.toml:3: there is no rule `yaml-unreadble`",
        ),
        ('[rules]\nyaml-unreadable = "loud"\n', "infx-lint.toml:2: `yaml-unreadable`"),
        ("[rules\n", "infx-lint.toml: "),
        ('fail-on = "sometimes"\n', "infx-lint.toml:1: `fail-on`"),
        ('rules = "off"\n', "infx-lint.toml:1: `rules`"),
    ],
)
def test_unusable_settings_name_the_line(clone, text, message):
    (clone / "infx-lint.toml").write_text(text)
    assert message in one_line(start(cwd=clone), 2)


def test_settings_are_named_in_the_first_line(clone):
    (clone / "infx-lint.toml").write_text("")
    assert start(cwd=clone).stdout.splitlines()[0].endswith(", settings of infx-lint.toml")


def test_output_that_cannot_be_written_is_one_line(clone):
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        done = subprocess.run(
            [sys.executable, "-m", "infx_lint"],
            cwd=clone,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("infx-lint: cannot write standard output: No space left")
    assert "Traceback" not in done.stderr


def test_settings_change_levels_and_the_threshold(clone):
    settings = clone / "infx-lint.toml"
    settings.write_text('[rules]\nchangelog-pr-link-missing = "warning"\n')
    done = start(cwd=clone)
    assert done.returncode == 0
    assert "warning[changelog-pr-link-missing]" in done.stdout
    settings.write_text('fail-on = "warning"\n[rules]\nchangelog-pr-link-missing = "warning"\n')
    assert start(cwd=clone).returncode == 1
    assert start("--fail-on", "error", cwd=clone).returncode == 0
    settings.write_text('[rules]\nchangelog-pr-link-missing = "off"\n')
    assert "Nothing to report" in start(cwd=clone).stdout


def test_demo_reviews_the_embedded_change(tmp_path):
    done = start("demo", cwd=tmp_path)
    assert done.returncode == 0
    assert "error[changelog-pr-link-missing]" in done.stdout
    assert "warning[yaml-duplicate-key]" in done.stdout
    assert "lines 17 and 31. Both copies are equal." in done.stdout
    assert done.stdout.endswith(
        f"Found 2 errors, 1 warning (3 changed files, {len(all_rules())} rules).\n"
    )


def test_rules_and_pages(tmp_path):
    done = start("rules", cwd=tmp_path)
    assert "yaml-duplicate-key" in done.stdout
    page = start("explain", "yaml-duplicate-key", cwd=tmp_path).stdout
    for heading in ("What it does", "Why", "Example", "Remedy", "Limits"):
        assert heading in page


def test_rules_of_the_current_folder_are_never_loaded(clone):
    (clone / "rules").mkdir()
    (clone / "rules" / "evil_rule.py").write_text("raise SystemExit('loaded')\n")
    (clone / "infx_lint").mkdir()
    (clone / "infx_lint" / "_rules").mkdir()
    (clone / "infx_lint" / "_rules" / "evil_rule.py").write_text("raise SystemExit('loaded')\n")
    entry = "import sys; sys.path.pop(0); from infx_lint.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", entry, "rules"],
        cwd=clone,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "evil" not in done.stdout + done.stderr


def test_colours_only_on_a_terminal(clone):
    parent, child = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    environment |= {"TERM": "xterm-256color", "COLUMNS": "100"}
    for no_colour in (False, True):
        done = subprocess.Popen(
            [sys.executable, "-m", "infx_lint"],
            cwd=clone,
            env=environment | ({"NO_COLOR": "1"} if no_colour else {}),
            stdout=child,
            stderr=child,
        )
        done.wait()
        output = os.read(parent, 1 << 16).decode()
        assert ("\x1b[1;31merror" in output) is not no_colour
    os.close(parent)
    os.close(child)


def test_reader_that_leaves_early_is_no_error(clone):
    command = f"{sys.executable} -m infx_lint --base origin/main --head HEAD --format json | true"
    done = subprocess.run(command, shell=True, cwd=clone, capture_output=True, check=False)  # noqa: S602 - a pipe is the point
    assert done.stderr == b""
    command = f"{sys.executable} -m infx_lint rules | true"
    done = subprocess.run(command, shell=True, cwd=clone, capture_output=True, check=False)  # noqa: S602 - as above
    assert done.stderr == b""


def test_version(tmp_path):
    assert start("--version", cwd=tmp_path).stdout.startswith("infx-lint, version ")


def test_backtest_writes_a_line_for_each_change_and_resumes(clone, tmp_path):
    file = tmp_path / "out.jsonl"
    done = start("backtest", "origin/main..HEAD", "--jsonl", file, cwd=clone)
    assert done.returncode == 0
    assert "1 changes replayed, 0 known from before" in done.stderr
    (record,) = map(json.loads, file.read_text().splitlines())
    assert record["commit"] == record["head"]
    assert [finding["rule"] for finding in record["findings"]] == ["changelog-pr-link-missing"]
    assert record["failures"] == []
    again = start("backtest", "origin/main..HEAD", "--jsonl", file, cwd=clone)
    assert "0 changes replayed, 1 known from before" in again.stderr
    assert len(file.read_text().splitlines()) == 1
    file.write_text(file.read_text()[:-30])
    start("backtest", "origin/main..HEAD", "--jsonl", file, "--jobs", "2", cwd=clone)
    torn, whole = file.read_text().splitlines()
    assert json.loads(whole)["commit"] == record["commit"]
    assert torn != whole
