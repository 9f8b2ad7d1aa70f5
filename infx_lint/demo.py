"""An example change, embedded, to show the whole pipeline at work.

Its shape is that of pull request 2254 of the linted repository: a new recipe whose changelog entry
lacks `pr-link`, a script that generates load in eval-only mode too, and a config block that was
pasted twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

from infx_lint.git import make_repository


@contextmanager
def demo_repository() -> Iterator[tuple[Path, str, str]]:
    """Make the example as a real repository; gives its folder and the ids of base and head."""
    with (
        resources.as_file(resources.files("infx_lint.data").joinpath("demo")) as trees,
        TemporaryDirectory(prefix="infx-lint-demo-") as folder,
        TemporaryDirectory(prefix="infx-lint-demo-") as after,
    ):
        # `after` holds what the change touches, and lies over `before`.
        for layer in ("before", "after"):
            copytree(trees / layer, after, dirs_exist_ok=True)
        base, head = make_repository(Path(folder), [trees / "before", Path(after)])
        yield Path(folder), base, head
