"""Assignments and declarations: what a variable holds afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infx_lint.documents import shell_tree as tree
from infx_lint.shell.expansion import Expander
from infx_lint.shell.state import State
from infx_lint.shell.trace import Assigned
from infx_lint.shell.value import (
    UNSET,
    Array,
    Field,
    Many,
    Table,
    Text,
    Unknown,
    Value,
    concatenate,
    names_in,
    with_origin,
)

if TYPE_CHECKING:
    from infx_lint.shell.execution import Run


def declare(run: Run, node: tree.Declaration, state: State) -> State | None:
    """Run `export`, `local`, `declare` and the like."""
    options = "".join(word.literal or "" for word in node.options)
    state.status = True
    for assignment in node.assignments:
        name = assignment.name
        is_local = node.variant == "local" or (
            node.variant in {"declare", "typeset"} and len(run.frames) > 1 and "g" not in options
        )
        if is_local and run.frame.callers:
            run.frame.outer.setdefault(name, state.variables.get(name))
            if assignment.naked:
                state.variables[name] = Array(()) if "a" in options else UNSET
        if not assignment.naked:
            assign(run, assignment, state, table="A" in options)
        elif "A" in options:
            state.variables[name] = Table(())
        elif "a" in options and name not in state.variables:
            state.variables[name] = Array(())
        if node.variant == "export" or "x" in options:
            if "n" in options:
                state.exported -= {name}
            else:
                state.exported |= {name}
        if node.variant in {"local", "declare", "typeset"} and {"i", "n"} & set(options):
            state.variables[name] = Unknown(f"`{name}` is declared with an attribute")
    # `export "$NAME=$VALUE"`: an assignment that only shows when it is expanded.
    for field in run.expander(state).fields(
        tuple(word for word in node.options if not (word.literal or "").startswith(("-", "+")))
    ):
        _declare_expanded(node, field, state)
    return state


def _declare_expanded(node: tree.Declaration, field: Field | Many, state: State) -> None:
    text = field.text if isinstance(field, Field) else Unknown(field.reason, field.names)
    if isinstance(text, str):
        name, equals, value = text.partition("=")
        if equals:
            state.variables[name] = value
        if node.variant == "export":
            state.exported |= {name}
    elif not isinstance(text, Unknown) and isinstance(text.pieces[0], str):
        name, equals, value = text.pieces[0].partition("=")
        if equals:
            state.variables[name] = concatenate((value, *text.pieces[1:]))
            if node.variant == "export":
                state.exported |= {name}


def assign(run: Run, node: tree.Assignment, state: State, *, table: bool = False) -> None:
    """Give a variable its value."""
    expander = run.expander(state)
    name = node.name
    before = expander.value(name)
    value: Value
    if node.elements is not None:
        value = _array(run, node, before, expander, table=table or isinstance(before, Table))
    else:
        text = expander.text(node.value)
        if node.subscript is not None:
            value = _with_element(run, node, before, text, expander)
        elif node.append:
            value = _appended(run, name, before, text, node)
        elif isinstance(before, Array) and before.fields:
            first = Field(text, run.frame.script, node.start, node.end)
            value = Array((first, *before.fields[1:]))
        else:
            value = text
    value = with_origin(value, name)
    state.variables[name] = value
    run.assignments.append(
        Assigned(name, value, run.frame.script, node.start, node.end, state.guards)
    )


def _appended(
    run: Run, name: str, before: Value | None, text: Text, node: tree.Assignment
) -> Value:
    if before is None:
        before = Unknown(f"`{name}` comes from outside of the script", frozenset({name}))
    if isinstance(before, Array):
        if not before.fields:
            return Array((Field(text, run.frame.script, node.start, node.end),))
        return Unknown(f"`{name}` is appended to as a text", names_in(before))
    if isinstance(before, Table):
        return Unknown(f"`{name}` is appended to as a text", names_in(before))
    return concatenate(("" if before is UNSET else before, text))


def _array(
    run: Run, node: tree.Assignment, before: Value | None, expander: Expander, *, table: bool
) -> Value:
    elements = node.elements or ()
    if table or any(element.subscript is not None for element in elements):
        items: dict[str, Text] = {}
        if node.append and isinstance(before, Table):
            items.update(before.items)
        for position, element in enumerate(elements):
            key = expander.key(element.subscript) if element.subscript else str(position)
            if not isinstance(key, str):
                return Unknown(f"a key of `{node.name}` is unknown", names_in(key))
            items[key] = expander.text(element.value)
        if not table and not all(key.isdigit() for key in items):
            return Unknown(f"`{node.name}` is an array with computed positions")
        if table:
            return Table(tuple(items.items()))
        in_order = [items.get(str(at)) for at in range(len(items))]
        if any(item is None for item in in_order):
            return Unknown(f"`{node.name}` is an array with gaps")
        return Array(
            tuple(
                Field(item, run.frame.script, node.start, node.end)
                for item in in_order
                if item is not None
            )
        )
    fields = expander.fields(element.value for element in elements)
    if not node.append:
        return Array(fields)
    if before is None:
        why = f"`{node.name}` comes from outside of the script"
        return Array((Many(why, frozenset({node.name})), *fields))
    if isinstance(before, Array):
        return Array((*before.fields, *fields))
    if before is UNSET or before == "":
        return Array(fields)
    if isinstance(before, Table):
        return Unknown(f"`{node.name}` is an associative array")
    if isinstance(before, Unknown):
        return Array((Many(before.reason, before.names), *fields))
    first = Field(before, run.frame.script, node.start, node.end)
    return Array((first, *fields))


def _with_element(
    run: Run, node: tree.Assignment, before: Value | None, text: Text, expander: Expander
) -> Value:
    if node.subscript is None:
        raise TypeError(node.name)
    if isinstance(before, Table):
        key = expander.key(node.subscript)
        if not isinstance(key, str):
            return Unknown(f"a key of `{node.name}` is unknown", names_in(key))
        items = dict(before.items)
        items[key] = concatenate((items.get(key, ""), text)) if node.append else text
        return Table(tuple(items.items()))
    position = expander.arithmetic(node.subscript)
    if isinstance(before, Array) and isinstance(position, int):
        fields = list(before.fields)
        whole = not any(isinstance(field, Many) for field in fields)
        field = Field(text, run.frame.script, node.start, node.end)
        if whole and not node.append and 0 <= position < len(fields):
            fields[position] = field
            return Array(tuple(fields))
        if whole and position == len(fields):
            return Array((*fields, field))
    return Unknown(f"an element of `{node.name}` is assigned", frozenset({node.name}))
