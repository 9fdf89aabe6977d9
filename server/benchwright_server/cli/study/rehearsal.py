"""A study played as its participants will, in a temporary home: what works, what will not, what can't be known here."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING

from benchwright_analysis.report.sections.own_numbers import FEWEST_OTHERS
from benchwright_attempts.actor import Actor, acting_as
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.errors import AttemptError
from benchwright_attempts.events.evidence import Environment, Exposure, Forecast, InstalledExtension, SelfEstimate
from benchwright_attempts.terms import OWN_ASSISTANT, ClockDisplay, Machine, Solver
from benchwright_foundation.errors import BenchwrightError
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import duration
from benchwright_harness.cluster.configuration import open_executor
from benchwright_harness.execution.run import reference_solution_files
from benchwright_harness.grading.grade import BatchGrader
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.toolchain import Toolchain
from benchwright_judges.score import judge_key_and_empty_answer
from benchwright_problems.aids import NAMED_ONLY, Aid
from benchwright_problems.errors import ProblemsError
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome, Verdict
from benchwright_server.assistant.endpoint import AssistantError, request_reply_text
from benchwright_server.assistant.prompt import completion_messages, text_to_insert
from benchwright_server.attempts.participant_studies import ParticipantStudies
from benchwright_server.attempts.participation import Participation
from benchwright_server.attempts.session import EditorSession
from benchwright_server.attempts.sessions import EditorSessions
from benchwright_server.errors import ServerError
from benchwright_server.protocol.messages import OpenedProblem
from benchwright_server.protocol.studies import StudyView
from benchwright_server.settings import Assistant
from benchwright_server.workspaces.workspace import statement_path_and_workspace_files
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.plan.assignment import Assignment, Plan, draw_plan
from benchwright_studies.plan.claims import false_claims_about_limits
from benchwright_studies.plan.condition import Condition
from benchwright_studies.plan.questionnaire import Answer
from benchwright_studies.plan.registration import installed_problems_by_ref
from benchwright_studies.plan.study import AT_SERVICE, NOWHERE, DataHandling, Study
from benchwright_studies.plan.study_file import StudyFile, parse_study
from benchwright_studies.plan.study_question import StudyQuestion
from benchwright_studies.plan.vocabulary import ForecastKind, ParticipantStep, QuestionKind
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_harness.sandbox import Sandbox

_AI_EXTENSION = InstalledExtension(id="rehearsal.assistant", version="1", active=True, ai=True)


class CheckState(StrEnum):
    """What a rehearsal says of one thing."""

    WORKS = "works"
    FAILS = "will not work"
    UNKNOWN = "not checked"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried, or can't be tried here."""

    state: CheckState
    about: str
    """A field of the study file, a problem, a page."""
    text: str
    """The result, as a sentence."""
    next_step: str = ""
    """As a sentence; empty if nothing is to be done."""


@dataclass(frozen=True, slots=True)
class ConditionRehearsal:
    """What a rehearsal found out about one condition."""

    condition: Condition
    longest_minutes: float | None
    """Active time that the limits of a participant's tasks under it add up to at most, in minutes; None without."""
    most_tasks: int
    """Tasks under it of one participant."""
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What a rehearsal found out."""

    study: Study
    plan: Plan
    rows_played: int
    """Rows of the plan that differ, each of which was played."""
    checks: tuple[Check, ...]
    """What is the same under every condition."""
    condition_rehearsals: tuple[ConditionRehearsal, ...]

    @property
    def ok(self) -> bool:
        """True if nothing was seen that will not work."""
        found_checks = [*self.checks, *(check for part in self.condition_rehearsals for check in part.checks)]
        return all(check.state is not CheckState.FAILS for check in found_checks)


@dataclass
class _CheckNotes:
    """Checks so far, each once: those of the whole study under the name ''."""

    checks_by_condition: dict[str, dict[Check, None]] = field(default_factory=dict)

    def add(self, condition_name: str, state: CheckState, about: str, text: str, next_step: str = "") -> None:
        self.checks_by_condition.setdefault(condition_name, {})[Check(state, about, text, next_step)] = None

    def checks_of_condition(self, condition_name: str) -> tuple[Check, ...]:
        return tuple(self.checks_by_condition.get(condition_name, ()))


async def rehearse(
    home: Home,
    study_file: StudyFile,
    sandbox: Sandbox,
    toolchain: Toolchain,
    assistant: Assistant | None,
    settings_location: str,
) -> Rehearsal:
    """Plays each row of the plan that differs from the others, and checks what participants will meet.

    Everything is recorded in a folder that is deleted at the end; no record reaches `data.to`.

    Args:
        home: Has the packs and the toolchain; nothing is written to it.
        study_file: The study.
        sandbox: Runs hidden tests.
        toolchain: What they run with.
        assistant: Settings of Benchwright's own completion in participants' editors; None if none were read.
        settings_location: Where these settings are, or were looked for.

    Raises:
        StudyFileError: A problem is not installed.
    """
    study, notes = study_file.study, _CheckNotes()
    public_problems = installed_problems_by_ref(Store(home), study_file)
    plan = draw_plan(study, study_file.sha256, {ref: problem.difficulty for ref, problem in public_problems.items()})
    rows = list({tuple((t.problem, t.condition) for t in row.tasks): row for row in plan.assignments}.values())
    with _temporary_home(home) as own_home:
        unsealed = _unsealed_problems_by_ref(Store(home), study, notes)
        reference_verdicts = await _reference_verdict_by_ref(own_home, unsealed, sandbox, toolchain)
        _note_reference_checks(study, unsealed, reference_verdicts, notes)
        played_file = _without_delivery(study_file)
        with acting_as(Actor.TERMINAL):
            sessions = EditorSessions(own_home, sandbox)
            try:
                play = _ParticipantPlayer(sessions, played_file, notes)
                await play.play_rows(rows)
            finally:
                await sessions.close()
    _note_time_checks(study, reference_verdicts, public_problems, notes)
    _note_delivery_check(study, notes)
    await _note_assistant_checks(study, public_problems, assistant, settings_location, notes)
    return Rehearsal(
        study,
        plan,
        len(rows),
        notes.checks_of_condition(""),
        tuple(_condition_rehearsal(study, condition, rows, notes) for condition in study.conditions),
    )


@contextmanager
def _temporary_home(home: Home) -> Iterator[Home]:
    """A home with the user's packs, and nothing of the user's records."""
    with TemporaryDirectory(prefix="benchwright-rehearsal-") as name:
        folder = Path(name)
        own_home = Home(folder / "data", folder / "state", folder / "workspaces", home.cache)
        for part in ("packs", "sealed"):
            (own_home.data / part).mkdir(parents=True, mode=0o700)
            for entry in (home.data / part).glob("*"):
                if not entry.name.startswith("@"):
                    (own_home.data / part / entry.name).symlink_to(entry)
        yield own_home


def _without_delivery(study_file: StudyFile) -> StudyFile:
    """The study with its records going nowhere."""
    study = study_file.study.model_copy(update={"data": DataHandling()})
    return parse_study(json.dumps(study.model_dump(mode="json", by_alias=True)), study_file.path)


# Hidden tests


def _unsealed_problems_by_ref(store: Store, study: Study, notes: _CheckNotes) -> dict[str, Problem]:
    """The problems whose hidden part is here, with it."""
    unsealed: dict[str, Problem] = {}
    for ref in study.problem_refs:
        try:
            unsealed[ref] = store.unseal(ref)
        except ProblemsError as error:
            notes.add("", CheckState.UNKNOWN, ref, f"Its hidden tests can't be run here: {error}.")
    return unsealed


async def _reference_verdict_by_ref(
    temporary_home: Home, unsealed_problems: Mapping[str, Problem], sandbox: Sandbox, toolchain: Toolchain
) -> dict[str, Verdict]:
    """The verdict on each reference; on a question's key by rules alone."""
    verdicts = {
        ref: judge_key_and_empty_answer(problem)[0].verdict
        for ref, problem in unsealed_problems.items()
        if problem.kind is not ProblemKind.DESIGN and problem.has_solution
    }
    refs = [
        ref for ref, problem in unsealed_problems.items() if problem.kind is ProblemKind.DESIGN and problem.has_solution
    ]
    # One after the other: how long one takes is what is asked.
    async with open_executor(temporary_home, jobs=1) as executor:
        grader = BatchGrader(
            executor, sandbox=sandbox, toolchain=toolchain, verdicts=VerdictStore.from_home(temporary_home), fresh=True
        )
        for ref in refs:
            (verdicts[ref],) = await grader.grade(
                [(unsealed_problems[ref], reference_solution_files(unsealed_problems[ref]))]
            )
    return verdicts


def _note_reference_checks(
    study: Study,
    unsealed_problems: Mapping[str, Problem],
    reference_verdicts: Mapping[str, Verdict],
    notes: _CheckNotes,
) -> None:
    for ref, problem in unsealed_problems.items():
        verdict = reference_verdicts.get(ref)
        is_design = problem.kind is ProblemKind.DESIGN
        if verdict is None:
            what = "reference" if is_design else "key"
            notes.add("", CheckState.UNKNOWN, ref, f"It has no {what}, so nobody knows whether its tests can pass.")
        elif verdict.outcome is Outcome.PASSED and is_design:
            text = f"The hidden tests run here, and the reference passes in {duration(verdict.wall_s)}."
            notes.add("", CheckState.WORKS, ref, text)
        elif verdict.outcome is Outcome.PASSED:
            notes.add("", CheckState.WORKS, ref, "The key passes by the rules of its question.")
        elif verdict.outcome is Outcome.ERROR and not is_design:
            text = "Answers to it are judged by a model or a person, which was not asked here."
            notes.add("", CheckState.UNKNOWN, ref, text, "Ask one with `benchwright answer`.")
        else:
            next_step = verdict.hint or f"Run `benchwright problems check {ref.partition('/')[0]}`."
            text = f"The reference does not pass the hidden tests here ({verdict.summary})."
            notes.add("", CheckState.FAILS, ref, text, next_step)


# Participants


class _ParticipantPlayer:
    """Plays participants, one after the other.

    Args:
        sessions: On the temporary home.
        study_file: The study, with its records going nowhere.
        notes: Gets the results.
    """

    def __init__(self, sessions: EditorSessions, study_file: StudyFile, notes: _CheckNotes) -> None:
        self._sessions = sessions
        self._study = study_file.study
        self._file = study_file
        self._notes = notes
        self._participant = ParticipantStudies(sessions)
        self._met: set[tuple[str, str]] = set()
        """Condition and problem of the tasks that were worked on."""

    async def play_rows(self, plan_rows: Sequence[Assignment]) -> None:
        """Play each row of the plan, from consent to the end."""
        log = self._sessions.log
        studies = Studies(log, Attempts(log))
        problems = installed_problems_by_ref(self._sessions.store, self._file)
        difficulties = {ref: problem.difficulty for ref, problem in problems.items()}
        await asyncio.to_thread(studies.register, self._file, difficulties)
        for row in plan_rows:
            await asyncio.to_thread(studies.enroll, self._study.study, row.participant)
            Participation(self._sessions.home).add_study(self._study.study, row.participant)
            try:
                await self._play_row(row)
            except BenchwrightError as error:
                text = f"The row of {row.participant} can't be played to its end: {error}"
                next_step = "Remove the reason, then rehearse again."
                self._notes.add("", CheckState.FAILS, "pages", text, next_step)

    async def _play_row(self, plan_row: Assignment) -> None:
        study = self._study
        await self._check_closed_before_consent(plan_row)
        view = await self._participant.study_view(study.study)
        seen_pages: dict[str, None] = {}
        # Each task has three steps, each forecast one.
        for _ in range(4 * len(study.problem_refs) + 8):
            seen_pages[view.step.value] = None
            if view.step is ParticipantStep.FINISHED:
                pages = ", ".join(page.replace("_", " ") for page in seen_pages)
                self._notes.add("", CheckState.WORKS, "pages", f"These pages come, first in this order: {pages}.")
                return
            view = await self._take_step(view)
        text = f"{plan_row.participant} comes to no end: the page after all steps is {view.step.value}."
        self._notes.add("", CheckState.FAILS, "pages", text, "Report this with the study file.")

    async def _check_closed_before_consent(self, plan_row: Assignment) -> None:
        """Without consent, neither the task nor its problem outside the study may open."""
        refs = [task.problem for task in plan_row.tasks]
        opening_refs = [ref for ref in refs if not await _is_refused(self._sessions.open(ref, always_new=False))]
        if not await _is_refused(self._participant.open_task(self._study.study)):
            text = "A task opens before consent."
            self._notes.add("", CheckState.FAILS, "consent", text, "Report this with the study file.")
        elif opening_refs:
            text = f"{', '.join(opening_refs)}: opens outside the study before consent."
            self._notes.add("", CheckState.FAILS, "consent", text, "Report this with the study file.")
        else:
            text = "Before consent no task opens, and none of the study's problems outside it."
            self._notes.add("", CheckState.WORKS, "consent", text)

    async def _take_step(self, study_view: StudyView) -> StudyView:
        study = self._study.study
        match study_view.step:
            case ParticipantStep.CONSENT if study_view.consent is not None:
                return await self._participant.give_consent(study, study_view.consent.version)
            case ParticipantStep.FORECAST if study_view.problem is not None:
                forecast = Forecast(
                    minutes_without_ai=10, minutes_with_ai=10, difficulty=3, prior_exposure=Exposure.NONE, success=0.5
                )
                return await self._participant.record_forecast(study, study_view.problem, forecast)
            case ParticipantStep.OPEN | ParticipantStep.WORK if study_view.condition is not None:
                await self._play_task(study_view, self._study.condition(study_view.condition))
            case ParticipantStep.SELF_ESTIMATE:
                session = await self._session_of_problem(await self._participant.open_task(study))
                await session.record_self_estimate(
                    SelfEstimate(
                        minutes=10, difficulty=3, prior_exposure=Exposure.NONE, external_help=False, solved=0.5
                    )
                )
            case ParticipantStep.QUESTIONNAIRE:
                questionnaire_answers = {
                    question.id: _rehearsed_answer(question) for question in self._study.questionnaire
                }
                return await self._participant.answer_questionnaire(study, questionnaire_answers)
            case _:
                raise ServerError(f"the step {study_view.step.value} has no page here.")
        return await self._participant.study_view(study)

    async def _session_of_problem(self, opened_problem: OpenedProblem) -> EditorSession:
        return await self._sessions.require_session(local_path_of(opened_problem.statement))

    async def _play_task(self, study_view: StudyView, condition: Condition) -> None:
        opened = await self._participant.open_task(self._study.study)
        session = await self._session_of_problem(opened)
        ref = session.header.problem
        is_new = (condition.name, ref) not in self._met
        self._met.add((condition.name, ref))
        missing = [file.path for file in opened.files if not local_path_of(file.uri).exists() and not file.editable]
        if missing or not local_path_of(opened.statement).is_file():
            text = f"Its folder lacks {', '.join(missing) or 'the statement'}."
            self._notes.add("", CheckState.FAILS, ref, text, "Import its pack again.")
        if session.terms.time_limit_s != self._study.time_limit_s(ref):
            text = "Its time limit in the editor is not that of the study file."
            self._notes.add("", CheckState.FAILS, ref, text, "Report this with the study file.")
        await self._sessions.start_clock(session)
        start, limit_s = time.monotonic(), session.terms.time_limit_s
        try:
            if is_new:
                await self._work_on_task(session, condition)
            else:
                await session.abandon("rehearsed")
        except AttemptError:
            if limit_s is None or time.monotonic() - start < limit_s:
                raise
            text = f"Its time, {limit_s:g} s, was over while it was opened, started and given up by a program."
            self._notes.add(condition.name, CheckState.FAILS, ref, text, "Write a longer time_minutes.")

    async def _work_on_task(self, session: EditorSession, condition: Condition) -> None:
        await self._check_terms(session, condition)
        if session.problem.kind is ProblemKind.DESIGN:
            await self._submit_starting_files(session, condition)
        else:
            await self._sessions.question_view(session)
            await session.abandon("rehearsed")

    async def _submit_starting_files(self, session: EditorSession, condition: Condition) -> None:
        ref, log = session.header.problem, self._sessions.log
        try:
            await session.submit()
        finally:
            if not session.ended:
                await session.abandon("rehearsed")
        summary = await asyncio.to_thread(Attempts(log).summary, session.header.id)
        verdict = summary.verdict
        if summary.state is AttemptState.TIMED_OUT:
            text = "Its time is over before the hidden tests have run on the files that it starts from."
            next_step = "Write clock_stops_for: [harness], or a longer time_minutes."
            self._notes.add(condition.name, CheckState.FAILS, ref, text, next_step)
        elif verdict is None or verdict.outcome is Outcome.ERROR:
            text = "It opens and starts, but its hidden tests come to no verdict on the files that it starts from."
            next_step = f"Run `benchwright problems check {ref.partition('/')[0]}`."
            self._notes.add(condition.name, CheckState.FAILS, ref, text, next_step)
        elif verdict.outcome is Outcome.PASSED and session.header.problem != self._study.practice:
            text = "It passes with the files that it starts from: there is nothing to solve."
            self._notes.add(condition.name, CheckState.FAILS, ref, text, "Ask another problem.")
        else:
            text = "It opens, starts, and is submitted; its hidden tests run on the files that it starts from."
            self._notes.add(condition.name, CheckState.WORKS, ref, text)

    async def _check_terms(self, session: EditorSession, condition: Condition) -> None:
        """What the condition forbids has to be refused, and what it allows has to be there, while the clock runs."""
        name, ref = condition.name, session.header.problem
        allowed = _allowed_aids(condition)
        open_aids = [
            aid
            for aid in Aid
            if aid not in allowed and not await _is_refused(session.attempt.refuse_aid_or_must_record(aid))
        ]
        # Whatever the condition allows is refused too once the time is over, so only its terms are asked here.
        refused_aids = [aid for aid in allowed if await _is_refused(_check_aid_permitted(session, aid))]
        for aid in open_aids:
            text = f"{aid.value} is not refused in {ref}, though the condition forbids it."
            self._notes.add(name, CheckState.FAILS, "aids", text, "Report this with the study file.")
        for aid in refused_aids:
            text = f"{aid.value} is refused in {ref}, though the condition allows it."
            self._notes.add(name, CheckState.FAILS, "aids", text, "Report this with the study file.")
        if not open_aids and len(allowed) < len(Aid):
            forbidden = ", ".join(aid.value for aid in Aid if aid not in allowed)
            self._notes.add(name, CheckState.WORKS, "aids", f"Refused while the clock runs: {forbidden}.")
        if Aid.HINTS in allowed and Aid.HINTS not in session.aids:
            text = f"{ref} has no hints for participants, though the condition allows them."
            next_step = "Write recording: edits or full, or leave hints out of aids."
            self._notes.add(name, CheckState.FAILS, "aids", text, next_step)
        if session.terms.allows_own_assistant != (OWN_ASSISTANT in condition.assistants):
            text = "Benchwright's own completion is not as the condition says."
            self._notes.add(name, CheckState.FAILS, "assistants", text, "Report this with the study file.")
        if condition.solver is Solver.HUMAN:
            await session.attempt.writer.record_event_and_flag_violations(
                Environment(editor="rehearsal", extensions=(_AI_EXTENSION,))
            )
            events = await asyncio.to_thread(self._sessions.log.events, session.header.id)
            is_flagged = any(recorded_event.event.type == "violation" for recorded_event in events)
            state = CheckState.WORKS if is_flagged else CheckState.FAILS
            text = (
                "An extension that writes code with a model is flagged as a violation; nothing prevents it."
                if is_flagged
                else "An extension that writes code with a model is not flagged."
            )
            self._notes.add(name, state, "violations", text, "" if is_flagged else "Report this with the study file.")


async def _check_aid_permitted(session: EditorSession, aid: Aid) -> None:
    session.attempt.refuse_forbidden_aid(aid)


async def _is_refused(action: Awaitable[object]) -> bool:
    """True if what is asked for is refused with a sentence."""
    try:
        await action
    except BenchwrightError:
        return True
    return False


def _allowed_aids(condition: Condition) -> tuple[Aid, ...]:
    """The aids that a condition allows, as the study file's reference says."""
    if condition.aids is not None:
        return condition.aids
    with_agents = (Aid.AGENT_TOOLS,) if condition.solver is Solver.HUMAN_AGENT else ()
    return tuple(aid for aid in Aid if aid not in NAMED_ONLY or aid in with_agents)


def _rehearsed_answer(question: StudyQuestion) -> Answer:
    if question.expect is not None:
        return question.expect
    match question.kind:
        case QuestionKind.NUMBER | QuestionKind.SCALE:
            return 3
        case QuestionKind.CHOICE:
            return question.choices[0]
        case QuestionKind.YES_NO:
            return True
        case QuestionKind.TEXT:
            return "rehearsed"


# What follows from the file


def _note_time_checks(
    study: Study, reference_verdicts: Mapping[str, Verdict], problems: Mapping[str, Problem], notes: _CheckNotes
) -> None:
    clock_runs = Machine.HARNESS not in study.clock_stops_for
    for ref, problem in problems.items():
        limit_s, verdict = study.time_limit_s(ref), reference_verdicts.get(ref)
        if limit_s is not None and clock_runs and verdict is not None and verdict.wall_s >= limit_s:
            text = (
                f"One run of the hidden tests takes {duration(verdict.wall_s)}, with the clock running; the time limit "
                f"is {duration(limit_s)}."
            )
            next_step = "Write clock_stops_for: [harness], or a longer time_minutes."
            notes.add("", CheckState.FAILS, ref, text, next_step)
        name, files = statement_path_and_workspace_files(problem)
        for text in false_claims_about_limits(study, ref, files[name].decode()):
            notes.add("", CheckState.FAILS, ref, text, "Change time_minutes, or ask another problem.")
    if study.clock is not ClockDisplay.HIDDEN and ForecastKind.MINUTES in study.self_estimates:
        text = f"clock is {study.clock.value}, so participants read off the minutes that they are asked to estimate."
        next_step = "Write clock: hidden, or leave minutes out of self_estimates."
        notes.add("", CheckState.FAILS, "clock", text, next_step)
    if study.show_distribution and len(study.pseudonyms) <= FEWEST_OTHERS:
        text = f"show_distribution shows nothing before {FEWEST_OTHERS} others have finished a task."
        next_step = f"Write show_distribution: false, or have more than {FEWEST_OTHERS} participants."
        notes.add("", CheckState.FAILS, "show_distribution", text, next_step)


def _note_delivery_check(study: Study, notes: _CheckNotes) -> None:
    place = study.data.to
    if place == NOWHERE:
        return
    if place == AT_SERVICE or place.startswith("postgresql:"):
        text = f"Nothing was written to {'the service' if place == AT_SERVICE else place}."
        notes.add("", CheckState.UNKNOWN, "data.to", text, "See that participants' machines reach it.")
        return
    nearest = next(folder for folder in (Path(place), *Path(place).parents) if folder.exists())
    if _is_writable(nearest):
        text = f"{place} can be written on this machine; no record was."
        notes.add("", CheckState.WORKS, "data.to", text)
    else:
        text = f"{place} can't be written on this machine."
        notes.add("", CheckState.FAILS, "data.to", text, "Mount it, or let the user write there, on each machine.")


def _is_writable(folder: Path) -> bool:
    """True if a file can be made in a folder, which is tried with one that has no name."""
    try:
        with TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


async def _note_assistant_checks(
    study: Study,
    problems: Mapping[str, Problem],
    assistant: Assistant | None,
    settings_location: str,
    notes: _CheckNotes,
) -> None:
    own_check: Check | None = None
    for condition in study.people_conditions:
        for name in condition.assistants:
            if name != OWN_ASSISTANT:
                text = f"{name} is an extension of participants' editors, which no command can ask."
                next_step = f"Try it in an editor with {name}, signed in; the one that ./run starts can't have it."
                notes.add(condition.name, CheckState.UNKNOWN, "assistants", text, next_step)
        if OWN_ASSISTANT not in condition.assistants:
            continue
        if own_check is None:
            own_check = await _ask_own_assistant(assistant, settings_location, problems)
        notes.add(condition.name, own_check.state, own_check.about, own_check.text, own_check.next_step)
        forms = [ref for ref in study.problems_of(condition) if problems[ref].kind is not ProblemKind.DESIGN]
        if forms and (condition.assistants == (OWN_ASSISTANT,) and Aid.GENERATED not in (condition.aids or ())):
            text = f"{', '.join(forms)}: answered in a form, in which no completion appears."
            next_step = "Ask problems with files instead, or allow the aid generated."
            notes.add(condition.name, CheckState.FAILS, "assistants", text, next_step)
    for condition in study.conditions:
        if not condition.solver.is_person:
            text = f"{condition.model_or_subject_name} works without a participant, and was not asked."
            next_step = "Rehearse it with `benchwright eval`, on problems that are not the study's."
            notes.add(condition.name, CheckState.UNKNOWN, "model", text, next_step)


async def _ask_own_assistant(
    assistant: Assistant | None, settings_location: str, problems: Mapping[str, Problem]
) -> Check:
    """Asks Benchwright's own completion once, in the starting file of a problem."""
    if assistant is None or not (assistant.enabled and assistant.url):
        state = "There are no settings at" if assistant is None else "benchwright.assistant is off, or has no url, in"
        return Check(
            CheckState.FAILS,
            "assistants",
            f"Benchwright's own completion is not configured. {state} {settings_location}.",
            "Set benchwright.assistant.enabled, url and model in participants' editors, and name such settings by "
            "--settings.",
        )
    file_name, text = next(
        (
            (Path(path).name, text)
            for problem in problems.values()
            for path, text in problem.public.files.items()
            if path.endswith((".v", ".sv")) and "endmodule" in text
        ),
        ("counter.sv", "module counter(input logic clk, output logic [3:0] count);\n\nendmodule\n"),
    )
    offset = text.rindex("endmodule")
    start = time.monotonic()
    try:
        reply = await request_reply_text(assistant, completion_messages(file_name, text, offset), os.environ)
    except AssistantError as error:
        return Check(CheckState.FAILS, "assistants", str(error), f"The settings are in {settings_location}.")
    asked_s = time.monotonic() - start
    if not text_to_insert(reply, text, offset):
        sentence = f"{assistant.model or assistant.url} answers in {asked_s:.1f} s, and offers nothing in {file_name}."
        return Check(CheckState.UNKNOWN, "assistants", sentence, "Try it in an editor, at other places.")
    sentence = f"{assistant.model or assistant.url} answers in {asked_s:.1f} s, and offers text in {file_name}."
    return Check(CheckState.WORKS, "assistants", sentence)


def _condition_rehearsal(
    study: Study, condition: Condition, plan_rows: Sequence[Assignment], notes: _CheckNotes
) -> ConditionRehearsal:
    """A condition with the most that a row of the plan, or a model's part, asks under it."""
    task_groups = [[task.problem for task in row.tasks if task.condition == condition.name] for row in plan_rows]
    if not condition.solver.is_person:
        task_groups = [list(study.problems_of(condition))]
    longest: float | None = 0.0
    for refs in task_groups:
        limits_s = [study.time_limit_s(ref) for ref in refs]
        given_s = [limit_s for limit_s in limits_s if limit_s is not None]
        minutes = sum(given_s) / 60 if len(given_s) == len(limits_s) else None
        longest = None if longest is None or minutes is None else max(longest, minutes)
    most_tasks = max((len(refs) for refs in task_groups), default=0)
    if most_tasks == 0:
        text = "Nobody has a task under it, so it was not played."
        notes.add(condition.name, CheckState.FAILS, "participants", text, "Add participants or problems.")
    return ConditionRehearsal(condition, longest, most_tasks, notes.checks_of_condition(condition.name))
