"""Conditions: `[ ]`, `test` and `[[ ]]`, their truth and their normal form."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from infx_lint.documents import shell_tree as tree
from infx_lint.shell import patterns
from infx_lint.shell.expansion import Expander
from infx_lint.shell.state import Condition, Truth
from infx_lint.shell.value import (
    UNSET,
    Many,
    Mixed,
    Text,
    Unknown,
    is_surely_filled,
    names_in,
    pieces_of,
)

_INTEGERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": int.__eq__,
    "-ne": int.__ne__,
    "-lt": int.__lt__,
    "-le": int.__le__,
    "-gt": int.__gt__,
    "-ge": int.__ge__,
}
_EQUAL = frozenset({"=", "==", "!="})
_UNARY_LENGTH, _BINARY_LENGTH = 2, 3


class Judgement(NamedTuple):
    """A condition, whether it is met, and which way round its normal form is to be read.

    Attributes:
        holds: what the normal form is where the condition is met: `[ A != b ]` is met where
            (`A`, `=`, `b`) does not hold.
    """

    truth: Truth
    condition: Condition
    holds: bool = True


def _unknown(*texts: Text | Many, reason: str = "") -> Unknown:
    names: frozenset[str] = frozenset()
    for text in texts:
        names |= names_in(text)
        if not reason:
            pieces = (text,) if isinstance(text, Many) else pieces_of(text)
            reason = next((piece.reason for piece in pieces if not isinstance(piece, str)), "")
    return Unknown(reason, names)


def judge_command(expander: Expander, words: tuple[tree.Word, ...], source: str) -> Judgement:
    """Judge `[ ... ]` or `test ...`."""
    name = words[0].literal
    inner = words[1:-1] if name == "[" else words[1:]
    negations = 0
    while inner and inner[0].literal == "!" and len(inner) > 1:
        inner = inner[1:]
        negations += 1
        source = source.replace("! ", "", 1)
    judgement = _judge_words(expander, inner, source)
    return _negate(judgement) if negations % 2 else judgement


def _negate(judgement: Judgement) -> Judgement:
    truth = judgement.truth
    return Judgement(
        truth if isinstance(truth, Unknown) else not truth,
        judgement.condition,
        not judgement.holds,
    )


def _judge_words(expander: Expander, words: tuple[tree.Word, ...], source: str) -> Judgement:
    plain = Condition(source)
    # `-a` and `-o` join conditions; the manual calls them obsolete, scripts use them still.
    for joint in ("-o", "-a"):
        positions = [at for at, word in enumerate(words) if word.literal == joint]
        if positions and len(words) > _BINARY_LENGTH:
            at = positions[0]
            left = _judge_words(expander, words[:at], source)
            right = _judge_words(expander, words[at + 1 :], source)
            return Judgement(both(left.truth, right.truth, "||" if joint == "-o" else "&&"), plain)
    fields = expander.fields(words)
    if any(isinstance(field, Many) for field in fields):
        if len(words) == _BINARY_LENGTH and words[1].literal in _EQUAL | _INTEGERS.keys():
            # An unquoted unknown on either side: it is taken for one word.
            return judge_binary(
                expander, words[1].literal or "", words[0], words[2], source, glob=False
            )
        gap = next(field for field in fields if isinstance(field, Many))
        return Judgement(_unknown(gap), plain)
    if not fields:
        return Judgement(False, plain)  # noqa: FBT003
    if len(words) == 1 and len(fields) == 1:
        return judge_text(expander, "-n", words[0], source)
    if len(words) == _UNARY_LENGTH and words[0].literal:
        return judge_text(expander, words[0].literal, words[1], source)
    if len(words) == _BINARY_LENGTH and words[1].literal:
        return judge_binary(expander, words[1].literal, words[0], words[2], source, glob=False)
    return Judgement(Unknown("a condition of a form that is not understood"), plain)


def both(left: Truth, right: Truth, operator: str) -> Truth:
    """Return the truth of two conditions joined by `&&` or `||`."""
    deciding = operator == "||"
    for truth in (left, right):
        if not isinstance(truth, Unknown) and truth is deciding:
            return deciding
    for truth in (left, right):
        if isinstance(truth, Unknown):
            return truth
    return not deciding


def subject_of(word: tree.Word) -> tuple[str, str | None]:
    """Return the variable that a word consists of, and its default; an empty name if none."""
    parts = word.parts
    if len(parts) == 1 and isinstance(parts[0], tree.DoubleQuoted):
        parts = parts[0].parts
    if len(parts) != 1 or not isinstance(parts[0], tree.Parameter):
        return "", None
    node = parts[0]
    if not node.name.isidentifier():
        # `$?`, `$#`, `$1`: another one behind every command, or in every function.
        return "", None
    if node.subscript is not None or node.indirect or node.operator not in {"", ":-", "-"}:
        return "", None
    if not node.operator:
        return node.name, None
    argument = node.arguments[0]
    if argument is None:
        return node.name, ""
    if not isinstance(argument, tree.Word):
        return "", None
    text = "".join(part.text for part in argument.parts if isinstance(part, tree.Literal))
    return node.name, text


def judge_text(expander: Expander, operator: str, operand: tree.Word, source: str) -> Judgement:
    """Judge a condition over one word: `-n`, `-z`, `-v`; files are unknown."""
    text = expander.text(operand)
    if operator == "-v":
        value = expander.value(text) if isinstance(text, str) else None
        if value is None or isinstance(value, Unknown):
            return Judgement(_unknown(text, reason="whether a variable is set"), Condition(source))
        return Judgement(value is not UNSET, Condition(source))
    if operator not in {"-n", "-z"}:
        return Judgement(
            _unknown(text, reason="only known on the machine that runs it"), Condition(source)
        )
    subject, _ = subject_of(operand)
    condition = Condition(source, subject, "=", "") if subject else Condition(source)
    empty: Truth
    if isinstance(text, str):
        empty = not text
    elif is_surely_filled(text):
        empty = False
    else:
        empty = _unknown(text)
    if operator == "-z":
        return Judgement(empty, condition)
    truth = empty if isinstance(empty, Unknown) else not empty
    return Judgement(truth, condition, holds=not subject)


def judge_binary(
    expander: Expander,
    operator: str,
    left: tree.Word,
    right: tree.Word,
    source: str,
    *,
    glob: bool,
) -> Judgement:
    """Judge a condition over two words; with `glob` the right one may be a pattern."""
    one = expander.text(left)
    other = expander.pattern(right) if glob and operator in _EQUAL else expander.text(right)
    subject, default = subject_of(left)
    condition = Condition(source)
    if operator in _EQUAL:
        met = equal(one, other, glob=glob)
        positive = operator != "!="
        literal = isinstance(other, str) and not (glob and set(other) & set("*?["))
        if subject and literal and default != other:
            condition = Condition(source, subject, "=", str(other))
            truth = met if isinstance(met, Unknown) or positive else not met
            return Judgement(truth, condition, holds=positive)
        return Judgement(met if isinstance(met, Unknown) or positive else not met, condition)
    if operator in _INTEGERS:
        if subject and isinstance(other, str):
            condition = Condition(source, subject, operator, other)
        return Judgement(_compare(operator, one, other), condition)
    if operator == "=~":
        if isinstance(one, str) and isinstance(other, str):
            found = patterns.search(one, other)
            if found is not None:
                return Judgement(found, condition)
        return Judgement(_unknown(one, other, reason="a regular expression"), condition)
    if operator in {"<", ">"} and isinstance(one, str) and isinstance(other, str):
        return Judgement(one < other if operator == "<" else one > other, condition)
    return Judgement(_unknown(one, other, reason=f"`{operator}`"), condition)


def equal(one: Text, other: Text, *, glob: bool) -> Truth:
    """Return whether two texts are equal, or one matches the other as a pattern."""
    if isinstance(one, str) and isinstance(other, str):
        if not glob:
            return one == other
        found = patterns.matches(one, other)
        return Unknown("a pattern that is not understood") if found is None else found
    if isinstance(one, Mixed) and isinstance(other, str):
        # The known ends of a text can rule a literal out, or meet `*end`.
        start, end = one.pieces[0], one.pieces[-1]
        if (
            glob
            and other.startswith("*")
            and not set(other[1:]) & set("*?[")
            and isinstance(end, str)
        ) and end.endswith(other[1:]):
            return True
        if not (glob and set(other) & set("*?[")):
            if isinstance(start, str) and not other.startswith(start):
                return False
            if isinstance(end, str) and not other.endswith(end):
                return False
    return _unknown(one, other)


def _compare(operator: str, one: Text, other: Text) -> Truth:
    numbers = []
    for text in (one, other):
        if not isinstance(text, str):
            return _unknown(one, other)
        try:
            numbers.append(int(text.strip()))
        except ValueError:
            return Unknown(f"`{text}` is no integer")
    return _INTEGERS[operator](*numbers)


def judge_test(
    expander: Expander, node: tree.Condition, source: Callable[[object], str]
) -> Judgement:
    """Judge one condition inside of `[[ ]]` that is not joined of others."""
    match node:
        case tree.TestUnary():
            return judge_text(expander, node.operator, node.operand, source(node))
        case tree.TestBinary():
            return judge_binary(
                expander, node.operator, node.left, node.right, source(node), glob=True
            )
        case tree.TestWord():
            return judge_text(expander, "-n", node.word, source(node))
        case _:
            raise TypeError(type(node).__name__)
