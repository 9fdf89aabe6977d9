"""The line above a module: run the hidden tests, and what came out last."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_baselines.clock import AttemptState
from benchwright_problems.problem import Kind
from benchwright_server.operations import path_of
from benchwright_server.protocol import AttemptStatus, VerdictView
from benchwright_server.workspaces.workspace import editable_files

if TYPE_CHECKING:
    from benchwright_server.server import BenchwrightServer


class CodeLenses:
    """Serves `textDocument/codeLens` for the files that a harness takes.

    Args:
        server: Whose client.
    """

    def __init__(self, server: BenchwrightServer) -> None:
        self._server = server
        # pygls marks what it registers, and methods can't be marked.
        server.feature(types.TEXT_DOCUMENT_CODE_LENS)(partial(self._lenses))

    def refresh(self) -> None:
        """Ask the client to fetch the lenses again, where it can."""
        workspace = self._server.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self._server.workspace_code_lens_refresh(None)

    async def _lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        document = self._server.documents.get(params.text_document.uri)
        if document is None or not document.uri.startswith("file:"):
            return []
        file = path_of(document.uri)
        session = await self._server.bench.session(file)
        if session is None or session.problem.kind is not Kind.DESIGN:
            return []
        if session.workspace.relative(file) not in editable_files(session.problem):
            return []
        modules = self._server.live.analysis(document).modules
        offset = document.lines.from_byte(modules[0].start) if modules else 0
        place = document.lines.range(offset, offset)
        title, command = lens_of(await session.status())
        arguments = [{"uri": session.workspace.folder.as_uri()}]
        return [
            types.CodeLens(place, types.Command(title=title, command=f"benchwright.{command}", arguments=arguments))
        ]


def lens_of(status: AttemptStatus) -> tuple[str, str]:
    """Title and operation of the lens for an attempt."""
    news = describe(status.verdict) if status.verdict else ""
    if status.running:
        return "■ Stop the hidden tests", "cancelRun"
    if status.state is AttemptState.OPEN:
        return "▶ Start the clock to run the hidden tests", "start"
    if status.state is AttemptState.PAUSED:
        return f"▶ Resume the clock to run the hidden tests{news}", "resume"
    if status.state is AttemptState.RUNNING:
        return f"▶ Run hidden tests{news}", "run"
    return f"{'Submitted' if status.state is AttemptState.SUBMITTED else 'Abandoned'}{news}", "status"


def describe(verdict: VerdictView) -> str:
    """A verdict in a few words, such as ` · 3/5 passed · 0.8 s · try 4`."""
    if verdict.outcome == "error":
        result = verdict.reason.replace("_", " ")
    elif verdict.tests is not None:
        result = f"{verdict.tests.passed}/{verdict.tests.total} passed"
        if verdict.outcome == "failed" and verdict.tests.passed == verdict.tests.total:
            result += ", but failed"
    else:
        result = verdict.outcome
    return f" · {result} · {verdict.wall_s:.1f} s · try {verdict.number}"
