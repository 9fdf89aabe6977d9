"""Tokens that are in use, so that not every request has to read its own from the database."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Set
from dataclasses import dataclass

from benchwright_foundation.access_token import BearerToken

FRESH_S = 1.0
"""Seconds for which a token is taken as it was: for so long one that another process revokes may still be admitted."""
_IN_USE_S = 60.0
_MOST = 20_000


@dataclass
class _KnownToken:
    token: BearerToken
    last_asked: float


class KnownTokens:
    """Of one process. All of them are looked at again together, at most once in `FRESH_S`.

    Args:
        read_token: Finds a token in the database.
        find_valid_ids: Returns, of these ids, those whose tokens are neither revoked nor gone.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        read_token: Callable[[str], Awaitable[BearerToken | None]],
        find_valid_ids: Callable[[Collection[str]], Awaitable[Set[str]]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read = read_token
        self._valid = find_valid_ids
        self._clock = clock
        self._known_tokens: dict[str, _KnownToken] = {}
        self._own_tokens: dict[str, BearerToken] = {}
        self._looked = clock()
        self._turn = asyncio.Lock()

    async def find_token(self, token_id: str) -> BearerToken | None:
        """The token with this id, valid or not; None if there is none."""
        if token_id in self._own_tokens:
            return self._own_tokens[token_id]
        if self._clock() - self._looked > FRESH_S:
            async with self._turn:
                if self._clock() - self._looked > FRESH_S:
                    await self._drop_stale_tokens()
        known_token = self._known_tokens.get(token_id)
        if known_token is not None:
            known_token.last_asked = self._clock()
            return known_token.token
        token = await self._read(token_id)
        if token is not None and token.revoked is None:
            if len(self._known_tokens) >= _MOST:
                self.forget_all_tokens()
            self._known_tokens[token_id] = _KnownToken(token, self._clock())
        return token

    def add_local_token(self, token: BearerToken) -> None:
        """Has a token be valid as long as this process lives, and for it alone: the database does not have it."""
        self._own_tokens[token.id] = token

    def forget_all_tokens(self) -> None:
        """Reads every token again, because this process has revoked some."""
        self._known_tokens = {}

    async def _drop_stale_tokens(self) -> None:
        began = self._clock()
        in_use = {
            name: known_token
            for name, known_token in self._known_tokens.items()
            if began - known_token.last_asked <= _IN_USE_S
        }
        still = await self._valid(in_use) if in_use else frozenset()
        self._known_tokens = {name: known_token for name, known_token in in_use.items() if name in still}
        self._looked = began
