from hypothesis import given
from hypothesis import strategies as st

from infx_lint.documents.text_file import TextFile, Undecodable, parse_text
from infx_lint.finding import Span

TEXTS = st.text(alphabet=st.sampled_from("ab \t\r\n\u2028\x85é中\U0001f600"))


@given(TEXTS, st.data())
def test_offsets_and_places_are_inverse(text, data):
    file = TextFile(text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    span = file.span(start, end)
    assert file.offset(span.line, span.column) == start
    assert file.offset(span.end_line, span.end_column) == end


@given(TEXTS)
def test_lines_are_those_of_git(text):
    file = TextFile(text)
    lines = text.split("\n")
    assert [file.line(number + 1) for number in range(len(lines))] == lines
    assert file.line_count == len(lines) - (lines[-1] == "")


def test_only_a_line_feed_ends_a_line():
    assert TextFile("a\rb\u2028c\n").span(0, 5) == Span(1, 1, 1, 6)


def test_rest_of_line_stops_before_the_line_feed():
    file = TextFile("key: value\nnext\n")
    assert file.rest_of_line(Span(1, 6, 1, 7)) == Span(1, 6, 1, 11)


def test_stray_byte_is_placed_by_characters():
    found = parse_text("a\n中é".encode() + b"\xff")
    assert found == Undecodable(2, 3, "the byte 0xff, which is no UTF-8 (invalid start byte)")


def test_nul_is_no_text():
    assert parse_text(b"a\nb\0") == Undecodable(2, 2, "a NUL byte")
