
  a_never: assert property (@(posedge clk) 1'b0 |-> 1'b0);
