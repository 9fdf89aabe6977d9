`include "defs.svh"

module top #(
  parameter int LANES = 2
) (
  input logic clk,
  input logic rst_n,
  input logic [7:0] data,
  input logic push,
  output logic [LANES-1:0] busy,
  output logic any
);
  import types::word_t;
  logic full;
  logic [7:0] head;
  word_t word;

  fifo #(.DEPTH(8)) u_fifo (.clk, .rst_n, .push, .pop(!busy[0]), .data(data), .head, .full);

  assign word.data = head;
  assign word.valid = !full;
`ifdef FPGA
  assign word.parity = types::parity_of(head);
`endif

  for (genvar lane = 0; lane < LANES; lane++) begin : g_lane
    bus_if bus (.clk);
`ifdef SLOW
    assign bus.stall = lane[0];
`endif
    assign bus.ready = 1'b1;
    sender u_sender (.*, .bus(bus), .busy(busy[lane]));
  end

`ifdef SIM
  logic seen;
  always_comb seen = g_lane[0].bus.valid | g_lane[0].u_sender.odd;
  assign any = |busy | seen;
`else
  assign any = |busy;
`endif
endmodule

`ifndef SYNTHESIS
module checks (input logic clk, input int unsigned level);
  covergroup levels @(posedge clk);
    depth: coverpoint level {
      bins low = {[0:2]};
      bins high = {[3:8]};
    }
  endgroup
  levels group = new;
  property bounded;
    @(posedge clk) level <= 8;
  endproperty
  assert property (bounded);
endmodule

bind fifo checks u_checks (.clk(clk), .level);
`endif
