"""Trajectories and the samples of Inspect's logs, each as the other."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from inspect_ai.event import ModelEvent
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalSample,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Content,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolCall as InspectToolCall

from benchwright_analysis.trajectory.atif import (
    Metrics,
    Observation,
    ObservationResult,
    Step,
    ToolCall,
    Trajectory,
    content_text,
)
from benchwright_analysis.trajectory.attempt_trajectory import EXTRA, ConversationPart
from benchwright_attempts.summary.summary import AttemptVerdict
from benchwright_problems.verdict import Outcome


def conversation_of_sample(sample: EvalSample) -> ConversationPart:
    """The messages of a sample as steps."""
    return _SampleReader(sample).conversation()


class _SampleReader:
    def __init__(self, sample: EvalSample) -> None:
        self._sample = sample
        self._omissions: list[str] = []
        self._steps: list[Step] = []
        self._step_of_call: dict[str, int] = {}
        self._event_by_message = {
            model_event.output.message.id: model_event
            for model_event in sample.events
            if isinstance(model_event, ModelEvent) and model_event.output.choices and model_event.output.message.id
        }

    def conversation(self) -> ConversationPart:
        begun = min((model_event.timestamp for model_event in self._event_by_message.values()), default=None)
        for message in self._sample.messages:
            match message:
                case ChatMessageAssistant():
                    self._add_reply(message)
                case ChatMessageTool():
                    self._add_tool_result(message)
                case ChatMessageSystem():
                    self._steps.append(
                        Step(step_id=1, source="system", message=self._content_text_noting_omissions(message.content))
                    )
                case ChatMessageUser():
                    self._steps.append(
                        Step(step_id=1, source="user", message=self._content_text_noting_omissions(message.content))
                    )
        if self._steps and begun is not None:
            self._steps[0] = self._steps[0].model_copy(update={"timestamp": _iso_time(begun)})
        if other_events := len(self._sample.events) - len(self._event_by_message):
            self._omissions.append(f"{other_events:,} events of Inspect's other than replies")
        return ConversationPart(self._steps, omissions=self._omissions)

    def _add_reply(self, message: ChatMessageAssistant) -> None:
        model_event = self._event_by_message.get(message.id or "")
        calls = tuple(
            ToolCall(
                tool_call_id=model_call.id,
                function_name=model_call.function,
                arguments=model_call.arguments,
            )
            for model_call in message.tool_calls or ()
        )
        self._step_of_call |= {call.tool_call_id: len(self._steps) for call in calls}
        self._steps.append(
            Step(
                step_id=1,
                source="agent",
                timestamp=_iso_time(model_event.completed or model_event.timestamp)
                if model_event is not None
                else None,
                model_name=message.model or (model_event.model if model_event is not None else None),
                message=self._content_text_noting_omissions(message.content),
                reasoning_content="\n".join(_reasoning_texts(message.content)) or None,
                tool_calls=calls or None,
                metrics=_atif_metrics(model_event.output.usage)
                if model_event is not None and model_event.output.usage is not None
                else None,
            )
        )

    def _add_tool_result(self, message: ChatMessageTool) -> None:
        text = self._content_text_noting_omissions(message.content)
        extra = {EXTRA: {"error": message.error.type}} if message.error is not None else None
        if message.error is not None:
            text = message.error.message if not text else f"{text}\n{message.error.message}"
        index = self._step_of_call.get(message.tool_call_id or "")
        if index is None:
            result = ObservationResult(content=text, extra=extra)
            self._steps.append(
                Step(
                    step_id=1,
                    source="system",
                    message=f"A result of {message.function or 'a tool'} that no call is known of.",
                    observation=Observation(results=(result,)),
                )
            )
            return
        step = self._steps[index]
        earlier = step.observation.results if step.observation is not None else ()
        result = ObservationResult(source_call_id=message.tool_call_id, content=text, extra=extra)
        self._steps[index] = step.model_copy(update={"observation": Observation(results=(*earlier, result))})

    def _content_text_noting_omissions(self, content: str | list[Content]) -> str:
        if isinstance(content, str):
            return content
        for content_part in content:
            if not isinstance(content_part, ContentText | ContentReasoning):
                self._omissions.append(f"a part of type {content_part.type} of a message")
        return "\n".join(content_part.text for content_part in content if isinstance(content_part, ContentText))


def _reasoning_texts(content: str | list[Content]) -> Iterator[str]:
    for content_part in () if isinstance(content, str) else content:
        if isinstance(content_part, ContentReasoning):
            yield content_part.reasoning if not content_part.redacted else content_part.summary or ""


def _atif_metrics(usage: ModelUsage) -> Metrics:
    cache_read, cache_write = usage.input_tokens_cache_read or 0, usage.input_tokens_cache_write or 0
    return Metrics(
        prompt_tokens=usage.input_tokens + cache_read + cache_write,
        completion_tokens=usage.output_tokens,
        cached_tokens=cache_read,
        cost_usd=usage.total_cost,
        extra={EXTRA: {"reasoning_tokens": usage.reasoning_tokens}} if usage.reasoning_tokens else None,
    )


def _iso_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def write_sample_log(log: EvalLog, sample: EvalSample, file: Path) -> None:
    """Write one sample of a log as a log of its own; nothing of the sample is lost.

    Raises:
        OSError: The file can't be written.
    """
    write_eval_log(log.model_copy(update={"samples": [sample], "results": None, "reductions": None}), str(file))


def write_trajectory_log(trajectory: Trajectory, verdict: AttemptVerdict | None, file: Path) -> None:
    """Write a trajectory as a log of Inspect's with one sample.

    Args:
        trajectory: Its steps become messages; what messages have no place for is in their metadata.
        verdict: The newest one of the attempt, which becomes the score; None without one.
        file: Ends with `.eval`.

    Raises:
        OSError: The file can't be written.
    """
    facts = (trajectory.extra or {}).get(EXTRA)
    problem = str(facts.get("problem", "")) if isinstance(facts, dict) else ""
    created = next((step.moment for step in trajectory.steps if step.moment is not None), datetime.now(UTC))
    model = trajectory.agent.model_name or f"none/{trajectory.agent.name}"
    messages = [message for step in trajectory.steps for message in _chat_messages_of_step(step, trajectory)]
    usage = _stated_total_usage(trajectory)
    assistant_messages = [message for message in messages if isinstance(message, ChatMessageAssistant)]
    sample = EvalSample(
        id=problem or trajectory.trajectory_id or trajectory.session_id or "trajectory",
        epoch=1,
        input=next((step.text for step in trajectory.steps if step.source == "user"), ""),
        target="",
        messages=messages,
        output=ModelOutput(
            model=model, choices=[ChatCompletionChoice(message=assistant_messages[-1])] if assistant_messages else []
        ),
        scores={"verdict": _inspect_score(verdict, trajectory)} if verdict is not None else None,
        metadata={
            "trajectory": trajectory.model_dump(mode="json", exclude_none=True, exclude={"steps"}),
        },
        model_usage={model: usage} if usage is not None else {},
    )
    log = EvalLog(
        status="success",
        eval=EvalSpec(
            created=_iso_time(created),
            task="benchwright/attempt",
            dataset=EvalDataset(name=problem.partition("/")[0] or None, samples=1, sample_ids=[sample.id]),
            model=model,
            config=EvalConfig(epochs=1),
            metadata={"notes": trajectory.notes} if trajectory.notes else None,
        ),
        stats=EvalStats(model_usage=sample.model_usage),
        samples=[sample],
    )
    write_eval_log(log, str(file))


def _chat_messages_of_step(step: Step, trajectory: Trajectory) -> Iterator[ChatMessage]:
    metadata = step.model_dump(
        mode="json", exclude_none=True, exclude={"message", "reasoning_content", "tool_calls", "observation", "source"}
    )
    results = step.observation.results if step.observation is not None else ()
    if step.source == "user":
        yield ChatMessageUser(content=step.text, metadata=metadata)
    elif step.source == "system":
        yield ChatMessageSystem(
            content="\n".join(filter(None, (step.text, *(content_text(result.content) for result in results)))),
            metadata=metadata,
        )
        return
    else:
        content: list[Content] = [ContentText(text=step.text)]
        if step.reasoning_content:
            content.insert(0, ContentReasoning(reasoning=step.reasoning_content))
        yield ChatMessageAssistant(
            content=content if len(content) > 1 else step.text,
            tool_calls=[
                InspectToolCall(id=call.tool_call_id, function=call.function_name, arguments=dict(call.arguments))
                for call in step.tool_calls or ()
            ]
            or None,
            model=step.model_name or trajectory.agent.model_name,
            metadata=metadata,
        )
    functions = {call.tool_call_id: call.function_name for call in step.tool_calls or ()}
    for result in results:
        yield ChatMessageTool(
            content=content_text(result.content),
            tool_call_id=result.source_call_id,
            function=functions.get(result.source_call_id or ""),
            metadata={"extra": result.extra} if result.extra else None,
        )


def _stated_total_usage(trajectory: Trajectory) -> ModelUsage | None:
    totals = trajectory.final_metrics
    if totals is None or totals.total_prompt_tokens is None:
        return None
    completion, cached_tokens = totals.total_completion_tokens or 0, totals.total_cached_tokens or 0
    return ModelUsage(
        input_tokens=max(0, totals.total_prompt_tokens - cached_tokens),
        output_tokens=completion,
        total_tokens=totals.total_prompt_tokens + completion,
        input_tokens_cache_read=cached_tokens,
        total_cost=totals.total_cost_usd,
    )


def _inspect_score(verdict: AttemptVerdict, trajectory: Trajectory) -> Score:
    metadata = {
        "attempt": trajectory.trajectory_id,
        "outcome": verdict.outcome.value,
        "reason": verdict.reason,
        "digests": dict(verdict.digests),
    }
    if verdict.outcome is Outcome.ERROR:
        return Score.unscored(reason="grader_failed", explanation=verdict.message, metadata=metadata)
    return Score(value=float(verdict.outcome is Outcome.PASSED), explanation=verdict.message, metadata=metadata)
