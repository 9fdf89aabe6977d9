"""Figures of a course for research: no names, no text that people wrote, no small cells."""

from __future__ import annotations

import asyncio
import csv
import io
import secrets
import zipfile
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Row, Select, func, select

from benchwright_attempts.log.log import EventLog
from benchwright_foundation.database import Database
from benchwright_remote.messages import Role
from benchwright_service.errors import BenchServiceError
from benchwright_service.storage.tables import (
    ASSIGNMENTS,
    ATTEMPTS_HELD,
    COURSES,
    HINTS,
    MEMBERS,
    RECORDING_CHOICES,
    RUNS,
)

FEWEST_PEOPLE = 10
"""People who have worked in a course, below which there is no export."""
SMALLEST_CELL = 5
"""People at a problem, below which nothing of it is exported."""
_ATTEMPT_COLUMNS = ("person", "assignment", "problem", "attempt", "active_minutes", "runs", "passed", "hints")
_RUN_COLUMNS = ("person", "assignment", "problem", "attempt", "run", "outcome", "share", "minutes", "days_late")
_NOT_RECORDED = "not recorded"
_DAY_S = 86_400
_CODEBOOK = """\
# Codebook

One course, without names, text that people wrote, dates, sections and groups. `person` is drawn anew in each export,
and nobody keeps whose it is: two exports can't be joined by it. Left out are staff; people who have declined, or not
agreed to, the recording of their work where the course asks; and all of a problem at which fewer than {smallest} people
worked: {left_out} of {problems} problems here. {people} people are in it.

Whoever knows from elsewhere what somebody did, such as the number of runs at each problem, may still find that person.
Give the files only to people who have agreed not to try.

## attempts.csv

| column | meaning |
| --- | --- |
| person | random name |
| assignment | A1, A2, … in the order in which they were made |
| problem | pack and problem |
| attempt | rank of the person's attempt at the problem in the assignment, from 1 |
| active_minutes | time at work, to a tenth; `{not_recorded}` where no clock ran, or the record was deleted |
| runs | number of runs with a verdict that passed or failed |
| passed | 1 if one of them passed, else 0 |
| hints | number of hints taken |

## runs.csv

Runs with a verdict that passed or failed; undecided ones are left out.

| column | meaning |
| --- | --- |
| person, assignment, problem, attempt | as above |
| run | rank within the attempt's runs that are here, from 1 |
| outcome | `passed` or `failed` |
| share | of the hidden tests that passed, or of the points of their groups, from 0 to 1, to a hundredth |
| minutes | from the beginning of the attempt until the run was asked for, to a tenth |
| days_late | days, as soon as they begin, after the assignment's own due date; empty if it has none |
"""


class ResearchExports:
    """Makes them.

    Args:
        database: Database of the service.
        log: The service's.
    """

    def __init__(self, database: Database, log: EventLog) -> None:
        self._database = database
        self._log = log

    async def export_zip(self, course: str) -> bytes:
        """A ZIP archive with `attempts.csv`, `runs.csv` and `codebook.md`.

        Raises:
            BenchServiceError: Fewer than `FEWEST_PEOPLE` people can be in it.
        """
        async with self._database.read_transaction() as connection:
            attempt_rows = (await connection.execute(_attempts_query(course))).all()
            attempt_query = select(_attempts_query(course).subquery().c.attempt)
            run_query: Select[Any] = select(RUNS.c.attempt, RUNS.c.outcome, RUNS.c.share, RUNS.c.queued)
            run_query = run_query.where(RUNS.c.attempt.in_(attempt_query), RUNS.c.outcome.in_(("passed", "failed")))
            run_rows = (await connection.execute(run_query.order_by(RUNS.c.number))).all()
            hint_query = select(HINTS.c.attempt, func.count().label("hints")).where(HINTS.c.attempt.in_(attempt_query))
            hint_rows = (await connection.execute(hint_query.group_by(HINTS.c.attempt))).all()
        hints: dict[str, int] = {row.attempt: row.hints for row in hint_rows}
        return await asyncio.to_thread(self._zip_of_rows, attempt_rows, run_rows, hints)

    def _zip_of_rows(
        self, attempt_rows: Sequence[Row[Any]], run_rows: Sequence[Row[Any]], hint_count_by_attempt: Mapping[str, int]
    ) -> bytes:
        large_problems, left_out = _large_problems_and_left_out_count(attempt_rows)
        kept_rows = [row for row in attempt_rows if (row.assignment, row.problem) in large_problems]
        kept_accounts = {row.account for row in kept_rows}
        if len(kept_accounts) < FEWEST_PEOPLE:
            raise BenchServiceError(
                f"fewer than {FEWEST_PEOPLE} people have worked at problems at which {SMALLEST_CELL} have, and may be"
                " in an export"
            )
        pseudonyms = _fresh_pseudonyms(kept_accounts)
        assignment_names: dict[str, str] = {}
        for row in sorted(kept_rows, key=lambda held: (held.assignment_created, held.assignment)):
            assignment_names.setdefault(row.assignment, f"A{len(assignment_names) + 1}")
        runs_by_attempt: dict[str, list[Row[Any]]] = defaultdict(list)
        for run_row in run_rows:
            runs_by_attempt[run_row.attempt].append(run_row)
        summaries = self._log.summaries_by_attempt([row.attempt for row in kept_rows])
        attempt_lines, run_lines = [], []
        ranks: dict[tuple[str, str, str], int] = defaultdict(int)
        for row in kept_rows:
            ranks[row.account, row.assignment, row.problem] += 1
            rank = ranks[row.account, row.assignment, row.problem]
            columns_of_place = (pseudonyms[row.account], assignment_names[row.assignment], row.problem, rank)
            rows_of_runs = runs_by_attempt[row.attempt]
            summary = summaries.get(row.attempt)
            has_time = summary is not None and summary.has_clock
            minutes = f"{summary.clock.active_s / 60:.1f}" if summary is not None and has_time else _NOT_RECORDED
            is_passed = any(run_row.outcome == "passed" for run_row in rows_of_runs)
            attempt_lines.append(
                (
                    *columns_of_place,
                    minutes,
                    len(rows_of_runs),
                    int(is_passed),
                    hint_count_by_attempt.get(row.attempt, 0),
                )
            )
            for run_rank, run_row in enumerate(rows_of_runs, 1):
                elapsed = f"{max(0.0, run_row.queued - row.created) / 60:.1f}"
                late = "" if row.due is None else max(0, -int(-(run_row.queued - row.due) // _DAY_S))
                run_lines.append((*columns_of_place, run_rank, run_row.outcome, f"{run_row.share:.2f}", elapsed, late))
        codebook = _CODEBOOK.format(
            smallest=SMALLEST_CELL,
            left_out=left_out,
            problems=left_out + len(large_problems),
            people=len(kept_accounts),
            not_recorded=_NOT_RECORDED,
        )
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("codebook.md", codebook)
            # By random names: the order of rows says nothing either.
            archive.writestr("attempts.csv", _csv_text(_ATTEMPT_COLUMNS, sorted(attempt_lines)))
            archive.writestr("runs.csv", _csv_text(_RUN_COLUMNS, sorted(run_lines)))
        return content.getvalue()


def _attempts_query(course: str) -> Select[Any]:
    """Attempts of participants who may be in an export, oldest first."""
    chosen = (RECORDING_CHOICES.c.course == COURSES.c.id) & (RECORDING_CHOICES.c.account == MEMBERS.c.account)
    return (
        select(
            ATTEMPTS_HELD.c.attempt,
            ATTEMPTS_HELD.c.account,
            ATTEMPTS_HELD.c.assignment,
            ATTEMPTS_HELD.c.problem,
            ATTEMPTS_HELD.c.created,
            ASSIGNMENTS.c.due,
            ASSIGNMENTS.c.created.label("assignment_created"),
        )
        .join(ASSIGNMENTS, ASSIGNMENTS.c.id == ATTEMPTS_HELD.c.assignment)
        .join(COURSES, COURSES.c.id == ASSIGNMENTS.c.course)
        .join(MEMBERS, (MEMBERS.c.course == COURSES.c.id) & (MEMBERS.c.account == ATTEMPTS_HELD.c.account))
        .outerjoin(RECORDING_CHOICES, chosen)
        .where(COURSES.c.id == course, MEMBERS.c.role == Role.PARTICIPANT.value)
        .where((COURSES.c.asks_recording == 0) | (RECORDING_CHOICES.c.agrees == 1))
        .order_by(ATTEMPTS_HELD.c.created, ATTEMPTS_HELD.c.attempt)
    )


def _large_problems_and_left_out_count(attempt_rows: Sequence[Row[Any]]) -> tuple[Collection[tuple[str, str]], int]:
    """Problems of assignments at which enough people worked, and the number of others."""
    people_by_cell: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in attempt_rows:
        people_by_cell[row.assignment, row.problem].add(row.account)
    large_problems = {problem for problem, accounts in people_by_cell.items() if len(accounts) >= SMALLEST_CELL}
    return large_problems, len(people_by_cell) - len(large_problems)


def _fresh_pseudonyms(accounts: Collection[str]) -> Mapping[str, str]:
    """A random name for each account, which nobody has had."""
    names: set[str] = set()
    while len(names) < len(accounts):
        names.add(f"P{secrets.token_hex(4)}")
    return dict(zip(accounts, names, strict=True))


def _csv_text(columns: Sequence[str], csv_rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv_writer = csv.writer(text, lineterminator="\r\n")
    csv_writer.writerow(columns)
    csv_writer.writerows(csv_rows)
    return text.getvalue()
