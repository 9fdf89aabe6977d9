"""Marks of branches, words of preprocessed texts, and the testbench that compares a netlist with its design."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from benchwright_harness.decision.report import StepReport, ToolRun
from benchwright_harness.execution.comparison import (
    ReadingComparison,
    comparison_step,
    read_comparison,
    tools_to_compare,
)
from benchwright_harness.execution.run import UNCOMPARED, _SolutionRun
from benchwright_harness.inside.guard import readings
from benchwright_harness.inside.guard.readings import (
    Marker,
    Netlist,
    UnreadError,
    _Comparison,
    comparison_testbench_text,
    joined,
    words,
)
from benchwright_harness.plan.plan import make_plan
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox.native import NativeSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.category import Category
from benchwright_problems.verdict import Reason, Verdict

from ...adversarial.submission import flow
from ...support.designs.submissions import toolchain

__all__ = ("toolchain",)


def marked_branch_count(items: str) -> int:
    """Number of branches in the items of a module; the text with marks has the same words in the same order."""
    source_words = words(f"module m(input a); {items} endmodule")
    marker = Marker(source_words)
    marked_words = words(marker.marked_text())
    position = 0
    for word in source_words:
        position = marked_words.index(word, position) + 1
    return len(marker.places)


@pytest.mark.parametrize(
    ("items", "count"),
    [
        ("assign y = a;", 0),
        ("if (P) assign y = a; else assign y = ~a;", 2),
        ("if (P) begin : g assign y = a; end else if (Q) begin assign y = 1; end", 2),
        ("if (P) ; else sub #(.W(3)) u(.a(a), .b({a, a}));", 1),
        ("case (P) 1, 2: assign y = a; default assign y = 0; endcase", 2),
        ("case (P) 1'b1: begin end {2'b0, Q}: ; default: begin : x sub u(a); end endcase", 2),
        ("for (genvar i = 0; i < 3; i = i + 1) begin : l if (i) wire w = a; end : l", 2),
        ("generate for (i = 0; i < 3; i++) always @(posedge a) if (x) y <= 1; else y <= 2; endgenerate", 1),
        ("if (P) always_comb begin if (a) y = 1; else case (a) 1: y = 2; endcase end else initial x = 1;", 2),
        ("if (P) always @* for (k = 0; k < 2; k = k + 1) if (a) y = 1; else begin y = 2; end", 1),
        ("if (P) always #5 forever @(posedge a) repeat (3) x = 1;", 1),
        ("function f(input a); if (a) f = 1; else f = 2; endfunction if (P) assign y = f(a);", 1),
        ("a1: assert property (@(posedge a) b |-> c) else $error(1); if (P) assert property (p) x = 1; else y = 2;", 1),
        ("if (P) fork_me u(); else unique_me v();", 2),
        ("begin : bare if (P) assign y = a; end", 1),
        ("if (P) label : begin assign y = a; end", 1),
    ],
)
def test_each_branch_of_the_hierarchy_is_marked_and_none_of_a_process(items: str, count: int) -> None:
    assert marked_branch_count(items) == count


@pytest.mark.parametrize("items", ["if (P assign y = a;", "if (P) begin assign y = a;", "assign y = (a];"])
def test_what_is_not_built_as_expected_is_unread(items: str) -> None:
    with pytest.raises(UnreadError):
        marked_branch_count(items)


def test_words_keep_strings_and_touching_operators_and_lose_comments_and_directives() -> None:
    text = '`line 3 "x" 1\n`timescale 1ns/1ps\nassign/* c */a<= "// no /* comment"; // end\n'
    assert words(text) == ["assign", "a", "<", "=", '"// no /* comment"', ";"]
    assert joined(words(text)) == '\nassign\na<=\n"// no /* comment";'


def test_an_output_is_compared_while_the_registers_behind_it_are_known() -> None:
    register = {"type": "$dff", "connections": {"D": [2], "Q": [3]}, "port_directions": {"D": "input", "Q": "output"}}
    gate = {"type": "$not", "connections": {"A": [3], "Y": [4]}, "port_directions": {"A": "input", "Y": "output"}}
    netlist = Netlist(
        {
            "ports": {
                "d": {"direction": "input", "bits": [2]},
                "y": {"direction": "output", "bits": [4, "x"]},
                "z": {"direction": "output", "bits": [2]},
            },
            "cells": {"r": register, "n": gate},
            "netnames": {"state": {"hide_name": 0, "bits": [3]}, "$1": {"hide_name": 1, "bits": [4]}},
        }
    )
    assert netlist.registers_of("y") == ["state"]
    assert netlist.registers_of("z") == []
    text = comparison_testbench_text("top", netlist, "token")
    assert "(^netlist.\\state )" in text
    assert text.count("$display") == 5


def test_a_module_with_a_name_like_a_command_is_never_handed_to_yosys(tmp_path: Path) -> None:
    comparison = _Comparison(("iverilog", "yosys"), (), (), tmp_path)
    with pytest.raises(UnreadError, match="name of a module"):
        comparison._compare_netlist_with_simulator("t;exec")


def test_a_port_of_both_directions_is_unread() -> None:
    with pytest.raises(UnreadError, match="an input and an output"):
        Netlist({"ports": {"p": {"direction": "inout", "bits": [2]}}, "cells": {}, "netnames": {}})


@pytest.mark.parametrize(
    ("used_tools", "category", "tools"),
    [
        (("iverilog", "vvp", "verilator"), Category.SPEC_TO_RTL, ("iverilog", "verilator")),
        (("yosys", "iverilog", "vvp"), Category.SPEC_TO_RTL, ("iverilog", "yosys")),
        (("iverilog", "vvp"), Category.SPEC_TO_RTL, ()),
        (("iverilog", "vvp", "verilator"), Category.CHECKER, ()),
    ],
)
def test_tools_are_joined_where_several_have_read_a_design(
    used_tools: tuple[str, ...], category: Category, tools: tuple[str, ...]
) -> None:
    problem = flow("lint").problem().model_copy(update={"category": category})
    report = StepReport(tools=tuple(ToolRun(tool=tool, simulates=tool == "vvp") for tool in used_tools))
    plan = make_plan(problem.hidden.harness, "icarus", is_supervised=True)
    assert tools_to_compare(problem, plan, [report]) == tools


def test_tools_of_a_step_that_nobody_watches_are_those_that_the_harness_calls() -> None:
    problem = flow("lint").problem()
    plan = make_plan(problem.hidden.harness, "icarus", is_supervised=False)
    assert tools_to_compare(problem, plan, []) == ("iverilog", "verilator")


async def test_a_pass_whose_tools_nobody_can_compare_says_so(toolchain: Toolchain) -> None:
    problem = flow("lint").problem()
    plan = make_plan(problem.hidden.harness, "icarus", is_supervised=False)
    harness_run = _SolutionRun(problem, {}, {}, plan, ToolSelection(), NativeSandbox(), toolchain, io.BytesIO(), None)
    verdict = await harness_run._verdict_after_comparing_readings(Verdict(reason=Reason.PASSED), [])
    assert (verdict.reason, verdict.remarks) == (Reason.PASSED, (UNCOMPARED,))


@pytest.mark.parametrize(
    ("solution", "reference", "is_excused"),
    [
        ({"difference": "x"}, {"difference": "y"}, True),
        ({"difference": "x"}, {"unread": "y"}, False),
        ({"difference": "x"}, {}, False),
        ({"unread": "x"}, {"unread": "y"}, True),
        ({"unread": "x"}, {"difference": "y"}, True),
        ({"unread": "x"}, {}, False),
    ],
)
def test_only_a_difference_in_the_reference_excuses_one_in_a_solution(
    solution: dict[str, str], reference: dict[str, str], is_excused: bool
) -> None:
    assert ReadingComparison(**solution).is_excused_by(ReadingComparison(**reference)) is is_excused


def test_a_comparison_without_its_end_is_unread() -> None:
    assert read_comparison(b"Killed\n").unread
    assert read_comparison(b'noise\n{"difference": "", "unread": ""}\n').complaint == ""


def test_a_comparison_that_the_machine_had_no_time_for_says_so() -> None:
    assert read_comparison(b"", is_starved=True).is_starved
    assert not read_comparison(b"").is_starved


def test_sources_are_read_in_the_order_of_the_harness_and_the_rest_by_name() -> None:
    compose = """
services:
  sim: {image: a, command: pytest, environment: {VERILOG_SOURCES: /code/rtl/z.sv /src/tb.sv /code/rtl/b.sv}}
"""
    run_files = dict.fromkeys(("rtl/b.sv", "rtl/a.sv", "rtl/z.sv", "docs/spec.md"), b"")
    step = comparison_step(("iverilog", "verilator"), make_plan({"docker-compose.yml": compose}), run_files)
    assert json.loads(step.argv[-1])["sources"] == ["/code/rtl/z.sv", "/code/rtl/b.sv", "/code/rtl/a.sv"]


def test_a_tool_is_ended_by_the_processor_time_that_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readings, "_TOOL_S", 1)
    with pytest.raises(UnreadError, match="sh took over 1 s of processor time"):
        readings._tool_output(["sh", "-c", "while :; do :; done"])


@pytest.mark.parametrize(
    ("text", "constants"),
    [
        ("module m #(parameter W = 4, localparam [1:0] D = W * (2))(input [W-1:0] a = 0); endmodule", 4),
        ("module m(a); input [3:0] a; reg signed [7:0] q [0:3] = '{0, a[1:0], 0, 0}; endmodule", 3),
        ("module m; localparam A = 1, B = (A == 2); (* keep *) wire [A:0] w = w[1:0]; endmodule", 3),
        ("module m; if (P) logic [(P ? 3 : 1):0] w; parameter type T = int; int q [$]; endmodule", 2),
        ("module m; localparam int A [0:1] = '{1, 2}; assign y = a[i +: 2]; wire w = a inside {[b:c]}; endmodule", 1),
        ('module m; typedef struct packed {logic [3:0] a; logic [1:0] b;} t; string s = "[1:0]"; endmodule', 2),
    ],
)
def test_parameters_and_ranges_of_declarations_are_marked(text: str, constants: int) -> None:
    marker = Marker(words(text))
    marker.marked_text()
    assert len(marker.places) == constants
