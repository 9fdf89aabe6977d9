"""Started by the Python of a bare environment: asks every command of the tree for its help; prints their names."""

import sys
from typing import Any

import typer.main
from typer.testing import CliRunner

from benchwright_server.cli.app import command_line, modules


def main() -> int:
    failed = 0
    runner = CliRunner()
    app = command_line(modules())
    waiting: list[tuple[Any, tuple[str, ...]]] = [(typer.main.get_command(app), ())]
    while waiting:
        command, path = waiting.pop()
        result = runner.invoke(app, [*path, "--help"])
        if result.exit_code or "Usage:" not in result.output:
            failed += 1
            print(f"{' '.join(path)}: {result.exception!r} {result.output}", file=sys.stderr)
        if names := getattr(command, "list_commands", None):
            context = typer.Context(command)
            waiting += [(command.get_command(context, name), (*path, name)) for name in names(context)]
        else:
            print(*path)
    return failed


sys.exit(main())
