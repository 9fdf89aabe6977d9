"""The service's tables, in the newest format; `migrations` brings older databases to it.

Times are seconds since 1970. What solvers did is in the event log beside these.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import overload

from sqlalchemy import Column, Double, ForeignKey, Index, Integer, MetaData, Table, Text, UniqueConstraint

METADATA = MetaData()

ACCOUNTS = Table(
    "service_accounts",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("disabled", Double),
    # IANA name of the time zone that the person's browser had last; empty while none has said it.
    Column("zone", Text, nullable=False, server_default=""),
)

IDENTITIES = Table(
    "service_identities",
    METADATA,
    Column("issuer", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("account", Text, ForeignKey("service_accounts.id"), nullable=False),
    Index("service_identities_account", "account"),
)
"""Identities of accounts at an identity provider or an LTI platform."""

TOKENS = Table(
    "service_tokens",
    METADATA,
    Column("id", Text, primary_key=True),
    # `person` or `personal` of an account, or `worker` of none.
    Column("kind", Text, nullable=False),
    Column("account", Text, ForeignKey("service_accounts.id")),
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double),
    Column("revoked", Double),
    Column("per_minute", Integer, nullable=False),
    # Of a personal token: the areas that it is for, with spaces between, and its last use.
    Column("scopes", Text, nullable=False, server_default=""),
    Column("used", Double),
    Index("service_tokens_account", "account"),
)

SESSIONS = Table(
    "service_sessions",
    METADATA,
    Column("digest", Text, primary_key=True),
    Column("account", Text, ForeignKey("service_accounts.id"), nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double, nullable=False),
    Index("service_sessions_account", "account"),
)
"""Browsers that are signed in."""

SIGN_IN_LINKS = Table(
    "service_sign_in_links",
    METADATA,
    Column("digest", Text, primary_key=True),
    Column("account", Text, ForeignKey("service_accounts.id"), nullable=False),
    # See `benchwright_service.accounts.sign_in_links.LinkKind`.
    Column("kind", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double, nullable=False),
    Index("service_sign_in_links_account", "account"),
)
"""Links that sign an account in once."""

DEVICES = Table(
    "service_devices",
    METADATA,
    # Of what the program proves itself with.
    Column("digest", Text, primary_key=True),
    # What a person confirms.
    Column("code", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double, nullable=False),
    Column("polled", Double, nullable=False),
    Column("account", Text, ForeignKey("service_accounts.id")),
    Column("state", Text, nullable=False),
    UniqueConstraint("code", name="service_devices_code"),
)
"""Programs that wait until somebody signs them in by a browser."""

AUDIT = Table(
    "service_audit",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("at", Double, nullable=False),
    Column("account", Text, nullable=False),
    Column("course", Text, nullable=False),
    Column("action", Text, nullable=False),
    # What it was done to: an id or a name, no contents.
    Column("object", Text, nullable=False),
    Index("service_audit_course", "course", "at"),
)
"""Log of what a course's staff saw or changed."""

COURSES = Table(
    "service_courses",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("archived", Double),
    # IANA name of the time zone of its dates.
    Column("zone", Text, nullable=False, server_default="UTC"),
    # Of each student, over all assignments.
    Column("late_days", Integer, nullable=False, server_default="0"),
    # Whether students choose how much of their work is recorded.
    Column("asks_recording", Integer, nullable=False, server_default="0"),
    Column("ends", Double),
    # After its end, until records and people are deleted; null for ever.
    Column("kept_days", Integer),
    # Kinds of mail that it sends to nobody, with spaces between; see `benchwright_service.mail.mail_kinds`.
    Column("silenced", Text, nullable=False, server_default=""),
)

MEMBERS = Table(
    "service_members",
    METADATA,
    Column("course", Text, ForeignKey("service_courses.id"), primary_key=True),
    Column("account", Text, ForeignKey("service_accounts.id"), primary_key=True),
    Column("role", Text, nullable=False),
    Column("section", Text, nullable=False),
    # Of those who work together; empty for who works alone.
    Column("team", Text, nullable=False, server_default=""),
    Index("service_members_account", "account"),
)

INVITATIONS = Table(
    "service_invitations",
    METADATA,
    Column("digest", Text, primary_key=True),
    Column("course", Text, ForeignKey("service_courses.id"), nullable=False),
    Column("role", Text, nullable=False),
    Column("section", Text, nullable=False),
    Column("uses", Integer, nullable=False),
    Column("uses_left", Integer, nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double),
    # Whom it signs in, again too; null for who has an account of their own, and for an invitation of several people.
    Column("account", Text, ForeignKey("service_accounts.id")),
    Index("service_invitations_account", "account"),
)

ROSTER = Table(
    "service_roster",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("course", Text, ForeignKey("service_courses.id"), nullable=False),
    # Made with the entry; the person's own once somebody comes who had one.
    Column("account", Text, ForeignKey("service_accounts.id"), nullable=False),
    Column("name", Text, nullable=False),
    # See `benchwright_teaching.person_ids.PersonIds`.
    Column("email", Text, nullable=False),
    Column("student_number", Text, nullable=False),
    Column("sis_id", Text, nullable=False),
    Column("login", Text, nullable=False),
    Column("lms_id", Text, nullable=False),
    Column("given_name", Text, nullable=False),
    Column("family_name", Text, nullable=False),
    # The email address without its case.
    Column("email_key", Text, nullable=False),
    # Their place in the course, of those who were dropped.
    Column("role", Text, nullable=False),
    Column("section", Text, nullable=False),
    Column("team", Text, nullable=False, server_default=""),
    Column("created", Double, nullable=False),
    # When a roster had them last; null for who came by themselves from a learning management system.
    Column("listed", Double),
    # When they first signed in.
    Column("joined", Double),
    Column("dropped", Double),
    UniqueConstraint("course", "account", name="service_roster_account"),
    Index("service_roster_person", "account"),
    Index("service_roster_email", "email_key"),
)
"""The people of a course as rosters and learning management systems name them."""

ASSIGNMENTS = Table(
    "service_assignments",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("course", Text, ForeignKey("service_courses.id"), nullable=False),
    Column("title", Text, nullable=False),
    Column("pack", Text, nullable=False),
    # A JSON list of ids; null for the whole pack.
    Column("problems", Text),
    Column("opens", Double),
    Column("due", Double),
    Column("closes", Double),
    Column("most_runs", Integer),
    # The most that is shown of a verdict: while it is open, once it is due, once it is closed; null: as before.
    Column("reveal", Text),
    Column("reveal_after_due", Text),
    Column("reveal_after_closing", Text),
    # A JSON list of `DatedAssistance`, oldest first; null if nothing was ever said.
    Column("assistance", Text),
    # A JSON list of `Aid`; null for all.
    Column("aids", Text),
    Column("created", Double, nullable=False),
    # See `benchwright_teaching.points.Grading`.
    Column("points", Double, nullable=False, server_default="1"),
    Column("counting", Text, nullable=False, server_default="best"),
    Column("partial", Integer, nullable=False, server_default="0"),
    Column("late_percent", Double, nullable=False, server_default="0"),
    Column("by_group", Integer, nullable=False, server_default="0"),
    # The most that one student may use for it.
    Column("late_days", Integer, nullable=False, server_default="0"),
    # How many people grade an answer that waits for people: 1, or 2 and a third if they differ.
    Column("graders", Integer, nullable=False, server_default="2"),
    Index("service_assignments_course", "course"),
)

EXTENSIONS = Table(
    "service_extensions",
    METADATA,
    Column("assignment", Text, ForeignKey("service_assignments.id"), primary_key=True),
    Column("account", Text, ForeignKey("service_accounts.id"), primary_key=True),
    Column("due", Double),
    Column("closes", Double),
    Column("reason", Text, nullable=False),
)
"""Other times for one student; those that are null are the assignment's."""

LATE_DAYS = Table(
    "service_late_days",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("assignment", Text, ForeignKey("service_assignments.id"), nullable=False),
    Column("account", Text, ForeignKey("service_accounts.id"), nullable=False),
    Column("days", Integer, nullable=False),
    # The account of who used them: of a group, another of it may have.
    Column("by", Text, nullable=False),
    Column("at", Double, nullable=False),
    Index("service_late_days_assignment", "assignment", "account"),
)
"""Late days that students have used."""

RECORDING_CHOICES = Table(
    "service_recording_choices",
    METADATA,
    Column("course", Text, ForeignKey("service_courses.id"), primary_key=True),
    Column("account", Text, ForeignKey("service_accounts.id"), primary_key=True),
    Column("agrees", Integer, nullable=False),
    Column("at", Double, nullable=False),
)
"""Choices of students of courses that ask how much of their work is recorded; who is not here has made none."""

ADJUSTMENTS = Table(
    "service_adjustments",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("assignment", Text, ForeignKey("service_assignments.id"), nullable=False),
    Column("account", Text, ForeignKey("service_accounts.id"), nullable=False),
    # Added to what the runs brought.
    Column("points", Double, nullable=False),
    Column("reason", Text, nullable=False),
    # The account of the staff.
    Column("by", Text, nullable=False),
    Column("at", Double, nullable=False),
    Index("service_adjustments_assignment", "assignment", "account"),
)
"""Points that staff gave or took."""

EXTENSION_HISTORY = Table(
    "service_extension_history",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("assignment", Text, ForeignKey("service_assignments.id"), nullable=False),
    Column("account", Text, ForeignKey("service_accounts.id"), nullable=False),
    Column("due", Double),
    Column("closes", Double),
    Column("reason", Text, nullable=False),
    # The account of the staff; empty and null for those from before there was a history.
    Column("by", Text, nullable=False),
    Column("at", Double),
    Index("service_extension_history_assignment", "assignment", "account"),
)
"""Every extension that was given, also those that a later one replaced."""

APPEALS = Table(
    "service_appeals",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("assignment", Text, ForeignKey("service_assignments.id"), nullable=False),
    Column("account", Text, ForeignKey("service_accounts.id"), nullable=False),
    Column("text", Text, nullable=False),
    Column("at", Double, nullable=False),
    # `open`, `granted` or `denied`.
    Column("state", Text, nullable=False),
    Column("answer", Text, nullable=False),
    # The account of the staff.
    Column("by", Text, nullable=False),
    Column("answered", Double),
    Index("service_appeals_assignment", "assignment", "account"),
)
"""Appeals of students against their grades, and the answers of staff."""

PLACES = Table(
    "service_study_places",
    METADATA,
    # The course of a study has its id.
    Column("study", Text, ForeignKey("service_courses.id"), primary_key=True),
    Column("pseudonym", Text, primary_key=True),
    # In the order in which they are given away.
    Column("number", Integer, nullable=False),
    Column("account", Text, ForeignKey("service_accounts.id")),
    UniqueConstraint("study", "account", name="service_study_places_account"),
)
"""The participants that a study is planned for, and who each is."""

CLOSINGS = Table(
    "service_study_closings",
    METADATA,
    Column("study", Text, ForeignKey("service_courses.id"), primary_key=True),
    # The account of the owner, or `lab_closing.OPERATOR`.
    Column("by", Text, nullable=False),
    Column("begun", Double, nullable=False),
    # Null while it goes on, and if it was interrupted.
    Column("ended", Double),
    # Why it was in vain; empty if it was not.
    Column("why", Text, nullable=False, server_default=""),
)
"""The last time that somebody closed a study, or made its report again."""

ATTEMPTS_HELD = Table(
    "service_attempts",
    METADATA,
    Column("attempt", Text, primary_key=True),
    Column("account", Text, ForeignKey("service_accounts.id"), nullable=False),
    Column("assignment", Text, ForeignKey("service_assignments.id"), nullable=False),
    Column("problem", Text, nullable=False),
    Column("created", Double, nullable=False),
    # The service's clock minus the solver's, in seconds, when the newest events came.
    Column("clock_difference_s", Double, nullable=False),
    # While contents of a run are asked for: a JSON list, SHA-256 of those that came.
    Column("brought", Text, nullable=False, server_default="[]"),
    Index("service_attempts_account", "account"),
    Index("service_attempts_assignment", "assignment"),
)
"""Account that an attempt of the log belongs to."""

ASSISTANCE_CHECKS = Table(
    "service_assistance_checks",
    METADATA,
    Column("attempt", Text, ForeignKey("service_attempts.attempt"), primary_key=True),
    # How many runs the attempt had then, and what the assignment had said: other numbers make a check outdated.
    Column("runs", Integer, nullable=False),
    Column("rules", Integer, nullable=False),
    # A JSON `AssistanceChecked`.
    Column("found", Text, nullable=False),
)
"""Checks of help by models in records of attempts, where their assignment says something of it."""

HINTS = Table(
    "service_hints",
    METADATA,
    Column("attempt", Text, ForeignKey("service_attempts.attempt"), primary_key=True),
    # Its rank in the problem, from 1.
    Column("number", Integer, primary_key=True, autoincrement=False),
    # Share of the problem's points, as it was then.
    Column("cost", Double, nullable=False),
    Column("at", Double, nullable=False),
)
"""Hints that the service has handed out."""

RECEIPTS = Table(
    "service_receipts",
    METADATA,
    Column("attempt", Text, ForeignKey("service_attempts.attempt"), primary_key=True),
    Column("events", Integer, primary_key=True, autoincrement=False),
    # The countersigned anchor, canonical JSON.
    Column("anchor", Text, nullable=False),
)

RUNS = Table(
    "service_runs",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("attempt", Text, ForeignKey("service_attempts.attempt"), nullable=False),
    Column("account", Text, ForeignKey("service_accounts.id"), nullable=False),
    Column("number", Integer, nullable=False),
    # A JSON object: path → sha256.
    Column("files", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("why", Text, nullable=False),
    Column("queued", Double, nullable=False),
    Column("began", Double),
    Column("ended", Double),
    Column("worker", Text, nullable=False),
    Column("lease", Text, nullable=False),
    # By the database's clock, see `runs.queue_rows`.
    Column("lease_until", Double),
    # How often it was given to a worker.
    Column("tries", Integer, nullable=False),
    # 1 for an answer, which the service's own processes score; 0 for what workers run.
    Column("scored", Integer, nullable=False, server_default="0"),
    # What its worker said last, and how often its solver had something new to see.
    Column("step", Text, nullable=False, server_default=""),
    Column("revision", Integer, nullable=False, server_default="0"),
    # The whole verdict, JSON; holds hidden facts.
    Column("verdict", Text),
    # That of the verdict; empty while there is none.
    Column("outcome", Text, nullable=False, server_default=""),
    # Of the hidden tests that passed, from 0 to 1; 1 for a pass.
    Column("share", Double, nullable=False, server_default="0"),
    # By which it runs again, while it does; what the run has is its old verdict.
    Column("regrade", Text, nullable=False, server_default=""),
    UniqueConstraint("attempt", "number", name="service_runs_number"),
    Index("service_runs_state", "state"),
    Index("service_runs_account", "account"),
)

SHARES = Table(
    "service_shares",
    METADATA,
    # An account, or a regrade.
    Column("owner", Text, primary_key=True),
    # Virtual time: what its runs have cost, in seconds, from where others were when it came.
    Column("used_s", Double, nullable=False),
)
"""Use of the workers by each who has had runs: who has used least is next."""

WORKERS = Table(
    "service_workers",
    METADATA,
    Column("name", Text, primary_key=True),
    # By the database's clock.
    Column("heard", Double, nullable=False),
)
"""When each worker was heard of last."""

USES = Table(
    "service_uses",
    METADATA,
    # Of what by whom: `runs_per_hour:ACCOUNT`.
    Column("key", Text, primary_key=True),
    Column("used", Double, nullable=False),
    # By which it falls each second, down to 0; 0 for bytes that are stored.
    Column("rate", Double, nullable=False),
    # By the database's clock.
    Column("at", Double, nullable=False),
)
"""Requests that limits count, as they were at a time."""

FACTS = Table(
    "service_facts",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
"""What all processes of a service have to agree on; see `storage.facts`."""

WORTH = Table(
    "service_worth",
    METADATA,
    Column("assignment", Text, ForeignKey("service_assignments.id"), primary_key=True),
    Column("account", Text, ForeignKey("service_accounts.id"), primary_key=True),
    # Its id in the assignment's pack.
    Column("problem", Text, primary_key=True),
    Column("points", Double, nullable=False),
    # The run that counts, the student's or of somebody of the group; null if none was in time.
    Column("run", Text),
    # Of the problem's points, before deductions, from 0 to 1; null without such a run.
    Column("share", Double),
    # 1 if a run of the student's own has passed, whatever it counts.
    Column("passed", Integer, nullable=False),
    Index("service_worth_account", "account"),
)
"""The worth of students' work, without adjustments: `points.kept_worth` keeps what `points.worth` works out."""

MAILED_NOTICES = Table(
    "service_mailed_notices",
    METADATA,
    Column("account", Text, ForeignKey("service_accounts.id"), primary_key=True),
    Column("course", Text, ForeignKey("service_courses.id"), primary_key=True),
    # See `benchwright_service.mail.mail_kinds.MailKind`.
    Column("kind", Text, primary_key=True),
    # The id of the assignment; empty for the course as a whole.
    Column("subject", Text, primary_key=True),
    # The deadline that it reminds of; null for other kinds.
    Column("deadline", Double),
    # How often there was something new.
    Column("number", Integer, nullable=False),
    # When it is to be sent; null once it was sent, or given up.
    Column("due", Double),
    Column("tries", Integer, nullable=False),
    # Of the process that sends it, by the database's clock.
    Column("lease", Text, nullable=False, server_default=""),
    Column("lease_until", Double),
    # When it was sent last, and when the last one was given up.
    Column("sent", Double),
    Column("failed", Double),
    Index("service_mailed_notices_due", "due"),
    Index("service_mailed_notices_failed", "failed"),
)
"""Notices that people are sent by mail: what waits, and when the last one was sent."""

UNWANTED_MAIL = Table(
    "service_unwanted_mail",
    METADATA,
    Column("account", Text, ForeignKey("service_accounts.id"), primary_key=True),
    # See `benchwright_service.mail.mail_kinds.MailKind`.
    Column("kind", Text, primary_key=True),
    Column("at", Double, nullable=False),
)
"""Kinds of mail that people have turned off."""

REGRADES = Table(
    "service_regrades",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("assignment", Text, ForeignKey("service_assignments.id"), nullable=False),
    # Its id in the assignment's pack.
    Column("problem", Text, nullable=False),
    # `begun`, `accepted` or `dropped`.
    Column("state", Text, nullable=False),
    # Of everything that decides, when it began.
    Column("harness", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("ended", Double),
    Index("service_regrades_assignment", "assignment", "problem"),
)
"""All runs of a problem, again, because it was corrected."""

REGRADED = Table(
    "service_regraded_runs",
    METADATA,
    Column("regrade", Text, ForeignKey("service_regrades.id"), primary_key=True),
    Column("run", Text, ForeignKey("service_runs.id"), primary_key=True),
    Column("old_verdict", Text, nullable=False),
    Column("old_outcome", Text, nullable=False),
    Column("old_share", Double, nullable=False),
    # Null until it has ended.
    Column("verdict", Text),
    Column("outcome", Text, nullable=False, server_default=""),
    Column("share", Double, nullable=False, server_default="0"),
    Index("service_regraded_runs_run", "run"),
)
"""Both verdicts of a run; which one counts is said by the regrade."""

LTI_CONTEXTS = Table(
    "service_lti_contexts",
    METADATA,
    Column("issuer", Text, primary_key=True),
    Column("client_id", Text, primary_key=True),
    # The platform's id of its course.
    Column("context", Text, primary_key=True),
    Column("course", Text, ForeignKey("service_courses.id"), nullable=False),
    # Where the platform has its line items and its members; empty if it offers none.
    Column("line_items", Text, nullable=False),
    Column("members", Text, nullable=False),
    Column("launched", Double, nullable=False),
    Index("service_lti_contexts_course", "course"),
)
"""Courses of learning management systems that a course is launched from, as their last launches said."""

LTI_PEOPLE = Table(
    "service_lti_people",
    METADATA,
    Column("issuer", Text, primary_key=True),
    Column("client_id", Text, primary_key=True),
    Column("context", Text, primary_key=True),
    Column("account", Text, ForeignKey("service_accounts.id"), primary_key=True),
    # The person's id at the platform, which takes grades by it.
    Column("subject", Text, nullable=False),
    Index("service_lti_people_account", "account"),
)
"""The courses of learning management systems that people are in."""

LTI_SCORES = Table(
    "service_lti_scores",
    METADATA,
    Column("assignment", Text, ForeignKey("service_assignments.id"), primary_key=True),
    Column("account", Text, ForeignKey("service_accounts.id"), primary_key=True),
    Column("issuer", Text, primary_key=True),
    Column("client_id", Text, primary_key=True),
    Column("context", Text, primary_key=True),
    # Null while there are none to show.
    Column("points", Double),
    Column("most", Double, nullable=False),
    # See `benchwright_teaching.lti_progress`.
    Column("activity", Text, nullable=False),
    Column("grading", Text, nullable=False),
    Column("sent", Double, nullable=False),
)
"""The last score that each course of a platform has taken."""


@overload
def moment(seconds: float) -> datetime: ...


@overload
def moment(seconds: float | None) -> datetime | None: ...


def moment(seconds: float | None) -> datetime | None:
    """The time that a column holds, in UTC."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
