// SPDX-License-Identifier: Apache-2.0

module cdc_source #(
    parameter int WIDTH = 8
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [WIDTH-1:0] in_data,
    output logic             req,
    output logic [WIDTH-1:0] data,
    input  logic             ack
);

    // Your code goes here.

endmodule
