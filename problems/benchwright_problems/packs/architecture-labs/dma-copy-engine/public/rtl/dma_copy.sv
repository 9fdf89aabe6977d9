// SPDX-License-Identifier: Apache-2.0

module dma_copy (
    input  logic        clk,
    input  logic        rst,
    input  logic        start,
    input  logic [15:0] src,
    input  logic [15:0] dst,
    input  logic [7:0]  count,
    output logic        busy,
    output logic        done,
    output logic        error,
    output logic        rd_valid,
    input  logic        rd_ready,
    output logic [15:0] rd_addr,
    input  logic        rsp_valid,
    input  logic [31:0] rsp_data,
    input  logic        rsp_error,
    output logic        wr_valid,
    input  logic        wr_ready,
    output logic [15:0] wr_addr,
    output logic [31:0] wr_data
);

    // Your code goes here.

endmodule
