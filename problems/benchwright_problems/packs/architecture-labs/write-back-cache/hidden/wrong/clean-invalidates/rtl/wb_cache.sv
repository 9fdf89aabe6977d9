// Wrong: a line that clean has written back is no longer valid.
// SPDX-License-Identifier: Apache-2.0

module wb_cache #(
    parameter int SETS = 4
) (
    input  logic        clk,
    input  logic        rst,
    input  logic        req,
    input  logic        we,
    input  logic [15:0] addr,
    input  logic [31:0] wdata,
    input  logic [3:0]  wstrb,
    output logic        stall,
    output logic [31:0] rdata,
    input  logic        clean,
    output logic        clean_done,
    output logic        mem_req,
    output logic        mem_we,
    output logic [15:0] mem_addr,
    output logic [63:0] mem_wdata,
    input  logic        mem_ack,
    input  logic [63:0] mem_rdata
);

    localparam int INDEX_BITS = $clog2(SETS);
    localparam int TAG_BITS = 13 - INDEX_BITS;

    typedef enum logic [1:0] {IDLE, WRITE_BACK, FETCH} state_t;
    state_t state_q;

    logic [63:0] lines[SETS];
    logic [TAG_BITS-1:0] tags[SETS];
    logic [SETS-1:0] valid_q, dirty_q;

    // The line that is missing, and the entry that has to leave.
    logic [12:0] missing_q;
    logic [INDEX_BITS-1:0] leaving_q;
    logic fetch_follows_q;

    logic [INDEX_BITS-1:0] index, missing_index;
    assign index = addr[3 +: INDEX_BITS];
    assign missing_index = missing_q[INDEX_BITS-1:0];

    logic present, takes;
    assign present = valid_q[index] && tags[index] == addr[15:3+INDEX_BITS];
    assign takes = state_q == IDLE && !clean && present;
    assign stall = req && !takes;
    assign rdata = addr[2] ? lines[index][63:32] : lines[index][31:0];

    logic [INDEX_BITS-1:0] lowest_dirty;
    always_comb begin
        lowest_dirty = '0;
        for (int i = SETS - 1; i >= 0; i--)
            if (dirty_q[i]) lowest_dirty = i[INDEX_BITS-1:0];
    end
    assign clean_done = state_q == IDLE && clean && dirty_q == '0;

    assign mem_req = state_q != IDLE;
    assign mem_we = state_q == WRITE_BACK;
    assign mem_addr = mem_we ? {tags[leaving_q], leaving_q, 3'b000} : {missing_q, 3'b000};
    assign mem_wdata = lines[leaving_q];

    logic [63:0] stored_line;
    always_comb begin
        stored_line = lines[index];
        for (int i = 0; i < 4; i++)
            if (wstrb[i]) stored_line[32 * addr[2] + 8 * i +: 8] = wdata[8 * i +: 8];
    end

    always_ff @(posedge clk) begin
        case (state_q)
            IDLE: begin
                if (clean) begin
                    if (dirty_q != '0) state_q <= WRITE_BACK;
                    leaving_q <= lowest_dirty;
                    fetch_follows_q <= 1'b0;
                end else if (req && !present) begin
                    if (dirty_q[index]) state_q <= WRITE_BACK;
                    else state_q <= FETCH;
                    leaving_q <= index;
                    missing_q <= addr[15:3];
                    fetch_follows_q <= 1'b1;
                end else if (req && we) begin
                    lines[index] <= stored_line;
                    if (wstrb != 4'b0000) dirty_q[index] <= 1'b1;
                end
            end
            WRITE_BACK:
                if (mem_ack) begin
                    dirty_q[leaving_q] <= 1'b0;
                    if (!fetch_follows_q) valid_q[leaving_q] <= 1'b0;
                    if (fetch_follows_q) state_q <= FETCH;
                    else state_q <= IDLE;
                end
            default:
                if (mem_ack) begin
                    lines[missing_index] <= mem_rdata;
                    tags[missing_index] <= missing_q[12:INDEX_BITS];
                    valid_q[missing_index] <= 1'b1;
                    state_q <= IDLE;
                end
        endcase
        if (rst) begin
            state_q <= IDLE;
            valid_q <= '0;
            dirty_q <= '0;
        end
    end

endmodule
