"""`benchwright judge serve` and `benchwright judge token`."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_server.cli.judge.records import opened_records
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import err, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    # The web framework and the database library take a second to import: only the commands that need them pay.
    from benchwright_judges.service.token import AccessToken
    from benchwright_judges.service.tokens import AccessTokens

T = TypeVar("T")

Database = Annotated[
    str | None,
    typer.Option(metavar="URL", help="postgresql://USER@HOST/NAME; the SQLite file of this user if not given."),
]

_COMMANDS = "`benchwright judge token`"
_LONGEST_NAME = 60
_UNITS_S = {"h": 3_600, "d": 86_400, "w": 604_800}


def add_to(judge: typer.Typer) -> None:
    """Add these commands to `benchwright judge`."""
    judge.command("serve")(serve)
    tokens_app = typer.Typer(
        help="Create, list and revoke the access tokens of the judge service.", no_args_is_help=True
    )
    tokens_app.command("create")(create)
    tokens_app.command("list")(list_tokens)
    tokens_app.command("revoke")(revoke)
    judge.add_typer(tokens_app, name="token")


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 chooses a free one.")] = 8655,
    database: Database = None,
    at_once: Annotated[int, typer.Option(min=1, max=256, help="Answers judged at the same time.")] = 16,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Let --host be an address that other machines reach.")
    ] = False,
) -> None:
    """Serve the judges over HTTP until Ctrl+C."""
    # A library's message may quote what it worked on.
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    with exit_on_expected_error(), explain_missing_extra("`benchwright judge serve`", "judges"):
        from benchwright_judges.models.configuration import open_panel_if_any, read_settings, records_location
        from benchwright_judges.service.judging import JudgingPace
        from benchwright_judges.service.server import refuse_remote_host_unless_allowed
        from benchwright_judges.service.server import serve as serve_http
        from benchwright_problems.storage.store import Store

        refuse_remote_host_unless_allowed(host, allow_remote=allow_remote)
        settings = read_settings()
        serving = serve_http(
            Store(Home.from_environment()),
            database or records_location(settings, Home.from_environment()),
            open_panel_if_any(settings),
            host=host,
            port=port,
            pace=JudgingPace(at_once=at_once),
        )
        asyncio.run(serving)


def create(
    name: Annotated[str, typer.Argument(help="The owner's name; for people who grade, their pseudonym.")],
    scope: Annotated[list[str], typer.Option(help="submit, grade or admin; may be repeated.")],
    expires: Annotated[str, typer.Option(metavar="TIME", help="Lifetime: 12h, 90d, 52w, or never.")] = "90d",
    rate: Annotated[int, typer.Option(min=1, help="Requests per minute.")] = 600,
    budget: Annotated[
        float | None, typer.Option(min=0, help="US dollars that model judges may spend for it; no limit if not given.")
    ] = None,
    database: Database = None,
    json_output: Json = False,
) -> None:
    """Create a token. It is printed once, and only its hash is stored."""
    with exit_on_expected_error(), explain_missing_extra(_COMMANDS, "judges"):
        from benchwright_judges.service.token import TokenScope

        if unknown := [word for word in scope if word not in list(TokenScope)]:
            raise ServerError(f"There is no scope {unknown[0]!r}; choose from {', '.join(TokenScope)}.")
        if not name.strip() or not name.isprintable() or len(name) > _LONGEST_NAME:
            raise ServerError(f"A name has at most {_LONGEST_NAME} printable characters, and not only spaces.")
        lifetime = _lifetime_s_or_never(expires)
        expiry = time.time() + lifetime if lifetime is not None else None
        token, text = _run_on_tokens(
            database,
            lambda tokens: tokens.create_with_bearer_string(
                name, [TokenScope(word) for word in scope], expires=expiry, per_minute=rate, budget_usd=budget
            ),
        )
    if json_output:
        print_json({"id": token.id, "token": text})
    else:
        typer.echo(text)
        err.print(f"Token {token.id} for {token.name}. Store it: it can't be shown again.", markup=False)


def list_tokens(database: Database = None, json_output: Json = False) -> None:
    """List the tokens, newest first."""
    with exit_on_expected_error(), explain_missing_extra(_COMMANDS, "judges"):
        listed_tokens = _run_on_tokens(database, lambda tokens: tokens.list_tokens())
    if json_output:
        print_json([token.model_dump(mode="json", exclude={"digest"}) for token in listed_tokens])
        return
    table = TerminalTable("id", "name", "scopes", "state", "expires", "per minute", "spent USD", "budget USD")
    for token in listed_tokens:
        table.add_row(
            token.id,
            token.name,
            " ".join(token.scopes),
            _token_state(token),
            _local_time_or_never(token.expires),
            str(token.per_minute),
            f"{token.spent_usd:.4f}",
            "" if token.budget_usd is None else f"{token.budget_usd:.4f}",
        )
    table.print_rows()


def revoke(
    token: Annotated[str, typer.Argument(metavar="ID", help="Its id, as listed.")], database: Database = None
) -> None:
    """Revoke a token, effective at once."""
    with exit_on_expected_error(), explain_missing_extra(_COMMANDS, "judges"):
        if not _run_on_tokens(database, lambda tokens: tokens.revoke(token)):
            raise ServerError(f"There is no valid token {token!r}; `benchwright judge token list` shows all.")
    err.print(f"Token {token} is revoked.", markup=False)


def _run_on_tokens(database_url: str | None, token_action: Callable[[AccessTokens], Awaitable[T]]) -> T:
    from benchwright_judges.service.tokens import AccessTokens

    async def work() -> T:
        async with opened_records(database_url) as records:
            return await token_action(AccessTokens(records))

    return asyncio.run(work())


def _lifetime_s_or_never(lifetime_text: str) -> float | None:
    if lifetime_text == "never":
        return None
    match = re.fullmatch(r"([1-9][0-9]{0,4})([hdw])", lifetime_text)
    if match is None:
        raise ServerError(f"{lifetime_text!r} is not a time span; write 12h, 90d, 52w or never.")
    return int(match[1]) * _UNITS_S[match[2]]


def _token_state(token: AccessToken) -> str:
    if token.revoked is not None:
        return "revoked"
    return "expired" if token.expires is not None and token.expires <= time.time() else "valid"


def _local_time_or_never(epoch_s: float | None) -> str:
    return "never" if epoch_s is None else datetime.fromtimestamp(epoch_s, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
