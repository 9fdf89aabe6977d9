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

    logic [WIDTH-1:0] registers [0:COUNT-1];
    logic stores;

    // Register 0 is never written, and never read from the memory.
    assign stores = write_en && write_addr != '0;

    always_ff @(posedge clk) begin
        if (stores) registers[write_addr] <= write_data;
    end

    assign read_data1 = (read_addr1 == '0) ? '0
                      : (stores && write_addr == read_addr1) ? write_data
                      : registers[read_addr1];
    assign read_data2 = (read_addr2 == '0) ? '0
                      : (stores && write_addr == read_addr2) ? write_data
                      : registers[read_addr2];

endmodule
