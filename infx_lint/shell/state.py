"""What bash knows at one point of a script, and under which conditions that point is reached."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Self, TypeAlias

from infx_lint.documents.shell_tree import Function
from infx_lint.shell.value import Array, Fields, Unknown, Value, join

Truth: TypeAlias = bool | Unknown


class Condition(NamedTuple):
    """A condition in its normal form.

    `[ "${A:-x}" != "b" ]`, `[[ $A != b ]]` and `! test "$A" = b` are all (`A`, `=`, `b`), taken
    the other way round. What has no such form keeps its `text` alone.

    Attributes:
        text: the source.
        subject: the name of the variable that is looked at, empty if it is not just one.
        operator: `=`, `-lt` and so on; an empty text is `=` with an empty value.
        value: what it is compared with.
    """

    text: str
    subject: str = ""
    operator: str = ""
    value: str = ""


class Guard(NamedTuple):
    """A condition that could not be decided and that a command stands under.

    Attributes:
        holds: whether the condition is met there, or not.
        script, start, end: where the condition is written.
    """

    condition: Condition
    holds: bool
    script: str
    start: int
    end: int

    def __str__(self) -> str:
        """Return the guard as an author would say it."""
        condition = self.condition
        if condition.operator == "=" and condition.subject:
            sign = "=" if self.holds else "!="
            return f"{condition.subject} {sign} {condition.value or 'empty'}"
        return condition.text if self.holds else f"not ({condition.text})"


class Environment(NamedTuple):
    """What a script is started with.

    Attributes:
        variables: names that are set, and their text.
        defaults: what is not listed is taken for not set where the script has a default for it.
            Otherwise nothing is known of it.
        name: the path by which the script is started, relative to the repository.
        answers: what functions are to write instead of being run.
    """

    name: str
    variables: Mapping[str, str]
    defaults: bool = False
    answers: Mapping[str, str] = MappingProxyType({})


class Assumed(str):
    """What an unknown variable must hold on a path that a condition has led to.

    Attributes:
        before: what was known of it before; None for nothing.
    """

    __slots__ = ("before",)
    before: Value | None

    def __new__(cls, text: str, before: Value | None) -> Self:
        """Return a text that remembers what it stands for."""
        assumed = super().__new__(cls, text)
        assumed.before = before
        return assumed


class State:
    """Variables, functions, options and the guards passed; copied where paths part.

    Attributes:
        output: the text written so far inside of a command substitution; None elsewhere.
        ran: labels of what has run on every path that leads here.
        status: of the last command.
        directory: the current one, relative to the repository; None if it is unknown.
    """

    __slots__ = (
        "directory",
        "errexit",
        "exported",
        "functions",
        "guards",
        "output",
        "positional",
        "ran",
        "status",
        "variables",
    )

    def __init__(self, variables: dict[str, Value], exported: frozenset[str]) -> None:
        self.variables = variables
        self.exported = exported
        self.functions: dict[str, tuple[str, Function]] = {}
        self.positional: Fields = ()
        self.guards: tuple[Guard, ...] = ()
        self.ran: frozenset[str] = frozenset()
        self.status: Truth = True
        self.errexit = False
        self.directory: str | None = None
        self.output: list[object] | None = None

    def fork(self) -> State:
        """Return a copy that goes its own way."""
        twin = State(dict(self.variables), self.exported)
        twin.functions = self.functions
        twin.positional = self.positional
        twin.guards = self.guards
        twin.ran = self.ran
        twin.status = self.status
        twin.errexit = self.errexit
        twin.directory = self.directory
        twin.output = None if self.output is None else list(self.output)
        return twin


def merge(one: State | None, other: State | None, reason: str) -> State | None:
    """Return what is known where two paths meet; None stands for a path that does not arrive."""
    if one is None or other is None:
        return one or other
    _merge_variables(one.variables, other.variables, reason)
    if one.functions is not other.functions:
        one.functions = {**other.functions, **one.functions}
    one.exported |= other.exported
    one.ran &= other.ran
    if one.positional != other.positional:
        joined = _join_fields(one.positional, other.positional, reason)
        one.positional = joined
    common = 0
    for mine_passed, theirs_passed in zip(one.guards, other.guards, strict=False):
        if mine_passed != theirs_passed:
            break
        common += 1
    one.guards = one.guards[:common]
    one.status = one.status if one.status == other.status else Unknown(reason)
    one.errexit = one.errexit and other.errexit
    one.directory = one.directory if one.directory == other.directory else None
    if one.output is not None and one.output != other.output:
        one.output = [Unknown(reason)]
    return one


def _merge_variables(mine: dict[str, Value], theirs: dict[str, Value], reason: str) -> None:
    """Keep in `mine` what both paths agree on. Most values are the same object on both."""
    differing = [name for name, value in theirs.items() if mine.get(name) is not value]
    if len(mine) + sum(name not in mine for name in differing) > len(theirs):
        differing += mine.keys() - theirs.keys()
    for name in differing:
        left, right = mine.get(name), theirs.get(name)
        if (isinstance(left, Assumed) or isinstance(right, Assumed)) and left != right:
            before, other_before = _before(left), _before(right)
            if before == other_before:
                if before is None:
                    mine.pop(name, None)
                else:
                    mine[name] = before
                continue
        if left is None or right is None:
            # Set by one path only, and perhaps from outside on the other.
            mine[name] = Unknown(reason, frozenset({name}))
        else:
            mine[name] = join(left, right, reason)


def _before(value: Value | None) -> Value | None:
    return value.before if isinstance(value, Assumed) else value


def _join_fields(one: Fields, other: Fields, reason: str) -> Fields:
    """Return the list that one of two lists is."""
    joined = join(Array(one), Array(other), reason)
    return joined.fields if isinstance(joined, Array) else one
