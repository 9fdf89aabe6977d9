from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchwright_verilog.semantics.project.projects import Projects
from benchwright_verilog.settings import ProjectSettings as ProjectSettings
from benchwright_verilog.syntax.documents import Documents

SYNC = """
module sync #(W = 1) (input logic clk, input logic [W-1:0] d, output logic [W-1:0] q);
  logic [W-1:0] first;
  always_ff @(posedge clk) begin first <= d; q <= first; end
endmodule
"""
HEAD = "module top(input logic a, b, rst_n, x, output logic y);\n  logic r;\n  always_ff @(posedge a) r <= x;\n"


def crossing_names(tmp_path: Path, text: str, *, is_enabled: bool = True) -> list[tuple[str, int]]:
    """The names at the candidates, with their lines."""
    file = tmp_path / "top.sv"
    file.write_text(text)
    documents = Documents()
    projects = Projects(documents, lambda: ProjectSettings(clock_crossings=is_enabled))
    projects.change_folders([tmp_path], [])
    documents.open(file.as_uri(), 1, text)
    document = documents.get(file.as_uri())
    assert document is not None
    analysis = projects.project_of(document).analysis(document)
    assert not [diagnostic for diagnostic in analysis.diagnostics if diagnostic.severity.name == "ERROR"]
    crossings = [diagnostic for diagnostic in analysis.diagnostics if diagnostic.rule == "clock-crossing"]
    return [
        (text[diagnostic.start : diagnostic.end], text.count("\n", 0, diagnostic.start) + 1) for diagnostic in crossings
    ]


def test_a_register_that_is_read_at_another_clock_is_a_candidate(tmp_path: Path) -> None:
    text = HEAD + "  always_ff @(posedge b) y <= r;\nendmodule\n"
    assert crossing_names(tmp_path, text) == [("r", 4)]
    assert crossing_names(tmp_path, text, is_enabled=False) == []


@pytest.mark.parametrize(
    "body",
    [
        "  logic s; always_ff @(posedge b) begin s <= r; y <= s; end\n",
        "  sync u (.clk(b), .d(r), .q(y));\n",
        "  logic [2:0] s; always_ff @(posedge b) s <= {s[1:0], r};\n  assign y = s[2];\n",
        "  always_ff @(posedge a) y <= r;\n",
        # The same clock by another name, through ports.
        "  sync u (.clk(a), .d(r & x), .q(y));\n",
        # What is not a register may come from anywhere.
        "  always_ff @(posedge b) y <= x;\n",
        # A reset is no data.
        "  always_ff @(posedge b or negedge r) if (!r) y <= 0; else y <= x;\n",
        # Clocks that are made of one other clock.
        "  logic half; always_ff @(posedge a) half <= !half;\n  always_ff @(posedge half) y <= r;\n",
        "  logic en, on; always_latch if (!a) en = x;\n  assign on = a & en;\n  always_ff @(posedge on) y <= r;\n",
    ],
)
def test_what_is_synchronised_or_in_one_domain_is_no_candidate(tmp_path: Path, body: str) -> None:
    assert crossing_names(tmp_path, HEAD + body + "endmodule\n" + SYNC) == []


@pytest.mark.parametrize(
    ("body", "expected_crossings"),
    [
        ("  logic s; always_ff @(posedge b) begin s <= r; y <= s & x; end\n", [("r", 4)]),
        ("  logic s; always_ff @(posedge b) begin s <= r ^ x; y <= s; end\n", [("r", 4)]),
        ("  wire w = r ^ x; sync u (.clk(b), .d(w), .q(y));\n", [("d", 9)]),
        ("  always_ff @(posedge b) if (r) y <= x;\n", [("r", 4)]),
        (
            "  wire c = x ? a : b; always_ff @(posedge c) y <= r;\n  logic z; always_ff @(posedge b) z <= x;\n",
            [("r", 4)],
        ),
        (
            "  logic [3:0] n, m; always_ff @(posedge a) n <= n + 1;\n  sync #(4) u (.clk(b), .d(n), .q(m));\n",
            [("d", 10)],
        ),
    ],
)
def test_what_is_not_synchronised_is_a_candidate(
    tmp_path: Path, body: str, expected_crossings: list[tuple[str, int]]
) -> None:
    assert crossing_names(tmp_path, HEAD + body + "endmodule\n" + SYNC) == expected_crossings


FIFO = """
module fifo(input logic wclk, rclk, rst_n, push, pop,
  input logic [7:0] wdata, output logic [7:0] rdata, output logic empty
);
  logic [7:0] mem [8];
  logic [3:0] wptr, wgray, rgray_next, rptr, seen;
  wire [3:0] wnext = wptr + 4'(push);
  always_ff @(posedge wclk or negedge rst_n)
    if (!rst_n) wgray <= '0; else begin wptr <= wnext; wgray <= GRAY; if (push) mem[wptr[2:0]] <= wdata; end
  sync #(4) to_read (.clk(rclk), .d(wgray), .q(seen));
  always_ff @(posedge rclk) if (pop) begin rptr <= rptr + 1; rdata <= mem[rptr[2:0]]; end
  assign empty = seen == (rptr ^ (rptr >> 1));
endmodule
"""


def test_the_memory_of_a_fifo_is_no_candidate_if_its_pointers_are_gray_coded(tmp_path: Path) -> None:
    assert crossing_names(tmp_path, FIFO.replace("GRAY", "wnext ^ (wnext >> 1)") + SYNC) == []
    assert [name for name, _ in crossing_names(tmp_path, FIFO.replace("GRAY", "wnext") + SYNC)] == ["mem", "d"]


HANDSHAKE = """
module top(input logic a, b, rst_n, send, en, input logic [7:0] din, output logic [7:0] dout, output logic got);
  logic [7:0] hold;
  logic req, req_b, req_b2, ack_a, own;
  always_ff @(posedge a or negedge rst_n)
    if (!rst_n) req <= 0; else if (send && req == ack_a) begin hold <= din; req <= !req; end
  sync s1(.clk(b), .d(req), .q(req_b));
  sync s2(.clk(a), .d(req_b2), .q(ack_a));
  always_ff @(posedge b) own <= en;
  always_ff @(posedge b or negedge rst_n)
    if (!rst_n) begin req_b2 <= 0; got <= 0; end
    else begin req_b2 <= req_b; got <= 0; BODY end
endmodule
"""


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("if (req_b != req_b2) begin dout <= hold; got <= 1; end", []),
        ("dout <= req_b ? hold : dout;", []),
        ("case (req_b) 1: dout <= hold; default: ; endcase", []),
        ("dout <= hold;", ["hold"]),
        # A condition of the reading side's own says nothing of the other side.
        ("if (own) dout <= hold;", ["hold"]),
        # Nor does one that is not synchronised.
        ("if (req) dout <= hold;", ["req", "hold"]),
    ],
)
def test_data_that_a_synchronised_handshake_holds_is_no_candidate(tmp_path: Path, body: str, names: list[str]) -> None:
    crossings = crossing_names(tmp_path, HANDSHAKE.replace("BODY", body) + SYNC)
    assert [name for name, _ in crossings if name != "d"] == names


CORE = Path(__file__).parents[4] / "shared" / "data" / "projects" / "ibex.json"


@pytest.mark.skipif(not CORE.exists(), reason="the open core is not part of the repository")
def test_a_core_with_one_clock_behind_a_gate_has_no_candidates(tmp_path: Path) -> None:
    files = json.loads(CORE.read_text())
    listed_names = []
    for name, text in files.items():
        if "/prim" in name or name.startswith("rtl/"):
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            listed_names += [name] if re.search(r"(^|/)(prim|prim_generic|rtl)/(rtl/)?\w+\.sv$", name) else []
    (tmp_path / "core.f").write_text("--top ibex_top\n" + "\n".join(listed_names) + "\n")
    documents = Documents()
    projects = Projects(documents, lambda: ProjectSettings(clock_crossings=True, file_lists=("core.f",)))
    projects.change_folders([tmp_path], [])
    top_file = tmp_path / "rtl" / "ibex_core.sv"
    project = projects.project_of_path(top_file)
    assert list(project.words_by_file())
    analysis = project.analysis_of(top_file)
    assert analysis is not None
    assert len(analysis.trees) > 30
    for path in listed_names:
        analysis.compiled.request_diagnostics_of(tmp_path / path)
    diagnostics = [diagnostic for path in listed_names for diagnostic in analysis.compiled.diagnostics(tmp_path / path)]
    assert [diagnostic for diagnostic in diagnostics if diagnostic.rule == "clock-crossing"] == []
