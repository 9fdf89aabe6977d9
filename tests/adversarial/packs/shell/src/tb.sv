`timescale 1ns/1ns
module tb;
  reg a;
  wire y;
  inv dut(.a(a), .y(y));
  // CANARY-e1d7
  initial begin
    for (int i = 0; i < 4; i++) begin
      a = i[0];
      #1 if (y !== !i[0]) $fatal(1, "wrong");
    end
    $finish;
  end
endmodule
