"""`benchwright questions try`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.home import Home
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.store import Store
from benchwright_server.authoring.model_endpoints import model_endpoints
from benchwright_server.cli.problems.whole_pack import pack_with_hidden_parts
from benchwright_server.cli.terminal.interruption import end_cleanly_on_signal
from benchwright_server.cli.terminal.options import Budget, Json
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    from benchwright_authoring.answers_of_models import QuestionTrial


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
    with exit_on_expected_error(), end_cleanly_on_signal("Nothing is kept."):
        questions = _chosen_questions(
            pack_with_hidden_parts(Store(Home.from_environment()), pack).problems, question or ()
        )
        tried_questions = asyncio.run(_try_on_models(questions, list(dict.fromkeys(model or ())), budget))
    if json_output:
        print_json([tried_question.model_dump(mode="json") for tried_question in tried_questions])
    else:
        _print_trials(tried_questions, replies)
    raise typer.Exit(1 if any(tried_question.why for tried_question in tried_questions) else 0)


def _chosen_questions(problems: Sequence[Problem], chosen_ids: Sequence[str]) -> Sequence[Problem]:
    questions = [problem for problem in problems if problem.kind is ProblemKind.QUESTION]
    known_ids = [known_question.id for known_question in questions]
    if unknown := [question_id for question_id in chosen_ids if question_id not in known_ids]:
        raise ServerError(f"There is no question {unknown[0]}; there is {', '.join(known_ids) or 'none'}.")
    return [known_question for known_question in questions if not chosen_ids or known_question.id in chosen_ids]


async def _try_on_models(
    questions: Sequence[Problem], model_names: Sequence[str], budget_usd: float | None
) -> Sequence[QuestionTrial]:
    from benchwright_authoring.answers_of_models import ask_every_model
    from benchwright_judges.models.budget import OutOfBudgetError

    if not model_names:
        raise ServerError("Name at least one model of judges.toml with --model.")
    async with model_endpoints(model_names, budget_usd) as (endpoints, spending):
        with progress("asking", len(questions) * len(endpoints), "answers") as meter:
            try:
                return await ask_every_model(questions, endpoints, spending, meter.advance)
            except OutOfBudgetError as error:
                raise ServerError(
                    "The budget does not suffice for all questions: name fewer, or give a larger --budget."
                ) from error


def _print_trials(tried_questions: Sequence[QuestionTrial], with_replies: bool) -> None:
    table = TerminalTable("question", "model", "answer", "right")
    for tried_question in tried_questions:
        cell = tried_question.why or tried_question.answer or "in words, or unread"
        correctness = (
            ""
            if tried_question.why
            else "?"
            if tried_question.is_right is None
            else "yes"
            if tried_question.is_right
            else "no"
        )
        table.add_row(tried_question.problem, tried_question.model, cell, correctness)
    table.print_rows()
    for tried_question in tried_questions if with_replies else ():
        cell = "".join(
            char if char.isprintable() or char in "\n\t" else "\ufffd"
            for char in tried_question.said or tried_question.why
        )
        console.print(f"\n{tried_question.problem}, {tried_question.model}:\n{cell}", markup=False, soft_wrap=True)
