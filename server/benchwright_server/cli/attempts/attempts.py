"""`benchwright attempts`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.attribution.actors import attempt_actors, condition_made_under
from benchwright_attempts.errors import AttemptError
from benchwright_attempts.events.evidence import Assigned
from benchwright_attempts.log.export import export_lines, write_export
from benchwright_attempts.log.record import AttemptHeader, RecordedEvent, format_wall
from benchwright_attempts.standing import summary_view
from benchwright_attempts.summary.replay import replay
from benchwright_attempts.summary.summary import Summary
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import UNKNOWN, counted
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX, open_sandbox
from benchwright_problems.errors import ProblemsError
from benchwright_problems.verdict import Outcome, verdict_word
from benchwright_server.cli.attempts.check import anchor_command, verify_command, write_anchor_beside_export
from benchwright_server.cli.attempts.compare import compare_attempts
from benchwright_server.cli.attempts.equate import equate
from benchwright_server.cli.attempts.trajectories import (
    ExportFormat,
    export_trajectory,
    findings_command,
    import_trajectory,
)
from benchwright_server.cli.report.traces import trace_attempt
from benchwright_server.cli.study.log import opened_event_log, opened_study_log
from benchwright_server.cli.terminal.options import AttemptId, AttemptIds, Json, OutputFile, Sandbox
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, explain_unwritable, print_json
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError


def add_to(parent: typer.Typer) -> None:
    """Add the commands to `benchwright`."""
    attempts_app = typer.Typer(
        help="List, show, export, import, replay, trace, regrade, compare and verify attempts.", no_args_is_help=True
    )
    attempts_app.command("list")(list_command)
    attempts_app.command("show")(show)
    attempts_app.command("export")(export)
    attempts_app.command("import")(import_trajectory)
    attempts_app.command("replay")(replay_command)
    attempts_app.command("trace")(trace_attempt)
    attempts_app.command("findings")(findings_command)
    attempts_app.command("regrade")(regrade_command)
    attempts_app.command("compare")(compare_attempts)
    attempts_app.command("equate")(equate)
    attempts_app.command("anchor")(anchor_command)
    attempts_app.command("verify")(verify_command)
    parent.add_typer(attempts_app, name="attempts")


def list_command(json_output: Json = False) -> None:
    """List attempts, newest first."""
    with opened_event_log() as log:
        attempt_summaries = Attempts(log).summaries()
    if json_output:
        print_json([_attempt_json_row(header, summary) for header, summary in attempt_summaries])
        return
    table = TerminalTable("attempt", "problem", "solver", "state", "active s", "runs", "standing", "created")
    for header, summary in attempt_summaries:
        view = summary_view(summary)
        standing = f"{view.sign} {view.standing.value}" + (f", run {view.run}" if view.run is not None else "")
        active_time = f"{summary.clock.active_s:.0f}" if summary.has_clock else UNKNOWN
        created = header.created.astimezone().strftime("%Y-%m-%d %H:%M")
        row_cells = (summary.state.value, active_time, str(summary.verdict_count), standing, created)
        table.add_row(header.id, header.problem, header.solver, *row_cells)
    table.print_rows()


def show(attempt: AttemptId, json_output: Json = False) -> None:
    """Show what happened in an attempt."""
    with opened_study_log() as log:
        header = log.header_with_id_prefix(attempt)
        summary = Attempts(log).summary(header.id)
        events = log.events(header.id)
    if json_output:
        counts: dict[str, int] = {}
        for recorded in events:
            counts[recorded.event.type] = counts.get(recorded.event.type, 0) + 1
        actors = attempt_actors(events)
        made_by = {
            "made_by": condition_made_under(_assigned_solver_or_condition(header, events), actors),
            "actors": [asdict(share) for share in actors.shares],
        }
        print_json(_attempt_json_row(header, summary) | made_by | {"events": counts})
        return
    for recorded in events:
        event = recorded.event
        fields = event.model_dump(mode="json", exclude={"type", "files", "file", "changes", "digests", "snapshot"})
        field_text = "  ".join(f"{name}={value}" for name, value in fields.items() if value not in (None, ""))
        console.print(
            f"{recorded.seq:>5}  {format_wall(recorded.moment.wall)}  {event.type:<13} {field_text}", markup=False
        )


def _assigned_solver_or_condition(header: AttemptHeader, events: Sequence[RecordedEvent]) -> str:
    """The solver that an attempt is for: a study's is in its assignment."""
    assigned = (recorded.event.solver for recorded in events if isinstance(recorded.event, Assigned))
    return next(assigned, header.condition)


def export(
    attempt: AttemptId,
    output: OutputFile = None,
    export_format: Annotated[
        ExportFormat,
        typer.Option(
            "--format",
            help="log: JSON Lines that others can verify; atif: a trajectory; eval: a log of Inspect's, which needs"
            " --output.",
        ),
    ] = ExportFormat.LOG,
) -> None:
    """Write an attempt for others: as a log that they can verify, or as a trajectory, with what it leaves out."""
    with opened_study_log() as log:
        header, rows = log.stored_attempt(log.header_with_id_prefix(attempt).id)
        if export_format is not ExportFormat.LOG:
            export_trajectory(log, header, export_format, output)
            return
        if output is None:
            for line in export_lines(header, rows):
                typer.echo(line)
            return
        with explain_unwritable(output):
            write_export(output.absolute(), header, rows)
            anchor = write_anchor_beside_export(output, header, rows) if rows else None
        err.print(f"{counted(len(rows), 'event')} written to {output}.", soft_wrap=True)
        if anchor is not None:
            err.print(
                f"The last hash is {anchor.head}. Keep {output}.anchor where the solver can't change it.",
                soft_wrap=True,
            )


def replay_command(
    attempt: AttemptId,
    to: Annotated[Path, typer.Option(help="A new or empty folder for the files.")],
    until: Annotated[int | None, typer.Option(help="Number of the last event; all if not given.")] = None,
    json_output: Json = False,
) -> None:
    """Rebuild an attempt's files from its log alone, and compare them with every save.

    Exit status: 0 all saves match, 1 some do not.
    """
    with opened_study_log() as log:
        replayed = replay(log.events(log.header_with_id_prefix(attempt).id), last_seq=until)
        if to.exists() and any(to.iterdir()):
            raise ServerError(f"{to} is not empty. Give a new folder.")
        for path, replayed_file in replayed.files.items():
            if replayed_file.data is not None:
                target = to / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(replayed_file.data)
    flaws = [f"event {flaw.seq}: {flaw.path}: {flaw.reason}" for flaw in replayed.flaws]
    if json_output:
        print_json(
            {"files": sorted(replayed.files), "saves": replayed.saves, "ok": replayed.is_intact, "flaws": [*flaws]}
        )
    else:
        console.print(
            f"{counted(len(replayed.files), 'file')} written to {to}; {counted(replayed.saves, 'save')} compared.",
            soft_wrap=True,
        )
        for flaw in flaws:
            err.print(flaw, markup=False)
    raise typer.Exit(0 if replayed.is_intact else 1)


def _attempt_json_row(header: AttemptHeader, summary: Summary) -> dict[str, str | int | float | None]:
    verdict, first_pass, view = summary.verdict, summary.first_pass, summary_view(summary)
    has_clock = summary.has_clock
    return {
        "id": header.id,
        "problem": header.problem,
        "workspace": header.workspace,
        "solver": header.solver,
        "condition": header.condition,
        "created": format_wall(header.created),
        "state": summary.state.value,
        "standing": view.standing.value,
        "sign": view.sign,
        "run": view.run,
        "time_source": summary.time_source.value,
        "elapsed_s": round(summary.clock.elapsed_s, 3) if has_clock else None,
        "active_s": round(summary.clock.active_s, 3) if has_clock else None,
        "reported_s": summary.reported_s,
        "runs": summary.verdict_count,
        "verdict": verdict_word(verdict.outcome, verdict.reason) if verdict else None,
        "reason": verdict.reason if verdict else None,
        "first_pass_s": round(first_pass.active_s, 3) if first_pass and has_clock else None,
        "first_pass_run": first_pass.number if first_pass else None,
    }


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
    with exit_on_expected_error():
        rows = asyncio.run(_regrade_undecided_and_make_rows(attempts or (), sandbox))
    if json_output:
        print_json(rows)
    else:
        for row in rows:
            console.print(f"{row['attempt'][:8]}  {row['problem']}  {row['outcome']}  {row['detail']}", markup=False)
        if not rows:
            console.print("Nothing is undecided.")
    raise typer.Exit(1 if any(row["outcome"] == Outcome.ERROR.value for row in rows) else 0)


async def _regrade_undecided_and_make_rows(
    attempt_id_prefixes: list[str] | tuple[str, ...], sandbox_name: str
) -> list[dict[str, str]]:
    # They bring the harness, which no list needs.
    from benchwright_attempts.grading.regrading import is_regradable, regrade_if_undecided
    from benchwright_attempts.services import Services
    from benchwright_studies import open_log

    services = Services(Home.from_environment(), open_log, lambda: open_sandbox(sandbox_name))
    rows = []
    try:
        chosen_ids = [services.log.header_with_id_prefix(attempt_id).id for attempt_id in attempt_id_prefixes]
        for header, summary in services.attempts.summaries():
            verdict = summary.verdict
            if (chosen_ids and header.id not in chosen_ids) or verdict is None or not is_regradable(verdict):
                continue
            try:
                grading = await regrade_if_undecided(services, header.id)
            except (AttemptError, ProblemsError) as error:
                err.print(str(error), markup=False, soft_wrap=True)
                grading = None
            new_verdict = grading.verdict if grading is not None else None
            rows.append(
                {
                    "attempt": header.id,
                    "problem": header.problem,
                    "outcome": (new_verdict.outcome if new_verdict is not None else Outcome.ERROR).value,
                    "reason": new_verdict.reason.value if new_verdict is not None else verdict.reason,
                    "detail": new_verdict.detail if new_verdict is not None else verdict.message,
                }
            )
    finally:
        await services.close()
    return rows
