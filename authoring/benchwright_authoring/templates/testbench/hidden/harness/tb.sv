// Compares the design with a model in every cycle.
module tb;
    logic clk = 0, rst_n, en;
    logic [7:0] d, q, expected;
    int samples = 0, mismatches = 0;

    @TOP@ dut (.clk, .rst_n, .en, .d, .q);

    always #5 clk = ~clk;

    always @(posedge clk) begin
        if (!rst_n) expected <= 0;
        else if (en) expected <= d;
    end

    initial begin
        rst_n = 0;
        en    = 1;
        d     = 8'h5A;
        repeat (2) @(negedge clk);
        repeat (500) begin
            rst_n = $urandom_range(9) != 0;
            en    = $urandom_range(1) != 0;
            d     = $urandom;
            @(negedge clk);
            samples++;
            if (q !== expected) mismatches++;
        end
        $display("Mismatches: %0d in %0d samples", mismatches, samples);
        $finish;
    end
endmodule
