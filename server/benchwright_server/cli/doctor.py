"""`benchwright doctor`."""

from __future__ import annotations

import typer
from rich.markup import escape
from rich.table import Table

from benchwright_problems.home import Home
from benchwright_server.cli import options
from benchwright_server.cli.output import err, out, print_json

_MARKS = {"ok": "[green]✓ ok[/green]", "missing": "[red]✗ missing[/red]"}
_WARNING = "[yellow]! warning[/yellow]"


def add_to(parent: typer.Typer) -> None:
    """Add the command to `benchwright`."""
    parent.command("doctor")(doctor)


def doctor(json_output: options.Json = False) -> None:
    """Show what is installed, in which version, what is missing, and what that disables.

    Exit status: 0 everything that problems need is there, 1 something is missing.
    """
    from benchwright_server.doctor import examine

    with err.status("Checking this machine"):
        report = examine(Home.find())
    if json_output:
        print_json(report.model_dump(mode="json", by_alias=True))
    else:
        table = Table("what", "status", "version", "needed for", "next step", box=None)
        for item in report.items:
            mark = _MARKS.get(item.status, _WARNING)
            table.add_row(item.name, mark, item.version or "", item.needed_for, escape(item.hint or ""))
        out.print(table)
    raise typer.Exit(0 if report.ok else 1)
