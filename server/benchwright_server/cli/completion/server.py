"""The options that say which server is asked, and how."""

from __future__ import annotations

import contextlib
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import JsonValue

from benchwright_foundation.home import Home
from benchwright_foundation.json_text import parse_untrusted_json
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    from benchwright_subjects.inline.server.served_model import ServedModel
    from benchwright_subjects.inline.server.server_process import ServerLaunch

_RETRIES = 1
"""Of a request that the model did not answer. Who types does not wait longer."""

ServerCommand = Annotated[
    str,
    typer.Option(
        metavar="COMMAND",
        help="Command line that starts it on standard streams; with `vscode`, code-server's, if it is not found.",
    ),
]
DialectOption = Annotated[
    str,
    typer.Option(
        help="`lsp` (LSP 3.18), `copilot` (GitHub's server), `tabby` (tabby-agent) or `vscode` (an extension).",
        metavar="lsp|copilot|tabby|vscode",
    ),
]


@dataclass(frozen=True)
class ServerOptions:
    """Options that choose the server."""

    server: ServerCommand = ""
    dialect: DialectOption = "lsp"
    extension: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="With `vscode`: the .vsix file to measure; repeated, the others are installed with it.",
        ),
    ] = None
    profile: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Its home begins as a copy of this folder, such as one that `sign-in` has filled."
        ),
    ] = None
    initialization: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="JSON file with the `initializationOptions` that it gets; with `vscode`, settings."
        ),
    ] = None
    env: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="It gets this environment variable; may be repeated.")
    ] = None

    model: Annotated[
        str,
        typer.Option(
            metavar="PROVIDER/MODEL",
            help="Answer its requests to a model by this one, as Inspect names it, and count tokens; it has no other "
            "network.",
        ),
    ] = ""
    offline: Annotated[bool, typer.Option("--offline", help="Run it without network, loopback included.")] = False

    @property
    def initialization_options(self) -> JsonValue:
        """Its `initializationOptions`; None if there are none.

        Raises:
            ServerError: The file is no JSON.
        """
        if self.initialization is None:
            return None
        try:
            initial_settings: JsonValue = parse_untrusted_json(self.initialization.read_bytes())
        except OSError as error:
            raise ServerError(f"{self.initialization} can't be read: {error.strerror}.") from None
        except ValueError as error:
            raise ServerError(f"{self.initialization} is not JSON: {error}.") from None
        return initial_settings

    def served_model(self, seed: int, base_url: str | None = None) -> ServedModel | None:
        """The model that its requests are answered by; None if its model is its own affair.

        Args:
            seed: Sent to the model with each request.
            base_url: Address at which the model is asked; its provider's, if not given.

        Raises:
            EvaluationError: No such model exists.
        """
        if not self.model:
            return None
        from benchwright_subjects.evaluation.evaluation import find_model
        from benchwright_subjects.inline.server.served_model import ServedModel

        # Inspect greets on standard output, which is for results.
        with contextlib.redirect_stdout(sys.stderr):
            return ServedModel(find_model(self.model, base_url=base_url, most_retries=_RETRIES), seed)

    def server_launch(self, secret_folders: tuple[Path, ...]) -> ServerLaunch:
        """The launch of the server.

        Args:
            secret_folders: Folders that it must not see.

        Raises:
            ServerError: An option is wrong.
        """
        from benchwright_subjects.inline.dialects.registered import DIALECTS
        from benchwright_subjects.inline.server.server_process import ServerLaunch

        if self.dialect not in DIALECTS:
            raise ServerError(f"There is no dialect {self.dialect!r}. Choose from: {', '.join(DIALECTS)}.")
        command = self._command_words()
        if self.profile is not None and not self.profile.is_dir():
            raise ServerError(f"--profile {self.profile} is not a folder.")
        return ServerLaunch(command, tuple(self.env or ()), self.profile, secret_folders, self.offline)

    def _command_words(self) -> tuple[str, ...]:
        from benchwright_subjects.inline.dialects.vscode import VSCodeDialect
        from benchwright_subjects.inline.vscode.editor_launch import (
            driver_command,
            find_programs,
            write_probe_extension,
        )
        from benchwright_subjects.inline.vscode.vsix import read_vsix

        try:
            command = tuple(shlex.split(self.server))
        except ValueError:
            raise ServerError("--server has a quotation mark that is not closed.") from None
        if self.dialect == VSCodeDialect.name:
            if not self.extension:
                raise ServerError("The dialect vscode needs --extension: the .vsix file to measure.")
            cache = Home.from_environment().cache
            extensions = [read_vsix(file) for file in self.extension]
            return driver_command(find_programs(command, cache), extensions, write_probe_extension(cache / "vscode"))
        if self.extension:
            raise ServerError("--extension goes with --dialect vscode.")
        if not command:
            raise ServerError("--server is empty: give the command line that starts the server.")
        return command
