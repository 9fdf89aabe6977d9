"""A token that is in use is read once, and a revoked one is found out within a second."""

from __future__ import annotations

from collections.abc import Collection, Set

import pytest

from benchwright_foundation.access_token import BearerToken
from benchwright_service.accounts.known_tokens import FRESH_S, KnownTokens


class Tokens:
    """A database, and a clock."""

    def __init__(self) -> None:
        self.time_s = 100.0
        self.stored = {name: BearerToken(id=name, digest="", created=0) for name in ("a", "b")}
        self.queries: list[object] = []

    async def read(self, token_id: str) -> BearerToken | None:
        self.queries.append(token_id)
        return self.stored.get(token_id)

    async def valid(self, tokens: Collection[str]) -> Set[str]:
        self.queries.append(set(tokens))
        return {name for name in tokens if name in self.stored and self.stored[name].revoked is None}


@pytest.fixture
def there() -> Tokens:
    return Tokens()


@pytest.fixture
def known(there: Tokens) -> KnownTokens:
    return KnownTokens(there.read, there.valid, lambda: there.time_s)


async def test_the_next_request_with_a_token_does_not_read_it_again(there: Tokens, known: KnownTokens) -> None:
    assert await known.find_token("a") is there.stored["a"]
    there.time_s += FRESH_S / 2
    assert await known.find_token("a") is there.stored["a"]
    assert there.queries == ["a"]


async def test_all_tokens_in_use_are_looked_at_again_together(there: Tokens, known: KnownTokens) -> None:
    for name in ("a", "b"):
        await known.find_token(name)
    there.time_s += 1.1 * FRESH_S
    for name in ("a", "b"):
        await known.find_token(name)
    assert there.queries == ["a", "b", {"a", "b"}]


async def test_a_revoked_token_is_read_as_such_after_a_second(there: Tokens, known: KnownTokens) -> None:
    await known.find_token("a")
    there.stored["a"] = there.stored["a"].model_copy(update={"revoked": there.time_s})
    there.time_s += 1.1 * FRESH_S
    for _ in range(2):
        token = await known.find_token("a")
        assert token is not None
        assert token.revoked is not None
    del there.stored["a"]
    assert await known.find_token("a") is None


async def test_what_this_process_revokes_is_read_again_at_once(there: Tokens, known: KnownTokens) -> None:
    await known.find_token("a")
    del there.stored["a"]
    known.forget_all_tokens()
    assert await known.find_token("a") is None


async def test_tokens_that_nobody_has_are_not_remembered(there: Tokens, known: KnownTokens) -> None:
    for _ in range(2):
        assert await known.find_token("x") is None
    assert there.queries == ["x", "x"]


async def test_a_token_that_was_not_used_for_a_minute_is_forgotten(there: Tokens, known: KnownTokens) -> None:
    await known.find_token("a")
    there.time_s += 61
    await known.find_token("b")
    there.time_s += 1.1 * FRESH_S
    await known.find_token("b")
    assert there.queries == ["a", "b", {"b"}]
