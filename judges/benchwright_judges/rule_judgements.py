"""The judgements that rules can reach."""

from __future__ import annotations

from benchwright_judges.judgement import Judgement, JudgementStatus

RULES = "reading-rules@10"
"""Name and version of the rules by which answers are read, kept with each judgement that they make. Raise it whenever
an answer may be read differently: a test compares what they read in the corpus."""

RIGHT = Judgement(
    status=JudgementStatus.SCORED, score=1.0, passed=True, label="right", message="The answer is correct."
)
WRONG = Judgement(
    status=JudgementStatus.SCORED, score=0.0, passed=False, label="wrong", message="The answer is incorrect."
)
EMPTY = Judgement(status=JudgementStatus.EMPTY, message="There is no answer yet.")
NO_KEY = Judgement(
    status=JudgementStatus.PENDING, message="The pack has no answer to compare with; this one is pending."
)
PENDING = Judgement(
    status=JudgementStatus.PENDING,
    message="This answer is kept until a judge decides it.",
)
