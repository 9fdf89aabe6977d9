"""The keys that a server signs receipts with, as it publishes them, and what a receipt is worth by them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from benchwright_foundation.model import UtcTime


class PublishedKey(BaseModel):
    """A key and when it signs."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    key: str
    """Ed25519, base64."""
    begins: UtcTime | None = None
    """The first time that its receipts may have; any if not given."""
    ends: UtcTime | None = None
    """Its receipts have times before this; it signs until now if not given."""
    revoked: UtcTime | None = None
    """Receipts of this time or later prove nothing: somebody else may have the key."""


class PublishedKeys(BaseModel):
    """All keys of a server, the newest last."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    keys: tuple[PublishedKey, ...]


class KeyStanding(StrEnum):
    """Standing, by the published keys, of a receipt whose signature is that of its key."""

    VALID = "valid"
    UNKNOWN = "unknown"
    """The key is not published."""
    OUTSIDE = "outside"
    """The key did not sign at that time."""
    REVOKED = "revoked"


def key_standing(receipt_key: str, receipt_time: datetime, published_keys: Iterable[PublishedKey]) -> KeyStanding:
    """Standing of a receipt by the published keys.

    Args:
        receipt_key: The receipt's.
        receipt_time: The receipt's.
        published_keys: Published keys; of two about the same key the later one counts.
    """
    published_key = {candidate.key: candidate for candidate in published_keys}.get(receipt_key)
    if published_key is None:
        return KeyStanding.UNKNOWN
    if published_key.revoked is not None and receipt_time >= published_key.revoked:
        return KeyStanding.REVOKED
    if published_key.begins is not None and receipt_time < published_key.begins:
        return KeyStanding.OUTSIDE
    if published_key.ends is not None and receipt_time >= published_key.ends:
        return KeyStanding.OUTSIDE
    return KeyStanding.VALID
