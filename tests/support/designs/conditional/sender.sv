`include "defs.svh"

module sender
  import types::*;
(
  input logic clk,
  input logic rst_n,
  input word_t word,
  bus_if.source bus,
  output logic busy
);
  state_e state, next;
  logic [7:0] held;
`ifdef HAS_PARITY
  logic odd;
  assign odd = parity_of(held);
`else
  wire odd = ^held;
`endif

  always_comb begin
    next = state;
    case (state)
      IDLE: if (word.valid) next = LOAD;
      LOAD: next = SHIFT;
      SHIFT: if (bus.ready) next = DONE;
      default: next = IDLE;
    endcase
`ifdef SLOW
    if (bus.stall) next = state;
`endif
  end

  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) begin
      state <= IDLE;
      held <= '0;
    end else begin
      state <= next;
`ifndef FPGA
      if (state == LOAD) held <= word.data;
`else
      if (state == LOAD) held <= word.data ^ {8{word.parity}};
`endif
    end

  assign bus.valid = state == SHIFT;
  assign bus.data = odd ? ~held : held;
  assign busy = state != IDLE;
`ifdef SIM
`ifdef FPGA
  initial $display("%m %0d", held);
`else
  final $display("%s %0d", state.name(), busy);
`endif
`endif
endmodule
