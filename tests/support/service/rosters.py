"""Rosters of courses in tests."""

from __future__ import annotations

import asyncio

from benchwright_service.accounts.roster import parse_roster
from benchwright_service.accounts.rosters import MergedRoster, RosterFile
from benchwright_service.bench import open_administration

from .bench_service import Course, Service


def merge_roster(service: Service, course: Course, text: str) -> dict[str, str]:
    """Merges a roster; returns the invitation of each new person, by name."""
    return {person.seat.name: person.code for person in merged_roster(service, course, text).invited}


def merged_roster(service: Service, course: Course, text: str) -> MergedRoster:
    """Merges a roster."""

    async def merged() -> MergedRoster:
        async with open_administration(service.folders, service.database) as parts:
            file = RosterFile(parse_roster(text.encode(), "roster.csv"), "roster.csv")
            return await parts.rosters.merge(course.name, file)

    return asyncio.run(merged())
