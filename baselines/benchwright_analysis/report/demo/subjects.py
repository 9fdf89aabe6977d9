"""The programs of the made-up study: an agent, and a copilot that works alone between its floor and its ceiling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.events.events import Abandoned, AssistAsked, Edit, Event, Started, Submitted
from benchwright_attempts.events.evidence import AssistAccepted, AssistShown, EditReason, ModelUsage
from benchwright_attempts.events.file_text import Change, sha256

COPILOT = "simulated-copilot"
AGENT = "simulated-agent"
_CONFIGURATION = {name: sha256(name.encode()) for name in (COPILOT, AGENT)}
_LINES = ("  logic next;\n", "  assign next = state + 1'b1;\n", "  always_ff @(posedge clk)\n    state <= next;\n")


@dataclass(frozen=True)
class MadeUpCondition:
    """One condition."""

    name: str
    policy: str
    """Of a copilot; empty of an agent."""
    start_kind: str
    chance: float
    """To solve a problem."""


MADE_UP = (
    MadeUpCondition("agent", "", "", 0.7),
    MadeUpCondition("copilot-alone", "first-line", "starting-files", 0.3),
    MadeUpCondition("copilot-floor", "never", "starting-files", 0.0),
    MadeUpCondition("copilot-ceiling", "matches", "empty-body", 0.95),
)


def program_conditions_yaml(design_refs: Sequence[str]) -> str:
    """Their part of the study file.

    Args:
        design_refs: The problems that a copilot can write, as `pack/id`.
    """
    condition_texts = []
    for made_up in MADE_UP:
        name = COPILOT if made_up.policy else AGENT
        lines = [f"  - name: {made_up.name}", "    solver: agent"]
        if not made_up.policy:
            lines += ["    model: simulated/large"]
        lines += [
            "    samples: 2",
            f"    problems: [{', '.join(design_refs)}]",
            "    subject:",
            f"      name: {name}",
            '      version: "1.4"',
            f"      configuration: {_CONFIGURATION[name]}",
        ]
        lines += [f"      inline: {{policy: {made_up.policy}, start: {made_up.start_kind}}}"] if made_up.policy else []
        condition_texts.append("\n".join(lines))
    return "\n".join(condition_texts)


class SimulatedWork(NamedTuple):
    """What a program leaves."""

    text: str
    """The file's."""
    broke_off: bool


def simulate_program(
    made_up_condition: MadeUpCondition,
    path: str,
    start_text: str,
    random: np.random.Generator,
    advance_by_s: Callable[[float], None],
    record_events: Callable[..., None],
) -> SimulatedWork:
    """Simulates a program until its files are graded.

    Args:
        made_up_condition: The made-up condition.
        path: The file that it writes.
        start_text: Its text.
        random: Draws everything.
        advance_by_s: Lets seconds pass.
        record_events: Records events.
    """
    name = COPILOT if made_up_condition.policy else AGENT
    subject_facts = {"subject": name, "subject_version": "1.4", "configuration_sha256": _CONFIGURATION[name]}
    subject_facts |= (
        {"policy": made_up_condition.policy, "start": made_up_condition.start_kind} if made_up_condition.policy else {}
    )
    record_events(
        ModelUsage(model=name if made_up_condition.policy else "simulated/large", parameters=subject_facts), Started()
    )
    text = start_text
    for step in range(int(random.integers(3, 9))):
        advance_by_s(float(random.uniform(0.2, 1.0) if made_up_condition.policy else random.uniform(10, 60)))
        added_line = str(random.choice(_LINES))
        change = Change(start=len(text), end=len(text), text=added_line)
        if made_up_condition.policy:
            is_taken = made_up_condition.policy != "never"
            record_events(
                *_completion_events(
                    path, step, len(text), added_line, float(random.lognormal(5.6, 0.7)), change if is_taken else None
                )
            )
        else:
            is_taken = True
            record_events(_edit_reason(path, step + 1, "agent"), Edit(path=path, version=step + 1, changes=(change,)))
            sent_tokens, received_tokens = int(random.integers(1500, 6000)), int(random.integers(100, 900))
            total = sent_tokens + received_tokens
            cost = round((sent_tokens + 4 * received_tokens) * 1e-6, 6)
            usage = {"input_tokens": sent_tokens, "output_tokens": received_tokens, "total_tokens": total}
            record_events(ModelUsage(model="simulated/large", calls=1, cost_usd=cost, parameters={}, **usage))
        if not is_taken:
            break
        text += added_line
    return SimulatedWork(text, bool(made_up_condition.policy) and random.random() < 0.06)


def attempt_end_event(*, broke_off: bool) -> Event:
    """The event that ends the attempt."""
    return Abandoned(reason="subject_failed: no_answer") if broke_off else Submitted()


def _edit_reason(path: str, version: int, reason: str) -> EditReason:
    return EditReason(path=path, version=version, reason=reason, method=AttributionMethod.ONLY_WRITER)


def _completion_events(
    path: str, step: int, offset: int, text: str, latency_ms: float, accepted_change: Change | None
) -> list[Event]:
    assist = f"{path}:{step}"
    asked_event = AssistAsked(
        provider=COPILOT, path=path, version=step, outcome="shown", latency_ms=round(latency_ms, 1)
    )
    shown_event = AssistShown(
        assist=assist, provider=COPILOT, path=path, version=step, offset=offset, length=len(text), trigger="invoked"
    )
    if accepted_change is None:
        return [asked_event, shown_event]
    version = step + 1
    accepted_event = AssistAccepted(assist=assist, provider=COPILOT, path=path, version=version, length=len(text))
    reason = _edit_reason(path, version, "inlineCompletionAccept")
    return [
        asked_event,
        shown_event,
        reason,
        Edit(path=path, version=version, changes=(accepted_change,)),
        accepted_event,
    ]
