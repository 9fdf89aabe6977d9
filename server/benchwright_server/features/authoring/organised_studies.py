"""A study in the editor, for its organisers: what the command line does, with its progress and findings."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright_foundation.process_group import kill_process_group
from benchwright_server.errors import ServerError
from benchwright_server.features.editor.run_progress import cancellable_progress
from benchwright_server.features.requests import register_operation
from benchwright_server.operations.operation import Operation
from benchwright_server.protocol.messages import Nothing
from benchwright_server.protocol.organised_studies import (
    BeginStudyParams,
    NewStudyParams,
    OrganisedStudies,
    StudyFileCheck,
    StudyFileParams,
    StudyFlawView,
    WriteReportParams,
    WrittenReport,
)
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer

_COMMAND = "from benchwright_server.cli import main; main()"


def register_organised_studies(server: EditorServer) -> None:
    """Serve all of it."""
    for operation in ORGANISED_STUDY_OPERATIONS:
        register_operation(server, operation, lambda: server)


async def _list_organised_studies(server: EditorServer, params: Nothing) -> OrganisedStudies:
    journal = server.sessions.log.journal
    return OrganisedStudies(studies=await asyncio.to_thread(journal.studies))


async def _create_study(server: EditorServer, params: NewStudyParams) -> StudyFileParams:
    folder = local_path_of(params.folder)
    await _run_command_line("study", "init", str(folder))
    return StudyFileParams(uri=(folder / "study.yaml").as_uri())


async def _check_study(server: EditorServer, params: StudyFileParams) -> StudyFileCheck:
    file = str(local_path_of(params.uri))
    facts = json.loads(await _run_command_line("study", "validate", file, "--json", expected_exit_codes=(0, 2)))
    if not facts["ok"]:
        flaws = [StudyFlawView(line=max(0, flaw["line"] - 1), message=flaw["message"]) for flaw in facts["flaws"]]
        return StudyFileCheck(flaws=flaws, text="")
    sentences = (*facts["balance"], *facts["remarks"], "Participants are told:", *facts["information"])
    return StudyFileCheck(flaws=[], text=" ".join(sentences))


async def _check_and_begin_study(server: EditorServer, params: BeginStudyParams) -> StudyFileCheck:
    study_check = await _check_study(server, params)
    if study_check.flaws:
        return study_check
    file = str(local_path_of(params.uri))
    return StudyFileCheck(
        flaws=[], text=await _run_command_line("study", "run", file, "--participant", params.participant)
    )


async def _write_report(server: EditorServer, params: WriteReportParams) -> WrittenReport:
    folder, task = local_path_of(params.folder), asyncio.current_task()
    selection = ("--study", params.study) if params.study else ()
    async with cancellable_progress(server, "Writing the report", lambda: task and task.cancel()) as report:
        output = await _run_command_line(
            *("report", *selection, "--out", str(folder), "--json"),
            on_progress_line=lambda line: report(line, _percent_in_progress_line(line)),
        )
    page = Path(json.loads(output)["page"])
    text = await asyncio.to_thread(page.read_text, encoding="utf-8")
    return WrittenReport(uri=page.absolute().as_uri(), page=text)


def _percent_in_progress_line(progress_line: str) -> int:
    """Share that a line of progress names, such as `writing: 3 of 12 done`."""
    progress_match = re.search(r"(\d+) of (\d+)", progress_line)
    return 100 * int(progress_match[1]) // max(1, int(progress_match[2])) if progress_match else 0


async def _run_command_line(
    *arguments: str,
    expected_exit_codes: tuple[int, ...] = (0,),
    on_progress_line: Callable[[str], object] = lambda line: None,
) -> str:
    """The standard output of `benchwright` with these arguments, in a process that ends with the request.

    Args:
        arguments: Its arguments.
        expected_exit_codes: Exit codes with which it has an output.
        on_progress_line: Gets each line of its progress.

    Raises:
        ServerError: It ended with another code, or without an output; the message is the command's own.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _COMMAND, *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    lines: list[str] = []

    async def listen(stream: asyncio.StreamReader) -> None:
        async for line in stream:
            lines.append(line.decode(errors="replace").rstrip())
            on_progress_line(lines[-1])

    try:
        if process.stdout is None or process.stderr is None:
            raise TypeError("the process has pipes")
        output, _ = await asyncio.gather(process.stdout.read(), listen(process.stderr))
        code = await process.wait()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                kill_process_group(process.pid)
    text = output.decode().strip()
    if code not in expected_exit_codes or not text:
        raise ServerError(" ".join(lines).removeprefix("error: ") or f"benchwright {arguments[0]} ended with {code}.")
    return text


ORGANISED_STUDY_OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    Operation(
        "organisedStudies",
        Nothing,
        OrganisedStudies,
        "Names the studies that this machine has.",
        _list_organised_studies,
    ),
    Operation("newStudy", NewStudyParams, StudyFileParams, "Writes a study file to start from.", _create_study),
    Operation("checkStudy", StudyFileParams, StudyFileCheck, "Checks a study file.", _check_study),
    Operation(
        "beginStudy",
        BeginStudyParams,
        StudyFileCheck,
        "Registers a study on this machine and lets a participant begin, if its file has no flaw.",
        _check_and_begin_study,
    ),
    Operation(
        "writeReport",
        WriteReportParams,
        WrittenReport,
        "Writes a report with progress; cancelled by `$/cancelRequest` or progress.",
        _write_report,
    ),
)
"""Every operation of it."""
