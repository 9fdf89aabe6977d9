// SPDX-License-Identifier: Apache-2.0

module async_fifo #(
    parameter int WIDTH      = 8,
    parameter int DEPTH_BITS = 3
) (
    input  logic                wclk,
    input  logic                wrst,
    input  logic                wr_en,
    input  logic [WIDTH-1:0]    wr_data,
    output logic                full,
    output logic [DEPTH_BITS:0] wr_gray,
    input  logic                rclk,
    input  logic                rrst,
    input  logic                rd_en,
    output logic [WIDTH-1:0]    rd_data,
    output logic                empty,
    output logic [DEPTH_BITS:0] rd_gray
);

    // Your code goes here.

endmodule
