"""`benchwright report --demo`: a simulated study and a mock model, in a home of their own."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from inspect_ai.model import ModelOutput, get_model
from pydantic import JsonValue

from benchwright_analysis.report.demo.demo import record_demo_study
from benchwright_analysis.report.report import STEPS, ReportOptions, WrittenReportFiles, write_report
from benchwright_attempts import log_file
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_server.cli.study.log import opened_study_log
from benchwright_server.cli.terminal.output import err
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.errors import ServerError
from benchwright_subjects.evaluation.evaluation import EvaluationRun, evaluate

_QUESTIONS = ("load-use-stalls", "vipt-synonyms", "cache-tag-bits", "memory-bandwidth")


def write_demo(options: ReportOptions, participant_count: int, *, is_quiet: bool) -> WrittenReportFiles:
    """Simulate a study, ask a model that always gives the same answer, and report on both.

    Args:
        options: Options of the report.
        participant_count: Participants in the simulated study.
        is_quiet: True to show no progress.
    """
    folder = (options.folder / "demo-home").absolute()
    if folder.exists():
        raise ServerError(f"{folder} exists already. Give another folder, or remove that one.")

    def show(step: str) -> None:
        if not is_quiet:
            err.print(step)

    with _home_set_in_environment(folder) as home:
        store = Store(home)
        show(f"Simulating a study of {participant_count} people …")
        demo = record_demo_study(log_file(home), store, participant_count=participant_count, seed=options.seed)
        show("Asking Inspect's mockllm a few questions …")
        logs = folder / "evals"
        _evaluate_mock_model(logs)
        show("Writing the report …")
        options = replace(options, study=demo.study, simulated=True, logs=(*options.logs, logs))
        with opened_study_log() as log, progress("report", STEPS, "steps") as meter:
            return write_report(log, store, options, demo.rated, meter.show_next_step)


@contextlib.contextmanager
def _home_set_in_environment(folder: Path) -> Iterator[Home]:
    """Everything below this folder, also for the tasks that Inspect starts."""
    previous_home = os.environ.get("BENCHWRIGHT_HOME")
    os.environ["BENCHWRIGHT_HOME"] = str(folder)
    try:
        yield Home.from_environment()
    finally:
        if previous_home is None:
            del os.environ["BENCHWRIGHT_HOME"]
        else:
            os.environ["BENCHWRIGHT_HOME"] = previous_home


def _evaluate_mock_model(log_folder: Path) -> None:
    model = get_model(
        "mockllm/model",
        custom_outputs=lambda *_: ModelOutput.from_content("mockllm/model", "Answer: C"),
        memoize=False,
    )
    arguments: dict[str, JsonValue] = {"pack": "starter", "problems": list(_QUESTIONS)}
    evaluate(
        EvaluationRun(
            task="answer",
            arguments=arguments,
            model=model,
            output_folder=log_folder,
            samples_per_problem=2,
            display="none",
        )
    )
