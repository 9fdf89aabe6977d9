"""The command line."""

from __future__ import annotations

import gc
import sys

from benchwright_server.cli.terminal.exit_status import INTERRUPTED


def main() -> None:
    """Run the `benchwright` command."""
    if sys.argv[1:2] == ["lsp"] and not {"--help", "-h"} & set(sys.argv):
        # An editor waits for this one: the command line's libraries take longer to load than the server.
        from benchwright_server.cli.machine.lsp import serve

        serve(sys.argv[2:])
        return
    if sys.argv[1:] == ["--version"]:
        from benchwright_foundation.distribution import version

        print(version())  # noqa: T201 - what the command prints
        return
    # What modules define stays: looking for garbage among it takes a tenth of the time of a short command.
    gc.disable()
    try:
        from benchwright_server.cli.app import run_command_line

        run_command_line()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
