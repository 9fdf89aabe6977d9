"""Reviews: blind, by two people who answer before they see the key, and a third where these differ."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_authoring.review.checks import ReviewCheck
from benchwright_authoring.written_question import LETTERS, MOST_CHARACTERS, WrittenQuestion
from benchwright_foundation.database import Database
from benchwright_problems.problem import AnswerKind, QuestionFormat
from benchwright_service.errors import BenchServiceError
from benchwright_service.questions.figures import DAY_S
from benchwright_service.questions.notices import NoticeKind, add_notice_if_account
from benchwright_service.questions.tables import QUESTIONS, REVIEWS, VERSIONS
from benchwright_service.questions.writing import (
    MOST_REVIEWERS,
    QuestionState,
    VersionedQuestion,
    lock_course,
    newest_versions_query,
    versioned_question_of_row,
)
from benchwright_service.storage.tables import moment

LONGEST_COMMENT = 4_000


@dataclass(frozen=True)
class VersionReview:
    """Review of a version by one reviewer."""

    number: int
    """Of the version."""
    answer: str
    """Answer of the reviewer before they saw the key."""
    checks: Sequence[ReviewCheck]
    comment: str
    accepts: bool
    decided: datetime


@dataclass(frozen=True)
class ReviewDesk:
    """Question that waits for a reviewer."""

    question: VersionedQuestion | None
    """None if nothing does."""
    left: int
    """Questions that they can still review, with this one."""
    answer: str = ""
    """Answer of the reviewer; the key is theirs to see from then on."""


def is_accepted_unless_open(acceptances: Sequence[bool], reviewer_count: int) -> bool | None:
    """True if a version is accepted, by those who decided so far; None while it is open.

    Args:
        acceptances: Decisions so far; True for an acceptance.
        reviewer_count: Number of reviewers: two, and a third where they differ; or three, who all decide.
    """
    if len(acceptances) < reviewer_count:
        return None
    for vote in (True, False):
        if acceptances.count(vote) > MOST_REVIEWERS // 2:
            return vote
    return None


class Reviews:
    """Gives out questions to review, and takes reviews.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = clock

    async def begin_or_resume_review(self, course: str, reviewer: str) -> ReviewDesk:
        """The next question for somebody: the one that they have begun, else the one that has waited longest."""
        async with self._database.write_transaction() as connection:
            # Two reviewers, or two windows of one, wait for each other here.
            await lock_course(connection, course)
            waiting_questions = await self._reviewable_questions_and_answers(connection, course, reviewer)
            if not waiting_questions:
                return ReviewDesk(None, 0)
            question, begun_answer = waiting_questions[0]
            if begun_answer is None:
                row = {"question": question.id, "number": question.number, "reviewer": reviewer, "begun": self._now()}
                await connection.execute(insert(REVIEWS).values(row | {"answer": "", "checks": "[]", "comment": ""}))
        return ReviewDesk(question, len(waiting_questions), begun_answer or "")

    async def waiting_count(self, course: str, reviewer: str) -> int:
        """Returns the number of questions that somebody can review."""
        async with self._database.read_transaction() as connection:
            return len(await self._reviewable_questions_and_answers(connection, course, reviewer))

    async def record_answer_once(
        self, course: str, reviewer: str, question: str, version_number: int, answer: str
    ) -> None:
        """Takes the answer of a reviewer who has not seen the key; it can't be changed.

        Args:
            course: Course of the question.
            reviewer: Account that answers.
            question: Question that is answered.
            version_number: Number of its version.
            answer: A letter or letters, `true` or `false`, or words, by the question's format.

        Raises:
            BenchServiceError: The reviewer reviews no such version, or the text is no answer to it.
        """
        values = {"answer": answer, "answered": self._now()}
        async with self._database.write_transaction() as connection:
            _require_fitting_answer(
                answer, (await _lock_and_read_version_in_review(connection, course, question, version_number)).format
            )
            review_update = update(REVIEWS).where(
                *_review_conditions(question, version_number, reviewer), REVIEWS.c.answered.is_(None)
            )
            if (await connection.execute(review_update.values(values))).rowcount != 1:
                raise BenchServiceError("you have answered this question already")

    async def record_and_apply_decision(
        self,
        course: str,
        reviewer: str,
        question: str,
        version_number: int,
        *,
        accepts: bool,
        checks: Sequence[ReviewCheck],
        comment: str,
    ) -> None:
        """Takes a decision; with the one that settles it, the question is accepted or returned.

        Raises:
            BenchServiceError: The reviewer has no such version, has not answered it, or the decision lacks something.
        """
        if accepts and set(checks) != set(ReviewCheck):
            raise BenchServiceError("a question is accepted only if all of the checks hold")
        if len(comment) > LONGEST_COMMENT:
            raise BenchServiceError(f"a comment has at most {LONGEST_COMMENT} characters")
        if not accepts and not comment:
            raise BenchServiceError("say in the comment what the author has to change")
        current_time = self._now()
        values = {
            "accepts": int(accepts),
            "checks": json.dumps([check.name for check in ReviewCheck if check in checks]),
        }
        values |= {"comment": comment, "decided": current_time}
        async with self._database.write_transaction() as connection:
            await _lock_and_read_version_in_review(connection, course, question, version_number)
            version = select(VERSIONS.c.reviewers, QUESTIONS.c.author).join(
                QUESTIONS, QUESTIONS.c.id == VERSIONS.c.question
            )
            version = version.where(VERSIONS.c.question == question, VERSIONS.c.number == version_number)
            reviewed_version = (await connection.execute(version)).one()
            review_update = update(REVIEWS).where(
                *_review_conditions(question, version_number, reviewer),
                REVIEWS.c.answered.is_not(None),
                REVIEWS.c.decided.is_(None),
            )
            if (await connection.execute(review_update.values(values))).rowcount != 1:
                raise BenchServiceError("answer the question first")
            votes_query = select(REVIEWS.c.accepts).where(
                REVIEWS.c.question == question, REVIEWS.c.number == version_number, REVIEWS.c.decided.is_not(None)
            )
            settled = is_accepted_unless_open(
                [bool(vote) for vote in (await connection.execute(votes_query)).scalars()], reviewed_version.reviewers
            )
            if settled is not None:
                state = QuestionState.ACCEPTED if settled else QuestionState.RETURNED
                await connection.execute(
                    update(QUESTIONS).where(QUESTIONS.c.id == question).values(state=state.value, decided=current_time)
                )
                kind = NoticeKind.ACCEPTED if settled else NoticeKind.RETURNED
                await add_notice_if_account(connection, kind, reviewed_version.author, course, question, current_time)

    async def is_reviewing(self, question: VersionedQuestion, reviewer: str) -> bool:
        """True if a version is on somebody's desk."""
        if question.state is not QuestionState.REVIEW:
            return False
        query = select(REVIEWS.c.begun).where(*_review_conditions(question.id, question.number, reviewer))
        async with self._database.read_transaction() as connection:
            return (await connection.execute(query.where(REVIEWS.c.decided.is_(None)))).first() is not None

    async def decided_reviews(self, question: str) -> Sequence[VersionReview]:
        """The decided reviews of a question's versions, newest version first; who reviewed is not said."""
        query = (
            select(REVIEWS)
            .where(REVIEWS.c.question == question, REVIEWS.c.decided.is_not(None))
            .order_by(REVIEWS.c.number.desc(), REVIEWS.c.decided)
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return [
            VersionReview(
                row.number,
                row.answer,
                [ReviewCheck[name] for name in json.loads(row.checks)],
                row.comment,
                bool(row.accepts),
                moment(row.decided),
            )
            for row in rows
        ]

    async def _reviewable_questions_and_answers(
        self, connection: AsyncConnection, course: str, reviewer: str
    ) -> Sequence[tuple[VersionedQuestion, str | None]]:
        """Questions that somebody can review, each with their answer so far; None if they have not begun it."""
        in_review = newest_versions_query().where(
            QUESTIONS.c.course == course,
            QUESTIONS.c.state == QuestionState.REVIEW.value,
            QUESTIONS.c.author.is_distinct_from(reviewer),
        )
        questions_in_review = [versioned_question_of_row(row) for row in await connection.execute(in_review)]
        reviews = select(REVIEWS).where(REVIEWS.c.question.in_([question.id for question in questions_in_review]))
        review_rows = (await connection.execute(reviews)).all()
        begun_questions, free_questions = [], []
        for question in questions_in_review:
            of_version = [row for row in review_rows if (row.question, row.number) == (question.id, question.number)]
            own_review = next((row for row in of_version if row.reviewer == reviewer), None)
            if own_review is not None:
                if own_review.decided is None:
                    begun_questions.append((question, own_review.answer))
                continue
            decisions = [bool(row.accepts) for row in of_version if row.decided is not None]
            # Who began it and left it keeps nobody else from it for longer than a day.
            at_work = sum(row.decided is None and row.begun > self._now() - DAY_S for row in of_version)
            needed_reviewers = max(question.reviewers, len(decisions) + 1)
            if len(decisions) + at_work < needed_reviewers:
                free_questions.append((question, None))
        free_questions.sort(
            key=lambda question_answer: (
                question_answer[0].submitted.timestamp() if question_answer[0].submitted is not None else 0.0,
                question_answer[0].id,
            )
        )
        return [*begun_questions, *free_questions]


def _review_conditions(question: str, version_number: int, reviewer: str) -> tuple[ColumnElement[bool], ...]:
    return REVIEWS.c.question == question, REVIEWS.c.number == version_number, REVIEWS.c.reviewer == reviewer


def _require_fitting_answer(answer: str, question_format: QuestionFormat) -> None:
    if question_format.unmet_key_rule_in_words(answer, LETTERS):
        is_several = question_format.answered_by is AnswerKind.CHOICES
        raise BenchServiceError("choose every right option" if is_several else "choose one of the answers")
    if not answer or len(answer) > MOST_CHARACTERS:
        raise BenchServiceError(f"an answer has 1 to {MOST_CHARACTERS} characters")


async def _lock_and_read_version_in_review(
    connection: AsyncConnection, course: str, question: str, version_number: int
) -> WrittenQuestion:
    """Makes sure that a version is in review, and that nobody else decides until the transaction ends.

    Raises:
        BenchServiceError: The version is not in review.
    """
    query = select(QUESTIONS.c.id).where(
        QUESTIONS.c.id == question,
        QUESTIONS.c.course == course,
        QUESTIONS.c.number == version_number,
        QUESTIONS.c.state == QuestionState.REVIEW.value,
    )
    if (await connection.execute(query.with_for_update())).first() is None:
        raise BenchServiceError("this version is no longer in review")
    version = VERSIONS.c.question == question, VERSIONS.c.number == version_number
    content = (await connection.execute(select(VERSIONS.c.content).where(*version))).scalar_one()
    return WrittenQuestion.model_validate_json(content)
