"""`benchwright eval refine`: statements of problems as a model writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from pydantic import JsonValue

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_server.cli.eval.options import BaseUrl, Json, MaxTokens, Out, Pack, Problems
from benchwright_server.cli.eval.run import run_task_or_exit
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, print_json
from benchwright_subjects.evaluation.kept_evals import eval_logs_folder


def refine(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Written as JSON Lines of refined statements; what it has is kept.")
    ],
    pack: Pack,
    model: Annotated[str, typer.Option(help="PROVIDER/MODEL that refines, as Inspect names it.")],
    problem: Problems = None,
    base_url: BaseUrl = None,
    max_tokens: MaxTokens = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Statements at a time.")] = None,
    output: Out = None,
    json_output: Json = False,
) -> None:
    """Have a model refine the statements of problems, for `benchwright eval --refined FILE`.

    It sees the public part alone, and no problem changes. Run the command again to go on after an interruption: what
    the file has is not asked again.

    Exit status: 0 every problem has a refined statement, 1 some are missing, 130 interrupted.
    """
    with exit_on_expected_error(), explain_missing_extra("`benchwright eval refine`", "baselines"):
        from inspect_ai.model import GenerateConfigArgs

        from benchwright_subjects.evaluation.evaluation import EvaluationRun, summary_of_run
        from benchwright_subjects.prompts.refinement import add_refinements_to_file, read_refinements
        from benchwright_subjects.samples import select_problems

        problems = select_problems(Store(Home.from_environment()), pack, problem or "")
        refinements = read_refinements(file, problems, skips_outdated=True) if file.exists() else {}
        missing: list[JsonValue] = [
            pending_problem.id for pending_problem in problems if pending_problem.id not in refinements
        ]
        if missing:
            generate = GenerateConfigArgs() if max_tokens is None else GenerateConfigArgs(max_tokens=max_tokens)
            log = run_task_or_exit(
                EvaluationRun(
                    task="refine",
                    arguments={"pack": pack, "problems": missing},
                    model=model,
                    output_folder=output or eval_logs_folder(Home.from_environment()),
                    base_url=base_url,
                    generate=generate,
                    most_samples_at_once=jobs,
                    display="none" if json_output else None,
                )
            )
            run_summary = summary_of_run(log)
            missing = list(add_refinements_to_file(log, file, problems, refinements))
        else:
            run_summary = {}
    counts: dict[str, JsonValue] = {"refined": len(problems) - len(missing), "missing": missing, "file": str(file)}
    counts |= {name: run_summary.get(name, 0) for name in ("input_tokens", "output_tokens")}
    if json_output:
        print_json(counts)
    else:
        console.print(f"{counts['refined']} refined statements are in {file}.", markup=False, soft_wrap=True)
    if missing:
        reason = run_summary.get("why") or "the reply was empty"
        err.print(f"{len(missing)} are missing, such as {missing[0]}: {reason}", markup=False, soft_wrap=True)
        err.print("Run the command again to ask for them.")
        raise typer.Exit(1)
