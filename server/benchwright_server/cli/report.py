"""`benchwright report`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import JsonValue

from benchwright_attempts import log_file
from benchwright_problems.home import Home
from benchwright_problems.store import Store
from benchwright_server.cli.options import Json
from benchwright_server.cli.output import err, out, plain_errors, print_json
from benchwright_server.errors import ServerError
from benchwright_studies import open_log
from benchwright_subjects.kept_evals import folder_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchwright_analysis.report.report import ReportOptions, Written
    from benchwright_judges.rated import Rated

_DEMO_QUESTIONS = ("load-use-stalls", "vipt-synonyms", "cache-tag-bits", "memory-bandwidth")


def add_to(app: typer.Typer) -> None:
    """Add the command to `benchwright`."""
    app.command("report")(report)


def report(
    folder: Annotated[Path, typer.Option("--out", metavar="DIR", help="A folder for the report; made if missing.")],
    study: Annotated[str, typer.Option(help="A study's id; attempts outside studies if not given.")] = "",
    attempts: Annotated[
        list[str] | None, typer.Option(help="Only this attempt, by the beginning of its id; may be given often.")
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(help="Leave this attempt out, by the beginning of its id; may be given often.")
    ] = None,
    models: Annotated[
        bool, typer.Option(help="Put models' attempts at the same problems beside a study's people.")
    ] = True,
    events: Annotated[bool, typer.Option(help="Write tables of all events too.")] = True,
    check: Annotated[
        bool | None,
        typer.Option("--check/--no-check", help="Check every hash chain; if not given, up to a million events."),
    ] = None,
    logs: Annotated[
        list[Path] | None,
        typer.Option(help="An Inspect .eval log, or a folder, to put beside those that eval kept."),
    ] = None,
    votes: Annotated[
        Path | None, typer.Option(help="People's and judges' votes, as for `judge agreement`, instead of the database.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the bootstrap intervals.")] = 1,
    demo: Annotated[bool, typer.Option("--demo", help="Report on a made-up study instead.")] = False,
    people: Annotated[int, typer.Option(min=4, max=1000, help="How many take part in the made-up study.")] = 30,
    json_output: Json = False,
) -> None:
    """Write a report: one HTML page, report.json, tables of attempts and events, CVDP's files, Inspect's logs."""
    from benchwright_analysis.report.report import ReportOptions

    options = ReportOptions(
        folder=folder,
        study=study,
        attempts=tuple(attempts or ()),
        without=tuple(without or ()),
        models=models,
        events=events,
        check=check,
        logs=tuple(logs or ()),
        kept=None if demo else folder_of(Home.find()),
        seed=seed,
    )
    with plain_errors():
        try:
            if missing := next((log for log in options.logs if not log.exists()), None):
                raise ServerError(f"There is no {missing}.")
            written = _demo(options, people, quiet=json_output) if demo else _report(options, votes)
        except OSError as error:
            raise ServerError(f"{folder} can't be written: {error.strerror}.") from error
    if json_output:
        print_json({"page": str(written.page), "attempts": written.attempts, "counted": written.counted})
        return
    out.print(f"{written.counted} of {written.attempts} attempts count. The report: {written.page}", soft_wrap=True)


def _report(options: ReportOptions, votes: Path | None) -> Written:
    import asyncio

    from benchwright_analysis.report.report import write_report
    from benchwright_judges.rated import read_votes
    from benchwright_server.cli.judge_agreement import rated_of_records

    home = Home.find()
    rated = read_votes(votes) if votes is not None else asyncio.run(rated_of_records())
    log = open_log(log_file(home))
    try:
        return write_report(log, Store(home), options, rated)
    finally:
        log.close()


def _demo(options: ReportOptions, people: int, *, quiet: bool) -> Written:
    """A made-up study in a home of its own, a model that says one thing, and the report on both."""
    from dataclasses import replace

    from benchwright_analysis.report.demo import make_demo
    from benchwright_analysis.report.report import write_report

    place = (options.folder / "demo-home").absolute()
    if place.exists():
        raise ServerError(f"{place} is there already. Give another folder, or remove that one.")
    before = os.environ.get("BENCHWRIGHT_HOME")
    os.environ["BENCHWRIGHT_HOME"] = str(place)
    try:
        home = Home.find()
        store = Store(home)
        if not quiet:
            err.print(f"Making up a study of {people} people …")
        made = make_demo(log_file(home), store, people=people, seed=options.seed)
        rated: Sequence[Rated] = made.rated
        if not quiet:
            err.print("Letting Inspect's mockllm answer a few questions …")
        logs = place / "evals"
        _mock_run(logs)
        options = replace(options, study=made.study, simulated=True, logs=(*options.logs, logs))
        if not quiet:
            err.print("Writing the report …")
        log = open_log(log_file(home))
        try:
            return write_report(log, store, options, rated)
        finally:
            log.close()
    finally:
        if before is None:
            del os.environ["BENCHWRIGHT_HOME"]
        else:
            os.environ["BENCHWRIGHT_HOME"] = before


def _mock_run(folder: Path) -> None:
    from inspect_ai.model import ModelOutput, get_model

    from benchwright_subjects.evaluation import Run, evaluate

    model = get_model(
        "mockllm/model",
        custom_outputs=lambda *_: ModelOutput.from_content("mockllm/model", "Answer: C"),
        memoize=False,
    )
    arguments: dict[str, JsonValue] = {"pack": "starter", "problems": list(_DEMO_QUESTIONS)}
    evaluate(Run(task="answer", arguments=arguments, model=model, out=folder, samples=2, display="none"))
