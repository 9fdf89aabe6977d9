"""The analysis of a file that belongs to no folder."""

from __future__ import annotations

from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.documents import Documents


def lone_analysis(text: str, name: str = "a.sv") -> FileAnalysis:
    """slang's analysis of a text in an editor, with nothing of the disk."""
    documents = Documents()
    return Project(None, documents).analysis(documents.open(f"file:///{name}", 1, text))
