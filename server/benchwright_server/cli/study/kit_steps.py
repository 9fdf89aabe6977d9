"""The steps of a study from its file to its report, each as far as the study's folder and the log show it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from pydantic import JsonValue

from benchwright_analysis.report.sections.own_numbers import OwnAttempt, read_own_attempts
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.errors import StudyError
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.registry import open_sandbox, toolchain_for
from benchwright_problems.problem import Difficulty
from benchwright_problems.storage.store import Store
from benchwright_server.cli.study.rehearsal import CheckState, rehearse
from benchwright_server.cli.study.rehearse import assistant_and_settings_file
from benchwright_studies.conduct.monitoring import open_delivered_log_and_studies
from benchwright_studies.conduct.pilot import pilot_id
from benchwright_studies.conduct.readiness import balance_sentences, refuse_placeholders
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.plan.assignment import draw_plan
from benchwright_studies.plan.claims import refuse_contradicted_claims
from benchwright_studies.plan.documents import study_documents
from benchwright_studies.plan.registration import installed_problems_by_ref
from benchwright_studies.plan.study import AT_SERVICE, NOWHERE, Study
from benchwright_studies.plan.study_file import StudyFile, StudyFileError, read_study
from benchwright_studies.plan.vocabulary import ParticipantStep
from benchwright_subjects.prompts.study_prompts import refuse_uncovered_prompts

if TYPE_CHECKING:
    from benchwright_studies.conduct.study_log import StudyLog

PILOTS = 2
_REPORTED_FIELDS = ("population", "recruitment", "pay", "ethics")


class StepState(StrEnum):
    """How far a step is."""

    DONE = "done"
    OPEN = "open"
    """It can be taken."""
    WRONG = "wrong"
    """It stops all that follows."""
    LATER = "later"
    """Something before it comes first."""


@dataclass(frozen=True, slots=True)
class KitStep:
    """A step, and what comes next in it."""

    name: str
    state: StepState
    text: str
    """The result so far."""
    next_steps: Sequence[str] = ()
    """Commands, and what else is to be done."""

    def as_json(self) -> dict[str, JsonValue]:
        """For programs."""
        return {"step": self.name, "state": self.state.value, "text": self.text, "next": list(self.next_steps)}


@dataclass(frozen=True, slots=True)
class RehearsalOptions:
    """What a rehearsal is played with."""

    settings_file: Path | None
    sandbox: str


def take_due_steps(home: Home, log: StudyLog, study_folder: Path, rehearsal_options: RehearsalOptions) -> list[KitStep]:
    """Takes each step that is due and needs nobody, and says how far all are.

    Raises:
        OSError: The folder can't be written.
    """
    file = study_folder / "study.yaml"
    try:
        study_file = _read_and_check_study(home, file)
    except StudyFileError as error:
        advice = ("Edit the file, then run this command again.", "Every field: docs/reference/study-file.md")
        wrong = KitStep("study file", StepState.WRONG, str(error), advice)
        return [wrong, *(KitStep(name, StepState.LATER, "") for name in _LATER_STEPS)]
    study = study_file.study
    plan = draw_plan(study, study_file.sha256, _difficulty_by_problem_ref(home, study_file))
    checked = KitStep("study file", StepState.DONE, " ".join([f"{file} is valid.", *balance_sentences(study, plan)]))
    early_steps = [
        checked,
        _take_documents_step(study_folder, study),
        _take_rehearsal_step(home, study_folder, study_file, rehearsal_options),
    ]
    return [
        *early_steps,
        _take_pilot_step(home, log, study_folder, study),
        _registration_step(log, study_folder, study),
        *_steps_after_registration(log, study_folder, study),
    ]


_LATER_STEPS = ("documents", "rehearsal", "pilot", "registration", "participants", "closing", "report")


def _read_and_check_study(home: Home, study_path: Path) -> StudyFile:
    study_file = read_study(study_path)
    refuse_uncovered_prompts(Store(home), study_file)
    refuse_placeholders(study_file)
    refuse_contradicted_claims(study_file)
    installed_problems_by_ref(Store(home), study_file)
    return study_file


def _difficulty_by_problem_ref(home: Home, study_file: StudyFile) -> dict[str, Difficulty]:
    problems = installed_problems_by_ref(Store(home), study_file)
    return {ref: problem.difficulty for ref, problem in problems.items()}


def _write_if_changed(file: Path, text: str) -> None:
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, text.encode())


def _take_documents_step(study_folder: Path, study: Study) -> KitStep:
    documents = study_documents(study)
    for name, text in documents.items():
        _write_if_changed(study_folder / "documents" / name, text)
    written = f"{', '.join(documents)} in {study_folder / 'documents'} follow from the file."
    empty_fields = [field for field in _REPORTED_FIELDS if getattr(study, field) is None]
    if not empty_fields:
        return KitStep("documents", StepState.DONE, written)
    return KitStep(
        "documents",
        StepState.OPEN,
        f"{written} Not in the file: {', '.join(empty_fields)}.",
        [
            f"Fill in {', '.join(empty_fields)} in {study_folder / 'study.yaml'}: participants and readers ask for "
            "them. The study works without.",
            f"Read {study_folder / 'documents'}, and show consent.md to your ethics board.",
        ],
    )


# Rehearsal


def _take_rehearsal_step(
    home: Home, study_folder: Path, study_file: StudyFile, rehearsal_options: RehearsalOptions
) -> KitStep:
    record_file = study_folder / "rehearsal.json"
    record = json.loads(record_file.read_text(encoding="utf-8")) if record_file.is_file() else {}
    if record.get("study_sha256") != study_file.sha256 or not record.get("ok"):
        record = _rehearse_and_make_record(home, study_file, rehearsal_options)
        write_atomically(record_file, (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode())
    failures = [str(failure) for failure in record["failures"]]
    unchecked = record["unchecked"] or "nothing"
    text = f"{record['rows']} different rows of the plan were played; can't be checked here: {unchecked}."
    if failures:
        command = f"benchwright study rehearse {study_file.path}"
        return KitStep("rehearsal", StepState.WRONG, f"{text} {len(failures)} will not work.", [*failures, command])
    return KitStep("rehearsal", StepState.DONE, f"{text} Nothing was seen that will not work.")


def _rehearse_and_make_record(
    home: Home, study_file: StudyFile, rehearsal_options: RehearsalOptions
) -> dict[str, JsonValue]:
    assistant, settings_file = assistant_and_settings_file(home, rehearsal_options.settings_file)
    box, toolchain = open_sandbox(rehearsal_options.sandbox), toolchain_for(rehearsal_options.sandbox, home.cache)
    rehearsal = asyncio.run(rehearse(home, study_file, box, toolchain, assistant, str(settings_file)))
    checks = [*rehearsal.checks, *(check for part in rehearsal.condition_rehearsals for check in part.checks)]
    return {
        "study_sha256": study_file.sha256,
        "ok": rehearsal.ok,
        "rows": rehearsal.rows_played,
        "unchecked": sum(check.state is CheckState.UNKNOWN for check in checks),
        "failures": [
            " ".join(filter(None, (f"{check.about}: {check.text}", check.next_step)))
            for check in checks
            if check.state is CheckState.FAILS
        ],
    }


# Pilot


def pilot_study_yaml(study: Study) -> str:
    """The file of a study's pilot: the same for two people, whose records are never part of the study."""
    fields = study.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={"analysis", "recruitment"})
    names = [condition.name for condition in study.people_conditions]
    fields |= {
        "study": pilot_id(study.study),
        "title": f"{study.title} (pilot)",
        "participants": PILOTS,
        "conditions": [condition for condition in fields["conditions"] if condition["name"] in names],
    }
    fields["randomisation"]["seed"] = ((study.randomisation.seed or 0) + 1) % 2**63
    if study.data.to not in (NOWHERE, AT_SERVICE) and not study.data.to.startswith("postgresql:"):
        fields["data"]["to"] = f"{study.data.to}-pilot"
    return "# Written by `benchwright study kit` from the study's file.\n" + yaml.safe_dump(
        fields, sort_keys=False, allow_unicode=True
    )


def _take_pilot_step(home: Home, log: StudyLog, study_folder: Path, study: Study) -> KitStep:
    if not study.people_conditions:
        return KitStep("pilot", StepState.DONE, "No people take part.")
    file, pilot = study_folder / "pilot" / "study.yaml", pilot_id(study.study)
    if pilot not in log.journal.studies():
        _write_if_changed(file, pilot_study_yaml(study))
    pilot_study = read_study(file).study
    with _delivered_or_own_log(log, pilot_study) as pilot_log:
        participant_steps = _step_by_begun_participant(pilot_log, pilot_study)
        finished = [name for name, step in participant_steps.items() if step is ParticipantStep.FINISHED]
        store = Store(home)
        pilot_attempts = [attempt for name in finished for attempt in read_own_attempts(pilot_log, store, pilot, name)]
    if len(finished) >= PILOTS:
        return KitStep(
            "pilot",
            StepState.DONE,
            " ".join([f"{len(finished)} people finished.", *_pilot_time_phrases(study, pilot_attempts)]),
        )
    commands = _enrolment_commands(file, pilot_study, finished)
    text = f"{len(finished)} of {PILOTS} people finished. Colleagues who know nothing of the problems are best."
    return KitStep("pilot", StepState.OPEN, text, [*commands, "Without a pilot, the checklist says so."])


def _pilot_time_phrases(study: Study, pilot_attempts: Sequence[OwnAttempt]) -> Iterator[str]:
    for task in study.problems:
        tried = [attempt for attempt in pilot_attempts if attempt.problem == task.problem]
        times = ", ".join(
            f"{attempt.active_min:.0f} minutes ({'solved' if attempt.first_pass_min is not None else 'not solved'})"
            for attempt in tried
            if attempt.active_min is not None
        )
        limit_s = study.time_limit_s(task.problem)
        limit = "no limit" if limit_s is None else f"limit {limit_s / 60:g}"
        yield f"{task.problem}: {times or 'no time'}, {limit}."


# From the registration to the report


def _enrolment_commands(pilot_file: Path, pilot_study: Study, finished_participants: Collection[str]) -> list[str]:
    """The steps to a pilot's next participant, or to all of them at a service."""
    if pilot_study.data.to == AT_SERVICE:
        return [
            f"benchwright lab open {pilot_file}",
            f"benchwright course invite {pilot_study.study} --uses {len(pilot_study.pseudonyms)}",
            "export BENCHWRIGHT_LOG=$(benchwright lab log)",
        ]
    next_name = next(name for name in pilot_study.pseudonyms if name not in finished_participants)
    return [
        f"benchwright study run {pilot_file} --participant {next_name}",
        f"Then {next_name} takes part in the editor of this machine (`./run` starts it). Then run this again.",
    ]


def _registration_step(log: StudyLog, study_folder: Path, study: Study) -> KitStep:
    file = study_folder / "study.yaml"
    registered = Studies(log, Attempts(log)).study(study.study) if study.study in log.journal.studies() else None
    if registered is None or registered.preregistered is None:
        if study.data.to == AT_SERVICE:
            commands = [f"benchwright lab open {file}", "export BENCHWRIGHT_LOG=$(benchwright lab log)"]
        else:
            commands = [f"benchwright study register {file} --out {study_folder / 'registered'}"]
        commands.append(f"Whether {len(study.pseudonyms)} people are enough: benchwright study size {file}")
        text = "Not preregistered: the file can still be changed."
        return KitStep("registration", StepState.OPEN, text, commands)
    digest = registered.preregistered.digest
    if registered.sha256 != read_study(file).sha256:
        text = f"{file} is not the file that was registered ({digest[:16]}…). Restore it."
        return KitStep("registration", StepState.WRONG, text, [f"Restore {file}: its rules are fixed."])
    return KitStep("registration", StepState.DONE, f"Publish the digest {digest}.")


def _step_by_begun_participant(log: StudyLog, study: Study) -> dict[str, ParticipantStep]:
    """The next step of each participant who has begun."""
    if study.study not in log.journal.studies():
        return {}
    studies = Studies(log, Attempts(log))
    registered = studies.study(study.study)
    return {
        name: studies.progress_in_registered(registered, name).step for name in log.journal.participants(study.study)
    }


@contextmanager
def _delivered_or_own_log(own_log: StudyLog, study: Study) -> Iterator[StudyLog]:
    """The log that has what participants' machines have delivered, or else this machine's."""
    if study.data.to in (NOWHERE, AT_SERVICE) or _step_by_begun_participant(own_log, study):
        yield own_log
        return
    try:
        with open_delivered_log_and_studies(study.data.to) as (delivered_log, _):
            yield delivered_log
    except StudyError:
        yield own_log


def _steps_after_registration(log: StudyLog, study_folder: Path, study: Study) -> Iterator[KitStep]:
    closed = study.study in log.journal.studies() and Studies(log, Attempts(log)).study(study.study).closed is not None
    is_hosted = study.data.to == AT_SERVICE
    if closed:
        yield KitStep("participants", StepState.DONE, "The study is closed.")
        yield KitStep("closing", StepState.DONE, "Publish the digest that `benchwright study status` shows.")
    else:
        with _delivered_or_own_log(log, study) as people_log:
            steps = _step_by_begun_participant(people_log, study).values()
        ended = sum(step in (ParticipantStep.FINISHED, ParticipantStep.WITHDRAWN) for step in steps)
        count = len(study.pseudonyms)
        text = f"{len(steps)} of {count} people have begun, {ended} have finished or withdrawn."
        can_begin = steps or study.study in log.journal.studies()
        state = StepState.DONE if ended == count else StepState.OPEN if can_begin else StepState.LATER
        yield KitStep("participants", state, text, _participation_commands(study_folder, study))
        group = "lab" if is_hosted else "study"
        collects = study.data.to not in (NOWHERE, AT_SERVICE)
        commands = [*([f"benchwright study collect {study.data.to}"] if collects else [])]
        commands.append(f"benchwright {group} close {study.study}")
        yield KitStep("closing", StepState.OPEN if state is StepState.DONE else StepState.LATER, "", commands)
    report, checklist = study_folder / "report" / "report.html", study_folder / "checklist.md"
    commands = [
        f"benchwright report --study {study.study} --out {report.parent}",
        f"benchwright study checklist {study.study} --out {checklist}",
        f"benchwright study package {study.study} --out {study_folder / 'package'}",
    ]
    if report.exists():
        yield KitStep("report", StepState.DONE, f"{report} is written.", commands)
    else:
        yield KitStep("report", StepState.OPEN if closed else StepState.LATER, "", commands)


def _participation_commands(study_folder: Path, study: Study) -> list[str]:
    if study.data.to == AT_SERVICE:
        count = len(study.pseudonyms)
        return [
            f"benchwright course invite {study.study} --uses {count}",
            f"Monitor: benchwright lab status {study.study}",
        ]
    stays = study.data.to == NOWHERE
    monitor = "status " + study.study if stays else f"progress {study.data.to}"
    bringing = [
        f"Once P01 has finished, there: benchwright study export {study.study} P01-records --participant P01",
        "Here, with the folder that was copied: benchwright study collect P01-records",
    ]
    return [
        f"Give each participant their file of {study_folder / 'registered' / 'participants'}. On the machine of P01:",
        "benchwright study run P01.json",
        *(bringing if stays else ()),
        f"Monitor: benchwright study {monitor}",
    ]
