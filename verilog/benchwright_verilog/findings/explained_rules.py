"""Meanings of rules of slang and of lint tools, with a wrong and a right example of each.

They are in `explained/TOOL.toml`, which is all that a tool needs, a table for each rule:

    [LATCH]
    about = "A combinational block leaves a variable unassigned on some path. …"
    fix = "Assign a default at the top of the block …"
    wrong = "…"
    right = "…"
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

_FOLDER = resources.files(__package__).joinpath("explained")


@dataclass(frozen=True)
class ExplainedRule:
    """One rule of one tool. The examples are files called `example.sv`."""

    tool: str
    """One of `tools_with_explained_rules`."""
    rule: str
    """As the tool calls it, such as `width-trunc` or `WIDTHTRUNC`."""
    about: str
    """The fault that is found, and why it matters; inline Markdown."""
    fix: str
    """The remedy; inline Markdown."""
    wrong: str
    """SystemVerilog in which the tool reports the rule."""
    right: str
    """The same without it."""

    @property
    def markdown(self) -> str:
        """All of it as a page."""
        return (
            f"# {self.rule}\n\nA rule of {self.tool}.\n\n{self.about}\n\n**What to do:** {self.fix}\n\n"
            f"## Wrong\n\n{_fenced_systemverilog(self.wrong)}\n\n## Right\n\n{_fenced_systemverilog(self.right)}\n"
        )


def explanation_of_rule(rule: str, tool: str = "") -> ExplainedRule | None:
    """The explanation of a rule; None if there is none.

    Args:
        rule: As the tool calls it.
        tool: The tool that has the rule; empty for the first tool that has it.
    """
    for name in (tool,) if tool else tools_with_explained_rules():
        explanation = explained_rules(name).get(rule)
        if explanation is not None:
            return explanation
    return None


def tools_with_explained_rules() -> tuple[str, ...]:
    """The tools that have rules that are explained; first slang, which runs while typing."""
    names = {file.name.removesuffix(".toml") for file in _FOLDER.iterdir()}
    return ("slang", *sorted(names - {"slang"}))


@cache
def explained_rules(tool: str) -> Mapping[str, ExplainedRule]:
    """The rules of a tool that are explained, by their names; none of an unknown tool."""
    if tool not in tools_with_explained_rules():
        return {}
    text = _FOLDER.joinpath(f"{tool}.toml").read_text(encoding="utf-8")
    return {rule: ExplainedRule(tool, rule, **texts) for rule, texts in tomllib.loads(text).items()}


def _fenced_systemverilog(code: str) -> str:
    return f"```systemverilog\n{code.rstrip(chr(10))}\n```"
