"""Grades attempts at assignments' problems where their hidden part is: at the service."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable, Mapping
from typing import BinaryIO

from benchwright_attempts.grading.grading import Graded, OnStep
from benchwright_problems.assignment import Assignment
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Digests, Reason, TestResult, Verdict
from benchwright_remote.errors import LaterError, RefusedError, ServiceError, UnreachableError
from benchwright_remote.event_delivery import EventDelivery
from benchwright_remote.messages import RunState, RunView, TestView, VerdictView
from benchwright_remote.service_client import ServiceClient, new_run
from benchwright_remote.signed_in import SignedIn

_WAIT_S = 20.0
_FIRST_RETRY_S, _LONGEST_RETRY_S = 1.0, 30.0
_LONGEST_PAUSE_S = 300.0
_FAREWELL_S = 3.0
_STEP = re.compile(r"(\d+) of (\d+): (.*)", re.DOTALL)


class RemoteGrading:
    """For every attempt of a process.

    Args:
        store: Has the problems' public parts.
        assignment_of: The assignment that an attempt, of this id, belongs to; reads files.
        signed_in: Speaks to the services.
        delivery: Hands events in; a service runs only what it has the events of.
    """

    def __init__(
        self,
        store: Store,
        assignment_of: Callable[[str], Assignment | None],
        signed_in: SignedIn,
        delivery: EventDelivery,
    ) -> None:
        self._store = store
        self._assignment_of = assignment_of
        self._signed_in = signed_in
        self._delivery = delivery

    async def run(
        self, ref: str, files: Mapping[str, bytes], *, attempt: str, number: int, log: BinaryIO | None, on_step: OnStep
    ) -> Graded:
        """Runs the hidden tests at the service, or has an answer scored there; waits until it can be reached."""
        problem = await asyncio.to_thread(self._store.problem, ref)
        assignment = await asyncio.to_thread(self._assignment_of, attempt)
        try:
            if assignment is None:
                raise RefusedError(404, f"{ref} belongs to no assignment.", "Open the problem again.")
            client = await self._signed_in.client(assignment.service)
            run, retry_s = new_run(), _FIRST_RETRY_S
            while True:
                try:
                    shown = await self._run(client, assignment, run, attempt, number, files, on_step)
                    break
                except LaterError as error:
                    on_step(0, 0, f"waiting for {assignment.service}: {error}")
                    await asyncio.sleep(min(error.retry_after_s, _LONGEST_PAUSE_S))
                except UnreachableError:
                    # The same run again: the service has it once.
                    on_step(0, 0, f"waiting for {assignment.service}, which does not answer")
                    await asyncio.sleep(retry_s)
                    retry_s = min(2 * retry_s, _LONGEST_RETRY_S)
        except RefusedError as error:
            refused = Verdict(reason=Reason.SANDBOX_UNAVAILABLE, detail=error.message, hint=error.next_step)
            return Graded(refused)
        except ServiceError as error:
            return Graded(Verdict(reason=Reason.SANDBOX_UNAVAILABLE, detail=str(error)))
        if shown.verdict is None:
            detail = "The service cancelled the run, because a newer one of the attempt took its place."
            return Graded(Verdict(reason=Reason.CANCELLED, detail=detail))
        if log is not None and shown.verdict.log is not None:
            log.write(shown.verdict.log.encode())
        return Graded(_verdict(shown.verdict, problem))

    async def _run(
        self,
        client: ServiceClient,
        assignment: Assignment,
        run: str,
        attempt: str,
        number: int,
        files: Mapping[str, bytes],
        on_step: OnStep,
    ) -> RunView:
        await self._delivery.deliver(client, assignment, attempt)
        try:
            shown = await client.run(run, attempt, number, files)
            while shown.state not in (RunState.DONE, RunState.CANCELLED):
                on_step(*_step(shown))
                shown = await client.seen(run, shown.revision, _WAIT_S)
            return shown
        except asyncio.CancelledError:
            with contextlib.suppress(RefusedError, UnreachableError, TimeoutError):
                async with asyncio.timeout(_FAREWELL_S):
                    await client.cancel(run)
            raise


def _step(shown: RunView) -> tuple[int, int, str]:
    if (found := _STEP.fullmatch(shown.step)) is not None:
        return int(found[1]), int(found[2]), found[3]
    if shown.place is not None:
        return 0, 0, f"place {shown.place} in the queue"
    return 0, 0, "being prepared"


def _verdict(shown: VerdictView, problem: Problem) -> Verdict:
    known = shown.reason in set(Reason)
    return Verdict(
        reason=Reason(shown.reason) if known else Reason.TOOL_FAILED,
        detail=shown.message if known else f"The service answered {shown.reason!r}, which this version does not know.",
        tests=tuple(_test(test) for test in shown.tests) or _counted(shown),
        compiler=shown.compiler,
        wall_s=shown.wall_s,
        digests=Digests(problem=problem.public_digest),
    )


def _test(shown: TestView) -> TestResult:
    time = shown.sim_time.removesuffix(" ns").replace(",", "") if shown.sim_time else None
    return TestResult(
        name=shown.name,
        passed=shown.passed,
        message=shown.message or "",
        sim_time_ns=float(time) if time else None,
    )


def _counted(shown: VerdictView) -> tuple[TestResult, ...]:
    """Tests whose names are not shown; a policy that hides them hides these names as well."""
    passed = shown.passed or 0
    return tuple(TestResult(name=f"test {n}", passed=n <= passed) for n in range(1, (shown.total or 0) + 1))
