"""The pack of the questions that enough reviewers accept, with how these worked."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchwright_authoring.generated_pack_folder import require_writable_pack_folder
from benchwright_authoring.problem_files.problem_folder import PROBLEM_FILE
from benchwright_authoring.review.checks import agreement_alpha, alike_and_all_pair_counts
from benchwright_authoring.review.reviews import (
    QuestionReview,
    ReviewError,
    decided_reviews_by_question,
    multiple_choice_questions,
)
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.toml_text import toml_table_text
from benchwright_problems.storage.pack_folder import PACK_FILE, read_pack_folder, read_pack_toml

REPORT = "reviews.json"


@dataclass(frozen=True)
class ReviewTally:
    """Decisions of reviewers, and the way they worked."""

    accepted: tuple[str, ...]
    rejected: tuple[str, ...]
    open: tuple[str, ...]
    """Questions on which too few have decided."""
    alpha: float | None
    """Krippendorff's alpha of accepting, nominal; None where it is not defined."""
    pairs_alike: tuple[int, int]
    """Pairs of decisions on the same question that are alike, and all pairs."""
    reviews: int
    right: int
    """Reviews whose answer, given before the key was shown, was the key."""
    median_s: Mapping[str, float]
    """By reviewer: from the first look to the decision, in seconds."""


def is_accepted_unless_open(votes: Sequence[bool], reviewer_count: int, *, must_be_unanimous: bool) -> bool | None:
    """True if a question is accepted; None while it is open.

    Args:
        votes: Decisions so far, true for each that accepts.
        reviewer_count: Number of decisions that are wanted; if more have decided, all count.
        must_be_unanimous: True if all have to accept it, instead of more than half.
    """
    total = max(reviewer_count, len(votes))
    needed_count = total if must_be_unanimous else total // 2 + 1
    if votes.count(True) >= needed_count:
        return True
    return False if total - votes.count(False) < needed_count else None


def review_tally_and_reviews(
    pack_folder: Path, reviewer_count: int, *, must_be_unanimous: bool
) -> tuple[ReviewTally, Mapping[str, Mapping[str, QuestionReview]]]:
    """The standing of the reviews of a pack folder, and the reviews by question and reviewer.

    Raises:
        DatasetError: The pack or a review can't be read.
        ReviewError: The pack has no multiple-choice question.
    """
    questions = multiple_choice_questions(pack_folder)
    reviews = decided_reviews_by_question(pack_folder, questions)
    keys = {problem.id: problem.hidden.answer.value for problem in questions if problem.hidden.answer is not None}
    accepts = {
        name: [bool(review.accepts) for review in question_reviews.values()]
        for name, question_reviews in reviews.items()
    }
    decided_names = {
        name: is_accepted_unless_open(question_accepts, reviewer_count, must_be_unanimous=must_be_unanimous)
        for name, question_accepts in accepts.items()
    }
    seconds_by_reviewer: dict[str, list[float]] = {}
    for question_reviews in reviews.values():
        for name, review in question_reviews.items():
            seconds_by_reviewer.setdefault(name, []).append(review.answer_s + review.decision_s)
    accepted_questions, rejected, open_questions = (
        tuple(name for name, question_outcome in decided_names.items() if question_outcome is wanted_decision)
        for wanted_decision in (True, False, None)
    )
    pack_standing = ReviewTally(
        accepted_questions,
        rejected,
        open_questions,
        agreement_alpha([*accepts.values()]),
        alike_and_all_pair_counts([*accepts.values()]),
        sum(map(len, accepts.values())),
        sum(
            review.answer == keys.get(name)
            for name, question_reviews in reviews.items()
            for review in question_reviews.values()
        ),
        {name: median(seconds) for name, seconds in seconds_by_reviewer.items()},
    )
    return pack_standing, reviews


def write_accepted_pack(
    source_folder: Path,
    target_folder: Path,
    review_tally: ReviewTally,
    reviews_by_question_and_reviewer: Mapping[str, Mapping[str, QuestionReview]],
) -> None:
    """Writes a pack folder of the accepted questions, and a report with all reviews.

    Args:
        source_folder: The pack folder that was reviewed.
        target_folder: Folder to write to; what an earlier run wrote there is written again.
        review_tally: Standing that says which questions are accepted.
        reviews_by_question_and_reviewer: Reviews by question and reviewer.

    Raises:
        ReviewError: None is accepted.
        ProblemsError: The folder holds another pack, or what was written is none.
        OSError: The folder can't be written.
    """
    if target_folder.resolve() == source_folder.resolve():
        raise ReviewError(f"{target_folder} holds the questions that were reviewed; choose another folder")
    require_writable_pack_folder(target_folder, REPORT)
    if not review_tally.accepted:
        raise ReviewError(f"no question of {source_folder} is accepted yet")
    target_folder.mkdir(parents=True, exist_ok=True)
    report_reviews = {
        name: {reviewer: review.model_dump(mode="json") for reviewer, review in question_reviews.items()}
        for name, question_reviews in reviews_by_question_and_reviewer.items()
    }
    write_atomically(target_folder / REPORT, (json.dumps(report_reviews, indent=1) + "\n").encode(), 0o600)
    for old_problem_file in target_folder.glob(f"*/{PROBLEM_FILE}"):
        shutil.rmtree(old_problem_file.parent)
    for name in review_tally.accepted:
        shutil.copytree(source_folder / name, target_folder / name, symlinks=True)
    pack_head = read_pack_toml(source_folder).model_dump(mode="json", exclude_none=True, exclude={"canary"})
    pack_head |= {"name": target_folder.absolute().name, "order": [*review_tally.accepted]}
    write_atomically(target_folder / PACK_FILE, toml_table_text(pack_head).encode())
    read_pack_folder(target_folder)
