"""Free responses: exam answers, graded correct, partially correct or incorrect."""

from __future__ import annotations

from benchwright_judges.formats.question_rules import QuestionRules
from benchwright_judges.formats.short_text import score_free_text
from benchwright_judges.scale import Scale

FREE_RESPONSE = QuestionRules(
    score=score_free_text,
    scale=Scale.EXAM,
    rubric="free-response",
    task=lambda wording: wording.explain,
)
