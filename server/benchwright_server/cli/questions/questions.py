"""`benchwright questions`: questions from exams and documents, reviewed by people, as packs; and in other languages."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.home import Home
from benchwright_foundation.number_text import counted
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX
from benchwright_problems.storage.store import Store
from benchwright_server.authoring.model_endpoints import model_endpoints
from benchwright_server.cli.questions.generate import generate
from benchwright_server.cli.questions.question_file import export_questions, import_questions
from benchwright_server.cli.questions.review import accepted, review
from benchwright_server.cli.questions.translate import translate
from benchwright_server.cli.questions.try_out import try_questions
from benchwright_server.cli.terminal.interruption import end_cleanly_on_signal
from benchwright_server.cli.terminal.options import Budget, Json, NewPack, Replace, Sandbox
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    from benchwright_exams.extraction import ExtractedExam
    from benchwright_exams.model.replies import ExamModel
    from benchwright_exams.structure.ledger import ExamFinding

_SHOWN = {"label", "format", "points"}
_AGAIN = "Run the command again to continue."


def add_to(parent: typer.Typer) -> None:
    """Add the commands to `benchwright`."""
    questions_app = typer.Typer(
        help="Make questions of exams or documents, try and translate them, exchange them with learning platforms.",
        no_args_is_help=True,
    )
    questions_app.command("from-exam")(from_exam)
    questions_app.command("make-pack")(make_pack_command)
    questions_app.command("try")(try_questions)
    questions_app.command("translate")(translate)
    questions_app.command("generate")(generate)
    questions_app.command("review")(review)
    questions_app.command("accepted")(accepted)
    questions_app.command("export")(export_questions)
    questions_app.command("import")(import_questions)
    parent.add_typer(questions_app, name="questions")


def from_exam(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The exam, a PDF; also a scanned one.")],
    target_folder: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Gets a folder for each question.")],
    model: Annotated[
        str,
        typer.Option(metavar="JUDGE", help="The model judge that sorts what is on the pages; rules do if not given."),
    ] = "",
    language: Annotated[
        str, typer.Option(help="Of scanned pages, by Tesseract's name, such as deu or deu+eng.")
    ] = "eng",
    sandbox: Sandbox = DEFAULT_SANDBOX,
    budget: Budget = None,
    json_output: Json = False,
) -> None:
    """Find the questions of an exam, and write each with its figures and its page for you to review.

    The folder keeps every stage: the command does again what changed, and leaves questions that you have edited alone.
    Exit status: 0 nothing has to be checked, 1 something has to be, 2 the exam can't be read.
    """
    with exit_on_expected_error(), end_cleanly_on_signal(_AGAIN):
        extracted, request_count = asyncio.run(
            _extract_and_count_requests(file, target_folder, model, language, sandbox, budget)
        )
    findings = [*extracted.ledger.findings, *extracted.exam_items.findings]
    if json_output:
        print_json(
            {
                "questions": [item.model_dump(mode="json", include=_SHOWN) for item in extracted.exam_items.items],
                "findings": [finding.model_dump(mode="json") for finding in findings],
                "kept": list(extracted.review.kept_files),
                "requests": request_count,
            }
        )
    else:
        _print_extracted(extracted, findings, target_folder)
    raise typer.Exit(1 if findings else 0)


async def _extract_and_count_requests(
    file: Path, exam_folder: Path, judge_name: str, language: str, sandbox: str, budget_usd: float | None
) -> tuple[ExtractedExam, int]:
    from benchwright_exams.extraction import extract_exam
    from benchwright_judges.models.budget import OutOfBudgetError

    async with _exam_model_if_named(judge_name, exam_folder, budget_usd) as exam_model:
        with ExitStack() as meters:

            def began(pages: int) -> Callable[[], None]:
                return meters.enter_context(progress("reading", pages, "pages")).advance

            try:
                extracted = await extract_exam(
                    file, exam_folder, language=language, sandbox_name=sandbox, model=exam_model, start_progress=began
                )
            except OutOfBudgetError as error:
                raise ServerError(
                    "The budget does not suffice for the whole exam. The model's replies are kept: run the command"
                    " again with a larger --budget."
                ) from error
    return extracted, exam_model.request_count if exam_model is not None else 0


@asynccontextmanager
async def _exam_model_if_named(
    judge_name: str, folder: Path, budget_usd: float | None
) -> AsyncIterator[ExamModel | None]:
    """The model judge of this name; None if no name is given."""
    if not judge_name:
        yield None
        return
    from benchwright_exams.model.replies import ExamModel

    async with model_endpoints([judge_name], budget_usd) as ((endpoint,), spending):
        yield ExamModel(endpoint, folder / "model", spending)


def _print_extracted(extracted: ExtractedExam, findings: list[ExamFinding], folder: Path) -> None:
    table = TerminalTable("question", "format", "points", "figures", "choices", "solution", "begins")
    for exam_item in extracted.exam_items.items:
        figures = {block.region for block in (*exam_item.context, *exam_item.body) if block.region}
        first_text = next((block.text for block in exam_item.body if block.text), "")
        table.add_row(
            exam_item.label,
            exam_item.format.value,
            f"{exam_item.points:g}" if exam_item.points is not None else "-",
            str(len(figures)),
            str(len(exam_item.choices)),
            "yes" if exam_item.solution else "-",
            first_text[:60],
        )
    table.print_rows()
    for finding in findings:
        location = (
            f"question {finding.item}" if finding.item else f"page {finding.page}" if finding.page else "the file"
        )
        console.print(f"check {location}: {finding.says}", markup=False, soft_wrap=True)
    for name in extracted.review.kept_files:
        console.print(f"kept your edit of {name}, which would be written differently now", markup=False, soft_wrap=True)
    for label in extracted.review.vanished_labels:
        console.print(
            f"question {label} is not found any more; its files are still there", markup=False, soft_wrap=True
        )
    regions = len(extracted.ledger.regions)
    unclaimed_roles = Counter(region.role.value for region in extracted.ledger.regions if not region.item)
    if unclaimed_roles:
        role_list = ", ".join(f"{count} {role}" for role, count in unclaimed_roles.most_common())
        console.print(f"In no question: {role_list}.", markup=False, soft_wrap=True)
    console.print(
        f"{counted(len(extracted.exam_items.items), 'question')} of {counted(len(extracted.exam.pages), 'page')} in "
        f"{folder / 'items'}; "
        f"{regions} things"
        f" on the pages are accounted for in {folder / 'regions.json'}.",
        markup=False,
        soft_wrap=True,
    )


def make_pack_command(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="What `from-exam` wrote and you reviewed.")],
    pack: NewPack,
    replace: Replace = False,
    json_output: Json = False,
) -> None:
    """Make a pack of the questions that you accepted; refused while some are not decided on."""
    with exit_on_expected_error():
        from benchwright_exams.review.packing import make_pack

        question_pack = make_pack(folder, pack)
        Store(Home.from_environment()).add(question_pack, replace=replace)
    if json_output:
        print_json({"pack": pack, "problems": [problem.id for problem in question_pack.problems]})
        return
    console.print(
        f"{counted(len(question_pack.problems), 'question')} added as {pack}; the pack's folder is {folder / 'pack'}.",
        soft_wrap=True,
    )
