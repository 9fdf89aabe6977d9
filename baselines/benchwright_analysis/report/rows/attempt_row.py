"""The row of an attempt, from what its events came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from benchwright_analysis.report.rows.edits import LabelledEdits
from benchwright_analysis.report.rows.observation import CENSORED, Observation
from benchwright_analysis.report.rows.problem_facts import ProblemFacts
from benchwright_analysis.report.rows.verdicts import Verdicts
from benchwright_attempts.attribution import CLASSIFIER
from benchwright_attempts.clock.clock import Clock, elapsed_s
from benchwright_attempts.clock.timeline import TimeAtWork
from benchwright_attempts.events.evidence import Exposure, Recording
from benchwright_attempts.log.record import AttemptHeader
from benchwright_attempts.state import AttemptState
from benchwright_problems.verdict import Outcome

_NS = 1_000_000_000
_EXPOSURES = ("", *(exposure.value for exposure in Exposure))
_BY_MODEL = ("completion", "own_completion", "chat")


@dataclass(slots=True)
class Facts:
    """Facts that are recorded once or a few times in an attempt."""

    assigned: dict[str, Any] = field(default_factory=dict)
    forecast: dict[str, Any] = field(default_factory=dict)
    estimate: dict[str, Any] = field(default_factory=dict)
    models: dict[str, None] = field(default_factory=dict)
    usage: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("calls", "input_tokens", "output_tokens", "total_tokens"), 0)
    )
    cost_usd: float | None = None
    prompts: str = ""
    shots: int | None = None
    steps: bool | None = None
    statement: str = ""
    knowledge_cutoff: str = ""
    violations: list[str] = field(default_factory=list)
    hint_costs: list[float] = field(default_factory=list)
    change_reasons: bool | None = None
    shown_offers: int = 0
    pauses: int = 0
    suspensions: int = 0
    is_guided: bool = False
    """True if a guide led through it."""
    was_cut_off: bool = False
    """True if the end of the study ended it, not the solver and no limit."""
    started: str = ""
    """Wall time of the start."""
    newest: str = ""
    """Wall time of the newest event before the end."""

    def add_usage(self, value: dict[str, Any]) -> None:
        """Adds what a model used."""
        self.models[value["model"]] = None
        parameters = value.get("parameters", {})
        if parameters.get("prompts"):
            self.prompts = f"{parameters['prompts']} {str(parameters.get('prompts_sha256', ''))[:16]}".rstrip()
        if isinstance(shots := parameters.get("shots"), int) and isinstance(steps := parameters.get("steps"), bool):
            self.shots, self.steps = shots, steps
        if parameters.get("statement"):
            self.statement = f"{parameters['statement']} by {parameters.get('refined_by', '')}"
        self.knowledge_cutoff = max(self.knowledge_cutoff, str(parameters.get("knowledge_cutoff", "")))
        for name in self.usage:
            self.usage[name] += value.get(name, 0)
        if value.get("cost_usd") is not None:
            self.cost_usd = (self.cost_usd or 0.0) + value["cost_usd"]

    def solver(self, header: AttemptHeader) -> str:
        """The solver: a study's attempt has its condition's name in the header, and the solver in its assignment."""
        return str(self.assigned.get("solver", header.condition))

    def is_person(self, header: AttemptHeader) -> bool:
        """True if a person solves."""
        return self.solver(header) not in ("model", "agent")


@dataclass(frozen=True, slots=True)
class FoldedEvents:
    """All that an attempt's events came to."""

    header: AttemptHeader
    facts: Facts
    clock: Clock
    work: TimeAtWork
    verdicts: Verdicts
    edits: LabelledEdits

    def observation(self, problem: ProblemFacts) -> Observation:
        """The attempt's row."""
        header, facts = self.header, self.facts
        return Observation(
            attempt=header.id,
            study=header.study,
            problem=header.problem,
            pack=header.problem.partition("/")[0],
            **problem.columns(header.problem),
            **self._assignment(),
            recording=header.recording.value,
            started=facts.started,
            state=self.clock.state.value,
            **self._times(),
            **self._verdicts(),
            submissions=int(self.clock.state is AttemptState.SUBMITTED),
            pauses=facts.pauses,
            suspensions=facts.suspensions,
            **self._texts(),
            shown=facts.shown_offers,
            **self._estimates(),
            **facts.usage,
            cost_usd=facts.cost_usd,
            prompts=facts.prompts,
            shots=facts.shots,
            steps=facts.steps,
            statement=facts.statement,
            knowledge_cutoff=facts.knowledge_cutoff,
            violations=len(facts.violations),
            violation_rules=" ".join(sorted(set(facts.violations))),
            hints=len(facts.hint_costs),
            hints_cost=round(sum(facts.hint_costs), 6),
            problem_digest=header.problem_digest,
            change_reasons=facts.change_reasons,
        )

    def _assignment(self) -> dict[str, Any]:
        header, assigned = self.header, self.facts.assigned
        models = " ".join(self.facts.models)
        # An attempt of a study names its condition in its assignment; a model's has it in its header.
        return {
            "participant": assigned.get("participant", header.solver),
            "condition": assigned.get("condition", header.condition),
            "solver": self.facts.solver(header),
            "model": models or ("" if self.facts.is_person(header) else header.solver),
            "position": assigned.get("position"),
            "practice": self.facts.is_guided or bool(assigned.get("practice")),
            "study_sha256": assigned.get("study_sha256", ""),
            "limit_s": assigned.get("time_limit_s"),
        }

    def _times(self) -> dict[str, Any]:
        now = self.clock.active_ns
        active = [self.work.active_ns(now, index) / _NS for index in range(4)]
        analysed = active[-1] if self.facts.is_person(self.header) else now / _NS
        started, newest = (
            datetime.fromisoformat(time_text) if time_text else None
            for time_text in (self.facts.started, self._newest())
        )
        first = self.verdicts.sequence.first_pass
        return {
            "clock_s": now / _NS,
            "elapsed_s": elapsed_s(now / _NS, started, newest),
            "active_60_s": active[0],
            "active_120_s": active[1],
            "active_300_s": active[2],
            "active_s": analysed,
            "unfocused_s": self.work.unfocused_ns / _NS,
            "time_s": first.active_ns / _NS if first else analysed,
            "first_pass_s": first.active_ns / _NS if first else None,
            "first_pass_clock_s": first.clock_ns / _NS if first else None,
        }

    def _newest(self) -> str:
        return self.facts.newest if self.facts.started else ""

    def _verdicts(self) -> dict[str, Any]:
        verdicts, sequence = self.verdicts, self.verdicts.sequence
        newest = sequence.newest
        final = None if self.facts.was_cut_off else sequence.final(self.clock.state)
        votes = verdicts.judged_by.get("votes", ())
        passed = sequence.first_pass is not None
        return {
            "passed": passed,
            "outcome": newest.outcome if newest else "",
            "final": final.value if final else "",
            "tries_to_pass": sequence.tries_to_pass,
            "censored_by": "" if passed else self._censoring(final),
            "reason": newest.reason if newest else "",
            "score": max((score for _, score in verdicts.scores), default=None),
            "tests_passed": verdicts.tests[0],
            "tests_total": verdicts.tests[1],
            "runs": sequence.count,
            "undecided_runs": len(sequence.undecided),
            "judge_method": verdicts.judged_by.get("method", ""),
            "judge_votes": "; ".join(f"{vote['judge']}={vote['label']}" for vote in votes),
            "judge_rubric": verdicts.judged_by.get("rubric", ""),
            "judge_cost_usd": verdicts.judge_cost_usd,
            "toolchain": verdicts.digests.get("toolchain", ""),
            "sandbox": verdicts.digests.get("sandbox", ""),
        }

    def _censoring(self, final: Outcome | None) -> CENSORED:
        match self.clock.state:
            case AttemptState.ABANDONED:
                return "gave_up"
            case AttemptState.TIMED_OUT:
                # Earlier versions did not grade what a person had at the limit.
                return "not_decided" if final is Outcome.ERROR else "timed_out"
            case AttemptState.SUBMITTED:
                return "handed_in_unsolved" if final is Outcome.FAILED else "not_decided"
            case _:
                return "still_open"

    def _texts(self) -> dict[str, Any]:
        inserted = self.edits.inserted()
        total = sum(inserted.values())
        by_model = sum(inserted[source] for source in _BY_MODEL)
        return {
            "edits": len(self.edits.edits),
            "inserted": total,
            **{f"inserted_{source}": count for source, count in inserted.items()},
            "share_by_assistant": by_model / total if total else None,
            "guessed_share": self.edits.inferred() / total if total else None,
            "classifier": CLASSIFIER,
            **self._survival(by_model),
        }

    def _survival(self, by_model: int) -> dict[str, int | None]:
        names = ("reached_30s", "survived_30s", "reached_120s", "survived_120s", "survived_end")
        if self.header.recording is not Recording.FULL:
            return {"accepted": by_model, **dict.fromkeys(names)}
        accepted, survival = self.edits.survival()
        if survival is None:
            return {"accepted": accepted, **dict.fromkeys(names)}
        pairs = [amount for pair in zip(survival.reached, survival.survived, strict=True) for amount in pair]
        return {"accepted": accepted, **dict(zip(names, [*pairs, survival.at_end], strict=True))}

    def _estimates(self) -> dict[str, Any]:
        forecast, estimate = self.facts.forecast, self.facts.estimate
        minutes_without_ai, assisted = forecast.get("minutes_without_ai"), forecast.get("minutes_with_ai")
        own_forecast = assisted if self.facts.solver(self.header) == "human+copilot" else minutes_without_ai
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
