// SPDX-License-Identifier: Apache-2.0

module hazard_unit #(
    parameter int COUNTER_WIDTH = 16
) (
    input  logic       clk,
    input  logic       rst,
    input  logic       fetch_busy,
    input  logic       d_valid,
    input  logic [4:0] d_rs1,
    input  logic [4:0] d_rs2,
    input  logic       d_uses_rs1,
    input  logic       d_uses_rs2,
    input  logic       x_valid,
    input  logic       x_is_load,
    input  logic [4:0] x_rd,
    input  logic       x_redirect,
    input  logic       mem_busy,
    output logic       stall_f,
    output logic       stall_d,
    output logic       stall_x,
    output logic       stall_m,
    output logic       bubble_d,
    output logic       bubble_x,
    output logic       bubble_w,
    output logic [COUNTER_WIDTH-1:0] load_stalls,
    output logic [COUNTER_WIDTH-1:0] redirects
);

    // Your code goes here.

endmodule
