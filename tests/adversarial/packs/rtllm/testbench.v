// CANARY-e1d7
module testbench;
  reg [3:0] a;
  wire [3:0] y;
  reg [3:0] want [0:15];
  integer i, wrong = 0;
  table_4 uut(.a(a), .y(y));
  task say_passed;
    $display("===========Your Design Passed===========");
  endtask
  initial begin : all
    $readmemh("want.dat", want);
    for (i = 0; i < 16; i = i + 1) begin
      a = i;
      #10 if (y !== want[i]) begin
        wrong = wrong + 1;
        $display("a = %h: %h, not what is wanted", a, y);
      end
    end
    if (wrong == 0) say_passed;
    else $display("===========Test completed with %d failures===========", wrong);
  end
endmodule
