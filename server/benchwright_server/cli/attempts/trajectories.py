"""`benchwright attempts import` and `findings`, and trajectories as `export` and `trace` write them."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import JsonValue

from benchwright_attempts.events.evidence import ModelUsage
from benchwright_attempts.grading.given_answers import GivenAnswer
from benchwright_attempts.terms import Solver
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import counted
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX
from benchwright_problems.problem import digest
from benchwright_problems.storage.store import Store
from benchwright_server.cli.solve.batch import BatchOptions, grade_as_attempts
from benchwright_server.cli.study.log import opened_event_log
from benchwright_server.cli.terminal.options import AttemptIds, Json, Sandbox
from benchwright_server.cli.terminal.output import (
    console,
    err,
    exit_on_expected_error,
    explain_unwritable,
    print_json,
    print_verdict_and_exit,
)
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError
from benchwright_server.workspaces.workspace import read_judged_files

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample

    from benchwright_analysis.trace.step import AttemptTrace
    from benchwright_analysis.trajectory.atif import Trajectory
    from benchwright_analysis.trajectory.reward_hacking import StepFinding
    from benchwright_attempts.log.log import EventLog
    from benchwright_attempts.log.record import AttemptHeader

_FEATURE = "Reading and writing trajectories"


class ExportFormat(StrEnum):
    """Format of an exported attempt."""

    LOG = "log"
    """JSON Lines that others can verify."""
    ATIF = "atif"
    """Steps, calls and observations, as Harbor reads them."""
    EVAL = "eval"
    """A log of Inspect's, as `inspect view` shows it."""


@dataclass(frozen=True)
class TrajectoryWithFindings:
    """The trajectory of an attempt, or one from a file, and what is remarkable in it."""

    name: str
    """The attempt's id, or the file."""
    trajectory: Trajectory
    trajectory_findings: Sequence[StepFinding]
    is_imported: bool = False
    """True if it was made elsewhere, so that the event log has nothing of its steps."""


def export_trajectory(log: EventLog, header: AttemptHeader, export_format: ExportFormat, output: Path | None) -> None:
    """Write an attempt as ATIF or as a log of Inspect's, and say what was left out.

    Raises:
        ServerError: The file can't be written, or an .eval log has no file to go to.
    """
    with explain_missing_extra(_FEATURE, "baselines"):
        from benchwright_analysis.trajectory.kept_trajectories import kept_conversation, recorded_trajectory
        from benchwright_subjects.evaluation.kept_evals import eval_logs_folder, kept_sample

        home = Home.from_environment()
        if export_format is ExportFormat.EVAL:
            _export_eval_log(home, log, header, output)
            return
        sample = kept_sample(eval_logs_folder(home), header.id)
        trajectory = recorded_trajectory(home, log, header, kept_conversation(home, header.id, sample))
    if output is None:
        typer.echo(trajectory.as_json(), nl=False)
    else:
        with explain_unwritable(output):
            write_atomically(output.absolute(), trajectory.as_json().encode(), 0o600)
        err.print(f"{counted(len(trajectory.steps), 'step')} written to {output}.", markup=False, soft_wrap=True)
    _print_trajectory_notes(trajectory)


def _export_eval_log(home: Home, log: EventLog, header: AttemptHeader, output: Path | None) -> None:
    from benchwright_analysis.trajectory.inspect_sample import write_sample_log, write_trajectory_log
    from benchwright_analysis.trajectory.kept_trajectories import kept_conversation, recorded_trajectory
    from benchwright_subjects.evaluation.kept_evals import eval_logs_folder, kept_log_and_sample

    if output is None or output.suffix != ".eval":
        raise ServerError("--format eval needs --output FILE.eval: Inspect knows its logs by that ending.")
    log_and_sample = kept_log_and_sample(eval_logs_folder(home), header.id)
    with explain_unwritable(output):
        output.absolute().unlink(missing_ok=True)
        if log_and_sample is not None:
            write_sample_log(*log_and_sample, output.absolute())
        else:
            trajectory = recorded_trajectory(home, log, header, kept_conversation(home, header.id, None))
            write_trajectory_log(trajectory, log.summary(header.id).verdict, output.absolute())
            _print_trajectory_notes(trajectory)
        output.absolute().chmod(0o600)
    err.print(f"Written to {output}, for `inspect view`.", markup=False, soft_wrap=True)


def _print_trajectory_notes(trajectory: Trajectory) -> None:
    if trajectory.notes:
        err.print(trajectory.notes, markup=False, soft_wrap=True)


def trace_with_trajectory(log: EventLog, attempt_or_file: str) -> AttemptTrace:
    """The trace of an attempt, with its trajectory if it was imported or is remarkable; or that of a file."""
    from benchwright_analysis.trace.attempt_steps import trace_of_attempt
    from benchwright_analysis.trace.exchanges import exchanges_of_sample
    from benchwright_analysis.trajectory.trace_steps import trace_of_trajectory
    from benchwright_subjects.evaluation.kept_evals import eval_logs_folder, kept_sample

    if (file := Path(attempt_or_file)).is_file():
        read = _file_trajectory_with_findings(file)
        return trace_of_trajectory(read.trajectory, read.trajectory_findings)
    header = log.header_with_id_prefix(attempt_or_file)
    sample = kept_sample(eval_logs_folder(Home.from_environment()), header.id)
    attempt_trace = trace_of_attempt(header, log.events(header.id), exchanges_of_sample(sample))
    recorded = _attempt_trajectory_with_findings(log, header, sample)
    if not recorded.trajectory_findings and not recorded.is_imported:
        return attempt_trace
    as_trajectory = trace_of_trajectory(recorded.trajectory, recorded.trajectory_findings)
    trace_parts = [
        dataclasses.replace(attempt_trace.trace_parts[0], title="What the log has"),
        *(dataclasses.replace(part, title=part.title or "As a trajectory") for part in as_trajectory.trace_parts),
    ]
    counted = (
        {"findings": f"{len(recorded.trajectory_findings):,}, in the trajectory"}
        if recorded.trajectory_findings
        else {}
    )
    return dataclasses.replace(
        attempt_trace, fact_texts={**attempt_trace.fact_texts, **counted}, trace_parts=trace_parts
    )


def findings_command(attempts: AttemptIds = None, json_output: Json = False) -> None:
    """Show steps that look as if tests were to pass without the work: for a person to read, not as proof.

    It looks for changes of given tests, searches for hidden files, numbers of the statement that a design compares
    with, and waiting. An ATTEMPT may also be a file with a trajectory (ATIF). Exit status: 0 none, 1 there are some.
    """
    with opened_event_log() as log, explain_missing_extra(_FEATURE, "baselines"):
        from benchwright_subjects.evaluation.kept_evals import eval_logs_folder, kept_sample

        logs_folder = eval_logs_folder(Home.from_environment())
        chosen_trajectories = [
            _file_trajectory_with_findings(file)
            if (file := Path(attempt)).is_file()
            else _attempt_trajectory_with_findings(
                log, header := log.header_with_id_prefix(attempt), kept_sample(logs_folder, header.id)
            )
            for attempt in attempts or [header.id for header in log.headers()]
        ]
    if json_output:
        print_json(
            [
                {"attempt": examined_trajectory.name, **dataclasses.asdict(finding)}
                for examined_trajectory in chosen_trajectories
                for finding in examined_trajectory.trajectory_findings
            ]
        )
    else:
        table = TerminalTable("attempt", "step", "rule", "finding")
        for examined_trajectory in chosen_trajectories:
            for finding in examined_trajectory.trajectory_findings:
                table.add_row(
                    examined_trajectory.name, str(finding.step_id), finding.rule.replace("_", " "), finding.message
                )
        if any(examined_trajectory.trajectory_findings for examined_trajectory in chosen_trajectories):
            table.print_rows()
        else:
            console.print(f"Nothing remarkable in {counted(len(chosen_trajectories), 'attempt')}.")
    raise typer.Exit(
        1 if any(examined_trajectory.trajectory_findings for examined_trajectory in chosen_trajectories) else 0
    )


def _attempt_trajectory_with_findings(
    log: EventLog, header: AttemptHeader, sample: EvalSample | None
) -> TrajectoryWithFindings:
    from benchwright_analysis.trajectory.kept_trajectories import (
        kept_conversation,
        problem_as_asked,
        recorded_trajectory,
    )
    from benchwright_analysis.trajectory.reward_hacking import step_findings

    home = Home.from_environment()
    conversation = kept_conversation(home, header.id, sample)
    trajectory = recorded_trajectory(home, log, header, conversation)
    problem = problem_as_asked(home, header)
    given, expected_files = (problem.public.files, problem.public.expected) if problem is not None else ((), ())
    trajectory_findings = step_findings(trajectory, {*given}, {*expected_files})
    is_imported = conversation is not None and conversation.source is not None
    return TrajectoryWithFindings(header.id, trajectory, trajectory_findings, is_imported)


def _file_trajectory_with_findings(file: Path) -> TrajectoryWithFindings:
    from benchwright_analysis.trajectory.atif import read_trajectory
    from benchwright_analysis.trajectory.reward_hacking import step_findings

    trajectory = read_trajectory(file)
    return TrajectoryWithFindings(str(file), trajectory, step_findings(trajectory, set(), set()))


def import_trajectory(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A trajectory in the format ATIF, version 1.0 to 1.8.")],
    problem: Annotated[str, typer.Option(metavar="PROBLEM", help="PACK/ID that the attempt solves.")],
    final_folder: Annotated[
        Path, typer.Option("--files", metavar="DIR", help="Contains the files that it ended with, as in a workspace.")
    ],
    solver: Annotated[str, typer.Option(help="Name in reports; the agent and its model if not given.")] = "",
    condition: Annotated[Solver, typer.Option(help="What the solver is in reports.")] = Solver.AGENT,
    sandbox: Sandbox = DEFAULT_SANDBOX,
    json_output: Json = False,
) -> None:
    """Record an attempt that was made elsewhere from its trajectory, and grade the files that it ended with.

    Reports count it with what its steps say that models used; its time is what the file states. The trajectory is kept,
    and `attempts trace` shows it. The verdict is that of the hidden tests here, whatever the file says. Exit status:
    0 passed, 1 failed, 2 error.
    """
    with exit_on_expected_error(), explain_missing_extra(_FEATURE, "baselines"):
        from benchwright_analysis.trajectory.atif import read_trajectory
        from benchwright_analysis.trajectory.kept_trajectories import keep_trajectory

        trajectory = read_trajectory(file)
        home = Home.from_environment()
        unsealed_problem = Store(home).unseal(problem)
        if not final_folder.is_dir():
            raise ServerError(
                f"{final_folder} is not a folder. Give the folder with the files that the attempt ended with."
            )
        judged_files = read_judged_files(final_folder, unsealed_problem)
        agent = trajectory.agent
        name = solver or (f"{agent.name} with {agent.model_name}" if agent.model_name else agent.name)
        content = trajectory.as_json().encode()
        contents: dict[str, JsonValue] = {path: data.hex() for path, data in judged_files.items()}
        given_answer = GivenAnswer(
            attempt=digest([problem, unsealed_problem.public_digest, name, content.hex(), contents])[:32],
            problem_ref=problem,
            problem=unsealed_problem,
            public_digest=unsealed_problem.public_digest,
            files=judged_files,
            solver=name,
            condition=condition,
            reported_s=_stated_duration_s(trajectory),
            extra_events=tuple(_stated_usage(trajectory)),
        )
        keep_trajectory(home, given_answer.attempt, content)
        (grading,) = grade_as_attempts([given_answer], BatchOptions(sandbox=sandbox))
        if not json_output:
            err.print(f"Attempt {given_answer.attempt}, {counted(len(trajectory.steps), 'step')}.", markup=False)
            _print_trajectory_notes(trajectory)
        print_verdict_and_exit(problem, grading.verdict, json_output)


def _stated_duration_s(trajectory: Trajectory) -> float | None:
    moments = [step.moment for step in trajectory.steps if step.moment is not None and not step.is_copied_context]
    duration_s = (max(moments) - min(moments)).total_seconds() if moments else 0.0
    return duration_s or None


def _stated_usage(trajectory: Trajectory) -> list[ModelUsage]:
    """What the steps say that each model used; what the whole says, if they say nothing."""
    calls_by_model: Counter[str] = Counter()
    tokens: dict[str, Counter[str]] = {}
    costs: dict[str, float] = {}
    for step in trajectory.steps:
        if step.metrics is None or step.is_copied_context:
            continue
        model = step.model_name or trajectory.agent.model_name or trajectory.agent.name
        calls_by_model[model] += 1 if step.llm_call_count is None else step.llm_call_count
        counted = tokens.setdefault(model, Counter())
        counted["prompt"] += step.metrics.prompt_tokens or 0
        counted["output"] += step.metrics.completion_tokens or 0
        counted["cached"] += step.metrics.cached_tokens or 0
        if step.metrics.cost_usd is not None:
            costs[model] = costs.get(model, 0.0) + step.metrics.cost_usd
    totals = trajectory.final_metrics
    if not tokens and totals is not None and totals.total_prompt_tokens is not None:
        model = trajectory.agent.model_name or trajectory.agent.name
        tokens[model] = Counter(
            prompt=totals.total_prompt_tokens,
            output=totals.total_completion_tokens or 0,
            cached=totals.total_cached_tokens or 0,
        )
        if totals.total_cost_usd is not None:
            costs[model] = totals.total_cost_usd
    return [
        ModelUsage(
            model=model,
            calls=calls_by_model[model],
            input_tokens=max(0, counted["prompt"] - counted["cached"]),
            output_tokens=counted["output"],
            cache_read_tokens=counted["cached"],
            total_tokens=counted["prompt"] + counted["output"],
            cost_usd=costs.get(model),
            counted_by="trajectory",
        )
        for model, counted in tokens.items()
    ]
