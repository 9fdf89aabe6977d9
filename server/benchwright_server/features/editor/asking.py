"""`window/showMessageRequest`: questions with a few answers, for clients that have no list of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer


async def ask_user(server: EditorServer, question: str, answers: Sequence[str]) -> str | None:
    """Asks a question: returns which of the answers was chosen, None if none was."""
    actions = [types.MessageActionItem(title) for title in answers]
    message_request = types.ShowMessageRequestParams(types.MessageType.Info, question, actions)
    chosen_action = await server.window_show_message_request_async(message_request)
    return chosen_action.title if chosen_action is not None and chosen_action.title in answers else None
