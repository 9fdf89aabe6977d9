"""Modules with `parameter type`: looked at as an instance sees them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.documents import Documents

PACKAGE = "package p;\n  typedef struct packed { logic [7:0] data; logic valid; } req_t;\nendpackage\n"
LEAF = """module leaf #(
    parameter type req_t = logic,
    parameter int Width = $bits(req_t)
) (
    input req_t req_i,
    output logic [Width-1:0] bits_o
);
  req_t held;
  assign held = req_i;
  assign bits_o = {held.data, req_i.valid};
endmodule
"""
MIDDLE = """module middle #(parameter type req_t = logic) (input req_t req_i);
  logic [1:0][8:0] bits;
  for (genvar i = 0; i < 2; i++) begin : g_leaf
    leaf #(.req_t(req_t)) u_leaf (.req_i(req_i), .bits_o(bits[i]));
  end
endmodule
"""
TOP = "module top;\n  p::req_t req;\n  middle #(.req_t(p::req_t)) u_middle (.req_i(req));\nendmodule\n"
PLACED = {"p.sv": PACKAGE, "leaf.sv": LEAF, "middle.sv": MIDDLE, "top.sv": TOP}


def analysis(folder: Path, files: Mapping[str, str], name: str) -> FileAnalysis:
    for file, text in files.items():
        (folder / file).write_text(text)
    analysed = Project(folder, Documents()).analysis_of(folder / name)
    assert analysed is not None
    return analysed


def messages(folder: Path, files: Mapping[str, str], name: str) -> list[str]:
    return [diagnostic.message for diagnostic in analysis(folder, files, name).diagnostics]


@pytest.mark.parametrize("is_listed", [False, True])
@pytest.mark.parametrize("omitted_files", [(), ("top.sv",), ("top.sv", "middle.sv")])
def test_a_module_has_no_errors_that_only_a_placeholder_causes(
    tmp_path: Path, is_listed: bool, omitted_files: tuple[str, ...]
) -> None:
    files = {name: text for name, text in PLACED.items() if name not in omitted_files}
    names = list(files)
    if is_listed:
        files["all.f"] = "\n".join(names)
    assert [messages(tmp_path, files, name) for name in names] == [[]] * len(names)


def test_an_instance_decides_what_is_an_error(tmp_path: Path) -> None:
    wrong_files = {**PLACED, "leaf.sv": LEAF.replace("held.data", "held.date")}
    assert messages(tmp_path, wrong_files, "leaf.sv") == ["no member named 'date' in 'req_t'"]


def test_other_errors_stay_where_types_are_unknown(tmp_path: Path) -> None:
    text = LEAF.replace("endmodule", "  absent u_absent ();\n  sub u_sub (.nope(held.data));\nendmodule")
    files = {"leaf.sv": text.replace("= req_i", "= missing"), "sub.sv": "module sub (input logic a); endmodule\n"}
    assert sorted(messages(tmp_path, files, "leaf.sv")) == [
        "input port 'a' has no connection",
        "port 'nope' does not exist in 'sub'",
        "unknown module 'absent'",
        "use of undeclared identifier 'missing'",
    ]


def test_an_interface_port_is_checked_where_types_are_unknown(tmp_path: Path) -> None:
    bus = "interface bus; logic ready; endinterface\n"
    ports = "module m #(parameter type T = logic) (bus b, input T t);\n"
    text = f"{ports}  assign b.ready = t.x;\n  assign b.no = 1;\nendmodule\n"
    assert messages(tmp_path, {"bus.sv": bus, "m.sv": text}, "m.sv") == [
        "could not resolve hierarchical path name 'no'"
    ]


def test_a_default_of_several_bits_is_a_type(tmp_path: Path) -> None:
    text = LEAF.replace("req_t = logic", "req_t = logic [8:0]")
    assert messages(tmp_path, {"leaf.sv": text}, "leaf.sv")[0].startswith("invalid member access")


def test_members_are_found_as_an_instance_has_them(tmp_path: Path) -> None:
    analysed = analysis(tmp_path, PLACED, "leaf.sv")
    occurrence = analysed.occurrence_at(LEAF.index("data, req_i"))
    assert occurrence is not None
    assert (occurrence.target.path.name, occurrence.target.start) == ("p.sv", PACKAGE.index("data"))
