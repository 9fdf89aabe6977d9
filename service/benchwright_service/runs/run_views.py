"""Runs as their solvers see them: the only way from a verdict of the service to a participant."""

from __future__ import annotations

import asyncio
from typing import Any

from sqlalchemy import Row

from benchwright_attempts.grading.run_records import RunRecords
from benchwright_foundation.home import Home
from benchwright_problems.errors import UnknownProblemError
from benchwright_problems.reveal import Reveal, Revealed, reveal
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Verdict
from benchwright_remote.messages import RunState, RunView, TestView, VerdictView
from benchwright_service.courses.courses import Courses


class RunViews:
    """Shapes runs by the problem's reveal policy, narrowed by the assignment's.

    Args:
        store: Has the problems.
        home: Home folders with the raw logs.
        courses: Know the assignments.
    """

    def __init__(self, store: Store, home: Home, courses: Courses) -> None:
        self._store = store
        self._home = home
        self._courses = courses

    async def run_view(
        self, run_row: Row[Any], problem_ref: str, *, revision: int, queue_rank: int | None, step: str
    ) -> RunView:
        """A run.

        Args:
            run_row: As stored.
            problem_ref: Its problem, `pack/id`.
            revision: Revision of what is shown.
            queue_rank: Rank in the queue.
            step: Step that runs now.
        """
        limit = await self._courses.reveal_limit_now(run_row.attempt) if run_row.verdict is not None else None
        return await self.limited_view(run_row, problem_ref, limit, revision=revision, queue_rank=queue_rank, step=step)

    async def limited_view(
        self,
        run_row: Row[Any],
        problem_ref: str,
        most_shown: Reveal | None,
        *,
        revision: int = 0,
        queue_rank: int | None = None,
        step: str = "",
    ) -> RunView:
        """The same, where the assignment's policy is known.

        Args:
            run_row: As stored.
            problem_ref: Its problem, `pack/id`.
            most_shown: The most that the assignment shows now; None if it says nothing.
            revision: Revision of what is shown.
            queue_rank: Rank in the queue.
            step: Step that runs now.
        """
        verdict = None
        # One that is judged again has the verdict that counts until the new one is accepted.
        state = RunState.DONE if run_row.regrade else RunState(run_row.state)
        if run_row.verdict is not None:
            verdict = _verdict_view(await asyncio.to_thread(self._revealed_verdict, run_row, problem_ref, most_shown))
        return RunView(
            id=run_row.id,
            number=run_row.number,
            state=state,
            revision=revision,
            place=queue_rank if state is RunState.QUEUED else None,
            step=step if state is RunState.RUNNING else "",
            verdict=verdict,
            why=run_row.why,
        )

    def _revealed_verdict(self, run_row: Row[Any], problem_ref: str, limit: Reveal | None) -> Revealed:
        run_records = RunRecords(self._home, run_row.attempt)
        try:
            allowed = self._store.problem(problem_ref).reveal
        except UnknownProblemError:
            # The pack was replaced by one without it.
            allowed = Reveal.VERDICT
        policy = allowed.limited_to(limit)
        return reveal(
            Verdict.model_validate_json(run_row.verdict), policy, lambda: run_records.log_tail(run_row.number)
        )


def _verdict_view(revealed: Revealed) -> VerdictView:
    return VerdictView(
        outcome=revealed.outcome,
        reason=revealed.reason,
        message=revealed.message,
        policy=revealed.policy,
        passed=revealed.passed_count,
        total=revealed.total,
        tests=tuple(
            TestView(name=test.name, passed=test.passed, message=test.message, sim_time=test.sim_time)
            for test in revealed.tests
        ),
        compiler=revealed.compiler,
        log=revealed.log,
        wall_s=revealed.wall_s,
    )
