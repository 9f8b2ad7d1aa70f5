"""The house rules, as far as a program can check them."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from infx_lint.registry import all_rules
from infx_lint.rule_docs import HEADINGS, rules_index
from tests.harness import FIXTURES, all_cases

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "infx_lint"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "data" not in path.parts)
RULE_FILES = sorted((ROOT / "rules").glob("*.py"))
MOST_CODE_LINES = 80


def imports(path: Path) -> set[str]:
    """Return every module that a file imports, at any depth."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


def code_lines(path: Path) -> int:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    end = tree.body[0].end_lineno or 0
    lines = path.read_text(encoding="utf-8").splitlines()[end:]
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in lines)


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id)
def test_page_of_a_rule(rule):
    assert len(rule.summary) <= 72
    assert rule.summary.endswith(".")
    assert tuple(re.findall(r"^## (.+)$", rule.page, re.MULTILINE)) == HEADINGS
    for section in re.split(r"^## .+$", rule.page, flags=re.MULTILINE)[1:]:
        assert section.strip()


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id)
def test_every_rule_has_cases_of_both_kinds(rule):
    names = [case.folder.name for case in all_cases() if case.rule_id == rule.id]
    assert any(name.startswith("flags-") for name in names)
    assert any(name.startswith("allows-") for name in names)


def test_no_fixtures_without_a_rule():
    assert {case.rule_id for case in all_cases()} == {rule.id for rule in all_rules()}
    assert [folder.name for folder in FIXTURES.iterdir() if folder.name.startswith("_")] == [
        "_layouts"
    ]


def test_case_settings_are_known():
    for case in all_cases():
        assert set(case.settings) <= {"layout", "pull-request", "only-this-rule"}


@pytest.mark.parametrize("path", RULE_FILES, ids=lambda path: path.stem)
def test_a_rule_is_small_and_speaks_our_vocabulary(path):
    allowed = {"infx_lint", "collections.abc"}
    assert imports(path) <= allowed
    assert code_lines(path) <= MOST_CODE_LINES


def test_index_of_rules_is_up_to_date(bless):
    file = ROOT / "rules" / "README.md"
    if bless:
        file.write_text(rules_index(all_rules()), encoding="utf-8")
    assert file.read_text(encoding="utf-8") == rules_index(all_rules())


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_modules_keep_to_their_side(path):
    name = path.relative_to(PACKAGE).as_posix()
    used = imports(path)
    if name not in {"git.py", "worker.py"}:
        assert "subprocess" not in used
    if name != "github.py":
        assert not any(module.split(".")[0] == "github" for module in used)
    if not name.startswith("documents/"):
        assert not any(module.split(".")[0] == "yaml" for module in used)
    if name != "documents/shell_words.py":
        assert not any(module.split(".")[0] == "bashlex" for module in used)
    # Bytes, then syntax, then what bash makes of it, then what it means here: never the other way.
    layers = ("documents", "claims", "shell", "domain", "inventory")
    above = layers[layers.index(path.parent.name) + 1 :] if path.parent.name in layers else ()
    assert not any(module.startswith(f"infx_lint.{layer}") for layer in above for module in used)
    if name != "cli.py":
        assert "click" not in used
    assert path.stem not in {"utils", "helpers", "common", "misc", "base", "manager"}


def test_no_rule_is_named_in_the_core():
    ids = [rule.id for rule in all_rules()]
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        for rule_id in ids:
            assert f'"{rule_id}"' not in text, f"{path.name} names {rule_id}"


def test_one_broad_except():
    broad = [
        path.name
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (isinstance(node.type, ast.Name) and node.type.id == "Exception"))
    ]
    assert broad == ["engine.py"]


def test_heavy_imports_stay_out_of_the_start():
    """Cost of each, measured: libcst 0.2 s, pydantic 0.06 s, rich 0.03 s."""
    heavy = (
        "libcst",
        "pydantic",
        "rich",
        "github",
        "difflib",
        "tomllib",
        "bashlex",
        "infx_lint.shell",
    )
    code = (
        "import sys; from infx_lint import cli; cli.all_rules();"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_paths_in_documents_exist(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:infx_lint|tests|benchmarks|requirements|\.ci)/[\w./-]+)`", text))
    for path in named:
        assert (ROOT / path).exists(), f"{document} names {path}"


def test_commands_in_the_readme_exist():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^make ([a-z-]+)", readme, re.MULTILINE))
    assert targets >= {"demo", "test"}
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
