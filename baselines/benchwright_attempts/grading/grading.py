"""From a solver's files to a verdict, for every kind of problem and every kind of solver."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, Protocol

from benchwright_attempts.errors import AttemptError
from benchwright_attempts.grading.judging import AttemptJudging
from benchwright_foundation.home import Home
from benchwright_harness.decision.design_waves import DesignWaveKeeper
from benchwright_harness.errors import HarnessError
from benchwright_harness.grading.grade import Grader
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.sandbox import Sandbox, WarmSandbox
from benchwright_harness.sandbox.registry import toolchain_for
from benchwright_harness.toolchain.awaited import find_or_await_build
from benchwright_judges.judgement import Judgement
from benchwright_judges.score import score_by_rules
from benchwright_problems.errors import UnknownProblemError
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Digests, Verdict

ANSWER = "answer.md"
"""The file that answers a question."""

OnStep = Callable[[int, int, str], None]
"""Called before each step of a harness with its number from 1, how many there are, and its name; with 0, 0 and what it
waits for before the first."""


def judged_paths(problem: Problem) -> tuple[str, ...]:
    """The files that the solver works on and that are judged."""
    return problem.public.expected if problem.kind is ProblemKind.DESIGN else (ANSWER,)


def ignore_step(step_number: int, step_count: int, step_name: str) -> None:
    """Shows no progress."""


@dataclass(frozen=True, slots=True)
class GradingOutcome:
    """The outcome of one run or one judged answer."""

    verdict: Verdict
    judgement: Judgement | None = None
    """Of an answer. None for designs."""

    @property
    def score(self) -> float | None:
        """An answer's score, 0 to 1. None for designs and for answers without one."""
        return self.judgement.score if self.judgement is not None else None


async def run_harness(
    problem: Problem,
    files: Mapping[str, bytes],
    *,
    home: Home,
    sandbox: Sandbox,
    log: BinaryIO,
    before_step: OnStep = ignore_step,
    ignores_known_verdict: bool = False,
) -> Verdict:
    """Runs the hidden tests of a design problem.

    Args:
        problem: Problem with its hidden part.
        files: Content by path.
        home: Home with the toolchain and the known verdicts.
        sandbox: Sandbox that the harness runs in.
        log: File for its raw output.
        before_step: See `OnStep`.
        ignores_known_verdict: Run again even if the verdict is known.
    """
    try:
        find = partial(toolchain_for, sandbox.name, home.cache)
        toolchain = await find_or_await_build(
            find, home.cache, partial(before_step, 0, 0, "waiting until the tools are installed")
        )
        grader = Grader(sandbox, toolchain, VerdictStore.from_home(home), fresh=ignores_known_verdict)
        return await grader.grade(problem, files, log=log, before_step=before_step)
    except HarnessError as error:
        return Verdict(reason=error.reason, detail=str(error), hint=error.hint)


async def start_sandbox_ahead(problem: Problem, *, home: Home, sandbox: Sandbox) -> None:
    """Lets a sandbox that can do so start ahead for the next run of a design problem."""
    # A run will report what is wrong.
    with contextlib.suppress(HarnessError):
        toolchain = toolchain_for(sandbox.name, home.cache)
        await Grader(sandbox, toolchain, VerdictStore.from_home(home)).start_sandbox_ahead(problem)


async def end_waiting_sandbox(sandbox: Sandbox) -> None:
    """Ends the sandbox that waits for a run, if one does."""
    # Python 3.11 reads the properties that a protocol names, and a sandbox that does not work here has no digest.
    with contextlib.suppress(HarnessError):
        if isinstance(sandbox, WarmSandbox):
            await sandbox.end_warm_sandbox()


async def grade_by_tests_or_rules(
    problem: Problem,
    files: Mapping[str, bytes],
    *,
    home: Home,
    sandbox: Sandbox,
    log: BinaryIO,
    ignores_known_verdict: bool = False,
) -> Verdict:
    """Runs the hidden tests of a design problem, or scores an answer by rule; see `run_harness`."""
    if problem.kind is not ProblemKind.DESIGN:
        return score_by_rules(problem, files.get(ANSWER, b"").decode("utf-8", "replace")).verdict
    return await run_harness(
        problem, files, home=home, sandbox=sandbox, log=log, ignores_known_verdict=ignores_known_verdict
    )


class RemoteGrader(Protocol):
    """Grades attempts at problems whose hidden part is on another machine, and has their hints."""

    def is_graded_at_service(self, attempt: str) -> bool:
        """True if the hidden part of an attempt's problem is there. Reads files."""

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
        """Runs the hidden tests there, or has an answer scored. Waits until the other machine can be reached."""

    async def take_hint(self, ref: str, hint_number: int, *, attempt: str) -> str:
        """The text of a hint, by its number from 1; the other machine records that it was taken."""


class AttemptGrading:
    """Grades for every attempt of this process.

    Args:
        home: Home with toolchain, known verdicts and judgements.
        store: Has the hidden parts.
        open_sandbox: Opens the sandbox that harnesses run in; called once it is needed.
        judging: Scores answers.
        harness_slots: Limits how many harnesses run at once. None for no limit.
        remote_grader: Grades what can't be graded here. None if everything can.
    """

    def __init__(
        self,
        home: Home,
        store: Store,
        open_sandbox: Callable[[], Sandbox],
        judging: AttemptJudging,
        harness_slots: asyncio.Semaphore | None = None,
        remote_grader: RemoteGrader | None = None,
    ) -> None:
        self.store = store
        self.slots = harness_slots
        self._remote_grader = remote_grader
        self._home = home
        self._sandbox = open_sandbox
        self._judging = judging

    async def run(
        self, ref: str, files: Mapping[str, bytes], *, attempt: str, run_number: int, log: BinaryIO, before_step: OnStep
    ) -> GradingOutcome:
        """Runs the hidden tests of the design problem `ref`; see `run_harness`.

        Raises:
            ProblemsError: The hidden part can't be read.
        """
        if (elsewhere := await self._remote_grader_if_needed(attempt)) is not None:
            return await elsewhere.run(
                ref, files, attempt=attempt, run_number=run_number, log=log, before_step=before_step
            )
        problem = await asyncio.to_thread(self.store.unseal, ref)
        verdict = await run_harness(
            problem, files, home=self._home, sandbox=self._sandbox(), log=log, before_step=before_step
        )
        return GradingOutcome(verdict)

    async def with_quality_if_passed_here(
        self, ref: str, files: Mapping[str, bytes], verdict: Verdict, *, attempt: str
    ) -> Verdict:
        """A verdict on the design problem `ref` with the design's quality, if it passed and was graded here.

        Raises:
            ProblemsError: The hidden part can't be read.
        """
        if await self._remote_grader_if_needed(attempt) is not None:
            return verdict
        # It brings the tools of proofs, which no run needs.
        from benchwright_formal.measuring import QualityMeasurement

        problem = await asyncio.to_thread(self.store.unseal, ref)
        sandbox = self._sandbox()
        try:
            toolchain = await asyncio.to_thread(toolchain_for, sandbox.name, self._home.cache)
        except HarnessError:
            return verdict
        return await QualityMeasurement(sandbox, toolchain).with_quality_if_passed(problem, files, verdict)

    async def rerun_for_waveform(
        self, ref: str, files: Mapping[str, bytes], waves: DesignWaveKeeper, *, attempt: str
    ) -> None:
        """Runs the hidden tests of the design problem `ref` once more, for the waveform of the solver's modules.

        Raises:
            AttemptError: The hidden tests are on another machine, or the sandbox can't keep a waveform.
            HarnessError: The tools are missing.
            ProblemsError: The hidden part can't be read.
        """
        if await self._remote_grader_if_needed(attempt) is not None:
            raise AttemptError("The hidden tests of this problem run at the service, which keeps no waveforms.")
        sandbox = self._sandbox()
        if not sandbox.supervises:
            raise AttemptError(f"The sandbox `{sandbox.name}` keeps no waveforms of hidden tests. Choose `bwrap`.")
        problem = await asyncio.to_thread(self.store.unseal, ref)
        toolchain = await asyncio.to_thread(toolchain_for, sandbox.name, self._home.cache)
        await Grader(sandbox, toolchain, VerdictStore.from_home(self._home)).run_again_for_waves(problem, files, waves)

    async def judge(self, ref: str, answer_content: bytes, *, attempt: str, run_number: int) -> GradingOutcome:
        """Scores an answer to `ref`, by the judges that are set up where it needs one.

        Args:
            ref: `pack/id`.
            answer_content: The content of `answer.md`.
            attempt: The attempt it belongs to.
            run_number: Rank of the answer in the attempt, from 1.

        Raises:
            ProblemsError: The hidden part can't be read.
            StorageError: The judges' database can't be opened.
        """
        if (remote_grader := await self._remote_grader_if_needed(attempt)) is not None:
            files = {ANSWER: answer_content}
            return await remote_grader.run(
                ref, files, attempt=attempt, run_number=run_number, log=None, before_step=ignore_step
            )
        problem = await asyncio.to_thread(self.store.unseal, ref)
        return await judge_answer(
            ref,
            problem,
            answer_content.decode("utf-8", "replace"),
            self._judging,
            attempt=attempt,
            run_number=run_number,
        )

    async def hint_text(self, ref: str, hint_number: int, *, attempt: str) -> str:
        """The text of a hint, by its number from 1. A caller records that it was taken before anybody sees it.

        Raises:
            ProblemsError: The hidden part can't be read, or has no such hint.
        """
        if (elsewhere := await self._remote_grader_if_needed(attempt)) is not None:
            return await elsewhere.take_hint(ref, hint_number, attempt=attempt)
        return hint_text(ref, await asyncio.to_thread(self.store.unseal, ref), hint_number)

    async def start_sandbox_ahead(self, ref: str, *, attempt: str) -> None:
        """Lets a sandbox that can do so start ahead for the next run of a design problem."""
        if await self._remote_grader_if_needed(attempt) is not None:
            return
        problem = await asyncio.to_thread(self.store.unseal, ref)
        await start_sandbox_ahead(problem, home=self._home, sandbox=self._sandbox())

    async def end_waiting_sandbox(self) -> None:
        """Ends the sandbox that waits for a run, if one does."""
        await end_waiting_sandbox(self._sandbox())

    async def _remote_grader_if_needed(self, attempt: str) -> RemoteGrader | None:
        has_it = self._remote_grader is not None and await asyncio.to_thread(
            self._remote_grader.is_graded_at_service, attempt
        )
        return self._remote_grader if has_it else None


def hint_text(ref: str, problem: Problem, hint_number: int) -> str:
    """The text of a hint.

    Args:
        ref: `pack/id`.
        problem: Problem with its hidden part.
        hint_number: Number of the hint, from 1.

    Raises:
        UnknownProblemError: No such hint exists.
    """
    if not 1 <= hint_number <= len(problem.hidden.hints):
        raise UnknownProblemError(
            f"{ref} has no hint {hint_number}; open the problem again, it may have been corrected"
        )
    return problem.hidden.hints[hint_number - 1]


async def judge_answer(
    ref: str,
    problem: Problem,
    answer: str,
    judging: AttemptJudging,
    *,
    attempt: str = "",
    run_number: int = 0,
    answer_id: str | None = None,
    rule_judgement: Judgement | None = None,
) -> GradingOutcome:
    """Scores the answer to a question or text problem.

    Args:
        ref: `pack/id`.
        problem: Problem with its hidden part.
        answer: The content of `answer.md`.
        judging: The judges.
        attempt: The attempt it belongs to.
        run_number: Rank of the answer in the attempt, from 1.
        answer_id: See `AttemptJudging.judge_answer`.
        rule_judgement: What rules say of it, where that is known.
    """
    start = time.monotonic()
    judgement = await judging.judge_answer(
        ref, problem, answer, attempt=attempt, run_number=run_number, answer_id=answer_id, rule_judgement=rule_judgement
    )
    return outcome_of_judgement(problem.public_digest, judgement, time.monotonic() - start)


def outcome_of_judgement(problem_public_digest: str, judgement: Judgement, wall_s: float) -> GradingOutcome:
    """The outcome of a judgement that took `wall_s` seconds, of an answer to the problem with this public digest."""
    verdict_fields = {"wall_s": round(wall_s, 6), "digests": Digests(problem=problem_public_digest)}
    return GradingOutcome(judgement.verdict.model_copy(update=verdict_fields), judgement)
