"""Courses that are launched from a learning management system, and the scores that it has."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "format7"
down_revision = "format6"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "service_lti_courses",
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("line_items", sa.Text(), nullable=False),
        sa.Column("members", sa.Text(), nullable=False),
        sa.Column("launched", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["course"], ["service_courses.id"]),
        sa.PrimaryKeyConstraint("course"),
    )
    op.create_table(
        "service_lti_scores",
        sa.Column("assignment", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("points", sa.Double(), nullable=False),
        sa.Column("most", sa.Double(), nullable=False),
        sa.Column("sent", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["assignment"], ["service_assignments.id"]),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.PrimaryKeyConstraint("assignment", "account"),
    )
