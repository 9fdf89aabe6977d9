module @TOP@ (
    input  logic       clk,
    input  logic       rst_n,
    input  logic       en,
    input  logic [7:0] d,
    output logic [7:0] q
);

    // Your code goes here.

endmodule
