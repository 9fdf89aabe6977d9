"""`benchwright judge pending`: answers that wait for a judge."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_attempts.errors import AttemptError
from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_judges.judgement import Judgement, JudgementStatus
from benchwright_problems.errors import ProblemsError
from benchwright_problems.storage.store import Store
from benchwright_server.cli.judge.records import Judges, opened_judges
from benchwright_server.cli.terminal.options import AnswersAtOnce, Budget, Json, Reader
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    from benchwright_judges.models.budget import JudgingBudget
    from benchwright_judges.models.panel import Panel
    from benchwright_judges.records.records import Records, UnscoredAnswer

_Row = dict[str, str | float | None]


def pending(
    score: Annotated[bool, typer.Option("--score", help="Have the model judges score these answers.")] = False,
    budget: Budget = None,
    reader: Reader = "",
    jobs: AnswersAtOnce = 4,
    json_output: Json = False,
) -> None:
    """List the answers that wait for a judge; with --score, judge them and record the results in their attempts.

    Exit status: 0 no answer waits any more, 1 some do.
    """

    async def work() -> list[_Row]:
        async with opened_judges(reader) as judges:
            waiting_answers = await judges.records.unscored_answers()
            if not score:
                return [_answer_row(waiting_answer, None) for waiting_answer in waiting_answers]
            return await _score_and_make_rows(waiting_answers, judges, budget, jobs)

    status = "Judging" if score else "Reading the database"
    with exit_on_expected_error(), explain_missing_extra("`benchwright judge pending`", "judges"), err.status(status):
        rows = asyncio.run(work())
    if json_output:
        print_json(rows)
    elif not rows:
        console.print("No answer waits.")
    else:
        _print_answer_rows(rows)
    raise typer.Exit(1 if any(row["status"] in ("pending", "error") for row in rows) else 0)


async def _score_and_make_rows(
    waiting_answers: Sequence[UnscoredAnswer], local_judges: Judges, budget_usd: float | None, jobs: int
) -> list[_Row]:
    from benchwright_judges.models.budget import JudgingBudget

    panel = local_judges.panel
    if panel is None:
        raise ServerError(
            "No judge is set up, so none can score these answers. Set one up as docs/how-to/judges.md shows, or"
            " let people score with `benchwright judge grade`."
        )
    spending = JudgingBudget(local_judges.settings.budget_usd if budget_usd is None else budget_usd)
    turn = asyncio.Semaphore(jobs)

    async def score_answer(unscored_answer: UnscoredAnswer) -> _Row:
        async with turn:
            return _answer_row(
                unscored_answer, await _score_or_keep_pending(unscored_answer, panel, local_judges.records, spending)
            )

    return await asyncio.gather(*(score_answer(item) for item in waiting_answers))


async def _score_or_keep_pending(
    unscored_answer: UnscoredAnswer, panel: Panel, records: Records, spending: JudgingBudget
) -> Judgement:
    from benchwright_judges.records.recorded_judging import judge_and_record
    from benchwright_studies.conduct.late_judgement import record_late_judgement

    home = Home.from_environment()
    answer = unscored_answer.answer
    pending_judgement = Judgement(status=JudgementStatus.PENDING, message=unscored_answer.reason)
    try:
        problem = await asyncio.to_thread(Store(home).unseal, answer.problem)
    except ProblemsError as error:
        return pending_judgement.model_copy(update={"message": f"{error}."})
    if not answer.answers_current_version(problem):
        return pending_judgement.model_copy(
            update={"message": "The problem has changed since; import the version that was answered."}
        )
    judgement = await judge_and_record(
        problem,
        answer.text,
        panel,
        records,
        problem_ref=answer.problem,
        answer_id=answer.id,
        budget=spending,
        attempt=answer.attempt,
        try_number=answer.number,
    )
    if judgement.status.is_final:
        try:
            await asyncio.to_thread(record_late_judgement, home, answer, judgement)
        except AttemptError as error:
            return judgement.model_copy(update={"message": f"{judgement.message} {error}"})
    return judgement


def _answer_row(unscored_answer: UnscoredAnswer, judgement: Judgement | None) -> _Row:
    answer = unscored_answer.answer
    return {
        "id": answer.id,
        "problem": answer.problem,
        "attempt": answer.attempt,
        "number": answer.number,
        "since": datetime.fromtimestamp(unscored_answer.since, UTC).isoformat(timespec="seconds"),
        "status": (judgement.status if judgement else JudgementStatus.PENDING).value,
        "score": judgement.score if judgement else None,
        "label": judgement.label if judgement else "",
        "rubric": judgement.rubric if judgement else "",
        "votes": len(judgement.votes) if judgement else 0,
        "cost_usd": judgement.cost_usd if judgement else 0.0,
        "message": judgement.message if judgement else unscored_answer.reason,
    }


def _print_answer_rows(rows: Sequence[_Row]) -> None:
    table = TerminalTable("answer", "problem", "attempt", "since", "status", "score", "reason")
    for row in rows:
        table.add_row(
            str(row["id"]),
            str(row["problem"]),
            str(row["attempt"]),
            str(row["since"])[:16].replace("T", " "),
            str(row["status"]),
            "" if row["score"] is None else f"{row['score']:g}",
            str(row["message"]),
        )
    table.print_rows()
