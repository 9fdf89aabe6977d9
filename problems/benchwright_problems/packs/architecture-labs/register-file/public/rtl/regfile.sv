// SPDX-License-Identifier: Apache-2.0

module regfile #(
    parameter int WIDTH = 32,
    parameter int COUNT = 32
) (
    input  logic                     clk,
    input  logic                     write_en,
    input  logic [$clog2(COUNT)-1:0] write_addr,
    input  logic [WIDTH-1:0]         write_data,
    input  logic [$clog2(COUNT)-1:0] read_addr1,
    output logic [WIDTH-1:0]         read_data1,
    input  logic [$clog2(COUNT)-1:0] read_addr2,
    output logic [WIDTH-1:0]         read_data2
);

    // Your code goes here.

endmodule
