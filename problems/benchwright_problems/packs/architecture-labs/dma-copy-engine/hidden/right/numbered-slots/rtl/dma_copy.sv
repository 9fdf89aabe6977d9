// Another way: words have numbers, four counters of numbers chase each other, and the limit of the copy is what an error changes.
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

    // Word numbers, relative to the start: the next to be offered, granted, answered and written.
    logic [8:0] granted, answered, written;
    // The copy reads below read_end and writes below write_end.
    logic [8:0] read_end, write_end;
    logic [15:0] from, to;
    logic offers;
    logic [31:0] slot0, slot1, slot2, slot3;

    assign rd_valid = offers;
    assign rd_addr = from + {7'd0, granted};
    assign wr_valid = busy && written < answered && written < write_end;
    assign wr_addr = to + {7'd0, written};
    always_comb
        case (written[1:0])
            2'd0: wr_data = slot0;
            2'd1: wr_data = slot1;
            2'd2: wr_data = slot2;
            default: wr_data = slot3;
        endcase

    logic [8:0] next_granted, next_written, next_read_end;
    logic fails;
    assign fails = rsp_valid && rsp_error;
    assign next_granted = granted + 9'(offers && rd_ready);
    assign next_written = written + 9'(wr_valid && wr_ready);
    always_comb begin
        next_read_end = read_end;
        if (fails) next_read_end = granted + 9'(offers);
    end

    always_ff @(posedge clk) begin
        done <= 1'b0;
        if (rst) begin
            busy <= 1'b0;
            error <= 1'b0;
            offers <= 1'b0;
        end else if (!busy) begin
            offers <= 1'b0;
            if (start) begin
                busy <= 1'b1;
                error <= 1'b0;
                from <= src;
                to <= dst;
                granted <= 9'd0;
                answered <= 9'd0;
                written <= 9'd0;
                read_end <= {1'b0, count};
                write_end <= {1'b0, count};
                offers <= count != 8'd0;
            end
        end else begin
            granted <= next_granted;
            written <= next_written;
            read_end <= next_read_end;
            if (rsp_valid) begin
                answered <= answered + 9'd1;
                case (answered[1:0])
                    2'd0: slot0 <= rsp_data;
                    2'd1: slot1 <= rsp_data;
                    2'd2: slot2 <= rsp_data;
                    default: slot3 <= rsp_data;
                endcase
            end
            if (fails && !error) begin
                error <= 1'b1;
                write_end <= answered;
            end
            if (offers && !rd_ready) offers <= 1'b1;
            else offers <= !fails && next_granted < read_end && next_granted - next_written < 9'd4;
            if (!offers && granted == read_end && answered == granted && (written == write_end)) begin
                busy <= 1'b0;
                done <= 1'b1;
            end
        end
    end

endmodule
