"""Open-ended questions: an explanation, graded in points."""

from __future__ import annotations

from benchwright_judges.formats.question_rules import QuestionRules
from benchwright_judges.formats.short_text import score_text
from benchwright_judges.scale import Scale

OPEN_ENDED = QuestionRules(
    score=score_text,
    scale=Scale.TIERS,
    rubric="open-ended",
    task=lambda wording: wording.explain,
)
