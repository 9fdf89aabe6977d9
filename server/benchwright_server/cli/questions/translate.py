"""`benchwright questions translate`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_server.authoring.model_endpoints import model_endpoints
from benchwright_server.cli.terminal.interruption import end_cleanly_on_signal
from benchwright_server.cli.terminal.options import Budget, Json
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, explain_unwritable, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchwright_authoring.translation.translating import TranslatedQuestion


def translate(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="An author's pack folder with questions.")],
    target_language: Annotated[str, typer.Option("--to", metavar="LANGUAGE", help="en, de, fr or zh.")],
    out_folder: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Gets the translated pack.")],
    model: Annotated[str, typer.Option(metavar="JUDGE", help="The model judge that translates.")],
    back: Annotated[
        str, typer.Option(metavar="JUDGE", help="The one that translates back and compares; the same if not given.")
    ] = "",
    language: Annotated[str, typer.Option("--from", metavar="LANGUAGE", help="Of the questions to translate.")] = "en",
    budget: Budget = None,
    json_output: Json = False,
) -> None:
    """Translate the questions of a pack by a model, and check them by a translation back.

    A question is written only if code, formulas, numbers and pictures are as they were, and if the translation back
    says the same; translations.json has all of them, with what is wrong. Keys are sent to the models. Replies are
    kept, so the command continues where it stopped. Exit status: 0 all passed, 1 some did not.
    """
    with (
        exit_on_expected_error(),
        end_cleanly_on_signal("The replies are kept: the same command continues where it stopped."),
    ):
        from benchwright_authoring.translation.translating import write_translated_pack

        translations = asyncio.run(
            _translate_questions(folder, target_language, out_folder, model, back or model, language, budget)
        )
        with explain_unwritable(out_folder):
            passed_count = write_translated_pack(folder, out_folder, translations, target_language)
    failed_translations = [translation for translation in translations if not translation.made]
    if json_output:
        print_json([translation.model_dump(mode="json", exclude={"texts", "back"}) for translation in translations])
    else:
        for translation in failed_translations:
            console.print(f"{translation.problem}: {'; '.join(translation.faults)}.", markup=False, soft_wrap=True)
        console.print(
            f"{passed_count} of {len(translations)} questions passed; they are in {out_folder}.",
            markup=False,
            soft_wrap=True,
        )
    raise typer.Exit(1 if failed_translations else 0)


async def _translate_questions(
    folder: Path,
    target_language: str,
    out_folder: Path,
    judge_name: str,
    back_judge_name: str,
    source_language: str,
    budget_usd: float | None,
) -> Sequence[TranslatedQuestion]:
    from benchwright_authoring.translation.translating import (
        TranslationError,
        Translator,
        questions_in_language,
        require_translation_folder,
        translate_all,
    )
    from benchwright_judges.models.budget import OutOfBudgetError
    from benchwright_judges.models.kept_replies import ModelWithKeptReplies

    questions = questions_in_language(folder, source_language, target_language)
    require_translation_folder(folder, out_folder)
    async with model_endpoints([judge_name, back_judge_name], budget_usd) as (endpoints, spending):
        forward_replies, back_replies = (
            ModelWithKeptReplies(endpoint, out_folder / "model" / way, spending, "QUESTION", TranslationError)
            for way, endpoint in zip(("there", "back"), endpoints, strict=True)
        )
        with progress("translating", len(questions), "questions") as meter:
            try:
                return await translate_all(
                    questions,
                    Translator(forward_replies, back_replies, source_language, target_language),
                    meter.advance,
                )
            except OutOfBudgetError as error:
                raise ServerError(
                    "The budget does not suffice for all questions. The replies are kept: run the command again with a"
                    " larger --budget."
                ) from error
