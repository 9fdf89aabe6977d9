"""Studies: schema of each record, study and recording level of each attempt, journal, tombstones."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from benchwright_attempts.events.triggers import SQLITE, statements

revision = "format2"
down_revision = "format1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds columns and tables, and lets a tombstone open the way for a deletion."""
    # Only SQLite ever had the first format.
    for trigger in SQLITE:
        op.execute(f"DROP TRIGGER IF EXISTS {trigger}")
    op.add_column("attempts", sa.Column("study", sa.Text, nullable=False, server_default=""))
    op.add_column("attempts", sa.Column("recording", sa.Text, nullable=False, server_default="full"))
    op.create_index("attempts_study", "attempts", ["study"])
    op.add_column("events", sa.Column("schema", sa.Integer, nullable=False, server_default="1"))
    op.create_table(
        "journal",
        sa.Column("study", sa.Text, primary_key=True),
        sa.Column("participant", sa.Text, primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("wall", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("prev_hash", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
    )
    op.create_table(
        "tombstones",
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("study", sa.Text, nullable=False),
        sa.Column("events", sa.Integer, nullable=False),
        sa.Column("head", sa.Text, nullable=False),
        sa.Column("deleted", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
    )
    for statement in statements(op.get_bind().dialect.name):
        op.execute(sa.text(statement))
