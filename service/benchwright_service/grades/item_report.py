"""One problem in a course: who solved it when, which hidden tests catch whom, what was answered, what is alike."""

from __future__ import annotations

import asyncio
import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Text, cast, func, select

from benchwright_attempts.log.log import EventLog
from benchwright_authoring.item_analysis import (
    ItemStatistics,
    OptionStatistics,
    analyse_item,
    item_statistics,
    option_statistics_given_other_points,
)
from benchwright_foundation.database import Database
from benchwright_harness.execution.run import starting_solution_files
from benchwright_judges.score import read_selection, selectable_values
from benchwright_problems.problem import AnswerKind, Problem, Question
from benchwright_problems.verdict import Outcome
from benchwright_remote.messages import AssignmentView
from benchwright_service.courses.progress import CourseStudent
from benchwright_service.courses.snapshots import Snapshots
from benchwright_service.grades.points_table import counting_worth_condition
from benchwright_service.grades.solution_comparisons import SolutionComparisons
from benchwright_service.points.worth import DECIDED
from benchwright_service.storage.tables import ATTEMPTS_HELD, RUNS, WORTH
from benchwright_teaching.similarity import SimilarPair

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Of the time that attempts took."""
_LONGEST_ANSWER = 60
_MOST_ANSWERS = 12
_MOST_TRIES = 8
_UNREAD = "no option read"


@dataclass(frozen=True)
class ItemReport:
    """A problem of an assignment, as its students did on it."""

    statistics: ItemStatistics
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
    options: Sequence[OptionStatistics]
    """Options that they selected, of a question with options."""
    right: frozenset[str]
    """The options with which runs passed."""

    def is_non_functional(self, option: OptionStatistics) -> bool | None:
        """True if an option is a distractor that hardly anybody selects.

        Returns:
            None of the right one, with too few students, and while nobody has passed: the option that is left out would
            be the key.
        """
        is_distractor = bool(self.right) and option.value not in {*self.right, _UNREAD}
        return option.is_non_functional if is_distractor else None


@dataclass(frozen=True)
class _CountedWork:
    """Work that counts of the students at one problem."""

    share: Mapping[str, float]
    """By account, before deductions."""
    rest: Mapping[str, float]
    """By account, the sum of the shares of all other problems of the course."""
    account_by_run: Mapping[str, str]
    """By the id of the run that counts."""


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
        self._comparisons = SolutionComparisons(snapshots.folder)

    async def close(self) -> None:
        """Ends comparisons that go on."""
        await self._comparisons.close()

    async def item_statistics(
        self, assignments: Sequence[AssignmentView], students: Sequence[CourseStudent]
    ) -> dict[tuple[str, str], ItemStatistics]:
        """The item analysis of a course: all problems of all assignments are one test. Lateness does not count in it.

        Args:
            assignments: Assignments of the course.
            students: Students who count.

        Returns:
            By assignment and problem.
        """
        # One row for each problem: sixty thousand would take a second.
        share_text = cast(WORTH.c.account, Text) + ":" + cast(WORTH.c.share, Text)
        query = (
            select(WORTH.c.assignment, WORTH.c.problem, func.aggregate_strings(share_text, ","))
            .where(WORTH.c.assignment.in_([view.id for view in assignments]), WORTH.c.share.is_not(None))
            .group_by(WORTH.c.assignment, WORTH.c.problem)
        )
        async with self._database.read_transaction() as connection:
            statement_texts = {(row[0], row[1]): row[2] for row in await connection.execute(query)}
        index_by_account = {student.account: index for index, student in enumerate(students)}

        def analysed() -> dict[tuple[str, str], ItemStatistics]:
            names = {f"{view.id}/{problem}": (view.id, problem) for view in assignments for problem in view.problems}
            columns: dict[str, list[float | None]] = {}
            for name, key in names.items():
                column: list[float | None] = [None] * len(students)
                columns[name] = column
                for pair in filter(None, statement_texts.get(key, "").split(",")):
                    account, _, share = pair.partition(":")
                    if account in index_by_account:
                        column[index_by_account[account]] = float(share)
            return {names[name]: item for name, item in item_statistics(columns).items()}

        return await asyncio.to_thread(analysed)

    async def _counted_work(
        self, assignments: Sequence[AssignmentView], assignment: str, problem: str, accounts: Collection[str]
    ) -> _CountedWork:
        totals_query = (
            select(WORTH.c.account, func.sum(WORTH.c.share).label("share"))
            .where(counting_worth_condition(assignments), WORTH.c.share.is_not(None))
            .group_by(WORTH.c.account)
        )
        worth_query = select(WORTH.c.account, WORTH.c.share, WORTH.c.run).where(
            WORTH.c.assignment == assignment, WORTH.c.problem == problem, WORTH.c.run.is_not(None)
        )
        async with self._database.read_transaction() as connection:
            totals = {row.account: row.share for row in await connection.execute(totals_query)}
            rows = [row for row in await connection.execute(worth_query) if row.account in accounts]
        share = {row.account: row.share for row in rows}
        rest = {account: totals.get(account, 0.0) - share.get(account, 0.0) for account in accounts}
        return _CountedWork(share, rest, {row.run: row.account for row in rows})

    async def report(
        self,
        assignments: Sequence[AssignmentView],
        students_of_course: Sequence[CourseStudent],
        assignment: str,
        public_problem: Problem,
    ) -> ItemReport:
        """The report of a problem.

        Args:
            assignments: Assignments of the course.
            students_of_course: Students who count.
            assignment: Id of one of the assignments.
            public_problem: A problem of it.
        """
        problem = public_problem.id
        students = {student.account: student.name for student in students_of_course}
        work = await self._counted_work(assignments, assignment, problem, students)
        counted_runs = work.account_by_run
        query = (
            select(RUNS.c.id, RUNS.c.number, RUNS.c.account, RUNS.c.outcome, RUNS.c.attempt, RUNS.c.verdict)
            .join(ATTEMPTS_HELD, ATTEMPTS_HELD.c.attempt == RUNS.c.attempt)
            .where(ATTEMPTS_HELD.c.assignment == assignment)
            .where(ATTEMPTS_HELD.c.problem.endswith(f"/{problem}", autoescape=True))
            .where(RUNS.c.outcome.in_(DECIDED))
            .order_by(RUNS.c.queued)
        )
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
        rest_points = [work.rest[account] for account in students]
        return ItemReport(
            analyse_item([work.share.get(account) for account in students], rest_points),
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
            _statistics_of_options(work.rest, question, answers) if question is not None and is_selected else (),
            frozenset(
                option
                for row in answer_rows
                if question is not None and is_selected and row.outcome == Outcome.PASSED.value
                for option in _selected_options(question, answers[counted_runs[row.id]])
            ),
        )

    async def similar_student_pairs_if_compared(
        self, assignments: Sequence[AssignmentView], accounts: Collection[str], assignment: str, problem: Problem
    ) -> Sequence[SimilarPair] | None:
        """Students whose counted runs have much in common; solutions are named by account.

        A process of its own compares them: that takes seconds, and others should not wait.

        Returns:
            None while they are compared: ask again.
        """
        digests_json = await self._counted_digests_json_by_account(assignments, accounts, assignment, problem)
        start_texts = {
            path: content.decode(errors="replace") for path, content in starting_solution_files(problem).items()
        }
        solutions = {account: json.loads(files) for account, files in digests_json.items()}
        return await self._comparisons.pairs_if_compared((assignment, problem.id), solutions, start_texts)

    async def counted_solution_texts(
        self, assignments: Sequence[AssignmentView], accounts: Collection[str], assignment: str, problem: Problem
    ) -> Mapping[str, Mapping[str, str]]:
        """By account, the texts of the files of the counted run, by path."""
        digests_json = await self._counted_digests_json_by_account(assignments, accounts, assignment, problem)
        return await asyncio.to_thread(
            lambda: {account: self._solution_texts(files) for account, files in digests_json.items()}
        )

    async def _counted_digests_json_by_account(
        self, assignments: Sequence[AssignmentView], accounts: Collection[str], assignment: str, problem: Problem
    ) -> Mapping[str, str]:
        """By account, the digests of the files of the counted run as JSON."""
        work = await self._counted_work(assignments, assignment, problem.id, accounts)
        query = select(RUNS.c.id, RUNS.c.files).where(RUNS.c.id.in_(work.account_by_run))
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return {work.account_by_run[row.id]: row.files for row in rows}

    def _solution_texts(self, digests_json: str) -> dict[str, str]:
        return {
            path: self._snapshots.content(digest).decode(errors="replace")
            for path, digest in json.loads(digests_json).items()
        }

    def _answer_text(self, digests_json: str) -> str:
        return "\n".join(self._solution_texts(digests_json).values())


def _statistics_of_options(
    rest_share_by_account: Mapping[str, float], question: Question, answer_by_account: Mapping[str, str]
) -> Sequence[OptionStatistics]:
    texts = [answer_by_account.get(account) for account in rest_share_by_account]
    chosen_options = [None if text is None else _selected_options(question, text) or (_UNREAD,) for text in texts]
    values = (*selectable_values(question), *((_UNREAD,) if (_UNREAD,) in chosen_options else ()))
    return option_statistics_given_other_points(list(rest_share_by_account.values()), chosen_options, values)


def _selected_options(question: Question, text: str) -> tuple[str, ...]:
    selected = read_selection(question, text)
    if selected is None:
        return ()
    return tuple(selected) if question.format.answered_by is AnswerKind.CHOICES else (selected,)


def _answer_counts(texts: Iterable[str]) -> Sequence[tuple[str, int]]:
    counts: Counter[str] = Counter()
    for answer_text in texts:
        text = " ".join(answer_text.split())
        counts[text if len(text) <= _LONGEST_ANSWER else f"{text[:_LONGEST_ANSWER]}…"] += 1
    return counts.most_common(_MOST_ANSWERS)


def _try_counts(runs_to_pass: Iterable[int], not_passed_count: int) -> Sequence[tuple[str, int]]:
    counts = Counter(runs_to_pass)
    try_counts = [(str(number), counts[number]) for number in range(1, _MOST_TRIES + 1)]
    remaining_count = sum(count for number, count in counts.items() if number > _MOST_TRIES)
    return [*try_counts, (f"over {_MOST_TRIES}", remaining_count), ("not yet", not_passed_count)]


def _failure_reason_counts(run_rows: Iterable[Any]) -> Sequence[tuple[str, int, int]]:
    accounts_by_reason: dict[str, list[str]] = defaultdict(list)
    for run in run_rows:
        if run.outcome != Outcome.PASSED.value:
            accounts_by_reason[str(json.loads(run.verdict)["reason"]).replace("_", " ")].append(run.account)
    reason_rows = [(reason, len(accounts), len(set(accounts))) for reason, accounts in accounts_by_reason.items()]
    return sorted(reason_rows, key=lambda reason_row: -reason_row[1])
