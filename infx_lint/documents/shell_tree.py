"""The syntax of bash as typed nodes. Every node starts and ends at an offset in characters.

The names are those of the bash manual. A node is a `NamedTuple`, so that a tree can be compared,
matched and written down as plain lists (`pack`) by what it consists of.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias, Union


class Literal(NamedTuple):
    """Unquoted text as it is written, backslashes included, line continuations left out."""

    start: int
    end: int
    text: str


class SingleQuoted(NamedTuple):
    """`'text'`, or `$'text'` where `ansi` is set; `text` is what stands between the quotes."""

    start: int
    end: int
    text: str
    ansi: bool


class DoubleQuoted(NamedTuple):
    """`"parts"`."""

    start: int
    end: int
    parts: tuple[Part, ...]


class Parameter(NamedTuple):
    """`$name`, `${name...}`.

    Attributes:
        subscript: what stands in the brackets of an array.
        indirect: `${!name}`.
        operator: `""`, `"length"` (`${#name}`), `"slice"`, `"names"` (`${!prefix@}`), or as it is
            written: `:-` `-` `:=` `=` `:?` `?` `:+` `+` `#` `##` `%` `%%` `/` `//` `^` `^^` `,`
            `,,` `@`.
        arguments: the operator's words; expressions for a slice.
    """

    start: int
    end: int
    name: str
    subscript: Expression | None
    indirect: bool
    operator: str
    arguments: tuple[Word | Expression | None, ...]


class Arithmetic(NamedTuple):
    """`$((expression))`."""

    start: int
    end: int
    expression: Expression


class CommandSubstitution(NamedTuple):
    """`$(body)` or `` `body` ``."""

    start: int
    end: int
    body: tuple[Statement, ...]


class ProcessSubstitution(NamedTuple):
    """`<(body)` or `>(body)`."""

    start: int
    end: int
    operator: str
    body: tuple[Statement, ...]


class ExtendedGlob(NamedTuple):
    """`@(a|b)` and the like, as it is written."""

    start: int
    end: int
    text: str


class Expression(NamedTuple):
    """Text that bash expands and then evaluates as arithmetic: literals and expansions."""

    start: int
    end: int
    parts: tuple[Part, ...]


class Word(NamedTuple):
    """A word: what stands between blanks."""

    start: int
    end: int
    parts: tuple[Part, ...]

    @property
    def literal(self) -> str | None:
        """Return the text of a word that consists of one unquoted literal, else None."""
        if len(self.parts) == 1 and isinstance(self.parts[0], Literal):
            return self.parts[0].text
        return None


class Element(NamedTuple):
    """An element of an array literal: `value` or `[index]=value`."""

    subscript: Expression | None
    value: Word


class Assignment(NamedTuple):
    """`name=value`, `name+=value`, `name[index]=value`, `name=(elements)`; or a bare name.

    Attributes:
        elements: those of an array literal, else None.
        naked: a declaration names the variable and gives no value.
    """

    start: int
    end: int
    name: str
    subscript: Expression | None
    append: bool
    value: Word | None
    elements: tuple[Element, ...] | None
    naked: bool


class Redirect(NamedTuple):
    """A redirection; `heredoc` is the body of a here-document."""

    start: int
    end: int
    operator: str
    descriptor: str
    target: Word | None
    heredoc: Word | None


class SimpleCommand(NamedTuple):
    """Assignments, then words; either may be missing."""

    start: int
    end: int
    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]


class Declaration(NamedTuple):
    """`export`, `local`, `declare`, `readonly`, `typeset`, `nameref` with options and names."""

    start: int
    end: int
    variant: str
    options: tuple[Word, ...]
    assignments: tuple[Assignment, ...]


class Branch(NamedTuple):
    """`if` or `elif`: a condition and what it leads to."""

    condition: tuple[Statement, ...]
    body: tuple[Statement, ...]


class If(NamedTuple):
    """`if`, its `elif` branches, and `else` where there is one."""

    start: int
    end: int
    branches: tuple[Branch, ...]
    otherwise: tuple[Statement, ...] | None


class CaseItem(NamedTuple):
    """`pattern | pattern) body` with its terminator `;;`, `;&` or `;;&`."""

    patterns: tuple[Word, ...]
    body: tuple[Statement, ...]
    terminator: str


class Case(NamedTuple):
    """`case word in items esac`."""

    start: int
    end: int
    word: Word
    items: tuple[CaseItem, ...]


class For(NamedTuple):
    """`for name in words`; `words` is None where the positional parameters are meant."""

    start: int
    end: int
    name: str
    words: tuple[Word, ...] | None
    body: tuple[Statement, ...]


class ArithmeticFor(NamedTuple):
    """`for ((first; condition; step))`."""

    start: int
    end: int
    first: Expression | None
    condition: Expression | None
    step: Expression | None
    body: tuple[Statement, ...]


class While(NamedTuple):
    """`while condition; do body; done`, or `until`."""

    start: int
    end: int
    until: bool
    condition: tuple[Statement, ...]
    body: tuple[Statement, ...]


class Group(NamedTuple):
    """`{ body; }`, or `( body )` in a process of its own."""

    start: int
    end: int
    subshell: bool
    body: tuple[Statement, ...]


class List(NamedTuple):
    """`left && right`, `left || right`, `left | right`, `left |& right`."""

    start: int
    end: int
    operator: str
    left: Statement
    right: Statement


class Deferred:
    """A packed statement that is unpacked when it is first asked for.

    A library holds a hundred functions and a script calls ten of them.
    """

    __slots__ = ("_node", "packed")

    def __init__(self, packed: list[Any]) -> None:
        self.packed = packed
        self._node: Statement | None = None

    def node(self) -> Statement:
        """Return the statement."""
        if self._node is None:
            self._node = unpack(self.packed)
        return self._node


class Function(NamedTuple):
    """`name() body`."""

    start: int
    end: int
    name: str
    deferred: Deferred | Statement

    @property
    def body(self) -> Statement:
        """Return what the function runs."""
        return self.deferred.node() if isinstance(self.deferred, Deferred) else self.deferred


class Test(NamedTuple):
    """`[[ condition ]]`."""

    start: int
    end: int
    condition: Condition


class TestWord(NamedTuple):
    """A word alone: true if it is not empty."""

    start: int
    end: int
    word: Word


class TestUnary(NamedTuple):
    """`-z word` and the like."""

    start: int
    end: int
    operator: str
    operand: Word


class TestBinary(NamedTuple):
    """`left == right` and the like."""

    start: int
    end: int
    operator: str
    left: Word
    right: Word


class TestNot(NamedTuple):
    """`! condition`."""

    start: int
    end: int
    operand: Condition


class TestBoth(NamedTuple):
    """`left && right` or `left || right` inside of `[[ ]]`."""

    start: int
    end: int
    operator: str
    left: Condition
    right: Condition


class ArithmeticCommand(NamedTuple):
    """`((expression))`, or `let` with one or more of them."""

    start: int
    end: int
    expressions: tuple[Expression, ...]


class Opaque(NamedTuple):
    """A command that is parsed and not understood; `kind` says what it is."""

    start: int
    end: int
    kind: str


class Statement(NamedTuple):
    """A command with what surrounds it; `command` is None where only redirections stand."""

    start: int
    end: int
    command: Command | None
    negated: bool
    background: bool
    redirects: tuple[Redirect, ...]


class Comment(NamedTuple):
    """A comment from its `#` to the end of the line."""

    start: int
    end: int
    text: str


Part: TypeAlias = Union[  # noqa: UP007 - evaluated at run time, where the names are strings
    Literal,
    SingleQuoted,
    DoubleQuoted,
    Parameter,
    Arithmetic,
    CommandSubstitution,
    ProcessSubstitution,
    ExtendedGlob,
]
Condition: TypeAlias = Union[TestWord, TestUnary, TestBinary, TestNot, TestBoth]  # noqa: UP007
Command: TypeAlias = Union[  # noqa: UP007
    SimpleCommand,
    Declaration,
    If,
    Case,
    For,
    ArithmeticFor,
    While,
    Group,
    List,
    Function,
    Test,
    ArithmeticCommand,
    Opaque,
]

# Packed nodes name their class by its place here; a change of this list or of a class needs a new
# kind of fact in the cache (see shell_file.py).
_CLASSES: tuple[type[Any], ...] = (
    Literal,
    SingleQuoted,
    DoubleQuoted,
    Parameter,
    Arithmetic,
    CommandSubstitution,
    ProcessSubstitution,
    ExtendedGlob,
    Expression,
    Word,
    Element,
    Assignment,
    Redirect,
    SimpleCommand,
    Declaration,
    Branch,
    If,
    CaseItem,
    Case,
    For,
    ArithmeticFor,
    While,
    Group,
    List,
    Function,
    Test,
    TestWord,
    TestUnary,
    TestBinary,
    TestNot,
    TestBoth,
    ArithmeticCommand,
    Opaque,
    Statement,
    Comment,
)
_NUMBERS = {cls: number for number, cls in enumerate(_CLASSES)}
_FUNCTION = _NUMBERS[Function]


def pack(node: Any) -> Any:  # noqa: ANN401 - any node, any JSON
    """Return a node as lists that JSON holds: the number of its class, then its fields."""
    if isinstance(node, tuple):
        number = _NUMBERS.get(type(node), -1)
        return [number, *map(pack, node)]
    return node.packed if isinstance(node, Deferred) else node


def unpack(packed: Any) -> Any:  # noqa: ANN401
    """Return the node that `pack` wrote down."""
    if type(packed) is list:
        number = packed[0]
        if number == _FUNCTION:
            start, end, name, body = packed[1:]
            return Function(start, end, name, Deferred(body))
        fields = [unpack(field) if type(field) is list else field for field in packed[1:]]
        return tuple(fields) if number < 0 else _CLASSES[number]._make(fields)
    return packed


def walk(node: Any) -> Iterator[Any]:  # noqa: ANN401
    """Yield every node below a node or a tuple of nodes, the node itself included."""
    stack = [node]
    while stack:
        here = stack.pop()
        if type(here) in _NUMBERS:
            yield here
        for field in reversed(here):
            kind = type(field)
            if kind is tuple or kind in _NUMBERS:
                stack.append(field)
            elif kind is Deferred:
                stack.append(field.node())
