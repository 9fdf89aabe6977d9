"""`benchwright eval`: models and agents on a pack's problems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import JsonValue

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX
from benchwright_problems.storage.store import Store
from benchwright_server.cli.eval.agent_image import agent_image, agent_image_template
from benchwright_server.cli.eval.options import (
    AgentOptions,
    Json,
    LimitOptions,
    Out,
    Pack,
    PlanOptions,
    PromptOptions,
    SamplingOptions,
    TaskOptions,
)
from benchwright_server.cli.eval.perplexity import perplexity
from benchwright_server.cli.eval.refine import refine
from benchwright_server.cli.eval.reflect import reflect
from benchwright_server.cli.eval.run import print_summary_and_exit, resume_run, run_task_and_keep_log, run_task_or_exit
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.option_groups import flatten_option_groups
from benchwright_server.cli.terminal.output import err, exit_on_expected_error
from benchwright_server.errors import ServerError
from benchwright_subjects.evaluation.kept_evals import eval_logs_folder

if TYPE_CHECKING:
    # Inspect takes seconds to import: only these commands pay.
    from benchwright_subjects.evaluation.evaluation import EvaluationRun


def add_to(parent: typer.Typer) -> None:
    """Add the commands to `benchwright`."""
    evaluations = typer.Typer(
        help="Let models or agents solve a pack's problems; each sample becomes an attempt.",
        invoke_without_command=True,
    )
    evaluations.callback()(flatten_option_groups(evaluate))
    evaluations.command("export-prompts")(flatten_option_groups(export_prompts))
    evaluations.command("refine")(refine)
    evaluations.command("reflect")(reflect)
    evaluations.command("perplexity")(perplexity)
    evaluations.command("agent-image")(agent_image)
    evaluations.command("agent-image-template")(agent_image_template)
    parent.add_typer(evaluations, name="eval")


def evaluate(
    command_context: typer.Context,
    prompting: PromptOptions,
    sampling: SamplingOptions,
    agent: AgentOptions,
    limits: LimitOptions,
    plan: PlanOptions,
    pack: Pack = "",
    map_only: Annotated[bool, typer.Option("--map", help="Keep the replies to --template and judge nothing.")] = False,
    output: Out = None,
    sandbox: options.Sandbox = DEFAULT_SANDBOX,
    resume: Annotated[
        Path | None, typer.Option(help="Continue an interrupted run: its .eval log, or the folder of the log.")
    ] = None,
    json_output: Json = False,
) -> None:
    """Let a model or an agent solve problems, run the hidden tests, and record each sample as an attempt.

    Exit status: 0 all samples have a verdict or wait for a judge, 1 some ended with an error, 2 the run could not
    begin, 130 interrupted.
    """
    if command_context.invoked_subcommand is not None:
        return
    with exit_on_expected_error(), explain_missing_extra("`benchwright eval`", "baselines"):
        if resume is not None:
            print_summary_and_exit(resume_run(resume, limits, json_output), json_output)
        task_options = TaskOptions(pack, prompting, sampling, agent, limits, plan, map_only)
        task_options.refuse_missing_or_exclusive()
        evaluation_run = _evaluation_run(
            task_options, output or eval_logs_folder(Home.from_environment()), sandbox, json_output
        )
        if plan.study:
            from benchwright_server.cli.completion.server import ServerOptions
            from benchwright_server.cli.completion.study import carry_out_condition
            from benchwright_server.cli.eval.study_evaluation import PlannedPart, evaluate_study
            from benchwright_subjects.evaluation.budget import spending_within

            planned_part = PlannedPart(plan.study, plan.condition or [], sampling.model)
            with spending_within(limits.budget):
                evaluate_study(
                    planned_part,
                    evaluation_run,
                    run_task_and_keep_log,
                    lambda condition_part: carry_out_condition(
                        condition_part, ServerOptions(), sandbox, evaluation_run.base_url
                    ),
                    json_output=json_output,
                )
        print_summary_and_exit(run_task_or_exit(evaluation_run), json_output)


def _evaluation_run(task_options: TaskOptions, log_folder: Path, sandbox_name: str, json_output: bool) -> EvaluationRun:
    from inspect_ai.model import GenerateConfigArgs

    from benchwright_subjects.evaluation.evaluation import EvaluationRun

    sampling, limits = task_options.sampling, task_options.limits
    generate = GenerateConfigArgs()
    if sampling.temperature is not None:
        generate["temperature"] = sampling.temperature
    if sampling.max_tokens is not None:
        generate["max_tokens"] = sampling.max_tokens
    arguments: dict[str, JsonValue] = task_options.task_arguments()
    if not task_options.map_only:
        arguments["sandbox"] = sandbox_name
    return EvaluationRun(
        task=task_options.task_name,
        arguments=arguments,
        model=sampling.model,
        output_folder=log_folder,
        samples_per_problem=sampling.samples,
        most_problems=sampling.limit,
        seed=task_options.prompting.seed,
        base_url=sampling.base_url,
        generate=generate,
        time_limit_s=limits.time_limit,
        token_limit=limits.token_limit,
        message_limit=limits.message_limit,
        prices_file=limits.costs,
        cost_limit_usd=limits.cost_limit,
        budget_usd=limits.budget,
        most_samples_at_once=sampling.jobs,
        display="none" if json_output else None,
    )


def export_prompts(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Written as JSON Lines of `id` and `prompt`.")],
    pack: Pack,
    prompting: PromptOptions,
) -> None:
    """Write the prompts of a pack's problems, for a model that runs elsewhere."""
    with exit_on_expected_error(), explain_missing_extra("`benchwright eval export-prompts`", "baselines"):
        from benchwright_subjects.evaluation.prompt_lines import write_prompts_and_count
        from benchwright_subjects.samples import RequestForm

        prompting.refuse_exclusive()
        if prompting.refined is not None:
            raise ServerError("--refined asks a model twice; leave it out of export-prompts.")
        if prompting.python:
            raise ServerError("--python needs a model that is asked here; leave it out of export-prompts.")
        prompt_form = RequestForm(
            prompting.problem or "",
            prompting.shots,
            prompting.examples,
            prompting.think,
            str(prompting.template) if prompting.template else "",
            prompting.seed or 0,
            prompting.prompts,
            str(prompting.passages) if prompting.passages else "",
        )
        problems, prompt_of = prompt_form.problems_and_prompt_maker(Store(Home.from_environment()), pack)
        count = write_prompts_and_count(file, problems, prompt_of)
    err.print(f"{count} prompts written to {file}.", markup=False)
