// SPDX-License-Identifier: Apache-2.0

module rob8 (
    input  logic        clk,
    input  logic        rst,
    input  logic        alloc_valid,
    input  logic [4:0]  alloc_rd,
    output logic        alloc_ready,
    output logic [2:0]  alloc_tag,
    input  logic        done_valid,
    input  logic [2:0]  done_tag,
    input  logic [31:0] done_value,
    input  logic        done_fault,
    output logic        commit_valid,
    output logic [4:0]  commit_rd,
    output logic [31:0] commit_value,
    output logic        commit_fault,
    input  logic [4:0]  find_rs,
    output logic        find_hit,
    output logic        find_done,
    output logic [2:0]  find_tag,
    output logic [31:0] find_value
);

    // Your code goes here.

endmodule
