"""View of an analysis in an author's editor: the survivors of a reference that lies in its pack's folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from benchwright_authoring.mutation.findings import MutantFinding, PackFindings
from benchwright_authoring.problem_files.problem_folder import is_authored_problem_folder

REPORT = "mutants.json"
"""Beside `pack.toml`: what `benchwright problems mutate --report` wrote there. No pack takes it in."""
_MOST_BYTES = 50_000_000


@dataclass(frozen=True)
class ReferenceFile:
    """A file of a reference in its pack's folder, `PACK/PROBLEM/hidden/reference/…`."""

    problem: Path
    """The problem's folder."""
    path: str
    """The file's path in a workspace."""

    @classmethod
    def from_path(cls, candidate_file: Path) -> ReferenceFile | None:
        """The reference file at a path; None if the file is not part of a reference."""
        for folder in candidate_file.parents:
            if (folder.parent.name, folder.name) == ("hidden", "reference"):
                problem = folder.parent.parent
                return (
                    cls(problem, candidate_file.relative_to(folder).as_posix())
                    if is_authored_problem_folder(problem)
                    else None
                )
        return None

    def current_survivors(self, current_content: bytes) -> list[MutantFinding]:
        """The survivors in this file, in the order of the text; none of another content than it has now.

        Args:
            current_content: The file's.
        """
        report = self.problem.parent / REPORT
        try:
            if report.stat().st_size > _MOST_BYTES:
                return []
            pack_findings = PackFindings.model_validate_json(report.read_bytes())
        except (OSError, ValidationError):
            return []
        survivors = [
            finding
            for problem in pack_findings.problems
            if problem.id == self.problem.name
            for finding in problem.survivors
        ]
        return [
            finding
            for finding in survivors
            if finding.mutant.path == self.path and finding.mutant.was_made_of(current_content)
        ]

    @property
    def first_cocotb_file(self) -> Path | None:
        """The first file of the harness that holds cocotb tests; None if there is none."""
        for file in sorted((self.problem / "hidden" / "harness").rglob("*.py")):
            try:
                if "@cocotb.test" in file.read_text(encoding="utf-8"):
                    return file
            except (OSError, UnicodeDecodeError):
                continue
        return None
