"""Pages that refresh themselves are in the audit log once a sitting."""

from __future__ import annotations

from pathlib import Path

from benchwright_service.evidence.audit import SITTING_S, AuditLog
from benchwright_service.storage.database import open_service_database


async def test_a_page_that_refreshes_itself_is_noted_again_when_the_sitting_is_over(tmp_path: Path) -> None:
    database = await open_service_database(tmp_path / "service.sqlite")
    clock_reading = [1_000_000.0]
    audit = AuditLog(database, lambda: clock_reading[0])
    try:
        for passed_s in (0.0, 10.0, SITTING_S - 11.0):
            clock_reading[0] += passed_s
            await audit.record_action_unless_recent("ada", "study", "watched", "page")
        assert len(await audit.newest_entries("study")) == 1
        await audit.record_action_unless_recent("max", "study", "watched", "page")
        await audit.record_action_unless_recent("ada", "study", "watched", "by a program")
        await audit.record_action_unless_recent("ada", "other", "watched", "page")
        assert len(await audit.newest_entries("study")) == 3
        clock_reading[0] += 1.0
        await audit.record_action_unless_recent("ada", "study", "watched", "page")
        assert [entry.name for entry in await audit.newest_entries("study")] == ["ada", "ada", "max", "ada"]
    finally:
        await database.close()
