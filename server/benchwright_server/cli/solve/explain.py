"""`benchwright explain`."""

from __future__ import annotations

from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.markdown import Markdown
from rich.text import Text

from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.output import console, plain_errors, print_json
from benchwright_server.errors import ServerError
from benchwright_server.workspaces.workspace import workspace_folder

_WIDTH = 100


def add_to(parent: typer.Typer) -> None:
    """Add the command to `benchwright`."""
    parent.command("explain")(explain)


def explain(
    rule: Annotated[str, typer.Argument(help="As the tool calls it, such as width-trunc, LATCH or always-comb.")],
    tool: Annotated[
        Literal["slang", "verilator", "verible", "any"], typer.Option(help="Whose rule, where several have one.")
    ] = "any",
    json_output: options.Json = False,
) -> None:
    """Explain a rule of slang, Verilator or verible, with a wrong and a right example.

    In the workspace of an attempt, explanations are left to the editor, which records their use.
    """
    from benchwright_verilog.findings.explained_rules import TOOLS, explained_rules, explanation_of_rule

    with plain_errors():
        if workspace_folder(Path.cwd()) is not None:
            raise ServerError("This is the workspace of an attempt. Ask in the editor, which records it.")
        searched_tools = TOOLS if tool == "any" else (tool,)
        explanation = next(
            (
                explained_rule
                for name in searched_tools
                if (explained_rule := explanation_of_rule(rule, name)) is not None
            ),
            None,
        )
        if explanation is None:
            names = [name for rule_tool in searched_tools for name in explained_rules(rule_tool)]
            similar_names = get_close_matches(rule, names, n=3) or get_close_matches(rule.upper(), names, n=3)
            hint = (
                f" Did you mean {' or '.join(similar_names)}?" if similar_names else " Copy its name from the message."
            )
            raise ServerError(f"No rule called {rule} is explained.{hint}")
    if json_output:
        print_json(asdict(explanation))
    else:
        # A page that is read, not a table: lines as long as a wide terminal are hard to follow.
        console.print(
            Markdown(explanation.markdown) if console.is_terminal else Text(explanation.markdown),
            width=_WIDTH,
            soft_wrap=True,
        )
