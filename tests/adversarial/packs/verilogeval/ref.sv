// CANARY-e1d7
module RefModule(input clk, input [3:0] a, output logic [3:0] y);
  always @(posedge clk) y <= a + 4'd3;
endmodule
