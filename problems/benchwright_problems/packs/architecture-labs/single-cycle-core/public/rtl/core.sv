// SPDX-License-Identifier: Apache-2.0

module core #(
    parameter logic [31:0] RESET_PC = 32'd0
) (
    input  logic        clk,
    input  logic        rst,
    output logic [31:0] pc,
    input  logic [31:0] instr,
    output logic        trap,
    output logic        mem_valid,
    output logic        mem_write,
    output logic [31:0] mem_addr,
    output logic [3:0]  mem_strobe,
    output logic [31:0] mem_wdata,
    input  logic [31:0] mem_rdata
);

    // Your code goes here.

endmodule
