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
# The plain variables and an array of four elements.
PLACES = (*NAMES, "r", "r[1]", "r[2]", "r[3]")
OPERATORS = ["+", "-", "*", "/", "%", "**", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&"]
OPERATORS += ["^", "|", "&&", "||", ","]
ASSIGNING = ["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|="]
VARIABLE = re.compile(r"(?<![\w#])[A-Za-z_]\w*")
# Evaluates each line of its input over the values on the line after it.
BASH = """
while IFS= read -r e && IFS=' ' read -r A B C D R; do
  a=$A b=$B c=$C d=$D r=($R) v=refused
  eval "v=\\$(($e))" 2>/dev/null
  echo "$v $a $b $c $d ${r[*]}"
done
"""


class Variables:
    """A store of variables; an element is filed as `name[index]`, the first as `name`."""

    def __init__(self, **texts: str) -> None:
        self.texts: dict[str, str | Unknown] = dict(texts)

    def get(self, name: str, index: str | None) -> str | Unknown | None:
        return self.texts.get(self.key(name, index))

    def set(self, name: str, index: str | None, value: int | Unknown) -> None:
        text = value if isinstance(value, Unknown) else str(value)
        self.texts[self.key(name, index)] = text

    @staticmethod
    def key(name: str, index: str | None) -> str:
        return name if index in {None, "0"} else f"{name}[{index}]"


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
        variables = Variables(**dict(zip(PLACES, values, strict=True)))
        value = fold(text, variables)
        if isinstance(value, Unknown):
            if answer[0] not in {"refused", ""}:
                yield f"{text} over {values}: bash says {answer}, we {value}"
        elif [str(value), *(variables.texts[place] for place in PLACES)] != answer:
            yield f"{text} over {values}: bash says {answer}, we {value} {variables.texts}"


def random_expression(source: random.Random, depth: int) -> str:
    if depth <= 0 or source.random() < 0.2:
        literals = (str(source.randint(0, 300)), str(source.randint(0, 9)), "0x1F", "017", "2#101")
        edges = ("36#zZ", "64#a_", str(2**63 - 1), str(2**62), str(2**64))
        return source.choice((*literals, *edges, *NAMES, *NAMES, random_element(source)))

    def inner() -> str:
        return random_expression(source, depth - 1)

    def blank() -> str:
        return source.choice(("", " "))

    kind = source.random()
    place = source.choice((*NAMES, random_element(source)))
    if kind < 0.55:
        return f"{inner()}{blank()}{source.choice(OPERATORS)}{blank()}{inner()}"
    if kind < 0.68:
        return f"({inner()})"
    if kind < 0.78:
        return f"{source.choice('-!~+')}{blank()}{inner()}"
    if kind < 0.88:
        return f"{inner()}?{inner()}:{inner()}"
    if kind < 0.95:
        return f"{place}{source.choice(ASSIGNING)}{inner()}"
    return source.choice((f"{place}{blank()}++", f"--{blank()}{place}"))


def random_element(source: random.Random) -> str:
    """Return an element whose subscript cannot fail: that would end the loop of bash."""
    name, other = source.choice(NAMES), source.choice(NAMES)
    # None within another: bash 5.2 refuses `r[r[0]]` where `~` or `$` stands beside it.
    texts = (name, "2", f"{name}++", f"{name}={other}+1", f"{name}<{other},{name}")
    return f"r[({source.choice(texts)})&3]"


def random_values(source: random.Random) -> list[str]:
    """Return a value for each place; some name variables that follow, so that none is a loop."""
    values = []
    for number, name in enumerate(PLACES):
        value = str(source.choice((source.randint(-20, 300), source.randint(0, 9))))
        if name in NAMES[:-1] and source.random() < 0.2:
            later = NAMES[number + 1]
            texts = (
                "0x1F",
                later,
                f"{later}*2",
                f"{later}>3?{later}:3",
                f"{later}++",
                f"{later}=7",
            )
            value = source.choice(texts)
        values.append(value)
    return values


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
        ("UNSET ? 5 : 5", 5),
        ("list[list[1] - 6]", 7),
        ("list[at[0]]", 7),
        ("1\n+\n\t2", 3),
    ],
)
def test_values(text, expected):
    variables = Variables(CONC="64", TEXT="CONC", EMPTY="", at="1", **{"list[1]": "7"})
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
        ("loop", "`loop` holds an expression nested too deep"),
        ("text", "`text` holds `2` where the expression should end"),
        ("9" * 50 + "x", "`99999999999999999999...`, which is no number of base 10"),
        ("010#7", "`010#7`, which is no number"),
        ("1\u00b2#1", "`\u00b2#1`, which is no arithmetic"),
        ("\u0663", "`\u0663`, which is no arithmetic"),
        ("text\u00e9", "`\u00e9`, which is no arithmetic"),
        ("1\r", "`\r`, which is no arithmetic"),
        ("list[]", "an empty subscript"),
        ("list[1", "a missing `]`"),
        ("list [1]", "`[1]`, which is no arithmetic"),
    ],
)
def test_reasons(text, reason):
    value = fold(text, Variables(loop="loop", text="1 2"))
    assert isinstance(value, Unknown)
    assert value.reason == reason


# Where bash surprises: increments beside what is no name, subscripts, what is left out.
QUIRKS = """
1--2; 1++2; 1---2; a---1; a+++b; a--b; 1--a; ++5; --5; +++a; a ++; a++5; (a)++5; (a)--b
--a++; ++a++5; ++a+5++3; a=--b; 1+++a; (1)--1; r[1]---1; --(a); -- a; a=++5; ++a=3; a++=3
r[b&3]=b; r[b++&3]=b; r[b++&3]+=b; r[(b=2)]=b; r[(b=2)]+=b; r[1]=r[2]=5; ++r[b++&3]
r[b++&3]--+b; r+r[0]; r[1,2]; r[r[0]&3]; r[r[r[b]&3]&3]+b; 0&&r[b++]; 0&&r[+]; 0&&r[]; 1?2:r[b=9]
0&&r[08]; 0&&(r[b++]=4); 0&&(b/=0); 0&&(b%=0); 0&&1/0; 0&&2**-1; 0&&(b**-1); 0&&08; 1||1/0; r[ ]
r [1]; r]1; r[1][2]; a+b=4; 1?a:b=4; a?b=4:c; !a=3; (a)=3; a==b=3; 0?b=3,7:1; b**=2; b&&=1
18446744073709551626#5; 4294967306#5; 010#7; 0x; 2#; 16#; 16#fF; 64#@; 08; 1.5; 1_0
-9223372036854775808/-1; -9223372036854775808%-1; 1<<64; 1<<-1; -1>>64; 0**0; 1,; ,1; ()
a=-b; a=!b; a!= b; a! =b; a=>b; a<>b; a+ =b; 1?2; 1?2:; 1?:2; 1 2; 1	+2; 77777777777777777777777
"""


@pytest.mark.parametrize("text", [text.strip() for text in re.split("[;\n]", QUIRKS.strip())])
def test_quirks_agree_with_bash(text):
    values = ["3", "1", "0", "7", "10", "20", "30", "40"]
    assert list(disagreements([(text, values)])) == []


def test_an_unknown_spoils_what_it_may_assign():
    variables = Variables(a="1", b="2", c="3")
    assert isinstance(fold("UNSET ? (a = 5) : (b = 6)", variables), Unknown)
    assert isinstance(variables.texts["a"], Unknown)
    assert isinstance(variables.texts["b"], Unknown)
    assert isinstance(fold("c = UNSET + 1", variables), Unknown)
    assert isinstance(variables.texts["c"], Unknown)


@pytest.mark.parametrize(
    "text",
    [
        "UNSET && r[b = 9]",
        "UNSET && assigns",
        "UNSET || b++",
        "UNSET ? (b += 1) : 2",
        # What bash refuses, and what it would not but we do.
        "UNSET ? 1 / 0 : (b = 6)",
        "1 / 0, ++b",
        "b = " + "+" * DEEPEST + "6",
        "b <<= 1" + " " * LONGEST,
        "1 / 0, b[1] *= 2",
    ],
)
def test_no_stale_value_survives(text):
    variables = Variables(assigns="b = 7", b="2")
    fold(text, variables)
    assert any(isinstance(variables.texts.get(key), Unknown) for key in ("b", "b[1]"))


def test_nothing_is_spoiled_that_is_only_read():
    variables = Variables(b="2")
    assert isinstance(fold("1 / 0 + (b == 2) + (b >= 1) + (b != b)", variables), Unknown)
    assert variables.texts == {"b": "2"}


def test_hostile_text_is_cheap():
    nested = {f"v{n}": "(" * 36 + f"v{n + 1}" + ")" * 36 for n in range(39)}
    doubled = {f"w{n}": f"w{n + 1} + w{n + 1}" for n in range(30)}
    variables = Variables(x="x[x]", **nested, **doubled, w30="1", blank=" " * LONGEST)
    started = time.monotonic()
    for text in (
        "(" * LONGEST,
        "-" * LONGEST,
        "1" + "?1" * 2000,
        "2**" * 1000 + "2",
        "v0",
        "w0",
        "x",
        "r[" * 2000,
        "a[" * 100_000,
        "a" * 200_000,
        "a=" * 2000,
        "+blank" * 600,
        "(" * (DEEPEST + 1) + "1" + ")" * (DEEPEST + 1),
        "1" * (LONGEST + 1),
    ):
        value = fold(text, variables)
        assert isinstance(value, Unknown)
        assert len(value.reason) < 80
    assert isinstance(fold("9" * LONGEST, variables), int)
    assert fold("3 ** 9223372036854775807", variables) != 0
    # A limit against hanging, far from any measured time.
    assert time.monotonic() - started < 5


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
