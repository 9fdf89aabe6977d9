"""`benchwright judge probe`: how much judges are moved by what should not matter."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import number
from benchwright_problems.errors import ProblemsError
from benchwright_problems.storage.store import Store
from benchwright_server.cli.judge.records import opened_judges
from benchwright_server.cli.terminal.options import Budget, Json
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    # NumPy and SciPy take seconds to import.
    from benchwright_judges.agreement.probes import ProbedAnswer, ProbeResult
    from benchwright_judges.records.records import AnswerRecord

_CHANGES = {
    "length": "the answer twice behind the question, against the answer alone",
    "position": "the key before a wrong answer, against the key behind it",
    "family": "signed by the judge's family, against signed by a foreign one",
}


def probe(
    answers: Annotated[int, typer.Option(min=5, max=10_000, help="Answers that are asked about, drawn by lot.")] = 40,
    seed: Annotated[int, typer.Option(help="Seed of the lot.")] = 1,
    budget: Budget = None,
    json_output: Json = False,
) -> None:
    """Measure how much judges are moved by length, by what comes first, and by their own family's name.

    Each judge votes on answers of the database of judgements, and on the same answers with a change of which nothing
    should follow. Nothing is recorded but the votes, which are kept: the same command again costs nothing.

    Exit status: 0 measured, 1 nothing to measure, or a judge could not be used for some answers.
    """
    with (
        exit_on_expected_error(),
        explain_missing_extra("`benchwright judge probe`", "judges"),
        err.status("Asking the judges"),
    ):
        results = asyncio.run(_probe_judges_on_drawn_answers(answers, seed, budget))
    if json_output:
        print_json([result.model_dump(mode="json") for result in results])
    elif not results:
        console.print(
            "No answer can be probed: the database of judgements has none that models judge, to a problem of this"
            " machine. `benchwright answer PACK/ID FILE` adds one."
        )
    else:
        _print_probe_results(results)
    raise typer.Exit(0 if results and not any(result.failed for result in results) else 1)


async def _probe_judges_on_drawn_answers(answer_count: int, seed: int, budget_usd: float | None) -> list[ProbeResult]:
    from benchwright_judges.agreement.probes import choose_probed_answers, probe_judges
    from benchwright_judges.models.budget import JudgingBudget, OutOfBudgetError

    async with opened_judges() as judges:
        if judges.panel is None:
            raise ServerError("No judge is set up. docs/how-to/judges.md shows how to set one up.")
        probed = await asyncio.to_thread(_probed_answers, await judges.records.answer_records())
        drawn_answers = choose_probed_answers(probed, answer_count, seed=seed)
        if not drawn_answers:
            return []
        families = {judge.name: str(judge.facts().get("family", judge.name)) for judge in judges.settings.judge}
        spending = JudgingBudget(judges.settings.budget_usd if budget_usd is None else budget_usd)
        try:
            return await probe_judges(drawn_answers, judges.panel, families, judges.records, spending)
        except OutOfBudgetError as error:
            raise ServerError(
                "The budget does not suffice for all votes. Those that were given are kept: repeat the command with a"
                " larger --budget, or with fewer --answers."
            ) from error


def _probed_answers(answer_records: Sequence[AnswerRecord]) -> list[ProbedAnswer]:
    """Answers to problems of this machine as they are now."""
    from benchwright_judges.agreement.agreement import is_right_by_majority
    from benchwright_judges.agreement.probes import ProbedAnswer
    from benchwright_judges.agreement.rated import scale_of

    store = Store(Home.from_environment())
    probed = []
    for answer_record in answer_records:
        answer = answer_record.answer
        try:
            problem = store.unseal(answer.problem)
        except ProblemsError:
            continue
        if not answer.answers_current_version(problem):
            continue
        scale, labels = scale_of(answer.format), [grade.label for grade in answer_record.grades]
        is_right = answer_record.judgement.passed if answer_record.judgement is not None else None
        if scale is not None and labels:
            is_right = is_right_by_majority(scale, labels)
        probed.append(ProbedAnswer(answer.problem, problem, answer.text, is_right))
    return probed


def _print_probe_results(results: Sequence[ProbeResult]) -> None:
    table = TerminalTable("judge", "probe", "answers", "problems", "score moves by", "raised", "lowered", "failed")
    for result in results:
        shift = result.shift
        interval = "" if shift.low is None else f" [{number(shift.low)}, {number(shift.high)}]"
        table.add_row(
            result.judge,
            result.probe.value,
            str(result.answers),
            str(result.problems),
            "-" if shift.value is None else f"{number(shift.value)}{interval}",
            str(result.raised),
            str(result.lowered),
            str(result.failed),
        )
    table.print_rows()
    for name, change in _CHANGES.items():
        console.print(f"{name}: {change}")
    console.print("Scores are from 0 to 1. Intervals: 95 %, Student's t over problems; from five problems on.")
