"""The first format."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "format1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "service_accounts",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("disabled", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "service_courses",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("archived", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "service_assignments",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("problems", sa.Text(), nullable=True),
        sa.Column("opens", sa.Double(), nullable=True),
        sa.Column("due", sa.Double(), nullable=True),
        sa.Column("closes", sa.Double(), nullable=True),
        sa.Column("most_runs", sa.Integer(), nullable=True),
        sa.Column("reveal", sa.Text(), nullable=True),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["course"],
            ["service_courses.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("service_assignments_course", "service_assignments", ["course"], unique=False)
    op.create_table(
        "service_identities",
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account"],
            ["service_accounts.id"],
        ),
        sa.PrimaryKeyConstraint("issuer", "subject"),
    )
    op.create_index("service_identities_account", "service_identities", ["account"], unique=False)
    op.create_table(
        "service_invitations",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("section", sa.Text(), nullable=False),
        sa.Column("uses_left", sa.Integer(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["course"],
            ["service_courses.id"],
        ),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_table(
        "service_members",
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("section", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account"],
            ["service_accounts.id"],
        ),
        sa.ForeignKeyConstraint(
            ["course"],
            ["service_courses.id"],
        ),
        sa.PrimaryKeyConstraint("course", "account"),
    )
    op.create_index("service_members_account", "service_members", ["account"], unique=False)
    op.create_table(
        "service_tokens",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=True),
        sa.Column("revoked", sa.Double(), nullable=True),
        sa.Column("per_minute", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account"],
            ["service_accounts.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("service_tokens_account", "service_tokens", ["account"], unique=False)
    op.create_table(
        "service_attempts",
        sa.Column("attempt", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("assignment", sa.Text(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("clock_difference_s", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account"],
            ["service_accounts.id"],
        ),
        sa.ForeignKeyConstraint(
            ["assignment"],
            ["service_assignments.id"],
        ),
        sa.PrimaryKeyConstraint("attempt"),
    )
    op.create_index("service_attempts_account", "service_attempts", ["account"], unique=False)
    op.create_index("service_attempts_assignment", "service_attempts", ["assignment"], unique=False)
    op.create_table(
        "service_receipts",
        sa.Column("attempt", sa.Text(), nullable=False),
        sa.Column("events", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("anchor", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt"],
            ["service_attempts.attempt"],
        ),
        sa.PrimaryKeyConstraint("attempt", "events"),
    )
    op.create_table(
        "service_runs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("files", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("queued", sa.Double(), nullable=False),
        sa.Column("began", sa.Double(), nullable=True),
        sa.Column("ended", sa.Double(), nullable=True),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("lease", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account"],
            ["service_accounts.id"],
        ),
        sa.ForeignKeyConstraint(
            ["attempt"],
            ["service_attempts.attempt"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("attempt", "number", name="service_runs_number"),
    )
    op.create_index("service_runs_account", "service_runs", ["account"], unique=False)
    op.create_index("service_runs_state", "service_runs", ["state"], unique=False)
