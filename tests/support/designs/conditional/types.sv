package types;
  parameter int DEPTH = 4;
  typedef enum logic [1:0] {IDLE, LOAD, SHIFT, DONE} state_e;
  typedef struct packed {
    logic [7:0] data;
    logic valid;
`ifdef FPGA
    logic parity;
`endif
  } word_t;

  function automatic logic parity_of(input logic [7:0] data);
    logic sum;
    sum = ^data;
`ifdef SIM
    if (sum === 1'bx) sum = 0;
`endif
    return sum;
  endfunction
endpackage
