// SPDX-License-Identifier: Apache-2.0

module sat_counter #(
    parameter int WIDTH = 8
) (
    input  logic             clk,
    input  logic             rst_n,
    input  logic             load,
    input  logic [WIDTH-1:0] load_value,
    input  logic             up,
    input  logic             down,
    output logic [WIDTH-1:0] count,
    output logic             at_max,
    output logic             at_min
);

    // Your code goes here.

endmodule
