"""The question formats: each has one module, one line here, and one member of `QuestionFormat`."""

from __future__ import annotations

from benchwright_judges.formats.assertion import ASSERTION
from benchwright_judges.formats.fill_in_the_blank import FILL_IN_THE_BLANK
from benchwright_judges.formats.free_response import FREE_RESPONSE
from benchwright_judges.formats.multiple_choice import MULTIPLE_CHOICE
from benchwright_judges.formats.open_ended import OPEN_ENDED
from benchwright_judges.formats.question_rules import QuestionRules
from benchwright_problems.problem import QuestionFormat

FORMATS: tuple[QuestionRules, ...] = (
    MULTIPLE_CHOICE,
    ASSERTION,
    FILL_IN_THE_BLANK,
    OPEN_ENDED,
    FREE_RESPONSE,
)


def rules_of(style: QuestionFormat) -> QuestionRules:
    """The rules of a question format."""
    return next(rules for rules in FORMATS if rules.format is style)
