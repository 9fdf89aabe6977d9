"""A solution's verdict: the one that is known, or that of a run with the right tools."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from benchwright_harness.cluster import Executor
from benchwright_harness.cluster.task import ClusterTask, code_digest
from benchwright_harness.decision.design_waves import DesignWaveKeeper
from benchwright_harness.decision.fault import (
    needs_reference_verdict,
    settled_by_reference,
    settled_by_starting_files,
)
from benchwright_harness.execution.run import reference_solution_files, run_harness, warm_up_sandbox
from benchwright_harness.grading.verdict_store import OutputTail, VerdictStore
from benchwright_harness.plan.selection import ToolSelection, selections
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem, digest
from benchwright_problems.verdict import Outcome, Reason, Verdict

# These concern the machine, not the design.
_NOT_BUILT = frozenset({Reason.BUILD_FAILED, Reason.TOOL_FAILED})
_UNTRIED = frozenset({Reason.TOOL_MISSING, Reason.SANDBOX_UNAVAILABLE, Reason.MACHINE_BUSY, Reason.CANCELLED})


_KNOWN = b"\n--- The same files were judged before, with the same tools: this is what was found then.\n"


def selection_key(problem: Problem, sandbox: Sandbox, toolchain: Toolchain) -> str:
    """Key of everything that the right selection of a problem depends on."""
    key_parts = (problem.public_digest, problem.harness_digest, toolchain.digest, sandbox.digest, code_digest())
    return digest([*key_parts, dict(problem.hidden.reference)])


def right_selection_if_known(verdict_by_tried_selection: Mapping[ToolSelection, Verdict]) -> ToolSelection | None:
    """The first that the reference passes with, or else the first; `None` if unknown.

    Args:
        verdict_by_tried_selection: The reference's verdicts, in the order of the selections.
    """
    for selection, verdict in verdict_by_tried_selection.items():
        if verdict.outcome is Outcome.PASSED:
            return selection
    untried = any(verdict.reason in _UNTRIED for verdict in verdict_by_tried_selection.values())
    return None if untried else next(iter(verdict_by_tried_selection))


def selections_to_retry(problem: Problem, failed_selection: ToolSelection, verdict: Verdict) -> Sequence[ToolSelection]:
    """Other selections to try a solution with; a verdict with one counts if the reference, if any, passes with it.

    A solution that a tool can't read is not wrong for that: what another tool builds counts. Where no reference has
    shown which tools a problem is meant for, neither is one that doesn't build.
    """
    if verdict.reason not in _NOT_BUILT or (problem.hidden.reference and verdict.reason is not Reason.TOOL_FAILED):
        return ()
    return [alternative for alternative in selections(problem) if alternative != failed_selection]


def _open_null_file() -> BinaryIO:
    return Path(os.devnull).open("wb")


@dataclass(frozen=True, slots=True)
class GradingProgress:
    """Progress of many runs."""

    finished_runs: int
    """Verdicts that are there."""
    known_runs: int
    """Those among them that were known before and took no time."""
    planned_runs: int
    """All that are wanted, as far as it is known now."""


class ManyRuns:
    """Runs many tasks with one toolchain in one kind of sandbox.

    Args:
        executor: Runs the tasks.
        sandbox: Sandbox of the runs, as the executor's machines have it.
        toolchain: Toolchain of the runs.
        verdicts: Those that are known are not reached again. New ones are kept as they come, so that what was
            interrupted resumes where it was.
        fresh: Reach all of them again.
        needs_logs: Reach those again whose raw output was not kept.
        on_progress: Called as verdicts come.
        on_known: Called with a task whose verdict is known.
    """

    def __init__(
        self,
        executor: Executor,
        sandbox: Sandbox,
        toolchain: Toolchain,
        verdicts: VerdictStore,
        fresh: bool = False,
        *,
        needs_logs: bool = False,
        on_progress: Callable[[GradingProgress], None] = lambda progress: None,
        on_known: Callable[[ClusterTask], None] = lambda task: None,
    ) -> None:
        self._on_known = on_known
        self._executor = executor
        self._sandbox = sandbox
        self._toolchain = toolchain
        self._verdicts = verdicts
        self._fresh = fresh
        self._needs_logs = needs_logs
        self._on_progress = on_progress
        self._progress = GradingProgress(0, 0, 0)

    def _make_task(
        self, problem: Problem, files: Mapping[str, bytes], selection: ToolSelection, limit_s: float | None = None
    ) -> ClusterTask:
        return ClusterTask.of(problem, files, self._sandbox, self._toolchain, selection, limit_s)

    def _known_verdict(self, task: ClusterTask) -> Verdict | None:
        verdict = None if self._fresh else self._verdicts.find_verdict(task.key)
        return None if self._needs_logs and not self._verdicts.raw_output(task.key) else verdict

    def _report_progress(
        self, *, new_finished_runs: int = 0, new_known_runs: int = 0, new_planned_runs: int = 0
    ) -> None:
        old_progress = self._progress
        self._progress = GradingProgress(
            old_progress.finished_runs + new_finished_runs,
            old_progress.known_runs + new_known_runs,
            old_progress.planned_runs + new_planned_runs,
        )
        self._on_progress(self._progress)

    async def _verdicts_of(self, tasks: Iterable[ClusterTask]) -> AsyncGenerator[tuple[ClusterTask, Verdict], None]:
        """Yield each different task with its verdict: first those that are known, then the others as they finish."""
        remaining_tasks: dict[str, ClusterTask] = {}
        for key, task in {task.key: task for task in tasks}.items():
            known_verdict = self._known_verdict(task)
            if known_verdict is None:
                remaining_tasks[key] = task
            else:
                self._report_progress(new_finished_runs=1, new_known_runs=1)
                self._on_known(task)
                yield task, known_verdict
        async with aclosing(self._executor.run(list(remaining_tasks.values()))) as finished:
            async for task, verdict in finished:
                self._verdicts.put_verdict_if_repeatable(task.key, verdict)
                self._report_progress(new_finished_runs=1)
                yield task, verdict

    async def _verdict_by_key(self, tasks: Collection[ClusterTask]) -> dict[str, Verdict]:
        """Verdicts by the tasks' keys."""
        self._report_progress(new_planned_runs=len({task.key for task in tasks}))
        async with aclosing(self._verdicts_of(tasks)) as finished:
            return {task.key: verdict async for task, verdict in finished}

    def _choose_selection_and_keep_if_certain(
        self, problem: Problem, verdict_by_tried_selection: Mapping[ToolSelection, Verdict]
    ) -> ToolSelection:
        """Selection to continue with after the reference ran with these; stored if it is certain."""
        best_selection = right_selection_if_known(verdict_by_tried_selection)
        if best_selection is not None:
            self._verdicts.put_selection(selection_key(problem, self._sandbox, self._toolchain), best_selection)
        return best_selection or next(iter(verdict_by_tried_selection))


class BatchGrader(ManyRuns):
    """Gives verdicts on many solutions at once."""

    async def grade(self, solutions: Sequence[tuple[Problem, Mapping[str, bytes]]]) -> list[Verdict]:
        """The verdicts on solutions, in their order.

        Args:
            solutions: Design problems with their hidden parts, and the files to judge.
        """
        problems = {id(problem): problem for problem, _ in solutions}
        selected = await self._right_selection_by_index(problems)
        tasks = [self._make_task(problem, files, selected[id(problem)]) for problem, files in solutions]
        verdicts_by_key = await self._verdict_by_key(tasks)
        final_verdicts = await self._verdicts_after_second_tries(tasks, [verdicts_by_key[task.key] for task in tasks])
        return await self._settled_by_references(tasks, final_verdicts)

    async def _verdicts_after_second_tries(
        self, tasks: Sequence[ClusterTask], verdicts: list[Verdict]
    ) -> list[Verdict]:
        """The verdicts, some of them replaced by those with other tools, which are tried one after the other."""
        remaining = {
            number: iter(alternatives)
            for number, (task, verdict) in enumerate(zip(tasks, verdicts, strict=True))
            if (alternatives := selections_to_retry(task.problem, task.selection, verdict))
        }
        while tries := {
            number: self._make_task(tasks[number].problem, tasks[number].solution, alternative)
            for number, alternatives in remaining.items()
            if (alternative := next(alternatives, None)) is not None
        }:
            references = {
                task.key: self._make_task(task.problem, reference_solution_files(task.problem), task.selection)
                for task in tries.values()
                if task.problem.hidden.reference
            }
            second_verdicts = await self._verdict_by_key([*tries.values(), *references.values()])
            for number, task in tries.items():
                reference = references.get(task.key)
                is_solvable = reference is None or second_verdicts[reference.key].outcome is Outcome.PASSED
                if is_solvable and second_verdicts[task.key].reason not in _NOT_BUILT:
                    verdicts[number] = second_verdicts[task.key]
                    del remaining[number]
        return verdicts

    async def _settled_by_references(self, tasks: Sequence[ClusterTask], verdicts: list[Verdict]) -> list[Verdict]:
        """The verdicts, after running references or starting files where these say whose fault something is."""
        references = {
            number: self._make_task(task.problem, reference_solution_files(task.problem), task.selection)
            for number, (task, verdict) in enumerate(zip(tasks, verdicts, strict=True))
            if needs_reference_verdict(task.problem, verdict)
        }
        verdicts_by_key = await self._verdict_by_key(references.values())
        for number, task in references.items():
            settled = settled_by_reference if task.problem.hidden.reference else settled_by_starting_files
            verdicts[number] = settled(verdicts[number], verdicts_by_key[task.key])
        return verdicts

    async def find_right_selection(self, problem: Problem) -> ToolSelection:
        """The first with which the reference passes, which takes a run of it where that is not known yet."""
        return (await self._right_selection_by_index({0: problem}))[0]

    async def _right_selection_by_index(self, problem_by_index: Mapping[int, Problem]) -> dict[int, ToolSelection]:
        """The right selection of each problem, after running the references where that is not known yet."""
        selected: dict[int, ToolSelection] = {}
        tried_verdicts: dict[int, dict[ToolSelection, Verdict]] = {}
        for number, problem in problem_by_index.items():
            choices = selections(problem)
            known_selection = self._verdicts.find_selection(selection_key(problem, self._sandbox, self._toolchain))
            if known_selection in choices:
                selected[number] = known_selection
            elif len(choices) == 1 or not problem.hidden.reference:
                selected[number] = choices[0]
            else:
                tried_verdicts[number] = {}
        while open_ones := [number for number in tried_verdicts if number not in selected]:
            tasks: dict[str, list[int]] = {}
            reference_tasks = []
            for number in open_ones:
                problem = problem_by_index[number]
                choice = selections(problem)[len(tried_verdicts[number])]
                reference_tasks.append(self._make_task(problem, reference_solution_files(problem), choice))
                tasks.setdefault(reference_tasks[-1].key, []).append(number)
            self._report_progress(new_planned_runs=len(tasks))
            async with aclosing(self._verdicts_of(reference_tasks)) as finished:
                async for task, verdict in finished:
                    for number in tasks[task.key]:
                        tried_verdicts[number][task.selection] = verdict
            for number in open_ones:
                is_passed = any(verdict.outcome is Outcome.PASSED for verdict in tried_verdicts[number].values())
                if is_passed or len(tried_verdicts[number]) == len(selections(problem_by_index[number])):
                    selected[number] = self._choose_selection_and_keep_if_certain(
                        problem_by_index[number], tried_verdicts[number]
                    )
        return selected


class Grader:
    """Gives verdicts on solutions here, one at a time.

    Args:
        sandbox: Sandbox that harnesses run in.
        toolchain: Toolchain that they run with.
        verdicts: Those that are known, and where new ones are kept.
        fresh: Run again even if the verdict is known.
    """

    def __init__(self, sandbox: Sandbox, toolchain: Toolchain, verdicts: VerdictStore, *, fresh: bool = False) -> None:
        self._sandbox = sandbox
        self._toolchain = toolchain
        self._verdicts = verdicts
        self._fresh = fresh

    async def grade(
        self,
        problem: Problem,
        solution: Mapping[str, bytes],
        *,
        log: BinaryIO,
        before_step: Callable[[int, int, str], None] = lambda number, total, service: None,
    ) -> Verdict:
        """The verdict on a solution; see `run_harness` for the arguments."""
        (verdict,) = await self._grader_of_one_solution(log, before_step, solution).grade([(problem, solution)])
        return verdict

    async def run_again_for_waves(
        self, problem: Problem, solution: Mapping[str, bytes], waves: DesignWaveKeeper
    ) -> None:
        """Run a solution once more for its waveform; the verdict, which is known, is not kept."""
        with _open_null_file() as log:
            await run_harness(
                problem,
                solution,
                sandbox=self._sandbox,
                toolchain=self._toolchain,
                selection=await self._grader_of_one_solution(log).find_right_selection(problem),
                log=log,
                waves=waves,
            )

    async def start_sandbox_ahead(self, problem: Problem) -> None:
        """Let a sandbox that can do so start ahead for the next run of a problem.

        Raises:
            HarnessError: The harness can't be run; a run says so too.
        """
        choices = selections(problem)
        known_selection = self._verdicts.find_selection(selection_key(problem, self._sandbox, self._toolchain))
        selection = known_selection if known_selection in choices else choices[0]
        await warm_up_sandbox(problem, sandbox=self._sandbox, toolchain=self._toolchain, selection=selection)

    def _grader_of_one_solution(
        self,
        log: BinaryIO,
        before_step: Callable[[int, int, str], None] = lambda number, total, service: None,
        solution: Mapping[str, bytes] | None = None,
    ) -> BatchGrader:
        """A batch of one solution, whose raw output goes to the log; that of a reference goes nowhere."""

        def is_shown(task: ClusterTask) -> bool:
            return solution is not None and all(solution.get(path) == text for path, text in task.solution.items())

        def show_known(task: ClusterTask) -> None:
            if is_shown(task):
                log.write(self._verdicts.raw_output(task.key))
                log.write(_KNOWN)

        executor = _SequentialExecutor(self._sandbox, self._toolchain, self._verdicts, is_shown, log, before_step)
        return BatchGrader(executor, self._sandbox, self._toolchain, self._verdicts, self._fresh, on_known=show_known)


@dataclass(frozen=True)
class _SequentialExecutor:
    """An executor that runs one task after the other in an open sandbox."""

    sandbox: Sandbox
    toolchain: Toolchain
    verdicts: VerdictStore
    is_shown: Callable[[ClusterTask], bool]
    """True for a task whose raw output is wanted."""
    log: BinaryIO
    before_step: Callable[[int, int, str], None]

    async def run(self, tasks: Sequence[ClusterTask]) -> AsyncGenerator[tuple[ClusterTask, Verdict], None]:
        """See `Executor.run`."""
        for task in tasks:
            with _open_null_file() as nowhere:
                log_tail = OutputTail(self.log if self.is_shown(task) else nowhere)
                verdict = await run_harness(
                    task.problem,
                    task.solution,
                    sandbox=self.sandbox,
                    toolchain=self.toolchain,
                    selection=task.selection,
                    log=log_tail,
                    before_step=self.before_step if self.is_shown(task) else lambda number, total, service: None,
                )
            self.verdicts.put_raw_output(task.key, log_tail.last_bytes)
            yield task, verdict
