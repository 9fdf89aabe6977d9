"""Who solved which problem: a table of solvers by problems, with gaps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from benchwright_analysis.statistics.columns import Flags, Indices, Numbers


@dataclass(frozen=True)
class ResponseTable:
    """Results of solvers at problems."""

    solvers: tuple[str, ...]
    problems: tuple[str, ...]
    passes: Numbers
    """By solver and problem: 1 solved, 0 not solved, NaN where there is no result."""

    @classmethod
    def from_results(cls, solver_results: Iterable[tuple[str, str, bool]]) -> ResponseTable:
        """Solver, problem, and true if it was solved, in order of time: of several tries the first counts."""
        first_results: dict[tuple[str, str], bool] = {}
        for solver, problem, passed in solver_results:
            first_results.setdefault((solver, problem), passed)
        solvers = tuple(dict.fromkeys(solver for solver, _ in first_results))
        problems = tuple(sorted({problem for _, problem in first_results}))
        row_by_solver, column_by_problem = (
            {name: index for index, name in enumerate(names)} for names in (solvers, problems)
        )
        passes = np.full((len(solvers), len(problems)), np.nan)
        for (solver, problem), passed in first_results.items():
            passes[row_by_solver[solver], column_by_problem[problem]] = passed
        return cls(solvers, problems, passes)

    @property
    def is_answered(self) -> Flags:
        """True where there is a result."""
        return ~np.isnan(self.passes)

    @property
    def missing_count(self) -> int:
        """Pairs of solver and problem without a result."""
        return int((~self.is_answered).sum())

    def of_solvers(self, selected_solvers: Flags | Indices) -> ResponseTable:
        """Those solvers alone, at the problems that any of them tried."""
        row_indices = np.arange(len(self.solvers))[selected_solvers]
        passes = self.passes[row_indices]
        selected_rows = ResponseTable(tuple(self.solvers[row] for row in row_indices), self.problems, passes)
        return selected_rows.of_problems(np.flatnonzero(selected_rows.is_answered.any(axis=0)))

    def of_problems(self, selected_problems: Flags | Indices) -> ResponseTable:
        """Those problems alone."""
        column_indices = np.arange(len(self.problems))[selected_problems]
        return ResponseTable(
            self.solvers, tuple(self.problems[column] for column in column_indices), self.passes[:, column_indices]
        )

    def split_off_constant_problems(self) -> tuple[ResponseTable, tuple[str, ...]]:
        """The problems that some solved and some did not, and the names of the others."""
        varies = np.array([{0.0, 1.0} <= {*column.tolist()} for column in self.passes.T], dtype=np.bool_)
        alike = [problem for problem, does in zip(self.problems, varies, strict=True) if not does]
        return self.of_problems(varies), tuple(alike)


def solver_name(group: str, participant: str) -> str:
    """A solver is a participant in a group: who works under two conditions may be of another ability under each."""
    return group if participant in group else f"{group}: {participant}"
