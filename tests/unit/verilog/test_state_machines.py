"""State machines of modules: names, transitions, conditions, places, and what is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright_verilog.semantics.behaviour.state_machines import StateMachine, state_machines
from benchwright_verilog.semantics.compilation.instances import FileSpan
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.documents import Documents

CORE = Path(__file__).parents[4] / "shared" / "data" / "projects" / "ibex.json"
HEAD = "module m(input logic clk, rst_n, go, stop, input logic [1:0] sel, output logic busy);\n"
ENUM = "typedef enum logic [1:0] {IDLE, RUN, DONE} state_t;\nstate_t state, next;\n"
REGISTER = "always_ff @(posedge clk or negedge rst_n) if (!rst_n) state <= IDLE; else state <= next;\n"


def machines(folder: Path, body: str) -> list[StateMachine]:
    file = folder / "a.sv"
    file.write_text(f"{HEAD}{body}\nendmodule\n")
    found_machines = state_machines(Project(folder, Documents()).instance_tree_of(file), "m")
    assert found_machines is not None
    return found_machines


def machine(folder: Path, body: str) -> StateMachine:
    (only_machine,) = machines(folder, body)
    return only_machine


def arrows(drawn_machine: StateMachine) -> list[str]:
    """Transitions, without states that are kept."""
    names = [state.name for state in drawn_machine.machine_states]
    return [
        f"{names[transition.source_state_index]} -> "
        f"{names[transition.target_state_index]}{f': {transition.condition}' if transition.condition else ''}"
        for transition in drawn_machine.transitions
        if transition.source_state_index != transition.target_state_index
    ]


def source_at(folder: Path, span: FileSpan | None) -> str:
    assert span is not None
    return (folder / "a.sv").read_text()[span.start : span.end]


TWO_PROCESSES = f"""{ENUM}{REGISTER}
always_comb begin
  next = state;
  unique case (state)
    IDLE: if (go) next = RUN;
    RUN: if (stop && !go) next = DONE; else if (sel == 2'b11) next = IDLE;
    default: next = go ? RUN : IDLE;
  endcase
end
assign busy = state inside {{RUN, DONE}};
"""


def test_the_next_state_is_followed_into_another_process(tmp_path: Path) -> None:
    two_processes = machine(tmp_path, TWO_PROCESSES)
    assert arrows(two_processes) == [
        "IDLE -> RUN: go",
        "RUN -> DONE: stop && !go",
        "RUN -> IDLE: !(stop && !go) && sel == 2'b11",
        "DONE -> RUN: go",
        "DONE -> IDLE: !go",
    ]
    assert [(state.name, state.value, state.is_reachable) for state in two_processes.machine_states] == [
        ("IDLE", "2'b00", True),
        ("RUN", "2'b01", True),
        ("DONE", "2'b10", True),
    ]
    assert two_processes.reset is not None
    assert (two_processes.reset.name, two_processes.reset.active_level, two_processes.reset.is_asynchronous) == (
        "rst_n",
        0,
        True,
    )
    assert (two_processes.reset_state_index, two_processes.is_complete) == (0, True)


def test_transitions_lead_to_their_assignments_and_states_to_the_label_that_handles_them(tmp_path: Path) -> None:
    two_processes = machine(tmp_path, TWO_PROCESSES)
    assert [
        source_at(tmp_path, transition.span)
        for transition in two_processes.transitions
        if transition.source_state_index != transition.target_state_index
    ][:2] == [
        "next = RUN",
        "next = DONE",
    ]
    run_span, done_span = two_processes.machine_states[1].span, two_processes.machine_states[2].span
    source = (tmp_path / "a.sv").read_text()
    assert run_span is not None
    assert source[run_span.start :].startswith("RUN: if")
    assert done_span is not None
    assert source[done_span.start :].startswith("DONE} state_t")


def test_parameters_name_the_states_of_one_process_with_a_synchronous_reset(tmp_path: Path) -> None:
    one_process = machine(
        tmp_path,
        """localparam [1:0] A = 0, B = 1, C = 2;
reg [1:0] at;
always @(posedge clk)
  if (!rst_n) at <= A;
  else case (at)
    A: if (go) at <= B;
    B: case (sel) 0, 1: at <= C; 2: at <= A; endcase
    C: at <= A;
    default: at <= 0;
  endcase
""",
    )
    assert arrows(one_process) == ["A -> B: go", "B -> C: sel == 0 || sel == 1", "B -> A: sel == 2", "C -> A"]
    assert one_process.reset is not None
    assert not one_process.reset.is_asynchronous
    (staying,) = [
        transition
        for transition in one_process.transitions
        if (transition.source_state_index, transition.target_state_index) == (1, 1)
    ]
    assert (staying.condition, staying.span) == ("!(sel inside {0, 1, 2})", None)


def test_numbers_are_states_where_a_case_tells_them_apart(tmp_path: Path) -> None:
    numbered = machine(
        tmp_path,
        "reg [1:0] s; always @(posedge clk) case (s) 2'd0: s <= 2'd1; 2'd1: if (go) s <= 2'd0; endcase",
    )
    assert arrows(numbered) == ["2'd0 -> 2'd1", "2'd1 -> 2'd0: go"]
    assert numbered.reset is None
    assert [state.is_reachable for state in numbered.machine_states] == [None, None]


def test_a_one_hot_code_names_states_by_their_bits(tmp_path: Path) -> None:
    one_hot = machine(
        tmp_path,
        """localparam IDLE = 0, RUN = 1, DONE = 2;
logic [2:0] state, next;
always_ff @(posedge clk or negedge rst_n) if (!rst_n) state <= 3'b001; else state <= next;
always_comb begin
  next = '0;
  case (1'b1)
    state[IDLE]: if (go) next[RUN] = 1'b1; else next[IDLE] = 1'b1;
    state[RUN]: if (stop) next[DONE] = 1'b1; else next[RUN] = 1'b1;
    state[DONE]: next[IDLE] = 1'b1;
  endcase
end
""",
    )
    assert [arrow for arrow in arrows(one_hot) if "3'b" not in arrow] == [
        "IDLE -> RUN: go",
        "RUN -> DONE: stop",
        "DONE -> IDLE",
    ]


def test_a_state_that_no_transition_leads_to_is_told(tmp_path: Path) -> None:
    text = f"{ENUM}{REGISTER}assign next = state_t'(state == IDLE && go ? RUN : state == DONE ? IDLE : state);"
    state_machine = machine(tmp_path, text)
    assert [state.name for state in state_machine.machine_states if state.is_reachable is False] == ["DONE"]


def test_an_assigned_expression_and_a_declared_net_are_followed(tmp_path: Path) -> None:
    text = """localparam A = 1'b0, B = 1'b1;
reg s; wire n = s == A ? (go ? B : A) : (stop ? A : B);
always @(posedge clk) if (!rst_n) s <= A; else s <= n;"""
    assert arrows(machine(tmp_path, text)) == ["A -> B: go", "B -> A: stop"]


def test_a_value_from_outside_makes_a_machine_incomplete(tmp_path: Path) -> None:
    text = f"{ENUM}{REGISTER}" + (
        "always_comb begin next = state; if (state == IDLE && go) next = RUN; if (stop) next = state_t'(sel); end"
    )
    state_machine = machine(tmp_path, text)
    assert not state_machine.is_complete
    assert arrows(state_machine) == ["IDLE -> RUN: !stop && go"]
    assert [state.is_reachable for state in state_machine.machine_states] == [None] * 3


@pytest.mark.parametrize(
    "body",
    [
        "reg [3:0] n; always @(posedge clk) if (n == 9) n <= 0; else n <= n + 1;",
        "localparam LAST = 9; reg [3:0] n; always @(posedge clk) if (n == LAST) n <= 0; else if (n == 3) n <= LAST; "
        "else n <= n + 1;",
        "reg [3:0] n; always @(posedge clk) case (n) 4'd9: n <= 0; 4'd8: n <= 9; default: n <= n + 1; endcase",
        "reg f; always @(posedge clk) if (go) f <= 1; else if (stop) f <= 0;",
        f"{ENUM} always_ff @(posedge clk) state <= state_t'(sel);",
        f"{ENUM} always_ff @(posedge clk) if (go) state <= IDLE; else if (stop) state <= RUN;",
        "reg [1:0] s; always_comb case (sel) 0: s = 1; 1: s = 0; default: s = s; endcase",
    ],
    ids=["counter", "named-counter", "switched-counter", "flag", "data", "not-told-apart", "no-register"],
)
def test_what_is_no_state_machine(tmp_path: Path, body: str) -> None:
    assert machines(tmp_path, body) == []


def test_many_ways_end_the_search_and_not_the_answer(tmp_path: Path) -> None:
    way_statements = "".join(f"if (d[{bit}]) next = state_t'(state ^ {bit % 3});\n" for bit in range(64))
    text = (
        f"wire [63:0] d; {ENUM}{REGISTER}always_comb begin next = state; if (state == IDLE) next = RUN;\n"
        f"{way_statements}end"
    )
    assert machines(tmp_path, text) == []


@pytest.mark.skipif(not CORE.is_file(), reason="the sources of a processor core are not on this machine")
def test_the_machines_of_a_processor_core_have_all_their_states(tmp_path: Path) -> None:
    for name, text in json.loads(CORE.read_text()).items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    design = Project(tmp_path, Documents()).instance_tree_of(next(tmp_path.rglob("ibex_controller.sv")))
    (controller,) = state_machines(design, design.instances_of_module("ibex_controller")[0].path) or []
    names = [state.name for state in controller.machine_states]
    assert names == [
        "RESET",
        "BOOT_SET",
        "WAIT_SLEEP",
        "SLEEP",
        "FIRST_FETCH",
        "DECODE",
        "FLUSH",
        "IRQ_TAKEN",
        "DBG_TAKEN_IF",
        "DBG_TAKEN_ID",
    ]
    assert controller.is_complete
    assert all(state.is_reachable for state in controller.machine_states)
    assert {"RESET -> BOOT_SET", "BOOT_SET -> FIRST_FETCH", "WAIT_SLEEP -> SLEEP"} <= set(arrows(controller))
