"""What users get: the wheel, installed alone into a clean environment, away from the checkout."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (file,) = folder.glob("*.whl")
    return file


def test_rules_and_data_are_inside_and_tests_are_not(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    rules = {Path(name).name for name in names if name.startswith("infx_lint/_rules/")}
    assert rules == {path.name for path in (ROOT / "rules").iterdir() if path.is_file()}
    assert "infx_lint/report/report.schema.json" in names
    assert "infx_lint/data/schemas.json" in names
    assert "infx_lint/data/demo/after/perf-changelog.yaml" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert all(name.startswith(("infx_lint/", "infx_lint-")) for name in names)
    assert not any("__pycache__" in name for name in names)


def test_wheel_works_in_a_clean_environment(wheel, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    pip = [tmp_path / "env" / "bin" / "python", "-m", "pip", "install", "--quiet"]
    pip += ["--disable-pip-version-check"]
    requirements = ROOT / "requirements" / "runtime.txt"
    subprocess.run([*pip, "--require-hashes", "-r", requirements], check=True, capture_output=True)
    subprocess.run([*pip, "--no-deps", wheel], check=True, capture_output=True)
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "evil_rule.py").write_text("raise SystemExit('loaded')\n")
    for arguments, expected in (
        (["demo"], "Found 2 errors, 1 warning (3 changed files, "),
        (["rules"], "yaml-duplicate-key"),
        (["explain", "yaml-duplicate-key"], "What it does"),
    ):
        done = subprocess.run(
            [tmp_path / "env" / "bin" / "infx-lint", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert expected in done.stdout
