"""`benchwright judge grade` and `benchwright judge sheet`: people as judges, by keyboard, blind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.prompt import IntPrompt, Prompt
from rich.rule import Rule

from benchwright_attempts.errors import AttemptError
from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import counted
from benchwright_judges.errors import GradingError, VotesFileError
from benchwright_judges.judgement import Judgement
from benchwright_problems.storage.store import Store
from benchwright_server.cli.judge.records import opened_records
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, explain_unwritable, print_json

if TYPE_CHECKING:
    # The database library takes a third of a second to import.
    from benchwright_judges.people.human_grading import GradableAnswer, HumanGrading
    from benchwright_judges.records.records import Records

Grader = Annotated[str, typer.Option("--as", metavar="NAME", help="Your pseudonym, the same every time.")]
Graders = Annotated[int, typer.Option(min=1, max=2, help="People per answer; if two disagree, a third decides.")]
All = Annotated[
    bool,
    typer.Option("--all", help="Also answers that models have judged, to compare them with people; still blind."),
]
_SKIP, _QUIT = "s", "q"


def add_to(judge: typer.Typer) -> None:
    """Add these commands to `benchwright judge`."""
    judge.command("grade")(grade)
    sheet = typer.Typer(help="Grade in a spreadsheet, and read the grades back.", no_args_is_help=True)
    sheet.command("export")(sheet_export)
    sheet.command("import")(sheet_import)
    judge.add_typer(sheet, name="sheet")


def grade(
    grader: Grader,
    graders: Graders = 2,
    includes_judged: All = False,
    disputed: Annotated[bool, typer.Option("--disputed", help="Only answers on which two others disagree.")] = False,
) -> None:
    """Grade answers one by one: blind, in an order of your own. Stop at any time and continue later."""

    async def work() -> int:
        async with opened_grading(graders, includes_judged) as (grading, records):
            grading_items = await (grading.undecided_disputes(grader) if disputed else grading.gradable_answers(grader))
            # Nothing else happens meanwhile, and Ctrl+C reaches a question that is not asked in a thread.
            if not grading_items:
                console.print("Nothing is left for you to grade.")
            graded_count = 0
            for number, grading_item in enumerate(grading_items, start=1):
                console.print(Rule(f"{number} of {len(grading_items)}"))
                _print_answer(grading_item)
                label = _ask_label_or_command(grading_item)
                if label == _QUIT:
                    break
                if label == _SKIP:
                    continue
                difficulty, comment = _ask_difficulty_and_comment()
                judgement = await grading.store_grade_and_judgement_if_decided(
                    grading_item.id, grader, label, difficulty, comment
                )
                await record_judgement_if_newest(records, grading_item.id, judgement)
                graded_count += 1
            return graded_count

    with exit_on_expected_error(), explain_missing_extra("`benchwright judge grade`", "judges"):
        err.print(f"{asyncio.run(work())} graded.")


def sheet_export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Ends in .csv or .json. It contains answer keys.")],
    grader: Grader,
    graders: Graders = 2,
    includes_judged: All = False,
) -> None:
    """Write the answers that you may grade, with columns for label, difficulty (1 to 5) and comment."""

    async def work() -> int:
        from benchwright_judges.people.grading_sheet import write_grading_sheet

        async with opened_grading(graders, includes_judged) as (grading, _):
            grading_items = await grading.gradable_answers(grader)
        with explain_unwritable(file):
            await asyncio.to_thread(write_grading_sheet, file, grading_items)
        return len(grading_items)

    with exit_on_expected_error(), explain_missing_extra("`benchwright judge sheet`", "judges"):
        err.print(f"{counted(asyncio.run(work()), 'answer')} written to {file}.", markup=False)


def sheet_import(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A sheet with labels filled in.")],
    grader: Grader,
    graders: Graders = 2,
    includes_judged: All = False,
    json_output: Json = False,
) -> None:
    """Import the grades of a sheet; rows without a label are left for later."""

    async def work() -> dict[str, int]:
        from benchwright_judges.people.grading_sheet import read_grading_sheet

        rows = await asyncio.to_thread(read_grading_sheet, file)
        decided_count = 0
        async with opened_grading(graders, includes_judged) as (grading, records):
            for number, row in enumerate(rows, start=1):
                try:
                    judgement = await grading.store_grade_and_judgement_if_decided(
                        row.item, grader, row.label, row.difficulty, row.comment
                    )
                except GradingError as error:
                    raise VotesFileError(
                        f"{file}: grade {number}: {error}; the {number - 1} before it are kept"
                    ) from error
                await record_judgement_if_newest(records, row.item, judgement)
                decided_count += judgement is not None
        return {"grades": len(rows), "decided": decided_count}

    with exit_on_expected_error(), explain_missing_extra("`benchwright judge sheet`", "judges"):
        counts = asyncio.run(work())
    if json_output:
        print_json(counts)
    else:
        console.print(f"{counts['grades']} grades imported; they decide {counts['decided']} answers.")


async def record_judgement_if_newest(records: Records, answer_id: str, judgement: Judgement | None) -> None:
    """Record in an answer's attempt what people decided, if they have decided and it belongs to one."""
    from benchwright_studies.conduct.late_judgement import record_late_judgement

    newest_judgement = await records.find_judgement(answer_id)
    answer = await records.find_answer(answer_id)
    # If a model decided before, people's grades are for comparison and change nothing.
    if judgement is None or answer is None or newest_judgement != judgement:
        return
    try:
        await asyncio.to_thread(record_late_judgement, Home.from_environment(), answer, judgement)
    except AttemptError as error:
        err.print(str(error), markup=False, soft_wrap=True)


@asynccontextmanager
async def opened_grading(graders_per_answer: int, includes_judged: bool) -> AsyncIterator[tuple[HumanGrading, Records]]:
    """The answers that wait for people on this machine, and the database for their grades; closed afterwards."""
    from benchwright_judges.people.human_grading import HumanGrading

    async with opened_records() as records:
        yield (
            HumanGrading(
                records,
                Store(Home.from_environment()).unseal,
                graders_per_answer=graders_per_answer,
                includes_decided_answers=includes_judged,
            ),
            records,
        )


def _print_answer(grading_item: GradableAnswer) -> None:
    from benchwright_judges.models.prompt import escape_hidden_characters

    key = grading_item.problem.hidden.answer
    sections = [("Question", grading_item.problem.public.statement)]
    if grading_item.problem.public.figures:
        paths = "\n".join(f"{figure.path} {figure.alt}" for figure in grading_item.problem.public.figures)
        sections.append(("Figures (the editor's grading view shows them)", paths))
    if key is not None:
        sections.append(("Reference", "\n".join((key.value, *key.alternatives))))
        sections.append(("Notes on grading", key.rubric))
    sections.append(("Answer", grading_item.answer))
    for title, text in sections:
        if text.strip():
            console.print(f"[bold]{title}[/bold]")
            # Strangers' words: nothing in them that a terminal obeys.
            console.print(escape_hidden_characters(text.strip()), markup=False, soft_wrap=True)
            console.print()


def _ask_label_or_command(grading_item: GradableAnswer) -> str:
    labels = grading_item.rubric.scale.labels
    numbered = [str(number) for number in range(1, len(labels) + 1)]
    # Points are their own numbers; words get one.
    keys = dict(zip(labels if labels[0].isdigit() else numbered, labels, strict=True))
    if labels[0].isdigit():
        choices_text = f"{labels[0]} to {labels[-1]}"
    else:
        choices_text = ", ".join(f"{key} {label}" for key, label in keys.items())
    question = f"Verdict ({choices_text}; {_SKIP} skips, {_QUIT} stops)"
    try:
        reply = Prompt.ask(question, choices=[*keys, _SKIP, _QUIT], show_choices=False, console=console)
    except EOFError:
        return _QUIT
    return keys.get(reply, reply)


def _ask_difficulty_and_comment() -> tuple[int, str]:
    difficulties = ["1", "2", "3", "4", "5"]
    question = "How hard was it to grade (1 easy to 5 hard)"
    try:
        difficulty = IntPrompt.ask(question, choices=difficulties, show_choices=False, console=console)
        return difficulty, Prompt.ask("Comment", default="", show_default=False, console=console)
    except EOFError as error:
        raise typer.Abort from error
