"""What is a claim and what is not, shape by shape, and what amounts agree with."""

from types import SimpleNamespace
from typing import Any

import pytest

from infx_lint.claims.amounts import amount_of
from infx_lint.claims.claim import Verdict, judge_points, listed
from infx_lint.claims.facts import Place, Quantity, Reading, Row, Side
from infx_lint.claims.grammar import claims_of
from infx_lint.claims.wording import MOST_SENTENCES
from infx_lint.documents.comment_blocks import CommentBlock
from infx_lint.finding import Span
from infx_lint.paths import RepoPath


def block(text):
    lines = text.split("\n")
    return CommentBlock(text, tuple((at + 1, 2) for at in range(len(lines))), 1, is_trailing=False)


def found(text, shape):
    """Return what the claims of a shape are about, and whether each is believed at once."""
    return [
        (" ".join(text[claim.start : claim.end].split()), claim.key[1:], not claim.is_cautious)
        for claim in claims_of(block(text))
        if claim.shape == shape
    ]


AMOUNTS = [
    ("32k", "32768", True),
    ("32K", "32000", True),
    ("1M", "1048576", True),
    ("15 min", "900000", True),
    ("3 hours", "10800", True),
    ("25 %", "0.25", True),
    ("4GB", "4", True),
    ("270 GB", "276480", True),
    ("1,048,576", "1048576", True),
    ("~256k", "262144", True),
    ("~256k", "131072", False),
    ("0.9", "0.90", True),
    ("0.9", "0.89", False),
    ("4", "16", False),
    ("8192", "auto", None),
    ("2", "'2'", True),
]


@pytest.mark.parametrize(("said", "value", "answer"), AMOUNTS)
def test_amounts(said, value, answer):
    amount = amount_of(said)
    assert amount is not None
    assert amount.agrees(value) is answer


@pytest.mark.parametrize("text", ["v0.5", "0.5.1", "12abc", "", "k", "1,2"])
def test_what_is_no_amount(text):
    assert amount_of(text) is None


VALUES = [
    ("the batch is capped: max-num-seqs=4 below the rest", [("max-num-seqs=4", True)]),
    ("--block-size 128 is mandatory", [("--block-size 128", True)]),
    (
        "Max-model-len is pinned at 800k per the recipe.",
        [("Max-model-len is pinned at 800k", True)],
    ),
    ("MAX_TOKENS lowered to 0.75", [("MAX_TOKENS lowered to 0.75", True)]),
    ("mem-fraction 0.8 -> 0.9 for the graphs", [("mem-fraction 0.8 -> 0.9", True)]),
    ("--kv-cache-dtype=fp8 throughout", [("--kv-cache-dtype=fp8", False)]),
    ("so set page-size=128 on the node", [("page-size=128", False)]),
    ("true -> chunked-prefill 8192", [("chunked-prefill 8192", False)]),
    # Not of the present, or not of this file.
    ("mem-fraction was 0.8", []),
    ("was mem-fraction 0.8", []),
    ("if mem-fraction 0.8 is too much", []),
    ("mem-fraction 0.8 (default)", []),
    ("the sibling runs mem-fraction 0.8", []),
    ("as recipe_b200.sh does with mem-fraction 0.8", []),
    ("observed at mem-fraction 0.8", []),
    ("not mem-fraction 0.8", []),
    ("mem-fraction 0.8 or 0.9", []),
    ("that release tripped over it (mem-fraction 0.8 + graphs)", []),
    ("mem-fraction 0.8/0.9", []),
    ("page-size 4x the block", []),
    ("released in v0.8", []),
    ("at tp=8, conc=4", []),
    ("x-y 12.3.4", []),
    # Code that was switched off.
    ("export PAGE_SIZE=128", []),
    ("--page-size 64 \\", []),
    ("#   page-size=64 there", []),
]


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_values(text, expected):
    assert [(quote, is_sure) for quote, _, is_sure in found(text, "value")] == expected


IMAGES = [
    ("Image is v0.5.10-cu130 everywhere", [("v0.5.10-cu130", True)]),
    ("Image bumped to v0.5.10", [("v0.5.10", True)]),
    ("uses the cu129 image", [("cu129", True)]),
    ("container set to org/name:v0.2.1 for all", [("v0.2.1", True)]),
    ("the same 20260701 build", [("20260701", True)]),
    ("this recipe pins v0.5.16-cu130", [("v0.5.16-cu130", True)]),
    ("baked into the perf container image", [("perf", False)]),
    ("v0.20.0-cu130 has the full set of kernels", [("v0.20.0-cu130", False)]),
    ("only exists from v0.5.16", []),
    ("merged in v0.22.0", []),
    ("needs v0.22.0 or newer", []),
    ("v0.22.0+ has it", []),
    ("previously the v0.4.1 image", []),
    ("vLLM v0.20.0 rounds up", []),
    ("stays on the v0.5.8 release", []),
    ("the images (org/name:hopper and its forks)", []),
    ("see https://example.org/v0.5.1/x", []),
]


@pytest.mark.parametrize(("text", "expected"), IMAGES)
def test_images(text, expected):
    assert [(quote, is_sure) for quote, _, is_sure in found(text, "image")] == expected


TOPOLOGIES = [
    ("1P2D DEP8", [("1P2D", (1, 2, False)), ("DEP8", ("", "DEP", 8, False))]),
    (
        "1p2d DEP4+TEP8, 5n: conc 512",
        [
            ("1p2d", (1, 2, False)),
            ("DEP4", ("prefill", "DEP", 4, False)),
            ("TEP8", ("decode", "TEP", 8, False)),
            ("5n", (5,)),
        ],
    ),
    (
        "one prefill worker at DEP8 and 2 decode workers at TP4",
        [
            ("one prefill worker", (1, None, True)),
            ("DEP8", ("prefill", "DEP", 8, False)),
            ("2 decode workers", (None, 2, True)),
            ("TP4", ("decode", "TP", 4, False)),
        ],
    ),
    (
        "Prefill: 5 workers @ TP4",
        [("Prefill: 5 workers", (5, None, True)), ("TP4", ("prefill", "TP", 4, False))],
    ),
    ("TP=8 ONLY", [("TP=8", ("", "TP", 8, True))]),
    (
        "DEP8-prefill / DEP16-decode",
        [
            ("DEP8", ("prefill", "DEP", 8, False)),
            ("DEP16", ("decode", "DEP", 16, False)),
        ],
    ),
    ("the 1p1d block", []),
    ("7p1d-dep8 is a file", []),
    ("4p3d (3 decode workers) skipped", []),
    ("see sibling 1p6d for why", []),
    ("TP=4 decode workers", [("TP=4", ("decode", "TP", 4, False))]),
    ("TP8 decode is no better", []),
    ("it works under TP4+EP4", []),
    ("decode was at TP8", []),
]


@pytest.mark.parametrize(("text", "expected"), TOPOLOGIES)
def test_topologies(text, expected):
    assert [(quote, key) for quote, key, _ in found(text, "topology")] == expected


CONCURRENCIES = [
    ("concurrencies (1,4,8) only", [("concurrencies (1,4,8)", True)]),
    ("8k1k concurrency 1024/2048/3072.", [("concurrency 1024/2048/3072", True)]),
    ("TP8 sweeps conc 4-64; the rest", [("conc 4-64", True)]),
    ("TP4 -- conc 16-256 with EAGLE", [("conc 16-256", True)]),
    ("the window conc 29-35", [("conc 29-35", False)]),
    ("keep CONC=1 until then", [("CONC=1", False)]),
    ("the max conc (32) of the config", [("max conc (32)", True)]),
    ("(32 < CONC <= 128): balanced", [("32 < CONC <= 128", True)]),
    ("MTP (6 points)", [("(6 points)", False)]),
    ("the c1/c2/c4 curve", [("c1/c2/c4", True)]),
    ("conc 4-8 is bound by latency", [("conc 4-8", False)]),
    ("the expected cliffs are conc 6, 18, and 47", []),
    ("conc 64/128 measured on the node", []),
    ("Recipe runs concurrencies=8x32x64", []),
    ("conc 4-8 %", []),
]


@pytest.mark.parametrize(("text", "expected"), CONCURRENCIES)
def test_concurrencies(text, expected):
    claims = [(quote, is_sure) for quote, _, is_sure in found(text, "concurrency")]
    assert claims == expected


SPECULATIONS = [
    ("EAGLE (3,1,4) here", ["EAGLE (3,1,4)"]),
    (
        "num-steps 3 / eagle-topk 1 / num-draft-tokens 4",
        ["num-steps 3 / eagle-topk 1 / num-draft-tokens 4"],
    ),
    ("three draft tokens", ["three draft tokens"]),
    ("(num_speculative_tokens=3)", ["num_speculative_tokens=3"]),
    ("MTP3 for all", ["MTP3"]),
    ("depth 2", ["depth 2"]),
    ("q = num_speculative_tokens+1", []),
    ("would take 4 draft tokens", []),
]


@pytest.mark.parametrize(("text", "expected"), SPECULATIONS)
def test_speculation(text, expected):
    assert [quote for quote, _, _ in found(text, "speculation")] == expected


UNSET = [
    ("AITER_LOG is deliberately left unset.", ["AITER_LOG"]),
    ("AITER_LOG must not be set", ["AITER_LOG"]),
    ("Do not set AITER_LOG here", ["AITER_LOG"]),
    ("No AITER_LOG: it fails", ["AITER_LOG"]),
    ("AITER_LOG is for others; this build raises an error if it is set.", ["AITER_LOG"]),
    ("--foo-bar is not set", ["--foo-bar"]),
    ("When MODEL_PATH is unset the name is used", []),
    ("AITER_LOG is set", []),
]


@pytest.mark.parametrize(("text", "expected"), UNSET)
def test_unset(text, expected):
    assert [key[0] for _, key, _ in found(text, "unset")] == expected


def test_three_names_are_a_table_of_knobs():
    table = "Knobs:\n   PAGE_SIZE   64\n   BLOCK_SIZE   128  (why)\n   GRAPH_MODE   full"
    assert [key[0] for _, key, _ in found(table, "knob")] == [
        "PAGE_SIZE",
        "BLOCK_SIZE",
        "GRAPH_MODE",
    ]
    assert found("Knobs:\n   PAGE_SIZE   64\n   BLOCK_SIZE   128", "knob") == []


def test_words_that_may_be_values():
    text = "FULL_DECODE_ONLY graphs, triton_unfused experts, a_b/c and $NAME_X"
    assert [quote for quote, _, _ in found(text, "mode")] == ["FULL_DECODE_ONLY", "triton_unfused"]


def test_a_claim_is_the_same_wherever_it_stands():
    first, second = (
        claims_of(block(text))[0] for text in ("thus max-num=4", "so max-num=4 when\nfull")
    )
    assert first.key == second.key
    assert (first.start, first.is_fact) != (second.start, second.is_fact)


PLACE = Place(RepoPath("a.sh"), Span(1, 1, 1, 2))
POINT_CASES = [
    (["4", "4"], Verdict.TRUE, ""),
    (["4", "8"], Verdict.PARTLY, "8"),
    (["8", "16"], Verdict.FALSE, "8 or 16"),
    (["8", None], Verdict.UNKNOWN, "8"),
    (["4", None], Verdict.UNKNOWN, ""),
    ([None, None], Verdict.UNKNOWN, ""),
    ([], Verdict.ABSENT, ""),
]


@pytest.mark.parametrize(("values", "verdict", "actual"), POINT_CASES)
def test_a_claim_is_judged_at_every_point(values, verdict, actual):
    readings = tuple(Reading(f"CONC={at}", value, PLACE) for at, value in enumerate(values))
    judged = judge_points([Quantity("n", readings)], "4".__eq__)
    assert (judged.verdict, judged.actual) == (verdict, actual)
    assert len(judged.rows) == len(values)


def test_one_value_of_several_is_enough_at_a_point():
    readings = (Reading("CONC=1", "8", PLACE), Reading("CONC=1", "4", PLACE))
    assert judge_points([Quantity("n", readings)], "4".__eq__).verdict is Verdict.TRUE


def test_a_point_without_a_value_disagrees():
    readings = (Reading("CONC=1", "4", PLACE),)
    judged = judge_points([Quantity("n", readings)], "4".__eq__, ("CONC=1", "CONC=2"))
    assert judged.verdict is Verdict.PARTLY
    assert judged.rows == (("CONC=1", "4"), ("CONC=2", "not set"))


def test_lists_for_a_sentence():
    assert listed(["1"]) == "1"
    assert listed(["1", "2", "1", "3"]) == "1, 2 or 3"
    assert listed(map(str, range(20))) == "0, 1, 2, 3, 4, 5, 6, 7 …"


def test_what_is_no_prose_costs_nothing():
    assert claims_of(block("max-num-seqs=4 " * 80)) == ()
    many = claims_of(block("max-num-seqs=4 is kept.\n\n" * (2 * MOST_SENTENCES)))
    assert len(many) == MOST_SENTENCES


@pytest.mark.parametrize(("nodes", "verdict"), [(None, Verdict.UNKNOWN), (1, Verdict.FALSE)])
def test_letters_may_count_nodes_that_are_not_known(nodes, verdict):
    sides = (Side("prefill", 15, 15, 4, 4), Side("decode", 1, nodes, 12, 12))
    (claim,) = claims_of(block("15P+3D"))
    facts: Any = SimpleNamespace(rows=(Row(sides, (8,), PLACE),))
    assert claim.judge(facts).verdict is verdict
