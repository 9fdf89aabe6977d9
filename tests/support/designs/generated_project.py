"""Generated SystemVerilog projects of any size, as engineers keep them: packages, headers, interfaces and modules.

The modules are a tree, `top` with four children, each of those with four, and so on. Each takes its types from the
package of its block, its checks from one header of macros, and a queue and a register from a library of shared
cells, so that names such as `clk_i` and `common_queue` occur in nearly every file. slang accepts every project
without an error.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

FAN_OUT = 4
BLOCK = 25
"""Number of modules that take their types from one package."""

_MACROS = """\
`ifndef CHECKS_SVH
`define CHECKS_SVH
`define CHECK(name, condition) \\
  name: assert property (@(posedge clk_i) disable iff (!rst_ni) (condition));
`define REGISTER(q, d, reset) \\
  always_ff @(posedge clk_i or negedge rst_ni) begin \\
    if (!rst_ni) q <= reset; \\
    else q <= d; \\
  end
`endif
"""
_COMMON = """\
package common_pkg;
  typedef enum logic [1:0] {Idle, Busy, Stalled, Failed} phase_e;
  typedef logic [31:0] word_t;
  localparam int unsigned MaxBeats = 16;
  function automatic word_t rotated(word_t value, int unsigned by);
    return (value << by) | (value >> (32 - by));
  endfunction
endpackage
"""
_QUEUE = """\
// A queue of anything.
module common_queue #(
  parameter type item_t = logic [7:0],
  parameter int unsigned Depth = 4
) (
  input  logic  clk_i,
  input  logic  rst_ni,
  input  logic  push_i,
  input  item_t item_i,
  input  logic  pop_i,
  output item_t item_o,
  output logic  empty_o,
  output logic  full_o
);
  localparam int unsigned Width = $clog2(Depth);
  item_t [Depth-1:0] items;
  logic [Width:0] count;
  logic [Width-1:0] head, tail;

  assign empty_o = count == '0;
  assign full_o = 32'(count) == Depth;
  assign item_o = items[head];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head <= '0;
      tail <= '0;
      count <= '0;
    end else begin
      if (push_i && !full_o) begin
        items[tail] <= item_i;
        tail <= tail + 1'b1;
      end
      if (pop_i && !empty_o) head <= head + 1'b1;
      count <= count + (Width+1)'(push_i && !full_o) - (Width+1)'(pop_i && !empty_o);
    end
  end
endmodule
"""
_REGISTER = """\
module common_register #(
  parameter int unsigned Width = 8,
  parameter logic [Width-1:0] ResetValue = '0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) q_o <= ResetValue;
    else q_o <= d_i;
  end
endmodule
"""
_BUS = """\
interface common_bus #(parameter int unsigned Width = 32) (input logic clk_i);
  logic [Width-1:0] data;
  logic valid, ready;
  modport source (output data, output valid, input ready, input clk_i);
  modport sink (input data, input valid, output ready, input clk_i);
endinterface
"""
_PACKAGE = """\
package block_{block}_pkg;
  import common_pkg::*;
  localparam int unsigned Lanes = {lanes};
  typedef struct packed {{
    logic [{tag}-1:0] tag;
    word_t data;
    phase_e phase;
  }} request_t;
  typedef struct packed {{
    logic [{tag}-1:0] tag;
    logic error;
    word_t [Lanes-1:0] beats;
  }} response_t;
  typedef enum logic [2:0] {{Reset{block}, Fetch{block}, Run{block}, Drain{block}, Halt{block}}} state_e;
  function automatic response_t answer(request_t request);
    response_t result;
    result.tag = request.tag;
    result.error = request.phase == Failed;
    for (int unsigned lane = 0; lane < Lanes; lane++) result.beats[lane] = rotated(request.data, lane + 1);
    return result;
  endfunction
endpackage
"""
_MODULE = """\
`include "checks.svh"

// Unit {n} of block {block}.
module {name}
  import common_pkg::*;
  import block_{block}_pkg::*;
#(
  parameter int unsigned Depth = {depth},
  parameter int unsigned Index = {n}
) (
  input  logic      clk_i,
  input  logic      rst_ni,
  input  logic      enable_i,
  input  word_t     data_i,
  output word_t     data_o,
  output logic      busy_o
);
  state_e state_q, state_d;
  request_t request, queued;
  response_t response;
  logic empty, full;
  word_t [Lanes-1:0] lanes;
{declarations}
  assign request = '{{tag: Index[{tag}-1:0], data: data_i, phase: empty ? Idle : Busy}};
  assign response = answer(queued);

  common_queue #(.item_t(request_t), .Depth(Depth)) u_queue (
    .clk_i, .rst_ni, .push_i(enable_i), .item_i(request), .pop_i(state_q == Run{block}),
    .item_o(queued), .empty_o(empty), .full_o(full)
  );

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Reset{block}: if (enable_i) state_d = Fetch{block};
      Fetch{block}: if (!empty) state_d = Run{block};
      Run{block}: if (empty) state_d = Drain{block};
      Drain{block}: state_d = response.error ? Halt{block} : Reset{block};
      default: state_d = Reset{block};
    endcase
  end
  `REGISTER(state_q, state_d, Reset{block})

  for (genvar lane = 0; lane < int'(Lanes); lane++) begin : g_lane
    common_register #(.Width(32)) u_lane (.clk_i, .rst_ni, .d_i(response.beats[lane]), .q_o(lanes[lane]));
  end
{children}
  assign data_o = {result};
  assign busy_o = full || state_q != Reset{block}{busy};
  `CHECK(NeverOverfull, !(full && empty))
endmodule
"""
_CHILD = """\
  {name} #(.Depth({depth}), .Index({n})) u_child_{n} (
    .clk_i, .rst_ni, .enable_i(state_q == Run{block}), .data_i(lanes[{lane}]), .data_o(child_{n}), .busy_o(busy_{n})
  );
"""


@dataclass(frozen=True)
class GeneratedProject:
    """The files of a project.

    Attributes:
        texts: Text by path, relative to the project's folder.
        listed: The paths that are compiled, in order.
        modules: The paths of the tree's modules, `top` first.
    """

    texts: dict[str, str]
    listed_files: tuple[str, ...]
    modules: tuple[str, ...]

    def write(self, folder: Path, *, file_list: bool) -> Path:
        """Write all files.

        Args:
            folder: Folder to write to.
            file_list: True to write a file list, `project.f`, too.

        Returns:
            The folder.
        """
        for name, text in self.texts.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        if file_list:
            lines = ["+incdir+include", *self.listed_files]
            (folder / "project.f").write_text("\n".join(lines) + "\n")
        return folder


def generated_project(file_count: int, seed: int = 1) -> GeneratedProject:
    """A project of so many files, headers and packages included.

    Args:
        file_count: Number of files; at least ten.
        seed: Another seed gives other widths and depths.
    """
    dice = random.Random(seed)
    common = {
        "include/checks.svh": _MACROS,
        "common/common_pkg.sv": _COMMON,
        "common/common_queue.sv": _QUEUE,
        "common/common_register.sv": _REGISTER,
        "common/common_bus.sv": _BUS,
    }
    modules = file_count - len(common)
    while modules + -(-modules // BLOCK) > file_count - len(common):
        modules -= 1
    tags = [dice.randint(2, 6) for _ in range(-(-modules // BLOCK))]
    lanes = [dice.randint(1, 3) for _ in tags]
    packages = {
        f"block_{block}/block_{block}_pkg.sv": _PACKAGE.format(block=block, tag=tag, lanes=lanes[block])
        for block, tag in enumerate(tags)
    }
    units = {_module_path(number): _module_text(number, modules, tags, lanes, dice) for number in range(modules)}
    texts = {**common, **packages, **units}
    listed_files = tuple(name for name in texts if name.endswith(".sv"))
    return GeneratedProject(texts, listed_files, tuple(units))


def _module_name(module_number: int) -> str:
    return f"unit_{module_number}" if module_number else "top"


def _module_path(module_number: int) -> str:
    return f"block_{module_number // BLOCK}/{_module_name(module_number)}.sv"


def _module_text(
    module_number: int, module_count: int, tag_widths: list[int], lane_counts: list[int], dice: random.Random
) -> str:
    block = module_number // BLOCK
    children = range(FAN_OUT * module_number + 1, min(FAN_OUT * module_number + FAN_OUT + 1, module_count))
    return _MODULE.format(
        n=module_number,
        name=_module_name(module_number),
        block=block,
        depth=2 ** dice.randint(1, 4),
        tag=tag_widths[block],
        declarations="".join(f"  word_t child_{child};\n  logic busy_{child};\n" for child in children),
        children="".join(
            _CHILD.format(
                n=child,
                name=_module_name(child),
                block=block,
                depth=2 ** dice.randint(1, 4),
                lane=child % lane_counts[block],
            )
            for child in children
        ),
        result=" ^ ".join(["lanes[0]", *(f"child_{child}" for child in children)]),
        busy="".join(f" || busy_{child}" for child in children),
    )
