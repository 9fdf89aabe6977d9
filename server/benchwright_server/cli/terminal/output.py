"""Output that all commands share: errors as sentences, JSON on request, progress on standard error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer
from rich.console import Console, ConsoleDimensions

from benchwright_attempts.standing import ShownVerdict, verdict_standing
from benchwright_foundation.errors import BenchwrightError
from benchwright_harness.errors import HarnessError
from benchwright_problems.reveal import coarse_wall_s
from benchwright_problems.verdict import Outcome, Verdict, verdict_word
from benchwright_server.errors import ServerError

EXIT_STATUS = {Outcome.PASSED: 0, Outcome.FAILED: 1, Outcome.ERROR: 2}

_ENDLESS = 100_000


class _Console(Console):
    """Breaks and cuts lines on a terminal only: a file or a program gets each whole."""

    @property
    def size(self) -> ConsoleDimensions:
        """Columns and rows."""
        return super().size if self.is_terminal else ConsoleDimensions(_ENDLESS, 25)

    @size.setter
    def size(self, new_size: tuple[int, int]) -> None:
        self._width, self._height = new_size


console = _Console(highlight=False)
err = _Console(stderr=True, highlight=False)


def print_json(value: object) -> None:
    """Print one value, made of what JSON has, on standard output."""
    typer.echo(json.dumps(value, ensure_ascii=False))


@contextmanager
def exit_on_expected_error() -> Iterator[None]:
    """Show an expected error as its sentence, and exit with 2."""
    try:
        yield
    except BenchwrightError as error:
        hint = error.hint if isinstance(error, HarnessError) else ""
        err.print("[red]error:[/red]", end=" ")
        err.print(f"{error}{'. ' if hint else ''}{hint}", markup=False, soft_wrap=True)
        raise typer.Exit(2) from error


@contextmanager
def explain_unwritable(path: Path) -> Iterator[None]:
    """Say which file or folder can't be written, and why.

    Raises:
        ServerError: The file or folder can't be written.
    """
    try:
        yield
    except OSError as error:
        raise ServerError(f"{path} can't be written: {error.strerror}.") from error


def print_verdict_and_exit(problem_ref: str, verdict: Verdict, json_output: bool) -> NoReturn:
    """Print a verdict and exit with its status."""
    if json_output:
        print_json(
            {
                "problem": problem_ref,
                "verdict": verdict_word(verdict.outcome, verdict.reason),
                "reason": verdict.detail,
                "tests": {"passed": verdict.passed_tests, "total": len(verdict.tests)},
                "compiler": [message.model_dump() for message in verdict.compiler],
                "wall_s": coarse_wall_s(verdict.wall_s),
                "remarks": list(verdict.remarks),
                **quality_field_if_measured(verdict),
                "digests": verdict.digests.model_dump(mode="json"),
            }
        )
    else:
        counts = f" {verdict.passed_tests}/{len(verdict.tests)} tests," if verdict.tests else ""
        color = color_of_outcome(verdict.outcome)
        standing = verdict_standing(ShownVerdict(1, verdict.outcome.value, verdict.reason.value))
        console.print(f"[{color}]{standing.value}[/{color}]:{counts} {coarse_wall_s(verdict.wall_s):.1f} s. ", end="")
        console.print(" ".join(filter(None, (verdict.detail, verdict.hint))), markup=False, soft_wrap=True)
        for compiler_message in verdict.compiler[1:]:
            console.print(str(compiler_message), markup=False, soft_wrap=True)
        for remark in verdict.remarks:
            console.print(f"Remark: {remark}", markup=False, soft_wrap=True)
        if verdict.quality is not None:
            console.print(str(verdict.quality), markup=False, soft_wrap=True)
    raise typer.Exit(EXIT_STATUS[verdict.outcome])


def quality_field_if_measured(verdict: Verdict) -> dict[str, object]:
    """The member `quality` of a verdict in JSON; nothing if it was not measured."""
    return {} if verdict.quality is None else {"quality": verdict.quality.model_dump(mode="json")}


def color_of_outcome(outcome: Outcome) -> str:
    """The colour an outcome is printed in; the word is always there too."""
    return {Outcome.PASSED: "green", Outcome.FAILED: "red", Outcome.ERROR: "yellow"}[outcome]
