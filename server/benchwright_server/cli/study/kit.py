"""`benchwright study kit`: from nothing to a report, one step after the other; the folder and the log are its state."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX
from benchwright_problems.problem import Difficulty, ProblemKind
from benchwright_problems.storage.store import Store
from benchwright_server.cli.study.log import opened_study_log
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import console, explain_unwritable, print_json
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    from benchwright_server.cli.study.kit_steps import KitStep
    from benchwright_studies.conduct.study_log import StudyLog
    from benchwright_studies.plan.problem_choice import ProblemWish

_DEFAULT_MINUTES = 30.0


def kit(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The study's folder; created if missing.")],
    packs: Annotated[
        list[str] | None,
        typer.Option("--pack", help="For a new study: problems of this pack (starter); may be repeated."),
    ] = None,
    count: Annotated[int, typer.Option("--problems", min=1, help="For a new study: how many, without practice.")] = 4,
    kind: Annotated[ProblemKind, typer.Option(help="For a new study: their kind.")] = ProblemKind.DESIGN,
    minutes: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[DIFFICULTY=]MINUTES",
            help="For a new study: a task's time limit, such as 30 or easy=15. May be repeated; with difficulties, no "
            "others are chosen.",
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(min=1, help="For a new study: minutes of a participant that all limits may add up to."),
    ] = None,
    assistants: Annotated[
        list[str] | None,
        typer.Option(
            "--assistant",
            help="For a new study: adds a condition in which this helps, such as github.copilot; may be repeated.",
        ),
    ] = None,
    participants: Annotated[int, typer.Option(min=1, help="For a new study: how many people.")] = 16,
    editor_settings: Annotated[
        Path | None, typer.Option("--settings", metavar="FILE", help="As `benchwright study rehearse` takes it.")
    ] = None,
    sandbox: options.Sandbox = DEFAULT_SANDBOX,
    json_output: Json = False,
) -> None:
    """Take a study from nothing to its report: do what can be done now, and say what is next.

    Run it again after each step: what is in DIR and in the log is all that it goes by. It writes DIR/study.yaml with
    problems drawn by lot, checks it, writes documents for consent, recruitment and screening and a pilot of two, and
    rehearses it whenever it has changed. Whatever can't be undone, such as registering, is left to its own command.

    Exit status: 0, or 1 if something is wrong with a study file that was there before, or will not work.
    """
    with opened_study_log() as log, explain_missing_extra("`benchwright study kit`", "baselines"):
        from benchwright_server.cli.study.kit_steps import RehearsalOptions, StepState, take_due_steps
        from benchwright_server.cli.study.planning import study_id_from_folder_name, write_study_file
        from benchwright_studies.plan.template import study_template

        home, file = Home.from_environment(), folder / "study.yaml"
        with explain_unwritable(folder):
            is_new = not file.exists()
            if is_new:
                wish = _problem_wish(count, kind, minutes or [], budget)
                fields = _draw_problems_as_yaml(home, log, packs or ["starter"], wish)
                text = study_template(
                    str(file),
                    study_id_from_folder_name(folder),
                    secrets.randbelow(2**63),
                    fields,
                    assistants=assistants or (),
                    participant_count=participants,
                    time_minutes=max(wish.limits.values()),
                )
                write_study_file(file, text)
            study_steps = take_due_steps(home, log, folder, RehearsalOptions(editor_settings, sandbox))
    if json_output:
        print_json([study_step.as_json() for study_step in study_steps])
    else:
        _print_kit_steps(study_steps)
    raise typer.Exit(1 if not is_new and any(study_step.state is StepState.WRONG for study_step in study_steps) else 0)


def _problem_wish(
    problem_count: int, problem_kind: ProblemKind, minutes_options: list[str], budget_minutes: float | None
) -> ProblemWish:
    from benchwright_studies.plan.problem_choice import ProblemWish

    limits: dict[Difficulty, float] = {}
    for given in minutes_options:
        name, _, value = given.rpartition("=")
        if name not in ("", *Difficulty) or not value.replace(".", "", 1).isdigit() or not 0 < float(value) <= 10_000:
            raise ServerError(f"--minutes {given} is neither minutes nor DIFFICULTY=MINUTES. Write 30, or easy=15.")
        for difficulty in Difficulty:
            if name in ("", difficulty):
                limits[difficulty] = float(value)
    return ProblemWish(
        problem_count, problem_kind, limits or dict.fromkeys(Difficulty, _DEFAULT_MINUTES), budget_minutes
    )


def _draw_problems_as_yaml(home: Home, log: StudyLog, pack_names: list[str], wish: ProblemWish) -> str:
    from benchwright_analysis.report.sections.own_numbers import median_minutes_of_people
    from benchwright_studies.plan.problem_choice import choose_problems, chosen_problem_fields_yaml

    store = Store(home)
    candidates = {
        f"{pack}/{problem.id}": problem for pack in pack_names for problem in store.public_pack(pack).problems
    }
    drawn_problems = choose_problems(candidates, wish, secrets.randbelow(2**31))
    return chosen_problem_fields_yaml(
        drawn_problems, candidates, wish, median_minutes_of_people(log, store, drawn_problems.refs)
    )


def _print_kit_steps(kit_steps: list[KitStep]) -> None:
    from benchwright_server.cli.study.kit_steps import StepState

    table = TerminalTable("step", "state", "result")
    for study_step in kit_steps:
        table.add_row(study_step.name, study_step.state.value, study_step.text)
    table.print_rows()
    for study_step in kit_steps:
        if study_step.state in (StepState.OPEN, StepState.WRONG):
            console.print(f"Next, {study_step.name}:", markup=False)
            for line in study_step.next_steps:
                console.print(f"  {line}", markup=False, soft_wrap=True)
