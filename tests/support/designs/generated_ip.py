"""Generated SystemVerilog projects that use the language as real IP does.

Every block has a package with types, functions and classes, an interface, a cell with a type parameter, a core and a
test bench. The blocks have the same texts, but the names of what is declared in them are exchanged at random, so that
one name means different things in different places. slang accepts every project without an error.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from .generated_project import GeneratedProject

_MACROS = """\
`ifndef @B@_MACROS_SVH
`define @B@_MACROS_SVH
`define @B@_WIDTH @width@
`define @B@_MAX(a, b) ((a) > (b) ? (a) : (b))
`define @B@_FF(q, d) \\
  always_ff @(posedge clk_i or negedge rst_ni) \\
    if (!rst_ni) q <= '0; \\
    else q <= d;
`define @B@_FIELD(name, kind) kind name``_m;
`endif
"""
_TYPES = """\
  typedef enum logic [1:0] {Idle, Load = 2, Store} op_e;
  typedef struct packed {
    op_e op;
    word_t data;
    logic valid;
  } item_t;
  typedef struct {
    item_t item;
    int unsigned count;
    string label;
  } entry_t;
  typedef union packed {
    word_t raw;
    logic [Width-1:0] bits;
  } view_t;
"""
_PACKAGE = """\
`include "@b@_macros.svh"
package @b@_pkg;
  parameter int unsigned Width = `@B@_WIDTH;
  localparam int unsigned Depth = @depth@;
  typedef logic [Width-1:0] word_t;
`include "@b@_types.svh"
  function automatic word_t fold(word_t value, int unsigned by = 1);
    word_t result;
    result = value;
    for (int unsigned step = 0; step < by; step++) result = {result[0], result[Width-1:1]} ^ value;
    return result;
  endfunction
  function automatic item_t made_of(op_e op, word_t data);
    return '{op: op, data: fold(data, .by(2)), valid: op != Idle};
  endfunction : made_of
  class base #(type T = int, int unsigned Slots = 4);
    typedef T value_t;
    protected T items[$];
    int unsigned count;
    static int unsigned made;
    function new(int unsigned count = 0);
      this.count = count;
      made++;
    endfunction
    virtual function void put(T item);
      items.push_back(item);
      count++;
    endfunction
    virtual function value_t latest();
      return items[$];
    endfunction
    extern function int unsigned total();
    static function base #(T, Slots) create();
      base #(T, Slots) object = new();
      return object;
    endfunction
  endclass
  function int unsigned base::total();
    return count + items.size() + Slots;
  endfunction
  class agent extends base #(item_t, @depth@);
    rand word_t addr;
    rand op_e op;
    local entry_t entries[string];
    constraint legal {
      addr inside {[0:Depth]};
      op != Idle;
    }
    function new(string label);
      super.new(1);
      entries[label] = '{item: made_of(Load, '1), count: Slots, label: label};
    endfunction
    virtual function void put(item_t item);
      super.put(item);
      entries["newest"].item = item;
      if (item.op == Store) addr = item.data;
    endfunction
    virtual task run(input int unsigned cycles, output word_t result);
      repeat (cycles) begin : body
        put(made_of(op, addr));
      end
      result = latest().data;
    endtask
  endclass
  class pool #(type C = agent);
    C members[$];
    function C chosen(int at);
      return members[at];
    endfunction
  endclass : pool
endpackage : @b@_pkg
"""
_BUS = """\
interface @b@_bus #(
  parameter int unsigned Width = 8
) (
  input logic clk_i
);
  logic [Width-1:0] data;
  logic valid, ready;
  function automatic logic fires();
    return valid && ready;
  endfunction
  modport source (output data, valid, input ready, clk_i, import fires);
  modport sink (input data, valid, clk_i, output ready);
  clocking cb @(posedge clk_i);
    input data, valid;
    output ready;
  endclocking
endinterface
"""
_CELL = """\
`include "@b@_macros.svh"
module @b@_cell #(
  parameter type data_t = logic,
  parameter int unsigned Depth = 2,
  parameter bit Fast = 1'b0
) (
  input  logic  clk_i,
  input  logic  rst_ni,
  input  data_t data_i,
  output data_t data_o,
  output logic  valid
);
  data_t [Depth:0] stages;
  logic \\any+stage ;
  assign stages[0] = data_i;
  for (genvar stage = 0; stage < Depth; stage++) begin : g_stage
    data_t value;
    if (stage == 0 && Fast) begin : g_bypass
      assign value = stages[stage];
    end else begin : g_kept
      `@B@_FF(value, stages[stage])
    end
    assign stages[stage+1] = value;
  end
  case (Depth)
    1: begin : g_one
      localparam int unsigned Kind = 1;
      assign valid = \\any+stage | (Kind == 1);
    end
    default: begin : g_more
      localparam int unsigned Kind = 2;
      assign valid = \\any+stage & (Kind == 2);
    end
  endcase
  assign \\any+stage = ^stages[Depth];
  assign data_o = stages[Depth];
endmodule
"""
_CORE = """\
`include "@b@_macros.svh"
module @b@_core
  import @b@_pkg::*;
#(
  parameter int unsigned Lanes = @lanes@,
  localparam int unsigned Last = Lanes - 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  @b@_bus.sink in,
  @b@_bus.source out,
  output logic busy
);
  typedef struct packed {
    item_t item;
    logic final_beat;
  } beat_t;
  item_t request;
  beat_t data_i, data_o;
  word_t totals [Lanes];
  logic valid;
  logic [Last:0] seen;
  op_e op;
  view_t view;
  function automatic logic suits(item_t item, op_e op);
    return item.op == op && item.valid;
  endfunction
  always_comb begin
    op = in.valid ? Load : Idle;
    request = made_of(op, word_t'(in.data));
    view.raw = request.data;
    data_i = '{item: request, final_beat: suits(.op(Store), .item(request))};
    unique case (request.op)
      Idle: busy = 1'b0;
      Load, Store: busy = data_o.final_beat;
      default: busy = valid;
    endcase
  end
  @b@_cell #(.data_t(beat_t), .Depth(Depth), .Fast(@fast@)) u_cell (.*);
  @b@_cell #(.data_t(word_t)) u_words [Last:0] (.clk_i, .rst_ni, .data_i(view.raw), .data_o(), .valid(seen));
  for (genvar lane = 0; lane < Lanes; lane++) begin : g_lane
    word_t partial;
    always_comb begin
      partial = fold(data_o.item.data, lane);
    end
    assign totals[lane] = partial ^ @b@_pkg::fold(request.data) ^ word_t'(`@B@_MAX(lane, Lanes));
  end
  if (Lanes > 2) begin : g_wide
    assign out.data = in.data;
  end else begin : g_narrow
    localparam int unsigned Peer = @peer@;
    assign out.data = ~in.data ^ Peer[0];
  end
  assign out.valid = u_cell.g_stage[0].value.final_beat | g_lane[0].partial[0] | (&seen & out.fires());
  assign in.ready = out.ready;
  always_ff @(posedge clk_i) begin
    foreach (totals[at]) if (totals[at] == '0) $display("%0d", at);
  end
  property stable;
    @(posedge clk_i) disable iff (!rst_ni) in.valid |-> ##1 !in.valid || busy;
  endproperty
  a_stable: assert property (stable);
endmodule : @b@_core
"""
_BENCH = """\
`include "@b@_macros.svh"
module @b@_tb;
  import @b@_pkg::item_t, @b@_pkg::agent;
  logic clk = 0, rst_n;
  @b@_bus #(.Width(@width@)) left (.clk_i(clk)), right (.clk_i(clk));
  @b@_core #(.Lanes(@few@)) dut (.clk_i(clk), .rst_ni(rst_n), .in(left), .out(right.source), .busy());
  class driver extends agent;
    virtual @b@_bus #(@width@) vif;
    `@B@_FIELD(seq, int)
    function new(virtual @b@_bus #(@width@) vif);
      super.new("driver");
      this.vif = vif;
    endfunction
    task drive(item_t item);
      vif.data = item.data;
      vif.valid = item.valid;
      seq_m++;
      @(vif.cb);
    endtask
    virtual function void put(item_t item);
      super.put(item);
      count = total();
    endfunction
  endclass
  @b@_pkg::pool #(driver) drivers;
  driver first;
  int unsigned counts[$], found[$];
  @b@_pkg::base #(int, 3) ints = @b@_pkg::base #(int, 3)::create();
  initial begin : main
    item_t item;
    @b@_pkg::word_t word;
    first = new(left);
    drivers = new();
    item = '{op: @b@_pkg::Load, data: '0, valid: 1'b1};
    first.run(.cycles(3), .result(word));
    if (!first.randomize() with {addr < 3; op == item.op; addr != local::word;}) $error("no address");
    found = counts.find(value) with (value > 3 && value < word);
    $display(found.size());
    drivers.members.push_back(first);
    drivers.chosen(0).drive(item);
    ints.put(4);
    $display(dut.u_cell.data_o.item.data, dut.g_lane[1].partial, ints.total(), agent::made, word);
    fork : workers
      begin
        first.drive(first.latest());
      end
    join_none
  end
  always #5 clk = ~clk;
endmodule
"""
_FILES = {
    "include/@b@_macros.svh": _MACROS,
    "include/@b@_types.svh": _TYPES,
    "@b@/@b@_pkg.sv": _PACKAGE,
    "@b@/@b@_bus.sv": _BUS,
    "@b@/@b@_cell.sv": _CELL,
    "@b@/@b@_core.sv": _CORE,
    "@b@/@b@_tb.sv": _BENCH,
}
_EXCHANGED = """
Width Depth word_t op_e Idle Load Store op data valid item_t item count label entry_t raw bits view_t fold
value by result step made_of base Slots value_t items made put latest total create counts found object agent
addr entries legal cycles pool members chosen at ready fires data_t Fast clk_i rst_ni data_i data_o stages
stage Kind Lanes Last in busy final_beat beat_t request totals seen view suits lane partial Peer stable clk
rst_n left right dut driver vif drive drivers first ints word main workers u_cell u_words g_lane g_stage
g_kind
"""
_TOKEN = re.compile(r"@(\w+)@")
_WORD = re.compile(r"(?<![\w`$\"])[A-Za-z_]\w*(?![\w\"])")


def ip_project(blocks: int, seed: int = 1) -> GeneratedProject:
    """A project of so many blocks, seven files each.

    Args:
        blocks: Number of blocks.
        seed: Another seed gives other names, widths, depths and conditions.
    """
    dice, names = random.Random(seed), _EXCHANGED.split()
    texts: dict[str, str] = {}
    peer = "1"
    for block in range(blocks):
        token_values = {
            "b": f"b{block}",
            "B": f"B{block}",
            "width": dice.choice([4, 8, 12, 16]),
            "depth": dice.randint(1, 3),
            "lanes": dice.randint(2, 4),
            "few": dice.randint(2, 4),
            "fast": dice.randint(0, 1),
            "peer": peer,
        }
        new_names = dict(zip(names, dice.sample(names, len(names)), strict=True))
        for path, text in _FILES.items():
            texts[_filled(path, token_values)] = _filled(_exchanged(text, new_names), token_values)
        peer = f"b{block}_pkg::{new_names['Depth']}"
    listed_files = tuple(name for name in texts if name.endswith(".sv"))
    return GeneratedProject(texts, listed_files, tuple(name for name in listed_files if name.endswith("_core.sv")))


def _exchanged(text: str, new_names: Mapping[str, str]) -> str:
    return _WORD.sub(lambda word: new_names.get(word[0], word[0]), text)


def _filled(text: str, token_values: dict[str, object]) -> str:
    return _TOKEN.sub(lambda token: str(token_values[token[1]]), text)
