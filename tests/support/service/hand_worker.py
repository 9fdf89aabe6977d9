"""A worker that runs nothing: it takes runs and says what the test wants, as fast as HTTP goes."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

import httpx2

from benchwright_problems.verdict import Reason, Verdict
from benchwright_remote.messages import Job, JobResult, JobStep


class HandWorker:
    """A worker.

    Args:
        connect: Returns a client with its token, of any process of the service.
        worker_name: Told apart by it from others with the same token.
    """

    def __init__(self, connect: Callable[[], httpx2.Client], worker_name: str = "hand") -> None:
        self._connect = connect
        self._name = worker_name

    def ask(self, wait_s: float = 0.0) -> Job | None:
        """The next run."""
        with self._connect() as client:
            reply = client.post("/api/v1/jobs", params={"wait_s": wait_s}, json={"worker": self._name})
        reply.raise_for_status()
        return Job.model_validate_json(reply.content) if reply.status_code == 200 else None

    def say_step(self, job: Job, name: str = "build") -> bool:
        """Whether the run is still this worker's."""
        step = JobStep(lease=job.lease, number=1, of=2, name=name)
        with self._connect() as client:
            reply = client.post(f"/api/v1/jobs/{job.run}/step", content=step.model_dump_json(), headers=_JSON)
        return bool(reply.raise_for_status().json()["wanted"])

    def deliver(self, job: Job, reason: Reason = Reason.TESTS_FAILED) -> bool:
        """Whether a verdict counted: the tests failed, or what else is given."""
        delivery = JobResult(lease=job.lease, verdict=Verdict(reason=reason, wall_s=0.1), log="")
        with self._connect() as client:
            reply = client.post(f"/api/v1/jobs/{job.run}/verdict", content=delivery.model_dump_json(), headers=_JSON)
        return bool(reply.raise_for_status().json()["wanted"])


class HandWorkerThread(threading.Thread):
    """Works until told to stop, whatever processes end meanwhile; counts the verdicts that counted.

    Args:
        worker: The worker.
        choose_reason: Returns the reason of a run's verdict.
    """

    def __init__(
        self, worker: HandWorker, choose_reason: Callable[[Job], Reason] = lambda _: Reason.TESTS_FAILED
    ) -> None:
        super().__init__()
        self._worker = worker
        self._choose_reason = choose_reason
        self.counted_runs: list[str] = []
        self.stop_event = threading.Event()

    def run(self) -> None:
        """Works."""
        while not self.stop_event.is_set():
            with contextlib.suppress(httpx2.HTTPError):
                job = self._worker.ask(wait_s=1.0)
                if job is not None:
                    self._deliver_until_heard(job)
            self.stop_event.wait(0.01)

    def _deliver_until_heard(self, job: Job) -> None:
        while not self.stop_event.is_set():
            with contextlib.suppress(httpx2.HTTPError):
                if self._worker.deliver(job, self._choose_reason(job)):
                    self.counted_runs.append(job.run)
                return
            self.stop_event.wait(0.05)


_JSON = {"Content-Type": "application/json"}
