// SPDX-License-Identifier: Apache-2.0

module msi_pair (
    input  logic        clk,
    input  logic        rst,
    input  logic        req0, we0,
    input  logic [5:0]  addr0,
    input  logic [31:0] wdata0,
    output logic        ready0,
    output logic [31:0] rdata0,
    input  logic        req1, we1,
    input  logic [5:0]  addr1,
    input  logic [31:0] wdata1,
    output logic        ready1,
    output logic [31:0] rdata1,
    output logic        mem_req, mem_we,
    output logic [5:0]  mem_addr,
    output logic [31:0] mem_wdata,
    input  logic        mem_ack,
    input  logic [31:0] mem_rdata,
    input  logic [5:0]  probe_addr,
    output logic [1:0]  probe0, probe1
);

    localparam logic [1:0] I = 2'd0, S = 2'd1, M = 2'd2;

    // Your code goes here.

endmodule
