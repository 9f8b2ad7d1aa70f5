"""Which parser reads a file, told by its name."""

from __future__ import annotations

from collections.abc import Callable

from infx_lint.documents.shell_file import parse_shell
from infx_lint.documents.yaml_file import parse_yaml
from infx_lint.paths import RepoPath

Parser = Callable[[bytes], object]

_PARSERS: dict[str, Parser] = {
    ".yaml": parse_yaml,
    ".yml": parse_yaml,
    ".sh": parse_shell,
    ".slurm": parse_shell,
}


def parser_for(path: RepoPath) -> Parser | None:
    """Return the parser of a file, None for a kind of file that no rule looks at."""
    return _PARSERS.get(path.suffix)
