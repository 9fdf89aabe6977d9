"""Names for the messages of a conversation, found in a time that grows with their number.

Inspect's bridge gives a message the same name in each request. For each message it collects the names of all others, so
that the time grows with the square of their number.
"""

from __future__ import annotations

from uuid import uuid4

from inspect_ai._util.json import to_json_str_safe
from inspect_ai.agent._bridge.types import AgentBridge, message_json_hash
from inspect_ai.model import ChatMessage


class NamingBridge(AgentBridge):
    """A bridge that remembers which names the conversation has so far."""

    _given: set[str]

    def _id_for_message(self, message: ChatMessage, conversation: list[ChatMessage]) -> str:
        # Inspect asks for all messages of a request, one after the other.
        if message is conversation[0]:
            self._given = set()
        known = self._message_ids.setdefault(message_json_hash(to_json_str_safe(message)), [])
        name = next((one for one in known if one not in self._given), None)
        if name is None:
            name = uuid4().hex
            known.append(name)
        self._given.add(name)
        return name
