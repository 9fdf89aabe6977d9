"""`benchwright doctor`."""

from __future__ import annotations

import typer
from rich.text import Text

from benchwright_foundation.home import Home
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.output import err, print_json
from benchwright_server.cli.terminal.table import TerminalTable

_MARKS = {"ok": Text("✓ ok", "green"), "missing": Text("✗ missing", "red")}
_WARNING = Text("! warning", "yellow")


def add_to(parent: typer.Typer) -> None:
    """Add the command to `benchwright`."""
    parent.command("doctor")(doctor)


def doctor(json_output: options.Json = False) -> None:
    """Show what is installed, in which version, what is missing, and what that disables.

    Exit status: 0 everything that problems need is there, 1 something is missing.
    """
    from benchwright_server.doctor import examine

    with err.status("Checking this machine"):
        doctor_report = examine(Home.from_environment())
    if json_output:
        print_json(doctor_report.model_dump(mode="json", by_alias=True))
    else:
        table = TerminalTable("what", "status", "version", "needed for", "next step")
        for doctor_item in doctor_report.items:
            mark = _MARKS.get(doctor_item.status, _WARNING)
            table.add_row(
                doctor_item.name, mark, doctor_item.version or "", doctor_item.needed_for, doctor_item.hint or ""
            )
        table.print_rows()
    raise typer.Exit(0 if doctor_report.ok else 1)
