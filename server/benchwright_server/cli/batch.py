"""`benchwright grade PACK --responses FILE`: many answers at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pydantic import JsonValue

from benchwright_attempts.grading import judge_answer
from benchwright_attempts.judging import Judging
from benchwright_harness.cluster import Executor
from benchwright_harness.cvdp_report import Graded, composite, raw_result, report, report_text
from benchwright_harness.grade import BatchGrader
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.sandboxes import toolchain_for
from benchwright_harness.verdict_store import VerdictStore
from benchwright_problems.atomic import write_atomically
from benchwright_problems.home import Home
from benchwright_problems.problem import Kind
from benchwright_problems.responses import Response, read_responses
from benchwright_problems.store import Store
from benchwright_problems.verdict import Outcome, Reason, Verdict
from benchwright_server.cli.output import err, out, writing
from benchwright_server.cli.progress import progress

_JUDGED_AT_ONCE = 8


@dataclass(frozen=True)
class _Result:
    verdict: Verdict
    score: float | None
    """From 0 to 1, of an answer that a judge scores."""


_MISSING = _Result(Verdict(reason=Reason.NO_ANSWER, detail="this sample has no answer to the problem"), None)


def grade_responses(
    pack: str,
    responses: Path,
    folder: Path,
    *,
    executor: AbstractAsyncContextManager[Executor],
    sandbox: Sandbox,
    solver: str,
    k: int,
    fresh: bool,
) -> bool:
    """Grade a file of answers and write verdicts and reports.

    Args:
        pack: Whose problems were answered.
        responses: See `benchwright_problems.responses`.
        folder: For `verdicts.jsonl`, and CVDP's reports: of one sample in it, of several in `sample_N` and together
            in `composite_report.json`.
        executor: Runs the harnesses.
        sandbox: The sandbox.
        solver: Named in the reports.
        k: The k of pass@k.
        fresh: Run again even if a verdict is known.

    Returns:
        Whether every answer could be decided.
    """
    home = Home.find()
    answers = _unsealed(Store(home), pack, responses)
    verdicts = VerdictStore.of(home)
    toolchain = toolchain_for(sandbox.name, home.cache)
    grader = partial(BatchGrader, sandbox=sandbox, toolchain=toolchain, verdicts=verdicts, fresh=fresh)
    results = asyncio.run(_grade_all(pack, answers, executor, grader, Judging(home)))
    with writing(folder):
        _write(folder, pack, answers, results, solver, k)
        lines = [_line(*pair) for pair in zip(answers, results, strict=True)]
        write_atomically(folder / "verdicts.jsonl", "".join(lines).encode())
    passed = sum(result.verdict.outcome is Outcome.PASSED for result in results)
    undecided = sum(result.verdict.outcome is Outcome.ERROR for result in results)
    out.print(f"{passed} of {len(results)} answers passed, {undecided} undecided. Reports in {folder}.")
    return not undecided


def _unsealed(store: Store, pack: str, file: Path) -> Sequence[Response]:
    """The answers of a file, each with its problem's hidden part; only these problems are unsealed."""
    public = {problem.id: problem for problem in store.public(pack).problems}
    wanted = {response.problem.id for response in read_responses(file, public)}
    return read_responses(file, {name: store.unseal(f"{pack}/{name}") for name in public if name in wanted})


async def _grade_all(
    pack: str,
    answers: Sequence[Response],
    executor: AbstractAsyncContextManager[Executor],
    grader: Callable[..., BatchGrader],
    judging: Judging,
) -> list[_Result]:
    designs = [number for number, answer in enumerate(answers) if answer.problem.kind is Kind.DESIGN]
    others = [number for number, answer in enumerate(answers) if answer.problem.kind is not Kind.DESIGN]
    solutions = [(answers[number].problem, answers[number].files) for number in designs]
    found = dict(zip(others, await _judge_all(pack, [answers[number] for number in others], judging), strict=True))
    async with executor as runs:
        with progress("grading", len(designs), "runs") as meter:
            shown = grader(runs, on_progress=lambda now: meter.show(now.done, now.planned, now.known))
            verdicts = await shown.grade(solutions)
    found |= {number: _Result(verdict, None) for number, verdict in zip(designs, verdicts, strict=True)}
    return [found[number] for number in range(len(answers))]


async def _judge_all(pack: str, answers: Sequence[Response], judging: Judging) -> list[_Result]:
    turn = asyncio.Semaphore(_JUDGED_AT_ONCE)

    async def judged(answer: Response) -> _Result:
        async with turn:
            graded = await judge_answer(f"{pack}/{answer.problem.id}", answer.problem, answer.text, judging)
        meter.advance()
        return _Result(graded.verdict, graded.score)

    try:
        with progress("judging", len(answers), "answers") as meter:
            return await asyncio.gather(*map(judged, answers))
    finally:
        await judging.close()


def _write(
    folder: Path, pack: str, answers: Sequence[Response], results: Sequence[_Result], solver: str, k: int
) -> None:
    problems = {answer.problem.id: answer.problem for answer in answers}
    samples: dict[int, dict[str, _Result]] = {}
    for answer, result in zip(answers, results, strict=True):
        samples.setdefault(answer.sample, {})[answer.problem.id] = result
    now = datetime.now(UTC).astimezone()
    names = [f"sample_{number + 1}" for number in samples] if len(samples) > 1 else [""]
    reports: list[dict[str, JsonValue]] = []
    for name, found in zip(names, samples.values(), strict=True):
        graded = [
            Graded(
                id=problem.id,
                category=problem.category,
                difficulty=problem.difficulty,
                verdict=found.get(problem.id, _MISSING).verdict,
                score=found.get(problem.id, _MISSING).score,
            )
            for problem in problems.values()
            if problem.category is not None
        ]
        (folder / name).mkdir(parents=True, exist_ok=True)
        reports.append(report(graded, pack, solver, now))
        _write_json(folder / name / "raw_result.json", raw_result(graded))
        _write_json(folder / name / "report.json", reports[-1])
        (folder / name / "report.txt").write_text(report_text(reports[-1]), encoding="utf-8")
    if len(reports) > 1:
        together = composite(reports, names, k, now)
        _write_json(folder / "composite_report.json", together)
        (folder / "composite_report.txt").write_text(report_text(together), encoding="utf-8")
    if left_out := sum(problem.category is None for problem in problems.values()):
        err.print(f"{left_out} of the problems have no category of CVDP: their verdicts are in verdicts.jsonl only.")


def _write_json(file: Path, content: dict[str, JsonValue]) -> None:
    write_atomically(file, (json.dumps(content, indent=2) + "\n").encode())


def _line(answer: Response, result: _Result) -> str:
    """A verdict without the names and messages of hidden tests."""
    verdict = result.verdict
    row = {
        "problem": answer.problem.id,
        "sample": answer.sample + 1,
        "verdict": verdict.outcome.value,
        "reason": verdict.reason.value,
        "detail": verdict.detail,
        "score": result.score,
        "tests": {"passed": verdict.passed_tests, "total": len(verdict.tests)},
        "wall_s": verdict.wall_s,
        "tools": verdict.tools,
        "remarks": list(verdict.remarks),
        "digests": verdict.digests.model_dump(mode="json"),
    }
    return json.dumps(row, ensure_ascii=False) + "\n"
