"""`benchwright report`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.errors import BenchwrightError, explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_server.cli.study.log import opened_study_log
from benchwright_server.cli.terminal.option_groups import flatten_option_groups
from benchwright_server.cli.terminal.options import BootstrapSeed, Json
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, explain_unwritable, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.errors import ServerError
from benchwright_subjects.evaluation.kept_evals import eval_logs_folder

if TYPE_CHECKING:
    from benchwright_analysis.report.report import ReportOptions, WrittenReportFiles
    from benchwright_analysis.report.rows.from_table import WrittenTableReport
    from benchwright_analysis.statistics.failures import Embedding, Namer


class HorizonWeights(StrEnum):
    """As `benchwright_analysis.statistics.horizon.Weights`, which takes long to import."""

    ATTEMPTS = "attempts"
    METR = "metr"


@dataclass(frozen=True)
class AttemptSelection:
    """The attempts to report on."""

    study: Annotated[str, typer.Option(help="A study's id; attempts outside studies if not given.")] = ""
    attempts: Annotated[
        list[str] | None, typer.Option(help="Only this attempt, by the beginning of its id; may be repeated.")
    ] = None
    without: Annotated[
        list[str] | None, typer.Option(help="Leave this attempt out, by the beginning of its id; may be repeated.")
    ] = None
    models: Annotated[
        bool, typer.Option(help="Compare a study's people with models' attempts at the same problems.")
    ] = True


@dataclass(frozen=True)
class SourceOptions:
    """Further data, and how it is processed."""

    events: Annotated[bool, typer.Option(help="Also write tables of all events.")] = True
    check: Annotated[
        bool | None,
        typer.Option("--check/--no-check", help="Check every hash chain; if not given, up to a million events."),
    ] = None
    logs: Annotated[
        list[Path] | None,
        typer.Option(help="An Inspect .eval log, or a folder of logs, to add to those that eval kept."),
    ] = None
    votes_file: Annotated[
        Path | None,
        typer.Option("--votes", help="People's and judges' votes, as for `judge agreement`, instead of the database."),
    ] = None
    model_facts: Annotated[
        Path | None,
        typer.Option(help="A CSV file of models: family, parameters, base model, scores at other benchmarks."),
    ] = None
    filtered: Annotated[
        Path | None,
        typer.Option(help="The table of `problems filter`: also show results on the problems that it kept."),
    ] = None
    embeddings: Annotated[
        bool,
        typer.Option("--embeddings", help="Group failures by meaning: send them to the embeddings of judges.toml."),
    ] = False
    name_failures: Annotated[
        bool,
        typer.Option("--name-failures", help="Have the first judge of judges.toml name the groups of failures."),
    ] = False
    seed: BootstrapSeed = 1
    weights: Annotated[
        HorizonWeights, typer.Option(help="How attempts count in a model's horizon: all alike, or as METR weighs them.")
    ] = HorizonWeights.ATTEMPTS


@dataclass(frozen=True)
class ForeignTableOptions:
    """A table of attempts that were not recorded here."""

    table: Annotated[
        Path | None,
        typer.Option("--from", metavar="TABLE", help="Report on a table (CSV or Parquet) with the codebook's columns."),
    ] = None
    mapping: Annotated[
        Path | None, typer.Option(help="With --from: a file (TOML or YAML) that says what the table's columns are.")
    ] = None


@dataclass(frozen=True)
class DemoOptions:
    """A simulated study instead of a real one."""

    demo: Annotated[bool, typer.Option("--demo", help="Report on a simulated study instead.")] = False
    people: Annotated[int, typer.Option(min=4, max=1000, help="Participants in the simulated study.")] = 30


def add_to(parent: typer.Typer) -> None:
    """Add the command to `benchwright`."""
    parent.command("report")(flatten_option_groups(report))


def report(
    folder: Annotated[Path, typer.Option("--out", metavar="DIR", help="A folder for the report; created if missing.")],
    selection: AttemptSelection,
    source_options: SourceOptions,
    foreign_table: ForeignTableOptions,
    demo: DemoOptions,
    json_output: Json = False,
) -> None:
    """Write a report: one HTML page, report.json, tables of attempts and events, CVDP's files, Inspect's logs."""
    with exit_on_expected_error(), explain_missing_extra("`benchwright report`", "baselines"):
        options = _report_options(folder, selection, source_options, demo)
        with explain_unwritable(folder):
            if missing := next((log for log in options.logs if not log.exists()), None):
                raise ServerError(f"There is no {missing}.")
            if foreign_table.table is not None:
                written_report: WrittenTableReport | WrittenReportFiles = _write_table_report(
                    foreign_table, folder, selection, demo, source_options
                )
            elif foreign_table.mapping is not None:
                raise ServerError("--mapping says what the columns of a table are: give the table with --from.")
            elif demo.demo:
                # It loads Inspect, which takes longer than most reports.
                from benchwright_server.cli.report.demo import write_demo

                written_report = write_demo(options, demo.people, is_quiet=json_output)
            else:
                written_report = _write_report(options, source_options.votes_file)
    if json_output:
        print_json(
            {
                "page": str(written_report.page),
                "attempts": written_report.attempts,
                "counted": written_report.counted_attempts,
                "left_out": dict(written_report.left_out),
            }
        )
        return
    reasons = ", ".join(f"{amount} {reason}" for reason, amount in written_report.left_out.items())
    reasons = f"; left out: {reasons}" if reasons else ""
    console.print(
        f"{written_report.counted_attempts} of {written_report.attempts} attempts count{reasons}. The report: "
        f"{written_report.page}",
        soft_wrap=True,
    )


def _report_options(
    folder: Path, selection: AttemptSelection, source_options: SourceOptions, demo_options: DemoOptions
) -> ReportOptions:
    from benchwright_analysis.report.report import ReportOptions
    from benchwright_analysis.report.rows.filtered_problems import read_is_kept_by_problem
    from benchwright_analysis.report.rows.model_facts import read_model_facts
    from benchwright_attempts.grading.second_opinions import SecondOpinions

    return ReportOptions(
        folder=folder,
        study=selection.study,
        attempts=tuple(selection.attempts or ()),
        excluded_attempt_id_prefixes=tuple(selection.without or ()),
        models=selection.models,
        events=source_options.events,
        check=source_options.check,
        logs=tuple(source_options.logs or ()),
        kept_eval_logs_folder=None if demo_options.demo else eval_logs_folder(Home.from_environment()),
        second_opinions=None if demo_options.demo else SecondOpinions(Home.from_environment()),
        model_facts=read_model_facts(source_options.model_facts) if source_options.model_facts is not None else (),
        is_problem_kept=(
            read_is_kept_by_problem(source_options.filtered) if source_options.filtered is not None else {}
        ),
        embed=_configured_embedding() if source_options.embeddings else None,
        name_failures=_configured_failure_namer() if source_options.name_failures else None,
        seed=source_options.seed,
        weights=source_options.weights.value,
    )


def _configured_embedding() -> Embedding:
    from benchwright_judges.labelling.embeddings import embeddings_of
    from benchwright_judges.models.configuration import read_settings

    settings = read_settings().embeddings
    if settings is None:
        raise ServerError("--embeddings needs [embeddings] in judges.toml; docs/reference/labels.md shows it.")
    return lambda texts: asyncio.run(embeddings_of(texts, settings))


def _configured_failure_namer() -> Namer:
    from benchwright_judges.agreement.failure_names import name_failures
    from benchwright_judges.models.budget import JudgingBudget
    from benchwright_judges.models.configuration import read_settings

    settings = read_settings()
    if not settings.models:
        raise ServerError("--name-failures needs a [[judge]] in judges.toml; docs/how-to/judges.md shows it.")
    budget = JudgingBudget(settings.budget_usd)

    def name_failures_or_none(texts: Sequence[str]) -> str | None:
        try:
            return asyncio.run(name_failures(texts, settings, budget))
        except BenchwrightError as error:
            err.print(f"{error}.", markup=False, soft_wrap=True)
            return None

    return name_failures_or_none


def _write_table_report(
    foreign_table: ForeignTableOptions,
    folder: Path,
    selection: AttemptSelection,
    demo_options: DemoOptions,
    source_options: SourceOptions,
) -> WrittenTableReport:
    from benchwright_analysis.report.rows.from_table import TableOptions, write_table_report

    if demo_options.demo or selection.study or selection.attempts or selection.without:
        raise ServerError("--from reports on a table alone: leave out --study, --attempts, --without and --demo.")
    asks_models = source_options.embeddings or source_options.name_failures
    further_files = (source_options.model_facts, source_options.filtered)
    if (
        any(file is not None for file in further_files)
        or source_options.votes_file is not None
        or source_options.logs
        or asks_models
    ):
        raise ServerError(
            "--from reports on times and success alone, which need no more than the table: leave out --model-facts,"
            " --filtered, --votes, --logs, --embeddings and --name-failures."
        )
    if foreign_table.table is None or not foreign_table.table.exists():
        raise ServerError(f"There is no {foreign_table.table}.")
    return write_table_report(TableOptions(foreign_table.table, folder, foreign_table.mapping, source_options.seed))


def _write_report(options: ReportOptions, votes_file: Path | None) -> WrittenReportFiles:
    from benchwright_analysis.report.report import STEPS, write_report
    from benchwright_judges.agreement.rated import read_rated_answers
    from benchwright_server.cli.judge.agreement import rated_answers_from_database

    rated = read_rated_answers(votes_file) if votes_file is not None else asyncio.run(rated_answers_from_database())
    with opened_study_log() as log, progress("report", STEPS, "steps") as meter:
        return write_report(log, Store(Home.from_environment()), options, rated, meter.show_next_step)
