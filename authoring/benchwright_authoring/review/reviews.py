"""The reviews of a pack folder's multiple-choice questions: a file for each reviewer and question."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from benchwright_authoring.review.checks import ReviewCheck
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.model import Model
from benchwright_foundation.plain_file import FileTooLargeError, NotPlainFileError, read_plain_file
from benchwright_problems.errors import DatasetError, ProblemsError
from benchwright_problems.problem import AnswerKind, Letter, Problem
from benchwright_problems.storage.pack_folder import read_pack_folder

_FOLDER = "reviews"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_LARGEST_BYTES = 64 * 1024
LONGEST_COMMENT = 4_000

_Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class ReviewError(ProblemsError):
    """A review can't be taken."""


class QuestionReview(Model):
    """Review of a question by one reviewer."""

    sha256: str
    """Of the question with its key; a review counts as long as it has not changed."""
    answer: Letter
    """Chosen before the key was shown."""
    answer_s: _Seconds
    """From the first look to the answer, in seconds."""
    checks: tuple[ReviewCheck, ...] = ()
    accepts: bool | None = None
    """None while it is not decided."""
    decision_s: _Seconds = 0.0
    """From the key to the decision, in seconds."""
    comment: Annotated[str, Field(max_length=LONGEST_COMMENT)] = ""


def multiple_choice_questions(pack_folder: Path) -> Sequence[Problem]:
    """The multiple-choice questions of a pack folder.

    Raises:
        DatasetError: The folder holds no pack.
        ReviewError: The pack has none.
    """
    questions = [
        problem
        for problem in read_pack_folder(pack_folder).problems
        if problem.public.question is not None and problem.public.question.format.answered_by is AnswerKind.CHOICE
    ]
    if not questions:
        raise ReviewError(f"{pack_folder} has no multiple-choice question")
    return questions


class Reviewer:
    """One reviewer of a pack folder.

    Args:
        pack_folder: Folder of the pack.
        reviewer_name: Theirs, or a pseudonym.

    Raises:
        ReviewError: The name can't be used.
    """

    def __init__(self, pack_folder: Path, reviewer_name: str) -> None:
        if _NAME.fullmatch(reviewer_name) is None:
            raise ReviewError(
                f"{reviewer_name!r} can't be a reviewer's name; use letters, digits, '.', '_' and '-', at most 60"
            )
        self._pack = pack_folder
        self._path = f"{_FOLDER}/{reviewer_name}"
        self._name = reviewer_name

    def find_review(self, problem: Problem) -> QuestionReview | None:
        """The review of a question as it is now; None if there is none.

        Raises:
            DatasetError: The file can't be read.
        """
        path = f"{self._path}/{problem.id}.json"
        file = self._pack / path
        try:
            review = QuestionReview.model_validate_json(read_plain_file(self._pack, path, _LARGEST_BYTES))
        except FileNotFoundError:
            return None
        except (NotPlainFileError, FileTooLargeError) as error:
            raise DatasetError(file, "", "is no review") from error
        except OSError as error:
            raise DatasetError(file, "", f"can't be read: {error.strerror}") from error
        except ValidationError as error:
            raise DatasetError.from_validation(file, error) from error
        return review if review.sha256 == problem.hidden.sha256 else None

    def questions_left_with_begun_review(
        self, questions: Sequence[Problem]
    ) -> Sequence[tuple[Problem, QuestionReview | None]]:
        """The reviews that are left to do: begun ones first, then the others in an order of this reviewer's own."""
        own_order = [*questions]
        random.Random(self._name).shuffle(own_order)  # noqa: S311 - no secret
        own_reviews = [(problem, self.find_review(problem)) for problem in own_order]
        return sorted(
            (
                question_review
                for question_review in own_reviews
                if question_review[1] is None or question_review[1].accepts is None
            ),
            key=lambda question_review: question_review[1] is None,
        )

    def record_answer(self, problem: Problem, chosen_letter: str, answering_s: float) -> QuestionReview:
        """Takes the answer of a reviewer who has not seen the key; it can't be changed.

        Raises:
            ReviewError: The question is answered already, or the letter is that of no option.
            OSError: The review can't be written.
        """
        question = problem.public.question
        if question is None or chosen_letter not in {choice.letter for choice in question.choices}:
            raise ReviewError("choose one of the options")
        if self.find_review(problem) is not None:
            raise ReviewError("you have answered this question already")
        return self._write_review(
            problem, QuestionReview(sha256=problem.hidden.sha256, answer=chosen_letter, answer_s=answering_s)
        )

    def record_decision(
        self, problem: Problem, *, accepts: bool, checks: Sequence[ReviewCheck], comment: str, decision_s: float
    ) -> QuestionReview:
        """Takes a decision.

        Raises:
            ReviewError: The reviewer has not answered it, has decided already, or the decision lacks something.
            OSError: The review can't be written.
        """
        begun_review = self.find_review(problem)
        if begun_review is None or begun_review.accepts is not None:
            raise ReviewError("answer the question first" if begun_review is None else "you have decided on it already")
        if accepts and set(checks) != set(ReviewCheck):
            raise ReviewError("a question is accepted only if all of the checks hold")
        if not accepts and not comment.strip():
            raise ReviewError("say in the comment what is wrong")
        review_changes = {"accepts": accepts, "checks": tuple(checks), "comment": comment[:LONGEST_COMMENT]}
        return self._write_review(problem, begun_review.model_copy(update=review_changes | {"decision_s": decision_s}))

    def _write_review(self, problem: Problem, review: QuestionReview) -> QuestionReview:
        folder = self._pack / self._path
        folder.mkdir(parents=True, exist_ok=True)
        content = review.model_dump_json(indent=1).encode() + b"\n"
        write_atomically(folder / f"{problem.id}.json", content, 0o600)
        return review


def decided_reviews_by_question(
    pack_folder: Path, questions: Sequence[Problem]
) -> Mapping[str, Mapping[str, QuestionReview]]:
    """By question and reviewer, the reviews that are decided.

    Raises:
        DatasetError: A review can't be read.
    """
    reviews_folder = pack_folder / _FOLDER
    names = (
        sorted(path.name for path in reviews_folder.iterdir() if _NAME.fullmatch(path.name))
        if reviews_folder.is_dir()
        else []
    )
    reviews: dict[str, dict[str, QuestionReview]] = {}
    for problem in questions:
        all_of = {name: Reviewer(pack_folder, name).find_review(problem) for name in names}
        reviews[problem.id] = {
            name: review for name, review in all_of.items() if review is not None and review.accepts is not None
        }
    return reviews
