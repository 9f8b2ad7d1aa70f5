import pytest

from infx_lint.cache import FactCache
from infx_lint.change import FileMode, TreeEntry
from infx_lint.domain.layout import discover
from infx_lint.domain.master_config import ConfigKey, ConfigKeys
from infx_lint.domain.policy import Policy
from infx_lint.domain.pull_request_link import LinkKind, most_linked, read_link
from infx_lint.finding import Side, Span
from infx_lint.paths import RepoPath
from infx_lint.snapshot import ParseCache, Snapshot

NAMES = ("SemiAnalysisAI/InferenceX", "InferenceMAX/InferenceMAX")
PULL = "https://github.com/SemiAnalysisAI/InferenceX/pull/"


def snapshot(files: dict[str, str]) -> Snapshot:
    entries = {RepoPath(p): TreeEntry(RepoPath(p), FileMode.FILE, None) for p in files}
    return Snapshot(Side.BASE, lambda: entries, lambda e: files[e.path].encode(), ParseCache())


@pytest.mark.parametrize(
    ("files", "root", "changelog", "masters"),
    [
        (
            [
                "perf-changelog.yaml",
                ".github/configs/amd-master.yaml",
                ".github/configs/runners.yaml",
            ],
            "",
            "perf-changelog.yaml",
            [".github/configs/amd-master.yaml"],
        ),
        (
            [
                "perf-changelog.yaml",
                "configs/nvidia-master.yaml",
                "configs/amd-master.yaml",
                "configs/deprecated/old-master.yaml",
            ],
            "",
            "perf-changelog.yaml",
            ["configs/amd-master.yaml", "configs/nvidia-master.yaml"],
        ),
        (
            [
                "inferencex-e2e/perf-changelog.yaml",
                "inferencex-e2e/configs/amd-master.yaml",
                "docs/perf-changelog.yaml",
            ],
            "inferencex-e2e",
            "inferencex-e2e/perf-changelog.yaml",
            ["inferencex-e2e/configs/amd-master.yaml"],
        ),
        (["configs/amd-master.yaml"], "", None, ["configs/amd-master.yaml"]),
        ([], "", None, []),
    ],
)
def test_layouts(files, root, changelog, masters):
    layout = discover(map(RepoPath, files))
    assert (layout.root, layout.changelog, list(layout.master_configs)) == (
        root,
        changelog,
        masters,
    )


def test_schema_sources_are_looked_at_first_and_tests_last():
    files = ["a.py", "perf-changelog.yaml", "m/test_validation.py", "m/validation.py"]
    layout = discover(map(RepoPath, files))
    assert layout.schema_sources() == ["m/validation.py", "a.py", "m/test_validation.py"]


@pytest.mark.parametrize(
    ("text", "kind", "number"),
    [
        (PULL + "2254", LinkKind.CANONICAL, 2254),
        (f"  {PULL}2254 ", LinkKind.CANONICAL, 2254),
        (PULL.lower() + "7", LinkKind.CANONICAL, 7),
        ("https://github.com/InferenceMAX/InferenceMAX/pull/95", LinkKind.CANONICAL, 95),
        ("XXX", LinkKind.TOLERATED, None),
        (PULL + "XXX", LinkKind.TOLERATED, None),
        (PULL + "XXXX", LinkKind.NOT_CANONICAL, None),
        (PULL + "xxx", LinkKind.NOT_CANONICAL, None),
        (PULL + "TBD", LinkKind.NOT_CANONICAL, None),
        (PULL, LinkKind.NOT_CANONICAL, None),
        (PULL + "0", LinkKind.NOT_CANONICAL, None),
        (PULL + "2305/changes", LinkKind.NOT_CANONICAL, 2305),
        (PULL + "2305/", LinkKind.NOT_CANONICAL, 2305),
        (PULL + "2305#issuecomment-1", LinkKind.NOT_CANONICAL, 2305),
        ("http://github.com/SemiAnalysisAI/InferenceX/pull/8", LinkKind.NOT_CANONICAL, 8),
        ("#2305", LinkKind.NOT_CANONICAL, 2305),
        ("TBD", LinkKind.NOT_CANONICAL, None),
        ("https://github.com/SemiAnalysisAI/InferenceX/issues/99", LinkKind.NO_PULL_REQUEST, 99),
        ("https://github.com/sgl-project/sglang/pull/17327", LinkKind.OTHER_REPOSITORY, 17327),
        ("https://github.com/sgl-project/sglang/pull/XXX", LinkKind.NOT_CANONICAL, None),
    ],
)
def test_links(text, kind, number):
    link = read_link(text, NAMES)
    assert (link.kind, link.number) == (kind, number)


def test_repository_is_the_one_most_linked():
    assert most_linked([PULL + "1", "XXX", PULL + "2", "https://github.com/a/b/pull/1"]) == NAMES[0]
    assert most_linked(["XXX"]) is None


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        ("dsr1-fp8-b200-sglang", True),
        ("dsr1-*", True),
        ("*", True),
        ("*-b200-*", True),
        ("dsr1", False),
        ("dsr1.fp8*", False),
        ("DSR1-*", False),
        ("*-mtp", False),
        ("dsr1-*-*-sglang", True),
        ("*sglang*sglang", False),
        ("dsr1-fp8-b200-sglang*dsr1", False),
        ("*" * 200 + "z", False),
    ],
)
def test_selectors_match_as_in_the_repository(selector, matches):
    keys = ConfigKeys((ConfigKey("dsr1-fp8-b200-sglang", RepoPath("m"), Span(1, 1, 1, 2)),))
    assert keys.matches(selector) is matches


def test_policy_is_found_across_line_breaks_and_case():
    tree = snapshot({"AGENTS.md": "# Rules\n\n- **Do not enable\n  NOUNSET.** Ever.\n"})
    place = Policy("do not enable nounset").find(tree, RepoPath(""))
    assert place is not None
    assert (place.path, place.span) == ("AGENTS.md", Span(3, 5, 4, 10))


@pytest.mark.parametrize(
    "text",
    ["Do not enable errexit.\n", "Do not re-enable nounset.\n", "Do not enable nounsetting.\n", ""],
)
def test_policy_that_does_not_stand(text):
    tree = snapshot({"AGENTS.md": text})
    assert Policy("Do not enable nounset").find(tree, RepoPath("inferencex-e2e")) is None


def test_fact_is_computed_once_and_survives_a_torn_file(tmp_path):
    calls = []

    def compute():
        calls.append(1)
        return {"answer": [42]}

    for _ in range(2):
        assert FactCache(tmp_path / "cache").get("kind", "abc", compute) == {"answer": [42]}
    assert len(calls) == 1
    for number, text in enumerate(('{"ans', "[]", "5", "{}"), start=2):
        (tmp_path / "cache" / "kind-abc.json").write_text(text)
        assert FactCache(tmp_path / "cache").get("kind", "abc", compute) == {"answer": [42]}
        assert len(calls) == number


def test_cache_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    assert FactCache(tmp_path / "file" / "below").get("kind", "abc", lambda: 1) == 1
