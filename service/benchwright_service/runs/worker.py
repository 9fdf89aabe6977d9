"""A worker: asks the service for runs, runs them in its own sandbox with its own toolchain, hands verdicts in."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
import tempfile
import zlib
from collections.abc import Callable
from http import HTTPStatus
from typing import BinaryIO

import httpx2

from benchwright_attempts.grading.grading import end_waiting_sandbox, run_harness, start_sandbox_ahead
from benchwright_foundation.home import Home
from benchwright_harness.sandbox import Sandbox
from benchwright_problems.problem import Problem
from benchwright_problems.repository.tree import TreeStore
from benchwright_problems.verdict import Reason, Verdict
from benchwright_remote.messages import Job, JobAsk, JobResult, JobStanding, JobStep
from benchwright_service.errors import BenchServiceError

_CLAIM_WAIT_S = 25.0
_RETRY_S = 2.0
_STEP_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 30.0
_LOG_TAIL_BYTES = 200_000
_HAND_IN_S = 300.0
"""Time in seconds for which a verdict is offered to a service that does not answer."""

logger = logging.getLogger(__name__)


class Worker:
    """Works until it is cancelled, one run at a time.

    Args:
        client: Speaks to the service, with the worker's token.
        worker_name: Told apart by it from others with the same token.
        home: Home folders with its toolchains and known verdicts.
        sandbox: Sandbox in which harnesses run.
    """

    def __init__(self, client: httpx2.AsyncClient, worker_name: str, home: Home, sandbox: Sandbox) -> None:
        self._client = client
        self._name = worker_name
        self._home = home
        self._sandbox = sandbox

    async def work(self) -> None:
        """Asks for runs for ever; waits while the service does not answer.

        Raises:
            BenchServiceError: The service refuses the token.
        """
        try:
            while True:
                await self._work_once()
        finally:
            await end_waiting_sandbox(self._sandbox)

    async def _work_once(self) -> None:
        try:
            job = await self._claim_job()
        except httpx2.HTTPError as error:
            logger.info("no answer from the service: %s", type(error).__name__)
            await asyncio.sleep(_RETRY_S)
            return
        if job is not None:
            verdict = await self._run_job_and_deliver(job)
            await asyncio.sleep(_pause_until_next_run_s(verdict))
            # In a class, most runs are of the same problem.
            await start_sandbox_ahead(job.problem, home=self._home, sandbox=self._sandbox)

    async def _claim_job(self) -> Job | None:
        reply = await self._client.post(
            "/api/v1/jobs",
            params={"wait_s": _CLAIM_WAIT_S},
            content=JobAsk(worker=self._name).model_dump_json(),
            timeout=_CLAIM_WAIT_S + 10,
        )
        if reply.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            raise BenchServiceError(
                "the service refuses this worker's token; make a new one with `benchwright course worker-token`"
            )
        if reply.status_code == HTTPStatus.NO_CONTENT:
            return None
        reply.raise_for_status()
        return Job.model_validate_json(reply.content)

    async def _problem_with_tree(self, job: Job) -> Problem:
        """The problem of a job, with its repository's files, which are asked for unless they are here."""
        problem, tree = job.problem, job.problem.public.tree
        if tree is None:
            return problem
        trees = TreeStore.from_home(self._home)
        kept_tree = await asyncio.to_thread(trees.find, tree.id)
        if kept_tree is None:
            reply = await self._client.get(f"/api/v1/jobs/{job.run}/tree")
            reply.raise_for_status()
            kept_tree = await asyncio.to_thread(trees.add_zip, reply.content, tree.id)
        return problem.model_copy(update={"public": problem.public.model_copy(update={"tree": kept_tree})})

    async def _run_job_and_deliver(self, job: Job) -> Verdict | None:
        """Run a job and hand its verdict in; None if it was not wanted any more."""
        with tempfile.TemporaryFile() as log:
            step_queue: asyncio.Queue[JobStep] = asyncio.Queue()
            run_task = asyncio.create_task(self._run_harness(job, log, self._step_listener(job, step_queue)))
            alive = asyncio.create_task(self._report_until_unwanted(job, run_task, step_queue))
            try:
                verdict = await run_task
            except asyncio.CancelledError:
                if alive.done() and not alive.cancelled():
                    return None
                run_task.cancel()
                await asyncio.wait({run_task})
                raise
            except Exception:
                logger.exception("run %s failed here", job.run)
                verdict = Verdict(reason=Reason.TOOL_FAILED, detail="The run failed on the server's side.")
            finally:
                alive.cancel()
            await self._deliver_verdict(
                job, JobResult(lease=job.lease, verdict=verdict, log=_compressed_base64_log_tail(log))
            )
            return verdict

    async def _run_harness(self, job: Job, log: BinaryIO, before_step: Callable[[int, int, str], None]) -> Verdict:
        files = {path: zlib.decompress(base64.b64decode(content)) for path, content in job.files.items()}
        problem = await self._problem_with_tree(job)
        return await run_harness(
            problem, files, home=self._home, sandbox=self._sandbox, log=log, before_step=before_step
        )

    def _step_listener(self, job: Job, step_queue: asyncio.Queue[JobStep]) -> Callable[[int, int, str], None]:
        def before_step(number: int, total: int, name: str) -> None:
            step_queue.put_nowait(JobStep(lease=job.lease, number=number, of=total, name=name[:200]))

        return before_step

    async def _report_until_unwanted(
        self, job: Job, run_task: asyncio.Task[Verdict], step_queue: asyncio.Queue[JobStep]
    ) -> None:
        while True:
            step = JobStep(lease=job.lease)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(job.lease_s / 4):
                    step = await step_queue.get()
                # Most runs are over before anybody could read their steps.
                await asyncio.sleep(_STEP_PAUSE_S)
                while not step_queue.empty():
                    step = step_queue.get_nowait()
            with contextlib.suppress(httpx2.HTTPError):
                reply = await self._client.post(f"/api/v1/jobs/{job.run}/step", content=step.model_dump_json())
                if reply.is_success and not JobStanding.model_validate_json(reply.content).wanted:
                    run_task.cancel()
                    return

    async def _deliver_verdict(self, job: Job, delivery: JobResult) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_HAND_IN_S):
                while True:
                    with contextlib.suppress(httpx2.HTTPError):
                        reply = await self._client.post(
                            f"/api/v1/jobs/{job.run}/verdict", content=delivery.model_dump_json()
                        )
                        if reply.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
                            return
                    await asyncio.sleep(_RETRY_S)


def _pause_until_next_run_s(verdict: Verdict | None) -> float:
    """Time in seconds before the next run: so long as the last one waited, if that was most of its time."""
    usage = None if verdict is None else verdict.usage
    waited_s = (usage.waited_s if usage is not None else None) or 0.0
    return min(waited_s, _LONGEST_PAUSE_S) if verdict is not None and waited_s > verdict.wall_s / 2 else 0.0


def service_client(url: str, token: str) -> httpx2.AsyncClient:
    """A client for a service, with a token."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    # Proxies of the environment are for the rest of the world.
    return httpx2.AsyncClient(base_url=url, headers=headers, timeout=30.0, trust_env=False)


def _compressed_base64_log_tail(log: BinaryIO) -> str:
    log.seek(max(0, log.seek(0, 2) - _LOG_TAIL_BYTES))
    return base64.b64encode(zlib.compress(log.read())).decode()
