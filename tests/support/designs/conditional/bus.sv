interface bus_if (input logic clk);
  logic valid, ready;
  logic [7:0] data;
`ifdef SLOW
  logic stall;
  modport source (output valid, data, input ready, stall);
  modport sink (input valid, data, output ready, stall);
`else
  modport source (output valid, data, input ready);
  modport sink (input valid, data, output ready);
`endif
endinterface
