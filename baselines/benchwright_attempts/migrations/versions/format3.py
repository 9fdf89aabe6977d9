"""Summaries of attempts, worked out once from the events that are there."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from benchwright_attempts.summary.kept_summary import keep_all

revision = "format3"
down_revision = "format2"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the table and fills it."""
    op.create_table(
        "summaries",
        sa.Column("attempt", sa.Text, sa.ForeignKey("attempts.id"), primary_key=True),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    keep_all(op.get_bind())
