"""The syntax of bash: spans to the character, and every shape of shfmt's JSON that is used."""

import shutil
import time

import pytest

from infx_lint.documents import shell_tree as tree
from infx_lint.documents.shell_file import MAX_BYTES, ShellFile, UnreadableShell, parse_shell
from infx_lint.documents.text_file import TooDemanding
from infx_lint.finding import Span


def parse(text: str) -> ShellFile:
    file = parse_shell(text.encode())
    assert isinstance(file, ShellFile), file
    return file


def only(text: str):
    (statement,) = parse(text).statements
    return statement.command


def outline(node: object) -> object:
    """Return a node without its offsets: the name of its class and its other fields."""
    if isinstance(node, tree.Function):
        return ["Function", node.name, outline(node.body)]
    if isinstance(node, tuple) and hasattr(node, "_fields"):
        fields = [outline(node[at]) for at, name in enumerate(node._fields) if name not in ENDS]
        return [type(node).__name__, *fields]
    return [outline(item) for item in node] if isinstance(node, tuple) else node


ENDS = {"start", "end"}


def word(*parts: object) -> list[object]:
    return ["Word", list(parts)]


def literal(text: str) -> list[object]:
    return ["Literal", text]


def parameter(name: str, operator: str = "", *arguments: object) -> list[object]:
    return ["Parameter", name, None, False, operator, list(arguments)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", word(literal("a"))),
        ("'a b'", word(["SingleQuoted", "a b", False])),
        ("$'a\\n'", word(["SingleQuoted", "a\\n", True])),
        ('"a$b"', word(["DoubleQuoted", [literal("a"), parameter("b")]])),
        ("${b}", word(parameter("b"))),
        ("${b:-x}", word(parameter("b", ":-", word(literal("x"))))),
        ("${b:-}", word(parameter("b", ":-", None))),
        ("${#b}", word(parameter("b", "length"))),
        ("${b#x}", word(parameter("b", "#", word(literal("x"))))),
        ("${b%%x}", word(parameter("b", "%%", word(literal("x"))))),
        ("${b/x/y}", word(parameter("b", "/", word(literal("x")), word(literal("y"))))),
        ("${b//x}", word(parameter("b", "//", word(literal("x")), None))),
        (
            "${b:1:2}",
            word(
                parameter(
                    "b", "slice", ["Expression", [literal("1")]], ["Expression", [literal("2")]]
                )
            ),
        ),
        ("${!b}", word(["Parameter", "b", None, True, "", []])),
        ("${!b@}", word(parameter("b", "names"))),
        ("${b^^}", word(parameter("b", "^^", None))),
        (
            "${b[@]}",
            word(["Parameter", "b", ["Expression", [literal("@")]], False, "", []]),
        ),
        (
            "$((a * $b))",
            word(["Arithmetic", ["Expression", [literal("a * "), parameter("b")]]]),
        ),
        ("@(x|y)", word(["ExtendedGlob", "@(x|y)"])),
    ],
)
def test_words(text, expected):
    command = only(f": {text}")
    assert outline(command.words[1]) == expected
    assert parse(f": {text}").source(command.words[1]) == text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a b", "SimpleCommand"),
        ("a=1", "SimpleCommand"),
        ("export a=1 b", "Declaration"),
        ("if a; then b; elif c; then d; else e; fi", "If"),
        ("case $a in b|c) d ;; *) e ;& esac", "Case"),
        ("for a in b c; do d; done", "For"),
        ("for a; do d; done", "For"),
        ("for ((i = 0; i < 3; i++)); do d; done", "ArithmeticFor"),
        ("while a; do b; done", "While"),
        ("until a; do b; done", "While"),
        ("{ a; }", "Group"),
        ("(a)", "Group"),
        ("a && b", "List"),
        ("a | b", "List"),
        ("f() { a; }", "Function"),
        ("[[ -n $a && ! ( $b == c || -f d ) ]]", "Test"),
        ("((a > 1))", "ArithmeticCommand"),
        ("let a=1 b++", "ArithmeticCommand"),
        ("time a", "Group"),
        ("coproc a", "Opaque"),
        ("select a in b; do c; done", "Opaque"),
    ],
)
def test_commands(text, kind):
    command = only(text)
    assert type(command).__name__ == kind
    assert parse(text).source(command) == text


def test_branches_of_an_if():
    command = only("if a; then b; elif c; then d; else e; fi")
    assert [len(branch.condition) for branch in command.branches] == [1, 1]
    assert command.otherwise is not None
    assert only("if a; then b; fi").otherwise is None


def test_for_without_a_list_is_told_from_an_empty_one():
    assert only("for a; do d; done").words is None
    assert only("for a in; do d; done").words == ()


def test_conditions():
    condition = only("[[ -n $a && ! ( $b == c || -f d ) ]]").condition
    assert isinstance(condition, tree.TestBoth)
    assert condition.operator == "&&"
    assert isinstance(condition.right, tree.TestNot)
    assert isinstance(condition.right.operand, tree.TestBoth)


def test_assignments():
    plain, appended, element, array = (
        only(text).assignments[0] for text in ("a=1", "a+=1", "a[2]=x", "a=(1 [5]=2)")
    )
    assert (plain.name, plain.append, plain.subscript) == ("a", False, None)
    assert appended.append
    assert outline(element.subscript) == ["Expression", [literal("2")]]
    assert [outline(item.subscript) for item in array.elements] == [
        None,
        ["Expression", [literal("5")]],
    ]
    exported, naked = only("export -n a=1 b").assignments
    assert (exported.naked, naked.naked) == (False, True)


def test_redirects_and_here_documents():
    (statement,) = parse("a 2>&1 >b <<EOF &\nx $y\nEOF\n").statements
    assert statement.background
    assert [(r.descriptor, r.operator) for r in statement.redirects] == [
        ("2", ">&"),
        ("", ">"),
        ("", "<<"),
    ]
    assert outline(statement.redirects[2].heredoc) == word(
        literal("x "), parameter("y"), literal("\n")
    )


def test_comments_are_found_wherever_they_stand():
    text = (
        "#!/bin/bash\n# own line\na # behind\nif b; then # then\n  c\n  # last\nfi\n"
        "x=( # in an array\n  1\n)\ncase $a in\n  # before an item\n  b) ;;\nesac\n# end\n"
    )
    found = [comment.text for comment in parse(text).comments]
    assert found == [
        "!/bin/bash",
        " own line",
        " behind",
        " then",
        " last",
        " in an array",
        " before an item",
        " end",
    ]


def test_spans_count_characters_and_not_bytes():
    file = parse('echo "中文 é"  next\n')
    command = file.statements[0].command
    assert isinstance(command, tree.SimpleCommand)
    assert [file.source(part) for part in command.words] == ["echo", '"中文 é"', "next"]
    assert file.span(command.words[2]) == Span(1, 14, 1, 18)


def test_a_line_continuation_is_no_part_of_a_word():
    command = only("a --b\\\n-c d")
    assert command.words[1].literal == "--b-c"


def test_keys_that_look_like_a_ternary_are_read():
    file = parse('declare -A image=([1:2]="x" [b:c:d]=y)\necho "${image[1:2]}" ${x:1:2}\n')
    declaration = file.statements[0].command
    assert isinstance(declaration, tree.Declaration)
    keys = [file.source(item.subscript) for item in declaration.assignments[0].elements or ()]
    assert keys == ["1:2", "b:c:d"]


@pytest.mark.parametrize(
    ("text", "line", "refused"),
    [
        ("a\nif b; then\n", 2, True),
        ("a\nb )\n", 2, True),
        ("a=(1\n", 1, True),
        ("a\nif [[ $a -gte 3 ]]; then b; fi\n", 2, True),
        # bash notices this one only when it gets there.
        ("a\necho $((1 + ))\n", 2, False),
    ],
)
def test_what_cannot_be_parsed_says_where_and_what_bash_thinks(text, line, refused):
    file = parse_shell(text.encode())
    assert isinstance(file, UnreadableShell)
    assert file.span.line == line
    if shutil.which("bash"):
        assert bool(file.bash) is refused
    assert bool(file.limit) is not bool(file.bash)


def test_what_is_no_text():
    file = parse_shell(b"echo a\nb\xff\n")
    assert isinstance(file, UnreadableShell)
    assert file.span == Span(2, 2, 2, 3)
    assert file.bash


def test_limits():
    assert isinstance(parse_shell(b"#" * (MAX_BYTES + 1)), TooDemanding)
    started = time.monotonic()
    for text in (b"$(" * 3000 + b"x" + b")" * 3000, b"{ " * 90 + b"x" + b"; }" * 90):
        file = parse_shell(text)
        assert isinstance(file, TooDemanding | UnreadableShell)
        assert file.limit
    assert time.monotonic() - started < 30


def test_a_remembered_tree_is_the_same():
    text = b"f() {\n  a=$((1 + 2)) # note\n}\nf | g\n"
    store: list[object] = []

    def remember(read):
        if not store:
            store.append(read())
        return store[0]

    first = parse_shell(text, remember)
    second = parse_shell(text, remember)
    assert isinstance(first, ShellFile)
    assert isinstance(second, ShellFile)
    assert outline(first.statements) == outline(second.statements)
    assert first.comments == second.comments
    assert len(store) == 1
    assert list(tree.walk(first.statements))[-1].text == "g"
