"""`benchwright/generatedHelp`: a hint or an explanation of a failure by the assistant's model, where allowed."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_attempts.events.events import AidUsed
from benchwright_attempts.grading.grading import judged_paths
from benchwright_problems.aids import Aid
from benchwright_server.assistant.endpoint import AssistantReply, request_reply
from benchwright_server.assistant.help_prompt import SolverView, help_messages, sanitised_markdown
from benchwright_server.errors import ServerError
from benchwright_server.features.attempt import aids
from benchwright_server.features.attempt.failures import design_files_without_tests, explain_failure
from benchwright_server.features.editor.locations import Locations
from benchwright_server.features.editor.project_of import project_and_inner_path
from benchwright_server.features.editor.run_progress import cancellable_progress
from benchwright_server.own_tests.discovery import require_project_folder
from benchwright_server.protocol.explanations import (
    ExplainFailureParams,
    GeneratedHelp,
    GeneratedHelpParams,
    GeneratedPart,
)

if TYPE_CHECKING:
    from benchwright_server.attempts.session import EditorSession
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.project.project import Project

_MOST_TOKENS = 1_500
_PATIENCE_MS = 120_000
_MOST_FILES = 40
_REPORT_S = 0.1
"""Between two messages with what has been written so far."""


async def ask_model_for_help(server: EditorServer, params: GeneratedHelpParams) -> GeneratedHelp:
    """Asks the model. Whatever it comes to is an event."""
    aid_use = await aids.begin_use_if_in_attempt(server, params.uri, Aid.GENERATED)
    session = aid_use.session if aid_use is not None else None
    assistant = server.settings.assistant
    if not (assistant.enabled and assistant.url):
        raise ServerError("No model is set up. Turn on benchwright.assistant.enabled and set its url and model.")
    project, _ = project_and_inner_path(server, params.uri)
    files = await asyncio.to_thread(lambda: list(design_files_without_tests(project))[:_MOST_FILES])
    await aids.begin_uses_by_workspace(server, files, Aid.GENERATED)
    messages = help_messages(params.about, await _solver_view(server, session, project, params))
    patient = replace(assistant, max_tokens=_MOST_TOKENS, timeout_ms=max(assistant.timeout_ms, _PATIENCE_MS))
    reply, outcome = AssistantReply(""), "cancelled"
    try:
        task = asyncio.current_task()
        async with cancellable_progress(server, "Asking the model", lambda: task and task.cancel()) as report:
            report(assistant.model or assistant.url, 10)
            reply = await request_reply(
                patient, messages, os.environ, _partial_text_sender_if_requested(server, params)
            )
        outcome = "answered"
    except ServerError:
        outcome = "error"
        raise
    finally:
        event = AidUsed(
            aid=Aid.GENERATED,
            feature=params.about,
            detail=_model_and_token_counts(assistant.model, reply),
            outcome=outcome,
        )
        if aid_use is not None:
            await asyncio.shield(aid_use.record_if_begun_in_time(event))
    return GeneratedHelp(
        model=assistant.model,
        markdown=_help_page_markdown(reply.text),
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
    )


def _partial_text_sender_if_requested(
    server: EditorServer, params: GeneratedHelpParams
) -> Callable[[str], None] | None:
    """Sends the client what has been written so far, if it wants to have it."""
    token = params.partial_result_token
    if token is None:
        return None
    last_sent = 0.0

    def tell(text: str) -> None:
        nonlocal last_sent
        if time.monotonic() - last_sent >= _REPORT_S:
            last_sent = time.monotonic()
            progress_part = GeneratedPart(markdown=_help_page_markdown(text)).model_dump(mode="json", by_alias=True)
            server.notify_json(types.PROGRESS, {"token": token, "value": progress_part})

    return tell


def _help_page_markdown(model_text: str) -> str:
    reply_text = sanitised_markdown(model_text) or "The model said nothing."
    return f"*Written by a model. It may be wrong.*\n\n{reply_text}\n"


def _model_and_token_counts(model_name: str, reply: AssistantReply) -> str:
    return f"{model_name[:200]}; tokens in {reply.input_tokens}, out {reply.output_tokens}"


async def _solver_view(
    server: EditorServer, session: EditorSession | None, project: Project, params: GeneratedHelpParams
) -> SolverView:
    failure = await _newest_failure_text(server, session, params)
    if session is None:
        locations, folder = Locations(server), require_project_folder(project)
        paths = await asyncio.to_thread(lambda: list(design_files_without_tests(project))[:_MOST_FILES])
        return SolverView(
            "",
            {
                source_path.relative_to(folder).as_posix(): locations.lines_of_file(source_path).text
                for source_path in paths
            },
            (),
            failure,
        )
    workspace = session.workspace
    statement_bytes = workspace.read(workspace.marker.statement) or b""
    files: dict[str, str] = {}
    for path in dict.fromkeys((*judged_paths(session.problem), *session.problem.public.files)):
        content = await asyncio.to_thread(workspace.read, path)
        if content is not None and path != workspace.marker.statement and len(files) < _MOST_FILES:
            files[path] = content.decode(errors="replace")
    return SolverView(
        statement_bytes.decode(errors="replace"), files, await _taken_hint_texts_if_allowed(session), failure
    )


async def _taken_hint_texts_if_allowed(session: EditorSession) -> tuple[str, ...]:
    if not session.hint_ladder.is_available or not session.terms.allows_aid(Aid.HINTS):
        return ()
    return tuple(hint.text for hint in (await session.hint_ladder.current_position()).taken)


async def _newest_failure_text(server: EditorServer, session: EditorSession | None, params: GeneratedHelpParams) -> str:
    """The newest failure as the solver sees it; empty if there is none to explain, which only a hint can do without."""
    if session is not None and not session.terms.allows_aid(Aid.EXPLANATIONS):
        status = await session.status()
        return f"{status.view.headline}. {status.verdict.message}" if status.verdict is not None else ""
    try:
        return (await explain_failure(server, ExplainFailureParams(uri=params.uri))).markdown
    except ServerError:
        if params.about == "failure":
            raise
        return ""
