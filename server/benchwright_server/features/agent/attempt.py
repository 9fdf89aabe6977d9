"""Tools of the attempt itself: problem, clock, files, findings, the hidden tests, the end."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.grading.grading import judged_paths
from benchwright_problems.repository.tree import folders_around
from benchwright_server.errors import ServerError
from benchwright_server.features.agent.results import FilesResult, FindingsResult, StatusResult
from benchwright_server.features.agent.tool import AnyTool, FileArgument, NoArguments, Tool
from benchwright_server.workspaces.repository import file_sizes

if TYPE_CHECKING:
    from benchwright_server.attempts.session import EditorSession
    from benchwright_server.editor_server import EditorServer

_MAX_FINDINGS = 200


async def _statement_and_status(server: EditorServer, session: EditorSession, params: NoArguments) -> str:
    statement_bytes = session.workspace.read(session.workspace.marker.statement) or b""
    tested_files = ", ".join(judged_paths(session.problem))
    if session.problem.public.tree is not None:
        tested_files = "all of the repository that may be changed"
    status = await _status_json(server, session, params)
    return f"{statement_bytes.decode(errors='replace')}\n\nFiles that are tested: {tested_files}.\n\nStatus: {status}"


async def _status_json(server: EditorServer, session: EditorSession, params: NoArguments) -> str:
    status = await session.status()
    times = {"active_s", "remaining_s"}
    keys = {"state", "view", "verdict", "runs", "runs_allowed", "running", "assistance", "aids", "recording", "study"}
    return json.dumps(status.model_dump(mode="json", include=keys | times, exclude_none=True))


async def _start_or_resume_clock_and_report_status(
    server: EditorServer, session: EditorSession, params: NoArguments
) -> str:
    if (await session.status()).state is AttemptState.PAUSED:
        await server.sessions.resume_clock(session)
    else:
        await server.sessions.start_clock(session)
    return await _status_json(server, session, params)


async def _workspace_files_json(server: EditorServer, session: EditorSession, params: NoArguments) -> str:
    if session.problem.public.tree is not None:
        sizes = await asyncio.to_thread(file_sizes, session.workspace.folder, session.problem.public.tree)
        editable = {*session.problem.public.editable}
        return json.dumps(
            [
                {
                    "path": path,
                    "bytes": size,
                    "is_tested": not editable or bool({path, *folders_around(path)} & editable),
                }
                for path, size in sorted(sizes.items())
                if session.is_judged_path(path)
            ]
        )
    tested_paths = judged_paths(session.problem)
    paths = dict.fromkeys((*tested_paths, *session.problem.public.files))
    contents = {path: await asyncio.to_thread(session.workspace.read, path) for path in paths}
    return json.dumps(
        [
            {"path": path, "bytes": len(content), "is_tested": path in tested_paths}
            for path, content in contents.items()
            if content is not None
        ]
    )


async def _read_file(server: EditorServer, session: EditorSession, params: FileArgument) -> str:
    content = await asyncio.to_thread(session.workspace.read, params.path)
    if content is None:
        raise ServerError(f"The workspace has no file {params.path}. The tool files lists those that it has.")
    return content.decode(errors="replace")


async def _findings_json(server: EditorServer, session: EditorSession, params: FileArgument) -> str:
    path = session.workspace.folder / params.path
    await _read_file(server, session, params)
    report = await server.live.report_on_saved_file(path)
    findings = report.findings[:_MAX_FINDINGS] if report is not None else ()
    return json.dumps(
        [
            {
                "line": report.document.lines.line_index(finding.start) + 1,
                "level": finding.level.name.lower(),
                "source": str(finding.source),
                "rule": finding.rule,
                "message": finding.message,
            }
            for finding in findings
            if report is not None
        ]
    )


async def _run_and_report_status(server: EditorServer, session: EditorSession, params: NoArguments) -> str:
    await session.run()
    return await _status_json(server, session, params)


async def _submit_and_report_status(server: EditorServer, session: EditorSession, params: NoArguments) -> str:
    await session.submit()
    return await _status_json(server, session, params)


ATTEMPT_TOOLS: tuple[AnyTool, ...] = (
    Tool(
        "problem",
        "The problem's statement, which files are tested, and the status.",
        NoArguments,
        _statement_and_status,
        needs_running_clock=False,
    ),
    Tool(
        "status",
        "State of the attempt, time and runs that are left, and the newest verdict as far as it is shown.",
        NoArguments,
        _status_json,
        StatusResult,
        needs_running_clock=False,
    ),
    Tool(
        "start",
        "Starts the clock, or goes on after a pause. Work begins with it.",
        NoArguments,
        _start_or_resume_clock_and_report_status,
        StatusResult,
        needs_running_clock=False,
        reads_only=False,
    ),
    Tool("files", "The files of the workspace with their sizes.", NoArguments, _workspace_files_json, FilesResult),
    Tool("read_file", "The content of a file of the workspace.", FileArgument, _read_file),
    Tool(
        "lint",
        "What the editor shows of a Verilog or SystemVerilog file: the findings of slang and the linters, once each.",
        FileArgument,
        _findings_json,
        FindingsResult,
    ),
    Tool(
        "run_hidden_tests",
        "Runs the hidden tests on the saved files and waits for the verdict. The number of runs may be limited.",
        NoArguments,
        _run_and_report_status,
        StatusResult,
        reads_only=False,
    ),
    Tool(
        "submit",
        "Submits the saved files and ends the attempt for good. Only if you are asked to, or are sure of them.",
        NoArguments,
        _submit_and_report_status,
        StatusResult,
        reads_only=False,
    ),
)
"""In the order in which an agent needs them."""
