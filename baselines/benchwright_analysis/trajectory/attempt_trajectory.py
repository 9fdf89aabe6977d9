"""An attempt of a person, a model or an agent as a trajectory: what its log says, and the conversation if it is kept.

The solver's requests and edits are calls of tools; what the log says of a run is the result of the call. Where the
conversation of a model or an agent is kept, its calls are in there, and the log says what they have changed. What a
trajectory has no place for is counted in its notes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import JsonValue

from benchwright_analysis.trajectory.atif import (
    Agent,
    FinalMetrics,
    Metrics,
    Observation,
    ObservationResult,
    Step,
    ToolCall,
    Trajectory,
)
from benchwright_attempts.attribution import EditOrigin, attributions_of_edits
from benchwright_attempts.clock.timeline import time_line
from benchwright_attempts.events.events import Edit, Event, RunCancelled, RunFinished, RunStarted
from benchwright_attempts.events.evidence import Assigned, EditShape, ModelUsage, ToolCalled, ToolFinished
from benchwright_attempts.log.record import AttemptHeader, RecordedEvent, canonical_json, format_wall
from benchwright_foundation.distribution import version

EXTRA = "benchwright"
"""Field of a part's `extra` that is ours."""
_BURST_S = 2.0
"""Keys that follow each other within this time are one step."""
_ACTIONS = {
    "started": "start_clock",
    "paused": "pause_clock",
    "resumed": "resume_clock",
    "edit": "edit_file",
    "edit_shape": "edit_file",
    "text": "write_file",
    "run_started": "run_hidden_tests",
    "answered": "submit_answer",
    "submitted": "submit",
    "abandoned": "give_up",
    "aid_used": "use_aid",
    "assist_accepted": "accept_offer",
    "assist_rejected": "refuse_offer",
    "command": "use_command",
    "tool_called": "call_tool",
    "forecast": "forecast",
    "self_estimate": "estimate",
}
"""Type of an event → the tool that the solver used."""
_OBSERVATIONS = frozenset(
    {
        *("opened", "assigned", "reply_read", "assist_shown", "run_finished", "run_cancelled", "judged", "regraded"),
        *("timed_out", "violation", "interrupted", "activity", "given", "reflected", "errors_classified"),
        "tool_finished",
    }
)
"""Types of events that the solver did not make, and that a trajectory shows."""
_VERDICT_TYPES = frozenset({"run_finished", "answered", "judged", "regraded"})
_HIDDEN_VERDICT = "recorded; the study shows no results"


@dataclass(frozen=True)
class ConversationPart:
    """What the messages between a model and what it works with say of an attempt."""

    steps: Sequence[Step]
    source: Trajectory | None = None
    """The trajectory that it was read from; None if it is from elsewhere."""
    omissions: Sequence[str] = ()
    """What of it a trajectory has no place for."""


def trajectory_of_attempt(
    header: AttemptHeader,
    events: Sequence[RecordedEvent],
    *,
    conversation: ConversationPart | None = None,
    statement: str = "",
) -> Trajectory:
    """The trajectory of an attempt.

    Args:
        header: The attempt's.
        events: All of it, in order.
        conversation: What went between a model and its tools, if it is kept.
        statement: What was asked, for an attempt without a conversation; empty if it is not known any more.
    """
    reader = _EventSteps(events, has_conversation=conversation is not None)
    steps = reader.steps()
    omissions = [*reader.omissions]
    if conversation is not None:
        steps = _merged_by_time(conversation.steps, steps)
        omissions += conversation.omissions
    elif statement:
        steps.insert(0, Step(step_id=1, source="user", message=_without_surrogates(statement)))
    else:
        omissions.append("the statement, which is not kept in this version")
    source = conversation.source if conversation is not None else None
    notes = f"Left out: {'; '.join(omissions)}." if omissions else ""
    return Trajectory(
        session_id=source.session_id if source is not None and source.session_id else header.id,
        trajectory_id=header.id,
        agent=_trajectory_agent(header, events, conversation),
        steps=tuple(step.model_copy(update={"step_id": number}) for number, step in enumerate(steps, 1)),
        notes="\n".join(filter(None, (source.notes if source is not None else None, notes))) or None,
        final_metrics=_final_metrics(events, len(steps)),
        continued_trajectory_ref=source.continued_trajectory_ref if source is not None else None,
        subagent_trajectories=source.subagent_trajectories if source is not None else None,
        extra={
            **((source.extra or {}) if source is not None else {}),
            EXTRA: {
                "version": version(),
                "problem": header.problem,
                "problem_digest": header.problem_digest,
                "condition": header.condition,
                "created": format_wall(header.created),
                "recording": header.recording.value,
            },
        },
    )


def _trajectory_agent(
    header: AttemptHeader, events: Sequence[RecordedEvent], conversation: ConversationPart | None
) -> Agent:
    models = list(dict.fromkeys(event.model for event in (r.event for r in events) if isinstance(event, ModelUsage)))
    extra: dict[str, JsonValue] = {"condition": header.condition, "models": list[JsonValue](models)}
    if conversation is not None and conversation.source is not None:
        given = conversation.source.agent
        return given.model_copy(update={"extra": {**(given.extra or {}), EXTRA: extra}})
    return Agent(name=header.solver, version="unknown", model_name=models[0] if models else None, extra={EXTRA: extra})


def _final_metrics(events: Sequence[RecordedEvent], step_count: int) -> FinalMetrics:
    usages = [event for event in (recorded.event for recorded in events) if isinstance(event, ModelUsage)]
    counted = [usage for usage in usages if usage.calls or usage.total_tokens]
    costs = [usage.cost_usd for usage in counted if usage.cost_usd is not None]
    prompt = sum(usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens for usage in counted)
    return FinalMetrics(
        total_prompt_tokens=prompt if counted else None,
        total_completion_tokens=sum(usage.output_tokens for usage in counted) if counted else None,
        total_cached_tokens=sum(usage.cache_read_tokens for usage in counted) if counted else None,
        total_cost_usd=sum(costs) if costs else None,
        total_steps=step_count,
    )


class _EventSteps:
    """The steps that the events of a log are.

    Args:
        events: All of an attempt.
        has_conversation: True if the solver's calls are known from elsewhere.
    """

    def __init__(self, events: Sequence[RecordedEvent], *, has_conversation: bool) -> None:
        self._events = events
        self._has_conversation = has_conversation
        self._at_s = time_line(events).at_s
        self._origins = {attribution.seq: attribution.origin for attribution in attributions_of_edits(events)}
        self._left_out: Counter[str] = Counter()
        self._steps: list[Step] = []
        self._run_steps: dict[str, int] = {}
        """Run → index of the step that began it."""
        self._last_typed: tuple[str, datetime] | None = None
        # What a study does not show to its participant stays out of a file that may be the participant's.
        self._shows_results = all(r.event.feedback != "none" for r in events if isinstance(r.event, Assigned))

    @property
    def omissions(self) -> list[str]:
        """What was left out, by type of event."""
        return [f"{count:,} {name.replace('_', ' ')}" for name, count in sorted(self._left_out.items())]

    def steps(self) -> list[Step]:
        """All of them, numbered from 1."""
        for recorded in self._events:
            self._add_event(recorded)
        return self._steps

    def _add_event(self, recorded: RecordedEvent) -> None:
        event = recorded.event
        if isinstance(event, RunFinished | RunCancelled) and event.run in self._run_steps:
            self._add_result_of_run(recorded)
        elif isinstance(event, ModelUsage):
            self._add_usage(recorded, event)
        elif isinstance(event, ToolCalled | ToolFinished) and self._has_conversation:
            self._left_out[event.type] += 1
        elif event.type in _ACTIONS:
            self._add_action_event(recorded)
        elif event.type in _OBSERVATIONS:
            self._steps.append(self._system_step(recorded))
        else:
            self._left_out[event.type] += 1

    def _add_action_event(self, recorded: RecordedEvent) -> None:
        event = recorded.event
        if isinstance(event, Edit | EditShape):
            last, self._last_typed = self._last_typed, None
            if self._origins.get(recorded.seq, EditOrigin.UNKNOWN) is EditOrigin.TYPED:
                self._last_typed = (event.path, recorded.moment.wall)
                if last is not None and last[0] == event.path and not self._has_conversation:
                    pause_s = (recorded.moment.wall - last[1]).total_seconds()
                    if 0 <= pause_s < _BURST_S:
                        self._append_call_to_last_step(recorded)
                        return
        else:
            self._last_typed = None
        if self._has_conversation:
            self._steps.append(self._system_step(recorded))
            return
        if isinstance(event, RunStarted):
            self._run_steps[event.run] = len(self._steps)
        call = self._tool_call(recorded)
        results: tuple[ObservationResult, ...] = ()
        if event.type in _VERDICT_TYPES:
            results = (ObservationResult(source_call_id=call.tool_call_id, content=self._verdict_text(event)),)
        self._steps.append(
            self._event_step(recorded, "agent").model_copy(
                update={
                    "tool_calls": (call,),
                    "llm_call_count": 0,
                    "observation": Observation(results=results) if results else None,
                }
            )
        )

    def _append_call_to_last_step(self, recorded: RecordedEvent) -> None:
        step = self._steps[-1]
        self._steps[-1] = step.model_copy(update={"tool_calls": (*(step.tool_calls or ()), self._tool_call(recorded))})

    def _add_result_of_run(self, recorded: RecordedEvent) -> None:
        event = recorded.event
        if not isinstance(event, RunFinished | RunCancelled):
            return
        index = self._run_steps.pop(event.run)
        step = self._steps[index]
        result = ObservationResult(
            source_call_id=step.tool_calls[0].tool_call_id if step.tool_calls else None,
            content=self._verdict_text(event),
            extra={EXTRA: self._event_facts(recorded)},
        )
        self._steps[index] = step.model_copy(update={"observation": Observation(results=(result,))})

    def _add_usage(self, recorded: RecordedEvent, usage: ModelUsage) -> None:
        if self._has_conversation and (usage.calls or usage.total_tokens):
            # The conversation has the tokens of each reply.
            return
        if not usage.calls and not usage.total_tokens:
            self._steps.append(self._system_step(recorded))
            return
        self._steps.append(
            self._event_step(recorded, "agent").model_copy(
                update={
                    "model_name": usage.model,
                    "llm_call_count": usage.calls or None,
                    "metrics": Metrics(
                        prompt_tokens=usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
                        completion_tokens=usage.output_tokens,
                        cached_tokens=usage.cache_read_tokens,
                        cost_usd=usage.cost_usd,
                        extra={EXTRA: _json_fields(usage)},
                    ),
                }
            )
        )

    def _event_step(self, recorded: RecordedEvent, source: str) -> Step:
        sentence = (type(recorded.event).__doc__ or recorded.event.type).splitlines()[0]
        return Step.model_validate(
            {
                "step_id": len(self._steps) + 1,
                "timestamp": format_wall(recorded.moment.wall),
                "source": source,
                "message": sentence,
                "extra": {EXTRA: self._event_facts(recorded)},
            }
        )

    def _system_step(self, recorded: RecordedEvent) -> Step:
        event = recorded.event
        content = self._verdict_text(event) if event.type in _VERDICT_TYPES else canonical_json(_json_fields(event))
        observation = Observation(results=(ObservationResult(content=content),))
        return self._event_step(recorded, "system").model_copy(update={"observation": observation})

    def _tool_call(self, recorded: RecordedEvent) -> ToolCall:
        event = recorded.event
        fields = _json_fields(event)
        if event.type in _VERDICT_TYPES:
            fields = {name: fields[name] for name in ("number", "snapshot") if name in fields}
        return ToolCall(
            tool_call_id=f"event-{recorded.seq}",
            function_name=_ACTIONS[event.type],
            arguments=fields,
            extra={EXTRA: self._event_facts(recorded)},
        )

    def _event_facts(self, recorded: RecordedEvent) -> dict[str, JsonValue]:
        facts: dict[str, JsonValue] = {
            "event": recorded.seq,
            "type": recorded.event.type,
            "at_s": round(self._at_s[recorded.seq], 3),
        }
        if recorded.seq in self._origins:
            facts["origin"] = self._origins[recorded.seq].value
        return facts

    def _verdict_text(self, event: Event) -> str:
        return canonical_json(_json_fields(event)) if self._shows_results else _HIDDEN_VERDICT


def _json_fields(event: Event) -> dict[str, JsonValue]:
    """The fields of an event but its type, in Unicode: lone surrogates are no text that files can hold."""
    fields = event.model_dump(exclude={"type"}, exclude_none=True)
    return {str(name): _json_without_surrogates(value) for name, value in fields.items()}


def _json_without_surrogates(value: object) -> JsonValue:
    match value:
        case str():
            return _without_surrogates(value)
        case Mapping():
            return {_without_surrogates(str(name)): _json_without_surrogates(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_json_without_surrogates(inner) for inner in value]
        case bool() | int() | float() | None:
            return value
        case _:
            return str(value)


def _without_surrogates(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _merged_by_time(conversation: Sequence[Step], other_steps: Sequence[Step]) -> list[Step]:
    """Both in the order of their times; a step without one keeps its place after the one before it."""
    timed_steps: list[tuple[datetime, int, Step]] = []
    for rank, steps in enumerate((conversation, other_steps)):
        latest = datetime.min.replace(tzinfo=UTC)
        for step in steps:
            latest = max(latest, step.moment or latest)
            timed_steps.append((latest, rank, step))
    return [step for _, _, step in sorted(timed_steps, key=lambda timed_step: timed_step[:2])]
