from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from benchwright_subjects.inline.dialects.copilot import CopilotDialect
from benchwright_subjects.inline.dialects.lsp import StandardDialect, Trigger
from benchwright_subjects.inline.dialects.tabby import TabbyDialect
from benchwright_subjects.inline.failure import ServerFailure, SubjectError
from benchwright_subjects.inline.offer import MAX_CHARACTERS, Offer, plain_text_of_snippet
from benchwright_subjects.inline.server.framing import (
    MAX_HEADER_BYTES,
    MAX_MESSAGE_BYTES,
    frame_message,
    parse_body,
    read_body,
)
from benchwright_subjects.inline.text.document import DocumentVersion

TEXT = "module m;\n  assign é𝄞 = ;\nendmodule\n"
CURSOR = TEXT.index(";\nendmodule")


def document() -> DocumentVersion:
    return DocumentVersion("file:///m.sv", TEXT, CURSOR)


def offers_in(result: Any, dialect: StandardDialect | None = None) -> list[Offer]:
    return list((dialect or StandardDialect()).offers_in_result(result, document()))


def lsp_range(start: int, end: int, line: int = 1) -> dict[str, Any]:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def failure_of_result(result: Any, dialect: StandardDialect | None = None) -> ServerFailure:
    with pytest.raises(SubjectError) as caught:
        offers_in(result, dialect)
    return caught.value.failure


@pytest.mark.parametrize("result", [None, [], {"items": []}])
def test_null_an_empty_list_and_an_empty_object_of_items_offer_nothing(result: Any) -> None:
    assert offers_in(result) == []


def test_an_item_without_a_range_is_inserted_at_the_cursor() -> None:
    (offer,) = offers_in({"items": [{"insertText": "a"}]})
    assert (offer.start, offer.end, offer.insertion) == (CURSOR, CURSOR, "a")


def test_ranges_count_utf_16() -> None:
    # `𝄞` is two code units, so the cursor is at 15, not at 14.
    (offer,) = offers_in([{"insertText": "  assign é𝄞 = a", "range": lsp_range(0, 15)}])
    assert (offer.start, offer.end) == (TEXT.index("  assign"), CURSOR)
    assert offer.insertion == "a"


def test_an_offer_that_changes_what_was_typed_has_no_insertion() -> None:
    (offer,) = offers_in([{"insertText": "  assign y = a", "range": lsp_range(0, 15)}])
    assert offer.insertion is None


def test_what_follows_and_stays_does_not_count_as_inserted() -> None:
    (offer,) = offers_in([{"insertText": "a;", "range": lsp_range(15, 16)}])
    assert offer.insertion == "a"
    assert offer.keeps_text_after


@pytest.mark.parametrize(
    "edit_range",
    [lsp_range(0, 5), lsp_range(16, 16), lsp_range(15, 900), lsp_range(0, 3, line=900), lsp_range(0, 0, line=0)],
)
def test_a_range_that_is_not_at_the_cursor_is_named(edit_range: dict[str, Any]) -> None:
    assert failure_of_result([{"insertText": "a", "range": edit_range}]) is ServerFailure.OUT_OF_RANGE


def test_a_range_of_several_lines_is_named() -> None:
    edit_range = {"start": {"line": 1, "character": 15}, "end": {"line": 2, "character": 3}}
    assert failure_of_result([{"insertText": "a", "range": edit_range}]) is ServerFailure.OUT_OF_RANGE


@pytest.mark.parametrize(
    "result",
    [
        "text",
        7,
        {},
        {"items": "text"},
        [{"text": "a"}],
        [{"insertText": 7}],
        [["insertText"]],
        [{"insertText": "a", "range": {"start": {"line": -1, "character": 0}, "end": {"line": 1, "character": 0}}}],
        [{"insertText": "a"}] * 101,
        [{"insertText": "a" * (MAX_CHARACTERS + 1)}],
    ],
)
def test_what_is_no_item_is_named(result: Any) -> None:
    assert failure_of_result(result) is ServerFailure.BAD_OFFER


def test_a_lone_surrogate_becomes_a_character_that_a_file_can_hold() -> None:
    (offer,) = offers_in([{"insertText": "a\ud800b"}])
    assert offer.text == "a\ufffdb"


@pytest.mark.parametrize(
    ("snippet", "text"),
    [
        ("assign ${1:y} = ${2|a,b|};$0", "assign y = a;"),
        ("${1:outer ${2:inner}} end", "outer inner end"),
        (r"\$display(\"\\n\") \}", r"$display(\"\n\") }"),
        ("begin$1\n$TM_FILENAME ${TM_LINE:7}", "begin\n 7"),
        ("{a, b}", "{a, b}"),
    ],
)
def test_a_snippet_inserts_its_defaults(snippet: str, text: str) -> None:
    assert plain_text_of_snippet(snippet) == text


def test_snippets_are_read_as_string_values() -> None:
    (offer,) = offers_in([{"insertText": {"kind": "snippet", "value": "${1:a};"}}])
    assert offer.text == "a;"


def test_tabby_offers_edits_of_completion_items() -> None:
    text_edit = {"newText": "a", "range": lsp_range(15, 15)}
    completion_item = {"label": "x", "textEdit": text_edit, "data": {"completionId": "1"}}
    (offer,) = offers_in({"isIncomplete": False, "items": [completion_item]}, TabbyDialect())
    assert offer.insertion == "a"


def test_a_question_says_how_it_was_triggered() -> None:
    assert StandardDialect().request_params(document(), Trigger.AUTOMATIC, 5.0) == {
        "textDocument": {"uri": "file:///m.sv"},
        "position": {"line": 1, "character": 15},
        "context": {"triggerKind": 2},
    }


def test_copilot_is_told_version_and_indentation() -> None:
    question = CopilotDialect().request_params(document(), Trigger.INVOKED, 5.0)
    assert question["textDocument"] == {"uri": "file:///m.sv", "version": 1}
    assert question["formattingOptions"] == {"tabSize": 4, "insertSpaces": True}


async def body_read(data: bytes) -> bytes | None:
    stream = asyncio.StreamReader(limit=MAX_HEADER_BYTES)
    stream.feed_data(data)
    stream.feed_eof()
    return await read_body(stream)


async def test_messages_survive_the_wire() -> None:
    message: dict[str, Any] = {"method": "m", "params": {"text": "é\ud800𝄞"}}
    body = await body_read(frame_message(message))
    assert body is not None
    assert parse_body(body) == {"jsonrpc": "2.0", **message}


async def test_header_names_have_no_case_and_others_are_left_alone() -> None:
    assert await body_read(b"Content-Type: x\r\ncontent-length: 2\r\n\r\n{}") == b"{}"
    assert await body_read(b"") is None


@pytest.mark.parametrize(
    ("data", "expected_failure"),
    [
        (b"hello", ServerFailure.MALFORMED),
        (b"hello\r\n\r\n", ServerFailure.MALFORMED),
        (b"Content-Length: 9\r\n\r\n{}", ServerFailure.MALFORMED),
        (b"Content-Length: -1\r\n\r\n{}", ServerFailure.MALFORMED),
        (b"x" * (2 * MAX_HEADER_BYTES), ServerFailure.MALFORMED),
        (b"Content-Length: %d\r\n\r\n" % (MAX_MESSAGE_BYTES + 1), ServerFailure.FLOODED),
        (b"Content-Length: 99999999999999999999\r\n\r\n", ServerFailure.FLOODED),
    ],
)
async def test_what_is_no_message_is_named(data: bytes, expected_failure: ServerFailure) -> None:
    with pytest.raises(SubjectError) as caught:
        await body_read(data)
    assert caught.value.failure is expected_failure


@pytest.mark.parametrize("body", [b"{", b"[]", b"7", b"[" * 100_000, b"\xff"])
def test_what_is_no_json_object_is_named(body: bytes) -> None:
    with pytest.raises(SubjectError) as caught:
        parse_body(body)
    assert caught.value.failure is ServerFailure.MALFORMED


def test_frames_are_ascii() -> None:
    assert json.loads(frame_message({"id": 1}).split(b"\r\n\r\n")[1]) == {"jsonrpc": "2.0", "id": 1}
