"""Config rows, the scripts that they start and the environments that they give."""

import pytest

from infx_lint.cache import FactCache
from infx_lint.change import FileMode, TreeEntry
from infx_lint.documents.yaml_file import YamlFile, parse_yaml
from infx_lint.domain.points import MOST_POINTS, MOST_ROWS, Row, row_from, rows_of
from infx_lint.domain.project import Project
from infx_lint.finding import Side
from infx_lint.paths import RepoPath
from infx_lint.snapshot import ParseCache, Snapshot

MASTER = RepoPath("configs/nvidia-master.yaml")
OLD_MASTER = RepoPath(".github/configs/nvidia-master.yaml")
ROW = "{ tp: 8, conc-list: [1] }"
KEY = """\
{name}:
  image: vllm/vllm-openai:v0.14.0
  model: deepseek-ai/DeepSeek-R1-0528
  model-prefix: dsr1
  runner: {runner}
  precision: fp8
  framework: {framework}
  multinode: false
  scenarios:
    {scenario}:
    - {shape}
      search-space:
      - {row}
"""
FIXED_NAMES = {
    "IMAGE": "vllm/vllm-openai:v0.14.0",
    "MODEL_PREFIX": "dsr1",
    "PRECISION": "fp8",
    "FRAMEWORK": "vllm",
    "ISL": "8192",
    "OSL": "1024",
    "TP": "8",
    "EP_SIZE": "1",
    "PP_SIZE": "1",
    "DCP_SIZE": "1",
    "PCP_SIZE": "1",
    "GPU_COUNT": "8",
    "DP_ATTENTION": "false",
    "SPEC_DECODING": "none",
}
OF_TODAY = {"SCENARIO_TYPE": "fixed-seq-len", "IS_AGENTIC": "0"}


def key(
    row: str = ROW,
    *,
    name: str = "dsr1-fp8",
    runner: str = "b200",
    framework: str = "vllm",
    agentic: bool = False,
) -> str:
    return KEY.format(
        name=name,
        runner=runner,
        framework=framework,
        scenario="agentic-coding" if agentic else "fixed-seq-len",
        shape="dram-utilization: 0.8" if agentic else "isl: 8192\n      osl: 1024",
        row=row,
    )


def old_key(row: str = ROW) -> str:
    """Return a key of before May 2026."""
    return key(row).replace("  scenarios:\n    fixed-seq-len:", "  seq-len-configs:")


def rows(text: str) -> list[Row]:
    file = parse_yaml(text.encode())
    assert isinstance(file, YamlFile)
    return [row_from(facts, MASTER) for facts in rows_of(file)]


def project(files: dict[str, str], cache: FactCache | None = None) -> Project:
    entries = {
        RepoPath(path): TreeEntry(RepoPath(path), FileMode.FILE, None)
        for path in ("perf-changelog.yaml", *files)
    }
    tree = Snapshot(
        Side.HEAD, lambda: entries, lambda entry: files[entry.path].encode(), ParseCache()
    )
    return Project(tree, cache or FactCache())


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("{ tp: 8, conc-start: 4, conc-end: 64 }", (4, 8, 16, 32, 64)),
        ("{ tp: 8, conc-start: 4, conc-end: 48 }", (4, 8, 16, 32, 48)),
        ("{ tp: 8, conc-start: 3, conc-end: 7 }", (3, 6, 7)),
        ("{ tp: 8, conc-start: 16, conc-end: 16 }", (16,)),
        ("{ tp: 8, conc-list: [1, 6, 12] }", (1, 6, 12)),
        ("{ tp: 8, conc-list: [256, 4] }", (256, 4)),
        ("{ tp: 8, conc-list: [], conc-start: 1, conc-end: 2 }", (1, 2)),
    ],
)
def test_concurrencies(row, expected):
    (found,) = rows(key(row))
    assert found.concurrencies == expected
    assert [point.environment["CONC"] for point in found.points()] == [str(c) for c in expected]
    assert all(point.row is found for point in found.points())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (key(), ("dsr1_fp8_b200_vllm.sh", "dsr1_fp8_b200.sh")),
        (
            key("{ tp: 8, conc-list: [1], spec-decoding: mtp }", runner="b200-dgxc"),
            ("dsr1_fp8_b200_vllm_mtp.sh", "dsr1_fp8_b200_mtp.sh"),
        ),
        (
            key("{ tp: 8, conc-list: [1], spec-decoding: draft_model }"),
            ("dsr1_fp8_b200_vllm.sh", "dsr1_fp8_b200.sh"),
        ),
        (
            key(runner="cluster:mi300x-amds", framework="sglang"),
            ("dsr1_fp8_mi300x_sglang.sh", "dsr1_fp8_mi300x.sh"),
        ),
        (key(framework="trt"), ("dsr1_fp8_b200_trt.sh",)),
        (key(runner="mi355x", framework="atom"), ("dsr1_fp8_mi355x_atom.sh",)),
        (
            key(runner="rtx6000pro-lat").replace("prefix: dsr1", "prefix: dsr1_x"),
            ("dsr1_fp8_rtx6000pro_vllm.sh", "dsr1_fp8_rtx6000pro.sh"),
        ),
    ],
)
def test_names_of_scripts(text, names):
    (found,) = rows(text)
    assert found.scripts == names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (key(), {**FIXED_NAMES, **OF_TODAY}),
        # Before May 2026 nothing told scenarios apart.
        (old_key(), FIXED_NAMES),
        (
            key("{ tp: 4, pp: 2, pcp-size: 3, dcp-size: 4, ep: 8, dp-attn: true, conc-list: [1] }"),
            {
                **FIXED_NAMES,
                **OF_TODAY,
                "TP": "4",
                "EP_SIZE": "8",
                "PP_SIZE": "2",
                "DCP_SIZE": "4",
                "PCP_SIZE": "3",
                "GPU_COUNT": "24",
                "DP_ATTENTION": "true",
            },
        ),
        (
            key("{ tp: 8, ep: null, dp-attn: null, spec-decoding: mtp, conc-list: [1] }"),
            {**FIXED_NAMES, **OF_TODAY, "SPEC_DECODING": "mtp"},
        ),
    ],
)
def test_environment_of_fixed_lengths(text, expected):
    (found,) = rows(text)
    assert found.environment == expected
    assert found.scenario == "fixed-seq-len"
    assert not found.is_agentic


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("kv-offloading: none", {"KV_OFFLOADING": "none", "KV_OFFLOAD_BACKEND": ""}),
        (
            "kv-offloading: dram, kv-offload-backend: { name: hicache, version: '1' }",
            {"KV_OFFLOADING": "dram", "KV_OFFLOAD_BACKEND": "hicache"},
        ),
        (
            "kv-offloading: dram, kv-offload-backend: lmcache",
            {"KV_OFFLOADING": "dram", "KV_OFFLOAD_BACKEND": "lmcache"},
        ),
        (
            "kv-offloading: [dram, nvme], kv-offload-backend: { name: mooncake }",
            {"KV_OFFLOADING": "dram+nvme", "KV_OFFLOAD_BACKEND": "mooncake"},
        ),
        ("offloading: cpu", {"OFFLOADING": "cpu"}),
        ("ep: 1", {"OFFLOADING": "none"}),
    ],
)
def test_environment_of_agentic_rows(fields, expected):
    (found,) = rows(key(f"{{ tp: 8, {fields}, conc-list: [1] }}", agentic=True))
    lengths = dict.fromkeys(("ISL", "OSL", "MAX_MODEL_LEN"), "0")
    names = {"SCENARIO_TYPE": "agentic-coding", "IS_AGENTIC": "1"}
    assert found.environment == {**FIXED_NAMES, **names, **lengths, **expected}
    assert found.is_agentic


def test_the_place_of_a_row():
    text = key()
    (found,) = rows(text)
    line = text.splitlines()[found.span.line - 1]
    assert line[found.span.column - 1 : found.span.end_column - 1] == ROW


@pytest.mark.parametrize(
    "text",
    [
        key().replace("multinode: false", "multinode: true"),
        key().replace("multinode: false", "multinode: [false]"),
        key().replace("multinode: false", "disagg: true"),
        key("{ tp: 8 }"),
        key("{ conc-list: [1] }"),
        key("{ tp: 8, conc-list: [a, 0, -1, true] }"),
        key("{ tp: 8, conc-list: [[1]] }"),
        key("{ tp: 8, conc-list: 4 }"),
        key("{ tp: 8, conc-start: 8, conc-end: 4 }"),
        key("{ tp: 8, conc-start: 0, conc-end: 4 }"),
        key("{ tp: 8, conc-start: 1, conc-end: 9999999999999999999999999999 }"),
        key("{ tp: true, conc-list: [1] }"),
        key("{ tp: 0x" + "f" * 5000 + ", conc-list: [1] }"),
        key("{ tp: " + "9" * 5000 + ", conc-list: [1] }"),
        key("{ tp: 1e3, conc-list: [1] }"),
        key("{ tp: !!int x, conc-list: [1] }"),
        key("{ tp: 8, ep: [1], conc-list: [1] }"),
        key("{ tp: 8, dp-attn: sometimes, conc-list: [1] }"),
        key("{ tp: 8, spec-decoding: 3, conc-list: [1] }"),
        key("{ tp: 8, kv-offloading: [[x]], conc-list: [1] }", agentic=True),
        key("{ <<: { tp: 4 }, tp: 8, conc-list: [1] }"),
        key("{ tp: 8, conc-list: [1], srt-recipe: recipes/dsr1.yaml }"),
        key("{ prefill: { tp: 8 }, decode: { tp: 8 }, conc-list: [1] }"),
        key("just text"),
        key("[ tp, 8 ]"),
        key().replace("runner: b200", "runner: [b200]"),
        key().replace("  runner: b200\n", ""),
        key().replace("framework: vllm", "framework: 3"),
        key().replace("isl: 8192", "isl: long"),
        key().replace("precision: fp8", "precision: " + "x" * 5000),
        key().replace("dsr1-fp8:", "x" * 900 + ":"),
        "a: 1\n",
        "- a\n",
        "",
        "? [a]\n: {}\n",
        "a: {scenarios: {fixed-seq-len: 3}}\n",
        "a: {scenarios: [fixed-seq-len]}\n",
    ],
)
def test_other_shapes_give_no_rows(text):
    assert rows(text) == []


def test_a_bad_row_hides_no_other():
    text = key(f"{{ tp: x }}\n      - {ROW}") + key(name="second")
    assert [row.key for row in rows(text)] == ["dsr1-fp8", "second"]


def test_of_a_repeated_key_the_last_counts():
    (found,) = rows(key() + key("{ tp: 4, conc-list: [2] }"))
    assert found.environment["TP"] == "4"


def test_lists_and_aliases_are_bounded():
    (found,) = rows(key(f"{{ tp: 8, conc-list: {list(range(1, 999))} }}"))
    assert len(found.concurrencies) == MOST_POINTS
    configs = "[{isl: 1, osl: 1, search-space: &r [" + ROW + (", " + ROW) * 99 + "]}"
    many = ", {isl: 1, osl: 1, search-space: *r}" * 99 + "]"
    lines = key().partition("    - isl")[0].removesuffix("    fixed-seq-len:\n")
    text = f"{lines}    fixed-seq-len: {configs}{many}\n"
    assert len(rows(text)) == MOST_ROWS
    bad = "[&c {isl: x}" + ", *c" * 9_999 + "]"
    assert rows(f"{lines}    fixed-seq-len: {bad}\n" + key(name="hidden")) == []


@pytest.mark.parametrize(
    ("files", "started"),
    [
        # Layout B: the name with the framework comes first, and each scenario has its folder.
        (
            {
                MASTER: key(),
                "benchmarks/single_node/fixed_seq_len/dsr1_fp8_b200.sh": "",
                "benchmarks/single_node/fixed_seq_len/dsr1_fp8_b200_vllm.sh": "",
            },
            "benchmarks/single_node/fixed_seq_len/dsr1_fp8_b200_vllm.sh",
        ),
        (
            {MASTER: key(), "benchmarks/single_node/fixed_seq_len/dsr1_fp8_b200.sh": ""},
            "benchmarks/single_node/fixed_seq_len/dsr1_fp8_b200.sh",
        ),
        (
            {
                MASTER: key(agentic=True),
                "benchmarks/single_node/agentic/dsr1_fp8_b200.sh": "",
                "benchmarks/single_node/fixed_seq_len/dsr1_fp8_b200_vllm.sh": "",
            },
            "benchmarks/single_node/agentic/dsr1_fp8_b200.sh",
        ),
        (
            {
                MASTER: key(agentic=True),
                "benchmarks/single_node/agentic/dsr1_fp8_h200.sh": "",
                "benchmarks/single_node/fixed_seq_len/dsr1_fp8_b200.sh": "",
            },
            None,
        ),
        # Left behind by the move into `fixed_seq_len/`: no launcher looks there any more.
        (
            {
                MASTER: key(),
                "benchmarks/single_node/fixed_seq_len/dsr1_fp8_h200.sh": "",
                "benchmarks/single_node/dsr1_fp8_b200.sh": "",
            },
            None,
        ),
        (
            {
                MASTER: key(),
                "benchmarks/single_node/fixed_seq_len/deprecated/dsr1_fp8_b200.sh": "",
            },
            None,
        ),
        # Layout A: from February 2026, with agentic scripts in May, and before February.
        (
            {OLD_MASTER: old_key(), "benchmarks/single_node/dsr1_fp8_b200.sh": ""},
            "benchmarks/single_node/dsr1_fp8_b200.sh",
        ),
        (
            {
                OLD_MASTER: key(),
                "benchmarks/single_node/dsr1_fp8_b200.sh": "",
                "benchmarks/single_node/agentic/dsr1_fp8_b200_vllm.sh": "",
            },
            "benchmarks/single_node/dsr1_fp8_b200.sh",
        ),
        (
            {
                OLD_MASTER: key(agentic=True),
                "benchmarks/single_node/dsr1_fp8_b200.sh": "",
                "benchmarks/benchmark_lib.sh": "",
            },
            None,
        ),
        (
            {OLD_MASTER: old_key(), "benchmarks/dsr1_fp8_b200.sh": ""},
            "benchmarks/dsr1_fp8_b200.sh",
        ),
        ({MASTER: key()}, None),
    ],
)
def test_rows_find_their_script(files, started):
    found = project(files)
    scripts = [path for path in map(RepoPath, files) if path.suffix == ".sh"]
    assert [path for path in scripts if found.rows_starting(path)] == [started][: bool(started)]
    (row,) = (row for path in found.layout.master_configs for row in found.rows_of(path))
    assert found.script_of(row) == started


def test_layout_d_is_below_its_root():
    path = "inferencex-e2e/benchmarks/single_node/fixed_seq_len/dsr1_fp8_b200.sh"
    found = project(
        {
            "inferencex-e2e/perf-changelog.yaml": "",
            f"inferencex-e2e/{MASTER}": key(
                f"{ROW}\n      - {{ tp: 4, srt-recipe: a, conc-list: [1] }}"
            ),
            path: "",
        }
    )
    (row,) = found.rows_starting(RepoPath(path))
    assert row.environment["TP"] == "8"


@pytest.mark.parametrize(
    ("generator", "source", "expected"),
    [
        ("utils/matrix_logic/generate_sweep_configs.py", "a = isl + osl + 200\n", "9416"),
        ("infx/matrix/generate.py", "{1: isl + osl + 256, 2: isl + osl + 256}\n", "9472"),
        ("utils/matrix_logic/generate_sweep_configs.py", "isl + osl + 1; isl + osl + 2\n", None),
        ("utils/matrix_logic/generate_sweep_configs.py", "isl * 2\n", None),
        ("utils/generate.py", "isl + osl + 256\n", None),
    ],
)
def test_the_context_is_what_the_generator_of_the_tree_says(generator, source, expected):
    found = project({MASTER: key() + key(name="other", agentic=True), generator: source})
    fixed, agentic = found.rows_of(MASTER)
    assert fixed.environment.get("MAX_MODEL_LEN") == expected
    assert agentic.environment["MAX_MODEL_LEN"] == "0"


def test_rows_come_from_the_cache(tmp_path):
    script = RepoPath("benchmarks/single_node/fixed_seq_len/dsr1_fp8_b200.sh")
    entries = {
        path: TreeEntry(path, FileMode.FILE, "1" * 40)
        for path in (RepoPath("perf-changelog.yaml"), MASTER, script)
    }
    reads = []

    def read(entry):
        reads.append(entry.path)
        return key("{ tp: 8, dp-attn: true, conc-list: [1, 2] }").encode()

    found = []
    for _ in range(2):
        tree = Snapshot(Side.HEAD, lambda: entries, read, ParseCache())
        found.append(Project(tree, FactCache(tmp_path)).rows_starting(script))
    assert found[0] == found[1]
    assert len(found[0]) == 1
    assert reads == [MASTER]


# What the matrix generator of that commit makes of the files: points, agentic ones among them.
@pytest.mark.parametrize(
    ("name", "points", "agentic"),
    [("amd-master.yaml", 417, 147), ("nvidia-master.yaml", 755, 335)],
)
def test_real_rows_give_the_points_that_the_generator_makes(real_data, name, points, agentic):
    text = (real_data / "843c6254f" / "configs" / name).read_text(encoding="utf-8")
    found = [point for row in rows(text) for point in row.points()]
    assert len(found) == points
    assert sum(point.row.is_agentic for point in found) == agentic
