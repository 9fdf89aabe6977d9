"""The options that say which server is asked, and how."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from pydantic import JsonValue

from benchwright_server.errors import ServerError
from benchwright_subjects.inline.dialects.registered import DIALECTS
from benchwright_subjects.inline.server_process import Launch

DialectOption = Annotated[
    str,
    typer.Option(
        help="`lsp` (LSP 3.18), `copilot` (GitHub's server) or `tabby` (tabby-agent).", metavar="lsp|copilot|tabby"
    ),
]


@dataclass(frozen=True)
class Server:
    """Which server."""

    server: Annotated[str, typer.Option(metavar="COMMAND", help="Command line that starts it on standard streams.")] = (
        ""
    )
    dialect: DialectOption = "lsp"
    profile: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Its home begins as a copy of this folder, such as one that `sign-in` has filled."
        ),
    ] = None
    initialization: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSON file with the `initializationOptions` that it gets.")
    ] = None
    env: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="It gets this environment variable; may be repeated.")
    ] = None

    offline: Annotated[bool, typer.Option("--offline", help="Run it without network, loopback included.")] = False

    @property
    def options(self) -> JsonValue:
        """Its `initializationOptions`; None if there are none.

        Raises:
            ServerError: The file is no JSON.
        """
        if self.initialization is None:
            return None
        try:
            found: JsonValue = json.loads(self.initialization.read_bytes())
        except OSError as error:
            raise ServerError(f"{self.initialization} can't be read: {error.strerror}.") from None
        except ValueError as error:
            raise ServerError(f"{self.initialization} is not JSON: {error}.") from None
        return found

    def launch(self, secrets: tuple[Path, ...]) -> Launch:
        """How it is started.

        Args:
            secrets: Folders that it must not see.

        Raises:
            ServerError: An option is wrong.
        """
        if self.dialect not in DIALECTS:
            raise ServerError(f"There is no dialect {self.dialect!r}. Choose from: {', '.join(DIALECTS)}.")
        try:
            command = tuple(shlex.split(self.server))
        except ValueError:
            raise ServerError("--server has a quotation mark that is not closed.") from None
        if not command:
            raise ServerError("--server is empty: give the command line that starts the server.")
        if self.profile is not None and not self.profile.is_dir():
            raise ServerError(f"--profile {self.profile} is not a folder.")
        return Launch(command, tuple(self.env or ()), self.profile, secrets, self.offline)
