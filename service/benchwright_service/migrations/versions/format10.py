"""Who closes a study, and how that ended."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "format10"
down_revision = "format9"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the table; of studies that were closed before, the log says so."""
    op.create_table(
        "service_study_closings",
        sa.Column("study", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("begun", sa.Double(), nullable=False),
        sa.Column("ended", sa.Double(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False, server_default=""),
        sa.ForeignKeyConstraint(["study"], ["service_courses.id"]),
        sa.PrimaryKeyConstraint("study"),
    )
