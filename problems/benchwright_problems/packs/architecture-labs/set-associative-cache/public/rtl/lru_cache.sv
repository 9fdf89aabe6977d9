// SPDX-License-Identifier: Apache-2.0

module lru_cache #(
    parameter int SETS = 4,
    parameter int WAYS = 4
) (
    input  logic        clk,
    input  logic        rst,
    input  logic        req,
    input  logic [15:0] addr,
    output logic        stall,
    output logic [31:0] rdata,
    output logic [2:0]  way,
    input  logic        inv,
    input  logic [15:0] inv_addr,
    output logic        mem_req,
    output logic [15:0] mem_addr,
    input  logic        mem_valid,
    input  logic [63:0] mem_data
);

    localparam int INDEX_BITS = $clog2(SETS);

    // Your code goes here.

endmodule
