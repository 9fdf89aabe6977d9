"""Access tokens: what a client authenticates with."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from enum import StrEnum

from pydantic import Field

from benchwright_judges.judgement import Model

_PREFIX = "bwj"
_WRITTEN = re.compile(rf"{_PREFIX}_([0-9a-f]{{12}})_([A-Za-z0-9_-]{{43}})")


class Scope(StrEnum):
    """What a token permits."""

    SUBMIT = "submit"
    """Submit answers, and read its own results."""
    GRADE = "grade"
    """Grade answers that wait for a person, and see the agreement of judges."""
    ADMIN = "admin"
    """Everything that the others permit, and every token's submissions with their votes."""


class Token(Model):
    """An access token as it is stored: without the secret."""

    id: str
    name: str
    """The owner; the pseudonym under which its grades are stored."""
    digest: str
    """SHA-256 of the secret, hex.

    A slow hash protects passwords that can be guessed. This secret has 256 random bits and can't be
    guessed at any speed; a slow hash would only delay every request.
    """
    scopes: tuple[Scope, ...]
    created: float
    """Seconds since 1970, as all times here."""
    expires: float | None = None
    revoked: float | None = None
    per_minute: int = Field(default=600, ge=1)
    """How many requests a minute it may make."""
    budget_usd: float | None = Field(default=None, ge=0)
    """How much model judges may cost it; without a limit if not set."""
    spent_usd: float = 0
    reserved_usd: float = 0
    """Reserved for judgements in progress."""

    def may(self, scope: Scope) -> bool:
        """Whether it covers a scope."""
        return scope in self.scopes or Scope.ADMIN in self.scopes

    def fits(self, secret: str) -> bool:
        """Whether the secret is this token's; takes the same time for all secrets of one length."""
        return hmac.compare_digest(hash_secret(secret), self.digest)


def new_secret() -> tuple[str, str]:
    """A new token's id and its secret."""
    return secrets.token_hex(6), secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """SHA-256, hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def write(token_id: str, secret: str) -> str:
    """The string that a client sends: `bwj_<id>_<secret>`."""
    return f"{_PREFIX}_{token_id}_{secret}"


def read(text: str) -> tuple[str, str] | None:
    """ID and secret of such a string."""
    found = _WRITTEN.fullmatch(text)
    return (found[1], found[2]) if found else None
