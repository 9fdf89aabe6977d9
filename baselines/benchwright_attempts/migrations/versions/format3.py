"""The tables of the log, and the triggers that keep it append-only."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from benchwright_attempts.events.triggers import trigger_statements

revision = "format3"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes them; a new log has them without Alembic, whose import would cost its start a fifth of a second."""
    op.create_table(
        "attempts",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("problem_digest", sa.Text(), nullable=False),
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("solver", sa.Text(), nullable=False),
        sa.Column("condition", sa.Text(), nullable=False),
        sa.Column("created", sa.Text(), nullable=False),
        sa.Column("study", sa.Text(), server_default="", nullable=False),
        sa.Column("recording", sa.Text(), server_default="full", nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    for column in ("problem", "workspace", "study"):
        op.create_index(f"attempts_{column}", "attempts", [column])
    op.create_table(
        "journal",
        sa.Column("study", sa.Text(), nullable=False),
        sa.Column("participant", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("wall", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("prev_hash", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("study", "participant", "seq"),
    )
    op.create_table(
        "tombstones",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("study", sa.Text(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("deleted", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "id"),
    )
    op.create_table(
        "events",
        sa.Column("attempt", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("wall", sa.Text(), nullable=False),
        sa.Column("mono_ns", sa.BigInteger(), nullable=False),
        sa.Column("process", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("prev_hash", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("schema", sa.Integer(), server_default="1", nullable=False),
        sa.ForeignKeyConstraint(["attempt"], ["attempts.id"]),
        sa.PrimaryKeyConstraint("attempt", "seq"),
    )
    op.create_table(
        "summaries",
        sa.Column("attempt", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["attempt"], ["attempts.id"]),
        sa.PrimaryKeyConstraint("attempt"),
    )
    for statement in trigger_statements(op.get_bind().dialect.name):
        op.execute(sa.text(statement))
