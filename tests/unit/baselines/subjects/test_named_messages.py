from __future__ import annotations

import pytest
from inspect_ai.agent import AgentState
from inspect_ai.agent._bridge.types import AgentBridge
from inspect_ai.agent._bridge.util import apply_message_ids
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser

from benchwright_subjects.inspect_private import NamingBridge

CONVERSATIONS = ("ab", "aba", "abab", "a", "abcabc", "ccc", "b")


def names(bridge: AgentBridge, conversation: str) -> list[str]:
    """What the messages of a request are called; an assistant and a user take turns."""
    messages: list[ChatMessage] = [
        ChatMessageUser(content=one) if place % 2 else ChatMessageAssistant(content=one)
        for place, one in enumerate(conversation)
    ]
    apply_message_ids(bridge, messages)
    return [str(message.id) for message in messages]


@pytest.mark.parametrize("kind", [NamingBridge, AgentBridge])
def test_a_message_has_the_same_name_in_each_request_and_no_two_of_a_request_share_one(kind: type[AgentBridge]) -> None:
    """Of Inspect's own bridge too, whose behaviour ours keeps."""
    bridge = kind(AgentState(messages=[]))
    found = {conversation: names(bridge, conversation) for conversation in CONVERSATIONS}
    assert all(len(set(one)) == len(one) for one in found.values())
    assert found["abab"][:2] == found["ab"] == found["aba"][:2] == found["abcabc"][:2]
    assert found["abab"][2:3] == found["aba"][2:3]
    assert found["a"] == found["ab"][:1]
    assert found["b"] != found["ab"][1:], "a user's and an assistant's are two"
    assert names(bridge, "abab") == found["abab"]
