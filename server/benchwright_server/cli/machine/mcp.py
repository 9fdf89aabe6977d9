"""`benchwright mcp`."""

from __future__ import annotations

import asyncio
import os
import secrets
from pathlib import Path
from typing import Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_server.cli.terminal.output import exit_on_expected_error, print_json


def add_to(parent: typer.Typer) -> None:
    """Add the command to `benchwright`."""
    parent.command("mcp")(mcp)


def mcp(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The workspace of the problem.")] = Path(),
    http: Annotated[
        int | None,
        typer.Option(
            metavar="PORT",
            min=0,
            max=65535,
            help="Serve by streamable HTTP at this port of loopback instead, 0 for a free one. BENCHWRIGHT_MCP_TOKEN "
            "is the token; a new one if it is not set.",
        ),
    ] = None,
    asks_person: Annotated[
        bool,
        typer.Option(
            "--ask/--no-ask",
            help="Have the agent's program ask its person before the clock starts, a hint is taken, or the work is "
            "submitted, if it can.",
        ),
    ] = True,
) -> None:
    """Serve an attempt to an agent by the Model Context Protocol, over standard input and output or HTTP.

    The attempt's rules hold: what the study or the assignment forbids is refused, and each use is recorded. If an
    editor has the attempt open, its language server answers; else this command works on it, and pauses the clock when
    it ends.
    """
    with exit_on_expected_error():
        from benchwright_server.agent.backend import Backend

        with explain_missing_extra("Serving tools to agents", "mcp"):
            from benchwright_server.agent.mcp_http import serve_over_http
            from benchwright_server.agent.mcp_server import serve_over_stdio

        async def run() -> None:
            backend = Backend(folder.resolve())
            if http is None:
                await serve_over_stdio(backend, asks_person=asks_person)
                return
            token = os.environ.get("BENCHWRIGHT_MCP_TOKEN") or secrets.token_urlsafe(32)
            await serve_over_http(
                backend,
                http,
                token,
                asks_person=asks_person,
                on_ready=lambda address: print_json({"url": address, "token": token}),
            )

        asyncio.run(run())
