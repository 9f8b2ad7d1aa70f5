"""Recipes: base and override merged, zip blocks expanded, every value with its place."""

import pytest

from infx_lint.claims.facts import DECODE, PREFILL, WHOLE, Side
from infx_lint.documents.yaml_file import YamlFile, parse_yaml
from infx_lint.domain.recipe import MOST_VARIANTS, inner_values, is_recipe, variants_of

BUNDLE = """\
base:
  name: all
  resources:
    gpus_per_node: 8
  roles:
    prefill: { nodes: 1, workers: 1, gpus: 8, args: { tp-size: 8, max-batch: 64, list: [1, 2] } }
    decode: { nodes: 1, workers: 1, gpus: 8, args: { tp-size: 8, drop-me: 1 } }
override_wide:
  roles:
    prefill: { args: { list: [3] } }
    decode: { nodes: 2, workers: 2, args: { dp-size: 8, drop-me: } }
zip_override_depth:
  name: [low, high]
  roles:
    decode: { args: { depth: [1, 3], max-batch: 32, graphs: [[1, 2], [4]] } }
"""


def parse(text):
    file = parse_yaml(text.encode())
    assert isinstance(file, YamlFile)
    return file


def values(variant):
    return {".".join(leaf.route): leaf.value for leaf in variant.leaves}


def test_variants_of_a_bundle():
    wide, low, high = variants_of(parse(BUNDLE))
    assert [one.selector for one in (wide, low, high)] == [
        "override_wide",
        "zip_override_depth[0]",
        "zip_override_depth[1]",
    ]
    assert (wide.first_line, wide.last_line) == (8, 11)
    assert (low.first_line, low.last_line) == (high.first_line, high.last_line) == (12, 15)


def test_mappings_merge_lists_replace_and_nothing_removes():
    wide, *_ = variants_of(parse(BUNDLE))
    merged = values(wide)
    assert merged["roles.prefill.args.tp-size"] == "8"
    assert merged["roles.decode.workers"] == "2"
    assert "roles.decode.args.drop-me" not in merged
    texts = [leaf.value for leaf in wide.leaves if leaf.route[-2:] == ("list", "[]")]
    assert texts == ["3"]


def test_a_zip_block_takes_one_element_for_each_variant():
    _, low, high = variants_of(parse(BUNDLE))
    assert values(low)["name"] == "low"
    assert values(high)["name"] == "high"
    depth = [values(one)["roles.decode.args.depth"] for one in (low, high)]
    assert depth == ["1", "3"]
    assert values(high)["roles.decode.args.max-batch"] == "32"
    graphs = [leaf.value for leaf in high.leaves if leaf.route[-2:-1] == ("graphs",)]
    assert graphs == ["4"]


def test_a_value_has_the_place_where_it_is_written():
    wide, low, _ = variants_of(parse(BUNDLE))
    own, inherited = wide.get("roles", "decode", "workers"), low.get("roles", "decode", "workers")
    assert own is not None
    assert inherited is not None
    assert own.span.line == 11
    assert inherited.span.line == 7


def test_sides_of_both_schemas():
    wide, *_ = variants_of(parse(BUNDLE))
    assert wide.sides == (
        Side(PREFILL, 1, 1, 8, None, None, 8, dp_attention=False),
        Side(DECODE, 2, 2, 8, None, 8, 8, dp_attention=True),
    )
    older = parse(
        "resources: { gpus_per_node: 4, prefill_nodes: 2, prefill_workers: 1, agg_workers: 1 }\n"
        "backend:\n"
        "  vllm_config:\n"
        "    prefill: { tensor-parallel-size: 1, data-parallel-size: 8,"
        " enable-expert-parallel: true }\n"
        "    aggregated: { tensor-parallel-size: 4 }\n"
        "benchmark: { concurrencies: 4x8x16 }\n"
    )
    (only,) = variants_of(older)
    assert only.selector == ""
    assert only.sides == (
        Side(PREFILL, 1, 2, 1, 8, 8, 8, dp_attention=True),
        Side(WHOLE, 1, None, 4, None, None, None, dp_attention=False),
    )
    assert only.concurrencies == (4, 8, 16)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (BUNDLE, True),
        ("resources: { }\n", True),
        ("roles: { }\n", True),
        ("base: { }\nother: { }\n", False),
        ("labels: [a]\n", False),
        ("- a\n", False),
        ("", False),
    ],
)
def test_what_is_a_recipe(text, answer):
    assert is_recipe(parse(text)) is answer


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- a\n",
        "base: 1\noverride_a: 2\n",
        "base: { a: 1 }\noverride_a:\n",
        "base: { a: 1 }\nzip_override_a: { a: [] }\n",
        "base: &x { a: *x }\noverride_a: { b: *x }\n",
        "resources: [1]\nroles: 3\n",
    ],
)
def test_odd_shapes_are_read_as_far_as_they_go(text):
    for variant in variants_of(parse(text)):
        assert variant.sides == ()
        assert variant.concurrencies == ()


def test_a_bundle_has_a_limit():
    numbers = ", ".join(map(str, range(MOST_VARIANTS * 2)))
    text = f"base: {{ a: 1 }}\nzip_override_a: {{ a: [{numbers}] }}\n"
    assert len(list(variants_of(parse(text)))) == MOST_VARIANTS


def test_values_inside_json():
    text = '{"method": "mtp", "num_speculative_tokens": 3, "deep": {"on": true, "rate": 0.5}}'
    assert dict(inner_values(text)) == {
        "method": "mtp",
        "num_speculative_tokens": "3",
        "on": "true",
        "rate": "0.5",
    }
    # Of text that is known in parts only.
    assert dict(inner_values('{"mode":"FULL","sizes":[')) == {"mode": "FULL"}
    assert dict(inner_values("plain")) == {}


def test_a_number_of_any_length_is_no_reason_to_fail():
    digits = "9" * 5000
    text = f"resources: {{ agg_workers: {digits} }}\nbenchmark: {{ concurrencies: 4x{digits} }}\n"
    (only,) = variants_of(parse(text))
    assert only.sides == ()
    assert only.concurrencies == (4,)
