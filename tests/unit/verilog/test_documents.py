from __future__ import annotations

import random
import re
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import (
    Position,
    PositionEncodingKind,
    Range,
    TextDocumentContentChangePartial,
    TextDocumentContentChangeWholeDocument,
)

from benchwright_attempts.events.file_text import Change, apply_changes
from benchwright_verilog.syntax.byte_positions import BytePositions
from benchwright_verilog.syntax.documents import Documents
from benchwright_verilog.syntax.lines import Lines
from benchwright_verilog.syntax.surrogates import encode_text

UTF8, UTF16, UTF32 = PositionEncodingKind.Utf8, PositionEncodingKind.Utf16, PositionEncodingKind.Utf32
CODECS = {UTF8: ("utf-8", 1), UTF16: ("utf-16-le", 2), UTF32: ("utf-32-le", 4)}
URI = "file:///a.sv"

LETTERS = ["a", "é", "漢", "𝄞", "\n", "\r", "\f", "\v", "\u2028", "\x85", "\0", "\ufeff", "\u0301", "\ud834", "\udd1e"]
text_strategy = st.text(st.sampled_from(LETTERS), max_size=30)
encodings = st.sampled_from(list(CODECS))


def joined(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def units(text: str, encoding: PositionEncodingKind) -> int:
    codec, size = CODECS[encoding]
    return len(text.encode(codec, "surrogatepass")) // size


def naive_lines(text: str) -> list[str]:
    """The lines of a text with their ends; the last one has none."""
    return re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)


def naive_position(text: str, offset: int, encoding: PositionEncodingKind) -> Position:
    lines = naive_lines(text)
    line_starts = [0, *accumulate(map(len, lines))]
    line = max(number for number in range(len(lines)) if line_starts[number] <= offset)
    return Position(line, units(text[line_starts[line] : offset], encoding))


@given(text_strategy.map(joined), encodings)
def test_positions_are_those_of_a_naive_count_and_lead_back(text: str, encoding: PositionEncodingKind) -> None:
    lines = Lines(text, encoding)
    for offset in range(len(text) + 1):
        position = lines.position(offset)
        if text[offset - 1 : offset + 1] == "\r\n":
            # Between CR and LF there is no position: it is taken for the one before.
            assert lines.code_point_at(position) == offset - 1
        else:
            assert position == naive_position(text, offset, encoding)
            assert lines.code_point_at(position) == offset


@given(text_strategy.map(joined), encodings, st.integers(0, 99), st.integers(0, 99))
def test_positions_beyond_an_end_are_that_end(
    text: str, encoding: PositionEncodingKind, line: int, character: int
) -> None:
    lines = naive_lines(text)
    offset = Lines(text, encoding).code_point_at(Position(line, character))
    if line >= len(lines):
        assert offset == len(text)
        return
    start = sum(map(len, lines[:line]))
    content = lines[line].rstrip("\r\n")
    assert start <= offset <= start + len(content)
    assert units(content[: offset - start], encoding) <= character
    if character >= units(content, encoding):
        assert offset == start + len(content)


@given(text_strategy.map(joined))
def test_byte_offsets_lead_to_their_characters(text: str) -> None:
    lines = Lines(text)
    byte_ends = [0, *accumulate(len(letter.encode("utf-8", "surrogatepass")) for letter in text)]
    assert [lines.from_byte(end) for end in byte_ends] == list(range(len(text) + 1))
    assert lines.from_byte(byte_ends[-1] + 7) == len(text)


@given(text_strategy.map(joined), encodings, st.randoms(use_true_random=False))
def test_positions_without_an_index_are_those_with_one(
    text: str, encoding: PositionEncodingKind, dice: random.Random
) -> None:
    lines = Lines(encode_text(text).decode(), encoding)
    positions = BytePositions(lines.data, encoding)
    offsets = [offset for offset in range(len(text) + 1) if text[offset - 1 : offset + 1] != "\r\n"]
    dice.shuffle(offsets)
    for offset in offsets:
        assert positions.line_and_column(lines.to_byte(offset)) == lines.line_and_column(offset)


def test_a_byte_inside_a_character_is_that_character() -> None:
    assert [Lines("a𝄞b").from_byte(byte) for byte in range(7)] == [0, 1, 1, 1, 1, 2, 3]


def test_form_feeds_and_line_separators_end_no_line() -> None:
    lines = Lines("a\fb\u2028c\x85d\ve\r\nf\rg")
    assert [lines.position(lines.text.index(letter)).line for letter in "abcdefg"] == [0, 0, 0, 0, 0, 1, 2]


@pytest.mark.parametrize(
    ("number", "bounds"), [(1, (0, 1)), (2, (3, 3)), (3, (4, 5)), (4, (5, 5)), (99, (5, 5))], ids=str
)
def test_a_tools_line_is_without_its_end(number: int, bounds: tuple[int, int]) -> None:
    assert Lines("a\r\n\nb").line_bounds(number) == bounds


@st.composite
def edits(draw: st.DrawFn, text: str) -> tuple[int, int, str] | str:
    """A replacement at places that an editor can name, or a whole text."""
    if draw(st.integers(0, 9)) == 0:
        return draw(text_strategy)
    edit_offsets = [offset for offset in range(len(text) + 1) if text[offset - 1 : offset + 1] != "\r\n"]
    start, end = sorted((draw(st.sampled_from(edit_offsets)), draw(st.sampled_from(edit_offsets))))
    return start, end, draw(text_strategy)


@given(st.data(), text_strategy, encodings)
def test_documents_hold_what_a_naive_editor_holds(
    data: st.DataObject, text: str, encoding: PositionEncodingKind
) -> None:
    text = joined(text)
    documents = Documents()
    documents.encoding = encoding
    documents.open(URI, 1, text)
    replayed = text
    for version in range(2, 6):
        content_changes: list[TextDocumentContentChangePartial | TextDocumentContentChangeWholeDocument] = []
        for _ in range(data.draw(st.integers(0, 3))):
            drawn_edit = data.draw(edits(text))
            if isinstance(drawn_edit, str):
                content_changes.append(TextDocumentContentChangeWholeDocument(drawn_edit))
                text = joined(drawn_edit)
                continue
            start, end, new_text = drawn_edit
            edit_range = Range(naive_position(text, start, encoding), naive_position(text, end, encoding))
            content_changes.append(TextDocumentContentChangePartial(text=new_text, range=edit_range))
            text = joined(text[:start] + new_text + text[end:])
        document, applied = documents.change(URI, version, content_changes)
        assert (document.text, document.version) == (text, version)
        assert documents.get(URI) is document
        # The log replays the same changes to the same text.
        replayed = apply_changes(replayed, [Change(start=c.start, end=c.end, text=c.text) for c in applied])
        assert replayed == text


def test_a_range_that_is_upside_down_is_turned() -> None:
    documents = Documents()
    documents.open(URI, 1, "abcd")
    upside_down = Range(Position(0, 3), Position(0, 1))
    document, applied = documents.change(URI, 2, [TextDocumentContentChangePartial(text="-", range=upside_down)])
    assert document.text == "a-d"
    assert (applied[0].start, applied[0].end) == (1, 3)


def test_a_closed_document_is_gone() -> None:
    documents = Documents()
    documents.open(URI, 1, "a")
    assert [document.uri for document in documents] == [URI]
    closed = documents.close(URI)
    assert closed is not None
    assert closed.text == "a"
    assert documents.get(URI) is None
    assert documents.close(URI) is None
