"""`fork`, `@coroutine` with generators, and what tasks once had."""

import functools
import inspect
from collections.abc import Callable, Generator
from types import ModuleType
from typing import Any

import cocotb._test
from cocotb.task import Task, bridge, resume
from cocotb.triggers import First


def coroutine(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a coroutine function of a generator function; leave others as they are."""
    if not inspect.isgeneratorfunction(function):
        return function

    @functools.wraps(function)
    async def run(*args: Any, **kwargs: Any) -> Any:
        return await _run_generator(function(*args, **kwargs))

    return run


async def _run_generator(generator: Generator[Any, Any, Any]) -> Any:
    result, error = None, None
    while True:
        try:
            yielded = generator.send(result) if error is None else generator.throw(error)
        except StopIteration as stop:
            return stop.value
        except Exception as raised:
            if hasattr(raised, "retval"):
                return raised.retval
            raise
        result, error = None, None
        try:
            result = await _awaitable_of_yielded(yielded)
        except BaseException as raised:
            error = raised


def _awaitable_of_yielded(yielded: Any) -> Any:
    if isinstance(yielded, list | tuple):
        return First(*(_task_if_coroutine(item) for item in yielded))
    return _run_generator(yielded) if inspect.isgenerator(yielded) else yielded


def _task_if_coroutine(awaited_object: Any) -> Any:
    return cocotb._test.start_soon(awaited_object) if inspect.iscoroutine(awaited_object) else awaited_object


def fork(coroutine: Any) -> Task:
    """Start a task and run it up to its first `await`; what it raises before that is raised here."""
    if isinstance(coroutine, Task):
        return cocotb._test.start_soon(coroutine)
    task = Task(coroutine)
    scheduler = cocotb._scheduler_inst
    running, scheduler._current_task = scheduler._current_task, None
    try:
        scheduler._resume_task(task, None)
    finally:
        scheduler._current_task = running
    if task.done():
        task.result()
    cocotb._regression_manager._running_test.add_task(task)
    return task


def restore_old_interface(package: ModuleType) -> None:
    """Give the package its old functions and `Task` its old attributes."""
    package.coroutine = coroutine  # type: ignore[attr-defined]
    package.fork = fork  # type: ignore[attr-defined]
    package.external = bridge  # type: ignore[attr-defined]
    package.function = resume  # type: ignore[attr-defined]
    Task.retval = property(lambda self: self.result())
    Task._finished = property(lambda self: self.done())
    Task.log = property(lambda self: self._log)
    Task.has_started = lambda self: self._state.name != "UNSTARTED"
    # A task that was cancelled by the end of its test must not decide the test, whatever it catches.
    genuine_result = cocotb._test.RunningTest.result

    def result(self: Any) -> Any:
        self._shutdown_errors.clear()
        return genuine_result(self)

    cocotb._test.RunningTest.result = result
