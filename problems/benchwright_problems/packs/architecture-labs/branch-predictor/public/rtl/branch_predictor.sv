// SPDX-License-Identifier: Apache-2.0

module branch_predictor #(
    parameter int ENTRIES  = 16,
    parameter int TAG_BITS = 6
) (
    input  logic        clk,
    input  logic        rst,
    input  logic [31:0] pc,
    output logic        hit,
    output logic        taken,
    output logic [31:0] target,
    input  logic        update,
    input  logic [31:0] update_pc,
    input  logic        update_taken,
    input  logic [31:0] update_target
);

    // Your code goes here.

endmodule
