// Simulates the parity of three bits.
module tb;
  reg a, b, c; wire y; integer i, wrong;
  dut u(.a(a), .b(b), .c(c), .y(y));
  initial begin
    wrong = 0;
    for (i = 0; i < 16; i = i + 1) begin
      {a, b, c} = i; #1 if (y !== ^i[2:0]) wrong = wrong + 1;
    end
    $display("wrong: %0d", wrong);
    $finish;
  end
endmodule
