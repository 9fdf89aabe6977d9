"""The tools that find something in a file."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from urllib.parse import quote


class WaiverStyle(Enum):
    """The form in which a comment in a file waives a rule of a tool."""

    LINT_OFF = "// {source} lint_off {rule}"
    """Until `lint_on`; both in lines of their own."""
    WAIVE_LINE = "// verilog_lint: waive {rule}"
    """For the line below it."""


@dataclass(frozen=True)
class FindingTool:
    """One tool; `str` gives the name that editors show with its findings."""

    name: str
    rank: int
    """Of tools that report the same on a line, the one with the lowest rank is shown."""
    page_url_template: str
    """The page that explains a rule: an address with `{}` for the rule."""
    waiver_style: WaiverStyle | None = WaiverStyle.LINT_OFF
    """None if its findings can't be waived."""

    def __str__(self) -> str:
        return self.name

    def rule_page_url(self, rule: str) -> str | None:
        """The page that explains a rule; None for an error, which has no rule."""
        return self.page_url_template.format(quote(rule)) if rule else None


SLANG = FindingTool("slang", 0, "https://sv-lang.com/warning-ref.html#{}")
"""The analyser in this package, which runs while typing. The tools that run on save are declared by the server."""
