"""slang frees its symbols with their compilation."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from pathlib import Path

from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
from benchwright_verilog.semantics.names.navigation import definitions
from benchwright_verilog.semantics.names.occurrence import Target
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.documents import Documents

TEXT = """package p;
  class c #(type T = int);
    T prop;
    extern virtual function void go(int arg);
  endclass
  function void c::go(int arg); prop = arg; endfunction
endpackage
module sub #(parameter P = 1) (input a, output b); assign b = a & P; endmodule
module top;
  for (genvar g = 0; g < 2; g++) begin : blk
    wire w;
    sub #(.P(g)) u_sub (.a(1'b0), .b(w));
  end
  initial begin
    automatic p::c #(int) one = new;
    one.go(3);
  end
endmodule
"""


def targets(analysis: FileAnalysis) -> Iterator[Target]:
    """Targets that all names mean, and where they are declared."""
    for word in re.finditer(r"[A-Za-z_]\w*", TEXT):
        occurrence = analysis.occurrence_at(word.start())
        if occurrence is not None:
            yield occurrence.target
            yield from definitions(analysis, word.start())


def test_whatever_has_a_symbol_keeps_its_compilation(tmp_path: Path) -> None:
    (tmp_path / "a.sv").write_text(TEXT)
    project = Project(tmp_path, Documents())
    analysis = project.analysis_of(tmp_path / "a.sv")
    assert analysis is not None
    symbol_targets = [target for target in targets(analysis) if target.symbol is not None]
    assert {"c", "go", "prop", "sub", "P", "w", "u_sub", "g"} <= {target.name for target in symbol_targets}
    assert {id(target.kept_alive) for target in symbol_targets} == {id(analysis.lookup_compilation)}
    del project, analysis
    gc.collect()
    for target in symbol_targets:
        assert target.symbol is not None
        assert target.symbol.name == target.name
