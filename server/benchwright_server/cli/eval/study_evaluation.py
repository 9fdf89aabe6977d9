"""`benchwright eval --study`: the part of a study's plan that models and agents carry out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from pydantic import JsonValue

from benchwright_attempts import configured_log_location
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_server.cli.terminal.exit_status import INTERRUPTED
from benchwright_server.cli.terminal.output import console, err, print_json
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError
from benchwright_studies import open_log

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspect_ai.log import EvalLog

    from benchwright_attempts.summary.summary import AttemptVerdict
    from benchwright_studies.conduct.study_log import StudyLog
    from benchwright_studies.plan.condition import Condition
    from benchwright_studies.plan.model_condition import ModelCondition
    from benchwright_subjects.evaluation.evaluation import EvaluationRun

_AGENT = "agent"
_OF_AGENTS = ("command", "place", "subject", "acp", "refuse")
_OUTCOMES = ("passed", "failed", "undecided")


@dataclass(frozen=True)
class PlannedPart:
    """The part of a study's plan to carry out."""

    study_file_or_id: str
    """A study file, or the id of a study on this machine."""
    conditions: Sequence[str]
    """Only these; all for models and agents if empty."""
    model: str
    """Only conditions of this model; any model if empty."""


def evaluate_study(
    planned: PlannedPart,
    base_run: EvaluationRun,
    run_and_keep_log: Callable[[EvaluationRun], EvalLog],
    play_inline: Callable[[ModelCondition], object],
    *,
    json_output: bool,
) -> None:
    """Ask models, agents and inline-completion servers what is still missing of a study's plan.

    Exit status: as of `benchwright eval`.

    Args:
        planned: The part of the plan.
        base_run: Folder for logs, and everything that the plan does not decide.
        run_and_keep_log: Runs a task and keeps its log.
        play_inline: Has the inline-completion server of a condition carry out its part.
        json_output: True to print one JSON value.
    """
    from benchwright_subjects.evaluation.evaluation import summary_of_run

    study, condition_parts, missing = _study_id_parts_and_missing_refs(planned)
    run_summaries: list[Mapping[str, JsonValue]] = []
    for condition_part in condition_parts:
        if condition_part.condition.is_inline:
            if missing[condition_part.condition.name]:
                play_inline(condition_part)
            continue
        for part_run in one_run_per_pack(condition_part, missing[condition_part.condition.name], base_run):
            log = run_and_keep_log(part_run)
            run_summaries.append({"condition": condition_part.condition.name} | summary_of_run(log))
            if log.status == "cancelled":
                err.print(f"Interrupted. Continue with: benchwright eval --study {study}", markup=False, soft_wrap=True)
                raise typer.Exit(INTERRUPTED)
    progress = progress_of_conditions(condition_parts)
    if json_output:
        print_json({"study": study, "conditions": progress, "runs": [dict(row) for row in run_summaries]})
    else:
        print_progress_and_logs(progress, run_summaries)
        if not run_summaries:
            console.print("Nothing was missing: these are the outcomes of earlier runs.")
    if any(row["done"] != row["total"] for row in progress.values()) or any(row["error"] for row in run_summaries):
        for row in run_summaries:
            if row["error"] and row["why"]:
                err.print(str(row["why"]), markup=False, soft_wrap=True)
        err.print(f"To ask for what is missing: benchwright eval --study {study}", markup=False, soft_wrap=True)
        raise typer.Exit(1)
    raise typer.Exit(0)


def one_run_per_pack(
    condition_part: ModelCondition, problem_refs: Sequence[str], base_run: EvaluationRun
) -> list[EvaluationRun]:
    """The runs that ask some of a study's problems, one for each pack.

    Args:
        condition_part: The condition and its share of the plan.
        problem_refs: As `pack/id`.
        base_run: Everything that the plan does not decide.
    """
    packs: dict[str, list[JsonValue]] = {}
    for ref in problem_refs:
        pack, _, name = ref.partition("/")
        packs.setdefault(pack, []).append(name)
    condition, study = condition_part.condition, condition_part.registered_study.study
    is_agent = condition.solver == _AGENT
    subject = _registered_program_arguments(condition, base_run)
    return [
        replace(
            base_run,
            task="agent" if is_agent else "answer",
            arguments={
                **{name: value for name, value in base_run.arguments.items() if is_agent or name not in _OF_AGENTS},
                **subject,
                "pack": pack,
                "problems": names,
                "seed": study.randomisation.seed,
                "study": study.study,
                "condition": condition.name,
                **({"prompts": condition.prompts.value} if condition.prompts is not None else {}),
            },
            model=condition.model,
            samples_per_problem=condition.samples,
        )
        for pack, names in packs.items()
    ]


def _registered_program_arguments(condition: Condition, base_run: EvaluationRun) -> dict[str, JsonValue]:
    """The arguments that start the program which a condition registers; none if it registers none.

    Raises:
        ServerError: Another one was given.
    """
    subject = condition.subject
    if subject is None:
        return {}
    arguments: dict[str, JsonValue] = {"command": subject.command} if subject.command else {"subject": subject.name}
    if differing_names := [
        name
        for name in ("command", "subject")
        if base_run.arguments.get(name, arguments.get(name)) != arguments.get(name)
    ]:
        option = {"command": "--agent-command", "subject": "--subject"}[differing_names[0]]
        raise ServerError(
            f"The study registers {subject.title} for the condition {condition.name}. Leave out {option}."
        )
    return arguments | {"acp": subject.acp, "refuse": ",".join(subject.refuses)}


def _study_id_parts_and_missing_refs(planned: PlannedPart) -> tuple[str, list[ModelCondition], dict[str, list[str]]]:
    from benchwright_studies.plan.model_condition import model_condition, model_conditions, no_model_condition_error

    home = Home.from_environment()
    store = Store(home)
    log = open_log(configured_log_location(home))
    try:
        study = register_study_if_file(log, store, planned.study_file_or_id)
        condition_parts = [model_condition(log, study, name) for name in planned.conditions] or model_conditions(
            log, study
        )
        if not condition_parts:
            raise no_model_condition_error(study)
        chosen_parts = [part for part in condition_parts if not planned.model or part.condition.model == planned.model]
        if not chosen_parts:
            condition_parts[0].refuse_other_model(planned.model)
        for condition_part in chosen_parts:
            condition_part.refuse_if_closed()
            condition_part.refuse_changed_problems(
                {ref: store.problem(ref).public_digest for ref in condition_part.problems}
            )
        return study, chosen_parts, {part.condition.name: part.problems_lacking_samples(log) for part in chosen_parts}
    finally:
        log.close()


def register_study_if_file(log: StudyLog, store: Store, file_or_id: str) -> str:
    """The id of a study: of a study file's, which is registered.

    Raises:
        ServerError: The study file does not exist.
    """
    from benchwright_studies.plan.registration import register_study
    from benchwright_studies.plan.study_file import read_study
    from benchwright_subjects.prompts.study_prompts import refuse_uncovered_prompts

    if (file := Path(file_or_id)).is_file():
        study_file = read_study(file)
        refuse_uncovered_prompts(store, study_file)
        return register_study(log, store, study_file).study.study
    if file.suffix in (".yaml", ".yml"):
        raise ServerError(f"There is no study file {file}.")
    return file_or_id


def progress_of_conditions(condition_parts: Sequence[ModelCondition]) -> dict[str, dict[str, JsonValue]]:
    """The progress of each condition, with the outcomes."""
    log = open_log(configured_log_location(Home.from_environment()))
    try:
        ended_parts = {
            part.condition.name: (part, part.problems_and_verdicts_of_ended(log)) for part in condition_parts
        }
        return {
            name: {
                "model": condition_part.solver,
                "done": len(ended_attempts),
                "total": condition_part.attempt_count,
                **_counts_by_outcome([verdict for _, verdict in ended_attempts]),
            }
            for name, (condition_part, ended_attempts) in ended_parts.items()
        }
    finally:
        log.close()


def _counts_by_outcome(attempt_verdicts: Sequence[AttemptVerdict | None]) -> dict[str, JsonValue]:
    """The number of attempts of each outcome, of this run and of earlier ones."""
    counts = Counter(Outcome.ERROR if verdict is None else verdict.outcome for verdict in attempt_verdicts)
    return dict(
        zip(_OUTCOMES, (counts[outcome] for outcome in (Outcome.PASSED, Outcome.FAILED, Outcome.ERROR)), strict=True)
    )


def print_progress_and_logs(
    progress_by_condition: Mapping[str, Mapping[str, JsonValue]], run_summaries: Sequence[Mapping[str, JsonValue]]
) -> None:
    """Print it, and the logs of this run."""
    table = TerminalTable("condition", "model", "attempts", "planned", *_OUTCOMES)
    for name, condition in progress_by_condition.items():
        table.add_row(name, *(str(condition[key]) for key in ("model", "done", "total", *_OUTCOMES)))
    table.print_rows()
    for fact in run_summaries:
        console.print(f"Log: {fact['log']}", markup=False, soft_wrap=True)
