"""Access tokens in the database."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Row, insert, select, update

from benchwright_foundation import access_token
from benchwright_judges.records.records import Records
from benchwright_judges.service.tables import TOKENS
from benchwright_judges.service.token import JUDGE, AccessToken, TokenScope


class AccessTokens:
    """Makes, finds and revokes access tokens."""

    prefix = JUDGE

    def __init__(self, records: Records) -> None:
        self._records = records

    async def create_with_bearer_string(
        self,
        owner_name: str,
        scopes: Collection[TokenScope],
        *,
        expires: float | None = None,
        per_minute: int = 600,
        budget_usd: float | None = None,
    ) -> tuple[AccessToken, str]:
        """Make a token.

        Returns:
            The stored token, and the string for the client, which can't be shown again.
        """
        token_id, secret = access_token.new_id_and_secret()
        token = AccessToken(
            id=token_id,
            name=owner_name,
            digest=access_token.hash_secret(secret),
            scopes=tuple(scope for scope in TokenScope if scope in scopes),
            created=time.time(),
            expires=expires,
            per_minute=per_minute,
            budget_usd=budget_usd,
        )
        async with self._records.write_transaction() as connection:
            await connection.execute(insert(TOKENS).values(token.model_dump() | {"scopes": " ".join(token.scopes)}))
        return token, access_token.token_text(token_id, secret, JUDGE)

    async def find_token(self, token_id: str) -> AccessToken | None:
        """The token with this id, also if it is no longer valid."""
        async with self._records.read_transaction() as connection:
            row = (await connection.execute(select(TOKENS).where(TOKENS.c.id == token_id))).one_or_none()
        return _token_of_row(row) if row is not None else None

    async def list_tokens(self) -> Sequence[AccessToken]:
        """Every token, the newest first."""
        async with self._records.read_transaction() as connection:
            token_rows = await connection.execute(select(TOKENS).order_by(TOKENS.c.created.desc()))
            return [_token_of_row(row) for row in token_rows]

    async def revoke(self, token_id: str) -> bool:
        """Make a token invalid from now on; False if there is no valid one with this ID."""
        revocation = update(TOKENS).where(TOKENS.c.id == token_id, TOKENS.c.revoked.is_(None))
        async with self._records.write_transaction() as connection:
            update_outcome = await connection.execute(revocation.values(revoked=time.time()))
        return update_outcome.rowcount == 1


def _token_of_row(row: Row[Any]) -> AccessToken:
    return AccessToken.model_validate(dict(row._mapping) | {"scopes": tuple(row.scopes.split())})
