// Simulates the sum of two numbers, with its carry.
module tb;
  reg [3:0] a, b; wire [4:0] y; integer i, wrong;
  sum u(.a(a), .b(b), .y(y));
  initial begin
    wrong = 0;
    for (i = 0; i < 256; i = i + 1) begin
      {a, b} = i; #1 if (y !== {1'b0, a} + {1'b0, b}) wrong = wrong + 1;
    end
    $display("wrong: %0d", wrong);
    $finish;
  end
endmodule
