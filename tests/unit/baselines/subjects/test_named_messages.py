from __future__ import annotations

import pytest
from inspect_ai.agent import AgentState
from inspect_ai.agent._bridge.types import AgentBridge
from inspect_ai.agent._bridge.util import apply_message_ids
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser

from benchwright_subjects.inspect_private import NamingBridge

CONVERSATIONS = ("ab", "aba", "abab", "a", "abcabc", "ccc", "b")


def message_names(bridge: AgentBridge, conversation: str) -> list[str]:
    """Names of the messages of a request; an assistant and a user take turns."""
    messages: list[ChatMessage] = [
        ChatMessageUser(content=letter) if index % 2 else ChatMessageAssistant(content=letter)
        for index, letter in enumerate(conversation)
    ]
    apply_message_ids(bridge, messages)
    return [str(message.id) for message in messages]


@pytest.mark.parametrize("kind", [NamingBridge, AgentBridge])
def test_a_message_has_the_same_name_in_each_request_and_no_two_of_a_request_share_one(kind: type[AgentBridge]) -> None:
    """Of Inspect's own bridge too, whose behaviour ours keeps."""
    bridge = kind(AgentState(messages=[]))
    names_by_conversation = {conversation: message_names(bridge, conversation) for conversation in CONVERSATIONS}
    assert all(len(set(message_names)) == len(message_names) for message_names in names_by_conversation.values())
    assert (
        names_by_conversation["abab"][:2]
        == names_by_conversation["ab"]
        == names_by_conversation["aba"][:2]
        == names_by_conversation["abcabc"][:2]
    )
    assert names_by_conversation["abab"][2:3] == names_by_conversation["aba"][2:3]
    assert names_by_conversation["a"] == names_by_conversation["ab"][:1]
    assert names_by_conversation["b"] != names_by_conversation["ab"][1:], "a user's and an assistant's are two"
    assert message_names(bridge, "abab") == names_by_conversation["abab"]
