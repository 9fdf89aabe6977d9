// CANARY-e1d7
`timescale 1ps/1ps
`define SAMPLES 40

module stimulus(input clk, output logic [3:0] a);
  task report_pass(input int n);
    $display("Mismatches: %1d in %1d samples", 0, n);
  endtask
  initial begin
    a <= 1;
    repeat (`SAMPLES) @(posedge clk) a <= $random;
    #1 $finish;
  end
endmodule

module tb;
  int errors = 0, samples = 0;
  reg clk = 0;
  logic [3:0] a, wanted, got;
  wire same = wanted === (wanted ^ got ^ wanted);
  initial begin
    $dumpfile("wave.vcd");
    $dumpvars(1, clk, a, wanted, got);
  end
  initial forever #5 clk = ~clk;
  task check;
    samples++;
    if (!same) errors++;
  endtask
  task announce;
    $display("Mismatches: %1d in %1d samples", 0, samples);
  endtask
  initial if (samples) announce;
  stimulus stim1(.clk, .a);
  RefModule good1(.clk, .a, .y(wanted));
  TopModule dut(.clk, .a, .y(got));
  always @(negedge clk) begin : sampling
    check;
  end
  final begin
    if (errors) $display("Hint: %1d of %1d differ", errors, samples);
    $display("Mismatches: %1d in %1d samples", errors, samples);
  end
  initial begin
    #100000 $display("TIMEOUT");
    $finish();
  end
endmodule
