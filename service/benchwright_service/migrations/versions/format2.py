"""Studies: who is which participant."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "format2"
down_revision = "format1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the table of the places in studies."""
    op.create_table(
        "service_study_places",
        sa.Column("study", sa.Text(), nullable=False),
        sa.Column("pseudonym", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("account", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["study"], ["service_courses.id"]),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.PrimaryKeyConstraint("study", "pseudonym"),
        sa.UniqueConstraint("study", "account", name="service_study_places_account"),
    )
