"""Groups of students, the history of extensions, appeals, and how many people grade an answer."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "format8"
down_revision = "format7"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the tables; nobody is in a group yet, and extensions from before have no author."""
    op.add_column("service_members", sa.Column("team", sa.Text(), nullable=False, server_default=""))
    op.add_column("service_assignments", sa.Column("by_group", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("service_assignments", sa.Column("graders", sa.Integer(), nullable=False, server_default="2"))
    op.create_table(
        "service_extension_history",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("due", sa.Double(), nullable=True),
        sa.Column("closes", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["assignment"], ["service_assignments.id"]),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("service_extension_history_assignment", "service_extension_history", ["assignment", "account"])
    op.execute(
        "INSERT INTO service_extension_history (assignment, account, due, closes, reason, by) "
        "SELECT assignment, account, due, closes, reason, '' FROM service_extensions"
    )
    op.create_table(
        "service_appeals",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("answered", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["assignment"], ["service_assignments.id"]),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("service_appeals_assignment", "service_appeals", ["assignment", "account"])
