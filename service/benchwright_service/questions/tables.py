"""The tables of questions that people write and review; see `benchwright_service.storage.tables`."""

from __future__ import annotations

from sqlalchemy import Column, Double, ForeignKey, Index, Integer, LargeBinary, Table, Text

from benchwright_service.storage.tables import METADATA

__all__ = [
    "CALLS",
    "FIGURES",
    "METADATA",
    "NOTICES",
    "QUESTIONS",
    "REVIEWS",
    "TAKEDOWNS",
    "TRIES",
    "UNFINISHED",
    "VERSIONS",
]

CALLS = Table(
    "service_question_calls",
    METADATA,
    Column("course", Text, ForeignKey("service_courses.id"), primary_key=True),
    Column("title", Text, nullable=False),
    # Of the pack, as SPDX calls it.
    Column("license", Text, nullable=False),
    Column("opens", Double),
    Column("closes", Double),
    # How often the pack was published.
    Column("published", Integer, nullable=False),
    # Of the pack; the same in every version.
    Column("canary", Text, nullable=False),
    # How many people review a version that is sent from now on: two, and a third where they differ, or three.
    Column("reviewers", Integer, nullable=False, server_default="2"),
)
"""That a course collects questions."""

QUESTIONS = Table(
    "service_questions",
    METADATA,
    # Also the problem's in the pack.
    Column("id", Text, primary_key=True),
    Column("course", Text, ForeignKey("service_courses.id"), nullable=False),
    # Null for a published question of somebody who was deleted, and for one that no person wrote.
    Column("author", Text, ForeignKey("service_accounts.id")),
    # Whether the pack may name the author.
    Column("credited", Integer, nullable=False),
    Column("created", Double, nullable=False),
    # See `QuestionState`.
    Column("state", Text, nullable=False),
    # Of the newest version.
    Column("number", Integer, nullable=False),
    # When it was sent to reviewers, and when they had decided.
    Column("submitted", Double),
    Column("decided", Double),
    # The first version of the pack that has it; it stays in all later ones.
    Column("published", Integer),
    # Where it was taken from; empty for one that its author wrote here.
    Column("origin", Text, nullable=False, server_default=""),
    # The multiple-choice question that it was begun from; empty for none. That one may be gone.
    Column("twin_of", Text, nullable=False, server_default=""),
    Index("service_questions_course", "course", "state"),
    Index("service_questions_author", "author"),
)

VERSIONS = Table(
    "service_question_versions",
    METADATA,
    Column("question", Text, ForeignKey("service_questions.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    # A JSON `WrittenQuestion`.
    Column("content", Text, nullable=False),
    Column("at", Double, nullable=False),
    # As the call had it when the version was sent to reviewers.
    Column("reviewers", Integer, nullable=False, server_default="2"),
)

UNFINISHED = Table(
    "service_unfinished_questions",
    METADATA,
    Column("course", Text, ForeignKey("service_courses.id"), primary_key=True),
    Column("author", Text, ForeignKey("service_accounts.id"), primary_key=True),
    # The id of the question that it changes, or one of its own.
    Column("form", Text, primary_key=True),
    # JSON: the fields of the form by their names, whatever is in them.
    Column("fields", Text, nullable=False),
    Column("at", Double, nullable=False),
)
"""Forms that their authors have not saved."""

FIGURES = Table(
    "service_question_figures",
    METADATA,
    Column("question", Text, ForeignKey("service_questions.id"), primary_key=True),
    # Of the content.
    Column("sha256", Text, primary_key=True),
    # PNG or JPEG that this service has encoded.
    Column("content", LargeBinary, nullable=False),
    Column("at", Double, nullable=False),
)
"""Pictures of a question's versions."""

TRIES = Table(
    "service_question_tries",
    METADATA,
    Column("question", Text, ForeignKey("service_questions.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("model", Text, primary_key=True),
    Column("at", Double, nullable=False),
    # The model's reply; null until there is one.
    Column("said", Text),
    # The letter or truth that it chose; empty if none can be read, and for answers in words.
    Column("answer", Text, nullable=False),
    # Why there is no reply; empty if there is one.
    Column("why", Text, nullable=False),
)
"""Versions that models were asked to answer."""

REVIEWS = Table(
    "service_question_reviews",
    METADATA,
    Column("question", Text, ForeignKey("service_questions.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("reviewer", Text, ForeignKey("service_accounts.id"), primary_key=True),
    Column("begun", Double, nullable=False),
    # What the reviewer answered before they saw the key; empty until then.
    Column("answer", Text, nullable=False),
    Column("answered", Double),
    # A JSON list of the `Check`s that the version passes.
    Column("checks", Text, nullable=False),
    Column("comment", Text, nullable=False),
    # Whether they accept it; null until they have decided.
    Column("accepts", Integer),
    Column("decided", Double),
    Index("service_question_reviews_reviewer", "reviewer"),
)

TAKEDOWNS = Table(
    "service_question_takedowns",
    METADATA,
    # It is gone once it was taken down.
    Column("question", Text, primary_key=True),
    Column("course", Text, ForeignKey("service_courses.id"), nullable=False),
    # The name of a `TakedownReason`.
    Column("reason", Text, nullable=False),
    Column("requested", Double, nullable=False),
    # Null while it is only asked for.
    Column("done", Double),
    # The first version of the pack that had it.
    Column("published", Integer),
    Index("service_question_takedowns_course", "course"),
)
"""Questions that were taken down, and wishes to take some down."""

NOTICES = Table(
    "service_notices",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("account", Text, ForeignKey("service_accounts.id"), nullable=False),
    Column("course", Text, ForeignKey("service_courses.id"), nullable=False),
    Column("question", Text, ForeignKey("service_questions.id"), nullable=False),
    # See `NoticeKind`.
    Column("kind", Text, nullable=False),
    Column("at", Double, nullable=False),
    # When the person marked it as read.
    Column("seen", Double),
    Index("service_notices_account", "account", "at"),
)
"""Events of somebody's questions."""
