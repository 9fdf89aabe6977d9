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

from benchwright_harness.check import Checker
from benchwright_harness.cluster import Executor
from benchwright_harness.cluster.configuration import open_executor
from benchwright_harness.grade import BatchGrader
from benchwright_harness.run import starting_files
from benchwright_harness.run_archive import RunArchive
from benchwright_harness.sandboxes import DEFAULT_SANDBOX, open_sandbox, toolchain_for
from benchwright_harness.two_sided import Proof, TwoSided
from benchwright_harness.verdict_store import VerdictStore
from benchwright_judges.check import check_question
from benchwright_problems.home import Home
from benchwright_problems.pack_folder import wrong_solutions
from benchwright_problems.problem import Kind, Problem
from benchwright_problems.store import Store
from benchwright_problems.verdict import Reason
from benchwright_server.cli import options
from benchwright_server.cli.check_logs import Logs
from benchwright_server.cli.check_report import category, write_report
from benchwright_server.cli.interruption import interruptible
from benchwright_server.cli.option_groups import grouped
from benchwright_server.cli.output import color_of, out, plain_errors, print_json
from benchwright_server.cli.progress import progress
from benchwright_server.cli.table import Table
from benchwright_server.cli.whole_pack import author_folder, whole_pack
from benchwright_server.errors import ServerError

_Wrong = Sequence[tuple[int, str, Mapping[str, bytes]]]
"""Index of the problem, name and files of solutions that have to fail."""


def add_to(problems: typer.Typer) -> None:
    """Add the command to `benchwright problems`."""
    problems.command("check")(grouped(check))


@dataclass(frozen=True)
class _Kept:
    """What is kept of the runs, besides verdicts; all of it may hold hidden text."""

    keep_runs: Annotated[
        Path | None, typer.Option(help="Keep the folders of runs here, compressed; they hold hidden text.")
    ] = None
    logs: Annotated[
        Path | None,
        typer.Option(help="Write the raw log of each side of each problem to this folder; they hold hidden text."),
    ] = None


def check(
    pack: Annotated[str, typer.Argument(help="The pack to check, or the folder that its author works on.")],
    kept: _Kept,
    sandbox: options.Sandbox = DEFAULT_SANDBOX,
    jobs: options.Jobs = None,
    cluster: options.Cluster = None,
    cluster_option: options.ClusterOption = None,
    fresh: options.Fresh = False,
    report: Annotated[Path | None, typer.Option(help="Write details to this JSON file, and a table beside it.")] = None,
    json_output: options.Json = False,
) -> None:
    """Prove each problem from both sides: its reference passes, its starting files fail.

    In a folder, the solutions in hidden/wrong have to fail too. Of a problem without a reference, this shows whether
    its harness executes. An interrupted check continues where it stopped. Exit status: 0 all proved, 1 some are wrong,
    2 some could not be decided or proved and none is wrong.
    """
    with plain_errors(), interruptible("All verdicts so far are kept: the same command continues where it stopped."):
        home = Home.find()
        store, verdicts = Store(home), VerdictStore.of(home)
        problems = whole_pack(store, pack).problems
        wrong = _wrong(pack, problems)
        if kept.logs is not None and cluster is not None:
            raise ServerError("A cluster keeps no raw logs. Leave out --logs, or --cluster.")
        executor = open_executor(
            home,
            jobs=jobs,
            cluster=cluster,
            options=cluster_option or (),
            on_folder=RunArchive(kept.keep_runs).keep if kept.keep_runs else None,
            log=lambda task: verdicts.open_log(task.key),
        )
        box, toolchain = open_sandbox(sandbox), toolchain_for(sandbox, home.cache)
        checker = partial(
            Checker,
            sandbox=box,
            toolchain=toolchain,
            verdicts=verdicts,
            fresh=fresh,
            needs_logs=kept.logs is not None,
        )
        logs = Logs(kept.logs, verdicts) if kept.logs is not None else None
        grader = partial(BatchGrader, sandbox=box, toolchain=toolchain, verdicts=verdicts, fresh=fresh)
        proofs = asyncio.run(_check_all(problems, wrong, executor, checker, grader, logs))
        rows = list(zip(problems, proofs, strict=True))
        if report is not None:
            write_report(report, pack, rows, box, toolchain)
    counts = {proof.value: sum(two_sided.proof is proof for two_sided in proofs) for proof in Proof}
    proved = counts[Proof.PROVED]
    if json_output:
        found = [_row(*row) for row in rows]
        print_json({"pack": pack, "total": len(rows), "ok": proved, "counts": counts, "problems": found})
    else:
        _print(rows, counts)
    if proved < len(rows):
        raise typer.Exit(1 if counts[Proof.WRONG] else 2)


def _wrong(pack: str, problems: Sequence[Problem]) -> _Wrong:
    folder = author_folder(pack)
    if folder is None:
        return []
    return [
        (index, name, {path: text.encode() for path, text in files.items()})
        for index, problem in enumerate(problems)
        if problem.kind is Kind.DESIGN
        for name, files in wrong_solutions(folder, problem.id).items()
    ]


async def _check_all(
    problems: Sequence[Problem],
    wrong: _Wrong,
    executor: AbstractAsyncContextManager[Executor],
    checker: Callable[..., Checker],
    grader: Callable[..., BatchGrader],
    logs: Logs | None,
) -> list[TwoSided]:
    done: dict[int, TwoSided] = {}
    designs = [index for index, problem in enumerate(problems) if problem.kind is Kind.DESIGN]

    def finish(number: int, two_sided: TwoSided) -> None:
        done[designs[number]] = two_sided
        if logs is not None:
            logs.write(problems[designs[number]], two_sided)

    for index in set(range(len(problems))) - set(designs):
        reference, starting = check_question(problems[index])
        done[index] = TwoSided(reference=reference.verdict, starting=starting.verdict)
    with progress("checking", len(designs), "runs") as meter:
        async with executor as runs:
            proving = checker(runs, on_progress=lambda now: meter.show(now.done, now.planned, now.known))
            await proving.check([problems[index] for index in designs], finish)
            grading = grader(runs, on_progress=lambda now: meter.show(now.done, now.planned, now.known))
            solutions = [(problems[index], {**starting_files(problems[index]), **files}) for index, _, files in wrong]
            for (index, name, _), verdict in zip(wrong, await grading.grade(solutions), strict=True):
                done[index] = done[index].model_copy(update={"wrong": done[index].wrong | {name: verdict}})
    return [done[index] for index in range(len(problems))]


_MARKS = {
    Proof.PROVED: ("✓", "green"),
    Proof.EXECUTES: ("~", "yellow"),
    Proof.WRONG: ("✗", "red"),
    Proof.UNDECIDED: ("?", "yellow"),
}


def _print(rows: Sequence[tuple[Problem, TwoSided]], counts: Mapping[str, int]) -> None:
    table = Table("problem", "reference", "starting", "seconds", "")
    for problem, two_sided in rows:
        sides = [
            Text("none", "dim")
            if side.reason is Reason.NO_REFERENCE
            else Text(side.outcome.value, color_of(side.outcome))
            for side in (two_sided.reference, two_sided.starting)
        ]
        mark = Text.assemble(_MARKS[two_sided.proof], " " * bool(two_sided.reason), two_sided.reason)
        table.add_row(problem.id, *sides, f"{two_sided.wall_s:.1f}", mark)
    table.print()
    remarks: dict[str, list[str]] = {}
    for problem, two_sided in rows:
        for remark in two_sided.remarks:
            remarks.setdefault(remark, []).append(problem.id)
    for remark, ids in remarks.items():
        out.print(f"Remark on {', '.join(ids)}: {remark}", markup=False, soft_wrap=True)
    out.print(f"{counts[Proof.PROVED]} of {len(rows)} problems proved from both sides.")
    if counts[Proof.EXECUTES]:
        out.print(
            f"{counts[Proof.EXECUTES]} have no reference, so that nothing can be proved; their harnesses execute.",
            soft_wrap=True,
        )
    if counts[Proof.WRONG] or counts[Proof.UNDECIDED]:
        out.print("--logs DIR writes what the tools said.")


def _row(problem: Problem, two_sided: TwoSided) -> dict[str, JsonValue]:
    return {
        "id": problem.id,
        "category": category(problem),
        "reference": two_sided.reference.outcome.value,
        "starting": two_sided.starting.outcome.value,
        "ok": two_sided.ok,
        "proof": two_sided.proof.value,
        "reason": two_sided.reason,
        "tests_ran": two_sided.tests_ran,
        "wall_s": two_sided.wall_s,
        "remarks": list(two_sided.remarks),
    }
