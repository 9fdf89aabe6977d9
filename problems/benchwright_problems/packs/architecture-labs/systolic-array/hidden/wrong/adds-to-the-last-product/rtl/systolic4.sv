// Wrong: a first step is added to the sum before.
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

    // A token is a number with the marks of its step: {valid, first, last, number}. Wire n of a row enters
    // its cell n; row i is delayed by i cycles, and so is column i.
    localparam int TOKEN = 11;
    logic [TOKEN-1:0] from_left[20];
    logic [TOKEN-1:0] from_top[20];
    logic [15:0] lasts;

    genvar i, j;
    generate
        for (i = 0; i < 4; i = i + 1) begin : edges
            delay #(.WIDTH(TOKEN), .CYCLES(i)) left (
                .clk(clk), .rst(rst), .in({in_valid, in_first, in_last, a_column[8*i +: 8]}), .out(from_left[5*i]));
            delay #(.WIDTH(TOKEN), .CYCLES(i)) top (
                .clk(clk), .rst(rst), .in({in_valid, in_first, in_last, b_row[8*i +: 8]}), .out(from_top[5*i]));
        end
        for (i = 0; i < 4; i = i + 1) begin : rows
            for (j = 0; j < 4; j = j + 1) begin : columns
                cell4 #(.TOKEN(TOKEN)) here (
                    .clk(clk), .rst(rst), .a(from_left[5*i + j]), .b(from_top[5*j + i]),
                    .a_next(from_left[5*i + j + 1]), .b_next(from_top[5*j + i + 1]),
                    .ended(lasts[4*i + j]), .sum(c[24*(4*i + j) +: 24]));
            end
        end
    endgenerate

    // The last cell ends last.
    assign out_valid = lasts[15];

endmodule

module delay #(
    parameter int WIDTH  = 8,
    parameter int CYCLES = 0
) (
    input  logic             clk,
    input  logic             rst,
    input  logic [WIDTH-1:0] in,
    output logic [WIDTH-1:0] out
);
    logic [WIDTH-1:0] stages[CYCLES + 1];
    assign stages[0] = in;
    assign out = stages[CYCLES];

    genvar n;
    generate
        for (n = 0; n < CYCLES; n = n + 1) begin : steps
            logic [WIDTH-1:0] stage_q;
            always_ff @(posedge clk) stage_q <= rst ? '0 : stages[n];
            assign stages[n + 1] = stage_q;
        end
    endgenerate
endmodule

module cell4 #(
    parameter int TOKEN = 11
) (
    input  logic             clk,
    input  logic             rst,
    input  logic [TOKEN-1:0] a,
    input  logic [TOKEN-1:0] b,
    output logic [TOKEN-1:0] a_next,
    output logic [TOKEN-1:0] b_next,
    output logic             ended,
    output logic [23:0]      sum
);
    logic valid, first, last;
    assign {valid, first, last} = a[TOKEN-1:TOKEN-3];

    logic signed [23:0] product, running_q, total;
    assign product = $signed(a[7:0]) * $signed(b[7:0]);
    assign total = running_q + product;

    always_ff @(posedge clk) begin
        a_next <= a;
        b_next <= b;
        ended <= valid && last;
        if (valid) running_q <= total;
        if (valid && last) sum <= total;
        if (rst) begin
            a_next <= '0;
            b_next <= '0;
            ended <= 1'b0;
        end
    end
endmodule
