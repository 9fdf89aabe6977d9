"""The row of an attempt, from what its events came to."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from benchwright_analysis.report.rows.edits import LabelledEdits
from benchwright_analysis.report.rows.observation import CensoredBy, Observation
from benchwright_analysis.report.rows.problem_facts import ProblemFacts
from benchwright_analysis.report.rows.verdicts import VerdictFold
from benchwright_attempts.attribution import CLASSIFIER
from benchwright_attempts.attribution.actors import AttemptActors, condition_made_under
from benchwright_attempts.clock.clock import AttemptClock, elapsed_s
from benchwright_attempts.clock.time_source import TimeSource, time_source
from benchwright_attempts.clock.time_with_agents import TimeWithAgents
from benchwright_attempts.clock.timeline import TimeAtWork
from benchwright_attempts.events.evidence import Exposure, Recording
from benchwright_attempts.log.record import AttemptHeader
from benchwright_attempts.standing import ShownVerdict, Standing, attempt_view
from benchwright_attempts.state import CONSENT_WITHDRAWN, AttemptState
from benchwright_attempts.terms import Solver
from benchwright_problems.aids import Aid
from benchwright_problems.verdict import Outcome

_NS = 1_000_000_000
_EXPOSURES = ("", *(exposure.value for exposure in Exposure))
_TIMES = (
    *("clock_s", "elapsed_s", "active_60_s", "active_120_s", "active_300_s", "active_s", "unfocused_s", "time_s"),
    *("first_pass_s", "first_pass_clock_s"),
)
_BY_MODEL = ("completion", "own_completion", "chat")


@dataclass(slots=True)
class AttemptFacts:
    """Facts that are recorded once or a few times in an attempt."""

    assigned: dict[str, Any] = field(default_factory=dict)
    forecast: dict[str, Any] = field(default_factory=dict)
    estimate: dict[str, Any] = field(default_factory=dict)
    model_names: dict[str, None] = field(default_factory=dict)
    usage: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            ("calls", "input_tokens", "output_tokens", "reasoning_tokens", "total_tokens"), 0
        )
    )
    cost_usd: float | None = None
    prompts: str = ""
    shots: int | None = None
    steps: bool | None = None
    statement: str = ""
    knowledge_cutoff: str = ""
    violations: list[str] = field(default_factory=list)
    hint_costs: list[float] = field(default_factory=list)
    has_change_reasons: bool | None = None
    shown_offer_count: int = 0
    pauses: int = 0
    suspension_count: int = 0
    is_guided: bool = False
    """True if a guide led through it."""
    abandon_reason: str = ""
    """Reason that the solver gave up for."""
    was_ended_by_study: bool = False
    """True if the end of the study ended it, not the solver and no limit."""
    started_wall: str = ""
    """Wall time of the start, or when an answer was read from a file."""
    newest_wall: str = ""
    """Wall time of the newest event before the end."""
    event_types: set[str] = field(default_factory=set)
    opened_with_files: bool = False
    """True if it was opened with files to work on."""
    reported_s: float | None = None
    """The time that a file states, in seconds; None if none does."""
    restart_ns: int = 0
    """Time of the clock when a model or an agent last started over."""

    def add_usage(self, event_fields: dict[str, Any]) -> None:
        """Adds what a model used."""
        self.model_names[event_fields["model"]] = None
        parameters = event_fields.get("parameters", {})
        if parameters.get("prompts"):
            self.prompts = f"{parameters['prompts']} {str(parameters.get('prompts_sha256', ''))[:16]}".rstrip()
        if isinstance(shots := parameters.get("shots"), int) and isinstance(steps := parameters.get("steps"), bool):
            self.shots, self.steps = shots, steps
        if parameters.get("statement"):
            self.statement = f"{parameters['statement']} by {parameters.get('refined_by', '')}"
        self.knowledge_cutoff = max(self.knowledge_cutoff, str(parameters.get("knowledge_cutoff", "")))
        for name in self.usage:
            self.usage[name] += event_fields.get(name, 0)
        if event_fields.get("cost_usd") is not None:
            self.cost_usd = (self.cost_usd or 0.0) + event_fields["cost_usd"]

    def solver(self, header: AttemptHeader) -> str:
        """The solver: a study's attempt has its condition's name in the header, and the solver in its assignment."""
        return str(self.assigned.get("solver", header.condition))

    @property
    def time_source(self) -> TimeSource:
        """The source of the attempt's time."""
        return time_source(self.event_types, opened_with_files=self.opened_with_files, reported_s=self.reported_s)

    def is_person(self, header: AttemptHeader) -> bool:
        """True if a person solves."""
        return self.solver(header) not in ("model", "agent")


@dataclass(frozen=True, slots=True)
class FoldedEvents:
    """All that an attempt's events came to."""

    header: AttemptHeader
    attempt_facts: AttemptFacts
    clock: AttemptClock
    time_at_work: TimeAtWork
    verdicts: VerdictFold
    edits: LabelledEdits
    actors: AttemptActors
    with_agents: TimeWithAgents | None = None
    """The division of a person's time with agents; None if no person worked with one."""

    def observation(self, problem_facts: ProblemFacts) -> Observation:
        """The attempt's row."""
        header, attempt_facts = self.header, self.attempt_facts
        return Observation(
            attempt=header.id,
            study=header.study,
            problem=header.problem,
            pack=header.problem.partition("/")[0],
            **problem_facts.observation_columns(header.problem),
            **self._assignment_columns(),
            recording=header.recording.value,
            started=attempt_facts.started_wall,
            state=self.clock.state.value,
            standing=self._standing().value,
            **self._time_columns(),
            **(asdict(self.with_agents) if self.with_agents is not None else {}),
            **self._verdict_columns(),
            submissions=int(self.clock.state is AttemptState.SUBMITTED),
            pauses=attempt_facts.pauses,
            suspensions=attempt_facts.suspension_count,
            **self._edit_columns(),
            shown=attempt_facts.shown_offer_count,
            **self._estimate_columns(),
            **attempt_facts.usage,
            cost_usd=attempt_facts.cost_usd,
            prompts=attempt_facts.prompts,
            shots=attempt_facts.shots,
            steps=attempt_facts.steps,
            statement=attempt_facts.statement,
            knowledge_cutoff=attempt_facts.knowledge_cutoff,
            violations=len(attempt_facts.violations),
            violation_rules=" ".join(sorted(set(attempt_facts.violations))),
            hints=len(attempt_facts.hint_costs),
            hints_cost=round(sum(attempt_facts.hint_costs), 6),
            problem_digest=header.problem_digest,
            change_reasons=attempt_facts.has_change_reasons,
        )

    def _assignment_columns(self) -> dict[str, Any]:
        header, assigned = self.header, self.attempt_facts.assigned
        models_text = " ".join(self.attempt_facts.model_names)
        # An attempt of a study names its condition in its assignment; a model's has it in its header.
        return {
            "participant": assigned.get("participant", self._solver_name()),
            "condition": assigned.get("condition", header.condition if header.study else self.worked_as),
            **self._solver_columns(),
            "model": models_text or ("" if self.attempt_facts.is_person(header) else header.solver),
            "position": assigned.get("position"),
            "practice": self.attempt_facts.is_guided or bool(assigned.get("practice")),
            "study_sha256": assigned.get("study_sha256", ""),
            "limit_s": assigned.get("time_limit_s"),
        }

    @property
    def worked_as(self) -> str:
        """The condition that it was made under."""
        return condition_made_under(self.attempt_facts.solver(self.header), self.actors)

    def _most_help_assigned(self) -> str:
        """The most help that the study's condition allows."""
        has_agents = Aid.AGENT_TOOLS in (self.attempt_facts.assigned.get("aids") or ())
        is_person = self.attempt_facts.is_person(self.header)
        return Solver.HUMAN_AGENT.value if is_person and has_agents else self.attempt_facts.solver(self.header)

    def _solver_name(self) -> str:
        is_agent = self.attempt_facts.is_person(self.header) and self.worked_as == Solver.AGENT
        return (", ".join(self.actors.agents) or "an agent") if is_agent else self.header.solver

    def _solver_columns(self) -> dict[str, Any]:
        return {
            "solver": self.worked_as,
            "assigned_solver": self._most_help_assigned() if self.header.study else "",
            "actors": "; ".join(
                f"{share.actor} by {share.method}: {share.requests} requests, {share.inserted} characters"
                for share in self.actors.shares
            ),
            "inserted_by_unknown": self.actors.inserted_by_unknown,
        }

    def _time_columns(self) -> dict[str, Any]:
        source = self.attempt_facts.time_source
        if source is not TimeSource.CLOCK:
            reported_s = self.attempt_facts.reported_s
            return {"time_source": source.value, **dict.fromkeys(_TIMES)} | {
                "time_s": reported_s,
                "first_pass_s": reported_s if self.verdicts.sequence.first_pass else None,
            }
        clock_ns = self.clock.active_ns
        active_s = [self.time_at_work.active_ns(clock_ns, index) / _NS for index in range(4)]
        works_alone = self.worked_as in (Solver.MODEL, Solver.AGENT)
        analysed = (clock_ns - self.attempt_facts.restart_ns) / _NS if works_alone else active_s[-1]
        started_at, newest_at = (
            datetime.fromisoformat(time_text) if time_text else None
            for time_text in (self.attempt_facts.started_wall, self._newest_wall_if_started())
        )
        first_pass = self.verdicts.sequence.first_pass
        first_pass_s = None
        if first_pass is not None:
            # The verdict of a model has the time of its clock already, since its sample was tried again.
            is_agents = works_alone and self.attempt_facts.is_person(self.header)
            first_pass_s = (first_pass.clock_ns if is_agents else first_pass.active_ns) / _NS
        return {
            "time_source": source.value,
            "clock_s": clock_ns / _NS,
            "elapsed_s": elapsed_s(clock_ns / _NS, started_at, newest_at),
            "active_60_s": active_s[0],
            "active_120_s": active_s[1],
            "active_300_s": active_s[2],
            "active_s": analysed,
            "unfocused_s": self.time_at_work.unfocused_ns / _NS,
            "time_s": analysed if first_pass_s is None else first_pass_s,
            "first_pass_s": first_pass_s,
            "first_pass_clock_s": first_pass.clock_ns / _NS if first_pass else None,
        }

    def _newest_wall_if_started(self) -> str:
        return self.attempt_facts.newest_wall if self.attempt_facts.started_wall else ""

    def _verdict_columns(self) -> dict[str, Any]:
        verdicts, sequence = self.verdicts, self.verdicts.sequence
        newest_verdict = sequence.newest_verdict
        final = None if self.attempt_facts.was_ended_by_study else sequence.final_outcome(self.clock.state)
        votes = verdicts.judged_by.get("votes", ())
        has_passed = sequence.first_pass is not None
        return {
            "passed": has_passed,
            "outcome": newest_verdict.outcome if newest_verdict else "",
            "final": final.value if final else "",
            "tries_to_pass": sequence.tries_to_pass,
            "censored_by": "" if has_passed else self._censoring_reason_without_pass(final),
            "reason": newest_verdict.reason if newest_verdict else "",
            "score": max((score for _, score in verdicts.scores_over_time), default=None),
            "tests_passed": verdicts.test_counts[0],
            "tests_total": verdicts.test_counts[1],
            "runs": sequence.count,
            "undecided_runs": len(sequence.undecided),
            "judge_method": verdicts.judged_by.get("method", ""),
            "judge_votes": "; ".join(f"{vote['judge']}={vote['label']}" for vote in votes),
            "judge_rubric": verdicts.judged_by.get("rubric", ""),
            "judge_cost_usd": verdicts.judge_cost_usd,
            "toolchain": verdicts.digests.get("toolchain", ""),
            "sandbox": verdicts.digests.get("sandbox", ""),
        }

    def _standing(self) -> Standing:
        sequence = self.verdicts.sequence
        newest_verdict = sequence.newest_verdict
        return attempt_view(
            self.clock.state,
            newest_verdict=ShownVerdict(newest_verdict.number, newest_verdict.outcome.value, newest_verdict.reason)
            if newest_verdict is not None
            else None,
            is_withdrawn=self.attempt_facts.abandon_reason == CONSENT_WITHDRAWN,
        ).standing

    def _censoring_reason_without_pass(self, final_outcome: Outcome | None) -> CensoredBy:
        match self.clock.state:
            case AttemptState.ABANDONED:
                return "gave_up"
            case AttemptState.TIMED_OUT:
                # Earlier versions did not grade what a person had at the limit.
                return "not_decided" if final_outcome is Outcome.ERROR else "timed_out"
            case AttemptState.SUBMITTED:
                return "handed_in_unsolved" if final_outcome is Outcome.FAILED else "not_decided"
            case _:
                return "still_open"

    def _edit_columns(self) -> dict[str, Any]:
        inserted = self.edits.inserted_by_source()
        total = sum(inserted.values())
        by_model = sum(inserted[source] for source in _BY_MODEL)
        return {
            "edits": len(self.edits.edits),
            "inserted": total,
            **{f"inserted_{source}": count for source, count in inserted.items()},
            "share_by_assistant": by_model / total if total else None,
            "guessed_share": self.edits.code_points_of_inferred_origin() / total if total else None,
            "classifier": CLASSIFIER,
            **self._survival_columns(by_model),
        }

    def _survival_columns(self, inserted_by_model: int) -> dict[str, int | None]:
        names = ("reached_30s", "survived_30s", "reached_120s", "survived_120s", "survived_end")
        if self.header.recording is not Recording.FULL:
            return {"accepted": inserted_by_model, **dict.fromkeys(names)}
        accepted_count, survival = self.edits.accepted_and_surviving()
        if survival is None:
            return {"accepted": accepted_count, **dict.fromkeys(names)}
        amounts = [
            amount
            for age_counts in zip(survival.inserted_reaching_age, survival.left_at_age, strict=True)
            for amount in age_counts
        ]
        return {"accepted": accepted_count, **dict(zip(names, [*amounts, survival.at_end], strict=True))}

    def _estimate_columns(self) -> dict[str, Any]:
        forecast, estimate = self.attempt_facts.forecast, self.attempt_facts.estimate
        minutes_without_ai, assisted = forecast.get("minutes_without_ai"), forecast.get("minutes_with_ai")
        is_helped = self.attempt_facts.solver(self.header) in (Solver.HUMAN_COPILOT, Solver.HUMAN_AGENT)
        own_forecast = assisted if is_helped else minutes_without_ai
        exposures = (answers.get("prior_exposure") or "" for answers in (forecast, estimate))
        return {
            "forecast_minutes": forecast.get("minutes") or own_forecast,
            "forecast_without_ai_minutes": minutes_without_ai,
            "forecast_with_ai_minutes": assisted,
            "forecast_blind_minutes": (minutes_without_ai or assisted) if forecast.get("blind") else None,
            "forecast_difficulty": forecast.get("difficulty"),
            "forecast_success": forecast.get("success"),
            "prior_exposure": max(exposures, key=_EXPOSURES.index),
            "self_minutes": estimate.get("minutes"),
            "self_difficulty": estimate.get("difficulty"),
            "self_success": estimate.get("solved"),
            "external_help": estimate.get("external_help"),
        }
