"""Parameters: `$name` and `${name...}` with all of bash's operators, and what bash itself sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infx_lint.documents import shell_tree as tree
from infx_lint.shell import patterns
from infx_lint.shell.state import State
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
)

if TYPE_CHECKING:
    from infx_lint.shell.expansion import Expander

_WHOLE = ("@", "*")
# What bash itself sets; never known before a run.
_OWN = frozenset(
    {
        *("RANDOM", "SECONDS", "LINENO", "BASHPID", "PPID", "UID", "EUID", "HOSTNAME", "OLDPWD"),
        *("PIPESTATUS", "FUNCNAME", "EPOCHSECONDS", "EPOCHREALTIME", "BASH_VERSION", "OSTYPE"),
        *("COLUMNS", "LINES", "REPLY", "IFS"),
    }
)
# The folder that paths of the repository are relative to; a node mounts it where it likes.
REPOSITORY = Unknown("where the repository lies on the machine", frozenset({"PWD"}))


def working_directory(state: State) -> Text:
    """Return the current folder as bash names it: by an absolute path."""
    if state.directory is None:
        return Unknown("the current folder", frozenset({"PWD"}))
    if state.directory.startswith("/"):
        return state.directory
    return concatenate((REPOSITORY, f"/{state.directory}"))


def as_text(value: Text | Fields) -> Text:
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


def value_of(expander: Expander, name: str) -> Value | None:
    """Return what a variable holds, None where nothing in the script has set it."""
    known = expander.state.variables.get(name)
    if known is not None:
        return known
    return _special(expander, name)


def _special(expander: Expander, name: str) -> Value | None:
    state = expander.state
    if name == "0":
        return expander.environment.name
    if name == "BASH_SOURCE":
        return Array(tuple(Field(path, expander.script, 0, 0) for path in expander.sources()))
    if name.isdigit():
        return _positional(expander, int(name))
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


def _positional(expander: Expander, number: int) -> Value:
    for position, field in enumerate(expander.state.positional, 1):
        if isinstance(field, Many):
            return Unknown("an argument of unknown position", field.names)
        if position == number:
            return field.text
    return UNSET


def parameter(expander: Expander, node: tree.Parameter) -> Text | Fields:
    """Return the value of `${...}`: a text, or a list for `@` and `*`."""
    name = node.name
    if node.indirect:
        if node.subscript is not None and _is_whole(node.subscript):
            return _keys(expander, value_of(expander, name))
        target = scalar(value_of(expander, name), name)
        if not isinstance(target, str):
            return Unknown(f"`{name}` names an unknown variable", names_in(target))
        name = target
    if node.operator == "names":
        return Unknown("the names of variables")
    if name in _WHOLE or (node.subscript is not None and _is_whole(node.subscript)):
        return _list(expander, node, name)
    value: Value | None
    if node.subscript is not None:
        value = _element(expander, value_of(expander, name), node.subscript, name)
    else:
        value = value_of(expander, name)
        if isinstance(value, Array):
            value = element_at(value, 0)
        elif isinstance(value, Table):
            value = value.get("0") or UNSET
    return _operate(expander, node, name, value)


def _is_whole(index: tree.Expression) -> bool:
    part = index.parts[0] if len(index.parts) == 1 else None
    return isinstance(part, tree.Literal) and part.text.strip() in _WHOLE


def scalar(value: Value | None, name: str) -> Text:
    """Return the text of a variable that is taken for one: an array stands for its first."""
    if value is None:
        return Unknown(f"`{name}` comes from outside of the script", frozenset({name}))
    if isinstance(value, Unset):
        return ""
    if isinstance(value, Array):
        return scalar(element_at(value, 0), name)
    if isinstance(value, Table):
        return value.get("0") or ""
    return value


def element_at(array: Array, position: int) -> Text | Unset:
    """Return an element of an array, counted from 0."""
    if position < 0:
        return Unknown("an index that counts from the end")
    for number, field in enumerate(array.fields):
        if isinstance(field, Many):
            return Unknown(field.reason, field.names)
        if number == position:
            return field.text
    return UNSET


def _element(
    expander: Expander, value: Value | None, index: tree.Expression, name: str
) -> Value | None:
    if value is None:
        return Unknown(f"`{name}` comes from outside of the script", frozenset({name}))
    if isinstance(value, Table):
        key = expander.key(index)
        if not isinstance(key, str):
            return Unknown(f"an unknown key of `{name}`", names_in(value) | names_in(key))
        found = value.get(key)
        return UNSET if found is None else found
    position = expander.arithmetic(index)
    if isinstance(position, Unknown):
        return Unknown(f"an unknown element of `{name}`", names_in(value) | position.names)
    if isinstance(value, Array):
        if position < 0 and not any(isinstance(field, Many) for field in value.fields):
            position += len(value.fields)
        return element_at(value, position)
    return value if position == 0 else UNSET


def _list(expander: Expander, node: tree.Parameter, name: str) -> Text | Fields:
    value = expander.state.positional if name in _WHOLE else value_of(expander, name)
    fields: Fields
    if value is None:
        unknown = f"`{name}` comes from outside of the script"
        fields = (Many(unknown, frozenset({name})),)
    elif isinstance(value, Array):
        fields = value.fields
    elif isinstance(value, Table):
        fields = tuple(
            Field(text, expander.script, node.start, node.end) for _, text in value.items
        )
    elif isinstance(value, Unset):
        fields = ()
    elif isinstance(value, Unknown):
        fields = (Many(value.reason, value.names),)
    elif isinstance(value, str | Mixed):
        fields = (Field(value, expander.script, node.start, node.end),)
    else:
        fields = value
    return _operate_on_list(expander, node, fields)


def _operate_on_list(expander: Expander, node: tree.Parameter, fields: Fields) -> Text | Fields:
    gap = next((field for field in fields if isinstance(field, Many)), None)
    match node.operator:
        case "":
            return fields
        case "length":
            return Unknown(gap.reason, gap.names) if gap else str(len(fields))
        case ":-" | "-" if not fields:
            return _argument(expander, node)
        case ":+" | "+" if gap is None:
            return _argument(expander, node) if fields else ""
        case ":-" | "-" | ":?" | "?":
            return fields
        case "slice" if gap is None:
            bounds = [
                expander.arithmetic(part) if isinstance(part, tree.Expression) else None
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


def _keys(expander: Expander, value: Value | None) -> Fields:
    if isinstance(value, Table):
        return tuple(Field(key, expander.script, 0, 0) for key, _ in value.items)
    if isinstance(value, Array) and not any(isinstance(f, Many) for f in value.fields):
        return tuple(Field(str(at), expander.script, 0, 0) for at in range(len(value.fields)))
    return (Many("the keys of an array"),)


def _argument(expander: Expander, node: tree.Parameter) -> Text:
    word = node.arguments[0] if node.arguments else None
    return expander.text(word) if isinstance(word, tree.Word) else ""


def _operate(expander: Expander, node: tree.Parameter, name: str, value: Value | None) -> Text:
    operator = node.operator
    outside = value is None
    if outside:
        value = Unknown(f"`{name}` comes from outside of the script", frozenset({name}))
    text = UNSET if isinstance(value, Unset) else scalar(value, name)
    if operator in {":-", "-", ":=", "="}:
        default: Text | None = None
        if isinstance(text, Unset) or (text == "" and operator[0] == ":"):
            default = _argument(expander, node)
        elif outside and expander.environment.defaults:
            given = _argument(expander, node)
            # An empty default only guards against an unset name: it is no decision.
            default = given if given != "" else None
        if default is None:
            if isinstance(text, Unknown):
                _argument(expander, node)
            return text if not isinstance(text, Unset) else ""
        if "=" in operator and node.subscript is None:
            expander.state.variables[name] = default
        return default
    if operator in {":+", "+"}:
        if isinstance(text, Unset) or (text == "" and operator[0] == ":"):
            return ""
        if is_surely_filled(text) or (operator == "+" and not isinstance(text, Unknown)):
            return _argument(expander, node)
        alternative = _argument(expander, node)
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
            return _slice(expander, node, text)
        case "#" | "##" | "%" | "%%":
            return _trim(expander, node, text, operator)
        case "/" | "//":
            return _replace(expander, node, text, operator)
        case "^^" | ",," | "^" | "," if isinstance(text, str) and node.arguments[0] is None:
            end = len(text) if len(operator) > 1 else 1
            head = text[:end].upper() if operator[0] == "^" else text[:end].lower()
            return head + text[end:]
        case _:
            return Unknown(f"`{operator}` of `{name}`", names_in(text))


def _slice(expander: Expander, node: tree.Parameter, text: Text) -> Text:
    bounds = [
        expander.arithmetic(part) if isinstance(part, tree.Expression) else None
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


def _trim(expander: Expander, node: tree.Parameter, text: Text, operator: str) -> Text:
    word = node.arguments[0]
    pattern = expander.pattern(word) if isinstance(word, tree.Word) else ""
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


def _replace(expander: Expander, node: tree.Parameter, text: Text, operator: str) -> Text:
    original, replacement = node.arguments
    old = expander.pattern(original) if isinstance(original, tree.Word) else ""
    new = expander.text(replacement) if isinstance(replacement, tree.Word) else ""
    plain = isinstance(old, str) and old and not set(old) & set("*?[#%")
    if isinstance(text, str) and isinstance(old, str) and isinstance(new, str) and plain:
        return text.replace(old, new, -1 if operator == "//" else 1)
    names = names_in(text) | names_in(old) | names_in(new)
    return Unknown(f"a replacement in `{node.name}`", names)
