"""Files that nobody wrote by hand."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from benchwright_verilog.findings.piecewise import PiecewiseDiagnostics
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.documents import Documents

DEEP = 4_000


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_a_pipe_named_like_a_design_file_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.sv").write_text("module a; b u_b (); endmodule\n")
    for name in ("b.sv", "b.svh", "all.f"):
        os.mkfifo(tmp_path / name)
    project = Project(tmp_path, Documents())
    analysis = project.analysis_of(tmp_path / "a.sv")
    assert analysis is not None
    assert [diagnostic.message for diagnostic in analysis.diagnostics] == ["unknown module 'b'"]
    assert project.analysis_of(tmp_path / "b.sv") is None
    assert project.paths == [tmp_path / "a.sv"]


def nested(depth: int) -> str:
    begin_words, end_words = "begin " * depth, "end " * depth
    return (
        f"module m;\n  int x;\n  initial {begin_words}\n    x = y;\n  {end_words}\nendmodule\n"
        "module n; absent u (); endmodule\n"
    )


def test_thousands_of_nested_blocks_are_analysed(tmp_path: Path) -> None:
    path = tmp_path / "m.sv"
    path.write_text(nested(DEEP))
    analysis = Project(tmp_path, Documents()).analysis_of(path)
    assert analysis is not None
    assert [diagnostic.message for diagnostic in analysis.diagnostics] == [
        "use of undeclared identifier 'y'",
        "unknown module 'absent'",
    ]
    occurrence = analysis.occurrence_at(path.read_text().index("x = y"))
    assert occurrence is not None
    assert occurrence.target.start == path.read_text().index("x;")


@pytest.mark.parametrize(("depth", "diagnostic_count"), [(DEEP, 2), (20_000, 1)])
def test_a_large_file_of_nested_blocks_is_analysed_in_pieces(depth: int, diagnostic_count: int) -> None:
    document = Documents().open("file:///m.sv", 1, nested(depth))
    assert len(PiecewiseDiagnostics(Path("/m.sv"), is_alone=False).diagnostics(document.units)) == diagnostic_count


def test_a_port_that_its_module_does_not_find_again_is_looked_up(tmp_path: Path) -> None:
    path = tmp_path / "o.sv"
    path.write_text("module o(b,;unctin int f g b")
    analysis = Project(tmp_path, Documents()).analysis_of(path)
    assert analysis is not None
    assert all(len(analysis.occurrences_at(byte)) <= 2 for byte in range(path.stat().st_size))
