"""`benchwright course rotate-key` and `benchwright course revoke-key`: the keys that receipts are signed with."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from benchwright_foundation.errors import needs
from benchwright_foundation.home import Home
from benchwright_service.command_line.options import explained


def add_to(course: typer.Typer) -> None:
    """Adds the commands."""
    course.command("rotate-key", help="Sign receipts with a new key from now on, while the service may run.")(rotate)
    course.command("revoke-key", help="Say that receipts of a key prove nothing from a time on.")(revoke)


def rotate() -> None:
    """Receipts of older keys stay valid: all keys are published, with the time in which each signed."""
    with explained(), needs("The bench service", "service"):
        from benchwright_service.evidence.signing_keys import rotate

        key = rotate(Home.find().data / "service")
    typer.echo(f"The service signs with {key.key} since {key.begins:%Y-%m-%d %H:%M:%S} UTC. Back up the data folder.")


def revoke(
    key: Annotated[str, typer.Argument(help="A key as /api/v1/keys shows it, or its beginning.")],
    since: Annotated[datetime, typer.Option(help="From when on somebody else may have had it, in UTC.")],
) -> None:
    """If it is the present key, a new one signs from now on."""
    with explained(), needs("The bench service", "service"):
        from benchwright_service.evidence.signing_keys import revoke

        revoked = revoke(Home.find().data / "service", key, since.replace(tzinfo=UTC))
    typer.echo(f"Receipts of {revoked.key} prove nothing since {revoked.revoked:%Y-%m-%d %H:%M:%S} UTC.")
