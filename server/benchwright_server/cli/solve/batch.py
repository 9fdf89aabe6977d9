"""Many answers to a pack's problems at once: `benchwright answer` and `benchwright grade` with `--responses FILE`.

Each answer is an attempt in the event log, under a name that follows from problem, solver, sample and text. It is
there before it is graded, and what is decided is kept as it comes: verdicts of harnesses by what they depend on,
judgements in their database. So the same command does what is left, after an interruption or once judges are set up.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from benchwright_attempts.grading.given_answers import GivenAnswer, GivenAnswers, with_logged_attempt_ids
from benchwright_attempts.grading.grading import ANSWER, GradingOutcome, judge_answer, outcome_of_judgement
from benchwright_attempts.grading.judging import AttemptJudging
from benchwright_foundation.home import Home
from benchwright_harness.cluster.configuration import open_executor
from benchwright_harness.grading.grade import BatchGrader
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX, open_sandbox, toolchain_for
from benchwright_judges.judgement import Judgement
from benchwright_judges.score import score_by_rules
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.responses import read_responses
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Verdict
from benchwright_server.cli.problems.left_out import write_left_out_if_any
from benchwright_server.cli.problems.whole_pack import PackProblems
from benchwright_server.cli.solve.answers import print_summary, summarise_verdicts
from benchwright_server.cli.solve.batch_files import write_verdicts_and_reports
from benchwright_server.cli.solve.batch_reading import AnswerReader, Origins
from benchwright_server.cli.study.log import opened_study_log
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.interruption import end_cleanly_on_signal
from benchwright_server.cli.terminal.output import err, print_json
from benchwright_server.cli.terminal.progress import progress

if TYPE_CHECKING:
    from benchwright_harness.sandbox import Sandbox
    from benchwright_harness.toolchain import Toolchain

_JUDGED_AT_ONCE = 16
_STEP = 200
"""Answers between two steps of the progress bar."""

_IndexedAnswers = Sequence[tuple[int, GivenAnswer]]


@dataclass(frozen=True)
class BatchOptions:
    """Options for grading many answers at once."""

    responses: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Answers to problems of a pack, as JSON Lines.")
    ] = None
    output: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder for the verdicts and reports of these.")
    ] = None
    skip_invalid: Annotated[
        bool,
        typer.Option("--skip-invalid", help="Leave out lines that can't be read, and list them in FILE-left-out.csv."),
    ] = False
    k: Annotated[int, typer.Option(min=1, help="k of pass@k, if there are several answers per problem.")] = 1
    budget: options.Budget = None
    reader: options.Reader = ""
    jobs: options.Jobs = None
    cluster: options.Cluster = None
    cluster_option: options.ClusterOption = None
    sandbox: options.Sandbox = DEFAULT_SANDBOX
    fresh: options.Fresh = False
    quality: Annotated[
        bool,
        typer.Option(
            "--quality", help="Also measure designs that pass beside the reference: gates, flip-flops, path, lint."
        ),
    ] = False


def grade_batch(
    folder_or_pack_name: str, responses_file: Path, batch: BatchOptions, origins: Origins, json_output: bool
) -> NoReturn:
    """Grade a file of answers, print what they come to, and exit: 2 if some could not be decided, else 0.

    Args:
        folder_or_pack_name: Name of the pack whose problems were answered, or its author's folder.
        responses_file: See `benchwright_problems.storage.responses`.
        batch: Options of the grading.
        origins: Origins of the answers.
        json_output: True to print JSON.
    """
    pack_contents = PackProblems(Store(Home.from_environment()), folder_or_pack_name)
    folder_or_pack_name, public = pack_contents.pack_name, pack_contents.public_by_id
    invalid = InvalidRecords(skip=batch.skip_invalid)
    parsed_responses = read_responses(responses_file, public, invalid)
    left_out = write_left_out_if_any(invalid, responses_file.stem, batch.output)
    unsealed_problems = {
        name: pack_contents.unseal(name) for name in {answer.problem.id for answer in parsed_responses}
    }
    parsed_responses = [replace(answer, problem=unsealed_problems[answer.problem.id]) for answer in parsed_responses]
    given_answers = AnswerReader(folder_or_pack_name, responses_file, origins).given_answers(parsed_responses)
    parsed_responses = [
        replace(response, text=parsed_answer.files.get(ANSWER, b"").decode())
        for response, parsed_answer in zip(parsed_responses, given_answers, strict=True)
    ]
    with end_cleanly_on_signal("All verdicts so far are kept: the same command continues where it stopped."):
        gradings = grade_as_attempts(given_answers, batch)
    solver = ", ".join(sorted({given_answer.solver for given_answer in given_answers}))
    if batch.output is not None:
        write_verdicts_and_reports(batch.output, folder_or_pack_name, parsed_responses, gradings, solver, batch.k)
    answer_summary = summarise_verdicts(parsed_responses, [grade.verdict for grade in gradings])
    if json_output:
        print_json(
            {"pack": folder_or_pack_name, "solver": solver, "left_out": len(invalid.record_errors), **answer_summary}
        )
    else:
        print_summary(answer_summary, batch.output)
        if left_out is not None:
            err.print(f"Lines left out: {len(invalid.record_errors)}. The reasons are in {left_out}.", markup=False)
    raise typer.Exit(2 if answer_summary["undecided"] else 0)


def grade_as_attempts(given_answers: Sequence[GivenAnswer], batch: BatchOptions) -> list[GradingOutcome]:
    """Grades answers as attempts of the event log."""
    with opened_study_log() as log:
        given_answers = with_logged_attempt_ids(log, given_answers)
        answer_attempts = GivenAnswers(log, Home.from_environment(), given_answers)
        answer_attempts.record_answers()
        gradings = _grade_answers(given_answers, batch)
        answer_attempts.record_outcomes(
            {given_answer.attempt: grade for given_answer, grade in zip(given_answers, gradings, strict=True)}
        )
    return gradings


def _grade_answers(given_answers: Sequence[GivenAnswer], batch: BatchOptions) -> list[GradingOutcome]:
    numbered = list(enumerate(given_answers))
    grades = {number: GradingOutcome(answer.flaw) for number, answer in numbered if answer.flaw is not None}
    designs = [
        numbered_answer
        for numbered_answer in numbered
        if numbered_answer[1].problem.kind is ProblemKind.DESIGN and numbered_answer[1].flaw is None
    ]
    grades |= _score_by_rules(
        [numbered_answer for numbered_answer in numbered if numbered_answer[1].problem.kind is not ProblemKind.DESIGN]
    )
    judging = AttemptJudging(Home.from_environment(), reader_name=batch.reader, budget_usd=batch.budget)
    waiting_answers = [
        (number, given_answers[number], grading.judgement)
        for number, grading in grades.items()
        if grading.judgement is not None
        and judging.is_decidable_beyond_rules(
            given_answers[number].problem, grading.judgement, given_answers[number].attempt
        )
    ]
    if waiting_answers:
        grades |= asyncio.run(_judge_by_models(waiting_answers, judging))
    if designs:
        grades |= asyncio.run(_run_designs(designs, batch))
    return [grades[number] for number in range(len(given_answers))]


def _score_by_rules(indexed_answers: _IndexedAnswers) -> dict[int, GradingOutcome]:
    """The outcomes by rules, a millisecond each: nothing is kept, the same rules say the same again."""
    grades = {}
    with progress("scoring", len(indexed_answers), "answers") as meter:
        for scored_count, (number, answer) in enumerate(indexed_answers, 1):
            start = time.monotonic()
            judgement = score_by_rules(answer.problem, answer.text)
            grades[number] = outcome_of_judgement(answer.public_digest, judgement, time.monotonic() - start)
            if scored_count % _STEP == 0:
                meter.show_counts(scored_count, len(indexed_answers))
    return grades


async def _judge_by_models(
    waiting_answers: Sequence[tuple[int, GivenAnswer, Judgement]], judging: AttemptJudging
) -> dict[int, GradingOutcome]:
    turn = asyncio.Semaphore(_JUDGED_AT_ONCE)

    async def judged(number: int, answer: GivenAnswer, rule_judgement: Judgement) -> tuple[int, GradingOutcome]:
        async with turn:
            grading = await judge_answer(
                answer.problem_ref,
                answer.problem,
                answer.text,
                judging,
                attempt=answer.attempt,
                run_number=answer.try_number,
                answer_id=answer.attempt,
                rule_judgement=rule_judgement,
            )
        meter.advance()
        return number, grading

    try:
        with progress("judging", len(waiting_answers), "answers") as meter:
            return dict(await asyncio.gather(*(judged(*waiting_answer) for waiting_answer in waiting_answers)))
    finally:
        await judging.close()


async def _run_designs(designs: _IndexedAnswers, batch: BatchOptions) -> dict[int, GradingOutcome]:
    home = Home.from_environment()
    sandbox = open_sandbox(batch.sandbox)
    toolchain = toolchain_for(sandbox.name, home.cache)
    grader = partial(BatchGrader, sandbox=sandbox, toolchain=toolchain, fresh=batch.fresh)
    solutions = [(answer.problem, answer.files) for _, answer in designs]
    executor = open_executor(
        home, jobs=batch.jobs, cluster_name_or_address=batch.cluster, option_assignments=batch.cluster_option or ()
    )
    async with executor as runs:
        with progress("grading", len(designs), "runs") as meter:
            batch_grader = grader(
                runs,
                verdicts=VerdictStore.from_home(home),
                on_progress=lambda run_progress: meter.show_counts(
                    run_progress.finished_runs, run_progress.planned_runs, run_progress.known_runs
                ),
            )
            verdicts = await batch_grader.grade(solutions)
    if batch.quality:
        verdicts = await _measure_quality(solutions, verdicts, sandbox, toolchain)
    return {number: GradingOutcome(verdict) for (number, _), verdict in zip(designs, verdicts, strict=True)}


async def _measure_quality(
    solutions: Sequence[tuple[Problem, Mapping[str, bytes]]],
    verdicts: Sequence[Verdict],
    sandbox: Sandbox,
    toolchain: Toolchain,
) -> list[Verdict]:
    from benchwright_formal.measuring import QualityMeasurement

    measuring, turn = QualityMeasurement(sandbox, toolchain), asyncio.Semaphore(os.cpu_count() or 1)

    async def measured(problem: Problem, files: Mapping[str, bytes], verdict: Verdict) -> Verdict:
        async with turn:
            measured_verdict = await measuring.with_quality_if_passed(problem, files, verdict)
        meter.advance()
        return measured_verdict

    with progress("measuring", len(verdicts), "designs") as meter:
        return await asyncio.gather(
            *(measured(*solution, verdict) for solution, verdict in zip(solutions, verdicts, strict=True))
        )
