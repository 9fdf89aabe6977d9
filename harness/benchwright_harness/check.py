"""The two-sided proof of design problems: the reference passes; the starting files and an empty design do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from enum import StrEnum

from benchwright_harness.cluster.task import Task
from benchwright_harness.errors import BadHarnessError
from benchwright_harness.fault import settled
from benchwright_harness.grade import ManyRuns, solved_files
from benchwright_harness.plan import make_plan
from benchwright_harness.run import starting_files
from benchwright_harness.selection import Selection, selections
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import Model, Outcome, Reason, Verdict
from benchwright_problems.verilog import empty_module, modules


class Side(StrEnum):
    """What is run to prove a problem."""

    REFERENCE = "reference"
    STARTING = "starting"
    """The files as a solver finds them."""
    EMPTY = "empty"
    """Modules with the reference's ports and nothing in them, where a solver finds no files."""


class TwoSided(Model):
    """The verdicts of one problem."""

    reference: Verdict
    starting: Verdict
    empty: Verdict | None = None
    selection: Selection | None = None
    """What they were run with."""
    tools: tuple[str, ...] = ()
    """Programs that the harness calls."""

    @property
    def ok(self) -> bool:
        """Whether the problem can be trusted: the solved one passes, the unsolved one fails."""
        weak = self.empty is not None and self.empty.outcome is Outcome.PASSED
        sides = self.reference.outcome, self.starting.outcome
        return sides == (Outcome.PASSED, Outcome.FAILED) and not weak

    @property
    def reason(self) -> str:
        """Why it is not; empty where it is."""
        if self.ok:
            return ""
        for side in (self.reference, self.starting):
            if side.outcome is Outcome.ERROR:
                return side.summary
        if self.reference.outcome is Outcome.FAILED:
            return f"the reference fails: {self.reference.detail}"
        what = "the starting files pass" if self.starting.outcome is Outcome.PASSED else "an empty module passes"
        return f"{what}: the tests prove nothing"

    @property
    def wall_s(self) -> float:
        """Seconds of all runs together."""
        sides = (self.reference, self.starting, self.empty)
        return round(sum(side.wall_s for side in sides if side is not None), 3)


@dataclass
class _Proof:
    """A problem on its way through the rounds."""

    problem: Problem
    choices: tuple[Selection, ...]
    solutions: Mapping[Side, Mapping[str, bytes]]
    tried: dict[Selection, dict[Side, Verdict]] = field(default_factory=dict)

    @property
    def right(self) -> Selection | None:
        """The selection that counts; none while there are more to try."""
        for selection, verdicts in self.tried.items():
            if verdicts[Side.REFERENCE].outcome is Outcome.PASSED:
                return selection
        return self.choices[0] if len(self.tried) == len(self.choices) else None


class Checker(ManyRuns):
    """Proves many problems at once."""

    async def check(
        self, problems: Sequence[Problem], on_done: Callable[[int, TwoSided], None] = lambda index, two_sided: None
    ) -> list[TwoSided]:
        """Prove problems.

        Each round tries one more selection with those whose reference has not passed yet.

        Args:
            problems: Design problems, with their hidden parts.
            on_done: Called with a problem's index when all is known of it.

        Returns:
            The proofs, in the order of the problems.
        """
        done: dict[int, TwoSided] = {}
        proofs: dict[int, _Proof] = {}

        def finish(index: int, two_sided: TwoSided) -> None:
            done[index] = two_sided
            on_done(index, two_sided)

        for index, problem in enumerate(problems):
            refused = _cannot_be_run(problem)
            if refused is not None:
                finish(index, TwoSided(reference=refused, starting=refused))
            else:
                proofs[index] = _Proof(problem, selections(problem), _solutions(problem))
        while proofs:
            wanted = {
                index: {
                    side: self._task(proof.problem, solution, proof.choices[len(proof.tried)])
                    for side, solution in proof.solutions.items()
                }
                for index, proof in proofs.items()
            }

            def conclude(
                index: int,
                verdicts: Mapping[str, Verdict],
                wanted: Mapping[int, Mapping[Side, Task]] = wanted,
            ) -> None:
                proof = proofs[index]
                choice = proof.choices[len(proof.tried)]
                proof.tried[choice] = {side: verdicts[task.key] for side, task in wanted[index].items()}
                if proof.right is not None:
                    finish(index, self._two_sided(proof, proof.right))
                    del proofs[index]

            await self._round(wanted, conclude)
        return [done[index] for index in range(len(problems))]

    async def _round(
        self,
        wanted: Mapping[int, Mapping[Side, Task]],
        conclude: Callable[[int, Mapping[str, Verdict]], None],
    ) -> None:
        verdicts: dict[str, Verdict] = {}
        waiting = {index: {task.key for task in sides.values()} for index, sides in wanted.items()}
        owners: dict[str, list[int]] = {}
        for index, keys in waiting.items():
            for key in keys:
                owners.setdefault(key, []).append(index)
        tasks = [task for sides in wanted.values() for task in sides.values()]
        async with aclosing(self._verdicts_of(tasks)) as finished:
            async for task, verdict in finished:
                verdicts[task.key] = verdict
                for index in owners[task.key]:
                    waiting[index].discard(task.key)
                    if not waiting[index]:
                        conclude(index, verdicts)

    def _two_sided(self, proof: _Proof, right: Selection) -> TwoSided:
        references = {selection: verdicts[Side.REFERENCE] for selection, verdicts in proof.tried.items()}
        if len(proof.choices) > 1:
            self._keep_selection(proof.problem, references)
        reference = proof.tried[right][Side.REFERENCE]
        verdicts = {side: settled(verdict, reference) for side, verdict in proof.tried[right].items()}
        return TwoSided(
            reference=verdicts[Side.REFERENCE],
            starting=verdicts[Side.STARTING],
            empty=verdicts.get(Side.EMPTY),
            selection=right,
            tools=tuple(sorted(make_plan(proof.problem.hidden.harness, right.simulator).tools)),
        )


def _cannot_be_run(problem: Problem) -> Verdict | None:
    if not problem.hidden.reference:
        return Verdict(reason=Reason.NO_REFERENCE, detail="the pack has no reference solution")
    try:
        make_plan(problem.hidden.harness)
    except BadHarnessError as error:
        # The author may know what the solver may not.
        return Verdict(reason=error.reason, detail=str(error))
    return None


def _solutions(problem: Problem) -> dict[Side, Mapping[str, bytes]]:
    starting = starting_files(problem)
    solutions: dict[Side, Mapping[str, bytes]] = {Side.REFERENCE: solved_files(problem), Side.STARTING: starting}
    if not starting and (empty := _empty_files(problem)):
        solutions[Side.EMPTY] = empty
    return solutions


def _empty_files(problem: Problem) -> dict[str, bytes]:
    """The reference's modules without their content; empty if they can't be found out."""
    files: dict[str, bytes] = {}
    for path, text in problem.hidden.reference.items():
        if path.endswith((".v", ".sv")):
            shells = [empty_module(text, module.name) for module in modules(text)]
            files[path] = "\n".join(filter(None, shells)).encode()
    return files
