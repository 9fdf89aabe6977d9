// SPDX-License-Identifier: Apache-2.0

module stream_fifo #(
    parameter int WIDTH  = 8,
    parameter int DEPTH  = 8,
    parameter int MARGIN = 2
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             flush,
    input  logic             s_valid,
    output logic             s_ready,
    input  logic [WIDTH-1:0] s_data,
    output logic             m_valid,
    input  logic             m_ready,
    output logic [WIDTH-1:0] m_data,
    output logic             almost_full
);

    // Your code goes here.

endmodule
