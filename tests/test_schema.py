import textwrap

import pytest

from infx_lint.cache import FactCache
from infx_lint.domain.schema import Schema, builtin_schema
from infx_lint.domain.schema_source import read_class
from infx_lint.finding import Span
from infx_lint.paths import RepoPath
from tests.harness import LAYOUTS

LINK = "https://github.com/SemiAnalysisAI/InferenceX/pull/1"
GOOD = {"config-keys": ["a"], "description": ["b"], "pr-link": LINK}


def schema_of(source: str, name: str = "Entry") -> Schema:
    facts = read_class(textwrap.dedent(source).encode(), name)
    assert facts is not None
    return Schema(name, facts, RepoPath("validation.py"), FactCache())


def kinds(schema: Schema, value) -> list[tuple]:
    return [(violation.route, violation.kind) for violation in schema.violations(value)]


@pytest.mark.parametrize(
    "file",
    ["b/utils/matrix_logic/validation.py", "d/inferencex-e2e/infx/matrix/validation.py"],
)
def test_both_styles_of_the_repository_read_alike(file):
    facts = read_class((LAYOUTS / file).read_bytes(), "ChangelogEntry")
    assert facts is not None
    assert facts["unread"] == []
    schema = Schema("ChangelogEntry", facts, RepoPath(file), FactCache())
    assert kinds(schema, GOOD) == []
    assert schema.is_required("pr-link")
    assert not schema.is_required("evals-only")
    assert kinds(schema, GOOD | {"eval-min-prefill-ep": 0}) == [
        (("eval-min-prefill-ep",), "greater_than_equal")
    ]
    assert kinds(schema, GOOD | {"scenario-type": []}) == [(("scenario-type",), "too_short")]
    assert kinds(schema, GOOD | {"scenario-type": None, "eval-min-prefill-ep": None}) == []
    assert kinds(schema, GOOD | {"scenario-type": ["x"]}) == [
        (("scenario-type", 0), "literal_error")
    ]


def test_builtin_copy_knows_todays_fields():
    schema = builtin_schema("ChangelogEntry", FactCache())
    assert schema.path is None
    assert kinds(schema, GOOD | {"no-evals": True}) == []
    assert kinds(schema, GOOD | {"no-evals": True, "evals-only": True}) == [((), "relation")]


def test_aliases_through_an_enum_defaults_and_bounds():
    schema = schema_of(
        """
        from typing import Annotated, Any, Dict, Optional, Union
        class Fields(Enum):
            NAME = "the-name"
        class Base(BaseModel):
            model_config = ConfigDict(extra="forbid")
            version: int = 3
        class Entry(Base):
            name: str = Field(alias=Fields.NAME.value, pattern="^x")
            size: Annotated[int, Field(gt=0, le=8)]
            parts: Dict[str, float] = Field(default_factory=dict)
            either: Union[int, None] = None
            anything: Any = None
        """
    )
    assert kinds(schema, {"the-name": "x", "size": 8}) == []
    assert kinds(schema, {"name": "x", "size": 8}) == [
        (("the-name",), "missing"),
        (("name",), "extra_forbidden"),
    ]
    assert kinds(schema, {"the-name": "y", "size": 9}) == [
        (("the-name",), "string_pattern_mismatch"),
        (("size",), "less_than_equal"),
    ]
    assert kinds(schema, {"the-name": "x", "size": 1, "parts": {"a": "b"}, "version": "v"}) == [
        (("version",), "int_parsing"),
        (("parts", "a"), "float_parsing"),
    ]
    assert kinds(schema, {"the-name": "x", "size": "many"}) == [(("size",), "int_parsing")]
    assert schema.field_names == ("version", "the-name", "size", "parts", "either", "anything")


def test_what_is_not_understood_is_said_and_demanded_of_nobody():
    schema = schema_of(
        """
        class Entry(BaseModel):
            name: Literal[COMPUTED]
            link: HttpUrl = Field(alias=make_alias())

            @model_validator(mode="after")
            def check(self):
                for name in self.names:
                    raise ValueError(name)
                return self
        """
    )
    assert schema.facts["unread"] == ["link: alias", "type HttpUrl", "validator check"]
    assert kinds(schema, {"name": 1, "link": 2}) == []


def test_private_attributes_and_relations_over_them_are_left_out():
    schema = schema_of(
        """
        class Entry(BaseModel):
            a: int
            _seen: int = 3

            @model_validator(mode="after")
            def check(self):
                if self._seen and self.a:
                    raise ValueError("seen")
                return self
        """
    )
    assert kinds(schema, {"a": 1}) == []
    assert schema.facts["unread"] == ["relation “seen”"]


def test_relation_names_the_fields_that_were_given():
    schema = schema_of(
        """
        class Entry(BaseModel):
            model_config = ConfigDict(populate_by_name=True)
            a: bool = Field(alias="a-field", default=False)
            b: bool = False
            c: Optional[int] = None

            @model_validator(mode="after")
            def check(self):
                if self.a and not (self.b or self.c is None):
                    raise ValueError("a needs b")
                return self
        """
    )
    (violation,) = schema.violations({"a-field": True, "c": 3})
    assert (violation.message, violation.fields) == ("a needs b", ("a-field", "c"))
    assert kinds(schema, {"a-field": True, "c": None}) == []


def test_place_of_a_field_in_its_source():
    schema = schema_of(
        "class Entry(BaseModel):\n    one: int\n    two: int = Field(\n        ge=1\n    )\n"
    )
    assert schema.span("two") == Span(3, 5, 5, 6)
    assert schema.span().line == 1


@pytest.mark.parametrize("source", ["def broken(:\n", "x = 1\n", "\udcff"])
def test_source_without_the_class(source):
    assert read_class(source.encode("utf-8", "surrogateescape"), "Entry") is None


def test_explanations_name_the_nearest_field():
    schema = builtin_schema("ChangelogEntry", FactCache())
    (violation,) = schema.violations(GOOD | {"scenario-types": []})
    assert schema.explain(violation) == (
        "there is no field `scenario-types` (did you mean `scenario-type`?)"
    )
