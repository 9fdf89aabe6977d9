"""The files that `--responses` leaves: a verdict per line, and CVDP's reports."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import JsonValue

from benchwright_attempts.grading.grading import GradingOutcome
from benchwright_foundation.atomic import write_atomically
from benchwright_harness import cvdp_report
from benchwright_problems.storage.responses import Response
from benchwright_problems.verdict import Reason, Verdict, word_of
from benchwright_server.cli.terminal.output import err, quality_of, writing

_MISSING = GradingOutcome(Verdict(reason=Reason.NO_ANSWER, detail="this sample has no answer to the problem"))


def write_files(
    folder: Path, pack: str, answers: Sequence[Response], graded: Sequence[GradingOutcome], solver: str, k: int
) -> None:
    """Write `verdicts.jsonl`, and CVDP's reports if the pack has problems of CVDP's categories.

    Args:
        folder: Made if it does not exist. Reports of several samples are in `sample_N` of it, and together in
            `composite_report.json`.
        pack: Named in the reports, as `solver`.
        answers: All answers.
        graded: Outcomes of the grading, in the same order.
        solver: Name of the solver who answered.
        k: The k of pass@k.

    Raises:
        ServerError: The folder can't be written.
    """
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _write_reports(folder, pack, answers, graded, solver, k)
        lines = [_line(*pair) for pair in zip(answers, graded, strict=True)]
        write_atomically(folder / "verdicts.jsonl", "".join(lines).encode())


def _write_reports(
    folder: Path, pack: str, answers: Sequence[Response], graded: Sequence[GradingOutcome], solver: str, k: int
) -> None:
    all_problems = {answer.problem.id: answer.problem for answer in answers}
    problems = [problem for problem in all_problems.values() if problem.category is not None]
    if not problems:
        return
    samples: dict[int, dict[str, GradingOutcome]] = {}
    for answer, grade in zip(answers, graded, strict=True):
        samples.setdefault(answer.sample, {})[answer.problem.id] = grade
    now = datetime.now(UTC).astimezone()
    names = [f"sample_{number + 1}" for number in samples] if len(samples) > 1 else [""]
    reports: list[dict[str, JsonValue]] = []
    for name, sample_grades in zip(names, samples.values(), strict=True):
        rows = [
            cvdp_report.GradedAnswer(
                id=problem.id,
                category=problem.category,
                difficulty=problem.difficulty,
                verdict=sample_grades.get(problem.id, _MISSING).verdict,
                score=sample_grades.get(problem.id, _MISSING).score,
            )
            for problem in problems
            if problem.category is not None
        ]
        (folder / name).mkdir(parents=True, exist_ok=True)
        reports.append(cvdp_report.report(rows, pack, solver, now))
        _write_json(folder / name / "raw_result.json", cvdp_report.raw_result(rows))
        _write_json(folder / name / "report.json", reports[-1])
        (folder / name / "report.txt").write_text(cvdp_report.report_text(reports[-1]), encoding="utf-8")
    if len(reports) > 1:
        together = cvdp_report.composite(reports, names, k, now)
        _write_json(folder / "composite_report.json", together)
        (folder / "composite_report.txt").write_text(cvdp_report.report_text(together), encoding="utf-8")
    if left_out := len(all_problems) - len(problems):
        err.print(f"{left_out} of the problems have no category of CVDP: their verdicts are in verdicts.jsonl only.")


def _write_json(file: Path, content: dict[str, JsonValue]) -> None:
    write_atomically(file, (json.dumps(content, indent=2) + "\n").encode())


def _line(answer: Response, graded: GradingOutcome) -> str:
    """A verdict without the names and messages of hidden tests."""
    verdict, judgement = graded.verdict, graded.judgement
    row: dict[str, object] = {
        "problem": answer.problem.id,
        "sample": answer.sample + 1,
        "verdict": word_of(verdict.outcome, verdict.reason),
        "reason": verdict.reason.value,
        "detail": verdict.detail,
        "score": graded.score,
    }
    if judgement is None:
        row |= {"tests": {"passed": verdict.passed_tests, "total": len(verdict.tests)}, "tools": verdict.tools}
        row |= quality_of(verdict)
    else:
        row |= {
            "label": judgement.label,
            "method": judgement.method.value,
            "rubric": judgement.rubric,
            "cost_usd": judgement.cost_usd,
            "metrics": judgement.metrics,
        }
    row |= {
        "wall_s": verdict.wall_s,
        "remarks": list(verdict.remarks),
        "digests": verdict.digests.model_dump(mode="json"),
    }
    return json.dumps(row, ensure_ascii=False) + "\n"
