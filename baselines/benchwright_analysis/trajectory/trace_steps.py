"""A trajectory as a trace: the page that steps through it, with what looks like cheating at its step."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from benchwright_analysis.trace.step import AttemptTrace, StepExcerpt, StepKind, TracePart, TraceStep, whole_excerpt
from benchwright_analysis.trajectory.atif import Step, ToolCall, Trajectory, content_text
from benchwright_analysis.trajectory.reward_hacking import StepFinding

_EDITS = ("write", "edit", "replace", "create", "patch", "delete", "insert")
_RUNS = ("run", "command", "bash", "shell", "exec", "terminal", "submit")
_TITLE_CHARACTERS = 120


def trace_of_trajectory(trajectory: Trajectory, step_findings: Sequence[StepFinding] = ()) -> AttemptTrace:
    """The trace of a trajectory, and of those of its delegated agents.

    Args:
        trajectory: May come from elsewhere.
        step_findings: On its own steps.
    """
    fact_texts = {
        "agent": f"{trajectory.agent.name} {trajectory.agent.version}",
        "model": trajectory.agent.model_name or "",
        "session": trajectory.session_id or "",
        "format": trajectory.schema_version,
        "notes": trajectory.notes or "",
        "continued in": trajectory.continued_trajectory_ref or "",
        "findings": f"{len(step_findings):,}" if step_findings else "",
    }
    trace_parts = [TracePart("", _trace_steps(trajectory, step_findings)), *_parts_of_subagents(trajectory)]
    return AttemptTrace("Trace of a trajectory", {name: text for name, text in fact_texts.items() if text}, trace_parts)


def finding_texts_by_rule(step_findings: Sequence[StepFinding]) -> dict[str, str]:
    """The findings on one step, by rule."""
    facts: dict[str, str] = {}
    for finding in step_findings:
        name = f"finding: {finding.rule.replace('_', ' ')}"
        facts[name] = f"{facts[name]} {finding.message}" if name in facts else finding.message
    return facts


def _parts_of_subagents(trajectory: Trajectory) -> list[TracePart]:
    return [
        part
        for subagent in trajectory.subagent_trajectories or ()
        for part in (
            TracePart(f"Delegated to {subagent.agent.name}: {subagent.trajectory_id}", _trace_steps(subagent, ())),
            *_parts_of_subagents(subagent),
        )
    ]


def _trace_steps(trajectory: Trajectory, step_findings: Sequence[StepFinding]) -> list[TraceStep]:
    start_moment = next((step.moment for step in trajectory.steps if step.moment is not None), None)
    by_step: dict[int, list[StepFinding]] = {}
    for finding in step_findings:
        by_step.setdefault(finding.step_id, []).append(finding)
    return [
        _trace_step(
            step,
            (step.moment - start_moment).total_seconds()
            if step.moment is not None and start_moment is not None
            else None,
            finding_texts_by_rule(by_step.get(step.step_id, ())),
        )
        for step in trajectory.steps
    ]


def _trace_step(step: Step, at_s: float | None, finding_text_by_rule: Mapping[str, str]) -> TraceStep:
    calls = step.tool_calls or ()
    names = ", ".join(call.function_name for call in calls)
    text = " ".join(step.text.split())
    words = names or (text if len(text) <= _TITLE_CHARACTERS else f"{text[:_TITLE_CHARACTERS]}…")
    metrics = step.metrics
    amounts = (
        {}
        if metrics is None
        else {
            "input tokens": metrics.prompt_tokens,
            "from a cache": metrics.cached_tokens,
            "output tokens": metrics.completion_tokens,
        }
    )
    fact_texts = {
        **finding_text_by_rule,
        **{name: f"{amount:,}" for name, amount in amounts.items() if amount},
        **({"cost": f"{metrics.cost_usd:.4f} USD"} if metrics is not None and metrics.cost_usd is not None else {}),
        **({"model": step.model_name} if step.model_name else {}),
        **({"copied": "from an earlier trajectory"} if step.is_copied_context else {}),
    }
    excerpts = [
        *([whole_excerpt("Message", step.text)] if step.text else []),
        *([whole_excerpt("Reasoning", step.reasoning_content)] if step.reasoning_content else []),
        *map(_excerpt_of_call, calls),
        *_excerpts_of_results(step),
    ]
    return TraceStep(_step_kind(step), f"{step.step_id}. {step.source}: {words}", at_s, fact_texts, excerpts)


def _step_kind(step: Step) -> StepKind:
    if step.source != "agent":
        return StepKind.ASKED if step.source == "user" else StepKind.OTHER
    names = [call.function_name.lower() for call in step.tool_calls or ()]
    if any(word in name for name in names for word in _EDITS):
        return StepKind.EDITED
    return StepKind.RAN if any(word in name for name in names for word in _RUNS) else StepKind.OTHER


def _excerpt_of_call(call: ToolCall) -> StepExcerpt:
    texts = [f"{name}: {_argument_text(value)}" for name, value in call.arguments.items()]
    return whole_excerpt(f"Call of {call.function_name}", "\n".join(texts))


def _argument_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _excerpts_of_results(step: Step) -> list[StepExcerpt]:
    excerpts = []
    for result in step.observation.results if step.observation is not None else ():
        references = [
            f"Delegated: {reference.trajectory_id or reference.trajectory_path}"
            for reference in result.subagent_trajectory_ref or ()
        ]
        excerpts.append(whole_excerpt("Result", "\n".join([content_text(result.content), *references])))
    return excerpts
