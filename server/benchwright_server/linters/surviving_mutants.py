"""Faults of a reference that its harness does not notice, for its author: what `benchwright problems mutate` found."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from benchwright_server.linters.lint_tool import LintTool, SavedFile
from benchwright_verilog.findings.finding import Finding, Level
from benchwright_verilog.findings.source import FindingTool

if TYPE_CHECKING:
    from benchwright_authoring.mutation.findings import MutantFinding as Survivor

_SOURCE = FindingTool("mutants", 3, "", None)
_LONGEST = 60


async def _survivor_findings(saved_file: SavedFile) -> list[Finding]:
    # Only an author's folder holds references.
    if "reference" not in saved_file.path.parts:
        return []
    from benchwright_authoring.mutation.author_folder import ReferenceFile

    def survivors() -> list[Survivor]:
        reference = ReferenceFile.from_path(saved_file.path)
        return [] if reference is None else reference.current_survivors(saved_file.lines.data)

    findings = []
    for survivor in await asyncio.to_thread(survivors):
        start, end = saved_file.lines.from_byte(survivor.mutant.start), saved_file.lines.from_byte(survivor.mutant.end)
        findings.append(
            Finding(_SOURCE, start, end, Level.INFORMATION, survivor.mutant.kind, _survivor_message(survivor))
        )
    return findings


def _survivor_message(survivor: Survivor) -> str:
    old_text, new_text = (_shortened_line(text) for text in (survivor.mutant.before, survivor.mutant.after))
    change_text = f"{new_text} for {old_text}" if new_text else f"{old_text} left out"
    differs = survivor.counterexample
    difference = f" It differs {differs.cycle_and_parameters_text}." if differs is not None else ""
    if differs is not None and differs.parameters:
        difference += " No test is offered: the harness would have to run it with these parameters."
    return f"No hidden test notices {change_text}.{difference} [{survivor.mutant.id}]"


def _shortened_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


SURVIVORS = LintTool(_SOURCE, "`mutants.json` beside `pack.toml`, for authors", _survivor_findings)
