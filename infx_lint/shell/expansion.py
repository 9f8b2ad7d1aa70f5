"""From the words of a command to the words that it gets: the expansions of bash, in its order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from infx_lint.documents import shell_tree as tree
from infx_lint.shell import patterns
from infx_lint.shell.arithmetic import fold
from infx_lint.shell.state import Environment, State
from infx_lint.shell.value import (
    UNSET,
    Array,
    Field,
    Fields,
    Many,
    Mixed,
    Table,
    Text,
    Unknown,
    Unset,
    Value,
    concatenate,
    is_surely_filled,
    names_in,
    pieces_of,
)

Substitute: TypeAlias = Callable[[tuple[tree.Statement, ...], State], Text]

_BLANKS = " \t\n"
_WHOLE = ("@", "*")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPE_IN_QUOTES = re.compile(r'\\([$`"\\])')
_ANSI_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ANSI = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "r": "\r", "a": "\a", "e": "\x1b"}
_BRACES = re.compile(r"(.*?)\{([^{}]*)\}(.*)", re.DOTALL)
_RANGE = re.compile(r"(-?\d{1,6})\.\.(-?\d{1,6})")
ASSIGNED = re.compile(
    r"([A-Za-z_]\w*)\s*(?:=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)
# What bash itself sets; never known before a run.
_OWN = frozenset(
    {
        *("RANDOM", "SECONDS", "LINENO", "BASHPID", "PPID", "UID", "EUID", "HOSTNAME", "OLDPWD"),
        *("PIPESTATUS", "FUNCNAME", "EPOCHSECONDS", "EPOCHREALTIME", "BASH_VERSION", "OSTYPE"),
        *("COLUMNS", "LINES", "REPLY", "IFS"),
    }
)
_LONGEST_LIST = 4096


# The folder that paths of the repository are relative to; a node mounts it where it likes.
REPOSITORY = Unknown("where the repository lies on the machine", frozenset({"PWD"}))


def working_directory(state: State) -> Text:
    """Return the current folder as bash names it: by an absolute path."""
    if state.directory is None:
        return Unknown("the current folder", frozenset({"PWD"}))
    if state.directory.startswith("/"):
        return state.directory
    return concatenate((REPOSITORY, f"/{state.directory}"))


class TooMuchError(Exception):
    """Expanding or running a script would cost more than it may."""


class Expander:
    """Expands words of one script at one state.

    Args:
        script: the path of the script that the words stand in.
        state: where variables are read and, by `${x:=y}` and `$((x++))`, set.
        environment: tells what is known of names that nothing in the script sets.
        substitute: runs a command substitution and returns what it writes.
        sources: the names of the script and of those that lead to it, the innermost first.
    """

    def __init__(
        self,
        script: str,
        state: State,
        environment: Environment,
        substitute: Substitute,
        sources: tuple[str, ...],
    ) -> None:
        self._script = script
        self._state = state
        self._environment = environment
        self._substitute = substitute
        self._sources = sources

    # Words -----------------------------------------------------------------------------------

    def fields(self, words: Iterable[tree.Word]) -> Fields:
        """Return the words that a list of words becomes, split and with arrays spliced in."""
        found: list[Field | Many] = []
        for word in words:
            found += _FieldBuilder(self, word).fields()
            if len(found) > _LONGEST_LIST:
                raise TooMuchError(f"a list of more than {_LONGEST_LIST:,} words")
        return tuple(found)

    def text(self, word: tree.Word | None) -> Text:
        """Return what a word becomes where nothing is split: the right side of an assignment."""
        return "" if word is None else concatenate(self.part(part) for part in word.parts)

    def pattern(self, word: tree.Word) -> Text:
        """Return a glob: quoted stretches stand for themselves, unquoted ones are patterns."""
        return concatenate(self._pattern_part(part) for part in word.parts)

    def _pattern_part(self, part: tree.Part) -> Text:
        if isinstance(part, tree.Literal):
            return re.sub(r"\\(.)", lambda match: patterns.quote(match[1]), part.text)
        if isinstance(part, tree.ExtendedGlob):
            return part.text
        text = self.part(part)
        if isinstance(part, tree.SingleQuoted | tree.DoubleQuoted):
            return concatenate(
                patterns.quote(piece) if isinstance(piece, str) else piece
                for piece in pieces_of(text)
            )
        return text

    def heredoc(self, redirect: tree.Redirect) -> Text:
        """Return the text of a here-document or here-string."""
        if redirect.operator == "<<<":
            return concatenate((self.text(redirect.target), "\n"))
        target = redirect.target
        quoted = target is None or not all(isinstance(p, tree.Literal) for p in target.parts)
        pieces: list[Text] = []
        for part in redirect.heredoc.parts if redirect.heredoc else ():
            if isinstance(part, tree.Literal):
                pieces.append(part.text if quoted else _ESCAPE_IN_QUOTES.sub(r"\1", part.text))
            else:
                pieces.append(self.part(part))
        return concatenate(pieces)

    def part(self, part: tree.Part) -> Text:
        """Return the text of one part of a word, unsplit."""
        match part:
            case tree.Literal():
                return _ESCAPE.sub(r"\1", part.text)
            case tree.SingleQuoted():
                return _ansi(part.text) if part.ansi else part.text
            case tree.DoubleQuoted():
                return concatenate(self.quoted_part(inner) for inner in part.parts)
            case tree.Parameter():
                return self._as_text(self.parameter(part))
            case tree.Arithmetic():
                value = self.arithmetic(part.expression)
                return value if isinstance(value, Unknown) else str(value)
            case tree.CommandSubstitution():
                return self._substitute(part.body, self._state)
            case tree.ProcessSubstitution():
                self._substitute(part.body, self._state)
                return Unknown("the name of a pipe")
            case _:
                return part.text

    def quoted_part(self, part: tree.Part) -> Text:
        """Return the text of a part inside of double quotes."""
        if isinstance(part, tree.Literal):
            return _ESCAPE_IN_QUOTES.sub(r"\1", part.text)
        return self.part(part)

    @staticmethod
    def _as_text(value: Text | Fields) -> Text:
        """Join a list with blanks, as bash does where it takes one for a single text."""
        if isinstance(value, tuple) and not isinstance(value, Unknown | Mixed):
            pieces: list[Text] = []
            for field in value:
                if pieces:
                    pieces.append(" ")
                if isinstance(field, Many):
                    pieces.append(Unknown(field.reason, field.names))
                else:
                    pieces.append(field.text)
            return concatenate(pieces)
        return value

    # Parameters ------------------------------------------------------------------------------

    def value(self, name: str) -> Value | None:
        """Return what a variable holds, None where nothing in the script has set it."""
        known = self._state.variables.get(name)
        if known is not None:
            return known
        return self._special(name)

    def _special(self, name: str) -> Value | None:
        state = self._state
        if name == "0":
            return self._environment.name
        if name == "BASH_SOURCE":
            return Array(tuple(Field(path, self._script, 0, 0) for path in self._sources))
        if name.isdigit():
            return self._positional(int(name))
        match name:
            case "#":
                if any(isinstance(field, Many) for field in state.positional):
                    return Unknown("the number of arguments is unknown")
                return str(len(state.positional))
            case "?":
                if isinstance(state.status, Unknown):
                    return Unknown(f"the status of a command: {state.status.reason}")
                return "0" if state.status else Unknown("the status of a failed command")
            case "PWD":
                return working_directory(state)
            case "$" | "!" | "-" | "_":
                return Unknown(f"`${name}` is only known when the script runs", frozenset({name}))
        if name in _OWN:
            return Unknown(f"`{name}` is set by bash when it runs", frozenset({name}))
        return None

    def _positional(self, number: int) -> Value:
        for position, field in enumerate(self._state.positional, 1):
            if isinstance(field, Many):
                return Unknown("an argument of unknown position", field.names)
            if position == number:
                return field.text
        return UNSET

    def parameter(self, node: tree.Parameter) -> Text | Fields:
        """Return the value of `${...}`: a text, or a list for `@` and `*`."""
        name = node.name
        if node.indirect:
            if node.subscript is not None and self._is_whole(node.subscript):
                return self._keys(self.value(name))
            target = self._scalar(self.value(name), name)
            if not isinstance(target, str):
                return Unknown(f"`{name}` names an unknown variable", names_in(target))
            name = target
        if node.operator == "names":
            return Unknown("the names of variables")
        if name in _WHOLE or (node.subscript is not None and self._is_whole(node.subscript)):
            return self._list(node, name)
        value: Value | None
        if node.subscript is not None:
            value = self._element(self.value(name), node.subscript, name)
        else:
            value = self.value(name)
            if isinstance(value, Array):
                value = self._at(value, 0)
            elif isinstance(value, Table):
                value = value.get("0") or UNSET
        return self._operate(node, name, value)

    @staticmethod
    def _is_whole(index: tree.Expression) -> bool:
        part = index.parts[0] if len(index.parts) == 1 else None
        return isinstance(part, tree.Literal) and part.text.strip() in _WHOLE

    def _scalar(self, value: Value | None, name: str) -> Text:
        if value is None:
            return Unknown(f"`{name}` comes from outside of the script", frozenset({name}))
        if isinstance(value, Unset):
            return ""
        if isinstance(value, Array):
            return self._scalar(self._at(value, 0), name)
        if isinstance(value, Table):
            return value.get("0") or ""
        return value

    @staticmethod
    def _at(array: Array, position: int) -> Text | Unset:
        if position < 0:
            return Unknown("an index that counts from the end")
        for number, field in enumerate(array.fields):
            if isinstance(field, Many):
                return Unknown(field.reason, field.names)
            if number == position:
                return field.text
        return UNSET

    def _element(self, value: Value | None, index: tree.Expression, name: str) -> Value | None:
        if value is None:
            return Unknown(f"`{name}` comes from outside of the script", frozenset({name}))
        if isinstance(value, Table):
            key = self.key(index)
            if not isinstance(key, str):
                return Unknown(f"an unknown key of `{name}`", names_in(value) | names_in(key))
            found = value.get(key)
            return UNSET if found is None else found
        position = self.arithmetic(index)
        if isinstance(position, Unknown):
            return Unknown(f"an unknown element of `{name}`", names_in(value) | position.names)
        if isinstance(value, Array):
            if position < 0 and not any(isinstance(field, Many) for field in value.fields):
                position += len(value.fields)
            return self._at(value, position)
        return value if position == 0 else UNSET

    def key(self, index: tree.Expression) -> Text:
        """Return the key of an associative array."""
        pieces = []
        for part in index.parts:
            text = self.part(part)
            pieces.append(text.replace('"', "").replace("'", "") if isinstance(text, str) else text)
        return concatenate(pieces)

    def _list(self, node: tree.Parameter, name: str) -> Text | Fields:
        value = self._state.positional if name in _WHOLE else self.value(name)
        fields: Fields
        if value is None:
            unknown = f"`{name}` comes from outside of the script"
            fields = (Many(unknown, frozenset({name})),)
        elif isinstance(value, Array):
            fields = value.fields
        elif isinstance(value, Table):
            fields = tuple(
                Field(text, self._script, node.start, node.end) for _, text in value.items
            )
        elif isinstance(value, Unset):
            fields = ()
        elif isinstance(value, Unknown):
            fields = (Many(value.reason, value.names),)
        elif isinstance(value, str | Mixed):
            fields = (Field(value, self._script, node.start, node.end),)
        else:
            fields = value
        return self._operate_on_list(node, fields)

    def _operate_on_list(self, node: tree.Parameter, fields: Fields) -> Text | Fields:
        gap = next((field for field in fields if isinstance(field, Many)), None)
        match node.operator:
            case "":
                return fields
            case "length":
                return Unknown(gap.reason, gap.names) if gap else str(len(fields))
            case ":-" | "-" if not fields:
                return self._argument(node)
            case ":+" | "+" if gap is None:
                return self._argument(node) if fields else ""
            case ":-" | "-" | ":?" | "?":
                return fields
            case "slice" if gap is None:
                bounds = [
                    self.arithmetic(part) if isinstance(part, tree.Expression) else None
                    for part in node.arguments
                ]
                if any(isinstance(bound, Unknown) for bound in bounds):
                    return (Many("a slice of unknown bounds"),)
                start, length = (bound if isinstance(bound, int) else None for bound in bounds)
                # `$@` counts from 1, with `$0` before it.
                first = (start or 0) - (1 if node.name in _WHOLE else 0)
                if first < 0 or (length is not None and length < 0):
                    return (Many("a slice that counts from the end"),)
                return fields[first:] if length is None else fields[first : first + length]
            case _:
                names = frozenset[str]()
                for field in fields:
                    names |= names_in(field if isinstance(field, Many) else field.text)
                return (Many(f"`{node.operator}` on a list", names),)

    def _keys(self, value: Value | None) -> Fields:
        if isinstance(value, Table):
            return tuple(Field(key, self._script, 0, 0) for key, _ in value.items)
        if isinstance(value, Array) and not any(isinstance(f, Many) for f in value.fields):
            return tuple(Field(str(at), self._script, 0, 0) for at in range(len(value.fields)))
        return (Many("the keys of an array"),)

    def _argument(self, node: tree.Parameter) -> Text:
        word = node.arguments[0] if node.arguments else None
        return self.text(word) if isinstance(word, tree.Word) else ""

    def _operate(self, node: tree.Parameter, name: str, value: Value | None) -> Text:
        operator = node.operator
        outside = value is None
        if outside:
            value = Unknown(f"`{name}` comes from outside of the script", frozenset({name}))
        text = UNSET if isinstance(value, Unset) else self._scalar(value, name)
        if operator in {":-", "-", ":=", "="}:
            default: Text | None = None
            if isinstance(text, Unset) or (text == "" and operator[0] == ":"):
                default = self._argument(node)
            elif outside and self._environment.defaults:
                given = self._argument(node)
                # An empty default only guards against an unset name: it is no decision.
                default = given if given != "" else None
            if default is None:
                if isinstance(text, Unknown):
                    self._argument(node)
                return text if not isinstance(text, Unset) else ""
            if "=" in operator and node.subscript is None:
                self._state.variables[name] = default
            return default
        if operator in {":+", "+"}:
            if isinstance(text, Unset) or (text == "" and operator[0] == ":"):
                return ""
            if is_surely_filled(text) or (operator == "+" and not isinstance(text, Unknown)):
                return self._argument(node)
            alternative = self._argument(node)
            if alternative == "":
                return ""
            return Unknown(f"whether `{name}` is set", names_in(text))
        if isinstance(text, Unset):
            text = ""
        match operator:
            case "" | ":?" | "?" | "@":
                return text
            case "length":
                if isinstance(text, str):
                    return str(len(text))
                return Unknown(f"the length of `{name}`", names_in(text))
            case "slice":
                return self._slice(node, text)
            case "#" | "##" | "%" | "%%":
                return self._trim(node, text, operator)
            case "/" | "//":
                return self._replace(node, text, operator)
            case "^^" | ",," | "^" | "," if isinstance(text, str) and node.arguments[0] is None:
                end = len(text) if len(operator) > 1 else 1
                head = text[:end].upper() if operator[0] == "^" else text[:end].lower()
                return head + text[end:]
            case _:
                return Unknown(f"`{operator}` of `{name}`", names_in(text))

    def _slice(self, node: tree.Parameter, text: Text) -> Text:
        bounds = [
            self.arithmetic(part) if isinstance(part, tree.Expression) else None
            for part in node.arguments
        ]
        start, length = bounds
        if not isinstance(text, str) or isinstance(start, Unknown) or isinstance(length, Unknown):
            return Unknown(f"a part of `{node.name}`", names_in(text))
        first = start or 0
        if first < 0:
            first = max(len(text) + first, 0)
        if length is None:
            return text[first:]
        return text[first : first + length] if length >= 0 else text[first:length]

    def _trim(self, node: tree.Parameter, text: Text, operator: str) -> Text:
        word = node.arguments[0]
        pattern = self.pattern(word) if isinstance(word, tree.Word) else ""
        if isinstance(pattern, str):
            if isinstance(text, str):
                found = patterns.without(text, pattern, operator)
                if found is not None:
                    return found
            elif isinstance(text, Mixed) and not set(pattern) & set("*?["):
                # A fixed ending that the known end of the text has: `${output%.csv}`.
                edge = text.pieces[-1] if operator[0] == "%" else text.pieces[0]
                if isinstance(edge, str):
                    if operator[0] == "%" and edge.endswith(pattern):
                        return concatenate((*text.pieces[:-1], edge[: len(edge) - len(pattern)]))
                    if operator[0] == "#" and edge.startswith(pattern):
                        return concatenate((edge[len(pattern) :], *text.pieces[1:]))
        return Unknown(f"a part of `{node.name}`", names_in(text) | names_in(pattern))

    def _replace(self, node: tree.Parameter, text: Text, operator: str) -> Text:
        original, replacement = node.arguments
        old = self.pattern(original) if isinstance(original, tree.Word) else ""
        new = self.text(replacement) if isinstance(replacement, tree.Word) else ""
        plain = isinstance(old, str) and old and not set(old) & set("*?[#%")
        if isinstance(text, str) and isinstance(old, str) and isinstance(new, str) and plain:
            return text.replace(old, new, -1 if operator == "//" else 1)
        names = names_in(text) | names_in(old) | names_in(new)
        return Unknown(f"a replacement in `{node.name}`", names)

    # Arithmetic ------------------------------------------------------------------------------

    def arithmetic(self, expression: tree.Expression) -> int | Unknown:
        """Return the value of an expression after its expansions, as bash evaluates it."""
        text = concatenate(
            part.text if isinstance(part, tree.Literal) else self.part(part)
            for part in expression.parts
        )
        if not isinstance(text, str):
            for found in ASSIGNED.finditer(display_literals(text)):
                self._state.variables[found[1] or found[2]] = Unknown("computed from an unknown")
            reasons = [piece for piece in pieces_of(text) if isinstance(piece, Unknown)]
            return Unknown(reasons[0].reason, names_in(text))
        store = _Store(self)
        value = fold(text, store)
        if isinstance(value, Unknown):
            return Unknown(value.reason, frozenset(store.unknown))
        return value


def display_literals(text: Mixed | Unknown) -> str:
    """Return the known stretches of a text, a `0` in the place of each unknown one."""
    return "".join(piece if isinstance(piece, str) else "0" for piece in pieces_of(text))


class _Store:
    """The variables of a state as the arithmetic sees them."""

    def __init__(self, expander: Expander) -> None:
        self._expander = expander
        self.unknown: set[str] = set()

    def get(self, name: str, index: str | None) -> str | Unknown | None:
        value = self._expander.value(name)
        if isinstance(value, Table):
            # Its keys are texts; arithmetic has already made a number of this one.
            value = Unknown(f"an element of `{name}`", names_in(value))
        elif isinstance(value, Array) and index is not None:
            if index.strip().isdigit():
                value = self._expander._at(value, int(index))  # noqa: SLF001 - the same module
            else:
                value = Unknown(f"an element of `{name}`", names_in(value))
        if value is None:
            self.unknown.add(name)
            return None
        if isinstance(value, Unset):
            return ""
        text = self._expander._scalar(value, name)  # noqa: SLF001
        if isinstance(text, str):
            return text
        self.unknown |= names_in(text) or {name}
        reasons = [piece for piece in pieces_of(text) if isinstance(piece, Unknown)]
        return reasons[0]

    def set(self, name: str, index: str | None, value: int | Unknown) -> None:
        variables = self._expander._state.variables  # noqa: SLF001
        if index is None:
            variables[name] = value if isinstance(value, Unknown) else str(value)
        else:
            variables[name] = Unknown(f"an element of `{name}` is computed")


class _FieldBuilder:
    """Splits one word into fields while it is expanded."""

    def __init__(self, expander: Expander, word: tree.Word) -> None:
        self._expander = expander
        self._word = word
        self._done: list[Field | Many] = []
        self._pieces: list[Text] = []
        # Quotes keep a word alive that expands to nothing.
        self._solid = False

    def fields(self) -> list[Field | Many]:
        literal = self._word.literal
        if literal is not None and "{" in literal:
            return self._braces(literal)
        for part in self._word.parts:
            self._add(part)
        self._flush()
        return self._done

    def _braces(self, literal: str) -> list[Field | Many]:
        found = _BRACES.fullmatch(literal)
        if not found or "\\" in literal:
            return [self._field(_ESCAPE.sub(r"\1", literal))]
        before, inner, after = found.groups()
        numbers = _RANGE.fullmatch(inner)
        if numbers:
            first, last = int(numbers[1]), int(numbers[2])
            step = 1 if first <= last else -1
            items = [str(number) for number in range(first, last + step, step)][:_LONGEST_LIST]
        elif "," in inner:
            items = inner.split(",")
        else:
            return [self._field(literal)]
        if "{" in after:
            return [Many("a brace expansion")]
        return [self._field(before + item + after) for item in items]

    def _field(self, text: Text) -> Field:
        return Field(text, self._expander._script, self._word.start, self._word.end)  # noqa: SLF001

    def _add(self, part: tree.Part) -> None:
        match part:
            case tree.Parameter():
                self._add_value(self._expander.parameter(part))
            case tree.CommandSubstitution():
                self._split(self._expander.part(part))
            case tree.DoubleQuoted():
                self._add_quoted(part)
            case _:
                self._pieces.append(self._expander.part(part))
                self._solid = True

    def _add_quoted(self, quoted: tree.DoubleQuoted) -> None:
        self._solid = True
        for part in quoted.parts:
            if isinstance(part, tree.Parameter):
                value = self._expander.parameter(part)
                if isinstance(value, tuple) and not isinstance(value, Unknown | Mixed):
                    at_sign = part.name == "@" or (
                        part.subscript is not None and "@" in _source(part)
                    )
                    if at_sign:
                        self._splice(value, alone=len(quoted.parts) == 1)
                    else:
                        self._pieces.append(Expander._as_text(value))  # noqa: SLF001
                    continue
                self._pieces.append(value)
            else:
                self._pieces.append(self._expander.quoted_part(part))

    def _splice(self, fields: Fields, *, alone: bool) -> None:
        """Put the words of a list in; text around it sticks to the first and the last."""
        if alone and not any(piece != "" for piece in self._pieces):
            # `"${list[@]}"` alone: no words at all where the list is empty.
            self._pieces, self._solid = [], False
            self._done += fields
            return
        for number, field in enumerate(fields):
            if number:
                self._flush()
            if isinstance(field, Many):
                self._pieces.append(Unknown(field.reason, field.names))
            else:
                self._pieces.append(field.text)
            self._solid = True

    def _add_value(self, value: Text | Fields) -> None:
        if isinstance(value, tuple) and not isinstance(value, Unknown | Mixed):
            for number, field in enumerate(value):
                if number:
                    self._flush()
                if isinstance(field, Many):
                    self._flush()
                    self._done.append(field)
                else:
                    self._split(field.text)
            return
        self._split(value)

    def _split(self, text: Text) -> None:
        splits_as_usual = "IFS" not in self._expander._state.variables  # noqa: SLF001
        for piece in pieces_of(text):
            if isinstance(piece, Unknown):
                self._pieces.append(piece)
                continue
            if not splits_as_usual:
                self._pieces.append(Unknown("words are split by an `IFS` of its own"))
                continue
            for number, stretch in enumerate(re.split(f"[{_BLANKS}]+", piece)):
                if number:
                    self._flush()
                if stretch:
                    self._pieces.append(stretch)

    def _flush(self) -> None:
        if self._pieces or self._solid:
            text = concatenate(self._pieces)
            if isinstance(text, Unknown) and not self._solid:
                self._done.append(Many(text.reason, text.names))
            elif text != "" or self._solid:
                self._done.append(self._field(text))
        self._pieces, self._solid = [], False


def _source(part: tree.Parameter) -> str:
    inner = part.subscript.parts if part.subscript else ()
    return "".join(item.text for item in inner if isinstance(item, tree.Literal))


def _ansi(text: str) -> Text:
    if any(found[1] not in _ANSI for found in _ANSI_ESCAPE.finditer(text)):
        return Unknown("an escape of `$'...'`")
    return _ANSI_ESCAPE.sub(lambda found: _ANSI[found[1]], text)
