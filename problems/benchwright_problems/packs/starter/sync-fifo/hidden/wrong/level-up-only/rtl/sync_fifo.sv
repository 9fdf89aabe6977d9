// Wrong: a write and a read at one edge still raise the level.
// SPDX-License-Identifier: Apache-2.0

module sync_fifo #(
    parameter int WIDTH        = 8,
    parameter int DEPTH        = 8,
    parameter int ALMOST_FULL  = DEPTH - 1,
    parameter int ALMOST_EMPTY = 1
) (
    input  logic                       clk,
    input  logic                       rst,
    input  logic                       wr_en,
    input  logic [WIDTH-1:0]           wr_data,
    output logic                       full,
    output logic                       almost_full,
    input  logic                       rd_en,
    output logic [WIDTH-1:0]           rd_data,
    output logic                       empty,
    output logic                       almost_empty,
    output logic [$clog2(DEPTH+1)-1:0] level
);

    localparam int PW = $clog2(DEPTH);
    localparam int LW = $clog2(DEPTH + 1);
    localparam int TOP = DEPTH - 1;
    // The integer parameters in the width of what they are compared with.
    localparam logic [PW-1:0] LAST = TOP[PW-1:0];
    localparam logic [LW-1:0] CAPACITY = DEPTH[LW-1:0];
    localparam logic [LW-1:0] HIGH_MARK = ALMOST_FULL[LW-1:0];
    localparam logic [LW-1:0] LOW_MARK = ALMOST_EMPTY[LW-1:0];

    logic [WIDTH-1:0] words [0:DEPTH-1];
    logic [PW-1:0] write_at, read_at;
    logic write, read;

    assign full = level == CAPACITY;
    assign empty = level == '0;
    assign almost_full = level >= HIGH_MARK;
    assign almost_empty = level <= LOW_MARK;
    assign rd_data = words[read_at];

    assign write = wr_en && !full;
    assign read = rd_en && !empty;

    always_ff @(posedge clk) begin
        if (write) words[write_at] <= wr_data;
    end

    always_ff @(posedge clk) begin
        if (rst) begin
            write_at <= '0;
            read_at <= '0;
            level <= '0;
        end else begin
            if (write) write_at <= (write_at == LAST) ? '0 : write_at + 1'b1;
            if (read) read_at <= (read_at == LAST) ? '0 : read_at + 1'b1;
            if (write) level <= level + 1'b1;
            if (read && !write) level <= level - 1'b1;
        end
    end

endmodule
