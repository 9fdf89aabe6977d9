"""The task that a sample belongs to, and the end of Inspect's runs.

A sample knows neither its task's name nor its run. Inspect's hooks do; it makes one object of this class for the
whole process.
"""

from __future__ import annotations

from inspect_ai.hooks import Hooks, ModelRetry, RunEnd, SampleAttemptStart, TaskStart, hooks

from benchwright_attempts.errors import EvaluationError
from benchwright_subjects.evaluation.provider_failure import FailedRequest
from benchwright_subjects.evaluation.services import EvaluationServices


class _RunFacts:
    """Facts about the runs of this process."""

    def __init__(self) -> None:
        self.tasks: dict[str, str] = {}
        """Execution of a task → the name that the task keeps when it is retried."""
        self.samples: dict[str, str] = {}
        """Execution of a sample → that of its task."""
        self.failed_requests: dict[str, list[FailedRequest]] = {}
        """Execution of a sample → its requests that were sent again."""
        self.services: list[EvaluationServices] = []


_RUNS = _RunFacts()


@hooks(name="benchwright_attempts", description="Ties samples to attempts in Benchwright's event log")
class AttemptHooks(Hooks):
    """Listens to Inspect."""

    async def on_task_start(self, data: TaskStart) -> None:
        """A task begins."""
        _RUNS.tasks[data.eval_id] = data.spec.task_id

    async def on_sample_attempt_start(self, data: SampleAttemptStart) -> None:
        """A sample begins, for the first time or again."""
        _RUNS.samples[data.sample_id] = data.eval_id

    async def on_model_retry(self, data: ModelRetry) -> None:
        """A request to a model failed and will be sent again."""
        if data.sample_id is not None:
            failed_requests = _RUNS.failed_requests.setdefault(data.sample_id, [])
            failed_requests.append(FailedRequest(data.exception_type or "", data.status_code))

    async def on_run_end(self, data: RunEnd) -> None:
        """All tasks have ended."""
        for services in _RUNS.services:
            await services.close()
        _RUNS.tasks.clear()
        _RUNS.samples.clear()
        _RUNS.failed_requests.clear()


def task_name_of_sample(sample_uuid: str) -> str:
    """The name of a sample's task, which stays the same when the task is retried.

    Args:
        sample_uuid: `TaskState.uuid`.

    Raises:
        EvaluationError: Inspect has not said.
    """
    try:
        return _RUNS.tasks[_RUNS.samples[sample_uuid]]
    except KeyError:
        raise EvaluationError(
            "Inspect did not report which task this sample belongs to, so it is not recorded."
        ) from None


def resent_requests_of(sample_uuid: str) -> list[FailedRequest]:
    """The requests of a sample that were sent again, in order.

    Args:
        sample_uuid: `TaskState.uuid`.
    """
    return _RUNS.failed_requests.get(sample_uuid, [])


def close_after_run(services: EvaluationServices) -> EvaluationServices:
    """Have services closed when the run ends; they open again when they are used again."""
    _RUNS.services.append(services)
    return services
