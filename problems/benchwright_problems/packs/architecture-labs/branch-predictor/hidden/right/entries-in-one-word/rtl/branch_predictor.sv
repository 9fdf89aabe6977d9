// Right as well: an entry is one word, which is read, changed and written as a whole; the states of the counter are named.
// SPDX-License-Identifier: Apache-2.0

module branch_predictor #(
    parameter int ENTRIES  = 16,
    parameter int TAG_BITS = 6
) (
    input  logic        clk,
    input  logic        rst,
    input  logic [31:0] pc,
    output logic        hit,
    output logic        taken,
    output logic [31:0] target,
    input  logic        update,
    input  logic [31:0] update_pc,
    input  logic        update_taken,
    input  logic [31:0] update_target
);

    localparam int IW = $clog2(ENTRIES);
    localparam int EW = 1 + TAG_BITS + 2 + 32;
    localparam logic [1:0] STRONG_NO = 2'd0, WEAK_NO = 2'd1, WEAK_YES = 2'd2, STRONG_YES = 2'd3;

    logic [ENTRIES*EW-1:0] table_bits;
    logic [EW-1:0] read, old, changed;
    logic [1:0] state, next_state;
    logic matches_tag;
    int place, update_place;

    assign place = int'(pc[2+:IW]) * EW;
    assign update_place = int'(update_pc[2+:IW]) * EW;
    assign read = table_bits[place +: EW];
    assign old = table_bits[update_place +: EW];

    assign hit = read[EW-1] & (read[34 +: TAG_BITS] == pc[2+IW +: TAG_BITS]);
    assign taken = hit & (read[33:32] == WEAK_YES || read[33:32] == STRONG_YES);
    assign target = read[31:0];

    assign matches_tag = old[EW-1] & (old[34 +: TAG_BITS] == update_pc[2+IW +: TAG_BITS]);
    assign state = old[33:32];
    always_comb begin
        case ({update_taken, state})
            {1'b0, STRONG_NO}:  next_state = STRONG_NO;
            {1'b0, WEAK_NO}:    next_state = STRONG_NO;
            {1'b0, WEAK_YES}:   next_state = WEAK_NO;
            {1'b0, STRONG_YES}: next_state = WEAK_YES;
            {1'b1, STRONG_NO}:  next_state = WEAK_NO;
            {1'b1, WEAK_NO}:    next_state = WEAK_YES;
            default:            next_state = STRONG_YES;
        endcase
    end

    always_comb begin
        changed = old;
        if (matches_tag) begin
            changed[33:32] = next_state;
            if (update_taken) changed[31:0] = update_target;
        end else if (update_taken) begin
            changed = {1'b1, update_pc[2+IW +: TAG_BITS], WEAK_YES, update_target};
        end
    end

    always_ff @(posedge clk) begin
        if (rst) table_bits <= '0;
        else if (update) table_bits[update_place +: EW] <= changed;
    end

endmodule
