"""`benchwright questions generate`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.number_text import counted
from benchwright_server.authoring.model_endpoints import model_endpoints
from benchwright_server.cli.terminal.interruption import end_cleanly_on_signal
from benchwright_server.cli.terminal.options import Budget, Json, PackOut
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, explain_unwritable, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchwright_authoring.generation.generating import GeneratedQuestion
    from benchwright_authoring.generation.passages import Corpus


def generate(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="A folder of Markdown and text files, in English.")],
    out_folder: PackOut,
    model: Annotated[str, typer.Option(metavar="JUDGE", help="The model judge that writes.")],
    judge: Annotated[str, typer.Option(metavar="JUDGE", help="Another one, that filters.")],
    count: Annotated[
        int | None, typer.Option(min=1, help="Stop after this many questions; all passages if not given.")
    ] = (None),
    closed_book: Annotated[
        bool, typer.Option("--closed-book", help="Record also what the second model answers without the passage.")
    ] = False,
    source: Annotated[str, typer.Option(help="What to call the documents; the folder's name if not given.")] = "",
    licence: Annotated[str, typer.Option("--license", help="Of the documents.")] = "unknown",
    budget: Budget = None,
    json_output: Json = False,
) -> None:
    """Make cloze multiple-choice questions of documents by a model, and filter them by rules and a second model.

    Passages are sent to the models. A question is written only if a quote of its passage proves it, and if the second
    model finds nothing wrong and chooses the key without seeing it; generated.json accounts for every passage. Replies
    are kept, so the command continues where it stopped. People review what passed: benchwright questions review.
    Exit status: 0 some passed, 1 none did.
    """
    go_on = "The replies are kept: the same command continues where it stopped."
    with (
        exit_on_expected_error(),
        explain_missing_extra("`benchwright questions generate`", "authoring"),
        end_cleanly_on_signal(go_on),
    ):
        from benchwright_authoring.generation.passages import read_corpus
        from benchwright_authoring.generation.writing import write_generated_pack

        documents = read_corpus(corpus)
        if out_folder.resolve().is_relative_to(corpus.resolve()):
            raise ServerError(f"{out_folder} is inside {corpus}: its questions would be taken for documents next time.")
        questions = asyncio.run(
            _generate_from_corpus(documents, out_folder, (model, judge), count, budget, asks_closed_book=closed_book)
        )
        with explain_unwritable(out_folder):
            corpus_name = source.strip() or corpus.absolute().name
            passed_count = write_generated_pack(documents, out_folder, questions, corpus_name, licence)
    if json_output:
        print_json(
            [question.model_dump(mode="json", include={"problem", "faults", "passage"}) for question in questions]
        )
    else:
        for question in questions:
            if question.faults:
                console.print(f"{question.passage.place}: {'; '.join(question.faults)}.", markup=False, soft_wrap=True)
        omission_note = (
            f" {len(documents.left_out_parts)} files and parts were left out." if documents.left_out_parts else ""
        )
        counts = f"{counted(passed_count, 'question')} from {counted(len(questions), 'passage')}"
        message = f"{counts} passed; they are in {out_folder}.{omission_note}"
        console.print(message, markup=False, soft_wrap=True)
    raise typer.Exit(0 if passed_count else 1)


async def _generate_from_corpus(
    corpus: Corpus,
    pack_folder: Path,
    writer_and_filter_names: tuple[str, str],
    most_questions: int | None,
    budget_usd: float | None,
    *,
    asks_closed_book: bool,
) -> Sequence[GeneratedQuestion]:
    from benchwright_authoring.generated_pack_folder import require_writable_pack_folder
    from benchwright_authoring.generation.generating import GenerationError, QuestionGenerator
    from benchwright_authoring.generation.writing import REPORT, kept_or_new_seed
    from benchwright_judges.models.budget import OutOfBudgetError
    from benchwright_judges.models.kept_replies import ModelWithKeptReplies

    if writer_and_filter_names[0] == writer_and_filter_names[1]:
        raise ServerError("--judge has to be another model than --model: nobody finds the mistakes of their own.")
    require_writable_pack_folder(pack_folder, REPORT)
    async with model_endpoints(writer_and_filter_names, budget_usd) as (endpoints, spending):
        author, judge = (
            ModelWithKeptReplies(endpoint, pack_folder / "model" / role, spending, subject, GenerationError)
            for role, endpoint, subject in zip(("author", "judge"), endpoints, ("PASSAGE", "QUESTION"), strict=True)
        )
        with explain_unwritable(pack_folder):
            seed = kept_or_new_seed(pack_folder)
        generator = QuestionGenerator(author, judge, seed, closed_book=asks_closed_book)
        with progress("asking about", len(corpus.passages), "passages") as meter:
            try:
                return await generator.generate(corpus.passages, most_questions, meter.advance)
            except OutOfBudgetError as error:
                raise ServerError(
                    "The budget does not suffice for all passages. The replies are kept: run the command again with a"
                    " larger --budget, or a smaller --count."
                ) from error
