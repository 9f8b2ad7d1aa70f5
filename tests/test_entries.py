"""Entries of a master config: which comment speaks of which key and rows."""

import pytest

from infx_lint.claims.facts import DECODE, PREFILL, WHOLE, Side
from infx_lint.documents.yaml_file import YamlFile, parse_yaml
from infx_lint.domain.entries import Entry, entries_of
from infx_lint.paths import RepoPath

PATH = RepoPath("configs/amd-master.yaml")
MASTER = """\
# Of the first.
#
# Still of the first.
first:
  # Of all rows of the first.
  image: org/name:v1
  scenarios:
    fixed-seq-len:
    - isl: 1024
      osl: 128
      search-space:
      # Heading of two.
      - { tp: 8, conc-start: 4, conc-end: 20 } # behind the row
      - { tp: 4, conc-list: [1, 2] }
      # Heading of one.
      - tp: 2
        # inside the row
        conc-list: [64]
# Of the second, though it touches the first.
second:
  image: org/name:v2
  srt-recipe-dir: recipes
  scenarios:
    agentic-coding:
    - dram-utilization: 0.8
      search-space:
      - conc-list: [8]
        srt-recipe: agentic.yaml
        prefill:
          num-worker: 2
          tp: 8
          ep: 8
          dp-attn: true
          additional-settings:
          - "PREFILL_NODES=4"
          - "CONFIG_FILE=recipes/x.yaml:override_a"
        decode: { num-worker: 1, tp: 16 }
# Of nothing.
"""


@pytest.fixture(scope="module")
def entries():
    file = parse_yaml(MASTER.encode())
    assert isinstance(file, YamlFile)
    return [Entry(PATH, facts) for facts in entries_of(file)]


def test_comments_belong_to_the_key_and_the_rows_below(entries):
    first, second = entries
    scopes = {
        block.text.strip(): [row.row.place.span.line for row in rows]
        for block, rows in first.comments
    }
    assert scopes == {
        "Of the first.\n\n Still of the first.": [13, 14, 16],
        "Of all rows of the first.": [13, 14, 16],
        "Heading of two.": [13, 14],
        "behind the row": [13],
        "Heading of one.": [16],
        "inside the row": [16],
    }
    assert [block.text.strip() for block, _ in second.comments] == [
        "Of the second, though it touches the first."
    ]


def test_rows_hold_their_workers_and_concurrencies(entries):
    first, second = entries
    assert [row.row.concurrencies for row in first.rows] == [(4, 8, 16, 20), (1, 2), (64,)]
    assert first.rows[0].row.sides == (Side(WHOLE, None, None, 8, 1, dp_attention=False),)
    assert first.rows[0].row.lengths == "1024/128"
    (row,) = second.rows
    assert row.row.sides == (
        Side(PREFILL, 2, 4, 8, 8, dp_attention=True),
        Side(DECODE, 1, None, 16, 1, dp_attention=False),
    )
    settings = {setting.name: setting.value for setting in row.settings}
    assert settings["CONFIG_FILE"] == "recipes/x.yaml:override_a"
    assert settings["dram-utilization"] == "0.8"


def test_images_settings_and_recipes_of_an_entry(entries):
    first, second = entries
    assert first.image.text == "org/name:v1"
    assert first.image.place.span == (6, 10, 6, 21)
    assert second.recipes == ["recipes/agentic.yaml", "recipes/x.yaml:override_a"]
    assert [setting.name for setting in first.settings] == ["image"]


def test_a_digest_is_of_the_text_and_its_comments(entries):
    file = parse_yaml(MASTER.replace("Of the second", "Of number two").encode())
    assert isinstance(file, YamlFile)
    changed = [Entry(PATH, facts) for facts in entries_of(file)]
    assert [one.digest == other.digest for one, other in zip(entries, changed, strict=True)] == [
        True,
        False,
    ]
    moved = parse_yaml(("zero: { image: a }\n" + MASTER).encode())
    assert isinstance(moved, YamlFile)
    assert [facts[1] for facts in entries_of(moved)[1:]] == [entry.digest for entry in entries]


@pytest.mark.parametrize(
    "text", ["", "- a\n", "a: 1\nb: [x]\nc: { scenarios: { fixed-seq-len: 3 } }\n"]
)
def test_other_shapes_have_no_rows(text):
    file = parse_yaml(text.encode())
    assert isinstance(file, YamlFile)
    assert all(Entry(PATH, facts).rows == () for facts in entries_of(file))


def test_a_number_of_any_length_is_no_reason_to_fail():
    text = MASTER.replace("conc-end: 20", f"conc-end: {'9' * 5000}")
    file = parse_yaml(text.encode())
    assert isinstance(file, YamlFile)
    first, _ = (Entry(PATH, facts) for facts in entries_of(file))
    assert first.rows[0].row.concurrencies == ()


def test_a_deeper_comment_does_not_end_the_reach_of_a_heading():
    text = MASTER.replace("      # Heading of one.\n", "        # Deeper.\n")
    file = parse_yaml(text.encode())
    assert isinstance(file, YamlFile)
    first, _ = (Entry(PATH, facts) for facts in entries_of(file))
    scopes = {block.text.strip(): len(rows) for block, rows in first.comments}
    assert (scopes["Heading of two."], scopes["Deeper."]) == (3, 1)
