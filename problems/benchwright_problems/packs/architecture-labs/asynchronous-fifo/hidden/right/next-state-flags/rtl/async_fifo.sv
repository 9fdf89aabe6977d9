// Another way: flags are flip-flops that are computed one edge ahead, no binary pointer is kept, and the memory is addressed by Gray code.
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

    logic [WIDTH-1:0] cells[2 ** DEPTH_BITS];

    async_fifo_side #(.BITS(DEPTH_BITS + 1)) writer (
        .clk(wclk), .rst(wrst), .move(wr_en && !full), .flag_at(1'b1), .other(rd_gray), .gray(wr_gray), .flag(full));
    async_fifo_side #(.BITS(DEPTH_BITS + 1)) reader (
        .clk(rclk), .rst(rrst), .move(rd_en && !empty), .flag_at(1'b0), .other(wr_gray), .gray(rd_gray), .flag(empty));

    // The lower bits of a Gray code are not the code of the lower bits: the top bit has to be folded in.
    logic [DEPTH_BITS-1:0] wr_cell, rd_cell;
    assign wr_cell = {wr_gray[DEPTH_BITS] ^ wr_gray[DEPTH_BITS-1], wr_gray[DEPTH_BITS-2:0]};
    assign rd_cell = {rd_gray[DEPTH_BITS] ^ rd_gray[DEPTH_BITS-1], rd_gray[DEPTH_BITS-2:0]};
    assign rd_data = cells[rd_cell];

    always_ff @(posedge wclk) if (wr_en && !full) cells[wr_cell] <= wr_data;

endmodule

module async_fifo_side #(
    parameter int BITS = 4
) (
    input  logic            clk, rst, move, flag_at,
    input  logic [BITS-1:0] other,
    output logic [BITS-1:0] gray,
    output logic            flag
);
    logic [BITS-1:0] first_q, second_q, binary, advanced, next_gray;

    always_comb begin
        binary[BITS-1] = gray[BITS-1];
        for (int i = BITS - 2; i >= 0; i--) binary[i] = binary[i+1] ^ gray[i];
        advanced = binary + {{(BITS - 1){1'b0}}, move};
        next_gray = advanced ^ {1'b0, advanced[BITS-1:1]};
    end

    // The flag of the coming state: flag_at 0 for equal pointers, 1 for those half a turn apart.
    always_ff @(posedge clk) begin
        if (rst) begin
            gray <= '0;
            first_q <= '0;
            second_q <= '0;
            flag <= !flag_at;
        end else begin
            gray <= next_gray;
            first_q <= other;
            second_q <= first_q;
            flag <= next_gray == {first_q[BITS-1:BITS-2] ^ {2{flag_at}}, first_q[BITS-3:0]};
        end
    end
endmodule
