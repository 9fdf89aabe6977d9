"""The terms of an attempt: what its solver may do and see, when the clock stops, and what breaks the condition."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum

from benchwright_attempts.attribution import BY_MODEL, CHATS, extension_id_of_change_reason, origin_of_change_reason
from benchwright_attempts.events.evidence import Assigned, AssistAccepted, EditReason, Environment, Violation
from benchwright_problems.aids import NAMED_ONLY, Aid
from benchwright_problems.assistance import AllowedHelp, Assistance
from benchwright_problems.reveal import Reveal


class Solver(StrEnum):
    """The one who works under a condition."""

    HUMAN = "human"
    """A person without help of a model."""
    HUMAN_COPILOT = "human+copilot"
    """A person with the assistants that the condition names."""
    HUMAN_AGENT = "human+agent"
    """A person with agents, which use Benchwright's tools or write files by themselves."""
    MODEL = "model"
    """A model that answers in one go."""
    AGENT = "agent"
    """A model that works with tools, or a program that works on its own."""

    @property
    def is_person(self) -> bool:
        """True if a participant works under it, in an editor."""
        return self in (Solver.HUMAN, Solver.HUMAN_COPILOT, Solver.HUMAN_AGENT)


class Machine(StrEnum):
    """A machine that may stop the clock while it works."""

    HARNESS = "harness"
    JUDGE = "judge"


class ClockDisplay(StrEnum):
    """The part of the clock that a participant sees until the self-estimate is in."""

    HIDDEN = "hidden"
    """Nothing: an estimate of the time is not read off it."""
    REMAINING = "remaining"
    """The rest of the time limit."""
    SHOWN = "shown"


OWN_ASSISTANT = "benchwright"
"""The name by which conditions call Benchwright's own completion."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one attempt, the same for people, models and agents.

    Outside studies a person's clock runs on while the hidden tests run, because the person can go on working; that of
    a model or an agent, which only waits, stops.
    """

    condition: str
    """The attempt's condition; outside studies one of `Solver`."""
    assigned: Assigned | None = None
    """Assignment by the study's plan. None outside studies."""
    most_runs: int | None = None
    """Outside studies: how many runs the solver may ask for. None for any number."""
    time_limit_s_outside_studies: float | None = None
    """Outside studies: the time limit, in seconds. None without a limit."""
    most_shown_outside_studies: Reveal | None = None
    """Outside studies: the most that is shown of a verdict. None for what the problem says."""
    assistance: Assistance | None = None
    """Outside studies: which models may help, as an assignment says. None if it says nothing, or there is none."""
    aids: frozenset[Aid] | None = None
    """Outside studies: the aids that an assignment allows. None if it says nothing, or there is none."""

    @property
    def time_limit_s(self) -> float | None:
        """Active time after which the attempt ends, in seconds. None without a limit."""
        return self.assigned.time_limit_s if self.assigned is not None else self.time_limit_s_outside_studies

    @property
    def runs_allowed(self) -> int | None:
        """Number of runs the solver may ask for; the one that submitting needs comes on top. None for any number."""
        return self.assigned.runs_allowed if self.assigned is not None else self.most_runs

    @property
    def runs_on_save(self) -> bool:
        """True if saving runs the hidden tests; where runs are counted, only asking for one does."""
        return self.runs_allowed is None

    def runs_left(self, runs_used: int) -> int | None:
        """Number of further runs the solver may ask for after `runs_used`. None for any number."""
        return None if self.runs_allowed is None else max(0, self.runs_allowed - runs_used)

    def stops_clock_for(self, machine: Machine) -> bool:
        """True if the clock stops while a machine works."""
        if self.assigned is not None:
            return machine in self.assigned.clock_stops_for
        return machine is Machine.HARNESS and self.condition in (Solver.MODEL, Solver.AGENT)

    def feedback_policy(self, problem_policy: Reveal) -> Reveal | None:
        """The part of a verdict that is shown. None for nothing at all.

        Args:
            problem_policy: The problem's policy.
        """
        if self.assigned is None:
            return problem_policy.limited_to(self.most_shown_outside_studies)
        return None if self.assigned.feedback == "none" else problem_policy.limited_to(Reveal(self.assigned.feedback))

    def clock_display(self, event_types: Collection[str], *, has_ended: bool) -> ClockDisplay:
        """The part of the clock that the solver may see now; all of it once the self-estimate is in, if one is asked.

        Args:
            event_types: Types of the attempt's events.
            has_ended: True if the attempt has ended.
        """
        if self.assigned is None:
            return ClockDisplay.SHOWN
        # Who never started is not asked.
        is_asked = bool(self.assigned.self_estimates) and "started" in event_types
        if has_ended and ("self_estimate" in event_types or not is_asked):
            return ClockDisplay.SHOWN
        return ClockDisplay(self.assigned.clock)

    def allows_assistant(self, assistant_id: str) -> bool:
        """True if an assistant may help by inline completion."""
        if self.assigned is None and self.assistance is not None:
            return self.assistance.allows_text_from(assistant_id, is_chat=False)
        if self.assigned is None:
            return self.condition == Solver.HUMAN_COPILOT
        assistant_names = {name.lower() for name in self.assigned.assistants}
        is_helped = self.assigned.solver in (Solver.HUMAN_COPILOT, Solver.HUMAN_AGENT)
        return is_helped and assistant_id.lower() in assistant_names

    def _registered_version_of_extension(self, extension_id: str) -> str:
        """The version of a person's copilot that the study registers; empty if it registers none."""
        subject = self.assigned.subject if self.assigned is not None else None
        return subject.version if subject is not None and subject.name.lower() == extension_id.lower() else ""

    @property
    def allows_own_assistant(self) -> bool:
        """True if Benchwright's own completion may help."""
        return self.allows_assistant(OWN_ASSISTANT)

    @property
    def is_model_help_forbidden_by_assignment(self) -> bool:
        """Outside studies: whether the assignment forbids every help by models."""
        return self.assigned is None and self.assistance is not None and self.assistance.allowed is AllowedHelp.NONE

    def allows_aid(self, aid: Aid) -> bool:
        """True if the solver may use an aid. What a model writes also needs a condition that lets our own help."""
        if aid is Aid.GENERATED and not self.allows_own_assistant:
            return False
        if self.assigned is None:
            chats = self.assistance is None or self.assistance.allowed in (AllowedHelp.CHAT, AllowedHelp.NAMED)
            return (self.aids is None or aid in self.aids) and (chats or aid is not Aid.AGENT_TOOLS)
        if self.assigned.aids is not None:
            return aid in self.assigned.aids
        works_with_agents = aid is Aid.AGENT_TOOLS and self.assigned.solver == Solver.HUMAN_AGENT
        return aid not in NAMED_ONLY or works_with_agents

    @property
    def allowed_aids(self) -> tuple[Aid, ...]:
        """The aids that the solver may use."""
        return tuple(filter(self.allows_aid, Aid))

    def violations(self, event: Environment | EditReason | AssistAccepted) -> Iterable[Violation]:
        """Things that an event shows and that the condition, or the assignment, does not allow."""
        if self.assigned is None:
            if self.assistance is not None:
                yield from _assistance_violations(self.assistance, event)
            return
        match event:
            case Environment():
                for extension in event.extensions:
                    if extension.ai and extension.active and not self.allows_assistant(extension.id):
                        yield Violation(rule="ai_extension", detail=extension.id)
                    registered_version = self._registered_version_of_extension(extension.id)
                    if registered_version and registered_version != extension.version:
                        detail = f"{extension.id} {extension.version} instead of {registered_version}"
                        yield Violation(rule="assistant_version", detail=detail)
                if self.assigned.solver == Solver.HUMAN:
                    for feature, is_on in event.ai_features.items():
                        if is_on:
                            yield Violation(rule="ai_setting", detail=feature)
            case EditReason() if self.assigned.solver == Solver.HUMAN:
                if origin_of_change_reason(event.reason, event.metadata) in BY_MODEL:
                    yield Violation(rule="edit_by_model", detail=event.reason)
            case AssistAccepted() if not self.allows_assistant(event.provider):
                yield Violation(rule="assist_accepted", detail=event.provider)
            case _:
                return


def _assistance_violations(
    assistance_rule: Assistance, event: Environment | EditReason | AssistAccepted
) -> Iterable[Violation]:
    """Things that an event shows and that an assignment does not allow."""
    match event:
        case Environment():
            for installed_extension in event.extensions:
                if (
                    installed_extension.ai
                    and installed_extension.active
                    and not assistance_rule.allows_active_extension(installed_extension.id)
                ):
                    yield Violation(rule="ai_extension", detail=installed_extension.id)
            for feature, is_on in event.ai_features.items():
                if is_on and assistance_rule.allowed is AllowedHelp.NONE:
                    yield Violation(rule="ai_setting", detail=feature)
        case EditReason():
            origin = origin_of_change_reason(event.reason, event.metadata)
            extension = extension_id_of_change_reason(event.metadata)
            is_unnamed = assistance_rule.allowed is AllowedHelp.NAMED and not extension
            if (
                origin in BY_MODEL
                and not is_unnamed
                and not assistance_rule.allows_text_from(extension, is_chat=origin in CHATS)
            ):
                yield Violation(rule="edit_by_model", detail=event.reason)
        case AssistAccepted():
            if not assistance_rule.allows_text_from(event.provider, is_chat=False):
                yield Violation(rule="assist_accepted", detail=event.provider)
