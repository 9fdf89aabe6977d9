"""Common parts of an operator's commands: the database's address, messages on plain HTTP and on errors."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qs, urlsplit

import typer

from benchwright_foundation.errors import BenchwrightError

_FILE = "BENCHWRIGHT_SERVICE_DATABASE_FILE"


def database_url(context: typer.Context, parameter: typer.CallbackParam, value: str) -> str:
    """The database's address: an option without a password, an environment variable, or a file.

    Raises:
        typer.BadParameter: The password is on the command line, or the file can't be read.
    """
    if value:
        parameter_source = context.get_parameter_source(parameter.name or "")
        if parameter_source is not None and parameter_source.name == "COMMANDLINE" and _has_password(value):
            raise typer.BadParameter(
                "every user of this machine can read a password on a command line. Set BENCHWRIGHT_SERVICE_DATABASE,"
                f" name a file with the address in {_FILE}, or use PostgreSQL's own PGPASSFILE"
            )
        return value
    file = os.environ.get(_FILE)
    if not file:
        return ""
    try:
        return Path(file).read_text("utf-8").strip()
    except (OSError, UnicodeError) as error:
        raise typer.BadParameter(f"{file}, which {_FILE} names, can't be read: {error}") from error


DatabaseUrl = Annotated[
    str,
    typer.Option(
        envvar="BENCHWRIGHT_SERVICE_DATABASE",
        callback=database_url,
        help="A PostgreSQL database, postgresql://…, with a password in the environment or in the file that"
        " BENCHWRIGHT_SERVICE_DATABASE_FILE names; SQLite files in the data folder if not given.",
        show_default=False,
    ),
]
"""Address of the service's database."""
Course = Annotated[str, typer.Argument(help="The course's short name.")]


def transport_remarks(host: str, address: str) -> Iterator[str]:
    """Messages on the transport of a service that listens here.

    Args:
        host: Host at which the service listens.
        address: As its users have it. Empty if that was not told.
    """
    if not is_loopback(host):
        yield (
            f"Whoever reaches {host} speaks plain HTTP: tokens and files can be read in transit, unless a TLS proxy is"
            " the only one that reaches it. With a proxy on this machine, listen on 127.0.0.1."
        )
    elif not address.startswith("https://"):
        yield "Plain HTTP: put a TLS proxy (Caddy, nginx) in front before others use it, and tell its --address."


def is_loopback(host: str) -> bool:
    """True if only this machine reaches a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _has_password(url: str) -> bool:
    try:
        url_parts = urlsplit(url)
        return url_parts.password is not None or "password" in parse_qs(url_parts.query)
    except ValueError:
        return False


@contextlib.contextmanager
def explain_errors() -> Iterator[None]:
    """Shows expected errors as sentences."""
    try:
        yield
    except BenchwrightError as error:
        typer.echo(f"benchwright: {error}", err=True)
        sys.exit(1)
