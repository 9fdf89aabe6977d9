"""`benchwright problems mutate`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_harness.cluster import Executor
from benchwright_harness.cluster.configuration import open_executor
from benchwright_harness.cluster.local import usable_core_count
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX, open_sandbox, toolchain_for
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.store import Store
from benchwright_server.cli.problems.whole_pack import pack_with_hidden_parts
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.interruption import end_cleanly_on_signal
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, explain_unwritable, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    from benchwright_authoring.mutation.analysis import MutantCandidates, ProveEquivalence
    from benchwright_authoring.mutation.findings import PackFindings, ProblemFindings


def mutate(
    pack: Annotated[str, typer.Argument(help="The pack whose harnesses to try, or its author's folder.")],
    problem: Annotated[list[str] | None, typer.Argument(help="Only these problems of it, by their ids.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Mutants of each problem; all if not given.")] = None,
    seed: Annotated[int, typer.Option(help="Of the sample that --limit takes.")] = 0,
    sandbox: options.Sandbox = DEFAULT_SANDBOX,
    jobs: options.Jobs = None,
    cluster: options.Cluster = None,
    cluster_option: options.ClusterOption = None,
    fresh: options.Fresh = False,
    report: Annotated[
        Path | None,
        typer.Option(help="Write all to this JSON file and a page beside it; both quote references and hidden tests."),
    ] = None,
    json_output: options.Json = False,
) -> None:
    """Put small faults into the references of design problems, and count how many the harness notices.

    Survivors show what the hidden tests do not test. They quote the reference, so they are for the pack's authors, not
    for solvers. An interrupted analysis continues where it stopped. Exit status: 0 every harness kills all mutants that
    count, 1 some survive, 2 some could not be decided and none survives.
    """
    with (
        exit_on_expected_error(),
        end_cleanly_on_signal("All verdicts so far are kept: the same command continues where it stopped."),
    ):
        # slang and the statistics take half a second to load.
        with explain_missing_extra("`benchwright problems mutate`", "judges"):
            from benchwright_authoring.mutation.analysis import candidate_mutants
            from benchwright_authoring.mutation.findings import MutantStatus, PackFindings
            from benchwright_authoring.mutation.report import mutation_report_markdown

        if report is not None and report.suffix == ".md":
            raise ServerError(f"{report} is for JSON; give a name that does not end in .md.")
        home = Home.from_environment()
        designs, version = _designs_and_version(Store(home), pack, problem or ())
        executor = open_executor(
            home, jobs=jobs, cluster_name_or_address=cluster, option_assignments=cluster_option or ()
        )
        box, toolchain = open_sandbox(sandbox), toolchain_for(sandbox, home.cache)
        mutant_candidates = [
            candidate_mutants(design, seed=seed, most_mutants=limit) for design in designs if design.hidden.reference
        ]
        prove = _caching_prover(home, box, toolchain)
        analysed = asyncio.run(
            _try_mutants(mutant_candidates, executor, box, toolchain, VerdictStore.from_home(home), fresh, prove, jobs)
        )
        pack_findings = PackFindings(
            pack=pack,
            version=version,
            seed=seed,
            limit=limit,
            toolchain=toolchain.digest,
            sandbox=sandbox,
            proofs=True,
            problems=(*analysed, *_findings_on_designs_without_reference(designs)),
        )
        if report is not None:
            _write_json_and_page(report, pack_findings, mutation_report_markdown(pack_findings))
    if json_output:
        print_json(pack_findings.model_dump(mode="json"))
    else:
        _print_kill_rates(pack_findings)
    if any(problem_findings.survivors for problem_findings in pack_findings.problems):
        raise typer.Exit(1)
    if any(
        problem_findings.left_out or problem_findings.scored_count(MutantStatus.UNDECIDED)
        for problem_findings in pack_findings.problems
    ):
        raise typer.Exit(2)


def _caching_prover(home: Home, sandbox: Sandbox, toolchain: Toolchain) -> ProveEquivalence:
    """The function that compares survivors with the reference; what it found is kept."""
    from benchwright_authoring.mutation.known_opinions import KnownOpinions
    from benchwright_formal.opinion import key_of_tools_and_code, sandboxed_prover

    return KnownOpinions(
        home.data / "sealed" / "@opinions",
        sandboxed_prover(sandbox, toolchain),
        key_of_tools_and_code(sandbox, toolchain),
    )


def _designs_and_version(
    store: Store, folder_or_pack_name: str, chosen_ids: Sequence[str]
) -> tuple[list[Problem], str]:
    """The design problems that are asked for, with their hidden parts, and the pack's version.

    Raises:
        ServerError: One of the ids is not a design problem of the pack.
    """
    complete_pack = pack_with_hidden_parts(store, folder_or_pack_name)
    designs = [problem for problem in complete_pack.problems if problem.kind is ProblemKind.DESIGN]
    known_ids = [design.id for design in designs]
    if unknown := [problem_id for problem_id in chosen_ids if problem_id not in known_ids]:
        raise ServerError(
            f"{folder_or_pack_name} has no design problem {unknown[0]}. "
            f"`benchwright problems list {folder_or_pack_name}` shows them."
        )
    if not known_ids:
        raise ServerError(f"{folder_or_pack_name} has no design problems: there is nothing to put faults into.")
    return [design for design in designs if not chosen_ids or design.id in chosen_ids], complete_pack.version


def _findings_on_designs_without_reference(designs: Sequence[Problem]) -> list[ProblemFindings]:
    from benchwright_authoring.mutation.findings import ProblemFindings

    reason = "It has no reference to put faults into."
    return [ProblemFindings(id=design.id, left_out=reason) for design in designs if not design.hidden.reference]


async def _try_mutants(
    mutant_candidates: Sequence[MutantCandidates],
    executor: AbstractAsyncContextManager[Executor],
    sandbox: Sandbox,
    toolchain: Toolchain,
    verdicts: VerdictStore,
    fresh: bool,
    prove: ProveEquivalence | None,
    jobs: int | None,
) -> list[ProblemFindings]:
    from benchwright_authoring.mutation.analysis import MutantAnalyser

    with progress(
        "trying mutants",
        sum(len(design_candidates.chosen_mutants) for design_candidates in mutant_candidates),
        "runs and comparisons",
    ) as meter:
        async with executor as runs:
            analyser = MutantAnalyser(
                runs,
                sandbox,
                toolchain,
                verdicts,
                fresh,
                on_progress=lambda run_progress: meter.show_counts(
                    run_progress.finished_runs, run_progress.planned_runs, run_progress.known_runs
                ),
            )
            return await analyser.analyse_mutants(mutant_candidates, prove, jobs or usable_core_count())


def _write_json_and_page(json_file: Path, findings: PackFindings, page_text: str) -> None:
    page_file = json_file.with_suffix(".md")
    with explain_unwritable(json_file):
        write_atomically(json_file.absolute(), (findings.model_dump_json(indent=2) + "\n").encode(), 0o600)
        write_atomically(page_file.absolute(), page_text.encode(), 0o600)
    err.print(f"Details in {json_file}, a page in {page_file}.", markup=False, soft_wrap=True)


def _print_kill_rates(findings: PackFindings) -> None:
    from benchwright_authoring.mutation.findings import MutantStatus
    from benchwright_authoring.mutation.rates import problems_weakest_first, rate_of_kills
    from benchwright_authoring.mutation.report import interval_text, killed_share_text

    table = TerminalTable(
        "problem", "killed", "interval", "timeouts", "survived", "equivalent", "not compiled", "undecided"
    )
    for problem_findings in problems_weakest_first(findings):
        killed = rate_of_kills(problem_findings.findings)
        counts = (
            problem_findings.scored_count(status)
            for status in (MutantStatus.EQUIVALENT, MutantStatus.NOT_COMPILED, MutantStatus.UNDECIDED)
        )
        numbers = map(str, (killed.timeouts, len(problem_findings.survivors), *counts))
        table.add_row(problem_findings.id, killed_share_text(killed), interval_text(killed), *numbers)
    table.print_rows()
    for problem_findings in findings.problems:
        if problem_findings.left_out:
            console.print(f"Left out: {problem_findings.id}. {problem_findings.left_out}", markup=False, soft_wrap=True)
    total = rate_of_kills(findings.findings)
    console.print(f"Killed: {killed_share_text(total)}, {interval_text(total)}.", markup=False, soft_wrap=True)
    if any(problem_findings.survivors for problem_findings in findings.problems):
        console.print("--report FILE writes the survivors.")
