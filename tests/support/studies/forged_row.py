"""Rows of an event log that somebody has changed so that their hashes fit again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from benchwright_attempts.log.record import Row, hash_of


def forged(row: Row, **changes: Any) -> Row:
    """The row with these changes, and the hash that belongs to them."""
    made = replace(row, **changes)
    digest = hash_of(
        made.attempt,
        made.seq,
        made.wall,
        made.mono_ns,
        made.process,
        made.body,
        made.prev_hash,
        made.schema,
        made.participant,
        made.condition,
    )
    return replace(made, hash=digest)
