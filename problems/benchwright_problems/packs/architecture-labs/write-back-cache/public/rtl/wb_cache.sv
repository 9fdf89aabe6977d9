// SPDX-License-Identifier: Apache-2.0

module wb_cache #(
    parameter int SETS = 4
) (
    input  logic        clk,
    input  logic        rst,
    input  logic        req,
    input  logic        we,
    input  logic [15:0] addr,
    input  logic [31:0] wdata,
    input  logic [3:0]  wstrb,
    output logic        stall,
    output logic [31:0] rdata,
    input  logic        clean,
    output logic        clean_done,
    output logic        mem_req,
    output logic        mem_we,
    output logic [15:0] mem_addr,
    output logic [63:0] mem_wdata,
    input  logic        mem_ack,
    input  logic [63:0] mem_rdata
);

    localparam int INDEX_BITS = $clog2(SETS);

    // Your code goes here.

endmodule
