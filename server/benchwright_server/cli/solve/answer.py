"""`benchwright answer`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from benchwright_attempts.grading.grading import judge_answer
from benchwright_attempts.grading.judging import AttemptJudging
from benchwright_foundation.home import Home
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Verdict
from benchwright_server.cli.solve.batch import BatchOptions, grade_batch
from benchwright_server.cli.solve.batch_reading import Origins
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.option_groups import flatten_option_groups
from benchwright_server.cli.terminal.output import exit_on_expected_error, print_verdict_and_exit
from benchwright_server.errors import ServerError


def add_to(parent: typer.Typer) -> None:
    """Add the command to `benchwright`."""
    parent.command("answer")(flatten_option_groups(answer))


def answer(
    problem: options.ProblemOrPack,
    batch: BatchOptions,
    origins: Origins,
    file: Annotated[Path | None, typer.Argument(metavar="ANSWER", help="File that contains the answer.")] = None,
    judge_url: Annotated[
        str, typer.Option(metavar="URL", help="Score with this judge service; for one answer only.")
    ] = "",
    json_output: options.Json = False,
) -> None:
    """Score an answer to a question, or grade many answers to a pack's problems, designs included.

    Exit status for one answer: 0 right, 1 not right, 2 undecided; for many: as of `benchwright grade`.
    """
    with exit_on_expected_error():
        if batch.responses is not None:
            if file is not None or judge_url:
                raise ServerError("With --responses, give no other file and no --judge-url.")
            grade_batch(problem, batch.responses, batch, origins, json_output)
        if file is None:
            raise ServerError(f"Give the file with the answer: benchwright answer {problem} ANSWER.")
        home = Home.from_environment()
        unsealed_problem = Store(home).unseal(problem)
        if unsealed_problem.kind is ProblemKind.DESIGN:
            raise ServerError(f"{problem} is not a question; use `benchwright grade {problem} DIR`.")
        print_verdict_and_exit(
            problem,
            asyncio.run(
                _verdict_on_answer(home, problem, unsealed_problem, _read_answer_text(file), judge_url, batch.reader)
            ),
            json_output,
        )


def _read_answer_text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise ServerError(f"{file} can't be read: {error.strerror}.") from error


async def _verdict_on_answer(
    home: Home, problem_ref: str, problem: Problem, answer_text: str, judge_url: str, reader_judge_name: str
) -> Verdict:
    judging = AttemptJudging(home, reader_name=reader_judge_name)
    judging.service_url = judge_url
    try:
        grading = await judge_answer(problem_ref, problem, answer_text, judging)
    finally:
        await judging.close()
    return grading.verdict
