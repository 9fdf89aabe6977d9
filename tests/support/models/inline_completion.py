"""Fixtures and helpers of the tests of inline completion."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types

from benchwright_attempts import log_file
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.file_text import FileText
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_server.workspaces.workspace import (
    Marker,
    create_workspace_files,
    mark_workspace,
    statement_path_and_workspace_files,
)
from benchwright_studies import open_log

from ...lsp.session import PATIENCE_S, File
from ..service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content


class Model(JudgeEndpoint):
    """A model on loopback that says what a test tells it to."""

    def __init__(self) -> None:
        super().__init__(self._answer)
        self.reply: PlayedReply = content("a;")

    def _answer(self, request: JudgeRequest) -> PlayedReply:
        return self.reply


@pytest.fixture(scope="module")
def serving() -> Iterator[Model]:
    with Model() as model:
        yield model


@pytest.fixture
def model(serving: Model) -> Model:
    """The model, asked nothing yet."""
    serving.requests.clear()
    serving.reply = content("a;")
    return serving


def options(model: Model, **assistant_settings: object) -> dict[str, object]:
    return {"assistant": {"enabled": True, "url": model.url, "model": "scripted", **assistant_settings}}


def inline_capabilities() -> types.ClientCapabilities:
    capabilities = types.TextDocumentClientCapabilities(inline_completion=types.InlineCompletionClientCapabilities())
    return types.ClientCapabilities(text_document=capabilities)


async def offers(file: File, after_text: str = "y = ") -> list[types.InlineCompletionItem]:
    text_before = file.text[: file.text.index(after_text) + len(after_text)]
    position = types.Position(text_before.count("\n"), len(text_before) - text_before.rfind("\n") - 1)
    trigger_context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic)
    params = types.InlineCompletionParams(trigger_context, types.TextDocumentIdentifier(file.uri), position)
    completion_list = await asyncio.wait_for(
        file.editor.client.text_document_inline_completion_async(params), PATIENCE_S
    )
    return list(
        completion_list.items if isinstance(completion_list, types.InlineCompletionList) else completion_list or ()
    )


def with_help(home: Path, ref: str = "starter/saturating-counter") -> Path:
    """A workspace of an attempt that may be helped."""
    user_home = Home.from_environment({"BENCHWRIGHT_HOME": str(home)})
    problem = Store(user_home).problem(ref)
    statement, files = statement_path_and_workspace_files(problem)
    folder = user_home.workspaces / "starter" / "helped"
    create_workspace_files(folder, files)
    texts = {path: FileText.of_bytes(data) for path, data in files.items()}
    with open_log(log_file(user_home)) as log:
        header = Attempts(log).create(ref, problem.public_digest, folder, texts, condition="human+copilot")
    mark_workspace(folder, Marker(attempt=header.id, problem=header.problem, statement=statement))
    return folder
