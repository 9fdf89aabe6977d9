"""Likely causes: for each kind a design with that fault and one without."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_verilog.causes.catalogue import likely_causes
from benchwright_verilog.causes.cause import Cause
from benchwright_verilog.causes.evidence import FailureEvidence, parse_printed_number
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.settings import ProjectSettings as ProjectSettings
from benchwright_verilog.syntax.documents import Documents

COUNTER = """\
module counter #(parameter int N = 10) (input logic clk, {ports}input logic en, output logic [3:0] q);
  always_ff @({events})
{body}
endmodule
"""
RIGHT = "    if (rst) q <= '0;\n    else if (en) q <= q == N - 1 ? '0 : q + 1'b1;"


def counter(body: str = RIGHT, clock_events: str = "posedge clk", ports: str = "input logic rst, ") -> str:
    return COUNTER.format(body=body, events=clock_events, ports=ports)


def causes(folder: Path, text: str, evidence: FailureEvidence | None = None) -> list[Cause]:
    path = folder / "design.sv"
    path.write_text(text)
    project = Project(folder, Documents(), ProjectSettings())
    return likely_causes(project.instance_tree_of(path), {path}, evidence or FailureEvidence())


def kinds(folder: Path, text: str) -> set[str]:
    return {cause.kind.value for cause in causes(folder, text)}


POLARITY = "    if (rst_n) q <= '0;\n    else if (en) q <= q + 1'b1;"
LOW = "    if (!rst_n) q <= '0;\n    else if (en) q <= q + 1'b1;"
PIPELINE = """\
module pair(input logic clk, rst, d, output logic q, r);
  always_ff @(posedge clk)
    if (rst) q <= 1'b0;
    else q <= d;
  {second}
endmodule
"""


@pytest.mark.parametrize(
    ("kind", "faulty", "sound"),
    [
        (
            "reset_polarity",
            counter(POLARITY, ports="input logic rst_n, "),
            counter(LOW, ports="input logic rst_n, "),
        ),
        (
            "reset_polarity",
            counter(POLARITY, "posedge clk or negedge rst_n", "input logic rst_n, "),
            counter(LOW, "posedge clk or negedge rst_n", "input logic rst_n, "),
        ),
        (
            "reset_polarity",
            counter("    if (!rst) q <= '0;\n    else if (en) q <= q + 1'b1;"),
            counter("    if (!rst) begin\n      if (en) q <= q + 1'b1;\n    end else q <= '0;"),
        ),
        ("missing_reset", counter("    if (en) q <= q + 1'b1;"), counter()),
        (
            "unreset_register",
            PIPELINE.format(second="always_ff @(posedge clk) r <= r ^ d;"),
            PIPELINE.format(second="always_ff @(posedge clk) if (rst) r <= 1'b0; else r <= r ^ d;"),
        ),
        (
            "unreset_register",
            PIPELINE.format(second="always_ff @(posedge clk) r <= r ^ d;"),
            PIPELINE.format(second="initial r = 1'b0;\n  always @(posedge clk) r <= r ^ d;"),
        ),
        ("blocking_in_clocked", counter("    if (rst) q = '0;\n    else q <= q + 1'b1;"), counter()),
        (
            "blocking_in_clocked",
            "module m(input clk, d, output reg q);\n  always @(posedge clk) q = d;\nendmodule\n",
            "module m(input clk, d, output reg q);\n  always @(posedge clk) begin : b\n    reg t;\n    t = d;\n"
            "    q <= t;\n  end\nendmodule\n",
        ),
        (
            "non_blocking_in_combinational",
            "module m(input logic a, output logic y);\n  always_comb y <= a;\nendmodule\n",
            "module m(input logic a, output logic y);\n  always_comb y = a;\nendmodule\n",
        ),
        (
            "non_blocking_in_combinational",
            "module m(input a, output reg y);\n  always @(a) y <= a;\nendmodule\n",
            "module m(input a, output reg y);\n  always @(posedge a) y <= 1'b1;\nendmodule\n",
        ),
        (
            "latch",
            "module m(input logic e, d, output logic q);\n  always_comb if (e) q = d;\nendmodule\n",
            "module m(input logic e, d, output logic q);\n  always_comb if (e) q = d; else q = 1'b0;\nendmodule\n",
        ),
        (
            "latch",
            "module m(input [1:0] s, input d, output reg q);\n  always @(*) case (s) 2'd0: q = d; 2'd1: q = ~d;"
            " endcase\nendmodule\n",
            "module m(input s, d, output reg q);\n  always @(*) case (s) 1'b0: q = d; 1'b1: q = ~d; endcase\n"
            "endmodule\n",
        ),
        (
            "latch",
            "module m(input [1:0] s, output reg q);\n  typedef enum logic [1:0] {A, B, C} t;\n  always @(*)\n"
            "    case (t'(s)) A: q = 1'b0; B: q = 1'b1; endcase\nendmodule\n",
            "module m(input [1:0] s, output reg q);\n  typedef enum logic [1:0] {A, B, C} t;\n  always @(*)\n"
            "    case (t'(s)) A: q = 1'b0; B: q = 1'b1; C: q = 1'b1; endcase\nendmodule\n",
        ),
        (
            "truncation",
            "module m(input logic [7:0] a, b, output logic [3:0] y);\n  assign y = a & b;\nendmodule\n",
            "module m(input logic [7:0] a, b, output logic [7:0] y);\n  assign y = a & b;\nendmodule\n",
        ),
        (
            "out_of_range",
            "module m(input logic [3:0] a, output logic y);\n  assign y = a[4];\nendmodule\n",
            "module m(input logic [3:0] a, output logic y);\n  assign y = a[3];\nendmodule\n",
        ),
        (
            "off_by_one",
            counter("    if (rst) q <= '0;\n    else if (q == N) q <= '0;\n    else q <= q + 1'b1;"),
            counter("    if (rst) q <= '0;\n    else if (q == N - 1) q <= '0;\n    else q <= q + 1'b1;"),
        ),
        (
            "off_by_one",
            "module m #(parameter int N = 4) (input logic [N-1:0] a, output logic y);\n  always_comb begin\n"
            "    y = 1'b0;\n    for (int i = 0; i <= N; i++) y ^= a[i];\n  end\nendmodule\n",
            "module m #(parameter int N = 4) (input logic [N-1:0] a, output logic y);\n  always_comb begin\n"
            "    y = 1'b0;\n    for (int i = 0; i < N; i++) y ^= a[i];\n  end\nendmodule\n",
        ),
        (
            "off_by_one",
            "module m(input logic clk, rst, output logic [4:0] q);\n  always_ff @(posedge clk)\n"
            "    if (rst || q == 16) q <= '0;\n    else if (q > 20) q <= '0; else q <= q + 1'b1;\nendmodule\n",
            "module m(input logic clk, rst, output logic [4:0] q);\n  always_ff @(posedge clk)\n"
            "    if (rst) q <= '0;\n    else if (q == 15) q <= '0; else q <= q + 1'b1;\nendmodule\n",
        ),
        (
            "undriven",
            "module m(input logic a, output logic y);\n  logic t;\n  assign y = a & t;\nendmodule\n",
            "module m(input logic a, output logic y);\n  logic t;\n  assign t = ~a;\n  assign y = a & t;\nendmodule\n",
        ),
        (
            "several_drivers",
            "module m(input logic a, b, output logic y);\n  assign y = a;\n  assign y = b;\nendmodule\n",
            "module m(input logic a, b, output logic y);\n  assign y = a ^ b;\nendmodule\n",
        ),
    ],
)
def test_a_fault_is_found_where_it_is_and_nowhere_else(tmp_path: Path, kind: str, faulty: str, sound: str) -> None:
    assert kind in kinds(tmp_path, faulty)
    assert kind not in kinds(tmp_path, sound)


def test_65536_labels_do_not_complete_a_case_on_more_bits(tmp_path: Path) -> None:
    written_labels = ", ".join(f"17'd{value}" for value in range(1 << 16))
    case = f"case (s) {written_labels}: q = d; endcase"
    text = f"module m(input [16:0] s, input d, output reg q);\n  always @(*) {case}\nendmodule\n"
    assert "latch" in kinds(tmp_path, text)


def test_a_sound_counter_has_no_likely_cause(tmp_path: Path) -> None:
    assert causes(tmp_path, counter("    if (rst) q <= '0;\n    else if (en) q <= q + 1'b1;")) == []


def test_what_was_seen_decides_the_order(tmp_path: Path) -> None:
    text = (
        "module m #(parameter int N = 10) (input logic clk, rst, input logic [7:0] a, output logic [3:0] q, y, r);\n"
        "  always_ff @(posedge clk)\n    if (rst) q <= '0;\n    else if (q == N) q <= '0;\n    else q <= q + 1'b1;\n"
        "  always_ff @(posedge clk) r <= r + 1'b1;\n  assign y = a;\nendmodule\n"
    )
    first_kinds = {
        "off": causes(tmp_path, text, FailureEvidence.from_message("assert 11 == 10"))[0].kind,
        "cut": causes(tmp_path, text, FailureEvidence.from_message("expected 20, got 4"))[0].kind,
        "x": causes(tmp_path, text, FailureEvidence.from_message("", "3", "LogicArray('00XX', Range(3, 'downto', 0))"))[
            0
        ].kind,
    }
    assert first_kinds == {"off": "off_by_one", "cut": "truncation", "x": "unreset_register"}


def test_a_cause_says_where_why_and_what_to_try(tmp_path: Path) -> None:
    cause = causes(tmp_path, counter(POLARITY, ports="input logic rst_n, "))[0]
    data = (tmp_path / "design.sv").read_bytes()
    assert data[cause.span.start : cause.span.end] == b"rst_n"
    assert cause.title == "`rst_n` has the wrong polarity"
    assert "active low" in cause.reason
    assert "if (!rst_n)" in cause.advice


@pytest.mark.parametrize(
    ("message", "expected_text", "actual"),
    [
        ("assert 3 == 4", "4", "3"),
        ("AssertionError: expected 0x1F but got 0x1e", "0x1F", "0x1e"),
        ("at cycle 12: got 5, expected 6", "6", "5"),
        ("nothing of the kind", None, None),
    ],
)
def test_expected_and_got_are_read_from_messages(message: str, expected_text: str | None, actual: str | None) -> None:
    evidence = FailureEvidence.from_message(message)
    assert (evidence.expected_value, evidence.actual_value) == (expected_text, actual)


def test_numbers_are_read_as_tests_print_them() -> None:
    texts = ["20", "0x14", "8'h14", "8'sd20", "LogicArray('00010100', Range(7, 'downto', 0))", "-3", "1_000"]
    assert [parse_printed_number(text) for text in texts] == [20, 20, 20, 20, 20, -3, 1000]
    assert [parse_printed_number(text) for text in ("", "x", "LogicArray('0X', …)", "8'hzz", "1" * 5000, None)] == [
        None
    ] * 6


def test_unknown_values_cycles_and_cut_values_are_recognised() -> None:
    assert FailureEvidence.from_message("", "1", "LogicArray('0X', Range(1, 'downto', 0))").has_unknown_value
    assert FailureEvidence.from_message("", "1", "4'b1x00").has_unknown_value
    assert FailureEvidence.from_message("ValueError: Cannot convert Logic('X') to bool").has_unknown_value
    assert not FailureEvidence.from_message("assert 3 == 4").has_unknown_value
    assert FailureEvidence.from_message("mismatch in cycle 17").cycle_in_message == 17
    assert FailureEvidence.from_message("expected 20, got 4").is_actual_value_truncated
    assert not FailureEvidence.from_message("expected 20, got 5").is_actual_value_truncated
    assert FailureEvidence.from_message("expected 5, got 4").is_off_by_one


def test_files_that_are_not_asked_about_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "tb.sv").write_text("module tb;\n  reg c, q;\n  always @(posedge c) q = 1;\nendmodule\n")
    path = tmp_path / "design.sv"
    path.write_text(counter())
    project = Project(tmp_path, Documents(), ProjectSettings())
    assert all(
        cause.span.path == path for cause in likely_causes(project.instance_tree_of(path), {path}, FailureEvidence())
    )
