"""Turns of a model or an agent: what it was asked and replied, what changed, and what the tests said, as one step."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from benchwright_analysis.trace.exchanges import Exchange
from benchwright_analysis.trace.step import StepExcerpt, StepKind, TraceStep, whole_excerpt

_ONCE_IN_A_TURN = (StepKind.ASKED, StepKind.READ)


def steps_merged_by_turn(
    steps: Sequence[TraceStep], exchanges: Sequence[Exchange], first_event_time: datetime
) -> list[TraceStep]:
    """Steps with those of each turn as one.

    Args:
        steps: Of an attempt by a model or an agent, in their order.
        exchanges: Its requests; if none is known, a turn begins where the model was asked again.
        first_event_time: Time of the attempt's first event.
    """
    merged_steps: list[TraceStep] = []
    turn_steps: list[TraceStep] = []
    begun_exchanges = [(exchange, (exchange.at - first_event_time).total_seconds()) for exchange in exchanges]
    exchange: Exchange | None = None
    turns = 0

    def end_turn() -> None:
        nonlocal exchange, turns
        if turn_steps or exchange is not None:
            turns += 1
            merged_steps.append(_turn_step(turns, turn_steps, exchange))
            turn_steps.clear()
            exchange = None

    for step in steps:
        while begun_exchanges and step.at_s is not None and begun_exchanges[0][1] <= step.at_s:
            end_turn()
            exchange, _ = begun_exchanges.pop(0)
        if step.kind is StepKind.OTHER:
            if not exchanges or not begun_exchanges:
                end_turn()
            merged_steps.append(step)
            continue
        if not exchanges and step.kind in _ONCE_IN_A_TURN and any(step.kind is earlier.kind for earlier in turn_steps):
            end_turn()
        turn_steps.append(step)
    end_turn()
    for exchange, _ in begun_exchanges:
        turns += 1
        merged_steps.append(_turn_step(turns, [], exchange))
    return merged_steps


def _turn_step(turn_number: int, steps: Sequence[TraceStep], exchange: Exchange | None) -> TraceStep:
    edit_excerpts = [
        excerpt for step in steps if step.kind is StepKind.EDITED for excerpt in _excerpts_named_after_file(step)
    ]
    finished_test_runs = [step for step in steps if step.kind is StepKind.RAN and step.is_end]
    line_marks = [line.mark for excerpt in edit_excerpts for line in excerpt.lines]
    changed = (
        f"+{line_marks.count('+'):,} \N{MINUS SIGN}{line_marks.count('-'):,} lines" if edit_excerpts else "no change"
    )
    fact_texts = {
        name: text for step in steps if step.kind in _ONCE_IN_A_TURN for name, text in step.fact_texts.items()
    }
    used = [step.title for step in steps if step.kind not in (*_ONCE_IN_A_TURN, StepKind.EDITED, StepKind.RAN)]
    if used:
        fact_texts["used"] = "; ".join(used)
    asked = dict.fromkeys(step.title for step in steps if step.kind is StepKind.ASKED)
    verdict_text = "; ".join(step.title for step in finished_test_runs) or "no tests"
    tests = [line for step in finished_test_runs for line in (step.title, *step.fact_texts.values())]
    return TraceStep(
        StepKind.TURN,
        f"Turn {turn_number}: {', '.join([*asked, changed, verdict_text])}",
        min((step.at_s for step in steps if step.at_s is not None), default=None),
        fact_texts,
        [
            _text_excerpt("Prompt", None if exchange is None else exchange.prompt),
            _text_excerpt("Reply", None if exchange is None else exchange.reply),
            *(edit_excerpts or [StepExcerpt("Diff", [])]),
            whole_excerpt("Tests", "\n".join(tests)),
        ],
    )


def _text_excerpt(caption: str, text: str | None) -> StepExcerpt:
    if text is None:
        return whole_excerpt(caption, "Not kept: no log of the run is beside the event log.")
    return whole_excerpt(caption, text)


def _excerpts_named_after_file(step: TraceStep) -> list[StepExcerpt]:
    path = step.title.partition(": ")[0]
    return [StepExcerpt(f"Diff of {path}", excerpt.lines) for excerpt in step.excerpts]
