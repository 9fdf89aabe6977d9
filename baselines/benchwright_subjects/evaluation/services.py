"""Services of a task's samples: packs, event log, sandbox, judges. Opened late, closed when Inspect's run ends."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from functools import cached_property
from typing import Any, TypeVar

from benchwright_attempts import configured_log_location
from benchwright_attempts.errors import AttemptError, EvaluationError
from benchwright_attempts.services import Services
from benchwright_foundation.errors import BenchwrightError
from benchwright_foundation.home import Home
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.sandbox.registry import open_sandbox, toolchain_for
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.errors import DatasetError
from benchwright_studies import open_log
from benchwright_studies.conduct.study_log import StudyLog

_Result = TypeVar("_Result")


class EvaluationServices(Services[StudyLog]):
    """The services of one task.

    Args:
        home: The folders of this user.
        sandbox: Name of the sandbox that harnesses and agents' commands run in.
    """

    def __init__(self, home: Home, sandbox: str) -> None:
        # As many as there are cores: a simulation that shares its core runs into its time limit.
        slots = asyncio.Semaphore(os.cpu_count() or 1)
        super().__init__(home, lambda _: open_log(configured_log_location(home)), lambda: self.sandbox, slots)
        # Inspect counts tokens for providers that don't, and would fetch the table.
        self.token_counter.use_table_in_whole_process()
        self._sandbox_name = sandbox

    @cached_property
    def sandbox(self) -> Sandbox:
        """Sandbox in which designs run."""
        return open_sandbox(self._sandbox_name)

    @cached_property
    def toolchain(self) -> Toolchain:
        """Toolchain that they run with."""
        return toolchain_for(self._sandbox_name, self.home.cache)


async def run_without_leaking_frames(ref: str, hidden_work: Coroutine[Any, Any, _Result]) -> _Result:
    """The result of work on a hidden part; its failure or cancellation loses the frames that it went through.

    Inspect writes tracebacks into its logs, if asked to with the local variables of every frame.

    Raises:
        EvaluationError: The work failed; the message quotes nothing hidden.
        AttemptError: The attempt does not allow it.
    """
    failure: BaseException
    try:
        return await hidden_work
    except (asyncio.CancelledError, AttemptError) as error:
        failure = error
    except DatasetError:
        # What is wrong with a damaged file may quote it.
        failure = EvaluationError(f"{ref} can't be judged: its hidden part is damaged. Import the pack again.")
    except BenchwrightError as error:
        failure = EvaluationError(f"{ref} can't be judged: {error}.")
    except Exception as error:
        failure = EvaluationError(f"{ref} can't be judged: {type(error).__name__}. Report this.")
    failure.__context__ = failure.__cause__ = None
    raise failure.with_traceback(None)
