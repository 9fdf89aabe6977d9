"""`benchwright eval export-prompts` and `import-responses`: a model that runs elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from pydantic import JsonValue

from benchwright_harness.sandboxes import DEFAULT_SANDBOX
from benchwright_problems.errors import needs
from benchwright_problems.home import Home
from benchwright_problems.store import Store
from benchwright_server.cli import options
from benchwright_server.cli.eval_options import (
    Json,
    KnowledgeCutoff,
    Out,
    Pack,
    Problems,
    Prompting,
    Think,
    check_cutoff,
)
from benchwright_server.cli.eval_run import finish, run_task
from benchwright_server.cli.option_groups import grouped
from benchwright_server.cli.output import err, plain_errors
from benchwright_server.errors import ServerError
from benchwright_subjects.kept_evals import folder_of


def add_to(evaluations: typer.Typer) -> None:
    """Add the commands to `benchwright eval`."""
    evaluations.command("export-prompts")(grouped(export_prompts))
    evaluations.command("import-responses")(import_responses)


def export_prompts(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Written as JSON Lines of `id` and `prompt`.")],
    pack: Pack,
    prompting: Prompting,
) -> None:
    """Write the prompts of a pack's problems, for a model that runs elsewhere."""
    with plain_errors(), needs("`benchwright eval export-prompts`", "baselines"):
        from benchwright_subjects.exchange import write_prompts
        from benchwright_subjects.samples import Form

        prompting.check()
        if prompting.refined is not None:
            raise ServerError("--refined asks a model twice; leave it out of export-prompts.")
        form = Form(
            prompting.problem or "",
            prompting.shots,
            prompting.examples,
            prompting.think,
            str(prompting.template) if prompting.template else "",
            prompting.seed or 0,
            prompting.prompts,
        )
        asked, request = form.of(Store(Home.find()), pack)
        count = write_prompts(file, asked, request)
    err.print(f"{count} prompts written to {file}.", markup=False)


def import_responses(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON Lines of `id` and `completion`.")],
    pack: Pack,
    solver: Annotated[str, typer.Option("--solver", help="Who gave the replies.")],
    problem: Problems = None,
    think: Think = False,
    prompts: Annotated[str, typer.Option(help="The --prompts that they were asked with.")] = "",
    knowledge_cutoff: KnowledgeCutoff = "",
    output: Out = None,
    sandbox: options.Sandbox = DEFAULT_SANDBOX,
    json_output: Json = False,
) -> None:
    """Judge the replies of a model that ran elsewhere. Several lines for one problem are several samples of it.

    Exit status: as of `benchwright eval`.
    """
    with plain_errors(), needs("`benchwright eval import-responses`", "baselines"):
        from benchwright_subjects.evaluation import NO_MODEL, Run
        from benchwright_subjects.exchange import read_replies

        check_cutoff(knowledge_cutoff)
        replies = read_replies(file, Store(Home.find()).public(pack).problems)
        arguments: dict[str, JsonValue] = {
            "pack": pack,
            "problems": list(problem or []),
            "think": think,
            "prompts": prompts,
            "replies": str(file.absolute()),
            "solver": solver,
            "sandbox": sandbox,
            "knowledge_cutoff": knowledge_cutoff,
        }
        run = Run(
            task="answer",
            arguments=arguments,
            model=NO_MODEL,
            out=output or folder_of(Home.find()),
            samples=max(number for _, number in replies),
            display="none" if json_output else None,
        )
        finish(run_task(run), json_output)
