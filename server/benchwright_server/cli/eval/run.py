"""Running an Inspect task from the command line: interruption, the log that is kept, the summary that is printed."""

from __future__ import annotations

import contextlib
import re
import statistics
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer
from pydantic import JsonValue

from benchwright_foundation.home import Home
from benchwright_server.cli.eval.options import LimitOptions
from benchwright_server.cli.study.log import opened_study_log
from benchwright_server.cli.terminal.exit_status import INTERRUPTED
from benchwright_server.cli.terminal.output import console, err, print_json
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError
from benchwright_subjects.evaluation.kept_evals import eval_logs_folder, keep_eval_log

if TYPE_CHECKING:
    # Inspect takes seconds to import: only these commands pay.
    from inspect_ai.log import EvalLog

    from benchwright_subjects.evaluation.evaluation import EvaluationRun


_KS = (1, 2, 3, 5, 10)


def run_task_or_exit(evaluation_run: EvaluationRun) -> EvalLog:
    """Run a task until it ends, or exit with its status if it is interrupted."""
    from benchwright_subjects.evaluation.evaluation import evaluate

    with _stdout_to_stderr_if(evaluation_run.display == "none"), _exit_with_resume_hint(evaluation_run.output_folder):
        return evaluate(evaluation_run)


def run_task_and_keep_log(evaluation_run: EvaluationRun) -> EvalLog:
    """Run a task and keep its log for reports."""
    log = run_task_or_exit(evaluation_run)
    _keep_log_and_replies(log)
    return log


def resume_run(log_or_folder: Path, limits: LimitOptions, json_output: bool) -> EvalLog:
    """Continue the run of a log, or of the newest log in a folder.

    Raises:
        ServerError: A limit is given that the run's log decides.
    """
    if limits.cost_limit is not None:
        raise ServerError("--resume keeps the --cost-limit that the run began with; leave it out.")
    from benchwright_subjects.evaluation.evaluation import newest_eval_log_file, resume_run

    log = newest_eval_log_file(log_or_folder) if log_or_folder.is_dir() else log_or_folder
    with _stdout_to_stderr_if(json_output), _exit_with_resume_hint(log.parent):
        return resume_run(log, "none" if json_output else None, limits.costs, limits.budget)


def print_summary_and_exit(log: EvalLog, json_output: bool) -> NoReturn:
    """Keep the log of a run, print its summary, and exit with its status."""
    from benchwright_subjects.evaluation.evaluation import summary_of_run

    run_summary = summary_of_run(log)
    run_summary["repeats"] = pass_rates_by_k(run_summary["problems"])
    file = Path(log.location)
    _keep_log_and_replies(log)
    if json_output:
        print_json(run_summary)
    else:
        _print_run_summary(run_summary)
    if log.status == "cancelled":
        err.print(f"Interrupted. Continue with: benchwright eval --resume {file}", markup=False, soft_wrap=True)
        raise typer.Exit(INTERRUPTED)
    if _has_errors(run_summary) or log.status != "success":
        if log.error is not None and not run_summary["samples"]:
            err.print(log.error.message, markup=False, soft_wrap=True)
        elif run_summary["error"] and run_summary["why"] and not json_output:
            err.print(
                f"Without a verdict, such as: {_provider_message_of_error(str(run_summary['why']))}",
                markup=False,
                soft_wrap=True,
            )
        err.print(
            f"To ask again for samples without a verdict: benchwright eval --resume {file}",
            markup=False,
            soft_wrap=True,
        )
        raise typer.Exit(1)
    raise typer.Exit(0)


@contextlib.contextmanager
def _exit_with_resume_hint(log_folder: Path) -> Iterator[None]:
    """Show how to continue after Ctrl+C; Inspect has written what was done by then."""
    try:
        yield
    except KeyboardInterrupt:
        err.print(f"Interrupted. Continue with: benchwright eval --resume {log_folder}", markup=False, soft_wrap=True)
        raise typer.Exit(INTERRUPTED) from None


@contextlib.contextmanager
def _stdout_to_stderr_if(is_quiet: bool) -> Iterator[None]:
    """Keep what Inspect prints off standard output, which is for one JSON value."""
    with contextlib.redirect_stdout(sys.stderr) if is_quiet else contextlib.nullcontext():
        yield


def _keep_log_and_replies(log: EvalLog) -> None:
    """Keep the log of a run for reports, and write the replies beside it."""
    from benchwright_subjects.evaluation.evaluation import (
        graded_attempt_ids,
        task_name,
        write_agent_submissions,
        write_replies,
    )

    file = Path(log.location)
    responses = file.with_suffix(".responses.jsonl")
    if task_name(log) == "agent":
        with opened_study_log() as events:
            write_agent_submissions(log, events, responses)
    else:
        write_replies(log, responses)
    if attempts := graded_attempt_ids(log):
        try:
            keep_eval_log(eval_logs_folder(Home.from_environment()), file, attempts)
        except OSError as error:
            raise ServerError(f"The log {file} can't be kept in the data folder: {error.strerror}.") from error


def _has_errors(run_summary: Mapping[str, JsonValue]) -> bool:
    refined = run_summary["refined"]
    return bool(run_summary["error"] or (isinstance(refined, dict) and refined["error"]))


def _print_run_summary(run_summary: Mapping[str, JsonValue]) -> None:
    table = TerminalTable("samples", "passed", "failed", "undecided", "error", "score", "tokens in / out", "USD")
    cost = run_summary["cost_usd"]
    usage_cells = (
        f"{run_summary['input_tokens']} / {run_summary['output_tokens']}",
        f"{cost:.4f}" if isinstance(cost, float) else "–",
    )
    table.add_row(*_count_and_score_cells(run_summary), *usage_cells)
    refined = run_summary["refined"]
    if isinstance(refined, dict):
        table.add_row(*_count_and_score_cells(refined), "(both)", "")
        console.print("The first row is of the statements as published, the second of the refined ones.")
    table.print_rows()
    _print_pass_at_k(run_summary)
    _print_reasons_by_outcome(run_summary)
    prices = run_summary["prices"]
    if isinstance(prices, dict):
        day = f"as of {prices['dated']}" if prices["dated"] else "of no date"
        console.print(f"Prices of {prices['file']}, {day}.", markup=False, soft_wrap=True)
    lengths = run_summary["length"]
    if isinstance(lengths, dict):
        counts = [
            f"{names} {length['mean']} tokens on average, {length['most']} at most"
            for names, length in (("prompts", lengths["prompt"]), ("replies", lengths["reply"]))
            if isinstance(length, dict)
        ]
        if counts:
            console.print(f"Counted by tiktoken: {'; '.join(counts)}.")
    console.print(f"Log: {run_summary['log']}", markup=False, soft_wrap=True)


def _print_pass_at_k(run_summary: Mapping[str, JsonValue]) -> None:
    """Print the chance that some of k samples pass, and that all do, if there are several of each problem."""
    repeats = run_summary["repeats"]
    if not isinstance(repeats, list) or not repeats:
        return
    table = TerminalTable("k", "pass@k", "pass^k", "problems")
    for repeat_rates in repeats:
        if isinstance(repeat_rates, dict):
            table.add_row(
                str(repeat_rates["k"]),
                f"{repeat_rates['pass_at_k']:.3f}",
                f"{repeat_rates['pass_hat_k']:.3f}",
                str(repeat_rates["problems"]),
            )
    table.print_rows()


def _print_reasons_by_outcome(run_summary: Mapping[str, JsonValue]) -> None:
    reasons = run_summary["reasons"]
    if not isinstance(reasons, dict) or not reasons:
        return
    table = TerminalTable("outcome", "reason", "samples")
    for outcome, counts in reasons.items():
        for reason, count in counts.items() if isinstance(counts, dict) else ():
            table.add_row(outcome, reason, str(count))
    table.print_rows()


def pass_rates_by_k(counts_by_problem: JsonValue) -> list[JsonValue]:
    """Pass@k and pass^k, each the mean over problems, for k that the problem with the fewest samples allows."""
    from benchwright_analysis.statistics.pass_at_k import all_of_k_pass, pass_at_k

    counts = [
        (int(str(counted["decided"])), int(str(counted["passed"])))
        for counted in (counts_by_problem.values() if isinstance(counts_by_problem, dict) else ())
        if isinstance(counted, dict)
    ]
    fewest = min((decided for decided, _ in counts), default=0)
    if max((decided for decided, _ in counts), default=0) < 2:
        return []
    return [
        {
            "k": k,
            "pass_at_k": statistics.mean(pass_at_k(decided, passed, k) for decided, passed in counts),
            "pass_hat_k": statistics.mean(all_of_k_pass(decided, passed, k) for decided, passed in counts),
            "problems": len(counts),
        }
        for k in sorted({k for k in (*_KS, fewest) if k <= fewest})
    ]


def _provider_message_of_error(error_text: str) -> str:
    r"""The end of an error: Inspect quotes the whole request before what the provider said.

    Args:
        error_text: Such as
            `ModelGenerateError("\\nRequest:\\n{…}\\n\\nBadRequestError('Error code: 400 - No tools.')")`.
    """
    last_line = re.split(r"\\+n|\n", error_text.rstrip())[-1].replace("\\", "")
    quoted = re.match(r"""\w+\(["'](.*?)["')]*$""", last_line)
    return quoted[1] if quoted else last_line


def _count_and_score_cells(outcome_summary: Mapping[str, JsonValue]) -> list[str]:
    score = outcome_summary["score"]
    numbers = [str(outcome_summary[name]) for name in ("samples", "passed", "failed", "undecided", "error")]
    return [*numbers, f"{score:.3f}" if isinstance(score, float) else "–"]
