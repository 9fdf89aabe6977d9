"""Lint tools: programs that run on a file when it is saved."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_foundation.model import Model
from benchwright_verilog.findings.finding import Finding as EditorFinding
from benchwright_verilog.findings.finding import Level
from benchwright_verilog.findings.finding import RelatedPlace as EditorRelated

if TYPE_CHECKING:
    from benchwright_verilog.actions.line_fix import Fix
    from benchwright_verilog.findings.source import FindingTool
    from benchwright_verilog.settings import LintRuleSettings
    from benchwright_verilog.syntax.lines import Lines


class LintSeverity(StrEnum):
    """Severity of a finding."""

    ERROR = "error"
    WARNING = "warning"


class RelatedLocation(Model):
    """Another location that a finding refers to. Lines and columns count from 1."""

    path: str
    line: int
    column: int
    message: str


class LintFinding(Model):
    """One finding of a linter. Lines and columns count from 1; columns are counted as the linter does."""

    path: str
    line: int
    column: int
    end_column: int
    severity: LintSeverity
    rule: str
    """The linter's own name, such as `WIDTHTRUNC`; empty for plain errors."""
    message: str
    related: tuple[RelatedLocation, ...] = ()

    def editor_finding(
        self, source: FindingTool, marked_code_points: tuple[int, int], level: Level, root: Path
    ) -> EditorFinding:
        """The finding as shown in editors.

        Args:
            source: The tool.
            marked_code_points: The marked range, in code points.
            level: Its severity in the editor.
            root: The folder that paths are relative to.
        """
        related = tuple(
            EditorRelated(root / related_place.path, related_place.line, related_place.column, related_place.message)
            for related_place in self.related
        )
        return EditorFinding(source, *marked_code_points, level, self.rule, self.message, related)


@dataclass(frozen=True)
class SavedFile:
    """A saved file to lint."""

    path: Path
    lines: Lines
    """Its content."""
    folder: Path | None
    """The workspace that the file belongs to; None if there is none."""
    cache: Path
    """The folder of the toolchains."""
    settings: LintRuleSettings


@dataclass(frozen=True)
class LintTool:
    """One tool. The registry lists them all."""

    source: FindingTool
    """Its name, rank among the tools, rule documentation and waiver syntax."""
    options_text: str
    """The options that it runs with, for the reference, such as `` `--lint-only -Wall` ``."""
    lint: Callable[[SavedFile], Awaitable[Sequence[EditorFinding]]]
    """Lints a file; a `HarnessError` is shown to the user and counts as no findings."""
    needs_folder: bool = False
    """True if it needs the other files of a workspace; if so, it does not run outside workspaces."""
    fixes: Callable[[str, str, LintRuleSettings], Awaitable[Sequence[Fix]]] | None = None
    """Its own fixes, if it has any, for everything that it finds in a file of a given name and content."""
