"""The hidden tests on what a solver has written so far, and what of their verdict it may know."""

from __future__ import annotations

import anyio

from benchwright_problems.problem import Reveal
from benchwright_problems.verdict import Verdict
from benchwright_subjects.bench import Bench
from benchwright_subjects.sitting import Sitting


async def run_tests(bench: Bench, sitting: Sitting) -> Verdict:
    """Run them and record it."""
    run = await sitting.start_run()
    try:
        found = await bench.run_tests(sitting.header.problem, sitting.judged_files)
    except BaseException as error:
        # In the log every start has an end, also where the sample is cancelled.
        with anyio.CancelScope(shield=True):
            await sitting.cancel_run(run, "broken" if isinstance(error, Exception) else "closing")
        raise
    await sitting.finish_run(run, found)
    return found


def revealed(verdict: Verdict, policy: Reveal | None) -> str:
    """What a problem's reveal policy, and a study, let a solver know; never the raw log."""
    if policy is None:
        return "The hidden tests were run. This study does not show what came of it."
    counts = f" {verdict.passed_tests} of {len(verdict.tests)} tests passed." if verdict.tests else ""
    lines = [f"{verdict.outcome.value}.{counts} {verdict.detail}".rstrip()]
    if policy.includes(Reveal.NAMES):
        for test in verdict.tests:
            message = f": {test.message}" if policy.includes(Reveal.MESSAGES) and test.message else ""
            lines.append(f"{'passed' if test.passed else 'failed'} {test.name}{message}")
    return "\n".join(lines)
