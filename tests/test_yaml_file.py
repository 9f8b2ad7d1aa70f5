import collections

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from infx_lint.documents.text_file import TooDemanding
from infx_lint.documents.yaml_file import (
    MAX_BYTES,
    UnreadableYaml,
    YamlFile,
    parse_yaml,
    repeated_keys,
)
from infx_lint.documents.yaml_tree import MappingNode, ScalarNode, SequenceNode, lookup
from infx_lint.documents.yaml_value import first_difference, value_of
from infx_lint.finding import Span


def parse(text: str) -> YamlFile:
    file = parse_yaml(text.encode())
    assert isinstance(file, YamlFile), file
    return file


def walk(node):
    yield node
    if isinstance(node, SequenceNode):
        for item in node.value:
            yield from walk(item)
    elif isinstance(node, MappingNode):
        for key, value in node.value:
            yield from walk(key)
            yield from walk(value)


WORDS = st.text(alphabet="ab7 :#-'\"é中\u2028,{}[]&*!|>%@`\n", max_size=12)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-99, 10**6), st.floats(0, 9), WORDS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(WORDS, inner, max_size=4)),
    max_leaves=20,
)


@given(VALUES, st.sampled_from([True, False, None]), st.booleans(), st.booleans())
def test_values_are_those_of_the_repositorys_loader(value, flow, unicode, mark):
    text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=unicode, width=30)
    file = parse("\ufeff" + text if mark else text)
    assert value_of(file.root) == yaml.safe_load(text)


@given(VALUES, st.sampled_from([True, False]))
def test_the_span_of_every_scalar_holds_its_text(value, flow):
    text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True, width=1000)
    file = parse(text)
    for node in walk(file.root):
        if isinstance(node, ScalarNode):
            piece = text[file.start(node) : file.end(node)]
            if node.style:
                assert yaml.safe_load(piece) == node.value
            else:
                assert piece.split() == node.value.split()


@given(VALUES)
def test_collections_end_with_their_last_child(value):
    file = parse(yaml.safe_dump(value, default_flow_style=False))
    for node in walk(file.root):
        if isinstance(node, (SequenceNode, MappingNode)):
            piece = file.text.text[file.start(node) : file.end(node)]
            assert piece
            assert piece == piece.strip()


@pytest.mark.parametrize(
    "text",
    ["8", "010", "0o10", "1e3", "1.5", "yes", "On", "~", "", "1:30", "2026-07-10", "0x1f", "1_0"],
)
def test_plain_scalars_follow_yaml_1_1(text):
    value, other = value_of(parse(f"a: {text}\n").root), yaml.safe_load(f"a: {text}\n")
    assert (value, type(value["a"])) == (other, type(other["a"]))


def test_block_scalar_ends_with_its_text():
    file = parse("a: |\n  x\n  y\n\n\nb: 1\n")
    assert file.root is not None
    assert file.span(file.root.value[0][1]) == Span(1, 4, 3, 4)


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        ("# top\na: 1 # one\n  # two\nb: x#y\n", ["# top", "# one", "# two"]),
        ("a: '# no' # yes\nb: \"x # no\" #yes\n", ["# yes", "#yes"]),
        ("a: | # header\n  # text\n  more # text\n# after\nb: 1\n", ["# header", "# after"]),
        ("a: [1, # one\n  2] # two\r\n", ["# one", "# two"]),
        ("a:\n  # alone\n", ["# alone"]),
        ("- a # x\n#", ["# x", "#"]),
        ("a: 'x\n # no\n y' # yes", ["# yes"]),
        ("a: &x 1 # x\nb: *x # y\n---\n# z\nc: 中 # 中\n", ["# x", "# y", "# z", "# 中"]),
        ("\ufeff# top\na: 1 # one\n", ["# top", "# one"]),
        ("", []),
    ],
)
def test_comments(text, comments):
    file = parse(text)
    found = []
    for span in file.comments():
        start, end = (
            file.text.offset(span.line, span.column),
            file.text.offset(span.end_line, span.end_column),
        )
        found.append(text[start:end])
    assert found == comments


@given(VALUES, st.sampled_from([True, False]), st.data())
def test_comments_are_all_that_can_go_without_changing_the_value(value, flow, data):
    text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True)
    lines = text.split("\n")
    added = 0
    for number in data.draw(st.sets(st.integers(0, len(lines) - 1))):
        with_comment = [*lines[:number], lines[number] + " # note", *lines[number + 1 :]]
        try:
            same = yaml.safe_load("\n".join(with_comment)) == value
        except yaml.YAMLError:
            same = False
        if same:
            lines, added = with_comment, added + 1
    file = parse("\n".join(lines))
    assert len([span for span in file.comments() if span.end_column - span.column == 6]) == added


def test_several_documents():
    file = parse("a: 1\n---\n---\nb: 2\n")
    assert [value_of(root) for root in file.roots] == [{"a": 1}, None, {"b": 2}]


def test_alias_is_the_node_that_it_stands_for():
    file = parse("a: &x [1]\nb: *x\nc:\n  - *x\n\nd: 1\n")
    assert lookup(file.root, "a") is lookup(file.root, "b")
    assert value_of(file.root) == {"a": [1], "b": [1], "c": [[1]], "d": 1}
    below = lookup(file.root, "c")
    assert below is not None
    assert file.span(below) == Span(4, 3, 4, 7)


def test_merge_keys_are_applied_to_the_value_and_not_to_the_tree():
    text = "a: &a { x: 1, y: 2 }\nb: { <<: *a, y: 3 }\n"
    file = parse(text)
    for _ in range(2):
        assert value_of(file.root) == yaml.safe_load(text)
    assert list(repeated_keys(file)) == []


def test_exploding_aliases_are_refused_quickly():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    file = parse("\n".join(lines))
    last = lookup(file.root, "a8")
    assert last is not None
    assert first_difference(last, last) is None
    assert list(repeated_keys(file)) == []


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [
        ("8", "010", None),
        ("8", '"8"', "their values: `8` and `8`"),
        ("{ a: 1, b: 2 }", "{ b: 2, a: 1 }", None),
        ("[1]", "[1, 2]", "`[1]`, which only one of them has"),
        ("[1]", "{ a: 1 }", "their values"),
        ("{ a: { b: [x, y] } }", "{ a: { b: [x, z] } }", "`a.b.[1]`: `y` and `z`"),
        ("{ 1: a }", "{ 01: a }", None),
    ],
)
def test_differences(one, other, difference):
    file = parse(f"- {one}\n- {other}\n")
    assert file.root is not None
    assert first_difference(*file.root.value) == difference


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [*a]\nb: *a\nb: *a\n",
        "a: &a { <<: *a }\na: *a\n",
        "a: &a [*a, 1]\nb: &b [*b, 2]\na: *b\n",
        "k:\n" + "".join(f"  x{n}: 1\n" for n in range(20_000)) + "  z: 1\n"
        "k:\n" + "".join(f"  x{n}: 1\n" for n in range(20_000)) + "  z: 2\n",
    ],
    ids=["cycle", "merge-cycle", "two-cycles", "wide"],
)
def test_copies_are_compared_in_linear_time(text):
    for copy in parse(text).later_copies():
        assert copy.difference is None or "`" in copy.difference


@pytest.mark.parametrize(
    ("text", "column"),
    [("a: \U0001f600 bééé\x01\n", 10), ("\ufeffa: \x01b\n", 5), ("é: \x07\n", 4)],
)
def test_place_of_a_forbidden_character(text, column):
    file = parse_yaml(text.encode())
    assert isinstance(file, UnreadableYaml)
    assert file.reason.startswith("character U+000")
    assert file.span == Span(1, column, 1, column + 1)


def test_cycle_is_no_value():
    root = parse("a: &a [*a]\n").root
    assert root is not None
    assert first_difference(root, root) is None


@pytest.mark.parametrize("text", ["[" * 5000, "{a: " * 5000, "[" * 1001 + "]" * 1001])
def test_deep_nesting_is_a_limit_and_no_finding(text):
    assert isinstance(parse_yaml(text.encode()), TooDemanding)


def test_large_file_is_a_limit_and_no_finding():
    assert isinstance(parse_yaml(b"#" * (MAX_BYTES + 1)), TooDemanding)


def test_many_brackets_side_by_side_are_fine():
    assert isinstance(parse_yaml(b"a: [[1], [2]]\n" + b"- [1]\n" * 0), YamlFile)
    assert isinstance(parse_yaml(b"".join(b"k%d: [1]\n" % n for n in range(3000))), YamlFile)


@pytest.mark.parametrize(
    ("text", "span", "reason"),
    [
        ("a:\n\tb: 1\n", Span(2, 1, 2, 2), "a tab cannot indent YAML"),
        ("<<<<<<< HEAD\na: 1\n", Span(1, 1, 1, 13), "a merge conflict is not resolved here"),
        ("a: 'b\n", Span(2, 1, 2, 1), "found unexpected end of stream"),
        ("a: 1\nb: \x07\n", Span(2, 4, 2, 5), "character U+0007 is not allowed"),
    ],
)
def test_reason_and_place_of_a_broken_file(text, span, reason):
    file = parse_yaml(text.encode())
    assert isinstance(file, UnreadableYaml)
    assert file.span == span
    assert file.reason.startswith(reason)


def independent_repeats(text, loader_type=yaml.SafeLoader) -> int:
    """Count later copies of keys with PyYAML's own composer and constructor."""
    loader = loader_type(text)
    count = 0
    seen: set[int] = set()

    def visit(node):
        nonlocal count
        if id(node) in seen:
            return
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            names: collections.Counter[object] = collections.Counter()
            for key, value in node.value:
                if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                    names[loader.construct_object(key)] += 1
                visit(value)
            count += sum(number - 1 for number in names.values())
        elif isinstance(node, yaml.SequenceNode):
            for item in node.value:
                visit(item)

    while loader.check_node():
        visit(loader.get_node())
    loader.dispose()
    return count


@given(st.lists(st.sampled_from(["a", "b", "8", '"8"', "010", "yes", "true", "'a'"]), max_size=8))
def test_repeated_keys_are_those_that_the_loader_merges(keys):
    text = "".join(
        f"- k:\n    {key}: {n}\n" if n % 3 else f"- {key}: 0\n" for n, key in enumerate(keys)
    )
    text += "".join(f"{'- ' if n == 0 else '  '}{key}: {n}\n" for n, key in enumerate(keys))
    file = parse(text)
    copies = sum(len(pairs) - 1 for _, pairs in repeated_keys(file))
    assert copies == independent_repeats(text)


def test_route_of_a_repeated_key():
    file = parse("a:\n  - b: 1\n  - b: 1\n    c: { d: 1, d: 2 }\n")
    ((route, pairs),) = repeated_keys(file)
    assert route == ("a", "[1]", "c", "d")
    assert [file.span(key).column for key, _ in pairs] == [10, 16]


def test_difference_of_copies_is_named():
    file = parse("k: { a: [1, { b: 2 }] }\nk: { a: [1, { b: 3 }] }\n")
    (copy,) = file.later_copies()
    assert copy.difference == "`a.[1].b`: `2` and `3`"


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("a: 1\na: 1\nb: 2\n", Span(2, 1, 3, 1)),
        ("a: 1\na: 1\n\n\nb: 2\n", Span(2, 1, 5, 1)),
        ("a: 1\na: 1 # why\n", Span(2, 1, 3, 1)),
        ("{ a: 1, a: 1 }\n", None),
        ("- a: 1\n  a: 1\n", Span(2, 1, 3, 1)),
    ],
)
def test_lines_of_a_copy(text, block):
    file = parse(text)
    (copy,) = file.later_copies()
    assert file.line_block(copy) == block
