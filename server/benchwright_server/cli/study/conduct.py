"""`benchwright study run`, `status` and `close`: a study while people and models work on it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import JsonValue

from benchwright_attempts.log.record import format_wall
from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import counted
from benchwright_problems.storage.store import Store
from benchwright_server.cli.study.log import opened_study_log, retry_deliveries_and_list_waiting
from benchwright_server.cli.terminal.options import Json, StudyFilePath, StudyId
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    from benchwright_studies.conduct.closing import SealCheck
    from benchwright_studies.conduct.delivery import Delivery
    from benchwright_studies.conduct.monitoring import StudyProgress
    from benchwright_studies.conduct.progress import ParticipantProgress
    from benchwright_studies.conduct.studies import Studies
    from benchwright_studies.conduct.study_log import StudyLog
    from benchwright_studies.plan.model_condition import ModelCondition


def _studies_in_log(log: StudyLog) -> Studies:
    from benchwright_attempts.attempts import Attempts
    from benchwright_studies.conduct.studies import Studies

    return Studies(log, Attempts(log))


def run(
    file: StudyFilePath,
    participant: Annotated[
        str | None, typer.Option(help="Who works on this machine; if not given, the study is only registered here.")
    ] = None,
    json_output: Json = False,
) -> None:
    """Register a study on this machine, and let a participant begin.

    FILE is a study file, or the file for one participant that `benchwright study register` wrote. The study is then
    offered in the editor, and asks for consent before it records anything. From here on its rules
    and its plan are fixed.
    """
    with opened_study_log() as log, explain_missing_extra("`benchwright study run`", "baselines"):
        from benchwright_server.attempts.participation import Participation
        from benchwright_studies.conduct.readiness import refuse_placeholders
        from benchwright_studies.plan.allocation import read_participant_file
        from benchwright_studies.plan.information import plan_digest_sentence
        from benchwright_studies.plan.registration import join_study, register_study
        from benchwright_studies.plan.study_file import read_study
        from benchwright_subjects.prompts.study_prompts import refuse_uncovered_prompts

        retry_deliveries_and_list_waiting(log)
        if file.suffix == ".json":
            participant_file = read_participant_file(file)
            if participant not in (None, participant_file.participant):
                raise ServerError(
                    f"{file} is for {participant_file.participant}, not for {participant}. Leave out --participant."
                )
            participant = participant_file.participant
            registered_study = join_study(log, Store(Home.from_environment()), participant_file)
        else:
            study_file, store = read_study(file), Store(Home.from_environment())
            refuse_uncovered_prompts(store, study_file)
            refuse_placeholders(study_file)
            registered_study = register_study(log, store, study_file)
            if participant is not None:
                _studies_in_log(log).enroll(registered_study.study.study, participant)
        study = registered_study.study.study
        if participant is not None:
            Participation(Home.from_environment()).add_study(study, participant)
    commitment = registered_study.sealed_plan
    plan_sha256 = "" if commitment else registered_study.plan.sha256
    if json_output:
        plan_names: dict[str, JsonValue] = {"plan_sha256": plan_sha256 or None, "plan_commitment": commitment or None}
        print_json({"study": study, "sha256": registered_study.sha256} | plan_names)
        return
    console.print(f"The study {study} is registered. {plan_digest_sentence(plan_sha256, commitment)}", soft_wrap=True)
    if participant is not None:
        console.print(
            f"{participant} can begin: the study is at the top of the Problem List in the editor.", soft_wrap=True
        )
    if any(not condition.solver.is_person for condition in registered_study.study.conditions):
        console.print(f"For its models and agents: benchwright eval --study {study}", soft_wrap=True)


@dataclass(frozen=True)
class _StudyStatus:
    """Progress of a study."""

    study: str
    pseudonyms: tuple[str, ...]
    progress_by_participant: Mapping[str, ParticipantProgress]
    """Of the participants who have begun."""
    deleted_participants: tuple[str, ...]
    machine_conditions_and_ended_counts: tuple[tuple[ModelCondition, int], ...]
    """Each condition for models or agents, and how many of its attempts have ended."""
    pending_deliveries: Mapping[str, Delivery]
    """Records that could not be delivered yet, by participant."""
    seal: SealCheck | None
    """Of a closed study."""
    people_progress: StudyProgress
    """By condition, and when each participant was last heard of."""

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "study": self.study,
            "closed": self.seal is not None,
            "digest": self.seal.digest if self.seal else None,
            "flaws": list(self.seal.flaws) if self.seal else [],
            "participants": {
                pseudonym: {"step": walk.step.value, "done": walk.done, "total": walk.total}
                for pseudonym, walk in self.progress_by_participant.items()
            },
            "conditions": {name: asdict(condition) for name, condition in self.people_progress.conditions.items()},
            "machines": {
                model_part.condition.name: {
                    "model": model_part.condition.model,
                    "done": done_count,
                    "total": model_part.attempt_count,
                }
                for model_part, done_count in self.machine_conditions_and_ended_counts
            },
            "not_handed_in": {
                pseudonym: delivery.model_dump(mode="json", exclude={"study", "participant"})
                for pseudonym, delivery in self.pending_deliveries.items()
            },
            "not_begun": [
                pseudonym
                for pseudonym in self.pseudonyms
                if pseudonym not in self.progress_by_participant and pseudonym not in self.deleted_participants
            ],
            "deleted": list(self.deleted_participants),
        }

    def print(self) -> None:
        table = TerminalTable("participant", "next", "done", "records")
        for pseudonym in self.pseudonyms:
            walk = self.progress_by_participant.get(pseudonym)
            step = (
                walk.step.value.replace("_", " ")
                if walk
                else ("deleted" if pseudonym in self.deleted_participants else "not begun")
            )
            records = (
                f"not delivered yet, {self.pending_deliveries[pseudonym].tries} attempts"
                if pseudonym in self.pending_deliveries
                else ""
            )
            table.add_row(pseudonym, step, f"{walk.done}/{walk.total}" if walk else "", records)
        table.print_rows()
        _print_progress_by_condition(self.people_progress)
        for model_part, done_count in self.machine_conditions_and_ended_counts:
            console.print(
                f"{model_part.condition.name}: {model_part.condition.model}, {done_count} of "
                f"{counted(model_part.attempt_count, 'attempt')}"
            )
        if self.seal is not None:
            console.print(f"Closed. Digest {self.seal.digest}", soft_wrap=True)
            for flaw in self.seal.flaws:
                err.print(flaw, markup=False, soft_wrap=True)


def status(study: StudyId, json_output: Json = False) -> None:
    """Show the progress of every participant; of a closed study, also whether its records are unchanged.

    Exit status: 0, or 1 if the records of a closed study were changed.
    """
    with opened_study_log() as log, explain_missing_extra("`benchwright study status`", "baselines"):
        study_status = _study_status_after_delivery(log, study)
    if json_output:
        print_json(study_status.as_json())
    else:
        study_status.print()
    raise typer.Exit(0 if study_status.seal is None or study_status.seal.ok else 1)


def _study_status_after_delivery(log: StudyLog, study_id: str) -> _StudyStatus:
    from benchwright_studies.conduct.closing import check_seal
    from benchwright_studies.conduct.monitoring import delivered_progress
    from benchwright_studies.plan.model_condition import model_conditions

    pending_deliveries = {
        delivery.participant: delivery
        for delivery in retry_deliveries_and_list_waiting(log)
        if delivery.study == study_id
    }
    studies = _studies_in_log(log)
    registered_study = studies.study(study_id)
    begun_participants = log.journal.participants(study_id)
    stones = [stone.id for stone in log.journal.tombstones(study_id) if stone.kind == "participant"]
    return _StudyStatus(
        study=study_id,
        pseudonyms=tuple(registered_study.study.pseudonyms),
        progress_by_participant={
            pseudonym: studies.progress(study_id, pseudonym)
            for pseudonym in registered_study.study.pseudonyms
            if pseudonym in begun_participants
        },
        deleted_participants=tuple(stone.partition("/")[2] for stone in stones),
        machine_conditions_and_ended_counts=tuple(
            (part, len(part.problems_and_verdicts_of_ended(log))) for part in model_conditions(log, study_id)
        ),
        pending_deliveries=pending_deliveries,
        seal=check_seal(log, study_id) if registered_study.closed is not None else None,
        people_progress=delivered_progress(log, study_id),
    )


def _print_progress_by_condition(study_progress: StudyProgress) -> None:
    columns = ("condition", "drawn", "not opened", "under way", "finished", "dropped out")
    table = TerminalTable(*columns)
    for name, condition_progress in study_progress.conditions.items():
        table.add_row(name, *map(str, astuple(condition_progress)))
    if study_progress.conditions:
        table.print_rows()


def progress(
    source: Annotated[str, typer.Argument(metavar="PLACE", help="A folder or postgresql:// address: `data.to`.")],
    json_output: Json = False,
) -> None:
    """Show how far a study is, from what participants' machines have delivered so far. Nothing is imported."""
    with exit_on_expected_error(), explain_missing_extra("`benchwright study progress`", "baselines"):
        from benchwright_studies.conduct.monitoring import delivered_progress, open_delivered_log_and_studies

        with open_delivered_log_and_studies(source) as (log, studies):
            studies_progress = [delivered_progress(log, study) for study in studies]
    if json_output:
        print_json(
            [
                {
                    "study": study_state.study,
                    "conditions": {name: asdict(condition) for name, condition in study_state.conditions.items()},
                    "participants": {
                        name: asdict(participant) | {"last_record": format_wall(participant.last_record)}
                        for name, participant in study_state.participants.items()
                    },
                }
                for study_state in studies_progress
            ]
        )
        return
    for study_state in studies_progress:
        count = len(study_state.participants)
        delivered_by = "1 participant has" if count == 1 else f"{count} participants have"
        console.print(f"{study_state.study}: {delivered_by} delivered.", markup=False)
        _print_progress_by_condition(study_state)
        table = TerminalTable("participant", "assignment", "last record (UTC)")
        for name, participant in study_state.participants.items():
            assignment_text = "drawn" if participant.has_drawn else "not drawn yet"
            withdrawal_note = ", withdrew" + (" and asks for deletion" if participant.asks_for_deletion else "")
            state = assignment_text + (withdrawal_note if participant.has_withdrawn else "")
            table.add_row(name, state, participant.last_record.strftime("%Y-%m-%d %H:%M"))
        table.print_rows()


def close(
    study: StudyId,
    force: Annotated[
        bool, typer.Option("--force", help="End attempts that are in progress; close the study even without attempts.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Close without asking.")] = False,
    json_output: Json = False,
) -> None:
    """End a study: freeze its data and rules under one digest. Asks first, since nothing can be added afterwards.

    Without a terminal to ask in, a study that some participants have not finished is closed by --yes or --force only.
    """
    with opened_study_log() as log, explain_missing_extra("`benchwright study close`", "baselines"):
        from benchwright_studies.conduct.closing import close_study

        retry_deliveries_and_list_waiting(log)
        if not (yes or force):
            _confirm_closing(study, _unfinished_in_words(log, study))
        closed = close_study(log, study, end_open_attempts=force)
    sealed_attempts = closed.seal["attempts"]
    count = len(sealed_attempts) if isinstance(sealed_attempts, dict) else 0
    if json_output:
        print_json({"study": study, "digest": closed.digest, "attempts": count})
        return
    console.print(f"The study {study} is closed with {counted(count, 'attempt')}. Publish its digest with it:")
    console.print(closed.digest)


def _unfinished_in_words(log: StudyLog, study_id: str) -> list[str]:
    """The participants whose part is not over, each with how far it is; none if the study was closed before."""
    from benchwright_studies.plan.vocabulary import ParticipantStep

    studies = _studies_in_log(log)
    registered_study = studies.study(study_id)
    if registered_study.closed is not None:
        return []
    begun_participants = log.journal.participants(study_id)
    unfinished = []
    for pseudonym in registered_study.study.pseudonyms:
        if pseudonym not in begun_participants:
            unfinished.append(f"{pseudonym} has not begun")
        elif (walk := studies.progress(study_id, pseudonym)).step not in (
            ParticipantStep.FINISHED,
            ParticipantStep.WITHDRAWN,
        ):
            unfinished.append(f"{pseudonym} has done {walk.done} of {walk.total} tasks")
    return unfinished


def _confirm_closing(study_id: str, unfinished_in_words: list[str]) -> None:
    unfinished_text = "; ".join(unfinished_in_words[:5]) + (
        f"; {len(unfinished_in_words) - 5} more" if len(unfinished_in_words) > 5 else ""
    )
    if sys.stdin.isatty():
        if unfinished_in_words:
            err.print(
                f"{counted(len(unfinished_in_words), 'participant has', 'participants have')} not finished: "
                f"{unfinished_text}.",
                markup=False,
                soft_wrap=True,
            )
        typer.confirm(f"Close {study_id}? Nothing can be added to it or changed afterwards", abort=True, err=True)
    elif unfinished_in_words:
        verb = "has" if len(unfinished_in_words) == 1 else "have"
        raise ServerError(
            f"{counted(len(unfinished_in_words), 'participant')} of {study_id} {verb} not finished: "
            f"{unfinished_text}. "
            "Give --yes to close it anyway."
        )
