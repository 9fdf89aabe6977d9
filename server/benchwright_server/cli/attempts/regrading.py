"""`benchwright attempts regrade`: deciding what the machinery kept undecided."""

from __future__ import annotations

import asyncio

import typer

from benchwright_attempts.errors import AttemptError
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX, open_sandbox
from benchwright_problems.errors import ProblemsError
from benchwright_problems.verdict import Outcome
from benchwright_server.cli.terminal.options import AttemptIds, Json, Sandbox
from benchwright_server.cli.terminal.output import err, out, plain_errors, print_json


def regrade_command(
    attempts: AttemptIds = None,
    sandbox: Sandbox = DEFAULT_SANDBOX,
    json_output: Json = False,
) -> None:
    """Run the hidden tests again where a missing tool or a broken machine left the newest verdict undecided.

    The files are those that the verdict is about. Nobody is asked again. Answers that wait for a judge are decided by
    `benchwright judge pending`.

    Exit status: 0 nothing is undecided any more, 1 something is.
    """
    with plain_errors():
        rows = asyncio.run(_regrade_all(attempts or (), sandbox))
    if json_output:
        print_json(rows)
    else:
        for row in rows:
            out.print(f"{row['attempt'][:8]}  {row['problem']}  {row['outcome']}  {row['detail']}", markup=False)
        if not rows:
            out.print("Nothing is undecided.")
    raise typer.Exit(1 if any(row["outcome"] == Outcome.ERROR.value for row in rows) else 0)


async def _regrade_all(wanted: list[str] | tuple[str, ...], sandbox: str) -> list[dict[str, str]]:
    # They bring the harness, which no list needs.
    from benchwright_attempts.grading.regrading import is_regradable, regrade
    from benchwright_attempts.services import Services
    from benchwright_studies import open_log

    services = Services(Home.find(), open_log, lambda: open_sandbox(sandbox))
    rows = []
    try:
        chosen = [services.log.find(one).id for one in wanted]
        for header, summary in services.attempts.summaries():
            verdict = summary.verdict
            if (chosen and header.id not in chosen) or verdict is None or not is_regradable(verdict):
                continue
            try:
                graded = await regrade(services, header.id)
            except (AttemptError, ProblemsError) as error:
                err.print(str(error), markup=False, soft_wrap=True)
                graded = None
            found = graded.verdict if graded is not None else None
            rows.append(
                {
                    "attempt": header.id,
                    "problem": header.problem,
                    "outcome": (found.outcome if found is not None else Outcome.ERROR).value,
                    "reason": found.reason.value if found is not None else verdict.reason,
                    "detail": found.detail if found is not None else verdict.message,
                }
            )
    finally:
        await services.close()
    return rows
