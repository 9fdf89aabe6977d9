"""Preregistration: rules, plan and analysis in one document with a digest, before there are data."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import JsonValue

from benchwright_attempts.errors import StudyError
from benchwright_attempts.events.file_text import sha256
from benchwright_attempts.log.record import canonical_json, format_wall
from benchwright_attempts.terms import Solver
from benchwright_foundation.distribution import version
from benchwright_studies.conduct.entry import Preregistered
from benchwright_studies.conduct.readiness import balance_sentences
from benchwright_studies.conduct.studies import RegisteredStudy
from benchwright_studies.plan.allocation import (
    ParticipantFile,
    plan_commitment_sha256,
    sealed_participant_file,
    study_json_for_participants,
)
from benchwright_studies.plan.information import participant_information
from benchwright_studies.plan.study import Analysis
from benchwright_studies.plan.vocabulary import Prompts

if TYPE_CHECKING:
    from benchwright_studies.conduct.study_log import StudyLog


def preregister_once(
    log: StudyLog,
    registered_study: RegisteredStudy,
    program_sha256: str,
    *,
    digest_by_prompt_set: Mapping[str, str],
    unlock_codes_at_lab: bool = False,
) -> Preregistered:
    """Freezes a registered study in one document; doing it again returns the same one.

    Args:
        log: The event log of the lab.
        registered_study: The study, registered with its plan.
        program_sha256: Digest of the program that will analyse it.
        digest_by_prompt_set: Digest of each set of prompts, by name.
        unlock_codes_at_lab: True if the lab keeps the codes that open the participants' rows.

    Raises:
        StudyError: The study names no primary outcome, has data already, or was registered with another choice of who
            keeps the codes.
    """
    allocation = "codes at the lab" if unlock_codes_at_lab else "codes in the participants' files"
    if registered_study.preregistered is not None:
        if registered_study.preregistered.document.get("allocation") != allocation:
            raise StudyError(
                f"{registered_study.study.study} was registered with "
                f"{registered_study.preregistered.document.get('allocation')}. "
                "Register it in the same way, with or without --codes-at-lab."
            )
        return registered_study.preregistered
    study = registered_study.study
    if study.analysis is None:
        raise StudyError(
            f"The study {study.study} names no primary outcome. Add `analysis: {{primary: time}}` to its file; "
            "a study that is registered here already needs another id for it."
        )
    if attempt_count := len(log.journal.attempts(study.study)):
        raise StudyError(
            f"{study.study} has {attempt_count} attempts already. A study is preregistered before the first one."
        )
    form, secret = study_json_for_participants(study), secrets.token_hex(32)
    document: dict[str, JsonValue] = {
        "format": "benchwright-preregistration",
        "version": 1,
        "study": study.study,
        "title": study.title,
        "registered": format_wall(log.moment().wall),
        "study_sha256": registered_study.sha256,
        "form_sha256": sha256(form.encode()),
        "plan_commitment": plan_commitment_sha256(registered_study.plan, secret),
        "allocation": allocation,
        "problems": dict(registered_study.digests),
        "sample": _planned_sample_sizes(registered_study),
        "information": [sentence.text for sentence in participant_information(study)],
        "balance": [*balance_sentences(study, registered_study.plan)],
        "prompts": _prompts_by_condition(registered_study, digest_by_prompt_set),
        "subjects": _subjects_by_condition(registered_study),
        "analysis": _planned_analysis(registered_study, study.analysis),
        "exclusions": [rule.model_dump(mode="json", by_alias=True, exclude_none=True) for rule in study.exclusions],
        "code": {"benchwright": version(), "analysis_sha256": program_sha256},
    }
    preregistered_entry = Preregistered(
        digest=sha256(canonical_json(document).encode()), document=document, form=form, secret=secret
    )
    log.journal.append_entry(study.study, "", preregistered_entry)
    return preregistered_entry


def _planned_sample_sizes(registered_study: RegisteredStudy) -> dict[str, JsonValue]:
    """Amount of data that the plan wants."""
    tasks: dict[str, JsonValue] = {}
    for condition in registered_study.study.conditions:
        planned = sum(
            task.condition == condition.name
            for assignment in registered_study.plan.assignments
            for task in assignment.tasks
        )
        sampled = condition.samples * len(registered_study.study.problems_of(condition))
        tasks[condition.name] = planned if condition.solver.is_person else sampled
    return {
        "participants": len(registered_study.study.pseudonyms),
        "problems": len(registered_study.study.problems),
        "attempts_by_condition": tasks,
    }


def _prompts_by_condition(
    registered_study: RegisteredStudy, digest_by_prompt_set: Mapping[str, str]
) -> dict[str, JsonValue]:
    """Prompts of each model, by condition."""
    prompts: dict[str, JsonValue] = {}
    for condition in registered_study.study.conditions:
        if condition.solver is Solver.MODEL:
            prompts_name = condition.prompts or Prompts.BENCHWRIGHT
            prompts[condition.name] = {"name": prompts_name.value, "sha256": digest_by_prompt_set[prompts_name]}
    return prompts


def _subjects_by_condition(registered_study: RegisteredStudy) -> dict[str, JsonValue]:
    """The program that each condition names, and what of it is left open."""
    return {
        condition.name: {
            **condition.subject.model_dump(mode="json", exclude_defaults=True),
            "left_open": [*condition.subject.unfixed_fields],
        }
        for condition in registered_study.study.conditions
        if condition.subject is not None
    }


def _planned_analysis(registered_study: RegisteredStudy, planned_analysis: Analysis) -> dict[str, JsonValue]:
    names = [condition.name for condition in registered_study.study.conditions]
    return {
        **planned_analysis.model_dump(mode="json"),
        "baseline": planned_analysis.baseline or names[0],
        "adjusted_for": ["blind forecast of minutes"] if registered_study.study.forecasts else [],
        "idle_minutes": registered_study.study.idle_minutes,
    }


def participant_files(
    registered_study: RegisteredStudy, preregistered: Preregistered, *, hold_unlock_codes: bool
) -> list[ParticipantFile]:
    """The file for each participant.

    Args:
        registered_study: The study.
        preregistered: Its registration.
        hold_unlock_codes: True if the files open without the lab.
    """
    form, secret = preregistered.form, preregistered.secret
    return [
        sealed_participant_file(
            form,
            registered_study.plan,
            assignment,
            registered_study.digests,
            secret,
            holds_unlock_code=hold_unlock_codes,
        )
        for assignment in registered_study.plan.assignments
    ]


def is_registered_document(preregistered: Preregistered, document: Mapping[str, JsonValue]) -> bool:
    """True if a published document is the one that was registered."""
    return sha256(canonical_json(dict(document)).encode()) == preregistered.digest
