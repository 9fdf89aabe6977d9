"""A made-up study, recorded through the real log by a clock that is set by hand: to see what a report looks like.

People's times come from `statistics.simulation`, with an effect of the copilot that is known; the plan, the consent,
the journal and every event are as a real study leaves them. Nothing of a problem's hidden part is read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from benchwright_analysis.code_digest import analysis_digest
from benchwright_analysis.report.demo import subjects as demo_subjects
from benchwright_analysis.report.demo.subjects import MADE_UP, MadeUpCondition, program_conditions_yaml
from benchwright_analysis.statistics.simulation import SimulatedAttempt, SimulatedStudyPlan, simulate_study
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.hand_clock import ManualClock
from benchwright_attempts.events.events import (
    Abandoned,
    Answered,
    Edit,
    Event,
    Focus,
    JudgedBy,
    Opened,
    Paused,
    Resumed,
    RunFinished,
    RunStarted,
    Save,
    Started,
    Submitted,
)
from benchwright_attempts.events.evidence import (
    Assigned,
    AssistAccepted,
    AssistShown,
    EditReason,
    Environment,
    Exposure,
    Forecast,
    ModelUsage,
    SelfEstimate,
    TimedOut,
)
from benchwright_attempts.events.file_text import Change, FileText, sha256
from benchwright_attempts.log.record import AttemptHeader, RecordedEvent
from benchwright_judges.agreement.rated import RatedAnswer
from benchwright_judges.scale import Scale
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_studies.plan.model_condition import model_conditions
from benchwright_studies.plan.preregistration import preregister_once
from benchwright_studies.plan.study_file import parse_study
from benchwright_subjects.prompts.study_prompts import prompt_digests

PACK = "starter"
STUDY = "demo"
FASTER = -25
"""Percent of the time that the made-up copilot changes: what the report ought to find."""
_HOPED = 0.8
"""Share of the time that the made-up people expect to need with the copilot."""
_LIMIT_MIN = 45.0
_GIVE_UPS_PER_HOUR = 0.25
_PROBLEMS = 12
_SAMPLES = 4
_MODELS = (("simulated/small", 0.9, 9.0), ("simulated/large", 1.1, 34.0))
"""Name, slope, and the minutes of people at which it solves half."""
_DIGEST = sha256(b"a made-up toolchain")


@dataclass(frozen=True)
class SimulatedStudy:
    """The made-up study and attempts."""

    study: str
    rated: Sequence[RatedAnswer]


def record_demo_study(
    new_log_path: Path, store: Store, *, participant_count: int = 30, seed: int = 7
) -> SimulatedStudy:
    """Records a made-up study and made-up models' attempts in a new log.

    Args:
        new_log_path: Path of the log; made.
        store: Store for the starter pack.
        participant_count: Number of people who take part.
        seed: The same seed gives the same study.
    """
    clock = ManualClock()
    random = np.random.default_rng(seed)
    problems = [problem for problem in store.public_pack(PACK).problems if problem.public.figures == ()][:_PROBLEMS]
    with StudyLog(new_log_path, wall_clock=clock.now, monotonic_ns=clock.monotonic_ns, process="demo") as log:
        desk = _AttemptWriter(log, clock, random)
        studies = Studies(log, Attempts(log))
        refs = [f"{PACK}/{problem.id}" for problem in problems]
        designs = [f"{PACK}/{problem.id}" for problem in problems if problem.kind is ProblemKind.DESIGN]
        text = _study_yaml(STUDY, refs, designs, participant_count, seed, _LIMIT_MIN)
        file = parse_study(text, Path("demo.study.yaml"))
        registered_study = studies.register(file, {f"{PACK}/{problem.id}": problem.difficulty for problem in problems})
        preregister_once(log, registered_study, analysis_digest(), digest_by_prompt_set=prompt_digests())
        # Without an effect here: which condition a task has is what the study's own plan says.
        plan = SimulatedStudyPlan(
            participants=participant_count,
            families=4,
            problems_per_family=len(problems) // 4,
            effect_percent=0,
            median_minutes=14,
        )
        simulated_attempts = simulate_study(plan, random)
        problems_by_name = dict(
            zip(
                dict.fromkeys(simulated_attempt.problem for simulated_attempt in simulated_attempts),
                problems,
                strict=True,
            )
        )
        simulated_by_task = {
            (
                simulated_attempt.participant,
                f"{PACK}/{problems_by_name[simulated_attempt.problem].id}",
            ): simulated_attempt
            for simulated_attempt in simulated_attempts
        }
        baselines = {
            f"{PACK}/{problems_by_name[simulated_attempt.problem].id}": simulated_attempt.baseline_minutes
            for simulated_attempt in simulated_attempts
        }
        by_ref = {f"{PACK}/{problem.id}": problem for problem in problems}
        for assignment, simulated in zip(
            registered_study.plan.assignments,
            dict.fromkeys(simulated_attempt.participant for simulated_attempt in simulated_attempts),
            strict=True,
        ):
            participant = assignment.participant
            studies.enroll(STUDY, participant)
            studies.give_consent(STUDY, participant, "1")
            for ref in by_ref:
                studies.record_next_forecast(
                    STUDY, participant, ref, desk.draw_forecast(simulated_by_task[simulated, ref])
                )
            has_left = random.random() < 0.04
            for _task in assignment.tasks[: len(assignment.tasks) // 2 if has_left else None]:
                assigned, consent, ref = studies.next_task(STUDY, participant)
                simulated_attempt = simulated_by_task[simulated, ref]
                minutes = simulated_attempt.minutes * (1 + FASTER / 100 if assigned.condition == "copilot" else 1)
                attempt = desk.open_attempt(
                    by_ref[ref], ref, participant, "human+copilot" if assigned.assistants else "human", STUDY
                )
                studies.record_task_begun(assigned, ref, attempt)
                desk.record_events(
                    attempt, assigned, consent, studies.find_forecast(STUDY, participant, ref) or Forecast()
                )
                desk.write_person_attempt(attempt, by_ref[ref], assigned, minutes)
                clock.pass_s(random.uniform(60, 600))
            if not has_left:
                attentive = "sometimes" if random.random() < 0.95 else "never"
                studies.answer_questionnaire(STUDY, participant, {"attention": attentive})
                studies.record_finish_if_finished(STUDY, participant)
        for model, slope, half in _MODELS:
            for ref, problem in by_ref.items():
                for _ in range(_SAMPLES):
                    chance = 1 / (1 + math.exp(slope * (math.log2(baselines[ref]) - math.log2(half))))
                    desk.write_model_sample(problem, ref, model, passes=random.random() < chance)
        for model_condition in model_conditions(log, STUDY):
            made_up = next(program for program in MADE_UP if program.name == model_condition.condition.name)
            for ref, sample in product(model_condition.problems, range(1, model_condition.condition.samples + 1)):
                desk.write_program_attempt(made_up, by_ref[ref], model_condition.assigned_terms(ref, sample), ref)
        desk.await_pending_events()
    return SimulatedStudy(STUDY, _made_up_ratings(random))


class _AttemptWriter:
    """Writes attempts as an editor or a model's run would."""

    def __init__(self, log: StudyLog, clock: ManualClock, random: np.random.Generator) -> None:
        self._log, self._clock, self._random = log, clock, random
        self._attempts = Attempts(log)
        self._pending_events: list[Future[RecordedEvent]] = []
        self._texts: dict[str, tuple[str, str, int]] = {}

    def open_attempt(self, problem: Problem, problem_ref: str, solver: str, condition: str, study: str = "") -> str:
        path = next(iter(problem.public.expected), "answer.md")
        text = problem.public.files.get(path, "")
        header = AttemptHeader(
            id=sha256(f"{problem_ref} {solver} {self._clock.mono_ns}".encode())[:32],
            problem=problem_ref,
            problem_digest=problem.public_digest,
            workspace=f"/demo/{problem.id}",
            solver=solver,
            condition=condition,
            created=self._clock.now(),
            study=study,
        )
        self._log.create(header, Opened(files={path: FileText.of_text(text)}))
        self._texts[header.id] = (path, text, 1)
        return header.id

    def record_events(self, attempt: str, *events: Event) -> None:
        self._pending_events += [self._log.append_nowait(attempt, event) for event in events]
        if len(self._pending_events) > 2000 or isinstance(events[-1], Submitted | Abandoned | TimedOut | SelfEstimate):
            self.await_pending_events()

    def await_pending_events(self) -> None:
        for future in self._pending_events:
            future.result()
        self._pending_events.clear()

    def draw_forecast(self, simulated_attempt: SimulatedAttempt) -> Forecast:
        """A person's forecast for a task."""
        return Forecast(
            minutes_without_ai=simulated_attempt.forecast_minutes,
            minutes_with_ai=simulated_attempt.forecast_minutes * _HOPED,
            difficulty=self._draw_felt_difficulty(simulated_attempt.minutes),
            prior_exposure=Exposure.SIMILAR if self._random.random() < 0.1 else Exposure.NONE,
            success=self._draw_stated_chance(0.95 - 0.1 * math.log2(max(simulated_attempt.forecast_minutes, 4) / 4)),
        )

    def _draw_stated_chance(self, mean: float) -> float:
        """A chance as a person states it, in steps of a twentieth."""
        return float(np.clip(round(self._random.normal(mean, 0.15) * 20), 1, 20)) / 20

    def _draw_felt_difficulty(self, minutes: float) -> int:
        return int(np.clip(round(math.log2(minutes / 3.5) + self._random.normal(2, 0.8)), 1, 5))

    def write_person_attempt(self, attempt: str, problem: Problem, assigned: Assigned, needed_minutes: float) -> None:
        """A person at one task, who would need this many minutes."""
        random, clock = self._random, self._clock
        patience = random.exponential(60 / _GIVE_UPS_PER_HOUR)
        minutes = min(needed_minutes, patience, _LIMIT_MIN)
        self.record_events(attempt, Environment(editor="simulated", change_reasons=True, platform="linux"), Started())
        steps = max(6, round(minutes * 2.2))
        # Thinking comes in stretches: some gaps are minutes long.
        gaps = random.dirichlet(np.full(steps, 0.35)) * minutes * 60
        pause = int(random.integers(2, steps)) if random.random() < 0.15 else -1
        run_steps = sorted(random.choice(steps, size=min(steps, int(random.integers(1, 4))), replace=False).tolist())
        passes = minutes == needed_minutes
        number = 0
        for step in range(steps):
            clock.pass_s(float(gaps[step]))
            self._write_random_edit(attempt, uses_copilot=bool(assigned.assistants))
            if step == pause:
                self.record_events(attempt, Focus(focused=False), Paused(reason="coffee"))
                clock.pass_s(random.uniform(60, 900))
                self.record_events(attempt, Resumed(), Focus(focused=True))
            if step in run_steps and step < steps - 1:
                number += 1
                share = (step + 1) / steps
                self._write_verdict(attempt, problem, number, has_passed=False, passed_tests_share=share)
        if passes:
            self._write_verdict(attempt, problem, number + 1, has_passed=True, passed_tests_share=1.0)
            self.record_events(attempt, Submitted())
        elif minutes == patience:
            self._write_verdict(attempt, problem, number + 1, has_passed=False, passed_tests_share=0.5)
            self.record_events(attempt, Abandoned(reason="I am stuck"))
        else:
            self._write_verdict(attempt, problem, number + 1, has_passed=False, passed_tests_share=0.6)
            self.record_events(attempt, TimedOut(reason="time_limit", limit=_LIMIT_MIN * 60))
        spread = random.normal(0, 0.25)
        helped = bool(random.random() < 0.02)
        self.record_events(
            attempt,
            SelfEstimate(
                minutes=minutes * math.exp(spread),
                difficulty=self._draw_felt_difficulty(needed_minutes),
                external_help=helped,
                solved=self._draw_stated_chance(0.9 if passes else 0.5),
            ),
        )

    def _write_random_edit(self, attempt: str, *, uses_copilot: bool) -> None:
        """A few words by hand, at times a paste or a completion."""
        random = self._random
        draw = random.random()
        source, text = "cursor", "  assign q = d;\n"[: int(random.integers(3, 17))]
        metadata: dict[str, str] = {"kind": "type"}
        if uses_copilot and draw < 0.3:
            source, metadata, text = "inlineCompletionAccept", {}, "  always_ff @(posedge clk) if (!rst_n) q <= '0;\n"
        elif draw > 0.94:
            metadata, text = {"kind": "paste"}, "  // from the data sheet: one cycle of latency\n"
        path, old_text, version = self._texts[attempt]
        start = int(random.integers(0, len(old_text) + 1)) if random.random() < 0.3 else len(old_text)
        end = min(len(old_text), start + int(random.integers(0, 30))) if random.random() < 0.3 else start
        version += 1
        offer_id = f"{attempt[:6]}-{version}"
        if source != "cursor":
            shown_event = AssistShown(
                assist=offer_id, provider="github.copilot", path=path, version=version - 1, length=len(text)
            )
            accepted_event = AssistAccepted(
                assist=offer_id, provider="github.copilot", path=path, version=version, length=len(text)
            )
            self.record_events(attempt, shown_event, accepted_event)
        change = Change(start=start, end=end, text=text)
        self.record_events(attempt, Edit(path=path, version=version, changes=(change,)))
        self.record_events(attempt, EditReason(path=path, version=version, reason=source, metadata=metadata))
        self._texts[attempt] = (path, old_text[:start] + text + old_text[end:], version)

    def _write_verdict(
        self, attempt: str, problem: Problem, try_number: int, *, has_passed: bool, passed_tests_share: float
    ) -> None:
        path, text, _ = self._texts[attempt]
        digest = sha256(text.encode())
        outcome = Outcome.PASSED if has_passed else Outcome.FAILED
        if problem.kind is not ProblemKind.DESIGN:
            judgement = JudgedBy(method="deterministic", status="scored", score=float(has_passed))
            message = "" if has_passed else "The answer is not the expected one."
            reason = "passed" if has_passed else "wrong_answer"
            self.record_events(
                attempt,
                Answered(
                    number=try_number,
                    outcome=outcome,
                    reason=reason,
                    message=message,
                    snapshot={path: digest},
                    judged_by=judgement,
                ),
            )
            return
        run, total = f"{attempt}-{try_number}", 8
        passed_count = total if has_passed else min(total - 1, int(passed_tests_share * total))
        message = "" if has_passed else str(self._random.choice(_MESSAGES)).format(passed_count, total)
        self.record_events(
            attempt,
            Save(path=path, sha256=digest, size=len(text)),
            RunStarted(run=run, number=try_number, snapshot={path: digest}),
        )
        self._clock.pass_s(2.5)
        self.record_events(
            attempt,
            RunFinished(
                run=run,
                number=try_number,
                outcome=outcome,
                reason="passed" if has_passed else "tests_failed",
                message=message,
                passed=passed_count,
                total=total,
                wall_s=2.5,
                digests={"toolchain": _DIGEST, "sandbox": "simulated"},
            ),
        )

    def write_program_attempt(
        self, made_up_condition: MadeUpCondition, problem: Problem, assigned: Assigned, problem_ref: str
    ) -> None:
        """One attempt of an agent, or of a copilot alone."""
        attempt = self.open_attempt(problem, problem_ref, assigned.participant, made_up_condition.name, STUDY)
        self.record_events(attempt, assigned)
        path, old_text, version = self._texts[attempt]
        write = partial(self.record_events, attempt)
        text, broke_off = demo_subjects.simulate_program(
            made_up_condition, path, old_text, self._random, self._clock.pass_s, write
        )
        self._texts[attempt] = (path, text, version)
        passes = not broke_off and self._random.random() < made_up_condition.chance
        self._write_verdict(attempt, problem, 1, has_passed=passes, passed_tests_share=self._random.random())
        self.record_events(attempt, demo_subjects.attempt_end_event(broke_off=broke_off))

    def write_model_sample(self, problem: Problem, problem_ref: str, model: str, *, passes: bool) -> None:
        """One sample of a model."""
        attempt = self.open_attempt(problem, problem_ref, model, "model")
        self.record_events(attempt, Started())
        self._clock.pass_s(self._random.uniform(5, 40))
        sent_tokens, received_tokens = int(self._random.integers(600, 2000)), int(self._random.integers(200, 4000))
        self.record_events(
            attempt,
            ModelUsage(
                model=model,
                calls=1,
                input_tokens=sent_tokens,
                output_tokens=received_tokens,
                total_tokens=sent_tokens + received_tokens,
                cost_usd=round((sent_tokens + 4 * received_tokens) * 1e-6, 6),
                parameters={"prompts": "benchwright", "knowledge_cutoff": "2026-06"},
            ),
        )
        self._write_verdict(attempt, problem, 1, has_passed=passes, passed_tests_share=self._random.random())
        self.record_events(attempt, Submitted())


_MESSAGES = (
    "{} of {} hidden tests passed. Reset does not clear the output.",
    "{} of {} hidden tests passed. The output is one cycle late.",
    "The design does not compile: a name is not declared.",
    "{} of {} hidden tests passed. The last element is lost when full.",
)


def _made_up_ratings(random: np.random.Generator) -> list[RatedAnswer]:
    """Made-up grades of two people and two judges."""
    ratings = []
    for number in range(120):
        form, scale = (("open-ended", Scale.TIERS), ("free-response", Scale.EXAM))[number % 2]
        labels = scale.labels
        true = int(random.integers(0, len(labels)))

        def drawn_label(spread: float, true: int = true, labels: Sequence[str] = labels) -> str:
            return labels[int(np.clip(round(true + random.normal(0, spread)), 0, len(labels) - 1))]

        base_spread = 0.7 if scale is Scale.TIERS else 0.35
        judges = {"simulated/judge-a": [drawn_label(base_spread)], "simulated/judge-b": [drawn_label(2 * base_spread)]}
        people = {"G1": drawn_label(base_spread / 2), "G2": drawn_label(base_spread / 2)}
        ratings.append(RatedAnswer(f"answer-{number}", f"{PACK}/amdahl", form, scale, people, judges))
    return ratings


def _study_yaml(
    study: str,
    problem_refs: Sequence[str],
    design_refs: Sequence[str],
    participant_count: int,
    seed: int,
    limit_min: float,
) -> str:
    """The study file.

    Args:
        study: The study's id.
        problem_refs: As `pack/id`.
        design_refs: Those of them that ask for Verilog.
        participant_count: Number of people who take part.
        seed: Seed of the randomisation.
        limit_min: Active minutes for a task.
    """
    problem_lines = "\n".join(f"  - {problem}" for problem in problem_refs)
    return f"""\
study: {study}
title: A made-up study of {participant_count} people with and without a copilot
problems:
{problem_lines}
conditions:
  - name: alone
    solver: human
  - name: copilot
    solver: human+copilot
    assistants: [github.copilot]
    subject: {{name: github.copilot, version: "1.400.0"}}
{program_conditions_yaml(design_refs)}
participants: {participant_count}
randomisation:
  unit: task
  order: latin-square
  seed: {seed}
limits:
  time_minutes: {limit_min:g}
feedback: messages
show_distribution: true
forecasts: [minutes, difficulty, prior_exposure, success]
self_estimates: [minutes, difficulty, external_help, success]
questionnaire:
  - id: attention
    ask: To show that you read this, choose "sometimes".
    kind: choice
    choices: [never, sometimes, always]
    expect: sometimes
analysis:
  primary: time
  secondary: [solved]
  hypothesis: People are faster with the copilot.
exclusions:
  - when: failed_attention
    more_than: 0
    drop: participant
  - when: external_help
consent:
  version: "1"
  text: Nobody takes part in this study; its data are made up by a program.
"""
