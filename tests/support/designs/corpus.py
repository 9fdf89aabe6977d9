"""Real designs to try the language server on: built-in problems, published samples, examples of tools, nasty ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
_SAMPLES = ROOT.parent / "shared" / "data"
_TOOL_EXAMPLES = Path("/usr/share/doc/iverilog/examples")
_SUFFIXES = frozenset({".v", ".vh", ".sv", ".svh"})
_MAX_BYTES = 200_000


@dataclass(frozen=True)
class Design:
    """Files that belong together: relative path → text."""

    name: str
    files: Mapping[str, str]


def designs() -> list[Design]:
    """All that are at hand, the nasty ones first; samples that are not on this machine are left out."""
    all_designs = [
        *_hand_written_edge_cases(),
        *_built_in_pack_designs(),
        *_json_samples(),
        *_cvdp_sample_designs(),
        *_tool_examples(),
    ]
    return [design for design in all_designs if design.files]


def _hand_written_edge_cases() -> Iterator[Design]:
    for name, text in NASTY.items():
        yield Design(f"nasty-{name}", {f"{name}.sv": text})
    yield Design("nasty-includes", INCLUDES)


def _built_in_pack_designs() -> Iterator[Design]:
    packs = ROOT / "problems" / "benchwright_problems" / "packs" / "starter"
    for folder in sorted({path.parent for path in packs.rglob("*") if path.suffix in _SUFFIXES}):
        files = {path.name: _text_within_limit(path) for path in sorted(folder.iterdir()) if path.suffix in _SUFFIXES}
        yield Design("starter-" + "-".join(folder.relative_to(packs).parts), files)


def _json_samples() -> Iterator[Design]:
    """VerilogEval, ChipBench, RTLLM: an object path → text; files of a problem share all but `_ref`, or a folder."""
    for path in sorted(_SAMPLES.glob("*/*_sample.json")):
        groups: dict[str, dict[str, str]] = {}
        for name, text in json.loads(path.read_text()).items():
            if Path(name).suffix in _SUFFIXES:
                folder, _, file = name.rpartition("/")
                group = folder if path.stem.startswith("rtllm") else file.rpartition("_")[0]
                groups.setdefault(group, {})[file] = text
        for group, files in groups.items():
            yield Design(f"{path.stem}-{group.replace('/', '-')}", files)


def _cvdp_sample_designs() -> Iterator[Design]:
    """Every record of CVDP, whatever its form: all texts under a key that is a design file's path."""
    for path in sorted(_SAMPLES.glob("cvdp/*_with_solutions.jsonl")):
        for line in path.read_text().splitlines():
            record = json.loads(line)
            files = {name.lstrip("/"): text for name, text in _verilog_texts_within(record)}
            yield Design(f"{path.stem}-{record.get('id', '')}", files)


def _verilog_texts_within(dataset_record: Any) -> Iterator[tuple[str, str]]:
    for key, inner in dataset_record.items():
        if isinstance(inner, dict):
            yield from _verilog_texts_within(inner)
        elif isinstance(inner, str) and Path(key).suffix in _SUFFIXES and ".." not in key:
            yield key, inner


def _tool_examples() -> Iterator[Design]:
    if _TOOL_EXAMPLES.is_dir():
        for path in sorted(_TOOL_EXAMPLES.glob("*.v")):
            yield Design(f"iverilog-{path.stem}", {path.name: _text_within_limit(path)})


def _text_within_limit(source_file: Path) -> str:
    return source_file.read_bytes()[:_MAX_BYTES].decode("utf-8", "replace")


INCLUDES = {
    "top.sv": '`include "defs.svh"\nmodule top(input `BUS a); sub #(.W(`WIDTH)) u(.*);'
    " `ifdef DEEP wire d; `endif endmodule\n",
    "sub.sv": "module sub #(parameter W = 1)(input [W-1:0] a); endmodule\n",
    "defs.svh": "`ifndef DEFS\n`define DEFS\n`define WIDTH 4\n`define BUS logic [`WIDTH-1:0]\n`endif\n",
}

NASTY = {
    "empty": "",
    "blank": " \n\t\f\r\n\r",
    "line-ends": "module a;\rwire x;\r\nwire y;\n\rendmodule\r",
    "separators": "module a; // \u2028 \x85 \x0b\n/* \f */ wire x\f; endmodule\n",
    "pairs": '// 𝄞𝄞\nmodule a; string s = "é漢𝄞"; /* 𝄞 */ wire \\𝄞 ; endmodule\n',
    "marked": "\ufeffmodule a; endmodule\n",
    "null": "module a\0; endmodule\n",
    "unclosed-comment": "module a; /* wire x;\nendmodule\n",
    "unclosed-string": 'module a; initial $display("x\n); endmodule\n',
    "unclosed-define": "`define A(x \\\n x + \\\nmodule a; endmodule\n`A(1\n",
    "recursive-macro": "`define A `B\n`define B `A\nmodule a; wire x = `A; endmodule\n",
    "itself": '`include "itself.sv"\nmodule a; endmodule\n',
    "conditions": "`ifdef A\n`elsif B\nmodule b;\n`else\nmodule c;\n`endif\n`endif\n`else\nendmodule\n",
    "deep": "module a; assign x = " + "(" * 200 + "1" + ")" * 200 + ";\nendmodule\n",
    "else-if": "module a(input [9:0] x, output reg y);\nalways_comb\n"
    + "".join(f"  if (x == {number}) y = 0; else\n" for number in range(150))
    + "  y = 1;\nendmodule\n",
    "blocks": "module a; initial " + "begin " * 120 + "end " * 120 + "endmodule\n",
    "long-line": "module a; wire " + ", ".join(f"w{number}" for number in range(1500)) + "; endmodule\n",
    "loop": "module a #(parameter N = 3)(); generate if (N > 0) begin : g a #(N - 1) u(); end endgenerate endmodule\n",
    "endless": "module a; a u(); endmodule\n",
    "twice": "module a; endmodule\nmodule a; wire x; endmodule\nmodule b; a u1(); a u2(); endmodule\n",
    "names": "module \\begin ; wire \\a+b , \\end ; assign \\a+b = \\end ; endmodule : \\begin \n",
    "types": "package p; typedef enum {A, B} e; typedef struct packed {e x; logic [3:0] y;} s; class c #(type T = int);"
    " T v; function T get(); return v; endfunction endclass endpackage\nmodule m; import p::*; s v; c #(s) o;\n"
    "initial begin o = new; v = o.get(); v.x = A; v.y[2] = 1'b1; $display(v.x.name()); end endmodule\n",
    "buses": "interface i(input clk); logic d; modport m(input d, clk); modport s(output d); task t; d <= 1; endtask"
    " endinterface\nmodule u(i.s b); initial b.t(); endmodule\nmodule t; bit clk; i x(clk); u y(x.s); endmodule\n",
    "numbers": "module n; wire [63:0] a = 64'hdead_BEEF, b = 'x, c = 8'b1?z, d = 1_0.5e-3,"
    " e = 4 'sd 3, f = 1step; endmodule\n",
    "old": "module o(a, b, c); input a; output b; inout [3:0] c; reg b; always @(a or c) b <= a ? c[0] : ~c[1]; specify"
    " (a => b) = 1; endspecify endmodule\nprimitive p(o, i); output o; input i; table 0 : 1; 1 : 0; endtable"
    " endprimitive\n",
    "assertions": "module s(input clk, a, b); property p; @(posedge clk) a |=> ##[1:3] b; endproperty\n"
    'l: assert property (p) else $error("no"); covergroup g @(posedge clk); coverpoint a { bins x = {0}; } endgroup\n'
    "g c = new; sequence q; a ##1 b; endsequence cover property (@(posedge clk) q); endmodule\n",
    "not-verilog": "#include <stdio.h>\nint main() { return 0; } // { ( [ ' \" `\n",
    "word": "mox",
    "expression": "a + b\n",
    "statement": "always_comb begin x = 1; end\nx <= 2;\n",
    "half": "module top(input clk, output reg q);\n  always @(posedge clk) begin\n    if (",
}
"""Texts that are hard to read, one for each way in which they are."""
