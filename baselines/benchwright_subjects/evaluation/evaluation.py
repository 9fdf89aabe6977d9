"""Running the tasks from a program: options in, Inspect's log out, and its results in numbers."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict

from inspect_ai import eval as run_inspect
from inspect_ai import eval_retry
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import GenerateConfig, GenerateConfigArgs, Model, get_model
from pydantic import JsonValue

from benchwright_attempts.errors import EvaluationError
from benchwright_attempts.grading.grading import ANSWER
from benchwright_attempts.summary.replay import recorded_contents
from benchwright_attempts.terms import Solver
from benchwright_problems.verdict import Outcome, present_outcome_of_recorded
from benchwright_subjects.evaluation.budget import spending_within
from benchwright_subjects.evaluation.prices import set_prices
from benchwright_subjects.evaluation.prompt_lines import write_json_lines
from benchwright_subjects.evaluation.provider_failure import MOST_RETRIES
from benchwright_subjects.inspect_private import PrerequisiteError
from benchwright_subjects.prompts.refinement import SUFFIX

if TYPE_CHECKING:
    from benchwright_attempts.log.log import EventLog

TASKS = Path(__file__).parents[1] / "tasks.py"


class _LeanEvalOptions(TypedDict):
    ctl_server: bool
    log_realtime: bool
    score_display: bool


_PRICES = "prices"
"""Field of a log's metadata."""
Display = Literal["full", "conversation", "rich", "plain", "log", "none"]
LEAN: _LeanEvalOptions = {"ctl_server": False, "log_realtime": False, "score_display": False}
"""The event log keeps what is done, so Inspect's second database of running samples is not needed. Mean scores that are
shown while samples run are made from all samples again at each one: the time grows with the square of their number."""


@dataclass(frozen=True)
class EvaluationRun:
    """One run of one task."""

    task: Literal["answer", "agent", "map_prompt", "reflect", "refine"]
    arguments: Mapping[str, JsonValue]
    """Of the task; written into the log."""
    model: str | Model
    output_folder: Path
    """Folder for logs and replies."""
    samples_per_problem: int = 1
    """Of each problem."""
    most_problems: int | None = None
    """Most problems."""
    seed: int | None = None
    """Decides which problems are taken where there is a limit."""
    base_url: str | None = None
    generate: GenerateConfigArgs = field(default_factory=lambda: GenerateConfigArgs())
    time_limit_s: int | None = None
    """Time limit of a sample, on the attempt's own clock."""
    token_limit: int | None = None
    message_limit: int | None = None
    prices_file: Path | None = None
    """A file with what models cost, as Inspect's `--model-cost-config`."""
    cost_limit_usd: float | None = None
    """Most that a sample may cost."""
    budget_usd: float | None = None
    """Most that the run may cost."""
    most_samples_at_once: int | None = None
    """Most samples at a time."""
    display: Display | None = None


def evaluate(evaluation_run: EvaluationRun) -> EvalLog:
    """Run a task.

    Raises:
        EvaluationError: The task could not begin.
    """
    # Inspect would find out in the middle of its display.
    find_model(evaluation_run.model, base_url=evaluation_run.base_url)
    generate = GenerateConfigArgs(max_retries=MOST_RETRIES)
    generate.update(evaluation_run.generate)
    try:
        prices = _set_prices_and_describe(
            evaluation_run.prices_file,
            str(evaluation_run.model),
            {"--cost-limit": evaluation_run.cost_limit_usd, "--budget": evaluation_run.budget_usd},
        )
        with spending_within(evaluation_run.budget_usd):
            logs = run_inspect(
                f"{TASKS}@{evaluation_run.task}",
                model=evaluation_run.model,
                model_base_url=evaluation_run.base_url,
                task_args=_task_arguments(evaluation_run),
                log_dir=str(evaluation_run.output_folder.absolute()),
                epochs=evaluation_run.samples_per_problem,
                limit=evaluation_run.most_problems,
                sample_shuffle=evaluation_run.seed if evaluation_run.most_problems is not None else None,
                token_limit=evaluation_run.token_limit,
                message_limit=evaluation_run.message_limit,
                cost_limit=evaluation_run.cost_limit_usd,
                max_samples=evaluation_run.most_samples_at_once,
                display=evaluation_run.display,
                metadata=prices,
                **LEAN,
                **generate,
            )
    except PrerequisiteError as error:
        raise EvaluationError(_message_without_markup(error)) from error
    return _first_log_or_error(logs, evaluation_run.output_folder)


def _set_prices_and_describe(
    prices_file: Path | None, model: str, limits_usd: Mapping[str, float | None]
) -> dict[str, JsonValue]:
    """Set the prices of a run; what its log says of them.

    Args:
        prices_file: As `set_prices` reads it.
        model: Has to be in it.
        limits_usd: The limits that rest on the prices, by the options that set them.

    Raises:
        EvaluationError: The file can't be read, or there is a limit that can't be kept.
    """
    set_limits = [option for option, limit in limits_usd.items() if limit is not None]
    if prices_file is None:
        if set_limits:
            raise EvaluationError(
                f"What {model} costs is unknown, so {set_limits[0]} can't be kept. Give its prices with --costs FILE."
            )
        return {}
    price_list = set_prices(prices_file, model)
    for option in set_limits:
        price_list.require_date(option)
    dated = price_list.dated.isoformat() if price_list.dated is not None else None
    return {_PRICES: {"file": price_list.file, "dated": dated}}


def find_model(model: str | Model, *, base_url: str | None = None, most_retries: int | None = None) -> Model:
    """A model of Inspect's.

    Args:
        model: PROVIDER/MODEL.
        base_url: Address at which it is asked; its provider's, if not given.
        most_retries: Most of a request that failed; any number if not given.

    Raises:
        EvaluationError: No model has this name, or it can't be asked from here.
    """
    try:
        return get_model(model, base_url=base_url, config=GenerateConfig(max_retries=most_retries))
    except PrerequisiteError as error:
        raise EvaluationError(_message_without_markup(error)) from error
    except ValueError as error:
        if "recogni" not in str(error) and "Model name" not in str(error):
            raise
        raise EvaluationError(f"{error} Write PROVIDER/MODEL as Inspect's list of providers has it.") from error


def _task_arguments(evaluation_run: EvaluationRun) -> dict[str, JsonValue]:
    if evaluation_run.time_limit_s is None:
        return dict(evaluation_run.arguments)
    return {**evaluation_run.arguments, "limit_s": float(evaluation_run.time_limit_s)}


def resume_run(
    log_file: Path,
    display: Display | None = None,
    prices_file: Path | None = None,
    budget_usd: float | None = None,
) -> EvalLog:
    """Continue a run that was interrupted or had samples without a verdict; what is done is not asked again.

    A limit of what a sample may cost holds as before.

    Args:
        log_file: The run's.
        display: As of `EvaluationRun`.
        prices_file: As of `EvaluationRun`.
        budget_usd: Most that the rest may cost.

    Raises:
        EvaluationError: The log does not exist, or it can't be gone on with.
    """
    if log_file.suffix != ".eval" or not log_file.is_file():
        raise EvaluationError(f"{log_file} is not an .eval log of a run.")
    run_header = read_eval_log(str(log_file.absolute()), header_only=True).eval
    _set_prices_and_describe(
        prices_file, run_header.model, {"--cost-limit": run_header.config.cost_limit, "--budget": budget_usd}
    )
    try:
        with spending_within(budget_usd):
            logs = eval_retry(
                str(log_file.absolute()), log_dir=str(log_file.absolute().parent), display=display, **LEAN
            )
    except FileNotFoundError as error:
        raise EvaluationError(f"{log_file} can't be gone on with: {error}.") from error
    except PrerequisiteError as error:
        raise EvaluationError(_message_without_markup(error)) from error
    return _first_log_or_error(logs, log_file.parent)


def newest_eval_log_file(folder: Path) -> Path:
    """The log of the newest run in a folder.

    Raises:
        EvaluationError: The folder has no log.
    """
    logs = sorted(folder.glob("*.eval"), key=lambda file: file.stat().st_mtime)
    if not logs:
        raise EvaluationError(f"There is no .eval log in {folder}.")
    return logs[-1]


def write_replies(eval_log: EvalLog, file: Path) -> None:
    """Write the replies of a run, as `benchwright grade --responses` reads them.

    Args:
        eval_log: Log of the run.
        file: Gets a line of {`id`, `completion`} for each, with its origin; those to refined statements go to a file
            beside.

    Raises:
        EvaluationError: The file can't be written.
    """
    samples = sorted(_read_samples(eval_log), key=lambda sample: (sample.epoch, str(sample.id)))
    published_lines: list[dict[str, JsonValue]] = []
    refined_lines: list[dict[str, JsonValue]] = []
    for sample in samples:
        if sample.error:
            continue
        name = str(sample.id)
        reply = {"completion": sample.output.completion, **_answer_origin_facts(eval_log, sample, Solver.MODEL)}
        (refined_lines if name.endswith(SUFFIX) else published_lines).append({"id": name.removesuffix(SUFFIX), **reply})
    write_json_lines(file, published_lines)
    if refined_lines:
        write_json_lines(file.with_name(file.name.replace(".responses", ".refined.responses")), refined_lines)


def _answer_origin_facts(log: EvalLog, sample: EvalSample, solver_kind: Solver) -> dict[str, JsonValue]:
    """Facts in a line about its answer's origin: see `benchwright_problems.storage.responses.Origin`."""
    attempt = _score_metadata(sample).get("attempt")
    task_metadata = log.eval.metadata or {}
    origin = {
        "attempt": attempt,
        "solver": log.eval.model if attempt else None,
        "condition": solver_kind.value if attempt else None,
        "prompts": task_metadata.get("prompts"),
        "shots": task_metadata.get("shots"),
        "steps": task_metadata.get("steps") or None,
    }
    return {name: value for name, value in origin.items() if value is not None}


def write_agent_submissions(eval_log: EvalLog, attempt_log: EventLog, file: Path) -> None:
    """Write what agents submitted, as `benchwright grade --responses` reads it.

    Args:
        eval_log: Log of a run of agents.
        attempt_log: The log with their attempts.
        file: Gets a line of {`id`, `files`} for each, or {`id`, `response`} for questions.

    Raises:
        EvaluationError: The file can't be written.
    """
    lines: list[dict[str, JsonValue]] = []
    for sample in sorted(_read_samples(eval_log), key=lambda sample: (sample.epoch, str(sample.id))):
        name = str(_score_metadata(sample).get("attempt", ""))
        verdict = attempt_log.summary(name).verdict if name else None
        if verdict is not None:
            contents = recorded_contents(attempt_log.events(name), verdict.snapshot)
            files = {path: content.decode("utf-8", "replace") for path, content in contents.items()}
            work_fields = {"response": files[ANSWER]} if ANSWER in files else {"files": dict[str, JsonValue](files)}
            lines.append({"id": str(sample.id), **work_fields, **_answer_origin_facts(eval_log, sample, Solver.AGENT)})
    write_json_lines(file, lines)


def summary_of_run(log: EvalLog) -> dict[str, JsonValue]:
    """The result of a run; the results of refined statements are in `refined`, apart from the rest."""
    samples = _read_samples(log)
    sample_facts = [_score_metadata(sample) for sample in samples]
    refined = [sample for sample in samples if str(sample.id).endswith(SUFFIX)]
    usage = log.stats.model_usage.values()
    costs = [model_usage.total_cost for model_usage in usage if model_usage.total_cost is not None]
    return {
        "log": log.location,
        "status": log.status,
        "task": task_name(log),
        "model": log.eval.model,
        **_outcome_counts_and_score([sample for sample in samples if sample not in refined]),
        "refined": _outcome_counts_and_score(refined) if refined else None,
        "input_tokens": sum(
            model_usage.input_tokens
            + (model_usage.input_tokens_cache_read or 0)
            + (model_usage.input_tokens_cache_write or 0)
            for model_usage in usage
        ),
        "output_tokens": sum(model_usage.output_tokens for model_usage in usage),
        "cost_usd": round(sum(costs), 6) if costs else None,
        "prices": (log.eval.metadata or {}).get(_PRICES),
        "problems": _decided_counts_by_problem([sample for sample in samples if sample not in refined]),
        "reasons": _counts_of_reasons([sample for sample in samples if sample not in refined]),
        "length": {name: _token_length_statistics(sample_facts, name) for name in ("prompt", "reply")},
        "attempts": [str(fact["attempt"]) for fact in sample_facts if "attempt" in fact],
        "why": _first_error_message(log, samples),
    }


def _outcome_counts_and_score(samples: Sequence[EvalSample]) -> dict[str, JsonValue]:
    outcomes = [_outcome_word(sample, _score_metadata(sample)) for sample in samples]
    values = [
        float(score.value)
        for sample in samples
        for score in (sample.scores or {}).values()
        if isinstance(score.value, int | float) and score.value == score.value
    ]
    return {
        "samples": len(samples),
        **{name: outcomes.count(name) for name in ("passed", "failed", "undecided", "error", "done")},
        "score": round(sum(values) / len(values), 6) if values else None,
    }


def _decided_counts_by_problem(samples: Sequence[EvalSample]) -> dict[str, JsonValue]:
    """Problem → its decided samples, and those of them that passed."""
    counts: dict[str, tuple[int, int]] = {}
    for sample in samples:
        word = _outcome_word(sample, _score_metadata(sample))
        if word in ("passed", "failed"):
            decided, passed = counts.get(str(sample.id), (0, 0))
            counts[str(sample.id)] = decided + 1, passed + (word == "passed")
    return {name: {"decided": decided, "passed": passed} for name, (decided, passed) in counts.items()}


def _counts_of_reasons(samples: Sequence[EvalSample]) -> dict[str, JsonValue]:
    """Outcome other than passed → its reasons with the number of samples, the most frequent first."""
    reasons: dict[str, Counter[str]] = {}
    for sample in samples:
        sample_facts = _score_metadata(sample)
        word = _outcome_word(sample, sample_facts)
        if word in ("passed", "done"):
            continue
        limit = f", at its {sample.limit.type} limit" if sample.limit is not None else ""
        # The words of an error are the provider's, and may quote anything.
        reason = "it broke off" if sample.error else str(sample_facts.get("reason", "unknown")).replace("_", " ")
        reasons.setdefault(word, Counter())[f"{reason}{limit}"] += 1
    return {word: dict[str, JsonValue](counts.most_common()) for word, counts in reasons.items()}


def task_name(log: EvalLog) -> str:
    """The name of the task in `tasks.py`."""
    return log.eval.task.rpartition("/")[2]


def graded_attempt_ids(log: EvalLog) -> list[str]:
    """The ids of the attempts that a run's samples are, as far as they have a verdict."""
    return [str(fact["attempt"]) for fact in map(_score_metadata, _read_samples(log)) if "attempt" in fact]


def _first_error_message(log: EvalLog, samples: Sequence[EvalSample]) -> str | None:
    error = next((sample.error for sample in samples if sample.error), None) or log.error
    return error.message if error else None


def _read_samples(log: EvalLog) -> Sequence[EvalSample]:
    if log.samples is None and log.location:
        log = read_eval_log(log.location)
    return log.samples or []


def _score_metadata(sample: EvalSample) -> Mapping[str, JsonValue]:
    for score in (sample.scores or {}).values():
        return score.metadata or {}
    return {}


def _outcome_word(sample: EvalSample, sample_facts: Mapping[str, JsonValue]) -> str:
    """`undecided` waits for a judge; `error` has no verdict, and running it again may give one."""
    if sample.error:
        return "error"
    if not sample_facts:
        return "done"
    outcome = present_outcome_of_recorded(str(sample_facts["reason"]), str(sample_facts["outcome"]))
    return "undecided" if outcome is Outcome.ERROR else outcome.value


def _token_length_statistics(sample_facts: Sequence[Mapping[str, JsonValue]], tokenizer: str) -> JsonValue:
    """Length in tokens of one tokenizer, so that models can be compared; None if it is not available."""
    counts = []
    for fact in sample_facts:
        tokens = fact.get("tokens")
        count = tokens.get(tokenizer) if isinstance(tokens, dict) else None
        if isinstance(count, int):
            counts.append(count)
    if not counts:
        return None
    return {"mean": round(statistics.mean(counts), 1), "median": statistics.median(counts), "most": max(counts)}


def _first_log_or_error(logs: Sequence[EvalLog], folder: Path) -> EvalLog:
    if not logs:
        raise EvaluationError(f"Nothing was run; {folder} has no new log.")
    return logs[0]


def _message_without_markup(error: PrerequisiteError) -> str:
    from rich.text import Text

    message = str(error.message)
    plain_message = " ".join(Text.from_markup(message).plain.split())
    return f"{plain_message.removeprefix('ERROR: ').rstrip('.')}."
