"""What an agent reports of its calls of tools, as events of its attempt."""

from __future__ import annotations

from typing import Any

from benchwright_attempts.events.evidence import ToolCalled, ToolFinished
from benchwright_subjects.agents.acp.conversation import Conversation
from benchwright_subjects.agents.acp.tool_calls import ToolCalls


def recorded_events(*updates: dict[str, Any]) -> list[ToolCalled | ToolFinished]:
    reported_events: list[ToolCalled | ToolFinished] = []
    tool_calls = ToolCalls(reported_events.append)
    for update in updates:
        tool_calls.record_update(update)
    return reported_events


def test_a_call_begins_once_and_ends_once() -> None:
    tool_call_fields = {"toolCallId": "a", "title": "Write", "kind": "edit", "rawInput": {"path": "rtl/é.sv"}}
    ended = {"toolCallId": "a", "status": "completed", "rawOutput": "done"}
    assert recorded_events(
        {**tool_call_fields, "status": "pending"},
        {"toolCallId": "a", "status": "in_progress"},
        tool_call_fields,
        ended,
        ended,
    ) == [
        ToolCalled(call="a", tool="Write", kind="edit", arguments='{"path": "rtl/é.sv"}'),
        ToolFinished(call="a", outcome="completed", approval="unasked", result="done"),
    ]


def test_a_call_that_the_policy_refuses_ends_as_refused_whatever_the_agent_says_next() -> None:
    reported_events: list[Any] = []
    conversation = Conversation(ToolCalls(reported_events.append))
    tool_call_fields = {"toolCallId": "a", "title": "Run", "kind": "execute"}
    assert not conversation.decide_permission(tool_call_fields, frozenset({"execute"}))
    conversation.record_notification(
        "session/update", {"update": {"sessionUpdate": "tool_call_update", **tool_call_fields}}
    )
    conversation.tool_calls.record_update({"toolCallId": "a", "status": "completed"})
    assert conversation.decide_permission({"toolCallId": "b", "title": "Edit", "kind": "edit"}, frozenset({"execute"}))
    conversation.tool_calls.record_update({"toolCallId": "b", "status": "failed", "content": [{"type": "diff"}]})
    assert [
        (event.type, event.call, getattr(event, "outcome", ""), getattr(event, "approval", ""))
        for event in reported_events
    ] == [
        ("tool_called", "a", "", ""),
        ("tool_finished", "a", "refused", "refused"),
        ("tool_called", "b", "", ""),
        ("tool_finished", "b", "failed", "granted"),
    ]
    assert (dict(conversation.granted_counts), dict(conversation.refused_counts)) == ({"edit": 1}, {"execute": 1})


def test_what_does_not_look_as_the_protocol_says_is_left_out_or_made_harmless() -> None:
    assert recorded_events({"toolCallId": 7, "title": "x"}, {"title": "x"}, {"toolCallId": "a", "kind": ["edit"]}) == []
    (called,) = recorded_events(
        {"toolCallId": "a\x1b[2J", "title": "W\nx", "kind": "sudo", "rawInput": "\ud800" + "x" * 70_000}
    )
    assert isinstance(called, ToolCalled)
    assert (called.call, called.tool, called.kind) == ("a [2J", "W x", "other")
    assert called.arguments == "?" + "x" * 63_999


def test_of_a_flood_of_calls_the_log_has_so_many_and_no_text_of_the_last() -> None:
    long_text = "x" * 64_000
    reported_events = recorded_events(
        *({"toolCallId": str(number), "title": "w", "rawInput": long_text} for number in range(10_500))
    )
    assert len(reported_events) == 10_000
    assert sum(len(event.arguments) for event in reported_events if isinstance(event, ToolCalled)) < (8 << 20) + 64_000


def test_below_full_recording_neither_arguments_nor_results_are_kept() -> None:
    called = ToolCalled(call="a", tool="cat secret", kind="execute", arguments="{}")
    finished = ToolFinished(call="a", outcome="completed", approval="granted", result="text")
    assert called.without_text() == ToolCalled(call="a", tool="", kind="execute")
    assert finished.without_text() == ToolFinished(call="a", outcome="completed", approval="granted")
