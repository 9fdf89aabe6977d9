"""`benchwright explain`."""

from __future__ import annotations

from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer
from rich.markdown import Markdown
from rich.text import Text

from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.errors import ServerError
from benchwright_server.workspaces.workspace_search import workspace_folder_containing
from benchwright_verilog.findings.explained_rules import (
    explained_rules,
    explanation_of_rule,
    tools_with_explained_rules,
)

_WIDTH = 100
_ANY = "any"
_TOOLS = f"{', '.join(tools_with_explained_rules())} or {_ANY}"


def add_to(parent: typer.Typer) -> None:
    """Add the command to `benchwright`."""
    parent.command("explain")(explain)


def explain(
    rule: Annotated[str, typer.Argument(help="As the tool calls it, such as width-trunc, LATCH or always-comb.")],
    tool: Annotated[str, typer.Option(help=f"Whose rule, where several have one: {_TOOLS}.")] = _ANY,
    json_output: options.Json = False,
) -> None:
    """Explain a rule of slang or of a lint tool, with a wrong and a right example.

    In the workspace of an attempt, explanations are left to the editor, which records their use.
    """
    with exit_on_expected_error():
        if workspace_folder_containing(Path.cwd()) is not None:
            raise ServerError("This is the workspace of an attempt. Ask in the editor, which records it.")
        searched_tools = [name for name in tools_with_explained_rules() if tool in (name, _ANY)]
        if not searched_tools:
            raise ServerError(f"No rules of {tool} are explained. Choose from {_TOOLS}.")
        explanation = explanation_of_rule(rule, "" if tool == _ANY else tool)
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
