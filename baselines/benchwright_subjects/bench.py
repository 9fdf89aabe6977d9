"""What all samples of a task share: packs, event log, sandbox, judges. Opened late, closed when Inspect's run ends."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Coroutine, Mapping
from functools import cached_property
from typing import Any, TypeVar

from benchwright_attempts import log_file
from benchwright_attempts.errors import EvaluationError
from benchwright_attempts.events import JudgedBy
from benchwright_attempts.judging import Judging, judge_answer, judged_by
from benchwright_harness.errors import HarnessError
from benchwright_harness.grade import Grader
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.sandbox.choice import choose_sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.toolchain.native_tools import toolchain_for
from benchwright_harness.verdict_store import VerdictStore
from benchwright_judges.text_length import TokenCounter
from benchwright_problems.errors import DatasetError, ProblemsError
from benchwright_problems.home import Home
from benchwright_problems.store import Store
from benchwright_problems.verdict import Verdict
from benchwright_studies.study_log import StudyLog

_Found = TypeVar("_Found")


class Bench:
    """The means of one task.

    Args:
        home: The folders of this user.
        sandbox: Name of the sandbox that harnesses and agents' commands run in.
    """

    def __init__(self, home: Home, sandbox: str) -> None:
        self.home = home
        self.store = Store(home)
        self.tokens = TokenCounter(home.cache)
        # Inspect counts tokens for providers that don't, and would fetch the table.
        self.tokens.share()
        self._sandbox_name = sandbox
        # As many as there are cores: a simulation that shares its core runs into its time limit.
        self.turn = asyncio.Semaphore(os.cpu_count() or 1)
        self._log: StudyLog | None = None
        self._judging: Judging | None = None

    @cached_property
    def sandbox(self) -> Sandbox:
        """Where designs run."""
        return choose_sandbox(self._sandbox_name)

    @cached_property
    def toolchain(self) -> Toolchain:
        """What they run with."""
        return toolchain_for(self._sandbox_name, self.home.cache)

    @property
    def log(self) -> StudyLog:
        """The event log."""
        if self._log is None:
            self._log = StudyLog(log_file(self.home))
        return self._log

    async def run_tests(self, ref: str, files: Mapping[str, bytes]) -> Verdict:
        """The verdict of a design problem's hidden tests.

        Raises:
            EvaluationError: It could not come about; nothing hidden is told.
        """
        return await _sealed(ref, self._run_tests(ref, files))

    async def judge(self, ref: str, answer: str, attempt: str, number: int) -> tuple[Verdict, JudgedBy, float | None]:
        """The verdict on an answer, who gave it, and the score from 0 to 1.

        Raises:
            EvaluationError: It could not come about; nothing hidden is told.
        """
        return await _sealed(ref, self._judge(ref, answer, attempt, number))

    async def _run_tests(self, ref: str, files: Mapping[str, bytes]) -> Verdict:
        async with self.turn:
            problem = await asyncio.to_thread(self.store.unseal, ref)
            try:
                grader = Grader(self.sandbox, self.toolchain, VerdictStore.of(self.home))
                # Raw output may hold hidden text: nobody who solves gets to see it.
                return await grader.grade(problem, files, log=io.BytesIO())
            except HarnessError as error:
                return Verdict(reason=error.reason, detail=str(error), hint=error.hint)

    async def _judge(self, ref: str, answer: str, attempt: str, number: int) -> tuple[Verdict, JudgedBy, float | None]:
        if self._judging is None:
            self._judging = Judging(self.home)
        problem = await asyncio.to_thread(self.store.unseal, ref)
        verdict, judgement = await judge_answer(ref, problem, answer, self._judging, attempt=attempt, number=number)
        return verdict, judged_by(judgement), judgement.score

    async def close(self) -> None:
        """Close what was opened."""
        if self._judging is not None:
            await self._judging.close()
            self._judging = None
        if self._log is not None:
            await asyncio.to_thread(self._log.close)
            self._log = None


async def _sealed(ref: str, work: Coroutine[Any, Any, _Found]) -> _Found:
    """What comes of work on a hidden part; its failure or cancellation without the frames that it went through.

    Inspect writes tracebacks into its logs, if asked to with the local variables of every frame.
    """
    failure: BaseException
    try:
        return await work
    except asyncio.CancelledError as error:
        failure = error
    except DatasetError:
        # What is wrong with a damaged file may quote it.
        failure = EvaluationError(f"{ref} can't be judged: its hidden part is damaged. Import the pack again.")
    except ProblemsError as error:
        failure = EvaluationError(f"{ref} can't be judged: {error}.")
    except Exception as error:
        failure = EvaluationError(f"{ref} can't be judged: {type(error).__name__}. Please report this.")
    failure.__context__ = failure.__cause__ = None
    raise failure.with_traceback(None)
