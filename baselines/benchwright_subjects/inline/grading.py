"""The hidden tests on what was written at sites: the same harness, sandbox and kept verdicts as for everybody else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchwright_foundation.home import Home
from benchwright_harness.cluster.configuration import open_executor
from benchwright_harness.execution.run import reference_solution_files
from benchwright_harness.grading.grade import BatchGrader, GradingProgress
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.sandbox.registry import open_sandbox, toolchain_for
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import Verdict
from benchwright_subjects.inline.record import SiteRecord, Snapshot
from benchwright_subjects.inline.run_folder import SnapshotVerdict
from benchwright_verilog.syntax.surrogates import encode_text


@dataclass(frozen=True)
class GradingPlace:
    """Place where the hidden tests run."""

    home: Home
    sandbox: str
    jobs: int | None = None


async def grade_snapshots_of_records(
    records: Sequence[SiteRecord],
    problems: Mapping[str, Problem],
    grading_place: GradingPlace,
    on_progress: Callable[[GradingProgress], None],
) -> list[SnapshotVerdict]:
    """The verdicts on all snapshots of some sites.

    Args:
        records: The sites.
        problems: PACK/ID → with its hidden part.
        grading_place: Place where the tests run.
        on_progress: Called as verdicts come.
    """
    snapshots = [(record, snapshot) for record in records for snapshot in record.snapshots]
    if not snapshots:
        return []
    solutions = [
        (problems[record.problem], _submitted_files(problems[record.problem], record, snapshot))
        for record, snapshot in snapshots
    ]
    verdicts = await grade_files(solutions, grading_place, on_progress)
    return [
        _snapshot_verdict(*judged_snapshot, verdict)
        for judged_snapshot, verdict in zip(snapshots, verdicts, strict=True)
    ]


async def grade_files(
    solutions: Sequence[tuple[Problem, Mapping[str, bytes]]],
    grading_place: GradingPlace,
    on_progress: Callable[[GradingProgress], None],
) -> list[Verdict]:
    """The verdicts on some files, in their order.

    Args:
        solutions: Problems with their hidden parts, and what is judged.
        grading_place: Place where the tests run.
        on_progress: Called as verdicts come.
    """
    sandbox = open_sandbox(grading_place.sandbox)
    toolchain = toolchain_for(sandbox.name, grading_place.home.cache)
    async with open_executor(
        grading_place.home, jobs=grading_place.jobs, cluster_name_or_address=None, option_assignments=()
    ) as runs:
        grader = BatchGrader(
            runs,
            sandbox=sandbox,
            toolchain=toolchain,
            verdicts=VerdictStore.from_home(grading_place.home),
            on_progress=on_progress,
        )
        return await grader.grade(solutions)


def _submitted_files(problem: Problem, record: SiteRecord, snapshot: Snapshot) -> dict[str, bytes]:
    """Files that a person would submit who had the reference's other files."""
    return reference_solution_files(problem) | {record.path: encode_text(snapshot.text)}


def _snapshot_verdict(record: SiteRecord, snapshot: Snapshot, verdict: Verdict) -> SnapshotVerdict:
    return SnapshotVerdict(
        site=record.site,
        policy=record.policy,
        accepts=snapshot.accepts,
        is_end=snapshot.is_end,
        outcome=verdict.outcome.value,
        reason=str(verdict.reason or ""),
        passed_tests=verdict.passed_tests,
        tests=len(verdict.tests),
    )
