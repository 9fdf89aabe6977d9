"""Standing of a course's authors and reviewers: points, accepted questions, agreement and time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from sqlalchemy import select

from benchwright_authoring.review.checks import agreement_alpha, alike_and_all_pair_counts
from benchwright_authoring.written_question import WrittenQuestion
from benchwright_foundation.database import Database
from benchwright_service.questions.tables import QUESTIONS, REVIEWS, TRIES, VERSIONS
from benchwright_service.questions.writing import MOST_REVIEWERS, QuestionState, VersionedQuestion

_PAIR = 2


@dataclass(frozen=True)
class RankedAuthor:
    """A place in the ranking."""

    rank: int
    name: str
    accepted: int
    points: int
    """For each accepted question, as many as models answered it wrongly; none for answers in words."""


@dataclass(frozen=True)
class ReviewStatistics:
    """Work of the reviewers of a course."""

    reviews: int
    """Decided ones."""
    pairs: int
    """Versions with a decision by two or more."""
    agreed: int
    """Those of them whose first two decided alike."""
    trios: int
    """Versions that three had to review, and did."""
    unanimous: int
    """Those of them that all three decided alike."""
    alpha: float | None
    """Krippendorff's alpha of accepting, nominal; None where it is not defined."""
    pairs_alike: tuple[int, int]
    """Pairs of decisions on the same version that are alike, and all pairs: what alpha is of."""
    blind: int
    """Reviews by people who had not seen the key, of an earlier version or a twin, with an answer that a rule reads."""
    right: int
    """Those of them whose answer, given before the key was shown, was the key."""
    median_s: float | None
    """From the first look to the decision."""


class QuestionStatistics:
    """Reads how a course stands.

    Args:
        database: Database of the service.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ranked_authors(self, accepted_questions: Sequence[VersionedQuestion]) -> Sequence[RankedAuthor]:
        """Authors of accepted questions, the one with the most points first; equal ones share a rank."""
        authored_questions = [question for question in accepted_questions if question.author]
        points = await self.wrong_model_count_by_question(authored_questions)
        points_by_author: dict[str, list[int]] = defaultdict(list)
        names = {question.author: question.name for question in authored_questions}
        for question in authored_questions:
            points_by_author[question.author].append(points[question.id])
        author_rows = sorted(
            (
                (sum(question_points), len(question_points), account)
                for account, question_points in points_by_author.items()
            ),
            reverse=True,
        )
        rank_of: dict[tuple[int, int], int] = {}
        for rank, (total, count, _) in enumerate(author_rows, 1):
            rank_of.setdefault((total, count), rank)
        return [
            RankedAuthor(rank_of[total, count], names[account], count, total) for total, count, account in author_rows
        ]

    async def wrong_model_count_by_question(self, rated_questions: Sequence[VersionedQuestion]) -> Mapping[str, int]:
        """By question, how many models answered its newest version wrongly; an answer that can't be read is wrong."""
        wrong_counts = dict.fromkeys((question.id for question in rated_questions), 0)
        by_version = {(question.id, question.number): question.content for question in rated_questions}
        query = select(TRIES).where(TRIES.c.question.in_(wrong_counts), TRIES.c.said.is_not(None))
        async with self._database.read_transaction() as connection:
            for row in await connection.execute(query):
                content = by_version.get((row.question, row.number))
                wrong_counts[row.question] += content is not None and content.is_right_by_rule(row.answer) is False
        return wrong_counts

    async def question_count_by_state(self, course: str) -> Mapping[QuestionState, int]:
        """Returns the number of questions in each state."""
        counts = dict.fromkeys(QuestionState, 0)
        query = select(QUESTIONS.c.state).where(QUESTIONS.c.course == course)
        async with self._database.read_transaction() as connection:
            for state in (await connection.execute(query)).scalars():
                counts[QuestionState(state)] += 1
        return counts

    async def review_statistics(self, course: str) -> ReviewStatistics:
        """Returns the work and the agreement of reviewers."""
        of_version = (VERSIONS.c.question == REVIEWS.c.question) & (VERSIONS.c.number == REVIEWS.c.number)
        query = (
            select(REVIEWS, VERSIONS.c.content, VERSIONS.c.reviewers, QUESTIONS.c.twin_of)
            .join(VERSIONS, of_version)
            .join(QUESTIONS, QUESTIONS.c.id == REVIEWS.c.question)
            .where(QUESTIONS.c.course == course, REVIEWS.c.decided.is_not(None))
            .order_by(REVIEWS.c.decided)
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        votes_by_version: dict[tuple[str, int], list[bool]] = defaultdict(list)
        needed_reviewers: dict[tuple[str, int], int] = {}
        blind: dict[tuple[str, str], bool | None] = {}
        for row in rows:
            votes_by_version[row.question, row.number].append(bool(row.accepts))
            needed_reviewers[row.question, row.number] = row.reviewers
            if (first := (row.twin_of or row.question, row.reviewer)) not in blind:
                blind[first] = WrittenQuestion.model_validate_json(row.content).is_right_by_rule(row.answer)
        paired_votes = [decisions for decisions in votes_by_version.values() if len(decisions) >= _PAIR]
        trios = [
            decisions
            for version, decisions in votes_by_version.items()
            if len(decisions) >= needed_reviewers[version] == MOST_REVIEWERS
        ]
        readable_answers = [is_right for is_right in blind.values() if is_right is not None]
        return ReviewStatistics(
            len(rows),
            len(paired_votes),
            sum(pair[0] == pair[1] for pair in paired_votes),
            len(trios),
            sum(len(set(trio)) == 1 for trio in trios),
            agreement_alpha(paired_votes),
            alike_and_all_pair_counts(paired_votes),
            len(readable_answers),
            sum(readable_answers),
            median(row.decided - row.begun for row in rows) if rows else None,
        )
