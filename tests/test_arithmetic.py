"""Arithmetic is compared with bash itself: what it computes, and what it refuses."""

import os
import random
import re
import subprocess
import time
from collections.abc import Iterator, Sequence

import pytest

from infx_lint.documents import shell_tree as tree
from infx_lint.documents.shell_file import ShellFile, parse_shell
from infx_lint.shell.arithmetic import DEEPEST, LONGEST, fold
from infx_lint.shell.value import Unknown

NAMES = ("a", "b", "c", "d")
VARIABLE = re.compile(r"(?<![\w#])[A-Za-z_]\w*")
# Evaluates each line of its input over the values on the line after it.
BASH = """
while IFS= read -r e && IFS=' ' read -r A B C D; do
  a=$A b=$B c=$C d=$D v=refused
  eval "v=\\$(($e))" 2>/dev/null
  echo "$v $a $b $c $d"
done
"""


class Variables:
    """A store of plain variables; an element is filed as `name[index]`."""

    def __init__(self, **texts: str) -> None:
        self.texts: dict[str, str | Unknown] = dict(texts)

    def get(self, name: str, index: str | None) -> str | Unknown | None:
        return self.texts.get(name if index is None else f"{name}[{index}]")

    def set(self, name: str, index: str | None, value: int | Unknown) -> None:
        text = value if isinstance(value, Unknown) else str(value)
        self.texts[name if index is None else f"{name}[{index}]"] = text


def ask_bash(cases: Sequence[tuple[str, Sequence[str]]]) -> list[list[str]]:
    lines = "".join(f"{text}\n{' '.join(values)}\n" for text, values in cases)
    done = subprocess.run(
        ["bash", "-c", BASH], input=lines, capture_output=True, text=True, check=True
    )
    return [line.split(" ") for line in done.stdout.splitlines()]


def disagreements(cases: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    answers = ask_bash(cases)
    assert len(answers) == len(cases)
    for (text, values), answer in zip(cases, answers, strict=True):
        variables = Variables(**dict(zip(NAMES, values, strict=True)))
        value = fold(text, variables)
        if isinstance(value, Unknown):
            if answer[0] not in {"refused", ""}:
                yield f"{text} over {values}: bash says {answer}, we {value}"
        elif [str(value), *(variables.texts[name] for name in NAMES)] != answer:
            yield f"{text} over {values}: bash says {answer}, we {value} {variables.texts}"


def random_expression(source: random.Random, depth: int) -> str:
    if depth <= 0 or source.random() < 0.2:
        literals = (str(source.randint(0, 300)), str(source.randint(0, 9)), "0x1F", "017", "2#101")
        edges = ("36#zZ", "64#a_", str(2**63 - 1), str(2**62), str(2**64))
        return source.choice((*literals, *edges, *NAMES, *NAMES))

    def inner() -> str:
        return random_expression(source, depth - 1)

    operators = [
        "+",
        "-",
        "*",
        "/",
        "%",
        "**",
        "<<",
        ">>",
        "<",
        "<=",
        ">",
        ">=",
        "==",
        "!=",
        "&",
        "^",
        "|",
        "&&",
        "||",
        ",",
    ]
    assigning = ["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|="]
    kind = source.random()
    if kind < 0.55:
        return f"{inner()}{source.choice(('', ' '))}{source.choice(operators)} {inner()}"
    if kind < 0.68:
        return f"({inner()})"
    if kind < 0.78:
        return f"{source.choice('-!~+')} {inner()}"
    if kind < 0.88:
        return f"{inner()}?{inner()}:{inner()}"
    if kind < 0.95:
        return f"{source.choice(NAMES)}{source.choice(assigning)}{inner()}"
    return source.choice((f"{source.choice(NAMES)}++", f"--{source.choice(NAMES)}"))


def random_values(source: random.Random) -> list[str]:
    return [str(source.choice((source.randint(-20, 300), source.randint(0, 9)))) for _ in NAMES]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CONC * 10", 640),
        ("CONC>16?CONC:16", 64),
        ("((CONC + 31) / 32) * 32", 64),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("2 ** 3 ** 2", 512),
        ("1 << 63", -(1 << 63)),
        ("9223372036854775807 + 1", -(1 << 63)),
        ("010 + 0x10 + 2#10", 26),
        ("TEXT + 1", 65),
        ("", 0),
        ("EMPTY + 1", 1),
        ('"CONC" + 1', 65),
        ("0 && UNSET", 0),
        ("1 || UNSET", 1),
        ("UNSET && 0", 0),
        ("list[1] + 1", 8),
        ("CONC, 5", 5),
    ],
)
def test_values(text, expected):
    variables = Variables(CONC="64", TEXT="CONC", EMPTY="", **{"list[1]": "7"})
    assert fold(text, variables) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("UNSET + 1", "`UNSET` is not set"),
        ("1 / 0", "a division by zero"),
        ("2 ** -1", "a negative exponent"),
        ("08", "`08`, which is no number of base 8"),
        ("1 +", "a missing operand"),
        ("1 2", "`2` where the expression should end"),
        ("(1", "a missing `)`"),
        ("5 = 3", "an assignment to something that is no variable"),
        ("$x", "`$x`, which is no arithmetic"),
        ("65#1", "`65#1`: there is no such base"),
        ("loop", "an expression nested too deep"),
    ],
)
def test_reasons(text, reason):
    value = fold(text, Variables(loop="loop"))
    assert isinstance(value, Unknown)
    assert value.reason.endswith(reason)


def test_an_unknown_spoils_what_it_may_assign():
    variables = Variables(a="1", b="2", c="3")
    assert isinstance(fold("UNSET ? (a = 5) : (b = 6)", variables), Unknown)
    assert isinstance(variables.texts["a"], Unknown)
    assert isinstance(variables.texts["b"], Unknown)
    assert isinstance(fold("c = UNSET + 1", variables), Unknown)
    assert isinstance(variables.texts["c"], Unknown)


def test_hostile_text_is_cheap():
    started = time.monotonic()
    for text in (
        "(" * LONGEST,
        "-" * LONGEST,
        "9" * LONGEST,
        "1" + "?1" * 2000,
        "2**" * 1000 + "2",
    ):
        fold(text, Variables())
    assert isinstance(fold("(" * (DEEPEST + 1) + "1" + ")" * (DEEPEST + 1), Variables()), Unknown)
    assert isinstance(fold("1" * (LONGEST + 1), Variables()), Unknown)
    assert fold("3 ** 9223372036854775807", Variables()) != 0
    # A limit against hanging, far from any measured time.
    assert time.monotonic() - started < 10


def test_random_expressions_agree_with_bash():
    source = random.Random(20260822)
    cases = [
        (random_expression(source, source.randint(1, 4)), random_values(source))
        for _ in range(20_000)
    ]
    assert list(disagreements(cases)) == []


@pytest.mark.slow
def test_every_expression_of_the_linted_repository_agrees_with_bash():
    clone = os.environ.get("INFX_CLONE")
    if not clone:
        pytest.skip("INFX_CLONE names no clone of the linted repository")
    listed = subprocess.run(
        ["git", "-C", clone, "ls-files", "-z", "*.sh", "*.slurm"],
        capture_output=True,
        text=True,
        check=True,
    )
    texts: set[str] = set()
    for path in listed.stdout.split("\0")[:-1]:
        with open(os.path.join(clone, path), "rb") as stream:  # noqa: PTH118, PTH123
            file = parse_shell(stream.read())
        assert isinstance(file, ShellFile)
        nodes = (n for n in tree.walk(file.statements) if isinstance(n, tree.Expression))
        texts |= {text for text in map(as_names, nodes) if text}
    source = random.Random(7)
    cases = [(text, random_values(source)) for text in sorted(texts) for _ in range(20)]
    assert len(texts) > 50
    assert list(disagreements(cases)) == []


def as_names(expression: tree.Expression) -> str | None:
    """Return an expression with one of four names for every variable, None if it holds more."""
    text = ""
    for part in expression.parts:
        if isinstance(part, tree.Parameter) and not part.operator and not part.subscript:
            text += f" {part.name} "
        elif isinstance(part, tree.Literal):
            text += part.text
        else:
            return None
    names: dict[str, str] = {}
    text = VARIABLE.sub(
        lambda found: names.setdefault(found[0], NAMES[len(names) % len(NAMES)]), text
    )
    return " ".join(text.split()) if "@" not in text and text.strip() != "*" else None
