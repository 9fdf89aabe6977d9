"""Figures of questions, notices, questions that no person wrote, and how many people review a version."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "format13"
down_revision = "format12"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the tables and columns; two people review what is in review already."""
    for table in ("service_question_calls", "service_question_versions"):
        op.add_column(table, sa.Column("reviewers", sa.Integer(), nullable=False, server_default="2"))
    for column in ("origin", "twin_of"):
        op.add_column("service_questions", sa.Column(column, sa.Text(), nullable=False, server_default=""))
    op.create_table(
        "service_question_figures",
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["question"], ["service_questions.id"]),
        sa.PrimaryKeyConstraint("question", "sha256"),
    )
    op.create_table(
        "service_notices",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("seen", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["course"], ["service_courses.id"]),
        sa.ForeignKeyConstraint(["question"], ["service_questions.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("service_notices_account", "service_notices", ["account", "at"])
