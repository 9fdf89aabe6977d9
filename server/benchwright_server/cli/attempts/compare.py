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
from benchwright_server.cli.study.log import opened_log
from benchwright_server.cli.terminal.interruption import interruptible
from benchwright_server.cli.terminal.options import AttemptIds, Json, Sandbox
from benchwright_server.cli.terminal.output import err, out, plain_errors, print_json
from benchwright_server.cli.terminal.progress import progress

if TYPE_CHECKING:
    from benchwright_attempts.summary.summary import AttemptVerdict
    from benchwright_harness.sandbox import Sandbox as Box
    from benchwright_harness.toolchain import Toolchain
    from benchwright_studies.conduct.study_log import StudyLog

_AT_ONCE = 2


@dataclass(frozen=True)
class _Wanted:
    attempt: str
    problem: Problem
    digest: str
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
    from benchwright_formal.opinion import tools_of

    with plain_errors(), interruptible("What was compared is kept: the same command continues where it stopped."):
        home = Home.find()
        with opened_log() as log:
            chosen = {log.find(one).id for one in attempts or ()}
            box, toolchain = open_sandbox(sandbox), toolchain_for(sandbox, home.cache)
            tools = tools_of(box, toolchain)
            wanted, known = _wanted(log, home, tools, limit, chosen, study, fresh=fresh)
            found = asyncio.run(_compare_all(log, home, wanted, tools, box, toolchain, limit))
    if json_output:
        print_json({"compared": len(wanted), "known": known, **{name: found[name] for name in sorted(found)}})
        return
    results = ", ".join(f"{number} {name}" for name, number in sorted(found.items())) or "none"
    out.print(f"{len(wanted)} compared: {results}. {known} were compared before.", markup=False)


def _wanted(
    log: StudyLog, home: Home, tools: str, limit_s: float, chosen: set[str], study: str, *, fresh: bool
) -> tuple[Sequence[_Wanted], int]:
    """What is to be compared, and how many were before."""
    from benchwright_attempts.attempts import Attempts
    from benchwright_attempts.grading.second_opinions import SecondOpinions, problem_digest
    from benchwright_formal.second_opinion import can_be_compared

    store, kept, wanted, known = Store(home), SecondOpinions(home), [], 0
    problems: dict[str, Problem | None] = {}
    for header, summary in Attempts(log).summaries():
        verdict = summary.verdict
        if (chosen and header.id not in chosen) or (study and header.study != study):
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
        if problem is None or not can_be_compared(problem):
            continue
        if verdict.digests.get("harness") != problem.harness_digest or header.problem_digest != problem.public_digest:
            continue
        before, now = kept.find(header.id), problem_digest(problem)
        if before is not None and before.answers(verdict.number, now, tools, limit_s) and not fresh:
            known += 1
        else:
            wanted.append(_Wanted(header.id, problem, now, verdict))
    return wanted, known


async def _compare_all(
    log: StudyLog,
    home: Home,
    wanted: Sequence[_Wanted],
    tools: str,
    box: Box,
    toolchain: Toolchain,
    limit_s: float,
) -> Counter[str]:
    from benchwright_attempts.grading.second_opinions import KeptOpinion, SecondOpinions
    from benchwright_attempts.summary.replay import contents_of
    from benchwright_formal.second_opinion import second_opinion, tested_modules

    kept = SecondOpinions(home)
    results: Counter[str] = Counter()
    if not wanted:
        return results
    turn = asyncio.Semaphore(_AT_ONCE)
    with progress("comparing", len(wanted), "designs") as meter:

        async def compare(one: _Wanted) -> None:
            async with turn:
                events = await asyncio.to_thread(log.events, one.attempt)
                files = contents_of(events, one.verdict.snapshot)
                if not set(one.problem.public.expected) <= files.keys():
                    results["without its text"] += 1
                else:
                    solution = {path: files[path] for path in one.problem.public.expected}
                    found = await second_opinion(
                        one.problem,
                        solution,
                        tested_modules(one.problem),
                        sandbox=box,
                        toolchain=toolchain,
                        limit_s=limit_s,
                    )
                    kept.keep(
                        one.attempt,
                        KeptOpinion(
                            number=one.verdict.number, problem=one.digest, tools=tools, limit_s=limit_s, found=found
                        ),
                    )
                    results[found.opinion.result.value] += 1
                meter.show(results.total(), len(wanted))

        try:
            async with asyncio.TaskGroup() as group:
                for one in wanted:
                    group.create_task(compare(one))
        except* (HarnessError, AttemptError, OSError) as failed:
            # What the others found is kept.
            raise failed.exceptions[0] from None
    return results
