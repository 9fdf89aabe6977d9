"""The prompt for a question that the solver asks a model in the editor's chat: only what the solver may see."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from benchwright_attempts.events.events import AidUsed
from benchwright_attempts.grading.grading import judged_paths
from benchwright_problems.aids import Aid
from benchwright_server.protocol.agent import ChatPrompt, ChatPromptParams
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_server.attempts.session import EditorSession
    from benchwright_server.editor_server import EditorServer

FEATURE = "chat"
"""The name of the feature in `AidUsed`."""
_TASK = (
    "You help an engineer with a hardware-design problem. Answer the question at the end with what is below: explain, "
    "point at lines, and do not write the whole solution unless you are asked for it. You do not have the hidden tests."
)
_MAX_FILE = 30_000
"""Characters of one file, and of the statement."""
_MAX_QUESTION = 20_000


async def build_and_record_chat_prompt(server: EditorServer, params: ChatPromptParams) -> ChatPrompt:
    """The prompt for a question, which is recorded before it is given."""
    session = await server.sessions.require_session(local_path_of(params.uri))
    for aid in (Aid.AGENT_TOOLS, Aid.GENERATED):
        await session.attempt.refuse_aid_or_must_record(aid)
    prompt_parts = [_TASK, *await asyncio.to_thread(_fenced_statement_and_files, session)]
    status = await session.status()
    if status.verdict is not None:
        run_name = f"run {status.verdict.number}"
        prompt_parts.append(f"{status.view.headline}.\nWhat the solver sees of {run_name}: {status.verdict.message}")
    if Aid.HINTS in session.aids:
        prompt_parts += [
            f"Hint {hint.number} of the problem: {hint.text}"
            for hint in (await session.hint_ladder.current_position()).taken
        ]
    prompt_parts.append(f"The question: {params.question[:_MAX_QUESTION]}")
    await session.attempt.record_aid_use(AidUsed(aid=Aid.GENERATED, feature=FEATURE, detail=params.model[:200]))
    return ChatPrompt(text="\n\n".join(prompt_parts))


def _fenced_statement_and_files(session: EditorSession) -> list[str]:
    paths = [session.workspace.marker.statement, *judged_paths(session.problem)]
    contents = {path: session.workspace.read(path) for path in paths}
    return [
        f"{path}:\n```\n{content.decode(errors='replace')[:_MAX_FILE]}\n```"
        for path, content in contents.items()
        if content is not None
    ]
