from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_verilog.language.completion.names_in_scope import members_reached_through, scopes_at, symbol_at_path
from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
from benchwright_verilog.semantics.names.occurrence import NameRole, TargetKind
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.documents import Documents

from ...support.designs.lone_file import lone_analysis

DESIGN = """\
`define INC(x) ((x) + 1)
package p;
  typedef enum logic [1:0] {IDLE, BUSY} state_t;
  function automatic int f(int a); return a; endfunction
endpackage
interface bus(input logic clk);
  logic [7:0] data;
  modport master(output data, input clk);
endinterface
module child #(parameter int N = 3)(input logic [N-1:0] i, output logic o, bus.master b);
  import p::*;
  state_t state;
  assign o = i[0];
  always_ff @(posedge b.clk) begin : blk
    int z;
    z = f(3);
    b.data <= z;
    state <= p::IDLE;
  end
endmodule : child
module top;
  logic [4:0] i;
  logic o, clk;
  bus bb(.clk);
  child #(.N(5)) c(.i(i), .o(o), .b(bb));
  initial c.state = p::BUSY;
  int n = `INC(i);
endmodule
"""


def analysis(text: str) -> FileAnalysis:
    return lone_analysis(text)


def roles(text: str, name: str) -> list[tuple[str, NameRole]]:
    analysed = analysis(text)
    return [
        (analysed.outline.data[: occurrence.start].decode().rpartition("\n")[2].strip(), occurrence.role)
        for occurrence in analysed.occurrences()
        if occurrence.target.name == name
    ]


@pytest.mark.parametrize(
    ("snippet", "target_kind", "declared_text"),
    [
        ("state <=", TargetKind.VARIABLE, "state;"),
        ("BUSY;", TargetKind.ENUM_VALUE, "BUSY}"),
        ("f(3)", TargetKind.FUNCTION, "f(int"),
        ("data <=", TargetKind.VARIABLE, "data;"),
        ("clk) begin", TargetKind.PORT, "clk);\n  logic"),
        ("N(5)", TargetKind.PARAMETER, "N = 3"),
        ("i(i)", TargetKind.PORT, "i, output"),
        ("child #(.N", TargetKind.MODULE, "child #(parameter"),
        ("bus bb", TargetKind.INTERFACE, "bus(input"),
        ("master b", TargetKind.MODPORT, "master(output"),
        ("c.state", TargetKind.INSTANCE, "c(.i"),
        ("state = p", TargetKind.VARIABLE, "state;"),
        ("INC(i)", TargetKind.MACRO, "INC(x)"),
        ("state_t state", TargetKind.TYPE, "state_t;"),
    ],
)
def test_a_name_means_what_slang_means(snippet: str, target_kind: TargetKind, declared_text: str) -> None:
    occurrence = analysis(DESIGN).occurrence_at(DESIGN.index(snippet))
    assert occurrence is not None
    assert (occurrence.target.target_kind, occurrence.target.start) == (target_kind, DESIGN.index(declared_text))


def test_roles_tell_what_is_done_with_a_name() -> None:
    assert roles(DESIGN, "z") == [("int", NameRole.DECLARATION), ("", NameRole.WRITE), ("b.data <=", NameRole.READ)]
    assert [role for _, role in roles(DESIGN, "f")] == [NameRole.DECLARATION, NameRole.CALL]
    assert [role for _, role in roles(DESIGN, "child")] == [NameRole.DECLARATION, NameRole.END, NameRole.INSTANTIATION]
    assert [role for _, role in roles(DESIGN, "p")] == [
        NameRole.DECLARATION,
        NameRole.IMPORT,
        NameRole.NAME,
        NameRole.NAME,
    ]


def test_an_output_port_writes_what_it_is_connected_to() -> None:
    analysed = analysis(DESIGN)
    connected = analysed.occurrence_at(DESIGN.index("o), .b"))
    assert connected is not None
    assert connected.role is NameRole.WRITE


def test_a_shorthand_connection_means_two_things() -> None:
    port, net = analysis(DESIGN).occurrences_at(DESIGN.index("clk);\n  child"))
    assert (port.role, port.is_shorthand) == (NameRole.CONNECTION, False)
    assert (net.target.start, net.is_shorthand) == (DESIGN.index("clk;\n  bus"), True)


def test_what_stands_in_a_macros_parentheses_has_its_own_place() -> None:
    (inner_occurrence,) = [
        occurrence
        for occurrence in analysis(DESIGN).occurrences()
        if occurrence.start == DESIGN.index("i);\nendmodule")
    ]
    assert inner_occurrence.target.start == DESIGN.index("i;\n  logic o")
    assert not inner_occurrence.is_generated


def test_what_a_macro_writes_stands_where_it_is_used() -> None:
    text = "`define DECLARE wire w;\nmodule m;\n`DECLARE\nassign w = 1;\nendmodule\n"
    occurrence = analysis(text).occurrence_at(text.index("w = 1"))
    assert occurrence is not None
    assert (occurrence.target.is_generated, occurrence.target.start) == (True, text.index("`DECLARE\n"))


@pytest.mark.parametrize(
    "text",
    ["", "\n", "module", "module m(", "class", "`", "`define", '`include "', "module m; assign = ; x.y.z = endmodule"],
)
def test_half_typed_text_has_no_more_than_it_has(text: str) -> None:
    analysed = analysis(text)
    assert all(analysed.occurrence_at(byte) is None or text for byte in range(len(text) + 1))
    analysed.occurrences()
    scopes_at(analysed, len(text))


def test_every_name_is_found_from_its_place_as_from_the_whole_file() -> None:
    analysed = analysis(DESIGN)
    for occurrence in analysed.occurrences():
        assert occurrence in analysed.occurrences_at(occurrence.start)
        assert occurrence in analysed.occurrences_at(occurrence.end), DESIGN[occurrence.start : occurrence.end]


def test_the_scope_is_the_innermost() -> None:
    analysed = analysis(DESIGN)
    names = [
        scopes_at(analysed, DESIGN.index(snippet))[0].name for snippet in ("return a", "int z", "assign o", "import p")
    ]
    assert names == ["f", "blk", "child", "child"]
    assert scopes_at(analysed, 0)[0].kind.name == "CompilationUnit"


def test_members_are_those_of_the_type() -> None:
    text = "module m; typedef struct packed {logic a; logic [2:0] b;} t; t [3:0] x; assign x[1].b = 1; endmodule\n"
    analysed = analysis(text)
    x = symbol_at_path(analysed, text.index("assign"), ("x",))
    assert x is not None
    assert [member.name for member in members_reached_through(x)] == ["a", "b"]


def test_names_of_the_same_word_are_kept_apart() -> None:
    text = (
        "module m; int i; initial begin int i; i = 1; end initial i = 2;\n"
        "for (genvar i = 0; i < 2; i++) begin : g wire w = i; end endmodule\n"
    )
    analysed = analysis(text)
    start_pairs = [
        (occurrence.start, occurrence.target.start)
        for occurrence in analysed.occurrences()
        if occurrence.target.name == "i"
    ]
    outer, inner_start, genvar = (
        text.index(text_part) + skip for text_part, skip in (("int i", 4), ("begin int i", 10), ("genvar i", 7))
    )
    assert [target for _, target in start_pairs] == [
        outer,
        inner_start,
        inner_start,
        outer,
        genvar,
        genvar,
        genvar,
        genvar,
    ]


def test_ports_declared_twice_are_one_thing() -> None:
    text = "module m(a, q);\ninput a; output q; reg q; wire a;\nalways @* q = a;\nendmodule\n"
    analysed = analysis(text)
    for name in "aq":
        assert len({occurrence.target for occurrence in analysed.occurrences() if occurrence.target.name == name}) == 1
        assert sum(occurrence.target.name == name for occurrence in analysed.occurrences()) == 4


def test_names_of_modules_that_nobody_instantiates_are_known() -> None:
    text = "module m #(parameter W)(); if (W) begin : g wire x; assign x = 1; end endmodule\n"
    occurrence = analysis(text).occurrence_at(text.index("x = 1"))
    assert occurrence is not None
    assert occurrence.target.start == text.index("x; assign")


def test_escaped_names_are_names() -> None:
    text = "module m; wire \\a-b ; assign \\a-b = 1; endmodule\n"
    occurrence = analysis(text).occurrence_at(text.index("\\a-b = "))
    assert occurrence is not None
    assert (occurrence.target.name, occurrence.target.start) == ("a-b", text.index("\\a-b ;"))


def test_offsets_are_bytes() -> None:
    text = "module m; /* é𝄞 */ wire w; assign w = 1; endmodule\n"
    occurrence = analysis(text).occurrence_at(len(text[: text.index("w = 1")].encode()))
    assert occurrence is not None
    assert occurrence.target.start == len(text[: text.index("w;")].encode())


def test_an_analysis_tells_the_file_of_each_name(tmp_path: Path) -> None:
    (tmp_path / "a.sv").write_text("module top; sub s(); endmodule\n")
    (tmp_path / "b.sv").write_text("module sub; endmodule\n")
    analysed = Project(tmp_path, Documents()).analysis_of(tmp_path / "a.sv")
    assert analysed is not None
    inner_occurrence = analysed.occurrence_at(12)
    assert inner_occurrence is not None
    assert (inner_occurrence.path, inner_occurrence.target.path) == (tmp_path / "a.sv", tmp_path / "b.sv")
