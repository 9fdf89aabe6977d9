"""`benchwright problems check`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from pydantic import JsonValue
from rich.text import Text

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.home import Home
from benchwright_harness.cluster import Executor
from benchwright_harness.cluster.configuration import open_executor
from benchwright_harness.execution.run_archive import RunArchive
from benchwright_harness.grading.check import ProblemChecker
from benchwright_harness.grading.grade import BatchGrader, GradingProgress
from benchwright_harness.grading.two_sided import ProofState, TwoSidedProof
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX, open_sandbox, toolchain_for
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Reason
from benchwright_server.authoring.proving import ProofCandidate, candidates_to_prove, prove_both_sides
from benchwright_server.cli.problems.check_report import category_or_question_format, write_report
from benchwright_server.cli.problems.whole_pack import author_folder_if_any, pack_with_hidden_parts
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.interruption import end_cleanly_on_signal
from benchwright_server.cli.terminal.output import (
    color_of_outcome,
    console,
    exit_on_expected_error,
    explain_unwritable,
    print_json,
)
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError


@dataclass(frozen=True)
class _CheckRecords:
    """Records of the runs, besides verdicts; all of them may hold hidden text."""

    keep_runs: Annotated[
        Path | None, typer.Option(help="Keep the folders of runs here, compressed; they hold hidden text.")
    ] = None
    logs: Annotated[
        Path | None,
        typer.Option(help="Write the raw log of each side of each problem to this folder; they hold hidden text."),
    ] = None


def check(
    pack: Annotated[str, typer.Argument(help="The pack to check, or the folder that its author works on.")],
    run_records: _CheckRecords,
    sandbox: options.Sandbox = DEFAULT_SANDBOX,
    jobs: options.Jobs = None,
    cluster: options.Cluster = None,
    cluster_option: options.ClusterOption = None,
    fresh: options.Fresh = False,
    report: Annotated[Path | None, typer.Option(help="Write details to this JSON file, and a table beside it.")] = None,
    json_output: options.Json = False,
) -> None:
    """Prove each problem from both sides: its reference passes, its starting files fail.

    In a folder, the solutions in hidden/right have to pass and those in hidden/wrong to fail too. Of a problem without
    a reference, this shows whether its harness executes. An interrupted check continues where it stopped. Exit status:
    0 all proved, 1 some are wrong, 2 some could not be decided or proved and none is wrong.
    """
    with (
        exit_on_expected_error(),
        end_cleanly_on_signal("All verdicts so far are kept: the same command continues where it stopped."),
    ):
        home = Home.from_environment()
        store, verdicts = Store(home), VerdictStore.from_home(home)
        problems = pack_with_hidden_parts(store, pack).problems
        folder = author_folder_if_any(pack)
        pack_candidates = candidates_to_prove(problems, folder)
        if run_records.logs is not None and cluster is not None:
            raise ServerError("A cluster keeps no raw logs. Leave out --logs, or --cluster.")
        executor = open_executor(
            home,
            jobs=jobs,
            cluster_name_or_address=cluster,
            option_assignments=cluster_option or (),
            before_folder_removal=RunArchive(run_records.keep_runs).archive_unless_full
            if run_records.keep_runs
            else None,
            open_log=lambda task: verdicts.open_log(task.key),
        )
        box, toolchain = open_sandbox(sandbox), toolchain_for(sandbox, home.cache)
        checker = partial(
            ProblemChecker,
            sandbox=box,
            toolchain=toolchain,
            verdicts=verdicts,
            fresh=fresh,
            needs_logs=run_records.logs is not None,
        )
        logs = _SideLogs(run_records.logs, verdicts) if run_records.logs is not None else None
        grader = partial(BatchGrader, sandbox=box, toolchain=toolchain, verdicts=verdicts, fresh=fresh)
        proofs = asyncio.run(_prove_all(pack_candidates, executor, checker, grader, logs))
        proof_rows = list(zip(problems, proofs, strict=True))
        file_remarks = (
            {problem.id: _located_file_remarks(folder / problem.id) for problem in problems}
            if folder is not None
            else {}
        )
        if report is not None:
            write_report(report, pack, proof_rows, box, toolchain)
    counts = {
        proof_state.value: sum(two_sided.proof_state is proof_state for two_sided in proofs)
        for proof_state in ProofState
    }
    proved = counts[ProofState.PROVED]
    if json_output:
        json_rows = [_proof_row(*row) | {"file_remarks": list(file_remarks.get(row[0].id, []))} for row in proof_rows]
        print_json({"pack": pack, "total": len(proof_rows), "ok": proved, "counts": counts, "problems": json_rows})
    else:
        _print_proofs(proof_rows, file_remarks, counts)
    if proved < len(proof_rows):
        raise typer.Exit(1 if counts[ProofState.WRONG] else 2)


async def _prove_all(
    pack_candidates: Sequence[ProofCandidate],
    executor: AbstractAsyncContextManager[Executor],
    make_checker: Callable[..., ProblemChecker],
    make_grader: Callable[..., BatchGrader],
    side_logs: _SideLogs | None,
) -> list[TwoSidedProof]:
    designs = sum(candidate.problem.kind is ProblemKind.DESIGN for candidate in pack_candidates)
    with progress("checking", designs, "runs") as meter:

        def show(run_progress: GradingProgress) -> None:
            meter.show_counts(run_progress.finished_runs, run_progress.planned_runs, run_progress.known_runs)

        async with executor as runs:
            return await prove_both_sides(
                pack_candidates,
                make_checker(runs, on_progress=show),
                make_grader(runs, on_progress=show),
                side_logs.write_logs_of_sides if side_logs is not None else lambda problem, two_sided: None,
            )


_MARKS = {
    ProofState.PROVED: ("✓", "green"),
    ProofState.EXECUTES: ("~", "yellow"),
    ProofState.WRONG: ("✗", "red"),
    ProofState.UNDECIDED: ("?", "yellow"),
}


def _located_file_remarks(problem_folder: Path) -> list[str]:
    """The remarks of an editor on the files of a problem, each with its place."""
    from benchwright_authoring.problem_files.problem_folder import ProblemFolder
    from benchwright_authoring.problem_files.remarks import remarks_on_problem

    problem = ProblemFolder(problem_folder, {})
    return [
        f"{problem_folder.name}/{remark.file}:{problem.text(remark.file).count(chr(10), 0, remark.span.start) + 1}: "
        f"{remark.message}"
        for remark in remarks_on_problem(problem)
    ]


def _print_proofs(
    proof_rows: Sequence[tuple[Problem, TwoSidedProof]],
    file_remarks: Mapping[str, Sequence[str]],
    count_by_proof_state: Mapping[str, int],
) -> None:
    table = TerminalTable("problem", "reference", "starting", "seconds", "")
    for problem, two_sided in proof_rows:
        side_cells = [
            Text("none", "dim")
            if side_verdict.reason is Reason.NO_REFERENCE
            else Text(side_verdict.outcome.value, color_of_outcome(side_verdict.outcome))
            for side_verdict in (two_sided.reference, two_sided.starting)
        ]
        mark = Text.assemble(_MARKS[two_sided.proof_state], " " * bool(two_sided.reason), two_sided.reason)
        table.add_row(problem.id, *side_cells, f"{two_sided.wall_s:.1f}", mark)
    table.print_rows()
    remarks: dict[str, list[str]] = {}
    for problem, two_sided in proof_rows:
        for remark in two_sided.remarks:
            remarks.setdefault(remark, []).append(problem.id)
    for remark, ids in remarks.items():
        console.print(f"Remark on {', '.join(ids)}: {remark}", markup=False, soft_wrap=True)
    for remark in (file_remark for problem_remarks in file_remarks.values() for file_remark in problem_remarks):
        console.print(remark, markup=False, soft_wrap=True)
    console.print(f"{count_by_proof_state[ProofState.PROVED]} of {len(proof_rows)} problems proved from both sides.")
    if count_by_proof_state[ProofState.EXECUTES]:
        console.print(
            f"{count_by_proof_state[ProofState.EXECUTES]} have no reference, so that nothing can be proved; their "
            "harnesses execute.",
            soft_wrap=True,
        )
    if count_by_proof_state[ProofState.WRONG] or count_by_proof_state[ProofState.UNDECIDED]:
        console.print("--logs DIR writes what the tools said.")


def _proof_row(problem: Problem, two_sided: TwoSidedProof) -> dict[str, JsonValue]:
    return {
        "id": problem.id,
        "category": category_or_question_format(problem),
        "reference": two_sided.reference.outcome.value,
        "starting": two_sided.starting.outcome.value,
        "ok": two_sided.is_proved,
        "proof": two_sided.proof_state.value,
        "reason": two_sided.reason,
        "tests_ran": two_sided.most_tests_run,
        "wall_s": two_sided.wall_s,
        "remarks": list(two_sided.remarks),
    }


class _SideLogs:
    """Files `PROBLEM.SIDE.log` in a folder. They hold hidden text: only the owner can read them.

    Args:
        folder: Created if it is missing.
        verdicts: Keeps the output of runs.

    Raises:
        ServerError: The folder can't be made.
    """

    def __init__(self, folder: Path, verdicts: VerdictStore) -> None:
        self._folder = folder
        self._verdicts = verdicts
        with explain_unwritable(folder):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder.chmod(0o700)

    def write_logs_of_sides(self, problem: Problem, two_sided: TwoSidedProof) -> None:
        """Write what each side of a problem printed, compiler messages included.

        Raises:
            ServerError: A file can't be written.
        """
        for proof_side, verdict in two_sided.verdict_by_side.items():
            run = two_sided.runs.get(proof_side)
            log_content = self._verdicts.raw_output(run) if run is not None else b""
            file = self._folder / f"{problem.id}.{proof_side.value}.log"
            with explain_unwritable(self._folder):
                write_atomically(file.absolute(), log_content + f"--- {verdict.summary}\n".encode(), 0o600)
