"""Grades attempts at assignments' problems where their hidden part is: at the service."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable, Mapping
from typing import BinaryIO

from benchwright_attempts.grading.grading import GradingOutcome, OnStep
from benchwright_problems.assignment import Assignment
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Digests, Reason, TestResult, Verdict
from benchwright_remote.errors import RefusedError, RetryLaterError, ServiceError, UnreachableError
from benchwright_remote.event_delivery import EventDelivery
from benchwright_remote.messages import RunState, RunView, TestView, VerdictView
from benchwright_remote.service_client import ServiceClient, new_run_id
from benchwright_remote.signed_in import SignedInClients

_WAIT_S = 20.0
_FIRST_RETRY_S, _LONGEST_RETRY_S = 1.0, 30.0
_LONGEST_PAUSE_S = 300.0
_FAREWELL_S = 3.0
_STEP = re.compile(r"(\d+) of (\d+): (.*)", re.DOTALL)


class RemoteGrading:
    """For every attempt of a process.

    Args:
        store: Has the problems' public parts.
        assignment_of_attempt: The assignment that an attempt, of this id, belongs to; reads files.
        signed_in: Speaks to the services.
        delivery: Hands events in; a service runs only what it has the events of.
    """

    def __init__(
        self,
        store: Store,
        assignment_of_attempt: Callable[[str], Assignment | None],
        signed_in: SignedInClients,
        delivery: EventDelivery,
    ) -> None:
        self._store = store
        self._assignment_of = assignment_of_attempt
        self._signed_in = signed_in
        self._delivery = delivery

    async def run(
        self,
        ref: str,
        files: Mapping[str, bytes],
        *,
        attempt: str,
        run_number: int,
        log: BinaryIO | None,
        before_step: OnStep,
    ) -> GradingOutcome:
        """Runs the hidden tests at the service, or has an answer scored there; waits until it can be reached."""
        problem = await asyncio.to_thread(self._store.problem, ref)
        assignment = await asyncio.to_thread(self._assignment_of, attempt)
        try:
            if assignment is None:
                raise RefusedError(404, f"{ref} belongs to no assignment.", "Open the problem again.")
            client = await self._signed_in.client(assignment.service)
            run, retry_s = new_run_id(), _FIRST_RETRY_S
            while True:
                try:
                    run_view = await self._deliver_and_run(
                        client, assignment, run, attempt, run_number, files, before_step
                    )
                    break
                except RetryLaterError as error:
                    before_step(0, 0, f"waiting for {assignment.service}: {error}")
                    await asyncio.sleep(min(error.retry_after_s, _LONGEST_PAUSE_S))
                except UnreachableError:
                    # The same run again: the service has it once.
                    before_step(0, 0, f"waiting for {assignment.service}, which does not answer")
                    await asyncio.sleep(retry_s)
                    retry_s = min(2 * retry_s, _LONGEST_RETRY_S)
        except RefusedError as error:
            refusal = Verdict(reason=Reason.SANDBOX_UNAVAILABLE, detail=error.message, hint=error.next_step)
            return GradingOutcome(refusal)
        except ServiceError as error:
            return GradingOutcome(Verdict(reason=Reason.SANDBOX_UNAVAILABLE, detail=str(error)))
        if run_view.verdict is None:
            detail = "The service cancelled the run, because a newer one of the attempt took its place."
            return GradingOutcome(Verdict(reason=Reason.CANCELLED, detail=detail))
        if log is not None and run_view.verdict.log is not None:
            log.write(run_view.verdict.log.encode())
        return GradingOutcome(_verdict_from_view(run_view.verdict, problem))

    async def _deliver_and_run(
        self,
        client: ServiceClient,
        assignment: Assignment,
        run_id: str,
        attempt: str,
        run_number: int,
        files: Mapping[str, bytes],
        before_step: OnStep,
    ) -> RunView:
        await self._delivery.deliver_missing_events(client, assignment, attempt)
        try:
            run_view = await client.request_run(run_id, attempt, run_number, files)
            while run_view.state not in (RunState.DONE, RunState.CANCELLED):
                before_step(*_step_number_total_and_name(run_view))
                run_view = await client.wait_for_run(run_id, run_view.revision, _WAIT_S)
            return run_view
        except asyncio.CancelledError:
            with contextlib.suppress(RefusedError, UnreachableError, TimeoutError):
                async with asyncio.timeout(_FAREWELL_S):
                    await client.cancel_run(run_id)
            raise


def _step_number_total_and_name(run_view: RunView) -> tuple[int, int, str]:
    if (match := _STEP.fullmatch(run_view.step)) is not None:
        return int(match[1]), int(match[2]), match[3]
    if run_view.place is not None:
        return 0, 0, f"place {run_view.place} in the queue"
    return 0, 0, "being prepared"


def _verdict_from_view(verdict_view: VerdictView, problem: Problem) -> Verdict:
    is_known = verdict_view.reason in set(Reason)
    return Verdict(
        reason=Reason(verdict_view.reason) if is_known else Reason.TOOL_FAILED,
        detail=verdict_view.message
        if is_known
        else f"The service answered {verdict_view.reason!r}, which this version does not know.",
        tests=tuple(_test_result(test) for test in verdict_view.tests) or _placeholder_test_results(verdict_view),
        compiler=verdict_view.compiler,
        wall_s=verdict_view.wall_s,
        digests=Digests(problem=problem.public_digest),
    )


def _test_result(test_view: TestView) -> TestResult:
    time = test_view.sim_time.removesuffix(" ns").replace(",", "") if test_view.sim_time else None
    return TestResult(
        name=test_view.name,
        passed=test_view.passed,
        message=test_view.message or "",
        sim_time_ns=float(time) if time else None,
    )


def _placeholder_test_results(verdict_view: VerdictView) -> tuple[TestResult, ...]:
    """Tests whose names are not shown; a policy that hides them hides these names as well."""
    passed_count = verdict_view.passed or 0
    return tuple(
        TestResult(name=f"test {n}", passed=n <= passed_count) for n in range(1, (verdict_view.total or 0) + 1)
    )
