"""`benchwright eval perplexity`."""

from __future__ import annotations

import asyncio
import os
from typing import Annotated

import typer

from benchwright_authoring.pack_statistics import GroupProperty, group_names, statement_text
from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_server.cli.eval.options import Json, Pack
from benchwright_server.cli.problems.whole_pack import pack_with_hidden_parts
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.cli.terminal.table import TerminalTable


def perplexity(
    pack: Pack,
    model: Annotated[str, typer.Option(help="The model, as its endpoint names it.")],
    base_url: Annotated[str, typer.Option(help="The endpoint, up to and including /v1.")],
    by: Annotated[GroupProperty, typer.Option(help="How problems are grouped.")] = GroupProperty.LANGUAGE,
    api_key_env: Annotated[
        str, typer.Option(metavar="NAME", help="Environment variable with the endpoint's key, if it needs one.")
    ] = "OPENAI_API_KEY",
    jobs: Annotated[int, typer.Option(min=1, help="Requests at a time.")] = 8,
    json_output: Json = False,
) -> None:
    """Measure how well a model predicts the statements of a pack: their perplexity, by group and over all.

    The endpoint has to give log-probabilities of a prompt, as vLLM does; chat endpoints don't. Choices belong to a
    statement, pictures and answers don't. Nothing is recorded.

    Exit status: 0 measured, 2 the endpoint gives no log-probabilities or fails, 130 interrupted.
    """
    with exit_on_expected_error(), explain_missing_extra("`benchwright eval perplexity`", "baselines"):
        from benchwright_subjects.perplexity import perplexity as perplexity_of
        from benchwright_subjects.perplexity import prompt_likelihoods

        whole_pack = pack_with_hidden_parts(Store(Home.from_environment()), pack)
        statements = [statement_text(problem) for problem in whole_pack.problems]
        with progress("asking", len(statements), "statements") as meter:
            likelihoods = asyncio.run(
                prompt_likelihoods(
                    statements,
                    model,
                    base_url,
                    os.environ.get(api_key_env) or "none",
                    requests_at_once=jobs,
                    show_done=lambda done_count: meter.show_counts(done_count, len(statements), 0),
                )
            )
    names = group_names(whole_pack, by)
    likelihoods_by_group = {
        name: [likelihood for group, likelihood in zip(names, likelihoods, strict=True) if group == name]
        for name in sorted({*names})
    }
    if len(likelihoods_by_group) > 1:
        likelihoods_by_group["all"] = likelihoods
    groups = [
        {
            "name": name,
            "statements": len(group_likelihoods),
            "tokens": sum(likelihood.tokens for likelihood in group_likelihoods),
            "perplexity": perplexity_of(group_likelihoods),
        }
        for name, group_likelihoods in likelihoods_by_group.items()
    ]
    if json_output:
        print_json({"pack": whole_pack.name, "model": model, "by": by.value, "groups": groups})
        return
    table = TerminalTable(by.value, "statements", "tokens", "perplexity")
    for group in groups:
        value = group["perplexity"]
        shown_value = f"{value:.3g}" if isinstance(value, float) else "unknown"
        table.add_row(str(group["name"]), f"{group['statements']:,}", f"{group['tokens']:,}", shown_value)
    table.print_rows()
    console.print(f"Perplexity of {model}: tokens are its own, so it compares with models of the same tokens alone.")
