"""`benchwright mcp`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_server.cli.terminal.output import exit_on_expected_error


def add_to(parent: typer.Typer) -> None:
    """Add the command to `benchwright`."""
    parent.command("mcp")(mcp)


def mcp(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The workspace of the problem.")] = Path(),
) -> None:
    """Serve an attempt's tools to an agent by the Model Context Protocol, over standard input and output.

    The attempt's rules hold: what the study or the assignment forbids is refused, and each use is recorded. If an
    editor has the attempt open, its language server answers; else this command works on it, and pauses the clock when
    it ends.
    """
    with exit_on_expected_error():
        from benchwright_server.agent.backend import Backend

        with explain_missing_extra("Serving tools to agents", "mcp"):
            from benchwright_server.agent.mcp_server import serve_over_stdio

        async def run() -> None:
            await serve_over_stdio(Backend(folder.resolve()))

        asyncio.run(run())
