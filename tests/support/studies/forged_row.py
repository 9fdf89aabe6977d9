"""Rows of an event log that somebody has changed so that their hashes fit again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from benchwright_attempts.log.record import StoredRow, record_hash


def forge_row(row: StoredRow, **changes: Any) -> StoredRow:
    """The row with these changes, and the hash that belongs to them."""
    changed_row = replace(row, **changes)
    digest = record_hash(
        changed_row.attempt,
        changed_row.seq,
        changed_row.wall,
        changed_row.mono_ns,
        changed_row.process,
        changed_row.body,
        changed_row.prev_hash,
        changed_row.schema,
        changed_row.participant,
        changed_row.condition,
    )
    return replace(changed_row, hash=digest)
