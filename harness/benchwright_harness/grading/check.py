"""The two-sided proof of design problems: the reference passes; the starting files and an empty design do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from benchwright_harness.cluster.task import ClusterTask
from benchwright_harness.decision.fault import settled_by_reference
from benchwright_harness.errors import BadHarnessError, MissingCriterionError
from benchwright_harness.execution.run import reference_solution_files, starting_solution_files
from benchwright_harness.grading.criterion_proposal import lines_printed_by_testbench, proposed_criterion_toml
from benchwright_harness.grading.grade import ManyRuns
from benchwright_harness.grading.two_sided import ProofSide, ProofState, TwoSidedProof
from benchwright_harness.plan.connections import unmentioned_names
from benchwright_harness.plan.plan import HarnessPlan, make_plan
from benchwright_harness.plan.selection import ToolSelection, selections
from benchwright_harness.plan.testbench import read_testbench
from benchwright_problems.criterion import TESTBENCH_FILE, CriterionTable
from benchwright_problems.problem import Problem
from benchwright_problems.repository.named_tests import NamedTests
from benchwright_problems.verdict import Outcome, Reason, Verdict
from benchwright_problems.verilog import module_without_content, modules

_PATIENCE = 10.0
"""Multiple of the reference's time that the unsolved files have: a stopped simulation would take the whole limit."""
_LEAST_LIMIT_S = 20.0
_LIMIT_WITHOUT_REFERENCE_S = 120.0


@dataclass
class _ProblemCheck:
    """A problem on its way through the rounds."""

    problem: Problem
    plan: HarnessPlan
    candidate_selections: tuple[ToolSelection, ...]
    unsolved_files_by_side: Mapping[ProofSide, Mapping[str, bytes]]
    reference_run_by_selection: dict[ToolSelection, tuple[ClusterTask, Verdict]] = field(default_factory=dict)

    @property
    def has_reference(self) -> bool:
        return bool(self.problem.hidden.reference)

    @property
    def final_selection(self) -> ToolSelection | None:
        """The selection that counts; none while there are more to try."""
        if not self.has_reference:
            return self.candidate_selections[0]
        for selection, (_, verdict) in self.reference_run_by_selection.items():
            if verdict.outcome is Outcome.PASSED:
                return selection
        return (
            self.candidate_selections[0]
            if len(self.reference_run_by_selection) == len(self.candidate_selections)
            else None
        )

    @property
    def unsolved_limit_s(self) -> float:
        """Wall time of a step of the unsolved files, in seconds."""
        full_limit_s = self.problem.limits.wall_s
        if not self.has_reference:
            return min(full_limit_s, _LIMIT_WITHOUT_REFERENCE_S)
        _, reference = self.reference_run_by_selection[self.final_selection or self.candidate_selections[0]]
        return min(full_limit_s, max(_LEAST_LIMIT_S, _PATIENCE * reference.wall_s))


class ProblemChecker(ManyRuns):
    """Proves many problems at once."""

    async def check_problems(
        self, problems: Sequence[Problem], on_done: Callable[[int, TwoSidedProof], None] = lambda index, two_sided: None
    ) -> list[TwoSidedProof]:
        """Prove problems.

        The references run first, each with one selection after the other until it passes; what they took limits the
        time of the unsolved files, which run with that selection alone. Of a problem without a reference these show
        whether its harness executes.

        Args:
            problems: Design problems, with their hidden parts.
            on_done: Called with a problem's index when all is known of it.

        Returns:
            The proofs, in the order of the problems.
        """
        proofs_by_index: dict[int, TwoSidedProof] = {}
        proofs: dict[int, _ProblemCheck] = {}

        def finish(index: int, two_sided: TwoSidedProof) -> None:
            two_sided = self._with_unmentioned_names_and_proposal(problems[index], two_sided)
            proofs_by_index[index] = two_sided
            on_done(index, two_sided)

        for index, problem in enumerate(map(_with_criterion_or_any_exit, problems)):
            try:
                plan = make_plan(problem.hidden.harness, table=problem.hidden.criterion, tests=problem.hidden.tests)
            except BadHarnessError as error:
                # The author may know what the solver may not.
                bad_harness_verdict = Verdict(reason=error.reason, detail=str(error))
                finish(index, TwoSidedProof(reference=bad_harness_verdict, starting=bad_harness_verdict))
                continue
            proofs[index] = _ProblemCheck(problem, plan, selections(problem), _unsolved_files_by_side(problem, plan))
        self._report_progress(
            new_planned_runs=sum(proof.has_reference + len(proof.unsolved_files_by_side) for proof in proofs.values())
        )
        await self._run_references(proofs)
        await self._run_unsolved(proofs, finish)
        return [proofs_by_index[index] for index in range(len(problems))]

    def _with_unmentioned_names_and_proposal(self, problem: Problem, two_sided: TwoSidedProof) -> TwoSidedProof:
        """A proof, with the names that a solver can't know, and a criterion where the testbench's own does not fit."""
        two_sided = two_sided.model_copy(update={"unmentioned_names": unmentioned_names(problem)})
        if TESTBENCH_FILE not in problem.hidden.harness or ProofSide.REFERENCE not in two_sided.runs:
            return two_sided
        is_missing = _with_criterion_or_any_exit(problem) is not problem
        if not is_missing and two_sided.proof_state is not ProofState.WRONG:
            return two_sided
        lines_by_side = {
            side: lines_printed_by_testbench(self._verdicts.raw_output(run_key))
            for side, run_key in two_sided.runs.items()
        }
        reference_lines = lines_by_side.pop(ProofSide.REFERENCE)
        proposal = proposed_criterion_toml(
            reference_lines, [line for lines in lines_by_side.values() for line in lines]
        )
        if not is_missing:
            return two_sided.model_copy(update={"proposed_criterion": proposal})
        undecided = Verdict(reason=Reason.BAD_HARNESS, detail="neither testbench.json nor problem.toml has a criterion")
        sides = dict.fromkeys(("reference", "starting", "empty"), undecided)
        return two_sided.model_copy(update={"proposed_criterion": proposal, **sides})

    async def _run_references(self, check_by_index: Mapping[int, _ProblemCheck]) -> None:
        open_proofs = {index: proof for index, proof in check_by_index.items() if proof.final_selection is None}
        while open_proofs:
            round_tasks: dict[int, dict[ProofSide, ClusterTask]] = {}
            for index, proof in open_proofs.items():
                choice = proof.candidate_selections[len(proof.reference_run_by_selection)]
                round_tasks[index] = {
                    ProofSide.REFERENCE: self._make_task(proof.problem, reference_solution_files(proof.problem), choice)
                }

            def conclude(
                index: int,
                verdicts: Mapping[str, Verdict],
                round_tasks: Mapping[int, Mapping[ProofSide, ClusterTask]] = round_tasks,
            ) -> None:
                task = round_tasks[index][ProofSide.REFERENCE]
                check_by_index[index].reference_run_by_selection[task.selection] = (task, verdicts[task.key])

            await self._run_round(round_tasks, conclude)
            open_proofs = {index: proof for index, proof in open_proofs.items() if proof.final_selection is None}
            self._report_progress(new_planned_runs=len(open_proofs))
        for proof in check_by_index.values():
            if proof.has_reference and len(proof.candidate_selections) > 1:
                tried_verdicts = {
                    selection: verdict for selection, (_, verdict) in proof.reference_run_by_selection.items()
                }
                self._choose_selection_and_keep_if_certain(proof.problem, tried_verdicts)

    async def _run_unsolved(
        self, check_by_index: Mapping[int, _ProblemCheck], finish_problem: Callable[[int, TwoSidedProof], None]
    ) -> None:
        first_tasks = {
            index: self._unsolved_tasks(proof, proof.final_selection or proof.candidate_selections[0])
            for index, proof in check_by_index.items()
        }
        second_tasks: dict[int, dict[ProofSide, ClusterTask]] = {}

        def conclude(index: int, verdicts: Mapping[str, Verdict]) -> None:
            proof = check_by_index[index]
            two_sided = _two_sided_of_runs(proof, first_tasks[index], verdicts)
            # Without a reference nobody knows which tools the harness is meant for.
            if not proof.has_reference and len(proof.candidate_selections) > 1 and not two_sided.has_reached_tests:
                second_tasks[index] = self._unsolved_tasks(proof, proof.candidate_selections[1])
                self._report_progress(new_planned_runs=len(second_tasks[index]))
            else:
                finish_problem(index, two_sided)

        await self._run_round(first_tasks, conclude)
        await self._run_round(
            second_tasks,
            lambda index, verdicts: finish_problem(
                index, _two_sided_of_runs(check_by_index[index], second_tasks[index], verdicts)
            ),
        )

    def _unsolved_tasks(self, problem_check: _ProblemCheck, selection: ToolSelection) -> dict[ProofSide, ClusterTask]:
        return {
            unsolved_side: self._make_task(problem_check.problem, files, selection, problem_check.unsolved_limit_s)
            for unsolved_side, files in problem_check.unsolved_files_by_side.items()
        }

    async def _run_round(
        self,
        tasks_by_problem_index: Mapping[int, Mapping[ProofSide, ClusterTask]],
        conclude_problem: Callable[[int, Mapping[str, Verdict]], None],
    ) -> None:
        verdicts: dict[str, Verdict] = {}
        pending_keys = {index: {task.key for task in sides.values()} for index, sides in tasks_by_problem_index.items()}
        owners: dict[str, list[int]] = {}
        for index, keys in pending_keys.items():
            for key in keys:
                owners.setdefault(key, []).append(index)
        tasks = [task for sides in tasks_by_problem_index.values() for task in sides.values()]
        async with aclosing(self._verdicts_of(tasks)) as finished:
            async for task, verdict in finished:
                verdicts[task.key] = verdict
                for index in owners[task.key]:
                    pending_keys[index].discard(task.key)
                    if not pending_keys[index]:
                        conclude_problem(index, verdicts)


def _with_criterion_or_any_exit(problem: Problem) -> Problem:
    """A problem whose testbench runs: where nothing says when it passes, it passes by ending."""
    hidden = problem.hidden
    if TESTBENCH_FILE not in hidden.harness or hidden.criterion is not None:
        return problem
    try:
        read_testbench(hidden.harness)
    except MissingCriterionError:
        hidden = hidden.model_copy(update={"criterion": CriterionTable(exit="any")})
        return problem.model_copy(update={"hidden": hidden})
    except BadHarnessError:
        pass
    return problem


def _two_sided_of_runs(
    problem_check: _ProblemCheck,
    unsolved_task_by_side: Mapping[ProofSide, ClusterTask],
    verdict_by_key: Mapping[str, Verdict],
) -> TwoSidedProof:
    verdict_by_side = {side: verdict_by_key[task.key] for side, task in unsolved_task_by_side.items()}
    selection = next(iter(unsolved_task_by_side.values())).selection
    runs = {side: task.key for side, task in unsolved_task_by_side.items()}
    hidden = problem_check.problem.hidden
    if problem_check.has_reference:
        task, reference = problem_check.reference_run_by_selection[selection]
        runs[ProofSide.REFERENCE] = task.key
        verdict_by_side = {side: settled_by_reference(verdict, reference) for side, verdict in verdict_by_side.items()}
    else:
        reference = Verdict(reason=Reason.NO_REFERENCE, detail="the pack has no reference solution")
    return TwoSidedProof(
        reference=reference,
        starting=verdict_by_side[ProofSide.STARTING],
        empty=verdict_by_side.get(ProofSide.EMPTY),
        selection=selection,
        tools=_program_names(
            make_plan(hidden.harness, selection.simulator, table=hidden.criterion, tests=hidden.tests)
        ),
        limit_s=problem_check.unsolved_limit_s,
        misnamed_tests=_misnamed_test_sentences(hidden.tests, verdict_by_side[ProofSide.STARTING]),
        runs=runs,
    )


def _misnamed_test_sentences(named_tests: NamedTests | None, starting_verdict: Verdict) -> tuple[str, ...]:
    if named_tests is None or not starting_verdict.tests:
        return ()
    pass_by_test = {test.name: test.passed for test in starting_verdict.tests}
    return (
        *(
            f"fail_to_pass: {name} passes with the starting files"
            for name in named_tests.fail_to_pass
            if pass_by_test.get(name)
        ),
        *(
            f"pass_to_pass: {name} fails with the starting files"
            for name in named_tests.pass_to_pass
            if not pass_by_test.get(name)
        ),
    )


def _program_names(plan: HarnessPlan) -> tuple[str, ...]:
    # A path is a part of the toolchain's own, not a program that the harness calls.
    return tuple(sorted(tool for tool in plan.tools if "/" not in tool))


def _unsolved_files_by_side(problem: Problem, plan: HarnessPlan) -> dict[ProofSide, Mapping[str, bytes]]:
    starting = starting_solution_files(problem)
    files_by_side: dict[ProofSide, Mapping[str, bytes]] = {ProofSide.STARTING: starting}
    starting_texts = {path: content.decode() for path, content in starting.items()}
    if not problem.hidden.reference:
        files_by_side[ProofSide.EMPTY] = _files_with_portless_modules(problem, plan) | _files_with_emptied_modules(
            starting_texts
        )
    elif not starting and (empty := _files_with_emptied_modules(problem.hidden.reference)):
        files_by_side[ProofSide.EMPTY] = empty
    return files_by_side


def _files_with_emptied_modules(text_by_path: Mapping[str, str]) -> dict[str, bytes]:
    """The modules of sources without their content; empty if they can't be found out."""
    files: dict[str, bytes] = {}
    for path, text in text_by_path.items():
        if path.endswith((".v", ".sv")):
            shells = [module_without_content(text, module.name) for module in modules(text)]
            files[path] = "\n".join(filter(None, shells)).encode()
    return files


def _files_with_portless_modules(problem: Problem, plan: HarnessPlan) -> dict[str, bytes]:
    """Modules without ports, called as the harness calls its top, so that it can at least elaborate."""
    paths = [path for path in problem.public.expected if path.endswith((".v", ".sv"))]
    names = {path: path.rpartition("/")[2].rpartition(".")[0] for path in paths}
    top_module = next((step.env["TOPLEVEL"] for step in plan.steps if step.env.get("TOPLEVEL")), None)
    if paths and top_module and top_module not in names.values():
        names[paths[0]] = top_module
    return {path: f"module {name};\nendmodule\n".encode() for path, name in names.items()}
