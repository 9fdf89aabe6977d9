"""`benchwright completion study`: inline-completion servers that work alone under conditions of a study."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_attempts import configured_log_location
from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX
from benchwright_problems.storage.store import Store
from benchwright_server.cli.completion.server import ServerOptions
from benchwright_server.cli.eval.study_evaluation import print_progress_and_logs, progress_of_conditions
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.interruption import end_cleanly_on_signal
from benchwright_server.cli.terminal.output import err, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.errors import ServerError
from benchwright_studies import open_log

if TYPE_CHECKING:
    from benchwright_attempts.summary.summary import AttemptVerdict
    from benchwright_studies.plan.model_condition import ModelCondition

_GO_ON = "Attempts that have ended are kept: the same command continues where it stopped."


def study_command(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="A study file, or the id of a study.")],
    server: ServerOptions,
    condition: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this condition; may be repeated; all of inline servers if not given."),
    ] = None,
    sandbox: options.Sandbox = DEFAULT_SANDBOX,
    json_output: options.Json = False,
) -> None:
    """Have inline-completion servers carry out their part of a study: each sample is an attempt, graded as everybody's.

    What is started has to be what the study registers, or nothing begins. The same command continues what was stopped.
    Exit status: 0 all is done, 1 some attempts have no verdict, 2 it could not begin or go on.
    """
    with (
        exit_on_expected_error(),
        explain_missing_extra("`benchwright completion study`", "baselines"),
        end_cleanly_on_signal(_GO_ON),
    ):
        name, condition_parts = _study_id_and_condition_parts(study, condition or [])
        for condition_part in condition_parts:
            carry_out_condition(condition_part, server, sandbox)
        counts_by_condition = progress_of_conditions(condition_parts)
        if json_output:
            print_json({"study": name, "conditions": counts_by_condition})
        else:
            print_progress_and_logs(counts_by_condition, [])
        if any(counts["done"] != counts["total"] or counts["undecided"] for counts in counts_by_condition.values()):
            err.print(f"To play what is missing: benchwright completion study {study}", markup=False, soft_wrap=True)
            raise typer.Exit(1)


def _study_id_and_condition_parts(
    study_file_or_id: str, condition_names: Sequence[str]
) -> tuple[str, list[ModelCondition]]:
    from benchwright_server.cli.eval.study_evaluation import register_study_if_file
    from benchwright_studies.plan.model_condition import model_condition, model_conditions

    home = Home.from_environment()
    store = Store(home)
    log = open_log(configured_log_location(home))
    try:
        name = register_study_if_file(log, store, study_file_or_id)
        condition_parts = [model_condition(log, name, condition) for condition in condition_names] or [
            model_part for model_part in model_conditions(log, name) if model_part.condition.is_inline
        ]
        if not condition_parts:
            raise ServerError(f"No inline-completion server works in {name}: no condition has subject.inline.")
        for condition_part in condition_parts:
            if not condition_part.condition.is_inline:
                raise ServerError(
                    f"{condition_part.condition.name} is for benchwright eval --study {study_file_or_id}."
                )
            condition_part.refuse_if_closed()
            condition_part.refuse_changed_problems(
                {ref: store.problem(ref).public_digest for ref in condition_part.problems}
            )
        return name, condition_parts
    finally:
        log.close()


def _with_registered_server(server_options: ServerOptions, condition_part: ModelCondition) -> ServerOptions:
    """The server that a condition registers; what the study file leaves open, the options say."""
    subject = condition_part.condition.subject
    if subject is None or subject.inline is None:
        raise ServerError(f"The condition {condition_part.condition.name} names no inline-completion server.")
    extensions = [str(file) for file in server_options.extension or ()]
    for option, option_value, registered_value in (
        ("--extension", extensions, list(subject.inline.extensions)),
        ("--server", server_options.server, subject.command),
        ("--dialect", "" if server_options.dialect == "lsp" else server_options.dialect, subject.inline.dialect),
        ("--model", server_options.model, condition_part.condition.model or "no model"),
    ):
        if option_value and registered_value and option_value != registered_value:
            raise ServerError(
                f"The study registers {registered_value!r} for {condition_part.condition.name}. Leave out {option}."
            )
    return replace(
        server_options,
        server=subject.command or server_options.server,
        dialect=subject.inline.dialect,
        extension=[Path(file) for file in subject.inline.extensions or extensions],
        model=condition_part.condition.model,
    )


def carry_out_condition(
    condition_part: ModelCondition, server_options: ServerOptions, sandbox: str, base_url: str | None = None
) -> list[AttemptVerdict | None]:
    """Have the inline-completion server of a condition carry out its part; what has ended is not played again.

    Args:
        condition_part: The condition and its share of the plan.
        server_options: Options of the server that the study file leaves open.
        sandbox: The sandbox in which hidden tests run.
        base_url: Address at which the condition's model is asked; its provider's, if not given.

    Raises:
        ServerError: The server is not what the study registers, or an option is wrong.
        StudyFileError: The same.
        SubjectError: The server does not start.
    """
    from benchwright_subjects.evaluation.services import EvaluationServices
    from benchwright_subjects.inline.dialects.registered import DIALECTS
    from benchwright_subjects.inline.lone_attempt import let_server_attempt_problems, require_registered_server
    from benchwright_subjects.inline.server.configuration import configuration_digest
    from benchwright_subjects.inline.server.confinement import (
        missing_protection_remark,
        secret_folders,
        workplaces_folder_of,
    )
    from benchwright_subjects.inline.site_run import InlineSubject

    if remark := missing_protection_remark():
        err.print(remark)
    server = _with_registered_server(server_options, condition_part)
    home = Home.from_environment()
    launch = server.server_launch(secret_folders(home, home.data))
    registered = condition_part.condition.subject
    options = (registered and registered.inline and registered.inline.options) or server.initialization_options
    served_model = server.served_model(condition_part.registered_study.study.randomisation.seed or 0, base_url)
    subject = InlineSubject(
        launch, DIALECTS[server.dialect](options), os.environ, workplaces_folder_of(home), served_model
    )
    digest = configuration_digest(launch, server.dialect, options)
    services = EvaluationServices(home, sandbox)
    planned = [
        (ref, number) for ref in condition_part.problems for number in range(1, condition_part.condition.samples + 1)
    ]

    async def work() -> list[AttemptVerdict | None]:
        try:
            lone_server = await require_registered_server(condition_part, subject, digest)
            with progress("working", len(planned), "attempts") as meter:
                return await let_server_attempt_problems(services, lone_server, planned, meter.show_counts)
        finally:
            await services.close()

    return asyncio.run(work())
