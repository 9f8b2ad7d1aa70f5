"""Where a line continuation is missing, and where none is."""

import pytest

from infx_lint.documents.shell_file import ShellFile, parse_shell
from infx_lint.shell.continuations import broken_continuations


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("serve a\n--port 80\n", [1]),
        ("serve --a \\\n  --b\n  --c\n", [2]),
        ("if x; then\n  serve a\n  -p 80\nfi\n", [2]),
        ("serve --a \\ \n  --b\n", [1]),
        ("serve\n-p 80\n", []),
        ("serve a &\n-p 80\n", []),
        ("serve a\nother --port 80\n", []),
        ("check A \\\n  B\nC() { :; }\nC\n", []),
    ],
)
def test_lines(text, lines):
    file = parse_shell(text.encode())
    assert isinstance(file, ShellFile)
    assert [broken.end.line for broken in broken_continuations(file)] == lines
