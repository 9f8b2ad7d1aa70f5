"""Schemas of the linted repository, rebuilt from the Python source of the linted commit.

Its pydantic models are read with libcst: field names and aliases (also through the `Fields`
enum), types, defaults, bounds, `extra="forbid"`, and the relations that validators check, as far
as they are conditions over fields that raise `ValueError`. From those facts a pydantic model of
our own is made. The facts are plain JSON values, so that they can be cached by blob id: libcst
is imported only for a source that was never seen, in a process of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from infx_lint.cache import FactCache
from infx_lint.finding import Span
from infx_lint.paths import RepoPath
from infx_lint.snapshot import Snapshot
from infx_lint.worker import StoppedError, read_confined

if TYPE_CHECKING:
    from pydantic import BaseModel

Json: TypeAlias = Any
FACTS_VERSION = 3
MAX_SOURCE_BYTES = 1_000_000


class Violation(NamedTuple):
    """One reason why a value is refused.

    Attributes:
        route: field names and list positions from the value to the offence; empty for a
            relation between fields, whose names are then in `fields`.
        kind: pydantic's error type (`missing`, `extra_forbidden`, `list_type`, ...), or
            `relation`.
        message: what is wrong, in pydantic's or the repository's own words.
    """

    route: tuple[str | int, ...]
    kind: str
    message: str
    fields: tuple[str, ...] = ()


class Schema(NamedTuple):
    """The schema of one class of the linted repository.

    Attributes:
        facts: see `infx_lint.domain.schema_source.read_class`.
        path: the file it was read from; None for the copy that ships with the linter.
        cache: verdicts from earlier runs.
    """

    name: str
    facts: Mapping[str, Json]
    path: RepoPath | None
    cache: FactCache

    @property
    def field_names(self) -> tuple[str, ...]:
        """Return the names of the fields as they are written in YAML."""
        return tuple(field["alias"] or field["name"] for field in self.facts["fields"])

    def is_required(self, field: str) -> bool:
        """Tell whether a field, named as in YAML, must be given."""
        return any(
            fact["required"]
            for fact in self.facts["fields"]
            if field in (fact["alias"], fact["name"])
        )

    def span(self, field: str | None = None) -> Span:
        """Return the place of a field, or of the class, in its source."""
        place = self.facts["place"]
        for fact in self.facts["fields"]:
            if field is not None and field in (fact["alias"], fact["name"]):
                place = fact["place"]
        return Span(*place)

    def violations(self, value: object) -> Iterator[Violation]:
        """Yield why `value` is refused, in the order of its fields."""
        for route, kind, message, fields in self._judge(value):
            yield Violation(tuple(route), kind, message, tuple(fields))

    def _judge(self, value: object) -> list[list[Any]]:
        """Return the violations as JSON, from an earlier run where this very value was judged.

        Loading pydantic costs more than everything else that a usual run does.
        """
        import hashlib

        facts = {"schema": self.facts, "value": value}
        try:
            known = json.dumps(facts, sort_keys=True, ensure_ascii=True)
        except (TypeError, ValueError):  # a date, bytes, keys that cannot be sorted
            return list(self._validate(value))
        digest = hashlib.sha256(known.encode()).hexdigest()
        return list(self.cache.get("verdict", digest, lambda: list(self._validate(value))))

    def _validate(self, value: object) -> Iterator[list[Any]]:
        from pydantic import ValidationError

        try:
            model = self._model.model_validate(value)
        except ValidationError as error:
            for problem in error.errors(
                include_url=False, include_context=False, include_input=False
            ):
                yield [list(problem["loc"]), problem["type"], problem["msg"], []]
            return
        values = model.__dict__
        for relation in self.facts["relations"]:
            if _holds(relation["condition"], values):
                aliases = {
                    fact["name"]: fact["alias"] or fact["name"] for fact in self.facts["fields"]
                }
                named = [
                    aliases[name]
                    for name in fields_of(relation["condition"])
                    if name in aliases and name in model.model_fields_set
                ]
                yield [[], "relation", relation["message"], named]

    def explain(self, violation: Violation) -> str:
        """Say a violation in one sentence, without a full stop."""
        route = "".join(
            f"[{step}]" if isinstance(step, int) else f".{step}" for step in violation.route
        ).lstrip(".")
        if violation.kind == "relation":
            return violation.message.rstrip(".")
        if violation.kind == "missing":
            return f"`{route}` is missing"
        if violation.kind == "extra_forbidden":
            from difflib import get_close_matches

            near = get_close_matches(route, self.field_names, n=1)
            return f"there is no field `{route}`" + (
                f" (did you mean `{near[0]}`?)" if near else ""
            )
        message = violation.message[:1].lower() + violation.message[1:]
        return f"`{route}`: {message}" if route else message

    def check(self) -> None:
        """Build the model once, to see that it can be built; raise what pydantic raises."""
        _ = self._model

    @property
    def _model(self) -> type[BaseModel]:
        """Make the pydantic model. Field names are plain attributes, aliases as in the source."""
        from pydantic import ConfigDict, Field, create_model

        fields: dict[str, Any] = {}
        for fact in self.facts["fields"]:
            bounds = {name: value for name, value in fact["bounds"].items() if value is not None}
            if not fact["required"]:
                bounds["default"] = fact["default"]
            if fact["alias"]:
                bounds["alias"] = fact["alias"]
            fields[fact["name"]] = (_python_type(fact["type"]), Field(**bounds))
        config = ConfigDict(
            extra=self.facts["extra"],
            populate_by_name=self.facts["populate_by_name"],
            protected_namespaces=(),
        )
        return create_model(self.name, __config__=config, **fields)


def find_schema(
    tree: Snapshot, sources: Iterable[RepoPath], name: str, cache: FactCache
) -> Schema | None:
    """Look a class up by name among the Python files of a tree; None where none has it.

    Raises:
        StoppedError: the file that names the class could not be read within our limits.
    """
    marker = f"class {name}(".encode()
    for path in sources:
        source = tree.read(path)
        if marker not in source:
            continue
        if len(source) > MAX_SOURCE_BYTES:
            raise StoppedError(f"`{path.display()}` is larger than {MAX_SOURCE_BYTES:,} bytes")

        def read(path: RepoPath = path, source: bytes = source) -> Json:
            try:
                return read_confined("infx_lint.domain.schema_source:read_class", source, name)
            except StoppedError as error:
                raise StoppedError(f"`{path.display()}`: {error}") from None

        facts = cache.get(f"schema-{FACTS_VERSION}-{name}", tree.blob(path), read)
        if facts is not None:
            return Schema(name, facts, path, cache)
    return None


def builtin_schema(name: str, cache: FactCache) -> Schema:
    """Return the copy that ships with the linter, for trees without a readable source."""
    from importlib import resources

    text = resources.files("infx_lint.data").joinpath("schemas.json").read_text(encoding="utf-8")
    return Schema(name, json.loads(text)["schemas"][name], None, cache)


def _python_type(fact: Json) -> Any:  # noqa: ANN401, PLR0911 - typing constructs; one return a kind
    """Turn a type fact (`["list", ["str"]]`) into the type it stands for."""
    from typing import Any as Anything
    from typing import Literal, Optional, Union

    kind, *rest = fact
    if kind in ("str", "int", "float", "bool"):
        return {"str": str, "int": int, "float": float, "bool": bool}[kind]
    if kind == "none":
        return None
    if kind == "literal":
        return Literal[tuple(rest)]
    if kind == "list":
        return list[_python_type(rest[0])]  # type: ignore[misc] # built at run time
    if kind == "dict":
        return dict[_python_type(rest[0]), _python_type(rest[1])]  # type: ignore[misc]
    if kind == "optional":
        return Optional[_python_type(rest[0])]  # noqa: UP045 - built at run time
    if kind == "union":
        return Union[tuple(_python_type(part) for part in rest)]  # noqa: UP007
    return Anything


def _holds(condition: Json, values: Mapping[str, object]) -> bool:
    return bool(_evaluate(condition, values))


def _evaluate(condition: Json, values: Mapping[str, object]) -> object:  # noqa: PLR0911
    """Evaluate a condition fact: `["and", a, b]`, `["is", a, null]`, `["field", name]`, ..."""
    kind, *rest = condition
    if kind == "field":
        return values[rest[0]]
    if kind == "value":
        return rest[0]
    if kind == "not":
        return not _evaluate(rest[0], values)
    if kind == "and":
        return all(_evaluate(part, values) for part in rest)
    if kind == "or":
        return any(_evaluate(part, values) for part in rest)
    left, right = (_evaluate(part, values) for part in rest)
    if kind == "==":
        return left == right
    if kind == "!=":
        return left != right
    if kind == "is":
        return left is right
    return left is not right


def fields_of(condition: Json) -> Iterator[str]:
    """Yield the names of the fields that a condition tests."""
    kind, *rest = condition
    if kind == "field":
        yield rest[0]
    elif kind != "value":
        for part in rest:
            yield from fields_of(part)
