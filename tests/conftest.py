import os
from pathlib import Path

import pytest

from infx_lint.cache import ENVIRONMENT_VARIABLE


def pytest_addoption(parser):
    parser.addoption("--bless", action="store_true", help="rewrite expected.txt and generated docs")


@pytest.fixture
def bless(request):
    return request.config.getoption("--bless")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """Facts of a test run never meet those of the user."""
    folder = tmp_path_factory.mktemp("cache")
    os.environ[ENVIRONMENT_VARIABLE] = str(folder)
    return folder


@pytest.fixture(scope="session")
def real_data():
    """Real files of the linted repository: `<commit>/<path>` below a folder."""
    shared = os.environ.get("INFX_SHARED")
    if not shared:
        pytest.skip("INFX_SHARED names no folder with real files of the linted repository")
    folder = Path(shared) / "infx-data"
    assert folder.is_dir(), f"INFX_SHARED is set, but {folder} is missing"
    return folder


@pytest.fixture(scope="session")
def clone():
    """A clone of the linted repository, for slow tests."""
    folder = os.environ.get("INFX_CLONE")
    if not folder:
        pytest.skip("INFX_CLONE names no clone of the linted repository")
    return Path(folder)


@pytest.fixture(scope="session")
def cases():
    """Labelled faults of the linted repository."""
    shared = os.environ.get("INFX_SHARED")
    if not shared:
        pytest.skip("INFX_SHARED names no folder with cases")
    folder = Path(shared) / "cases"
    assert folder.is_dir(), f"INFX_SHARED is set, but {folder} is missing"
    return folder
