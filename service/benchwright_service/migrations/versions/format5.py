"""Programs that wait until somebody signs them in by a browser."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "format5"
down_revision = "format4"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "service_devices",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.Column("polled", sa.Double(), nullable=False),
        sa.Column("account", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.PrimaryKeyConstraint("digest"),
        sa.UniqueConstraint("code", name="service_devices_code"),
    )
