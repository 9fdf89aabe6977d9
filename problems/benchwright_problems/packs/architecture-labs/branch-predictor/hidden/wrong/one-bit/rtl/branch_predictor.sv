// Wrong: a single branch that is not taken turns the prediction round.
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

    logic [ENTRIES-1:0] valid;
    logic [TAG_BITS-1:0] tags [0:ENTRIES-1];
    logic [31:0] targets [0:ENTRIES-1];
    logic [1:0] counters [0:ENTRIES-1];

    // Instructions are words, so the index begins at bit 2; the tag is above it.
    logic [IW-1:0] index, update_index;
    logic [TAG_BITS-1:0] tag, update_tag;
    logic update_hit;

    assign index = pc[2+:IW];
    assign tag = pc[2+IW+:TAG_BITS];
    assign update_index = update_pc[2+:IW];
    assign update_tag = update_pc[2+IW+:TAG_BITS];

    assign hit = valid[index] && tags[index] == tag;
    assign taken = hit && counters[index][1];
    assign target = targets[index];

    assign update_hit = valid[update_index] && tags[update_index] == update_tag;

    always_ff @(posedge clk) begin
        if (rst) begin
            valid <= '0;
        end else if (update && update_hit) begin
            if (update_taken) begin
                targets[update_index] <= update_target;
                counters[update_index] <= 2'b11;
            end else if (counters[update_index] != 2'b00) begin
                counters[update_index] <= 2'b00;
            end
        end else if (update && update_taken) begin
            valid[update_index] <= 1'b1;
            tags[update_index] <= update_tag;
            targets[update_index] <= update_target;
            counters[update_index] <= 2'b10;
        end
    end

endmodule
