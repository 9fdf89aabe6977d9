"""Drivers and loads of signals across hierarchy, and the registers of modules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright_verilog.semantics.behaviour import body_flows
from benchwright_verilog.semantics.behaviour.registers import registers
from benchwright_verilog.semantics.behaviour.signal_flow import SignalEndpoints, SignalFlow
from benchwright_verilog.semantics.compilation.instances import InstanceTree
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.documents import Documents

CORE = Path(__file__).parents[4] / "shared" / "data" / "projects" / "ibex.json"

DESIGN = """
package p; typedef enum logic [1:0] {IDLE, RUN} state_t; endpackage
module add #(parameter W = 4) (input logic [W-1:0] a, output logic [W-1:0] y);
  assign y = a + 1;
endmodule
module m import p::*; (input logic clk, rst_n, load, input logic [7:0] d, output logic [7:0] q, output logic busy);
  state_t state;
  logic [7:0] sum, unused;
  add #(.W(8)) u_add (.a(d), .y(sum));
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) begin
      state <= IDLE;
      q <= '0;
    end else begin
      state <= RUN;
      if (load) q <= sum;
    end
  assign busy = state == RUN;
endmodule
interface bus;
  logic valid;
  logic [3:0] data;
  modport out(output valid, data);
  modport in(input valid, data);
endinterface
module producer(bus.out o, input clk);
  always @(posedge clk) begin o.valid <= 1; o.data++; end
endmodule
module consumer(bus.in i, output logic x);
  assign x = i.valid & i.data[0];
endmodule
module top(input clk, output x);
  bus link();
  producer u_p(.o(link), .clk(clk));
  consumer u_c(.i(link.in), .x(x));
endmodule
"""


def design(folder: Path, text: str = DESIGN) -> InstanceTree:
    (folder / "a.sv").write_text(text)
    return Project(folder, Documents()).instance_tree_of(folder / "a.sv")


def short(trace: SignalEndpoints | None) -> list[tuple[str, list[str]]]:
    assert trace is not None
    return [(step.flow.text, [f"{signal.path} {part}" for signal, part in step.signals]) for step in trace.endpoints]


def test_a_register_is_driven_by_values_under_conditions_at_events(tmp_path: Path) -> None:
    assert short(SignalFlow(design(tmp_path)).drivers("m.q")) == [
        ("q <= '0", ["m.rst_n condition", "m.clk event"]),
        ("q <= sum", ["m.sum value", "m.rst_n condition", "m.load condition", "m.clk event"]),
    ]


def test_drivers_and_loads_lead_through_ports_in_both_directions(tmp_path: Path) -> None:
    flow = SignalFlow(design(tmp_path))
    assert short(flow.drivers("m.sum")) == [(".y(sum)", ["m.u_add.y value"])]
    assert short(flow.drivers("m.u_add.y")) == [("y = a + 1", ["m.u_add.a value"])]
    assert short(flow.drivers("m.u_add.a")) == [(".a(d)", ["m.d value"])]
    assert short(flow.loads("m.d")) == [(".a(d)", ["m.u_add.a value"])]
    assert short(flow.loads("m.u_add.y")) == [(".y(sum)", ["m.sum value"])]


def test_the_design_ends_at_the_ports_of_its_tops(tmp_path: Path) -> None:
    flow = SignalFlow(design(tmp_path))
    end_ports = [
        trace.top_port_direction for path in ("m.d", "m.q", "m.sum", "m.u_add.a") if (trace := flow.drivers(path))
    ]
    assert end_ports == ["in", "out", None, None]


def test_what_is_connected_to_an_interface_drives_and_reads_its_signals(tmp_path: Path) -> None:
    flow = SignalFlow(design(tmp_path))
    assert short(flow.drivers("top.link.valid")) == [("o.valid <= 1", ["top.u_p.clk event"])]
    assert short(flow.drivers("top.link.data")) == [("o.data++", ["top.link.data value", "top.u_p.clk event"])]
    assert ("x = i.valid & i.data[0]", ["top.u_c.x value"]) in short(flow.loads("top.link.data"))


def test_a_place_in_the_source_is_where_the_assignment_is_written(tmp_path: Path) -> None:
    trace = SignalFlow(design(tmp_path)).drivers("m.busy")
    assert trace is not None
    span = trace.endpoints[0].flow.span
    assert span is not None
    assert DESIGN[span.start : span.end] == "busy = state == RUN"


def test_a_signal_is_found_by_where_it_is_declared(tmp_path: Path) -> None:
    flow = SignalFlow(design(tmp_path))
    assert flow.signal_path_declared_at(tmp_path / "a.sv", DESIGN.index("sum, unused"), "m") == "m.sum"
    assert flow.signal_path_declared_at(tmp_path / "a.sv", DESIGN.index("sum, unused") + 1, "m") is None
    assert flow.signal_path_declared_at(tmp_path / "a.sv", DESIGN.index("sum, unused"), "nowhere") is None


def test_an_undriven_signal_has_no_drivers_and_an_unknown_one_is_unknown(tmp_path: Path) -> None:
    flow = SignalFlow(design(tmp_path))
    assert short(flow.drivers("m.unused")) == []
    assert flow.drivers("m.nothing") is None
    assert flow.loads("") is None


def test_elements_of_a_generate_loop_have_paths_of_their_own(tmp_path: Path) -> None:
    loop = "  for (genvar i = 0; i < 4; i++) begin : g\n    wire t = ~a[i];\n    assign y[i] = t;\n  end\n"
    text = f"module m(input [3:0] a, output [3:0] y);\n{loop}endmodule\n"
    flow = SignalFlow(design(tmp_path, text))
    assert [ends for _, ends in short(flow.drivers("m.y"))] == [[f"m.g[{number}].t value"] for number in range(4)]
    assert short(flow.drivers("m.g[2].t")) == [("t = ~a[i]", ["m.a value"])]


def test_more_assignments_than_are_looked_at_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_flows, "_MAX_FLOWS", 10)
    lines = "".join(f"  assign y[{number}] = a;\n" for number in range(100))
    trace = SignalFlow(design(tmp_path, f"module m(input a, output [99:0] y);\n{lines}endmodule\n")).drivers("m.y")
    assert trace is not None
    assert (len(trace.endpoints), trace.is_complete) == (10, False)


def table(design: InstanceTree, instance: str) -> list[tuple[object, ...]]:
    register_rows = registers(design, instance)
    assert register_rows is not None
    return [
        (
            register.name,
            register.clock and (register.clock.edge, register.clock.name),
            register.reset
            and (
                register.reset.name,
                register.reset.active_level,
                register.reset.is_asynchronous,
                register.reset.value,
            ),
        )
        for register in register_rows
    ]


CLOCK = ("posedge", "clk")
RESETS = {
    "always_ff @(posedge clk or negedge rst_n) if (!rst_n) q <= 0; else q <= d;": (CLOCK, ("rst_n", 0, True, "0")),
    "always_ff @(posedge clk or posedge rst) if (rst) q <= 1; else q <= d;": (CLOCK, ("rst", 1, True, "1")),
    "always @(negedge rst_n, posedge clk) if (~rst_n) q <= 0; else q <= d;": (CLOCK, ("rst_n", 0, True, "0")),
    "always_ff @(posedge clk) if (rst) q <= 0; else q <= d;": (CLOCK, ("rst", 1, False, "0")),
    "always_ff @(posedge clk) if (!rst_n) q <= 0; else q <= d;": (CLOCK, ("rst_n", 0, False, "0")),
    "always_ff @(posedge clk) if (en) q <= 0; else q <= d;": (CLOCK, None),
    "always_ff @(negedge clk) q <= d;": (("negedge", "clk"), None),
    "always_ff @(posedge clk or negedge rst_n) if (rst_n) q <= d; else q <= 1;": (CLOCK, ("rst_n", 0, True, "1")),
    "always_ff @(posedge clk) begin logic t; t = d; q <= t; end": (CLOCK, None),
}


@pytest.mark.parametrize("process", RESETS)
def test_the_clock_and_the_reset_of_a_register_are_recognised(tmp_path: Path, process: str) -> None:
    text = f"module m(input clk, rst, rst_n, en, d, output logic q);\n  {process}\nendmodule\n"
    assert table(design(tmp_path, text), "m") == [("q", *RESETS[process])]


def test_what_no_edge_writes_is_no_register(tmp_path: Path) -> None:
    text = "module m(input a, b, output logic q, r);\n  always_latch if (a) q = b;\n  always_comb r = a;\nendmodule\n"
    assert table(design(tmp_path, text), "m") == []
    assert registers(design(tmp_path, text), "m.u_none") is None


@pytest.mark.skipif(not CORE.exists(), reason="the open core is not part of the repository")
def test_a_core_has_drivers_and_registers_across_its_hierarchy(tmp_path: Path) -> None:
    listed_paths = []
    for name, text in json.loads(CORE.read_text()).items():
        if "/prim" in name or name.startswith("rtl/"):
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            listed_paths.append(path)
    core = Project(tmp_path, Documents()).instance_tree_of(tmp_path / "rtl" / "ibex_core.sv")
    instances = core.instances_of_module("ibex_controller")
    assert instances
    core_registers = registers(core, instances[0].path)
    assert core_registers is not None
    state_register = next(register for register in core_registers if register.name == "ctrl_fsm_cs")
    assert state_register.clock is not None and (state_register.clock.name, state_register.clock.edge) == (
        "clk_i",
        "posedge",
    )
    assert state_register.reset is not None
    assert (state_register.reset.name, state_register.reset.active_level, state_register.reset.value) == (
        "rst_ni",
        0,
        "RESET",
    )
    flow = SignalFlow(core)
    # From the register through the next state to an input, whose driver is in the module around it.
    assert "ctrl_fsm_ns" in str(short(flow.drivers(state_register.path)))
    parent_path = instances[0].path.rpartition(".")[0]
    trace = flow.drivers(f"{instances[0].path}.irq_pending_i")
    assert trace is not None
    assert [signal.path.startswith(parent_path) for signal, _ in trace.endpoints[0].signals] == [True]
