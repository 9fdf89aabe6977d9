// Wrong: the pointers cross in binary.
// SPDX-License-Identifier: Apache-2.0

module async_fifo #(
    parameter int WIDTH      = 8,
    parameter int DEPTH_BITS = 3
) (
    input  logic                wclk,
    input  logic                wrst,
    input  logic                wr_en,
    input  logic [WIDTH-1:0]    wr_data,
    output logic                full,
    output logic [DEPTH_BITS:0] wr_gray,
    input  logic                rclk,
    input  logic                rrst,
    input  logic                rd_en,
    output logic [WIDTH-1:0]    rd_data,
    output logic                empty,
    output logic [DEPTH_BITS:0] rd_gray
);

    logic [WIDTH-1:0] words[1 << DEPTH_BITS];

    // The write side. The binary pointer addresses the memory, the Gray one crosses.
    logic [DEPTH_BITS:0] wr_q, wr_next, rd_seen_1, rd_seen_2;
    assign wr_next = wr_q + 1'b1;
    assign full = (wr_gray ^ rd_seen_2) == {2'b10, {(DEPTH_BITS - 1){1'b0}}};

    always_ff @(posedge wclk) begin
        rd_seen_1 <= rd_gray;
        rd_seen_2 <= rd_seen_1;
        if (wr_en && !full) begin
            words[wr_q[DEPTH_BITS-1:0]] <= wr_data;
            wr_q <= wr_next;
            wr_gray <= wr_next;
        end
        if (wrst) begin
            wr_q <= '0;
            wr_gray <= '0;
            rd_seen_1 <= '0;
            rd_seen_2 <= '0;
        end
    end

    // The read side.
    logic [DEPTH_BITS:0] rd_q, rd_next, wr_seen_1, wr_seen_2;
    assign rd_next = rd_q + 1'b1;
    assign empty = rd_gray == wr_seen_2;
    assign rd_data = words[rd_q[DEPTH_BITS-1:0]];

    always_ff @(posedge rclk) begin
        wr_seen_1 <= wr_gray;
        wr_seen_2 <= wr_seen_1;
        if (rd_en && !empty) begin
            rd_q <= rd_next;
            rd_gray <= rd_next;
        end
        if (rrst) begin
            rd_q <= '0;
            rd_gray <= '0;
            wr_seen_1 <= '0;
            wr_seen_2 <= '0;
        end
    end

endmodule
