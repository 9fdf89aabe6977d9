"""The tables of the service."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "format13"
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
        sa.Column("zone", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "service_courses",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("archived", sa.Double(), nullable=True),
        sa.Column("zone", sa.Text(), server_default="UTC", nullable=False),
        sa.Column("late_days", sa.Integer(), server_default="0", nullable=False),
        sa.Column("asks_recording", sa.Integer(), server_default="0", nullable=False),
        sa.Column("ends", sa.Double(), nullable=True),
        sa.Column("kept_days", sa.Integer(), nullable=True),
        sa.Column("silenced", sa.Text(), server_default="", nullable=False),
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
        sa.Column("points", sa.Double(), server_default="1", nullable=False),
        sa.Column("counting", sa.Text(), server_default="best", nullable=False),
        sa.Column("partial", sa.Integer(), server_default="0", nullable=False),
        sa.Column("late_percent", sa.Double(), server_default="0", nullable=False),
        sa.Column("by_group", sa.Integer(), server_default="0", nullable=False),
        sa.Column("late_days", sa.Integer(), server_default="0", nullable=False),
        sa.Column("graders", sa.Integer(), server_default="2", nullable=False),
        sa.Column("reveal_after_due", sa.Text(), nullable=True),
        sa.Column("reveal_after_closing", sa.Text(), nullable=True),
        sa.Column("assistance", sa.Text(), nullable=True),
        sa.Column("aids", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["course"], ["service_courses.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("service_assignments_course", "service_assignments", ["course"])
    op.create_table(
        "service_identities",
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.PrimaryKeyConstraint("issuer", "subject"),
    )
    op.create_index("service_identities_account", "service_identities", ["account"])
    op.create_table(
        "service_invitations",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("section", sa.Text(), nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("uses_left", sa.Integer(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=True),
        sa.Column("account", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["course"], ["service_courses.id"]),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index("service_invitations_account", "service_invitations", ["account"])
    op.create_table(
        "service_roster",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("student_number", sa.Text(), nullable=False),
        sa.Column("sis_id", sa.Text(), nullable=False),
        sa.Column("login", sa.Text(), nullable=False),
        sa.Column("lms_id", sa.Text(), nullable=False),
        sa.Column("given_name", sa.Text(), nullable=False),
        sa.Column("family_name", sa.Text(), nullable=False),
        sa.Column("email_key", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("section", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), server_default="", nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("listed", sa.Double(), nullable=True),
        sa.Column("joined", sa.Double(), nullable=True),
        sa.Column("dropped", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["course"], ["service_courses.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("course", "account", name="service_roster_account"),
    )
    op.create_index("service_roster_person", "service_roster", ["account"])
    op.create_index("service_roster_email", "service_roster", ["email_key"])
    op.create_table(
        "service_members",
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("section", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["course"], ["service_courses.id"]),
        sa.PrimaryKeyConstraint("course", "account"),
    )
    op.create_index("service_members_account", "service_members", ["account"])
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
        sa.Column("scopes", sa.Text(), server_default="", nullable=False),
        sa.Column("used", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("service_tokens_account", "service_tokens", ["account"])
    op.create_table(
        "service_attempts",
        sa.Column("attempt", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("assignment", sa.Text(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("clock_difference_s", sa.Double(), nullable=False),
        sa.Column("brought", sa.Text(), server_default="[]", nullable=False),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["assignment"], ["service_assignments.id"]),
        sa.PrimaryKeyConstraint("attempt"),
    )
    op.create_index("service_attempts_account", "service_attempts", ["account"])
    op.create_index("service_attempts_assignment", "service_attempts", ["assignment"])
    op.create_table(
        "service_receipts",
        sa.Column("attempt", sa.Text(), nullable=False),
        sa.Column("events", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("anchor", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["attempt"], ["service_attempts.attempt"]),
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
        sa.Column("outcome", sa.Text(), server_default="", nullable=False),
        sa.Column("share", sa.Double(), server_default="0", nullable=False),
        sa.Column("regrade", sa.Text(), server_default="", nullable=False),
        sa.Column("scored", sa.Integer(), server_default="0", nullable=False),
        sa.Column("step", sa.Text(), server_default="", nullable=False),
        sa.Column("revision", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["attempt"], ["service_attempts.attempt"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("attempt", "number", name="service_runs_number"),
    )
    op.create_index("service_runs_account", "service_runs", ["account"])
    op.create_index("service_runs_state", "service_runs", ["state"])
    op.create_table(
        "service_shares",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("used_s", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("owner"),
    )
    op.create_table(
        "service_workers",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("heard", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "service_uses",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("used", sa.Double(), nullable=False),
        sa.Column("rate", sa.Double(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_table(
        "service_facts",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "service_study_places",
        sa.Column("study", sa.Text(), nullable=False),
        sa.Column("pseudonym", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("account", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["study"], ["service_courses.id"]),
        sa.PrimaryKeyConstraint("study", "pseudonym"),
        sa.UniqueConstraint("study", "account", name="service_study_places_account"),
    )
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
    op.create_table(
        "service_extensions",
        sa.Column("assignment", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("due", sa.Double(), nullable=True),
        sa.Column("closes", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["assignment"], ["service_assignments.id"]),
        sa.PrimaryKeyConstraint("assignment", "account"),
    )
    op.create_table(
        "service_late_days",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("days", sa.Integer(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["assignment"], ["service_assignments.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("service_late_days_assignment", "service_late_days", ["assignment", "account"])
    op.create_table(
        "service_recording_choices",
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("agrees", sa.Integer(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["course"], ["service_courses.id"]),
        sa.PrimaryKeyConstraint("course", "account"),
    )
    op.create_table(
        "service_adjustments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("points", sa.Double(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["assignment"], ["service_assignments.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("service_adjustments_assignment", "service_adjustments", ["assignment", "account"])
    op.create_table(
        "service_sign_in_links",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index("service_sign_in_links_account", "service_sign_in_links", ["account"])
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
    op.create_table(
        "service_worth",
        sa.Column("assignment", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("points", sa.Double(), nullable=False),
        sa.Column("run", sa.Text(), nullable=True),
        sa.Column("share", sa.Double(), nullable=True),
        sa.Column("passed", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["assignment"], ["service_assignments.id"]),
        sa.PrimaryKeyConstraint("assignment", "account", "problem"),
    )
    op.create_index("service_worth_account", "service_worth", ["account"])
    op.create_table(
        "service_regrades",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("assignment", sa.Text(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("harness", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("ended", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["assignment"], ["service_assignments.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("service_regrades_assignment", "service_regrades", ["assignment", "problem"])
    op.create_table(
        "service_regraded_runs",
        sa.Column("regrade", sa.Text(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("old_verdict", sa.Text(), nullable=False),
        sa.Column("old_outcome", sa.Text(), nullable=False),
        sa.Column("old_share", sa.Double(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), server_default="", nullable=False),
        sa.Column("share", sa.Double(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["regrade"], ["service_regrades.id"]),
        sa.ForeignKeyConstraint(["run"], ["service_runs.id"]),
        sa.PrimaryKeyConstraint("regrade", "run"),
    )
    op.create_index("service_regraded_runs_run", "service_regraded_runs", ["run"])
    op.create_table(
        "service_lti_contexts",
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("context", sa.Text(), nullable=False),
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("line_items", sa.Text(), nullable=False),
        sa.Column("members", sa.Text(), nullable=False),
        sa.Column("launched", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["course"], ["service_courses.id"]),
        sa.PrimaryKeyConstraint("issuer", "client_id", "context"),
    )
    op.create_index("service_lti_contexts_course", "service_lti_contexts", ["course"])
    op.create_table(
        "service_lti_people",
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("context", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.PrimaryKeyConstraint("issuer", "client_id", "context", "account"),
    )
    op.create_index("service_lti_people_account", "service_lti_people", ["account"])
    op.create_table(
        "service_lti_scores",
        sa.Column("assignment", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("context", sa.Text(), nullable=False),
        sa.Column("points", sa.Double(), nullable=True),
        sa.Column("most", sa.Double(), nullable=False),
        sa.Column("activity", sa.Text(), nullable=False),
        sa.Column("grading", sa.Text(), nullable=False),
        sa.Column("sent", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["assignment"], ["service_assignments.id"]),
        sa.PrimaryKeyConstraint("assignment", "account", "issuer", "client_id", "context"),
    )
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
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["assignment"], ["service_assignments.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("service_extension_history_assignment", "service_extension_history", ["assignment", "account"])
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
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["assignment"], ["service_assignments.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("service_appeals_assignment", "service_appeals", ["assignment", "account"])
    op.create_table(
        "service_assistance_checks",
        sa.Column("attempt", sa.Text(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("rules", sa.Integer(), nullable=False),
        sa.Column("found", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["attempt"], ["service_attempts.attempt"]),
        sa.PrimaryKeyConstraint("attempt"),
    )
    op.create_table(
        "service_study_closings",
        sa.Column("study", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("begun", sa.Double(), nullable=False),
        sa.Column("ended", sa.Double(), nullable=True),
        sa.Column("why", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["study"], ["service_courses.id"]),
        sa.PrimaryKeyConstraint("study"),
    )
    op.create_table(
        "service_hints",
        sa.Column("attempt", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("cost", sa.Double(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["attempt"], ["service_attempts.attempt"]),
        sa.PrimaryKeyConstraint("attempt", "number"),
    )
    op.create_table(
        "service_question_calls",
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("license", sa.Text(), nullable=False),
        sa.Column("opens", sa.Double(), nullable=True),
        sa.Column("closes", sa.Double(), nullable=True),
        sa.Column("published", sa.Integer(), nullable=False),
        sa.Column("canary", sa.Text(), nullable=False),
        sa.Column("reviewers", sa.Integer(), server_default="2", nullable=False),
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
        sa.Column("origin", sa.Text(), server_default="", nullable=False),
        sa.Column("twin_of", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["author"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["course"], ["service_courses.id"]),
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
        sa.Column("reviewers", sa.Integer(), server_default="2", nullable=False),
        sa.ForeignKeyConstraint(["question"], ["service_questions.id"]),
        sa.PrimaryKeyConstraint("question", "number"),
    )
    op.create_table(
        "service_unfinished_questions",
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("form", sa.Text(), nullable=False),
        sa.Column("fields", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["author"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["course"], ["service_courses.id"]),
        sa.PrimaryKeyConstraint("course", "author", "form"),
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
        "service_question_takedowns",
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("requested", sa.Double(), nullable=False),
        sa.Column("done", sa.Double(), nullable=True),
        sa.Column("published", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["course"], ["service_courses.id"]),
        sa.PrimaryKeyConstraint("question"),
    )
    op.create_index("service_question_takedowns_course", "service_question_takedowns", ["course"])
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
    op.create_table(
        "service_mailed_notices",
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("deadline", sa.Double(), nullable=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("due", sa.Double(), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("lease", sa.Text(), server_default="", nullable=False),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("sent", sa.Double(), nullable=True),
        sa.Column("failed", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.ForeignKeyConstraint(["course"], ["service_courses.id"]),
        sa.PrimaryKeyConstraint("account", "course", "kind", "subject"),
    )
    op.create_index("service_mailed_notices_due", "service_mailed_notices", ["due"])
    op.create_index("service_mailed_notices_failed", "service_mailed_notices", ["failed"])
    op.create_table(
        "service_unwanted_mail",
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.PrimaryKeyConstraint("account", "kind"),
    )
