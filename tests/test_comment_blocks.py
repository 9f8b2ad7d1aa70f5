"""Comments on adjacent lines as one text, and back from a stretch of it to the file."""

from infx_lint.documents.comment_blocks import comment_blocks
from infx_lint.documents.shell_file import ShellFile, parse_shell
from infx_lint.documents.yaml_file import YamlFile, parse_yaml

SCRIPT = b"""\
#!/usr/bin/env bash
# One sentence that goes
# on below.
#
#   a table   1

x=1  # behind code
    ## indented
echo "# no comment"
"""


def blocks_of(data):
    file = parse_shell(data)
    assert isinstance(file, ShellFile)
    return list(comment_blocks(file.text, map(file.span, file.comments)))


def test_adjacent_lines_are_one_text():
    header, trailing, indented = blocks_of(SCRIPT)
    assert header.text == " One sentence that goes\n on below.\n\n   a table   1"
    assert (header.first_line, header.last_line, header.column) == (2, 5, 1)
    assert (trailing.text, trailing.is_trailing, trailing.column) == (" behind code", True, 6)
    assert (indented.text, indented.is_trailing, indented.column) == (" indented", False, 5)


def test_a_stretch_has_its_place_in_the_file():
    header = blocks_of(SCRIPT)[0]
    start = header.text.index("goes")
    end = header.text.index("on below") + len("on")
    assert header.span(start, end) == (2, 21, 3, 5)
    assert header.lines(start, end) == ("One sentence that goes", "on below.")
    at = header.text.index("1")
    assert header.span(at, at + 1) == (5, 15, 5, 16)


def test_code_between_comments_divides_them_even_at_the_end_of_a_line():
    assert [block.text for block in blocks_of(b"# a\nx=1 # b\n# c\n")] == [" a", " b", " c"]


def test_yaml_with_a_carriage_return():
    file = parse_yaml(b"# a b\r\n# c\r\nkey: value # d\r\n")
    assert isinstance(file, YamlFile)
    first, second = comment_blocks(file.text, file.comments())
    assert first.text == " a b\n c"
    assert second.text == " d"


def test_no_comment_no_block():
    assert blocks_of(b"#!/bin/sh\necho\n") == []
