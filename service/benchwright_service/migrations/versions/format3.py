"""Browser sessions, the audit log, and the outcome of each run."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "format3"
down_revision = "format2"
branch_labels = None
depends_on = None

_AT_ONCE = 500
_UNDECIDED = frozenset(
    {
        *("tool_missing", "tool_failed", "sandbox_unavailable", "machine_busy", "bad_harness", "no_reference"),
        *("judge_unavailable", "judge_error", "cancelled"),
    }
)


def upgrade() -> None:
    """Makes the tables, and reads the outcome of each run from its verdict."""
    op.create_table(
        "service_sessions",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index("service_sessions_account", "service_sessions", ["account"])
    op.create_table(
        "service_audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("object", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("service_audit_course", "service_audit", ["course", "at"])
    op.add_column("service_runs", sa.Column("outcome", sa.Text(), nullable=False, server_default=""))
    _read_outcomes()


def _read_outcomes() -> None:
    runs = sa.table("service_runs", sa.column("id"), sa.column("verdict"), sa.column("outcome"))
    connection = op.get_bind()
    last = ""
    while True:
        wanted = sa.select(runs.c.id, runs.c.verdict).where(runs.c.id > last, runs.c.verdict.is_not(None))
        rows = connection.execute(wanted.order_by(runs.c.id).limit(_AT_ONCE)).all()
        if not rows:
            return
        last = rows[-1].id
        for row in rows:
            reason = json.loads(row.verdict)["reason"]
            outcome = "passed" if reason == "passed" else "error" if reason in _UNDECIDED else "failed"
            connection.execute(sa.update(runs).where(runs.c.id == row.id).values(outcome=outcome))
