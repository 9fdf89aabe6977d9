"""Questions that people of a course write, try on models and review."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "format12"
down_revision = "format11"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the tables; no course collects questions yet."""
    op.create_table(
        "service_question_calls",
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("license", sa.Text(), nullable=False),
        sa.Column("opens", sa.Double(), nullable=True),
        sa.Column("closes", sa.Double(), nullable=True),
        sa.Column("published", sa.Integer(), nullable=False),
        sa.Column("canary", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["course"], ["service_courses.id"]),
        sa.PrimaryKeyConstraint("course"),
    )
    op.create_table(
        "service_questions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=True),
        sa.Column("credited", sa.Integer(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("submitted", sa.Double(), nullable=True),
        sa.Column("decided", sa.Double(), nullable=True),
        sa.Column("published", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["course"], ["service_courses.id"]),
        sa.ForeignKeyConstraint(["author"], ["service_accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("service_questions_course", "service_questions", ["course", "state"])
    op.create_index("service_questions_author", "service_questions", ["author"])
    op.create_table(
        "service_question_versions",
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["question"], ["service_questions.id"]),
        sa.PrimaryKeyConstraint("question", "number"),
    )
    op.create_table(
        "service_question_tries",
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("said", sa.Text(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["question"], ["service_questions.id"]),
        sa.PrimaryKeyConstraint("question", "number", "model"),
    )
    op.create_table(
        "service_question_reviews",
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.Column("begun", sa.Double(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("answered", sa.Double(), nullable=True),
        sa.Column("checks", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("accepts", sa.Integer(), nullable=True),
        sa.Column("decided", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["question"], ["service_questions.id"]),
        sa.ForeignKeyConstraint(["reviewer"], ["service_accounts.id"]),
        sa.PrimaryKeyConstraint("question", "number", "reviewer"),
    )
    op.create_index("service_question_reviews_reviewer", "service_question_reviews", ["reviewer"])
