"""Access tokens of the judge service, and what they permit."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from benchwright_foundation.access_token import BearerToken

JUDGE = "bwj"
"""The beginning of tokens of the judge service."""


class TokenScope(StrEnum):
    """Permission that a token gives."""

    SUBMIT = "submit"
    """Submit answers, and read its own results."""
    GRADE = "grade"
    """Grade answers that wait for a person, and see the agreement of judges."""
    ADMIN = "admin"
    """Everything that the others permit, and every token's submissions with their votes."""


class AccessToken(BearerToken):
    """An access token of the judge service."""

    name: str
    """The owner; the pseudonym under which its grades are stored."""
    scopes: tuple[TokenScope, ...]
    budget_usd: float | None = Field(default=None, ge=0)
    """The most that model judges may cost it, in US dollars; without a limit if not set."""
    spent_usd: float = 0
    reserved_usd: float = 0
    """Reserved for judgements in progress."""

    def permits(self, token_scope: TokenScope) -> bool:
        """True if it covers a scope."""
        return token_scope in self.scopes or TokenScope.ADMIN in self.scopes
