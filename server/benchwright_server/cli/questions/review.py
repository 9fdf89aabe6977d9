"""`benchwright questions review` and `benchwright questions accepted`: people review questions, each for themselves."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.prompt import Confirm, Prompt
from rich.rule import Rule

from benchwright_foundation.number_text import counted, number
from benchwright_server.cli.terminal.interruption import end_cleanly_on_signal
from benchwright_server.cli.terminal.options import Json, PackOut
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, explain_unwritable, print_json

if TYPE_CHECKING:
    from benchwright_authoring.review.accepted import ReviewTally
    from benchwright_authoring.review.reviews import QuestionReview, Reviewer
    from benchwright_problems.problem import Problem

_SKIP, _QUIT = "s", "q"
Reviewed = Annotated[Path, typer.Argument(metavar="FOLDER", help="A pack folder with multiple-choice questions.")]


def review(
    folder: Reviewed,
    name: Annotated[str, typer.Option("--reviewer", metavar="NAME", help="Your pseudonym, the same every time.")],
) -> None:
    """Review questions one by one: answer before you see the key, then go through the checks and decide.

    An answer can't be changed. Stop at any time, and continue later by the same command.
    """
    with (
        exit_on_expected_error(),
        end_cleanly_on_signal("What you decided is kept: the same command continues."),
        explain_unwritable(folder),
    ):
        from benchwright_authoring.review.reviews import Reviewer, multiple_choice_questions

        reviewer = Reviewer(folder, name)
        waiting_questions = reviewer.questions_left_with_begun_review(multiple_choice_questions(folder))
        reviewed_count = 0
        # The end of the input is an end too.
        with suppress(EOFError):
            for number, (problem, begun_review) in enumerate(waiting_questions, start=1):
                console.print(Rule(f"{number} of {len(waiting_questions)}"))
                _print_question(problem)
                answered_review = begun_review or _answered_review_or_command(reviewer, problem)
                if answered_review == _QUIT:
                    break
                if not isinstance(answered_review, str):
                    _ask_and_record_decision(reviewer, problem, folder, answered_review)
                    reviewed_count += 1
        err.print(f"{reviewed_count} reviewed; {len(waiting_questions) - reviewed_count} are left for you.")


def accepted(
    folder: Reviewed,
    out_folder: PackOut,
    reviewers: Annotated[int, typer.Option(min=1, help="How many have to decide on a question.")] = 3,
    unanimous: Annotated[
        bool, typer.Option("--unanimous", help="All of them have to accept it, instead of more than half.")
    ] = False,
    json_output: Json = False,
) -> None:
    """Make a pack of the questions that enough reviewers accept, and show how reviewers agree.

    Exit status: 0 all questions are decided, 1 some are not; these are left out.
    """
    with exit_on_expected_error():
        from benchwright_authoring.review.accepted import review_tally_and_reviews, write_accepted_pack

        pack_standing, reviews = review_tally_and_reviews(folder, reviewers, must_be_unanimous=unanimous)
        with explain_unwritable(out_folder):
            write_accepted_pack(folder, out_folder, pack_standing, reviews)
    if json_output:
        print_json(vars(pack_standing))
    else:
        _print_tally(pack_standing, out_folder)
    raise typer.Exit(1 if pack_standing.open else 0)


def _print_question(problem: Problem) -> None:
    _print_hidden_characters_escaped(problem.public.statement)
    for choice in problem.public.question.choices if problem.public.question is not None else ():
        _print_hidden_characters_escaped(f"{choice.letter}  {choice.text}")


def _answered_review_or_command(reviewer: Reviewer, problem: Problem) -> QuestionReview | str:
    """The review with the answer, or what was chosen instead of one."""
    letters = [choice.letter for choice in problem.public.question.choices] if problem.public.question else []
    began = time.monotonic()
    question = f"Your answer ({_SKIP} skips, {_QUIT} quits)"
    chosen_letter = Prompt.ask(question, choices=[*letters, _SKIP, _QUIT], console=console, case_sensitive=False)
    if chosen_letter in (_SKIP, _QUIT):
        return chosen_letter
    return reviewer.record_answer(problem, chosen_letter, time.monotonic() - began)


def _ask_and_record_decision(
    reviewer: Reviewer, problem: Problem, folder: Path, answered_review: QuestionReview
) -> None:
    from benchwright_authoring.generation.writing import PASSAGE
    from benchwright_authoring.review.checks import ReviewCheck

    began = time.monotonic()
    key = problem.hidden.answer
    if key is not None:
        _print_hidden_characters_escaped(f"The key is {key.value}; you chose {answered_review.answer}.")
        _print_hidden_characters_escaped(key.explanation)
    passage = folder / problem.id / PASSAGE
    if passage.is_file():
        _print_hidden_characters_escaped(f"It was written from the passage in {passage}.")
    checks = [check for check in ReviewCheck if Confirm.ask(check.value, console=console)]
    accepts = len(checks) == len(ReviewCheck) and Confirm.ask("Do you accept the question?", console=console)
    comment = ""
    while not accepts and not comment.strip():
        comment = Prompt.ask("What is wrong?", console=console)
    spent = time.monotonic() - began
    reviewer.record_decision(problem, accepts=accepts, checks=checks, comment=comment, decision_s=spent)


def _print_tally(tally: ReviewTally, pack_folder: Path) -> None:
    open_note = f", {len(tally.open)} lack reviews" if tally.open else ""
    accepted_count, rejected = len(tally.accepted), len(tally.rejected)
    message = (
        f"{counted(accepted_count, 'question')} accepted, {rejected} rejected{open_note}; the pack is in {pack_folder}."
    )
    console.print(message, markup=False, soft_wrap=True)
    agreed = (
        f"Krippendorff's alpha {number(tally.alpha)}" if tally.alpha is not None else "Krippendorff's alpha undefined"
    )
    alike_count, pair_count = tally.pairs_alike
    console.print(
        f"{alike_count} of {pair_count} pairs of decisions alike; {agreed}; {tally.right} of "
        f"{tally.reviews} answers given before the key were right.",
        soft_wrap=True,
    )
    for name, seconds in tally.median_s.items():
        console.print(f"{name}: median {seconds:.0f} s per question.", markup=False)


def _print_hidden_characters_escaped(text: str) -> None:
    from benchwright_judges.models.prompt import escape_hidden_characters

    console.print(escape_hidden_characters(text), markup=False, soft_wrap=True)
