"""One thing that a tool reports about a part of an open document."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from benchwright_verilog.findings.source import FindingTool


class Level(Enum):
    """Severity of a finding; the numbers are LSP's `DiagnosticSeverity`."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3
    HINT = 4


@dataclass(frozen=True)
class RelatedPlace:
    """Another location that a finding is about. Lines and columns count from 1, columns in code points."""

    path: Path
    line: int
    column: int
    message: str


@dataclass(frozen=True)
class Finding:
    """Offsets are code points of the document."""

    source: FindingTool
    start: int
    end: int
    level: Level
    rule: str
    """The tool's own name; empty for errors that have none."""
    message: str
    related: tuple[RelatedPlace, ...] = ()
