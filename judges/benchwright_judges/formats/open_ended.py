"""Open-ended questions: an explanation, graded in points."""

from __future__ import annotations

from benchwright_judges.formats.question_rules import QuestionRules
from benchwright_judges.formats.short_text import score_free_text
from benchwright_judges.scale import Scale

OPEN_ENDED = QuestionRules(
    score=score_free_text,
    scale=Scale.TIERS,
    rubric="open-ended",
    task=lambda wording: wording.explain,
)
