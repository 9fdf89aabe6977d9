"""`benchwright eval reflect`: why models say they failed."""

from __future__ import annotations

from typing import Annotated

import typer
from pydantic import JsonValue

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_server.cli.eval.options import BaseUrl, Json, MaxTokens, Out, Pack, Problems
from benchwright_server.cli.eval.run import run_task_or_exit
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, print_json
from benchwright_subjects.evaluation.kept_evals import eval_logs_folder


def reflect(
    pack: Pack,
    model: Annotated[str, typer.Option(help="PROVIDER/MODEL to ask, as Inspect names it.")],
    solver: Annotated[str, typer.Option(help="Whose failures, if not the model's own.")] = "",
    problem: Problems = None,
    base_url: BaseUrl = None,
    max_tokens: MaxTokens = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Failures at a time.")] = None,
    output: Out = None,
    json_output: Json = False,
) -> None:
    """Ask a model why its attempts failed, and record what it says; the report groups failures by it.

    It sees the task, its own answer, and what the problem's reveal policy shows of the verdict. Run the command again
    to go on after an interruption: only attempts without a reflection are asked about.

    Exit status: 0 every failure has a reflection, 1 some replies are missing, 2 there is nothing to ask, 130
    interrupted.
    """
    with exit_on_expected_error(), explain_missing_extra("`benchwright eval reflect`", "baselines"):
        from inspect_ai.model import GenerateConfigArgs

        from benchwright_subjects.evaluation.evaluation import EvaluationRun, summary_of_run

        generate = GenerateConfigArgs() if max_tokens is None else GenerateConfigArgs(max_tokens=max_tokens)
        arguments: dict[str, JsonValue] = {"pack": pack, "solver": solver or model, "problems": list(problem or [])}
        log = run_task_or_exit(
            EvaluationRun(
                task="reflect",
                arguments=arguments,
                model=model,
                output_folder=output or eval_logs_folder(Home.from_environment()),
                base_url=base_url,
                generate=generate,
                most_samples_at_once=jobs,
                display="none" if json_output else None,
            )
        )
        run_summary = summary_of_run(log)
    counts = {"reflections": run_summary["done"], **{name: run_summary[name] for name in _SHOWN}}
    if json_output:
        print_json(counts)
    else:
        usage = f"{run_summary['input_tokens']} tokens sent, {run_summary['output_tokens']} received"
        console.print(
            f"{run_summary['done']} reflections recorded; {usage}, counted apart from the attempts.", soft_wrap=True
        )
    if run_summary["error"] or log.status != "success":
        err.print(f"{run_summary['error']} replies are missing: {run_summary['why']}", markup=False, soft_wrap=True)
        err.print("Run the command again to ask for them.")
        raise typer.Exit(1)


_SHOWN = ("error", "model", "input_tokens", "output_tokens", "cost_usd", "log", "why")
