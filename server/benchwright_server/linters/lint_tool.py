"""What a lint tool is: a program that is run on a file when it is saved."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_problems.verdict import Model
from benchwright_verilog.findings.finding import Finding as EditorFinding
from benchwright_verilog.findings.finding import Level
from benchwright_verilog.findings.finding import Related as EditorRelated

if TYPE_CHECKING:
    from benchwright_verilog.actions.line_fix import Fix
    from benchwright_verilog.findings.source import Source
    from benchwright_verilog.settings import Lint
    from benchwright_verilog.syntax.lines import Lines


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    WARNING = "warning"


class Related(Model):
    """Another place that a finding is about. Lines and columns count from 1."""

    path: str
    line: int
    column: int
    message: str


class Finding(Model):
    """One thing a linter says about a place. Lines and columns count from 1; columns are the linter's own."""

    path: str
    line: int
    column: int
    end_column: int
    severity: Severity
    rule: str
    """The linter's own name, such as `WIDTHTRUNC`; empty for plain errors."""
    message: str
    related: tuple[Related, ...] = ()

    def at(self, source: Source, span: tuple[int, int], level: Level, root: Path) -> EditorFinding:
        """The finding as editors show it.

        Args:
            source: The tool.
            span: Where it is marked, in code points.
            level: How bad it is shown as.
            root: The folder that paths are relative to.
        """
        related = tuple(EditorRelated(root / one.path, one.line, one.column, one.message) for one in self.related)
        return EditorFinding(source, *span, level, self.rule, self.message, related)


@dataclass(frozen=True)
class SavedFile:
    """What is linted."""

    path: Path
    lines: Lines
    """What was saved."""
    folder: Path | None
    """The workspace that the file belongs to; None if it is in none."""
    cache: Path
    """Where toolchains are."""
    settings: Lint


@dataclass(frozen=True)
class LintTool:
    """One tool. The registry lists them all."""

    source: Source
    """Its name, its rank among the tools, the pages of its rules and how they are waived."""
    runs: str
    """What is run, for the reference, such as `` `--lint-only -Wall` ``."""
    lint: Callable[[SavedFile], Awaitable[Sequence[EditorFinding]]]
    """Finds problems; a `HarnessError` is shown to the user, and nothing found."""
    is_on: Callable[[Lint], bool] = lambda settings: True
    """Whether the user wants it."""
    needs_folder: bool = False
    """Whether it needs the other files of a workspace; then it is not run without one."""
    fixes: Callable[[str, str, Lint], Awaitable[Sequence[Fix]]] | None = None
    """Its own fixes of everything that it finds in a file's text, by the file's name, if it has any."""
