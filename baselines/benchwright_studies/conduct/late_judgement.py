"""Recording the judgement of an answer that had to wait, in the log that knows the rules of studies."""

from __future__ import annotations

from benchwright_attempts import log_file
from benchwright_attempts.errors import AttemptError
from benchwright_attempts.events.events import Judged
from benchwright_attempts.grading.judging import judged_by
from benchwright_attempts.grading.run_records import RunRecords
from benchwright_foundation.home import Home
from benchwright_judges.judgement import Judgement
from benchwright_judges.records.records import GivenAnswer
from benchwright_problems.verdict import Outcome
from benchwright_studies import open_log


def record_late_judgement(home: Home, answer: GivenAnswer, judgement: Judgement) -> None:
    """Appends the judgement to the log of the answer's attempt, which may have ended, and lets the editor show it.

    Raises:
        AttemptError: The log can't be written, or has no such attempt.
    """
    if not answer.attempt:
        return
    verdict = judgement.verdict
    log = open_log(log_file(home))
    try:
        attempt_header = next(
            (header for header in log.headers(problem=answer.problem) if header.id == answer.attempt), None
        )
        if attempt_header is None:
            raise AttemptError(
                f"Attempt {answer.attempt} of this answer is not in the log here; only the database has its judgement."
            )
        earlier_verdict = log.summary(answer.attempt).verdict
        event = Judged(
            number=answer.number,
            sha256=answer.sha256,
            outcome=verdict.outcome,
            reason=verdict.reason.value,
            message=verdict.detail,
            judged_by=judged_by(judgement),
            # It waited although it once was decided: by another key.
            replaces=not attempt_header.study
            and earlier_verdict is not None
            and earlier_verdict.outcome is not Outcome.ERROR,
        )
        log.append_blocking(answer.attempt, event)
    finally:
        log.close()
    run_records = RunRecords(home, answer.attempt)
    kept_verdict = run_records.find_verdict(answer.number)
    verdict_fields = {"digests": kept_verdict.digests, "wall_s": kept_verdict.wall_s} if kept_verdict else {}
    run_records.keep_verdict(answer.number, verdict.model_copy(update=verdict_fields))
