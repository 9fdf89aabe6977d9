`ifndef DEFS_SVH
`define DEFS_SVH

`ifndef WIDTH
`define WIDTH 8
`endif

`define HAS_PARITY
`define REGISTER(clock, q, d) always_ff @(posedge clock) q <= d
`define MAX(a, b) ((a) > (b) ? (a) : (b))

`endif
