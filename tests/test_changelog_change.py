"""The byte rules of the changelog, on random histories."""

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from infx_lint.documents.yaml_file import YamlFile, parse_yaml
from infx_lint.domain.changelog import Changelog
from infx_lint.domain.changelog_change import ChangelogChange, compare_changelogs
from infx_lint.domain.history_edits import EditKind
from infx_lint.paths import RepoPath

PULL = "https://github.com/SemiAnalysisAI/InferenceX/pull/"


def changelog(text: str) -> Changelog | None:
    file = parse_yaml(text.encode())
    return Changelog(RepoPath("perf-changelog.yaml"), file) if isinstance(file, YamlFile) else None


def change(base: str, head: str) -> ChangelogChange:
    old, new = changelog(base), changelog(head)
    assert old is not None
    assert new is not None
    return compare_changelogs(old, new)


ENTRIES = st.builds(
    lambda key, words, number: (
        f'- config-keys:\n    - {key}\n  description:\n    - "{words}"\n  pr-link: {PULL}{number}'
    ),
    st.sampled_from(["dsr1-fp8-b200-sglang", "gptoss-*", "dsv4-fp4-mi355x-vllm"]),
    st.sampled_from(["Update image", "Widen the sweep", "新增配置", "Réduire"]),
    st.integers(1, 30),
)
SEPARATORS = st.sampled_from(["\n\n", "\n\n", "\n\n", "\n", "\n  \n", "\n\n\n"])


@st.composite
def histories(draw):
    parts = []
    for entry in draw(st.lists(ENTRIES, min_size=1, max_size=6)):
        parts += [entry, draw(SEPARATORS)]
    parts[-1] = draw(st.sampled_from(["\n", "\n", "\n  \n", "\n\n"]))
    return "".join(parts)


@given(histories(), st.lists(ENTRIES, min_size=1, max_size=3))
def test_appending_is_all_that_is_seen(base, entries):
    added = "\n\n".join(entries) + "\n"
    head = base + ("" if base.endswith("\n\n") else "\n") + added
    result = change(base, head)
    assert "\n\n".join(entry.content for entry in result.added) + "\n" == added
    assert result.edits == ()
    assert result.misplaced == ()
    assert result.format_faults == ()


@given(histories())
def test_nothing_changed(base):
    result = change(base, base)
    assert (result.added, result.removed, result.edits, result.misplaced) == ((), (), (), ())


@given(histories(), st.data())
@settings(max_examples=300)
def test_no_byte_of_history_changes_unseen(base, data):
    """Replace, drop or double any character: either it is reported, or the file cannot be read."""
    at = data.draw(st.integers(0, len(base) - 1))
    new = data.draw(st.sampled_from(["", "x", " ", "\n", base[at] * 2]))
    head = base[:at] + new + base[at + 1 :]
    assume(head != base)
    old, now = changelog(base), changelog(head)
    assert old is not None
    assume(now is not None)
    assert now is not None
    assume(now.is_list and now.entries)
    result = compare_changelogs(old, now)
    grown = head.startswith(base)
    assert grown or result.edits or result.added


@given(histories(), ENTRIES, st.data())
def test_an_entry_put_anywhere_above_is_misplaced(base, entry, data):
    old = changelog(base)
    assert old is not None
    at = data.draw(st.sampled_from(old.entries))
    assume(entry not in [known.content for known in old.entries])
    head = base[: at.start] + entry + "\n\n" + base[at.start :]
    result = change(base, head)
    assert [run.entries[0].content for run in result.misplaced] == [entry]
    assert result.removed == ()


@given(histories(), st.data())
def test_a_removed_entry_is_seen_once(base, data):
    old = changelog(base)
    assert old is not None
    assume(len({entry.content for entry in old.entries}) == len(old.entries) > 1)
    gone = data.draw(st.sampled_from(old.entries))
    result = change(base, base[: gone.start] + base[gone.end :])
    assert [entry.content for entry in result.removed] == [gone.content]
    assert result.added == ()
    assert EditKind.REMOVED in [edit.kind for edit in result.edits]


@given(histories(), st.data())
def test_two_swapped_entries_are_moved_and_none_is_new(base, data):
    old = changelog(base)
    assert old is not None
    assume(len({entry.content for entry in old.entries}) == len(old.entries) > 1)
    index = data.draw(st.integers(0, len(old.entries) - 2))
    one, other = old.entries[index : index + 2]
    head = (
        base[: one.start] + other.content + one.separator + one.content + base[other.content_end :]
    )
    result = change(base, head)
    assert (result.added, result.removed) == ((), ())
    assert EditKind.MOVED in [edit.kind for edit in result.edits]


@given(histories())
def test_edits_point_at_lines_that_exist(base):
    old = changelog(base)
    assert old is not None
    head = old.entries[0].content.replace("pr-link", "pr-links") + "\n"
    result = change(base, head)
    for edit in result.edits:
        assert 1 <= edit.head_span.line <= result.head.text.line_count
        assert 1 <= edit.base_span.line <= old.text.line_count


def test_dash_on_a_line_of_its_own():
    result = change("-\n  config-keys: [a]\n", "-\n  config-keys: [a]\n\n- config-keys: [b]\n")
    assert [entry.subject for entry in result.added] == ["b"]


def test_flow_list_has_entries_too():
    log = changelog("[{ config-keys: [a] }, { config-keys: [b] }]\n")
    assert log is not None
    assert [entry.subject for entry in log.entries] == ["a", "b"]


def test_an_entry_that_is_rewritten_above_a_known_one_is_no_new_entry():
    def entry(key: str, words: str, number: int) -> str:
        fields = f"  description:\n    - {words}\n  pr-link: {PULL}{number}\n"
        return f"- config-keys:\n    - {key}\n{fields}"

    known = entry("gptoss-fp4", "Known", 2)
    result = change(
        "\n".join((entry("dsr1-fp8", "Old words", 1), known)),
        "\n".join((entry("dsv4-fp4", "Other words", 9), known)),
    )
    assert result.added == ()
    assert [edit.kind for edit in result.edits] == [EditKind.REWRITTEN]
