"""One problem in a course: who solved it when, which hidden tests catch whom, what was answered, what is alike."""

from __future__ import annotations

import asyncio
import json
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from benchwright_attempts.log import EventLog
from benchwright_harness.run import starting_files
from benchwright_judges.database import Database
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import Outcome
from benchwright_service.gradebook import Gradebook
from benchwright_service.run_rows import DECIDED
from benchwright_service.snapshots import Snapshots
from benchwright_service.tables import ATTEMPTS_HELD, RUNS
from benchwright_teaching.items import Item, analyse
from benchwright_teaching.points import share_of
from benchwright_teaching.similarity import Pair, pairs

LEAST_ALIKE = 0.3
"""Pairs with less in common are not shown."""
_MOST_PAIRS = 100
_LONGEST_ANSWER = 60
_MOST_ANSWERS = 12


@dataclass(frozen=True)
class ItemReport:
    """A problem of an assignment, as its students did on it."""

    passed: int
    """How many students passed."""
    median_runs: float | None
    """To the first pass, of those who passed."""
    median_minutes: float | None
    """Active time, of all attempts."""
    caught: Sequence[tuple[str, int]]
    """Hidden tests that the counted run failed, with the number of students, the most first."""
    answers: Sequence[tuple[str, int]]
    """What the counted runs answered, of a question, the most frequent first."""


def analysed(book: Gradebook) -> dict[tuple[str, str], Item]:
    """The item analysis of a course: all problems of all assignments are one test. Lateness does not count in it.

    Returns:
        By assignment and problem.
    """
    columns: dict[str, list[float | None]] = {}
    keys = {}
    for view, rules in book.assignments:
        for problem in view.problems:
            worth = [book.grade(student, view).worth.get(problem) for student in book.students]
            name = f"{view.id}/{problem}"
            keys[name] = view.id, problem
            columns[name] = [None if one is None or one.run is None else share_of(one.run, rules) for one in worth]
    return {keys[name]: item for name, item in analyse(columns).items()}


def _counted(book: Gradebook, assignment: str, problem: str) -> dict[str, str]:
    """The run of each student that counts: its id → the account."""
    return {
        worth.run.id: account
        for (account, one), grade in book.grades.items()
        if one == assignment and (worth := grade.worth.get(problem)) and worth.run is not None
    }


class ItemReports:
    """Makes them.

    Args:
        database: Of the service.
        log: The service's.
        snapshots: Have the files of runs.
    """

    def __init__(self, database: Database, log: EventLog, snapshots: Snapshots) -> None:
        self._database = database
        self._log = log
        self._snapshots = snapshots

    async def of(self, book: Gradebook, assignment: str, problem: str, *, is_question: bool) -> ItemReport:
        """The report of a problem."""
        counted = _counted(book, assignment, problem)
        wanted = (
            select(RUNS.c.id, RUNS.c.number, RUNS.c.account, RUNS.c.outcome, RUNS.c.attempt)
            .join(ATTEMPTS_HELD, ATTEMPTS_HELD.c.attempt == RUNS.c.attempt)
            .where(ATTEMPTS_HELD.c.assignment == assignment)
            .where(ATTEMPTS_HELD.c.problem.endswith(f"/{problem}", autoescape=True))
            .where(RUNS.c.outcome.in_(DECIDED))
            .order_by(RUNS.c.queued)
        )
        students = {student.account for student in book.students}
        async with self._database.reading() as connection:
            runs = [run for run in await connection.execute(wanted) if run.account in students]
            details = (
                await connection.execute(select(RUNS.c.verdict, RUNS.c.files).where(RUNS.c.id.in_(counted)))
            ).all()
        tries: Counter[str] = Counter()
        to_pass: dict[str, int] = {}
        for run in runs:
            tries[run.account] += 1
            if run.outcome == Outcome.PASSED.value:
                to_pass.setdefault(run.account, tries[run.account])
        attempts = {run.attempt for run in runs}
        minutes = await asyncio.to_thread(lambda: [self._log.summary(one).clock.active_s / 60 for one in attempts])
        caught: Counter[str] = Counter()
        for row in details:
            tests = json.loads(row.verdict).get("tests") or ()
            caught.update({str(test["name"]) for test in tests if not test["passed"]})
        answers = await asyncio.to_thread(self._answers, [row.files for row in details]) if is_question else Counter()
        return ItemReport(
            len(to_pass),
            statistics.median(to_pass.values()) if to_pass else None,
            statistics.median(minutes) if minutes else None,
            caught.most_common(),
            answers.most_common(_MOST_ANSWERS),
        )

    async def alike(self, book: Gradebook, assignment: str, problem: Problem) -> Sequence[Pair]:
        """Students whose counted runs have much in common; solutions are named by account."""
        counted = _counted(book, assignment, problem.id)
        wanted = select(RUNS.c.id, RUNS.c.files).where(RUNS.c.id.in_(counted))
        async with self._database.reading() as connection:
            rows = (await connection.execute(wanted)).all()

        def compared() -> Sequence[Pair]:
            given = {path: content.decode(errors="replace") for path, content in starting_files(problem).items()}
            solutions = {counted[row.id]: self._texts(row.files) for row in rows}
            return [pair for pair in pairs(solutions, given) if pair.share >= LEAST_ALIKE][:_MOST_PAIRS]

        return await asyncio.to_thread(compared)

    def _texts(self, files: str) -> dict[str, str]:
        return {
            path: self._snapshots.content(digest).decode(errors="replace") for path, digest in json.loads(files).items()
        }

    def _answers(self, files: Sequence[str]) -> Counter[str]:
        found: Counter[str] = Counter()
        for one in files:
            for content in self._texts(one).values():
                text = " ".join(content.split())
                found[text if len(text) <= _LONGEST_ANSWER else f"{text[:_LONGEST_ANSWER]}…"] += 1
        return found
