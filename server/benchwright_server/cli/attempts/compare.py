"""`benchwright attempts compare`: a second opinion on designs that passed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_attempts.errors import AttemptError
from benchwright_formal.limits import LIMIT_S
from benchwright_foundation.home import Home
from benchwright_harness.errors import HarnessError
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX, open_sandbox, toolchain_for
from benchwright_problems.errors import ProblemsError
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_server.cli.study.log import opened_study_log
from benchwright_server.cli.terminal.interruption import end_cleanly_on_signal
from benchwright_server.cli.terminal.options import AttemptIds, Json, Sandbox
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.progress import progress

if TYPE_CHECKING:
    from benchwright_attempts.summary.summary import AttemptVerdict
    from benchwright_harness.sandbox import Sandbox as Box
    from benchwright_harness.toolchain import Toolchain
    from benchwright_studies.conduct.study_log import StudyLog

_AT_ONCE = 2


@dataclass(frozen=True)
class _AttemptComparison:
    attempt_id: str
    problem: Problem
    problem_digest: str
    verdict: AttemptVerdict


def compare_attempts(
    attempts: AttemptIds = None,
    study: Annotated[str, typer.Option(help="Only attempts of this study.")] = "",
    limit: Annotated[float, typer.Option(min=1, max=3600, help="Seconds for each proof.")] = LIMIT_S,
    fresh: Annotated[bool, typer.Option("--fresh", help="Compare again what was compared before.")] = False,
    sandbox: Sandbox = DEFAULT_SANDBOX,
    json_output: Json = False,
) -> None:
    """Compare designs that passed with the reference by proof, for all inputs, and in size and depth.

    For who analyses: `benchwright report` shows designs that differ as test escapes, by condition, solver and problem.
    Attempts that have not ended are left out, and so are those whose problem has no reference or was changed since. No
    verdict changes.
    """
    # It brings the harness, which no list needs.
    from benchwright_formal.opinion import key_of_tools_and_code

    with (
        exit_on_expected_error(),
        end_cleanly_on_signal("What was compared is kept: the same command continues where it stopped."),
    ):
        home = Home.from_environment()
        with opened_study_log() as log:
            chosen_ids = {log.header_with_id_prefix(attempt).id for attempt in attempts or ()}
            box, toolchain = open_sandbox(sandbox), toolchain_for(sandbox, home.cache)
            tools = key_of_tools_and_code(box, toolchain)
            comparisons, known_count = _due_comparisons_and_known_count(
                log, home, tools, limit, chosen_ids, study, fresh=fresh
            )
            counts = asyncio.run(_compare_and_count_results(log, home, comparisons, tools, box, toolchain, limit))
    if json_output:
        print_json(
            {"compared": len(comparisons), "known": known_count, **{name: counts[name] for name in sorted(counts)}}
        )
        return
    counts_text = ", ".join(f"{number} {name}" for name, number in sorted(counts.items())) or "none"
    console.print(f"{len(comparisons)} compared: {counts_text}. {known_count} were compared before.", markup=False)


def _due_comparisons_and_known_count(
    log: StudyLog,
    home: Home,
    tools_key: str,
    limit_s: float,
    chosen_attempt_ids: set[str],
    study_id: str,
    *,
    fresh: bool,
) -> tuple[Sequence[_AttemptComparison], int]:
    """The comparisons that are due, and the number of those made before."""
    from benchwright_attempts.attempts import Attempts
    from benchwright_attempts.grading.second_opinions import SecondOpinions, digest_with_hidden_part
    from benchwright_formal.second_opinion import has_reference_design

    store, opinions, comparisons, known_count = Store(home), SecondOpinions(home), [], 0
    problems: dict[str, Problem | None] = {}
    for header, summary in Attempts(log).summaries():
        verdict = summary.verdict
        if (chosen_attempt_ids and header.id not in chosen_attempt_ids) or (study_id and header.study != study_id):
            continue
        if not summary.state.ended or verdict is None or verdict.outcome is not Outcome.PASSED:
            continue
        if header.problem not in problems:
            try:
                problems[header.problem] = store.unseal(header.problem)
            except ProblemsError as error:
                err.print(str(error), markup=False, soft_wrap=True)
                problems[header.problem] = None
        problem = problems[header.problem]
        if problem is None or not has_reference_design(problem):
            continue
        if verdict.digests.get("harness") != problem.harness_digest or header.problem_digest != problem.public_digest:
            continue
        earlier_opinion, current_digest = opinions.find_opinion(header.id), digest_with_hidden_part(problem)
        if (
            earlier_opinion is not None
            and earlier_opinion.is_current_for(verdict.number, current_digest, tools_key, limit_s)
            and not fresh
        ):
            known_count += 1
        else:
            comparisons.append(_AttemptComparison(header.id, problem, current_digest, verdict))
    return comparisons, known_count


async def _compare_and_count_results(
    log: StudyLog,
    home: Home,
    comparisons: Sequence[_AttemptComparison],
    tools_key: str,
    sandbox: Box,
    toolchain: Toolchain,
    limit_s: float,
) -> Counter[str]:
    from benchwright_attempts.grading.second_opinions import KeptOpinion, SecondOpinions
    from benchwright_attempts.summary.replay import recorded_contents
    from benchwright_formal.second_opinion import compare_with_reference, modules_to_compare

    opinions = SecondOpinions(home)
    result_counts: Counter[str] = Counter()
    if not comparisons:
        return result_counts
    turn = asyncio.Semaphore(_AT_ONCE)
    with progress("comparing", len(comparisons), "designs") as meter:

        async def compare(comparison: _AttemptComparison) -> None:
            async with turn:
                events = await asyncio.to_thread(log.events, comparison.attempt_id)
                files = recorded_contents(events, comparison.verdict.snapshot)
                if not set(comparison.problem.public.expected) <= files.keys():
                    result_counts["without its text"] += 1
                else:
                    solution = {path: files[path] for path in comparison.problem.public.expected}
                    opinion = await compare_with_reference(
                        comparison.problem,
                        solution,
                        modules_to_compare(comparison.problem),
                        sandbox=sandbox,
                        toolchain=toolchain,
                        limit_s=limit_s,
                    )
                    opinions.keep_opinion(
                        comparison.attempt_id,
                        KeptOpinion(
                            number=comparison.verdict.number,
                            problem=comparison.problem_digest,
                            tools=tools_key,
                            limit_s=limit_s,
                            found=opinion,
                        ),
                    )
                    result_counts[opinion.opinion.result.value] += 1
                meter.show_counts(result_counts.total(), len(comparisons))

        try:
            async with asyncio.TaskGroup() as group:
                for next_comparison in comparisons:
                    group.create_task(compare(next_comparison))
        except* (HarnessError, AttemptError, OSError) as error_group:
            # What the others found is kept.
            raise error_group.exceptions[0] from None
    return result_counts
