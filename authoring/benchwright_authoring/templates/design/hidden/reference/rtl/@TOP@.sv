module @TOP@ (
    input  logic       clk,
    input  logic       rst_n,
    input  logic       en,
    input  logic [7:0] d,
    output logic [7:0] q
);

    always_ff @(posedge clk) begin
        if (!rst_n) q <= '0;
        else if (en) q <= d;
    end

endmodule
