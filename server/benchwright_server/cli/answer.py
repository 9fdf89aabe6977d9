"""`benchwright answer`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from benchwright_attempts.grading import judge_answer
from benchwright_attempts.judging import Judging
from benchwright_problems.home import Home
from benchwright_problems.problem import Kind, Problem
from benchwright_problems.store import Store
from benchwright_problems.verdict import Verdict
from benchwright_server.cli import options
from benchwright_server.cli.answers import print_summary, score_responses
from benchwright_server.cli.output import finish_with, plain_errors, print_json
from benchwright_server.errors import ServerError


def add_to(parent: typer.Typer) -> None:
    """Add the command to `benchwright`."""
    parent.command("answer")(answer)


def answer(
    problem: Annotated[str, typer.Argument(metavar="PROBLEM|PACK", help="PACK/ID; a pack with --responses.")],
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="Contains the answer.")] = None,
    responses: Annotated[
        Path | None, typer.Option(help="Answers to questions of a pack, as JSON Lines; scored without a judge.")
    ] = None,
    scores: Annotated[Path | None, typer.Option(help="File for one line per answer with its score.")] = None,
    judge_url: Annotated[
        str, typer.Option(metavar="URL", help="Score with this judge service; for one answer only.")
    ] = "",
    json_output: options.Json = False,
) -> None:
    """Score an answer to a question, or a file of answers to a pack's questions.

    Exit status for one answer: 0 right, 1 not right, 2 undecided; for a file: 0.
    """
    with plain_errors():
        if responses is not None:
            if file is not None or judge_url:
                raise ServerError("With --responses, give no other file and no --judge-url.")
            summary = score_responses(problem, responses, scores)
            if json_output:
                print_json(summary)
            else:
                print_summary(summary)
            return
        if file is None:
            raise ServerError(f"Give the file with the answer: benchwright answer {problem} FILE.")
        home = Home.find()
        hidden = Store(home).unseal(problem)
        if hidden.kind is Kind.DESIGN:
            raise ServerError(f"{problem} is not a question; use `benchwright grade {problem} DIR`.")
        finish_with(problem, asyncio.run(_judged(home, problem, hidden, _read(file), judge_url)), json_output)


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise ServerError(f"{file} can't be read: {error.strerror}.") from error


async def _judged(home: Home, ref: str, problem: Problem, text: str, judge_url: str) -> Verdict:
    judging = Judging(home)
    judging.service_url = judge_url
    try:
        graded = await judge_answer(ref, problem, text, judging)
    finally:
        await judging.close()
    return graded.verdict
