"""What a study's plan says about one attempt, and what goes against it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from benchwright_attempts.attribution import Origin, origin_of_reason
from benchwright_attempts.evidence import Assigned, AssistAccepted, EditReason, Environment, Violation
from benchwright_problems.problem import Reveal
from benchwright_studies.vocabulary import Feedback, Solver

_OWN = "benchwright"


@dataclass(frozen=True, slots=True)
class Rules:
    """The terms of an attempt; outside studies there are none.

    Args:
        condition: The attempt's condition, which outside studies is also its solver.
        assigned: What the plan says; none outside studies.
    """

    condition: str
    assigned: Assigned | None = None

    @property
    def runs_on_save(self) -> bool:
        """Whether saving runs the hidden tests; where runs are counted, only asking for one does."""
        return self.assigned is None or self.assigned.runs_allowed is None

    def are_runs_used_up(self, runs: int) -> bool:
        """Whether no further run is allowed."""
        allowed = self.assigned.runs_allowed if self.assigned is not None else None
        return allowed is not None and runs >= allowed

    def lacks_forecast(self, kinds: frozenset[str]) -> bool:
        """Whether the solver has yet to say what to expect."""
        return self.assigned is not None and bool(self.assigned.forecasts) and "forecast" not in kinds

    def stops_clock_for(self, machine: str) -> bool:
        """Whether the clock stands while a machine works."""
        return self.assigned is not None and machine in self.assigned.clock_stops_for

    def policy(self, own: Reveal) -> Reveal | None:
        """How much of a verdict is shown; nothing at all if `None`."""
        return own if self.assigned is None else Feedback(self.assigned.feedback).limit(own)

    def allows(self, assistant: str) -> bool:
        """Whether an assistant may help."""
        if self.assigned is None:
            return self.condition == Solver.HUMAN_COPILOT
        named = {name.lower() for name in self.assigned.assistants}
        return self.assigned.solver == Solver.HUMAN_COPILOT and assistant.lower() in named

    @property
    def allows_own_assistant(self) -> bool:
        """Whether Benchwright's own completion may help."""
        return self.allows(_OWN)

    def violations(self, event: Environment | EditReason | AssistAccepted) -> Iterable[Violation]:
        """What an event shows that the condition does not allow."""
        if self.assigned is None:
            return
        match event:
            case Environment():
                for extension in event.extensions:
                    if extension.ai and extension.active and not self.allows(extension.id):
                        yield Violation(rule="ai_extension", detail=extension.id)
                if self.assigned.solver == Solver.HUMAN:
                    for feature, is_on in event.ai_features.items():
                        if is_on:
                            yield Violation(rule="ai_setting", detail=feature)
            case EditReason() if self.assigned.solver == Solver.HUMAN:
                if origin_of_reason(event.reason, event.metadata) in _BY_MODELS:
                    yield Violation(rule="edit_by_model", detail=event.reason)
            case AssistAccepted() if not self.allows(event.provider):
                yield Violation(rule="assist_accepted", detail=event.provider)
            case _:
                return


_BY_MODELS = (Origin.COMPLETION, Origin.COMPLETION_PART, Origin.CHAT, Origin.OWN_COMPLETION)
