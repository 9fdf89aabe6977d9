"""Access tokens: what a client authenticates with."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from enum import StrEnum

from pydantic import Field

from benchwright_judges.judgement import Model

JUDGE = "bwj"
"""What tokens of the judge service begin with."""
_WRITTEN = re.compile(r"([a-z]{3})_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")


class Scope(StrEnum):
    """What a token permits."""

    SUBMIT = "submit"
    """Submit answers, and read its own results."""
    GRADE = "grade"
    """Grade answers that wait for a person, and see the agreement of judges."""
    ADMIN = "admin"
    """Everything that the others permit, and every token's submissions with their votes."""


class BearerToken(Model):
    """What every access token has, as it is stored: without the secret."""

    id: str
    digest: str
    """SHA-256 of the secret, hex.

    A slow hash protects passwords that can be guessed. This secret has 256 random bits and can't be
    guessed at any speed; a slow hash would only delay every request.
    """
    created: float
    """Seconds since 1970, as all times here."""
    expires: float | None = None
    revoked: float | None = None
    per_minute: int = Field(default=600, ge=1)
    """How many requests a minute it may make."""

    def fits(self, secret: str) -> bool:
        """Whether the secret is this token's; takes the same time for all secrets of one length."""
        return hmac.compare_digest(hash_secret(secret), self.digest)


class Token(BearerToken):
    """An access token of the judge service."""

    name: str
    """The owner; the pseudonym under which its grades are stored."""
    scopes: tuple[Scope, ...]
    budget_usd: float | None = Field(default=None, ge=0)
    """How much model judges may cost it; without a limit if not set."""
    spent_usd: float = 0
    reserved_usd: float = 0
    """Reserved for judgements in progress."""

    def may(self, scope: Scope) -> bool:
        """Whether it covers a scope."""
        return scope in self.scopes or Scope.ADMIN in self.scopes


def new_secret() -> tuple[str, str]:
    """A new token's id and its secret."""
    return secrets.token_hex(6), secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """SHA-256, hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def write(token_id: str, secret: str, prefix: str = JUDGE) -> str:
    """The string that a client sends, such as `bwj_<id>_<secret>`."""
    return f"{prefix}_{token_id}_{secret}"


def read(text: str, prefix: str = JUDGE) -> tuple[str, str] | None:
    """ID and secret of such a string."""
    found = _WRITTEN.fullmatch(text)
    return (found[2], found[3]) if found and found[1] == prefix else None
