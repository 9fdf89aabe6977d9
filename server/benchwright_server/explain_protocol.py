"""The `benchwright/*` messages that explain findings and failures; see `protocol`."""

from __future__ import annotations

from pydantic import Field

from benchwright_server.protocol import Wire


class ExplainFindingParams(Wire):
    """Parameters of `benchwright/explainFinding`."""

    uri: str
    """The file with the finding."""
    code: str = Field(max_length=200)
    """The rule, as `Diagnostic.code`."""
    source: str = ""
    """The tool, as `Diagnostic.source`; empty for the first that has such a rule."""


class FindingExplanation(Wire):
    """Result of `benchwright/explainFinding`."""

    code: str
    source: str
    about: str
    """What is found and why it matters; Markdown."""
    fix: str
    """What to do; Markdown."""
    wrong: str
    """SystemVerilog that has the finding."""
    right: str
    """SystemVerilog that does not."""
    markdown: str
    """All of it as a page."""
    page: str
    """The tool's own page about the rule."""
