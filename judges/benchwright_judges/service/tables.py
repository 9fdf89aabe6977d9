"""The service's own tables, beside those of the records."""

from __future__ import annotations

from sqlalchemy import Column, Double, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from benchwright_judges.records.schema import METADATA

TOKENS = Table(
    "tokens",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double),
    Column("revoked", Double),
    Column("per_minute", Integer, nullable=False),
    Column("budget_usd", Double),
    Column("spent_usd", Double, nullable=False, default=0.0),
    Column("reserved_usd", Double, nullable=False, default=0.0),
)

BATCHES = Table(
    "batches",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("token", Text, ForeignKey("tokens.id"), nullable=False),
    Column("key", Text),
    Column("fingerprint", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("total", Integer, nullable=False),
    Column("done", Integer, nullable=False, default=0),
    UniqueConstraint("token", "key"),
)

SUBMISSIONS = Table(
    "submissions",
    METADATA,
    Column("seq", Integer, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("token", Text, ForeignKey("tokens.id"), nullable=False),
    Column("batch", Text, ForeignKey("batches.id")),
    # Position in the batch, from 0.
    Column("position", Integer),
    Column("key", Text),
    Column("fingerprint", Text),
    Column("problem", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("state", Text, nullable=False),
    # The process that judges it, and the expiry of its lease.
    Column("owner", Text),
    Column("lease", Double),
    Column("claims", Integer, nullable=False, default=0),
    # Part of the token's `reserved_usd` while the judgement runs.
    Column("reserved_usd", Double, nullable=False, default=0.0),
    Column("judgement", Text),
    Column("created", Double, nullable=False),
    Column("judged", Double),
    # Rank by time of completion in the batch, from 1: a client resumes watching from it.
    Column("finished", Integer),
    UniqueConstraint("token", "key"),
    Index("submissions_open", "state", "lease"),
    Index("submissions_batch", "batch", "finished"),
)
