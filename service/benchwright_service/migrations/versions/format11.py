"""Which aids an assignment allows, and the hints that were handed out."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "format11"
down_revision = "format10"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column and the table; assignments from before allow every aid."""
    op.add_column("service_assignments", sa.Column("aids", sa.Text(), nullable=True))
    op.create_table(
        "service_hints",
        sa.Column("attempt", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("cost", sa.Double(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["attempt"], ["service_attempts.attempt"]),
        sa.PrimaryKeyConstraint("attempt", "number"),
    )
