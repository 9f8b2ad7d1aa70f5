"""Reads pydantic models out of Python source with libcst. The only user of `python_file`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import libcst as cst
import libcst.matchers as m

from infx_lint.cache import FactCache
from infx_lint.documents.python_file import PythonFile, UnreadablePython, parse_python
from infx_lint.domain.schema import Schema, fields_of

Json: TypeAlias = Any

_BOUNDS = ("min_length", "max_length", "ge", "gt", "le", "lt", "multiple_of", "pattern", "strict")
_SIMPLE_TYPES = {"str": ["str"], "int": ["int"], "float": ["float"], "bool": ["bool"]}
_UNKNOWN: Json = object()


def read_class(source: bytes, name: str) -> Json | None:
    """Return the facts of a pydantic model, or None where the source has no such class.

    The facts are `place`, `extra` (`allow`, `forbid` or `ignore`), `populate_by_name`, `fields`
    (each with `name`, `alias`, `type`, `required`, `default`, `bounds`, `place`), `relations`
    (each a `condition` that must not hold, with its `message`) and `unread`: what could not be
    understood and is therefore not demanded of anybody.
    """
    file = parse_python(source)
    if isinstance(file, UnreadablePython) or name not in file.classes:
        return None
    facts = _ClassReader(file).read(name)
    # A model that pydantic cannot build (a broken pattern, a bound without sense) demands nothing.
    Schema(name, facts, None, FactCache()).check()
    return facts


class _ClassReader:
    def __init__(self, file: PythonFile) -> None:
        self._file = file
        self._unread: list[str] = []

    def read(self, name: str) -> Json:
        node = self._file.classes[name]
        facts: dict[str, Json] = {
            "place": self._file.place(node),
            "extra": "ignore",
            "populate_by_name": False,
            "fields": [],
            "relations": [],
        }
        for base in self._bases(node):
            inherited = self.read(base)
            facts |= {key: inherited[key] for key in ("extra", "populate_by_name", "relations")}
            facts["fields"] += inherited["fields"]
        for statement in node.body.body:
            if isinstance(statement, cst.FunctionDef):
                facts["relations"] += self._relations(statement)
            elif isinstance(statement, cst.SimpleStatementLine):
                for small in statement.body:
                    self._read_statement(small, facts, self._file.place(statement))
        known = {field["name"] for field in facts["fields"]}
        for relation in [*facts["relations"]]:
            if not known.issuperset(fields_of(relation["condition"])):
                facts["relations"].remove(relation)
                self._unread.append(f"relation “{relation['message']}”")
        facts["unread"] = sorted(set(self._unread))
        return facts

    def _bases(self, node: cst.ClassDef) -> Iterator[str]:
        for argument in node.bases:
            if isinstance(argument.value, cst.Name) and argument.value.value in self._file.classes:
                yield argument.value.value

    def _read_statement(
        self, node: cst.BaseSmallStatement, facts: dict[str, Json], place: list[int]
    ) -> None:
        if m.matches(node, m.Assign(targets=[m.AssignTarget(m.Name("model_config"))])):
            call = cst.ensure_type(node, cst.Assign).value
            for argument in call.args if isinstance(call, cst.Call) else ():
                keyword = argument.keyword.value if argument.keyword else ""
                if keyword in ("extra", "populate_by_name"):
                    value = self._literal(argument.value)
                    if value is not _UNKNOWN:
                        facts[keyword] = value
                elif keyword == "validate_by_name" and self._literal(argument.value) is True:
                    facts["populate_by_name"] = True
        elif isinstance(node, cst.AnnAssign) and isinstance(node.target, cst.Name):
            if node.target.value.startswith("_"):  # a private attribute, no field
                return
            field = self._field(node, node.target.value, place)
            facts["fields"] = [f for f in facts["fields"] if f["name"] != field["name"]] + [field]

    def _field(self, node: cst.AnnAssign, name: str, place: list[int]) -> Json:
        annotation, metadata = self._split_annotated(node.annotation.annotation)
        field: dict[str, Json] = {
            "name": name,
            "alias": None,
            "type": self._type(annotation),
            "required": node.value is None,
            "default": None,
            "bounds": {},
            "place": place,
        }
        calls = [call for call in metadata if m.matches(call, m.Call(func=m.Name("Field")))]
        if node.value is not None and m.matches(node.value, m.Call(func=m.Name("Field"))):
            field["required"] = True
            calls.append(node.value)
        elif node.value is not None:
            self._set_default(field, node.value)
        for call in calls:
            self._read_field_call(field, cst.ensure_type(call, cst.Call))
        return field

    def _read_field_call(self, field: dict[str, Json], call: cst.Call) -> None:
        for argument in call.args:
            keyword = argument.keyword.value if argument.keyword else "default"
            if keyword == "default":
                if not isinstance(argument.value, cst.Ellipsis):
                    self._set_default(field, argument.value)
            elif keyword == "default_factory":
                field["required"] = False
            elif keyword in ("alias", "validation_alias"):
                alias = self._literal(argument.value)
                if isinstance(alias, str):
                    field["alias"] = alias
                else:
                    self._give_up(field, keyword)
            elif keyword in _BOUNDS:
                value = self._literal(argument.value)
                if value is _UNKNOWN:
                    self._give_up(field, keyword)
                else:
                    field["bounds"][keyword] = value

    def _set_default(self, field: dict[str, Json], node: cst.BaseExpression) -> None:
        value = self._literal(node)
        field["required"] = False
        field["default"] = None if value is _UNKNOWN else value

    def _give_up(self, field: dict[str, Json], what: str) -> None:
        self._unread.append(f"{field['name']}: {what}")

    @staticmethod
    def _split_annotated(
        node: cst.BaseExpression,
    ) -> tuple[cst.BaseExpression, list[cst.BaseExpression]]:
        """Take `Annotated[type, ...]` apart."""
        if m.matches(node, m.Subscript(value=m.Name("Annotated"))):
            parts = [
                element.slice.value
                for element in cst.ensure_type(node, cst.Subscript).slice
                if isinstance(element.slice, cst.Index)
            ]
            return parts[0], parts[1:]
        return node, []

    def _type(self, node: cst.BaseExpression) -> Json:  # noqa: PLR0911 - one return a construct
        """Return a type fact; `["any"]` for what is not understood, which then accepts anything."""
        if isinstance(node, cst.Name):
            if node.value in _SIMPLE_TYPES:
                return _SIMPLE_TYPES[node.value]
            if node.value == "None":
                return ["none"]
            if node.value in ("list", "List"):
                return ["list", ["any"]]
            if node.value in ("dict", "Dict"):
                return ["dict", ["any"], ["any"]]
        elif isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitOr):
            return ["union", self._type(node.left), self._type(node.right)]
        elif isinstance(node, cst.Subscript):
            return self._generic(node)
        elif isinstance(node, cst.SimpleString):  # a quoted annotation
            return self._type(cst.parse_expression(str(node.evaluated_value)))
        if not (isinstance(node, cst.Name) and node.value in ("Any", "object")):
            self._unread.append(f"type {self._file.module.code_for_node(node)}")
        return ["any"]

    def _generic(self, node: cst.Subscript) -> Json:  # noqa: PLR0911 - as above
        name = node.value.attr if isinstance(node.value, cst.Attribute) else node.value
        parts = [
            element.slice.value for element in node.slice if isinstance(element.slice, cst.Index)
        ]
        kind = name.value if isinstance(name, cst.Name) else ""
        if kind == "Literal":
            values = [self._literal(part) for part in parts]
            return ["any"] if _UNKNOWN in values else ["literal", *values]
        inner = [self._type(part) for part in parts]
        if kind in ("list", "List", "Sequence"):
            return ["list", inner[0]]
        if kind in ("dict", "Dict", "Mapping"):
            return ["dict", *inner[:2]]
        if kind == "Optional":
            return ["optional", inner[0]]
        if kind == "Union":
            return ["union", *inner]
        if kind == "Annotated":
            return inner[0]
        self._unread.append(f"type {self._file.module.code_for_node(node)}")
        return ["any"]

    def _literal(self, node: cst.BaseExpression) -> Json:
        """Return the value of a literal, or of a member of an enum of the same module."""
        if isinstance(node, (cst.SimpleString, cst.ConcatenatedString, cst.Integer, cst.Float)):
            return node.evaluated_value
        if isinstance(node, cst.Name) and node.value in ("True", "False", "None"):
            return {"True": True, "False": False, "None": None}[node.value]
        if m.matches(node, m.UnaryOperation(operator=m.Minus(), expression=m.Integer())):
            operand = cst.ensure_type(node, cst.UnaryOperation).expression
            return -int(cst.ensure_type(operand, cst.Integer).evaluated_value)
        # Fields.PR_LINK.value
        if m.matches(node, m.Attribute(m.Attribute(m.Name(), m.Name()), m.Name("value"))):
            member = cst.ensure_type(cst.ensure_type(node, cst.Attribute).value, cst.Attribute)
            return self._enum(cst.ensure_type(member.value, cst.Name).value).get(
                member.attr.value, _UNKNOWN
            )
        return _UNKNOWN

    def _enum(self, name: str) -> Mapping[str, Json]:
        node = self._file.classes.get(name)
        members: dict[str, Json] = {}
        for statement in node.body.body if node else ():
            for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
                if isinstance(small, cst.Assign) and isinstance(small.targets[0].target, cst.Name):
                    members[small.targets[0].target.value] = self._literal(small.value)
        return members

    # Relations

    def _relations(self, function: cst.FunctionDef) -> Iterator[Json]:
        """Yield `if <condition over self's fields>: raise ValueError(<text>)` of a validator."""
        decorators = {
            decorator.decorator.func.value
            for decorator in function.decorators
            if isinstance(decorator.decorator, cst.Call)
            and isinstance(decorator.decorator.func, cst.Name)
        }
        if not decorators & {"model_validator", "field_validator"}:
            return
        for statement in function.body.body:
            if isinstance(statement, cst.If) and statement.orelse is None:
                condition = self._condition(statement.test)
                message = self._raised(statement.body)
                if condition is not _UNKNOWN and message is not None:
                    yield {"condition": condition, "message": message}
                    continue
            elif m.matches(
                statement, m.SimpleStatementLine(body=[m.Return() | m.Expr(m.SimpleString())])
            ):
                continue
            self._unread.append(f"validator {function.name.value}")

    def _raised(self, body: cst.BaseSuite) -> str | None:
        if not isinstance(body, cst.IndentedBlock) or len(body.body) != 1:
            return None
        line = body.body[0]
        if not m.matches(
            line, m.SimpleStatementLine(body=[m.Raise(exc=m.Call(func=m.Name("ValueError")))])
        ):
            return None
        statement = cst.ensure_type(
            cst.ensure_type(line, cst.SimpleStatementLine).body[0], cst.Raise
        )
        arguments = cst.ensure_type(statement.exc, cst.Call).args
        text = self._literal(arguments[0].value) if len(arguments) == 1 else _UNKNOWN
        return text if isinstance(text, str) else None

    def _condition(self, node: cst.BaseExpression) -> Json:
        """Return a condition fact, or `_UNKNOWN` where any part is more than a test of fields."""
        if m.matches(node, m.Attribute(value=m.Name("self"))):
            return ["field", cst.ensure_type(node, cst.Attribute).attr.value]
        if isinstance(node, cst.BooleanOperation):
            parts = [self._condition(node.left), self._condition(node.right)]
            kind = "and" if isinstance(node.operator, cst.And) else "or"
            return _UNKNOWN if _UNKNOWN in parts else [kind, *parts]
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
            part = self._condition(node.expression)
            return _UNKNOWN if part is _UNKNOWN else ["not", part]
        if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
            target = node.comparisons[0]
            for operator, kind in (
                (cst.Is, "is"),
                (cst.IsNot, "is not"),
                (cst.Equal, "=="),
                (cst.NotEqual, "!="),
            ):
                if isinstance(target.operator, operator):
                    parts = [self._condition(node.left), self._condition(target.comparator)]
                    return _UNKNOWN if _UNKNOWN in parts else [kind, *parts]
            return _UNKNOWN
        value = self._literal(node)
        return _UNKNOWN if value is _UNKNOWN else ["value", value]
