// SPDX-License-Identifier: Apache-2.0

module plru #(
    parameter int SETS = 4,
    parameter int WAYS = 8
) (
    input  logic                    clk,
    input  logic                    rst,
    input  logic                    touch,
    input  logic [$clog2(SETS)-1:0] touch_set,
    input  logic [$clog2(WAYS)-1:0] touch_way,
    input  logic [$clog2(SETS)-1:0] set,
    input  logic [WAYS-1:0]         valid,
    input  logic [WAYS-1:0]         locked,
    output logic [$clog2(WAYS)-1:0] victim,
    output logic                    none
);

    localparam int LEVELS = $clog2(WAYS);

    // Your code goes here.

endmodule
