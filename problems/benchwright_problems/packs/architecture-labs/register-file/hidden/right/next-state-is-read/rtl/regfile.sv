// Right as well: each register has its next value as a signal, and the ports read these instead of bypassing.
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

    logic [COUNT*WIDTH-1:0] present, next;

    for (genvar number = 0; number < COUNT; number = number + 1) begin : g_register
        localparam int LOW = number * WIDTH;
        if (number == 0) begin : g_zero
            assign next[LOW +: WIDTH] = '0;
        end else begin : g_word
            assign next[LOW +: WIDTH] = (write_en && write_addr == number) ? write_data : present[LOW +: WIDTH];
        end
        always_ff @(posedge clk) present[LOW +: WIDTH] <= next[LOW +: WIDTH];
    end

    assign read_data1 = next[read_addr1 * WIDTH +: WIDTH];
    assign read_data2 = next[read_addr2 * WIDTH +: WIDTH];

endmodule
