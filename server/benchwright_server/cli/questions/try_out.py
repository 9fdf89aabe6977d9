"""`benchwright questions try`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.home import Home
from benchwright_problems.problem import Kind, Problem
from benchwright_problems.storage.store import Store
from benchwright_server.authoring.model_endpoints import model_endpoints
from benchwright_server.cli.problems.whole_pack import whole_pack
from benchwright_server.cli.terminal.interruption import interruptible
from benchwright_server.cli.terminal.options import Budget, Json
from benchwright_server.cli.terminal.output import out, plain_errors, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.cli.terminal.table import Table
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    from benchwright_authoring.model_answers import TriedQuestion


def try_questions(
    pack: Annotated[str, typer.Argument(metavar="PACK", help="The pack's name, or its author's folder.")],
    question: Annotated[list[str] | None, typer.Argument(help="Only these questions of it, by their ids.")] = None,
    model: Annotated[
        list[str] | None, typer.Option(metavar="JUDGE", help="A model of judges.toml that answers; may be repeated.")
    ] = None,
    replies: Annotated[bool, typer.Option("--replies", help="Print what each model said.")] = False,
    budget: Budget = None,
    json_output: Json = False,
) -> None:
    """Have models answer questions while they are written; the keys are not sent.

    Rules say which answers are right. Answers in words are shown and judged by nobody. Replies may quote the key if
    they are right, so they are for the question's author. Exit status: 0 all models answered, 1 one did not.
    """
    with plain_errors(), interruptible("Nothing is kept."):
        wanted = _questions(whole_pack(Store(Home.find()), pack).problems, question or ())
        tried = asyncio.run(_tried(wanted, list(dict.fromkeys(model or ())), budget))
    if json_output:
        print_json([one.model_dump(mode="json") for one in tried])
    else:
        _print(tried, replies)
    raise typer.Exit(1 if any(one.why for one in tried) else 0)


def _questions(problems: Sequence[Problem], ids: Sequence[str]) -> Sequence[Problem]:
    questions = [one for one in problems if one.kind is Kind.QUESTION]
    known = [one.id for one in questions]
    if unknown := [one for one in ids if one not in known]:
        raise ServerError(f"There is no question {unknown[0]}; there is {', '.join(known) or 'none'}.")
    return [one for one in questions if not ids or one.id in ids]


async def _tried(wanted: Sequence[Problem], models: Sequence[str], budget: float | None) -> Sequence[TriedQuestion]:
    from benchwright_authoring.model_answers import tried
    from benchwright_judges.models.budget import OutOfBudgetError

    if not models:
        raise ServerError("Name at least one model of judges.toml with --model.")
    async with model_endpoints(models, budget) as (endpoints, spending):
        with progress("asking", len(wanted) * len(endpoints), "answers") as meter:
            try:
                return await tried(wanted, endpoints, spending, meter.advance)
            except OutOfBudgetError as error:
                raise ServerError(
                    "The budget does not suffice for all questions: name fewer, or give a larger --budget."
                ) from error


def _print(found: Sequence[TriedQuestion], replies: bool) -> None:
    table = Table("question", "model", "answer", "right")
    for one in found:
        said = one.why or one.answer or ("in words" if one.is_right is None else "none")
        right = "" if one.why else "?" if one.is_right is None else "yes" if one.is_right else "no"
        table.add_row(one.problem, one.model, said, right)
    table.print()
    for one in found if replies else ():
        said = "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in one.said or one.why)
        out.print(f"\n{one.problem}, {one.model}:\n{said}", markup=False, soft_wrap=True)
