"""The key of a free-response question that asks the same as a multiple-choice one."""

from __future__ import annotations

from benchwright_problems.problem import Answer
from benchwright_problems.rubric_points import RubricItem, RubricPoints

_POINTS = RubricPoints(
    items=(
        RubricItem(text="Says what the model answer says."),
        RubricItem(text="Gives a reason that agrees with the explanation."),
    )
)


def free_response_key(right_option_text: str, explanation: str, original_problem_id: str) -> Answer:
    """The right option is the model answer.

    Args:
        right_option_text: Its wording.
        explanation: Explanation of the multiple-choice question; may be empty.
        original_problem_id: Id of that question.
    """
    explanation_text = f"{explanation}\n\nThe same question with options: {original_problem_id}.".strip()
    return Answer(value=right_option_text, points=_POINTS, explanation=explanation_text)
