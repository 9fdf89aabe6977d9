// SPDX-License-Identifier: Apache-2.0

module direct_cache #(
    parameter int SETS  = 8,
    parameter int WORDS = 4
) (
    input  logic                clk,
    input  logic                rst,
    input  logic                req,
    input  logic [15:0]         addr,
    output logic                stall,
    output logic [31:0]         rdata,
    input  logic                flush,
    output logic                mem_req,
    output logic [15:0]         mem_addr,
    input  logic                mem_valid,
    input  logic [32*WORDS-1:0] mem_data
);

    localparam int OFFSET_BITS = $clog2(WORDS) + 2;
    localparam int INDEX_BITS = $clog2(SETS);

    // Your code goes here.

endmodule
