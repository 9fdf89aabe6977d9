"""`benchwright completion trace` and `benchwright attempts trace`: one page that steps through what a subject did."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.errors import explain_missing_extra
from benchwright_server.cli.attempts.trajectories import trace_with_trajectory
from benchwright_server.cli.study.log import opened_event_log
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, explain_unwritable

if TYPE_CHECKING:
    from benchwright_analysis.trace.step import AttemptTrace

Page = Annotated[Path, typer.Option("--out", metavar="FILE", help="The page, an HTML file; only you can read it.")]


def trace_run(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of `completion run`.")],
    output: Page,
    site: Annotated[str, typer.Option(metavar="ID", help="Only sites whose id begins so.")] = "",
) -> None:
    """Write a page that steps through a run: what was asked, shown, accepted and typed, and what the tests said."""
    with exit_on_expected_error(), explain_missing_extra("`benchwright completion trace`", "baselines"):
        from benchwright_analysis.completion.played_runs import read_played_runs
        from benchwright_analysis.trace.run_steps import trace_of_run

        (played_run,) = read_played_runs([run])
        _write_trace_page(trace_of_run(played_run, site), output)


def trace_attempt(
    attempt: Annotated[
        str, typer.Argument(metavar="ATTEMPT|FILE", help="An id, or its beginning; or a trajectory, an ATIF file.")
    ],
    output: Page,
) -> None:
    """Write a page that steps through an attempt: what was asked, shown, accepted, edited and run."""
    with opened_event_log() as log, explain_missing_extra("`benchwright attempts trace`", "baselines"):
        _write_trace_page(trace_with_trajectory(log, attempt), output)


def _write_trace_page(trace: AttemptTrace, output: Path) -> None:
    from benchwright_analysis.trace.page import trace_page

    with explain_unwritable(output):
        write_atomically(output.absolute(), trace_page(trace).encode(), 0o600)
    console.print(f"The page: {output}", markup=False, soft_wrap=True)
