"""Fill in the blank: a word, a list or a number."""

from __future__ import annotations

from benchwright_judges.formats.question_rules import QuestionRules
from benchwright_judges.formats.short_text import score_blank
from benchwright_judges.scale import Scale

FILL_IN_THE_BLANK = QuestionRules(
    score=score_blank,
    scale=Scale.BLANK,
    rubric="fill-in-the-blank",
    is_instant=True,
    is_single_value=True,
    task=lambda wording: wording.fill,
    json_answer_description="what fills the blank, and nothing else.",
)
