`include "defs.svh"

module fifo #(
  parameter int DEPTH = types::DEPTH
) (
  input logic clk,
  input logic rst_n,
  input logic push,
  input logic pop,
  input logic [`WIDTH-1:0] data,
  output logic [`WIDTH-1:0] head,
  output logic full
);
  logic [`WIDTH-1:0] store[DEPTH];
  logic [$clog2(DEPTH)-1:0] write_at, read_at;
  int unsigned level;

  assign full = level == DEPTH;
  assign head = store[read_at];
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) begin
      write_at <= 0;
      read_at <= 0;
      level <= 0;
    end else begin
      if (push && !full) begin
        store[write_at] <= data;
        write_at <= write_at + 1'b1;
      end
      if (pop && level != 0) read_at <= read_at + 1'b1;
      level <= level + 32'(push && !full) - 32'(pop && level != 0);
    end
`ifdef SIM
  always_ff @(posedge clk) if (push && full) $error("level %0d", level);
`endif
`ifdef FPGA
  logic [`WIDTH-1:0] spare;
  `REGISTER(clk, spare, head);
`elsif SLOW
  logic [`WIDTH-1:0] spare;
  assign spare = `MAX(head, data);
`endif
endmodule : fifo
