// SPDX-License-Identifier: Apache-2.0

module lru_arbiter #(
    parameter int N = 4
) (
    input  logic         clk,
    input  logic         rst,
    input  logic [N-1:0] req,
    input  logic         hold,
    output logic [N-1:0] grant,
    output logic         busy
);

    // Your code goes here.

endmodule
