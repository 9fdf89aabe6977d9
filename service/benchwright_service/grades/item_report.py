"""One problem in a course: who solved it when, which hidden tests catch whom, what was answered, what is alike."""

from __future__ import annotations

import asyncio
import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import select

from benchwright_attempts.log.log import EventLog
from benchwright_authoring.item_analysis import ItemStatistics, Option, item_statistics, option_statistics
from benchwright_foundation.database import Database
from benchwright_harness.execution.run import starting_files
from benchwright_judges.score import read_selection, selectable_values
from benchwright_problems.problem import AnsweredBy, Problem, Question
from benchwright_problems.verdict import Outcome
from benchwright_service.courses.snapshots import Snapshots
from benchwright_service.grades.gradebook import Gradebook
from benchwright_service.runs.run_rows import DECIDED
from benchwright_service.storage.tables import ATTEMPTS_HELD, RUNS
from benchwright_teaching.points import share_before_deductions
from benchwright_teaching.similarity import SimilarPair, pairs_with_common_text

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Of the time that attempts took."""
LEAST_ALIKE = 0.3
"""Pairs with less in common are not shown."""
_MOST_PAIRS = 100
_LONGEST_ANSWER = 60
_MOST_ANSWERS = 12
_MOST_TRIES = 8
_UNREAD = "no option read"


@dataclass(frozen=True)
class ItemReport:
    """A problem of an assignment, as its students did on it."""

    passed: int
    """Number of students who passed."""
    median_runs: float | None
    """To the first pass, of those who passed."""
    minutes: Sequence[float]
    """Active time of attempts: the quantiles of `QUANTILES`; empty if nobody worked."""
    untimed: int
    """Number of attempts without a time: no clock ran before their students."""
    unrecorded: int
    """Number of attempts whose recording was declined and deleted."""
    tries: Sequence[tuple[str, int]]
    """Numbers of students who passed with the first run, with the second, …; with more; and have not passed."""
    failed: Sequence[tuple[str, int, int]]
    """Reasons why runs did not pass: the reason, runs, and students; the most first."""
    caught: Sequence[tuple[str, Sequence[str]]]
    """Hidden tests that the counted run failed, with the names of the students, the most first."""
    answers: Sequence[tuple[str, int]]
    """Answers of the counted runs, the most frequent first; of a question with options, those that name none."""
    options: Sequence[Option]
    """Options that they selected, of a question with options."""
    right: frozenset[str]
    """The options with which runs passed."""

    def is_non_functional(self, option: Option) -> bool | None:
        """True if an option is a distractor that hardly anybody selects.

        Returns:
            None of the right one, with too few students, and while nobody has passed: the option that is left out would
            be the key.
        """
        is_distractor = bool(self.right) and option.value not in {*self.right, _UNREAD}
        return option.is_non_functional if is_distractor else None


def item_statistics_by_problem(book: Gradebook) -> dict[tuple[str, str], ItemStatistics]:
    """The item analysis of a course: all problems of all assignments are one test. Lateness does not count in it.

    Returns:
        By assignment and problem.
    """
    problem_keys = {
        f"{view.id}/{problem}": (view.id, problem) for view, _ in book.assignments for problem in view.problems
    }
    return {problem_keys[name]: item for name, item in item_statistics(_shares_by_problem(book)).items()}


def _shares_by_problem(book: Gradebook) -> dict[str, list[float | None]]:
    """By `assignment/problem`, the share of each student."""
    columns = {}
    for view, grading_rules in book.assignments:
        for problem in view.problems:
            worth = [book.grade(student, view).worth.get(problem) for student in book.students]
            shares = [
                None
                if worth_of_student is None or worth_of_student.run is None
                else share_before_deductions(worth_of_student.run, grading_rules)
                for worth_of_student in worth
            ]
            columns[f"{view.id}/{problem}"] = shares
    return columns


def _accounts_by_counted_run(book: Gradebook, assignment: str, problem: str) -> dict[str, str]:
    """The run of each student that counts: its id → the account."""
    return {
        worth.run.id: account
        for (account, graded_assignment), grade in book.grades.items()
        if graded_assignment == assignment and (worth := grade.worth.get(problem)) and worth.run is not None
    }


class ItemReports:
    """Makes them.

    Args:
        database: Database of the service.
        log: The service's.
        snapshots: Have the files of runs.
    """

    def __init__(self, database: Database, log: EventLog, snapshots: Snapshots) -> None:
        self._database = database
        self._log = log
        self._snapshots = snapshots

    async def report(self, book: Gradebook, assignment: str, public_problem: Problem) -> ItemReport:
        """The report of a problem."""
        problem = public_problem.id
        counted_runs = _accounts_by_counted_run(book, assignment, problem)
        query = (
            select(RUNS.c.id, RUNS.c.number, RUNS.c.account, RUNS.c.outcome, RUNS.c.attempt, RUNS.c.verdict)
            .join(ATTEMPTS_HELD, ATTEMPTS_HELD.c.attempt == RUNS.c.attempt)
            .where(ATTEMPTS_HELD.c.assignment == assignment)
            .where(ATTEMPTS_HELD.c.problem.endswith(f"/{problem}", autoescape=True))
            .where(RUNS.c.outcome.in_(DECIDED))
            .order_by(RUNS.c.queued)
        )
        students = {student.account: student.name for student in book.students}
        async with self._database.read_transaction() as connection:
            run_rows = [run for run in await connection.execute(query) if run.account in students]
            details = (
                await connection.execute(
                    select(RUNS.c.id, RUNS.c.outcome, RUNS.c.verdict, RUNS.c.files).where(RUNS.c.id.in_(counted_runs))
                )
            ).all()
        tries: Counter[str] = Counter()
        to_pass: dict[str, int] = {}
        for run_row in run_rows:
            tries[run_row.account] += 1
            if run_row.outcome == Outcome.PASSED.value:
                to_pass.setdefault(run_row.account, tries[run_row.account])
        attempt_ids = {run.attempt for run in run_rows}
        summaries = (await asyncio.to_thread(self._log.summaries_by_attempt, attempt_ids)).values()
        minutes = [summary.clock.active_s / 60 for summary in summaries if summary.has_clock]
        caught: dict[str, list[str]] = defaultdict(list)
        for row in details:
            for test in json.loads(row.verdict).get("tests") or ():
                if not test["passed"]:
                    caught[str(test["name"])].append(students[counted_runs[row.id]])
        question = public_problem.public.question
        answer_rows = details if question is not None else ()
        answers = await asyncio.to_thread(
            lambda: {counted_runs[row.id]: self._answer_text(row.files) for row in answer_rows}
        )
        is_selected = question is not None and bool(selectable_values(question))
        return ItemReport(
            len(to_pass),
            statistics.median(to_pass.values()) if to_pass else None,
            np.quantile(minutes, QUANTILES).tolist() if minutes else (),
            len(summaries) - len(minutes),
            len(attempt_ids) - len(summaries),
            _try_counts(to_pass.values(), len(tries) - len(to_pass)),
            _failure_reason_counts(run_rows),
            sorted(
                ((test, sorted(names)) for test, names in caught.items()),
                key=lambda test_failures: -len(test_failures[1]),
            ),
            _answer_counts(
                text
                for text in answers.values()
                if question is not None and not (is_selected and read_selection(question, text))
            ),
            self._statistics_of_options(book, assignment, problem, question, answers)
            if question is not None and is_selected
            else (),
            frozenset(
                option
                for row in answer_rows
                if question is not None and is_selected and row.outcome == Outcome.PASSED.value
                for option in _selected_options(question, answers[counted_runs[row.id]])
            ),
        )

    def _statistics_of_options(
        self, book: Gradebook, assignment: str, problem: str, question: Question, answers: Mapping[str, str]
    ) -> Sequence[Option]:
        texts = [answers.get(student.account) for student in book.students]
        chosen_options = [None if text is None else _selected_options(question, text) or (_UNREAD,) for text in texts]
        values = (*selectable_values(question), *((_UNREAD,) if (_UNREAD,) in chosen_options else ()))
        return option_statistics(_shares_by_problem(book), f"{assignment}/{problem}", chosen_options, values)

    async def similar_student_pairs(self, book: Gradebook, assignment: str, problem: Problem) -> Sequence[SimilarPair]:
        """Students whose counted runs have much in common; solutions are named by account."""
        counted_runs = _accounts_by_counted_run(book, assignment, problem.id)
        query = select(RUNS.c.id, RUNS.c.files).where(RUNS.c.id.in_(counted_runs))
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()

        def compared() -> Sequence[SimilarPair]:
            start_texts = {path: content.decode(errors="replace") for path, content in starting_files(problem).items()}
            solutions = {counted_runs[row.id]: self._solution_texts(row.files) for row in rows}
            return [pair for pair in pairs_with_common_text(solutions, start_texts) if pair.share >= LEAST_ALIKE][
                :_MOST_PAIRS
            ]

        return await asyncio.to_thread(compared)

    def _solution_texts(self, digests_json: str) -> dict[str, str]:
        return {
            path: self._snapshots.content(digest).decode(errors="replace")
            for path, digest in json.loads(digests_json).items()
        }

    def _answer_text(self, digests_json: str) -> str:
        return "\n".join(self._solution_texts(digests_json).values())


def _selected_options(question: Question, text: str) -> tuple[str, ...]:
    selected = read_selection(question, text)
    if selected is None:
        return ()
    return tuple(selected) if question.format.answered_by is AnsweredBy.CHOICES else (selected,)


def _answer_counts(texts: Iterable[str]) -> Sequence[tuple[str, int]]:
    counts: Counter[str] = Counter()
    for answer_text in texts:
        text = " ".join(answer_text.split())
        counts[text if len(text) <= _LONGEST_ANSWER else f"{text[:_LONGEST_ANSWER]}…"] += 1
    return counts.most_common(_MOST_ANSWERS)


def _try_counts(runs_to_pass: Iterable[int], not_passed: int) -> Sequence[tuple[str, int]]:
    counts = Counter(runs_to_pass)
    try_counts = [(str(number), counts[number]) for number in range(1, _MOST_TRIES + 1)]
    remaining_count = sum(count for number, count in counts.items() if number > _MOST_TRIES)
    return [*try_counts, (f"over {_MOST_TRIES}", remaining_count), ("not yet", not_passed)]


def _failure_reason_counts(run_rows: Iterable[Any]) -> Sequence[tuple[str, int, int]]:
    accounts_by_reason: dict[str, list[str]] = defaultdict(list)
    for run in run_rows:
        if run.outcome != Outcome.PASSED.value:
            accounts_by_reason[str(json.loads(run.verdict)["reason"]).replace("_", " ")].append(run.account)
    reason_rows = [(reason, len(accounts), len(set(accounts))) for reason, accounts in accounts_by_reason.items()]
    return sorted(reason_rows, key=lambda reason_row: -reason_row[1])
