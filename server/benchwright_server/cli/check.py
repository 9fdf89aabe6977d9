"""`benchwright problems check`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Annotated

import typer
from pydantic import JsonValue
from rich.table import Table

from benchwright_harness.check import Checker, TwoSided
from benchwright_harness.cluster import Executor
from benchwright_harness.cluster.configuration import open_executor
from benchwright_harness.run_archive import RunArchive
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.sandboxes import DEFAULT_SANDBOX, open_sandbox, toolchain_for
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.verdict_store import VerdictStore
from benchwright_judges.check import check_question
from benchwright_problems.atomic import write_atomically
from benchwright_problems.home import Home
from benchwright_problems.problem import Kind, Problem
from benchwright_problems.store import Store
from benchwright_problems.verdict import Usage, Verdict
from benchwright_server.cli import options
from benchwright_server.cli.output import color_of, err, out, plain_errors, print_json, progress_bar
from benchwright_server.errors import ServerError


def add_to(problems: typer.Typer) -> None:
    """Add the command to `benchwright problems`."""
    problems.command("check")(check)


def check(
    pack: Annotated[str, typer.Argument(help="The pack to check.")],
    sandbox: options.Sandbox = DEFAULT_SANDBOX,
    jobs: options.Jobs = None,
    cluster: options.Cluster = None,
    cluster_option: options.ClusterOption = None,
    fresh: options.Fresh = False,
    report: Annotated[Path | None, typer.Option(help="Write details to this JSON file, and a table beside it.")] = None,
    keep_runs: Annotated[
        Path | None, typer.Option(help="Keep the folders of runs here, compressed; they hold hidden text.")
    ] = None,
    json_output: options.Json = False,
) -> None:
    """Prove each problem from both sides: its reference passes, its starting files fail.

    An interrupted check continues where it stopped. Exit status: 0 all proved, 1 some are wrong, 2 some could not be
    decided and none is wrong.
    """
    with plain_errors():
        home = Home.find()
        store = Store(home)
        problems = [store.unseal(f"{pack}/{problem.id}") for problem in store.public(pack).problems]
        keep = RunArchive(keep_runs).keep if keep_runs else None
        executor = open_executor(home, jobs=jobs, cluster=cluster, options=cluster_option or (), on_folder=keep)
        box, toolchain = open_sandbox(sandbox), toolchain_for(sandbox, home.cache)
        proofs = asyncio.run(_check_all(problems, executor, box, toolchain, VerdictStore.of(home), fresh))
        rows = list(zip(problems, proofs, strict=True))
        if report is not None:
            _write_report(report, pack, rows, box, toolchain)
    proved = sum(two_sided.ok for _, two_sided in rows)
    if json_output:
        print_json({"pack": pack, "total": len(rows), "ok": proved, "problems": [_row(*row) for row in rows]})
    else:
        _print(rows, proved)
    if proved < len(rows):
        undecided = all(two_sided.ok or two_sided.reason.startswith("error") for _, two_sided in rows)
        raise typer.Exit(2 if undecided else 1)


async def _check_all(
    problems: Sequence[Problem],
    executor: AbstractAsyncContextManager[Executor],
    sandbox: Sandbox,
    toolchain: Toolchain,
    verdicts: VerdictStore,
    fresh: bool,
) -> list[TwoSided]:
    done: dict[int, TwoSided] = {}
    designs = [index for index, problem in enumerate(problems) if problem.kind is Kind.DESIGN]
    with progress_bar("checking", len(problems)) as progress:

        def finish(index: int, two_sided: TwoSided) -> None:
            done[index] = two_sided
            progress.advance(progress.task_ids[0])

        for index in set(range(len(problems))) - set(designs):
            reference, starting = check_question(problems[index])
            finish(index, TwoSided(reference=reference.verdict, starting=starting.verdict))
        chosen = [problems[index] for index in designs]
        async with executor as runs:
            checker = Checker(runs, sandbox, toolchain, verdicts, fresh)
            await checker.check(chosen, lambda number, two_sided: finish(designs[number], two_sided))
    return [done[index] for index in range(len(problems))]


def _print(rows: Sequence[tuple[Problem, TwoSided]], proved: int) -> None:
    table = Table("problem", "reference", "starting", "seconds", "", box=None)
    for problem, two_sided in rows:
        sides = (
            f"[{color_of(side.outcome)}]{side.outcome.value}[/]" for side in (two_sided.reference, two_sided.starting)
        )
        mark = "[green]✓[/green]" if two_sided.ok else f"✗ {two_sided.reason}"
        table.add_row(problem.id, *sides, f"{two_sided.wall_s:.1f}", mark)
    out.print(table)
    out.print(f"{proved} of {len(rows)} problems proved from both sides.")


def _category(problem: Problem) -> str:
    question = problem.public.question
    return problem.category.value if problem.category else question.format.value if question else ""


def _row(problem: Problem, two_sided: TwoSided) -> dict[str, JsonValue]:
    return {
        "id": problem.id,
        "category": _category(problem),
        "reference": two_sided.reference.outcome.value,
        "starting": two_sided.starting.outcome.value,
        "ok": two_sided.ok,
        "reason": two_sided.reason,
        "wall_s": two_sided.wall_s,
    }


def _write_report(
    file: Path, pack: str, rows: Sequence[tuple[Problem, TwoSided]], sandbox: Sandbox, toolchain: Toolchain
) -> None:
    """What each problem needed and took, as JSON and as a table for people."""
    details: list[JsonValue] = [_detail(*row) for row in rows]
    content = {
        "pack": pack,
        "toolchain": toolchain.digest,
        "sandbox": {"name": sandbox.name, "digest": sandbox.digest},
        "total": len(rows),
        "ok": sum(two_sided.ok for _, two_sided in rows),
        "problems": details,
    }
    lines = [
        f"# {pack}: {content['ok']} of {len(rows)} proved from both sides",
        "",
        "| problem | proved | tools | chosen | seconds | processor s | memory MB | folder kB | why |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        *(_line(*row) for row in rows),
        "",
    ]
    table = file.with_suffix(".md")
    if table == file:
        raise ServerError(f"{file} is for JSON; give a name that does not end in .md.")
    try:
        write_atomically(file.absolute(), (json.dumps(content, indent=2) + "\n").encode())
        write_atomically(table.absolute(), "\n".join(lines).encode())
    except OSError as error:
        raise ServerError(f"{file} can't be written: {error.strerror}.") from error
    err.print(f"Details in {file}, a table in {table}.")


def _detail(problem: Problem, two_sided: TwoSided) -> dict[str, JsonValue]:
    sides: dict[str, JsonValue] = {
        name: None if verdict is None else _side(verdict)
        for name, verdict in (
            ("reference", two_sided.reference),
            ("starting", two_sided.starting),
            ("empty", two_sided.empty),
        )
    }
    return {
        "id": problem.id,
        "category": _category(problem),
        "ok": two_sided.ok,
        "reason": two_sided.reason,
        "weak": two_sided.reason.endswith("the tests prove nothing"),
        "tools": list(two_sided.tools),
        "versions": dict(two_sided.reference.tools),
        "selection": None if two_sided.selection is None else two_sided.selection.model_dump(mode="json"),
        "wall_s": two_sided.wall_s,
        "sides": sides,
    }


def _side(verdict: Verdict) -> dict[str, JsonValue]:
    return {
        "outcome": verdict.outcome.value,
        "reason": verdict.reason.value,
        "detail": verdict.detail,
        "tests": {"passed": verdict.passed_tests, "total": len(verdict.tests)},
        "wall_s": verdict.wall_s,
        **(Usage() if verdict.usage is None else verdict.usage).model_dump(mode="json"),
        "remarks": list(verdict.remarks),
    }


def _line(problem: Problem, two_sided: TwoSided) -> str:
    chosen = two_sided.selection.reason if two_sided.selection else ""
    usage = two_sided.reference.usage
    size = f"{usage.folder_bytes / 1000:.0f}" if usage else ""
    memory = f"{usage.memory_bytes / 1e6:.0f}" if usage and usage.memory_bytes is not None else ""
    cpu = f"{usage.cpu_s:.2f}" if usage and usage.cpu_s is not None else ""
    cells = (
        *(problem.id, "yes" if two_sided.ok else "no", ", ".join(two_sided.tools), chosen),
        *(f"{two_sided.wall_s:.2f}", cpu, memory, size, two_sided.reason),
    )
    return f"| {' | '.join(' '.join(cell.replace('|', '/').split()) for cell in cells)} |"
