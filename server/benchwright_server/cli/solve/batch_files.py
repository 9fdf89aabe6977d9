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
from benchwright_problems.verdict import Reason, Verdict, verdict_word
from benchwright_server.cli.terminal.output import err, explain_unwritable, quality_field_if_measured

_MISSING = GradingOutcome(Verdict(reason=Reason.NO_ANSWER, detail="this sample has no answer to the problem"))


def write_verdicts_and_reports(
    folder: Path, pack: str, responses: Sequence[Response], gradings: Sequence[GradingOutcome], solver: str, k: int
) -> None:
    """Write `verdicts.jsonl`, and CVDP's reports if the pack has problems of CVDP's categories.

    Args:
        folder: Made if it does not exist. Reports of several samples are in `sample_N` of it, and together in
            `composite_report.json`.
        pack: Named in the reports, as `solver`.
        responses: All answers.
        gradings: Outcomes of the grading, in the same order.
        solver: Name of the solver who answered.
        k: The k of pass@k.

    Raises:
        ServerError: The folder can't be written.
    """
    with explain_unwritable(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _write_cvdp_reports_if_any(folder, pack, responses, gradings, solver, k)
        lines = [_verdict_json_line(*pair) for pair in zip(responses, gradings, strict=True)]
        write_atomically(folder / "verdicts.jsonl", "".join(lines).encode())


def _write_cvdp_reports_if_any(
    folder: Path, pack: str, responses: Sequence[Response], gradings: Sequence[GradingOutcome], solver: str, k: int
) -> None:
    all_problems = {answer.problem.id: answer.problem for answer in responses}
    problems = [problem for problem in all_problems.values() if problem.category is not None]
    if not problems:
        return
    gradings_by_sample: dict[int, dict[str, GradingOutcome]] = {}
    for response, grade in zip(responses, gradings, strict=True):
        gradings_by_sample.setdefault(response.sample, {})[response.problem.id] = grade
    report_time = datetime.now(UTC).astimezone()
    names = [f"sample_{number + 1}" for number in gradings_by_sample] if len(gradings_by_sample) > 1 else [""]
    reports: list[dict[str, JsonValue]] = []
    for name, sample_grades in zip(names, gradings_by_sample.values(), strict=True):
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
        reports.append(cvdp_report.report_content(rows, pack, solver, report_time))
        _write_json(folder / name / "raw_result.json", cvdp_report.raw_result_content(rows))
        _write_json(folder / name / "report.json", reports[-1])
        (folder / name / "report.txt").write_text(cvdp_report.report_text(reports[-1]), encoding="utf-8")
    if len(reports) > 1:
        composite_report = cvdp_report.composite_report_content(reports, names, k, report_time)
        _write_json(folder / "composite_report.json", composite_report)
        (folder / "composite_report.txt").write_text(cvdp_report.report_text(composite_report), encoding="utf-8")
    if left_out := len(all_problems) - len(problems):
        err.print(f"{left_out} of the problems have no category of CVDP: their verdicts are in verdicts.jsonl only.")


def _write_json(file: Path, content: dict[str, JsonValue]) -> None:
    write_atomically(file, (json.dumps(content, indent=2) + "\n").encode())


def _verdict_json_line(response: Response, grading: GradingOutcome) -> str:
    """A verdict without the names and messages of hidden tests."""
    verdict, judgement = grading.verdict, grading.judgement
    row: dict[str, object] = {
        "problem": response.problem.id,
        "sample": response.sample + 1,
        "verdict": verdict_word(verdict.outcome, verdict.reason),
        "reason": verdict.reason.value,
        "detail": verdict.detail,
        "score": grading.score,
    }
    if judgement is None:
        row |= {"tests": {"passed": verdict.passed_tests, "total": len(verdict.tests)}, "tools": verdict.tools}
        row |= quality_field_if_measured(verdict)
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
