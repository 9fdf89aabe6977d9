"""Access tokens: what a client authenticates with."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

from pydantic import Field

from benchwright_foundation.model import Model

_WRITTEN = re.compile(r"([a-z]{3})_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")


class BearerToken(Model):
    """Fields of every access token, as it is stored: without the secret."""

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
    """Number of requests a minute that it may make."""

    def has_secret(self, secret: str) -> bool:
        """True if the secret is this token's; takes the same time for all secrets of one length."""
        return hmac.compare_digest(hash_secret(secret), self.digest)


def new_id_and_secret() -> tuple[str, str]:
    """A new token's id and its secret."""
    return secrets.token_hex(6), secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """SHA-256, hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def token_text(token_id: str, secret: str, prefix: str) -> str:
    """The string that a client sends, such as `bwj_<id>_<secret>`.

    Args:
        token_id: The token's id.
        secret: The token's secret.
        prefix: Three letters that name the service.
    """
    return f"{prefix}_{token_id}_{secret}"


def id_and_secret_of_token(written_token: str, prefix: str) -> tuple[str, str] | None:
    """ID and secret of such a string; None for any other."""
    match = _WRITTEN.fullmatch(written_token)
    return (match[2], match[3]) if match and match[1] == prefix else None
