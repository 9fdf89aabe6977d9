"""`benchwright study init`, `validate` and `assign`: a study before it begins."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import JsonValue

from benchwright_attempts.terms import OWN_ASSISTANT
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import counted
from benchwright_problems.problem import Difficulty
from benchwright_problems.storage.store import Store
from benchwright_server.cli.study.log import opened_study_log
from benchwright_server.cli.terminal.options import Json, StudyFilePath
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, explain_unwritable, print_json
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    from benchwright_studies.plan.study_file import StudyFile


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder for the study; created if missing.")],
) -> None:
    """Write a study file to start from, and the schema that lets editors complete it."""
    with exit_on_expected_error(), explain_missing_extra("`benchwright study init`", "baselines"):
        from benchwright_studies.plan.template import study_template

        if folder.suffix in (".yaml", ".yml"):
            raise ServerError(f"{folder} is the name of a file. Give a folder, such as {folder.with_suffix('')}.")
        file = folder / "study.yaml"
        if file.exists():
            raise ServerError(f"{file} exists already. Give another folder.")
        with explain_unwritable(folder):
            assistants = () if _missing_assistant_settings(Home.from_environment()) else (OWN_ASSISTANT,)
            text = study_template(
                str(file), study_id_from_folder_name(folder), secrets.randbelow(2**63), assistants=assistants
            )
            write_study_file(file, text)
        console.print(f"{file} written. Edit it, then: benchwright study validate {file}", soft_wrap=True)


def study_id_from_folder_name(study_folder: Path) -> str:
    """The id of a study in a new folder."""
    name = "".join(letter if letter.isalnum() else "-" for letter in study_folder.resolve().name.lower())
    return name.strip("-").encode("ascii", "ignore").decode()[:64] or "study"


def write_study_file(new_file: Path, text: str) -> None:
    """Write a new study file, and the schema that lets editors complete it.

    Raises:
        OSError: The folder can't be written.
    """
    from benchwright_studies.plan.schema import study_schema_json

    new_file.parent.mkdir(parents=True, exist_ok=True)
    new_file.write_text(text, encoding="utf-8")
    (new_file.parent / "study.schema.json").write_text(study_schema_json(), encoding="utf-8")


def validate(
    file: StudyFilePath,
    elsewhere: Annotated[
        bool,
        typer.Option(
            "--editors-elsewhere", help="Participants have editors of their own, in which their assistants are set up."
        ),
    ] = False,
    json_output: Json = False,
) -> None:
    """Check a study file: its fields, its problems, words of the template, sentences that the rest of it contradicts.

    Refuses a condition whose assistant is not set up in the editor that ./run starts here, or could not appear in it.
    Prints what the plan balances or where the number of participants does not fit, what participants are told of their
    data and tasks, and the digest of the plan.
    """
    with exit_on_expected_error(), explain_missing_extra("`benchwright study validate`", "baselines"):
        from benchwright_studies.conduct.readiness import (
            assistant_requirement_sentences,
            balance_sentences,
            refuse_placeholders,
            refuse_unusable_assistants,
        )
        from benchwright_studies.plan.assignment import draw_plan
        from benchwright_studies.plan.claims import refuse_contradicted_claims
        from benchwright_studies.plan.information import participant_information, plan_digest_sentence
        from benchwright_studies.plan.registration import installed_problems_by_ref
        from benchwright_studies.plan.study_file import StudyFileError, read_study
        from benchwright_subjects.prompts.study_prompts import refuse_uncovered_prompts

        try:
            study_file = read_study(file)
            refuse_uncovered_prompts(Store(Home.from_environment()), study_file)
            refuse_placeholders(study_file)
            refuse_contradicted_claims(study_file)
            home = Home.from_environment()
            unusable_reasons = {} if elsewhere else _reason_by_unusable_assistant(home, study_file)
            refuse_unusable_assistants(study_file, installed_problems_by_ref(Store(home), study_file), unusable_reasons)
            plan = draw_plan(study_file.study, study_file.sha256, difficulty_by_problem_ref(study_file))
        except StudyFileError as error:
            if not json_output:
                raise
            print_json({"ok": False, "flaws": [asdict(flaw) for flaw in error.flaws]})
            raise typer.Exit(2) from error
    study = study_file.study
    balance, remarks = balance_sentences(study, plan), assistant_requirement_sentences(study)
    information = [sentence.text for sentence in participant_information(study)] if study.pseudonyms else []
    if json_output:
        study_facts: dict[str, JsonValue] = {"ok": True, "study": study.study, "sha256": study_file.sha256, "flaws": []}
        sentences: dict[str, JsonValue] = {"balance": [*balance], "information": [*information], "remarks": [*remarks]}
        print_json(study_facts | {"plan_sha256": plan.sha256} | sentences)
        return
    console.print(
        f"{file} is valid: {counted(len(study.problems), 'problem')}, {counted(len(study.conditions), 'condition')}, "
        f"{counted(len(study.pseudonyms), 'participant')}.",
        soft_wrap=True,
    )
    for sentence in (*balance, *remarks):
        console.print(sentence, markup=False, soft_wrap=True)
    if information:
        console.print(f"Participants are told: {' '.join(information)}", markup=False, soft_wrap=True)
    console.print(plan_digest_sentence(plan.sha256), markup=False, soft_wrap=True)


def _reason_by_unusable_assistant(home: Home, study_file: StudyFile) -> dict[str, str]:
    """Assistants of the study → why the editor that ./run starts on this machine can't have them."""
    names = {name for condition in study_file.study.people_conditions for name in condition.assistants}
    elsewhere = "or add --editors-elsewhere, if participants' own editors have it"
    reasons = dict.fromkeys(
        names - {OWN_ASSISTANT},
        f"the editor that ./run starts has no gallery to install it from. Write benchwright, {elsewhere}.",
    )
    missing = _missing_assistant_settings(home)
    if OWN_ASSISTANT in names and missing:
        file = _editor_settings_file(home)
        reasons[OWN_ASSISTANT] = f"it is not set up. Set {', '.join(missing)} in {file}, {elsewhere}."
    return reasons


def _missing_assistant_settings(home: Home) -> list[str]:
    try:
        settings = json.loads(_editor_settings_file(home).read_bytes())
    except (OSError, ValueError):
        settings = {}
    return [
        f"benchwright.assistant.{key}"
        for key in ("enabled", "url", "model")
        if not (isinstance(settings, dict) and settings.get(f"benchwright.assistant.{key}"))
    ]


def _editor_settings_file(home: Home) -> Path:
    return home.state / "editor" / "User" / "settings.json"


def assign_tasks(file: StudyFilePath, json_output: Json = False) -> None:
    """Show each participant's tasks, conditions and order; nothing is recorded yet."""
    with exit_on_expected_error(), explain_missing_extra("`benchwright study assign`", "baselines"):
        from benchwright_studies.plan.assignment import draw_plan
        from benchwright_studies.plan.information import plan_digest_sentence
        from benchwright_studies.plan.study_file import read_study

        study_file = read_study(file)
        plan = draw_plan(study_file.study, study_file.sha256, difficulty_by_problem_ref(study_file))
    if json_output:
        print_json(plan.model_dump(mode="json") | {"sha256": plan.sha256})
        return
    table = TerminalTable("participant", *(str(number + 1) for number in range(len(study_file.study.problems))))
    for assignment in plan.assignments:
        table.add_row(assignment.participant, *(f"{task.problem} {task.condition}" for task in assignment.tasks))
    table.print_rows()
    for condition in study_file.study.conditions:
        if not condition.solver.is_person:
            problems_text = f"{len(condition.problems)} of the problems" if condition.problems else "every problem"
            console.print(
                f"{condition.name}: {condition.model_or_subject_name}, {problems_text}, "
                f"{counted(condition.samples, 'sample')} each"
            )
    console.print(f"Seed {plan.seed}. {plan_digest_sentence(plan.sha256)}", soft_wrap=True)


def register(
    file: StudyFilePath,
    out_folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where the document and the participants' files go.")
    ],
    codes_at_lab: Annotated[
        bool,
        typer.Option(
            "--codes-at-lab",
            help="Leave the codes that open the assignments out of the participants' files; codes.csv has them.",
        ),
    ] = False,
    json_output: Json = False,
) -> None:
    """Preregister a study: freeze its rules, plan and analysis in one document, before the first attempt.

    Also writes a file for each participant, which does not show the plan. Publish registration.json, or its digest.
    """
    with opened_study_log() as log, explain_missing_extra("`benchwright study register`", "baselines"):
        from benchwright_analysis.code_digest import analysis_digest
        from benchwright_studies.conduct.readiness import refuse_placeholders
        from benchwright_studies.plan.allocation import row_unlock_code
        from benchwright_studies.plan.preregistration import participant_files, preregister_once
        from benchwright_studies.plan.registration import register_study
        from benchwright_studies.plan.study_file import read_study
        from benchwright_subjects.prompts.study_prompts import prompt_digests, refuse_uncovered_prompts

        study_file, store = read_study(file), Store(Home.from_environment())
        refuse_uncovered_prompts(store, study_file)
        refuse_placeholders(study_file)
        registered_study = register_study(log, store, study_file)
        registered = preregister_once(
            log,
            registered_study,
            analysis_digest(),
            digest_by_prompt_set=prompt_digests(),
            unlock_codes_at_lab=codes_at_lab,
        )
        study = registered_study.study.study
        files = participant_files(registered_study, registered, hold_unlock_codes=not codes_at_lab)
        with explain_unwritable(out_folder):
            folder = out_folder / "participants"
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            document = json.dumps(registered.document, indent=1, ensure_ascii=False) + "\n"
            write_atomically(out_folder / "registration.json", document.encode())
            for sheet in files:
                write_atomically(
                    folder / f"{sheet.participant}.json",
                    sheet.model_dump_json(indent=1).encode(),
                    0o600,
                )
            if codes_at_lab:
                rows = [
                    f"{sheet.participant},{row_unlock_code(registered.secret, study, sheet.participant)}\n"
                    for sheet in files
                ]
                write_atomically(out_folder / "codes.csv", "".join(["participant,code\n", *rows]).encode(), 0o600)
    if json_output:
        print_json({"study": study, "digest": registered.digest, "participants": len(files)})
        return
    console.print(
        f"The study {study} is registered. {out_folder / 'registration.json'} has the digest:", soft_wrap=True
    )
    console.print(registered.digest)
    if files:
        console.print(
            f"Give each participant their own file of {folder}. Keep {file}: the plan follows from it.", soft_wrap=True
        )


def difficulty_by_problem_ref(study_file: StudyFile) -> dict[str, Difficulty]:
    """The difficulty of each problem, as its pack has it.

    Raises:
        StudyFileError: A problem does not exist.
    """
    from benchwright_studies.plan.registration import installed_problems_by_ref

    return {
        ref: problem.difficulty
        for ref, problem in installed_problems_by_ref(Store(Home.from_environment()), study_file).items()
    }
