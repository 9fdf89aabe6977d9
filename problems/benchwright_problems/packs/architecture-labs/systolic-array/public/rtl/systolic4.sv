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

    // Your code goes here.

endmodule
