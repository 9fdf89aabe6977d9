// Wrong: a valid entry counts as a hit whatever its tag is.
// SPDX-License-Identifier: Apache-2.0

module direct_cache #(
    parameter int SETS  = 8,
    parameter int WORDS = 4
) (
    input  logic                clk,
    input  logic                rst,
    input  logic                req,
    input  logic [15:0]         addr,
    output logic                stall,
    output logic [31:0]         rdata,
    input  logic                flush,
    output logic                mem_req,
    output logic [15:0]         mem_addr,
    input  logic                mem_valid,
    input  logic [32*WORDS-1:0] mem_data
);

    localparam int OFFSET_BITS = $clog2(WORDS) + 2;
    localparam int INDEX_BITS = $clog2(SETS);
    localparam int LINE_BITS = 16 - OFFSET_BITS;
    localparam int TAG_BITS = LINE_BITS - INDEX_BITS;

    logic [32*WORDS-1:0] lines[SETS];
    logic [TAG_BITS-1:0] tags[SETS];
    logic [SETS-1:0] valid_q;

    // The line that is being fetched, as a line number: tag and index.
    logic fetching_q, keep_q;
    logic [LINE_BITS-1:0] fetched_q;

    logic [TAG_BITS-1:0] tag;
    logic [INDEX_BITS-1:0] index, fetched_index;
    logic [OFFSET_BITS-3:0] word;
    assign {tag, index, word} = addr[15:2];
    assign fetched_index = fetched_q[INDEX_BITS-1:0];

    logic hit;
    assign hit = !fetching_q && valid_q[index];
    assign stall = req && !hit;

    logic [32*WORDS-1:0] line;
    assign line = lines[index];
    assign rdata = line[32*word +: 32];

    assign mem_req = fetching_q;
    assign mem_addr = {fetched_q, {OFFSET_BITS{1'b0}}};

    always_ff @(posedge clk) begin
        if (fetching_q) begin
            if (flush) keep_q <= 1'b0;
            if (mem_valid) begin
                fetching_q <= 1'b0;
                lines[fetched_index] <= mem_data;
                tags[fetched_index] <= fetched_q[LINE_BITS-1:INDEX_BITS];
                valid_q[fetched_index] <= keep_q;
            end
        end else if (stall) begin
            fetching_q <= 1'b1;
            keep_q <= 1'b1;
            fetched_q <= addr[15:OFFSET_BITS];
        end
        if (flush || rst) valid_q <= '0;
        if (rst) fetching_q <= 1'b0;
    end

endmodule
