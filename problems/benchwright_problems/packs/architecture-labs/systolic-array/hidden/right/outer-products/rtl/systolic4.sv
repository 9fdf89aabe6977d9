// Another way: no wave; all sixteen sums take each outer product at once, and the finished matrix waits in a pipeline.
// SPDX-License-Identifier: Apache-2.0

module systolic4 (
    input  logic         clk,
    input  logic         rst,
    input  logic         in_valid,
    input  logic         in_first,
    input  logic         in_last,
    input  logic [31:0]  a_column,
    input  logic [31:0]  b_row,
    output logic         out_valid,
    output logic [383:0] c
);

    logic [383:0] sums_q, sums;
    logic [383:0] waiting_q[6];
    logic [6:0] ends_q;

    always_comb begin
        sums = in_first ? '0 : sums_q;
        for (int n = 0; n < 16; n++)
            sums[24*n +: 24] = sums[24*n +: 24]
                + {{16{a_column[8*(n/4) + 7]}}, a_column[8*(n/4) +: 8]} * {{16{b_row[8*(n%4) + 7]}}, b_row[8*(n%4) +: 8]};
    end

    assign out_valid = ends_q[6];
    assign c = waiting_q[5];

    always_ff @(posedge clk) begin
        ends_q <= rst ? '0 : {ends_q[5:0], in_valid && in_last};
        if (in_valid) sums_q <= sums;
        waiting_q[0] <= sums_q;
        for (int n = 1; n < 6; n++) waiting_q[n] <= waiting_q[n - 1];
    end

endmodule
