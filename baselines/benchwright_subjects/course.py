"""How the samples of one task run: what they share, and which attempt belongs to which."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.solver import TaskState

from benchwright_attempts.errors import EvaluationError
from benchwright_problems.problem import Problem
from benchwright_studies.machine_part import MachinePart
from benchwright_subjects.bench import Bench
from benchwright_subjects.runs import task_of
from benchwright_subjects.sitting import Sitting, Solver


class Course:
    """One task.

    Args:
        bench: What its samples share.
        pack: Whose problems it asks.
        problems: Public parts.
        agent: Whether an agent works on them.
        solver: Who, where that is not Inspect's model.
        part: Of a study, where its plan says who solves what.
    """

    def __init__(
        self,
        bench: Bench,
        pack: str,
        problems: Sequence[Problem],
        *,
        agent: bool,
        solver: str = "",
        part: MachinePart | None = None,
    ) -> None:
        self.bench = bench
        self.pack = pack
        self.agent = agent
        self.solver = solver
        self._part = part
        self._problems = {problem.id: problem for problem in problems}
        self._sittings: dict[str, Sitting] = {}

    async def begin(self, state: TaskState) -> None:
        """Begin a sample's attempt."""
        problem = self._problems[str(state.sample_id)]
        ref = f"{self.pack}/{problem.id}"
        solver = self._solver(ref, str(state.model), state.epoch)
        self._sittings[state.uuid] = await Sitting.begin(
            self.bench.log, task_of(state.uuid), ref, problem, state.epoch, solver
        )

    def _solver(self, ref: str, model: str, sample: int) -> Solver:
        if self._part is None:
            return Solver(self.solver or model, "agent" if self.agent else "model")
        self._part.check_model(model)
        assigned = self._part.assigned(ref, sample)
        return Solver(model, assigned.condition, assigned, self._part.attempt(ref, sample))

    def sitting(self, state: TaskState) -> Sitting:
        """The attempt of a sample.

        Raises:
            EvaluationError: It has none.
        """
        try:
            return self._sittings[state.uuid]
        except KeyError:
            raise EvaluationError("This sample has no attempt: its task ran without the set-up step.") from None

    async def leave(self, state: TaskState) -> None:
        """A sample has ended, in whatever way: an attempt that is not over waits to be gone on with."""
        sitting = self._sittings.pop(state.uuid, None)
        if sitting is not None:
            await sitting.interrupt("the run was interrupted")
