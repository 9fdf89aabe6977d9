"""The tables of the attempt log, in the newest format. `migrations` has the step to each format."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, MetaData, Table, Text, func, select

METADATA = MetaData()

ATTEMPTS = Table(
    "attempts",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("problem", Text, nullable=False),
    Column("problem_digest", Text, nullable=False),
    Column("workspace", Text, nullable=False),
    Column("solver", Text, nullable=False),
    Column("condition", Text, nullable=False),
    Column("created", Text, nullable=False),
    Column("study", Text, nullable=False, server_default=""),
    Column("recording", Text, nullable=False, server_default="full"),
    Index("attempts_problem", "problem"),
    Index("attempts_workspace", "workspace"),
    Index("attempts_study", "study"),
)

EVENTS = Table(
    "events",
    METADATA,
    Column("attempt", Text, ForeignKey("attempts.id"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("wall", Text, nullable=False),
    Column("mono_ns", BigInteger, nullable=False),
    Column("process", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("prev_hash", Text, nullable=False),
    Column("hash", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("schema", Integer, nullable=False, server_default="1"),
)

NEWEST = select(func.max(EVENTS.c.seq)).where(EVENTS.c.attempt == ATTEMPTS.c.id).correlate(ATTEMPTS).scalar_subquery()
"""Number of an attempt's newest event, in a query of `ATTEMPTS`."""

SUMMARIES = Table(
    "summaries",
    METADATA,
    Column("attempt", Text, ForeignKey("attempts.id"), primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("body", Text, nullable=False),
)
"""The state of each attempt at event `seq`: worked out from its events, so that lists need not read them."""

JOURNAL = Table(
    "journal",
    METADATA,
    Column("study", Text, primary_key=True),
    Column("participant", Text, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("wall", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("prev_hash", Text, nullable=False),
    Column("hash", Text, nullable=False),
)
"""Events of a study outside attempts; a chain for each participant, and one for the study itself ("")."""

TOMBSTONES = Table(
    "tombstones",
    METADATA,
    Column("kind", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("study", Text, nullable=False),
    Column("events", Integer, nullable=False),
    Column("head", Text, nullable=False),
    Column("deleted", Text, nullable=False),
    Column("reason", Text, nullable=False),
)
"""Traces of deleted data: kind `attempt` or `participant`, number of events and the hash of the last."""
