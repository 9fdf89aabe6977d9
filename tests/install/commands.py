"""Started by the Python of a bare environment: asks every command of the tree for its help; prints their names."""

import sys
from typing import Any

import typer.main
from typer.testing import CliRunner

from benchwright_server.cli.app import app_with_commands, load_command_modules


def main() -> int:
    failure_count = 0
    runner = CliRunner()
    app = app_with_commands(load_command_modules())
    pending_commands: list[tuple[Any, tuple[str, ...]]] = [(typer.main.get_command(app), ())]
    while pending_commands:
        command, path = pending_commands.pop()
        help_run = runner.invoke(app, [*path, "--help"])
        if help_run.exit_code or "Usage:" not in help_run.output:
            failure_count += 1
            print(f"{' '.join(path)}: {help_run.exception!r} {help_run.output}", file=sys.stderr)
        if names := getattr(command, "list_commands", None):
            command_context = typer.Context(command)
            pending_commands += [
                (command.get_command(command_context, name), (*path, name)) for name in names(command_context)
            ]
        else:
            print(*path)
    return failure_count


sys.exit(main())
