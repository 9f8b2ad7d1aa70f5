"""Config rows, the scripts that they start and the environments that they give."""

import pytest

from infx_lint.cache import FactCache
from infx_lint.change import FileMode, TreeEntry
from infx_lint.documents.yaml_file import YamlFile, parse_yaml
from infx_lint.domain.points import MOST_POINTS, Row, row_from, rows_of
from infx_lint.domain.project import Project
from infx_lint.finding import Side
from infx_lint.paths import RepoPath
from infx_lint.snapshot import ParseCache, Snapshot

MASTER = RepoPath("configs/nvidia-master.yaml")
KEY = """\
{name}:
  image: vllm/vllm-openai:v0.14.0
  model: deepseek-ai/DeepSeek-R1-0528
  model-prefix: dsr1
  runner: {runner}
  precision: fp8
  framework: {framework}
  multinode: {multinode}
  scenarios:
    {scenario}:
    - {shape}
      search-space:
      - {row}
"""


def key(
    row: str,
    *,
    runner: str = "b200",
    framework: str = "vllm",
    multinode: str = "false",
    agentic: bool = False,
) -> str:
    return KEY.format(
        name="dsr1-fp8",
        runner=runner,
        framework=framework,
        multinode=multinode,
        scenario="agentic-coding" if agentic else "fixed-seq-len",
        shape="dram-utilization: 0.8" if agentic else "isl: 8192\n      osl: 1024",
        row=row,
    )


def rows(text: str) -> list[Row]:
    file = parse_yaml(text.encode())
    assert isinstance(file, YamlFile)
    return [row_from(facts, MASTER) for facts in rows_of(file)]


def project(files: dict[str, str]) -> Project:
    entries = {RepoPath(path): TreeEntry(RepoPath(path), FileMode.FILE, None) for path in files}
    tree = Snapshot(
        Side.HEAD, lambda: entries, lambda entry: files[entry.path].encode(), ParseCache()
    )
    return Project(tree, FactCache())


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("{ tp: 8, conc-start: 4, conc-end: 64 }", (4, 8, 16, 32, 64)),
        ("{ tp: 8, conc-start: 4, conc-end: 48 }", (4, 8, 16, 32, 48)),
        ("{ tp: 8, conc-start: 16, conc-end: 16 }", (16,)),
        ("{ tp: 8, conc-list: [1, 6, 12] }", (1, 6, 12)),
    ],
)
def test_concurrencies(row, expected):
    (found,) = rows(key(row))
    assert found.concurrencies == expected
    assert [point.environment["CONC"] for point in found.points()] == [str(c) for c in expected]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (key("{ tp: 8, conc-list: [1] }"), ("dsr1_fp8_b200_vllm.sh", "dsr1_fp8_b200.sh")),
        (
            key("{ tp: 8, conc-list: [1], spec-decoding: mtp }", runner="b200-dgxc"),
            ("dsr1_fp8_b200_vllm_mtp.sh", "dsr1_fp8_b200_mtp.sh"),
        ),
        (
            key("{ tp: 8, conc-list: [1] }", runner="cluster:mi355x-amds", framework="trt"),
            ("dsr1_fp8_mi355x_trt.sh", "dsr1_fp8_mi355x_trt.sh"),
        ),
    ],
)
def test_names_of_scripts(text, names):
    (found,) = rows(text)
    assert found.scripts == names


def test_environment_of_fixed_lengths():
    (found,) = rows(key("{ tp: 8, ep: 4, dp-attn: true, conc-list: [1] }"))
    expected = {
        "MODEL": "deepseek-ai/DeepSeek-R1-0528",
        "MODEL_PREFIX": "dsr1",
        "PRECISION": "fp8",
        "FRAMEWORK": "vllm",
        "IS_AGENTIC": "0",
        "ISL": "8192",
        "OSL": "1024",
        "TP": "8",
        "EP_SIZE": "4",
        "DP_ATTENTION": "true",
        "SPEC_DECODING": "none",
    }
    assert expected.items() <= found.environment.items()
    assert "KV_OFFLOADING" not in found.environment


def test_environment_of_agentic_rows():
    offload = (
        "{ tp: 4, kv-offloading: dram, kv-offload-backend: { name: hicache }, conc-list: [1] }"
    )
    (found,) = rows(key(offload, agentic=True))
    expected = {
        "IS_AGENTIC": "1",
        "EP_SIZE": "1",
        "DP_ATTENTION": "false",
        "KV_OFFLOADING": "dram",
        "KV_OFFLOAD_BACKEND": "hicache",
    }
    assert expected.items() <= found.environment.items()
    assert "ISL" not in found.environment


def test_the_place_of_a_row():
    text = key("{ tp: 8, conc-list: [1] }")
    (found,) = rows(text)
    line = text.splitlines()[found.span.line - 1]
    assert line[found.span.column - 1 : found.span.end_column - 1] == "{ tp: 8, conc-list: [1] }"


def test_layout_a_has_the_lengths_directly_below_the_key():
    text = key("{ tp: 8, conc-list: [1] }").replace(
        "  scenarios:\n    fixed-seq-len:", "  seq-len-configs:"
    )
    assert len(rows(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        key("{ tp: 8, conc-list: [1] }", multinode="true"),
        key("{ tp: 8 }"),
        key("{ tp: 8, conc-list: [a, 0, -1, true] }"),
        key("{ tp: 8, conc-start: 8, conc-end: 4 }"),
        key("just text"),
        key("{ tp: 8, conc-list: [1] }").replace("runner: b200", "runner: [b200]"),
        "a: 1\n",
        "- a\n",
        "",
        "a: {scenarios: {fixed-seq-len: 3}}\n",
    ],
)
def test_other_shapes_give_no_rows(text):
    assert rows(text) == []


def test_absurd_ranges_are_bounded():
    (found,) = rows(key("{ tp: 8, conc-start: 1, conc-end: 9999999999999999999999999999 }"))
    assert len(found.concurrencies) <= MOST_POINTS + 1


def test_rows_find_their_script():
    text = key("{ tp: 8, conc-list: [1] }") + key(
        "{ tp: 8, conc-list: [4], spec-decoding: mtp }", agentic=True
    ).replace("dsr1-fp8:", "dsr1-fp8-agentic:")
    fixed = RepoPath("benchmarks/single_node/fixed_seq_len/dsr1_fp8_b200.sh")
    agentic = RepoPath("benchmarks/single_node/agentic/dsr1_fp8_b200_vllm_mtp.sh")
    retired = RepoPath("benchmarks/single_node/fixed_seq_len/deprecated/dsr1_fp8_b200.sh")
    found = project(
        {
            "perf-changelog.yaml": "",
            MASTER: text,
            "configs/amd-master.yaml": "{}\n",
            **dict.fromkeys((fixed, agentic, retired), "echo\n"),
        }
    )
    assert [row.key for row in found.rows_starting(fixed)] == ["dsr1-fp8"]
    assert [row.key for row in found.rows_starting(agentic)] == ["dsr1-fp8-agentic"]
    assert found.rows_starting(retired) == ()
    assert not found.layout.is_benchmark_script(retired)


def test_layout_a_has_one_folder_for_all_scripts():
    script = RepoPath("benchmarks/single_node/dsr1_fp8_b200_vllm.sh")
    found = project(
        {
            "perf-changelog.yaml": "",
            ".github/configs/nvidia-master.yaml": key("{ tp: 8, conc-list: [1] }"),
            script: "echo\n",
        }
    )
    assert [row.key for row in found.rows_starting(script)] == ["dsr1-fp8"]


def test_real_rows(real_data):
    text = (real_data / "843c6254f" / MASTER).read_bytes()
    file = parse_yaml(text)
    assert isinstance(file, YamlFile)
    found = [row_from(facts, MASTER) for facts in rows_of(file)]
    assert len(found) > 100
    assert all(row.concurrencies and row.environment["TP"].isdigit() for row in found)
    assert {row.scenario for row in found} == {"fixed-seq-len", "agentic-coding"}
