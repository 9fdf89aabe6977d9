from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from lsprotocol.types import Position, Range, TextDocumentContentChangePartial

from benchwright_verilog.findings.piecewise import PiecewiseDiagnostics
from benchwright_verilog.semantics.compilation.diagnostics import SlangDiagnostic
from benchwright_verilog.syntax.documents import Documents

from ...support.designs.lone_file import lone_analysis

URI = "file:///a.sv"
PATH = Path("/a.sv")

DESIGN = """\
// é𝄞: before everything
module leaf #(parameter W = 4) (input logic [W-1:0] a, output logic [2:0] y);
  assign y = a;
endmodule

module top(input logic [7:0] x, output logic [2:0] y);
  leaf #(.W(8)) u (.a(x), .y(y));
endmodule
package p;
  typedef logic [3:0] nibble_t;
endpackage

module user import p::*; (input nibble_t n, output logic [1:0] o);
  assign o = n;
  missing m ();
endmodule

/* endmodule */
module lone(input a, output b);
  wire [3:0] narrow = 8'd255;
  assign b = a & unknown_name;
endmodule
"""
DIRECTIVES = "`timescale 1ns/1ps\n`define NARROW 8'd255\n" + DESIGN.replace("8'd255", "`NARROW")
LOOSE = "typedef logic [1:0] pair_t;\n" + DESIGN.replace("input a,", "input pair_t a,")
MARKED = "(* keep *)\n" + DESIGN.replace("module lone", "(* top *)\nmodule lone")


def whole(text: str) -> list[SlangDiagnostic]:
    diagnostics = lone_analysis(text).diagnostics
    # What ends in a macro ends nowhere in the file.
    return sorted(
        (replace(diagnostic, end=max(diagnostic.start, diagnostic.end)) for diagnostic in diagnostics), key=repr
    )


def pieces(piecewise: PiecewiseDiagnostics, documents: Documents) -> list[SlangDiagnostic]:
    document = documents.get(URI)
    assert document is not None
    return sorted(piecewise.diagnostics(document.units), key=repr)


@pytest.mark.parametrize("text", [DESIGN, DIRECTIVES, LOOSE, "", "\n", "module m;", "endmodule\n", "// only\n"])
def test_it_says_what_slang_says_of_the_whole(text: str) -> None:
    documents = Documents()
    documents.open(URI, 1, text)
    assert pieces(PiecewiseDiagnostics(PATH, is_alone=True), documents) == whole(text)


@pytest.mark.parametrize("text", [DESIGN, DIRECTIVES, LOOSE, MARKED])
def test_after_any_edits_it_says_what_slang_says_of_the_whole(text: str) -> None:
    dice = random.Random(7)
    documents = Documents()
    document = documents.open(URI, 1, text)
    piecewise = PiecewiseDiagnostics(PATH, is_alone=True)
    bits = [
        "\n",
        ";",
        "begin\n",
        "end\n",
        "endmodule\n",
        "module x;\n",
        "leaf",
        " wire q = 1;",
        "(",
        "`define A 1\n",
        "/*",
    ]
    bits += [
        "*/",
        "lone l();\n",
        "`NARROW",
        "input",
        "é",
        '"',
        "endpackage\n",
        "W",
        "p::nibble_t z;",
        "(* a",
        "*)",
        "`ifdef A\n",
        "`endif\n",
    ]
    for version in range(2, 122):
        start = dice.randrange(len(document.text) + 1)
        end = min(len(document.text), start + dice.choice([0, 0, 0, 1, 5, 30]))
        if version % 12 == 0:
            start, end, new_text = 0, len(document.text), text
        else:
            new_text = dice.choice(bits)
        edit_range = Range(document.lines.position(start), document.lines.position(end))
        document, _ = documents.change(
            URI, version, [TextDocumentContentChangePartial(text=new_text, range=edit_range)]
        )
        assert pieces(piecewise, documents) == whole(document.text), document.text


def test_only_what_is_connected_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    real = PiecewiseDiagnostics._slang_diagnostics

    def checked_piece(self: PiecewiseDiagnostics, text: str) -> tuple[SlangDiagnostic, ...]:
        looked.append(text)
        return real(self, text)

    monkeypatch.setattr(PiecewiseDiagnostics, "_slang_diagnostics", checked_piece)
    documents = Documents()
    documents.open(URI, 1, DESIGN)
    piecewise = PiecewiseDiagnostics(PATH, is_alone=True)
    pieces(piecewise, documents)
    line = DESIGN[: DESIGN.index("  assign b")].count("\n")
    content_change = TextDocumentContentChangePartial(text=" ", range=Range(Position(line, 0), Position(line, 0)))
    documents.change(URI, 2, [content_change])
    pieces(piecewise, documents)
    assert "module leaf" in looked[0]
    assert "module lone" in looked[1]
    assert "module leaf" not in looked[1]
    assert len(looked) == 2
