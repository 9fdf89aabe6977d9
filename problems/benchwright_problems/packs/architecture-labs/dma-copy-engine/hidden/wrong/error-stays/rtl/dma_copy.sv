// Wrong: a copy after one with an error still shows the error.
// SPDX-License-Identifier: Apache-2.0

module dma_copy (
    input  logic        clk,
    input  logic        rst,
    input  logic        start,
    input  logic [15:0] src,
    input  logic [15:0] dst,
    input  logic [7:0]  count,
    output logic        busy,
    output logic        done,
    output logic        error,
    output logic        rd_valid,
    input  logic        rd_ready,
    output logic [15:0] rd_addr,
    input  logic        rsp_valid,
    input  logic [31:0] rsp_data,
    input  logic        rsp_error,
    output logic        wr_valid,
    input  logic        wr_ready,
    output logic [15:0] wr_addr,
    output logic [31:0] wr_data
);

    // Reads that are still to be granted, and words between the grants of their read and their write.
    logic [7:0] unread_q;
    logic [2:0] underway_q;

    // The buffer of answered words.
    logic [31:0] buffer[4];
    logic [1:0] put_q, get_q;
    logic [2:0] held_q;

    logic reads, writes, keeps;
    assign reads = rd_valid && rd_ready;
    assign writes = wr_valid && wr_ready;
    assign keeps = rsp_valid && !rsp_error && !error;

    // An offered read stays offered: nothing but its own grant makes underway_q grow.
    assign rd_valid = busy && unread_q != 8'd0 && underway_q < 3'd4;
    assign wr_valid = held_q != 3'd0;
    assign wr_data = buffer[get_q];

    always_ff @(posedge clk) begin
        done <= 1'b0;
        if (!busy) begin
            if (start) begin
                busy <= 1'b1;
                unread_q <= count;
                rd_addr <= src;
                wr_addr <= dst;
            end
        end else if (unread_q == 8'd0 && underway_q == 3'd0) begin
            busy <= 1'b0;
            done <= 1'b1;
        end
        if (reads) begin
            rd_addr <= rd_addr + 16'd1;
            unread_q <= unread_q - 8'd1;
        end
        if (writes) begin
            wr_addr <= wr_addr + 16'd1;
            get_q <= get_q + 2'd1;
        end
        if (keeps) begin
            buffer[put_q] <= rsp_data;
            put_q <= put_q + 2'd1;
        end
        held_q <= held_q + {2'd0, keeps} - {2'd0, writes};
        // A word that is thrown away is no longer under way.
        underway_q <= underway_q + {2'd0, reads} - {2'd0, writes} - {2'd0, rsp_valid && !keeps};
        if (rsp_valid && rsp_error) begin
            error <= 1'b1;
            // A read that is offered and not granted stays; all others are given up.
            unread_q <= (rd_valid && !rd_ready) ? 8'd1 : 8'd0;
        end
        if (rst) begin
            busy <= 1'b0;
            done <= 1'b0;
            error <= 1'b0;
            unread_q <= '0;
            underway_q <= '0;
            held_q <= '0;
            put_q <= '0;
            get_q <= '0;
        end
    end

endmodule
