`timescale 1ns/1ns
module tb;
  reg a;
  wire y;
  inv dut(.a(a), .y(y));
  // CANARY-e1d7
  initial begin
    a = 0;
    $monitor("a is %b, and y is %b", a, y);
    repeat (4) #1 a = !a;
    #1 $finish;
  end
endmodule
