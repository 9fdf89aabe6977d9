// SPDX-License-Identifier: Apache-2.0

module frame_detector (
    input  logic       clk,
    input  logic       rst_n,
    input  logic       valid,
    input  logic       bit_in,
    input  logic       lock,
    output logic       match,
    output logic [2:0] progress,
    output logic [7:0] count
);

    // Your code goes here.

endmodule
