"""`benchwright eval export-prompts`: a model that runs elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchwright_foundation.errors import needs
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_server.cli.eval.options import Pack, Prompting
from benchwright_server.cli.terminal.option_groups import grouped
from benchwright_server.cli.terminal.output import err, plain_errors
from benchwright_server.errors import ServerError


def add_to(evaluations: typer.Typer) -> None:
    """Add the command to `benchwright eval`."""
    evaluations.command("export-prompts")(grouped(export_prompts))


def export_prompts(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Written as JSON Lines of `id` and `prompt`.")],
    pack: Pack,
    prompting: Prompting,
) -> None:
    """Write the prompts of a pack's problems, for a model that runs elsewhere."""
    with plain_errors(), needs("`benchwright eval export-prompts`", "baselines"):
        from benchwright_subjects.evaluation.exchange import write_prompts
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
