// Right as well: the reason is found first, as a number, and a table has the outputs of each; the counters have a bit more, for the end.
// SPDX-License-Identifier: Apache-2.0

module hazard_unit #(
    parameter int COUNTER_WIDTH = 16
) (
    input  logic       clk,
    input  logic       rst,
    input  logic       fetch_busy,
    input  logic       d_valid,
    input  logic [4:0] d_rs1,
    input  logic [4:0] d_rs2,
    input  logic       d_uses_rs1,
    input  logic       d_uses_rs2,
    input  logic       x_valid,
    input  logic       x_is_load,
    input  logic [4:0] x_rd,
    input  logic       x_redirect,
    input  logic       mem_busy,
    output logic       stall_f,
    output logic       stall_d,
    output logic       stall_x,
    output logic       stall_m,
    output logic       bubble_d,
    output logic       bubble_x,
    output logic       bubble_w,
    output logic [COUNTER_WIDTH-1:0] load_stalls,
    output logic [COUNTER_WIDTH-1:0] redirects
);

    localparam logic [2:0] FREE = 3'd0, FETCH = 3'd1, LOAD = 3'd2, REDIRECT = 3'd3, MEMORY = 3'd4;

    logic [2:0] reason;
    logic [31:0] asked_for;
    logic [COUNTER_WIDTH:0] next_loads, next_redirects;

    // One bit for each register that the instruction in decode reads; nobody waits for register 0.
    always_comb begin
        asked_for = 32'b0;
        if (d_uses_rs1) asked_for[d_rs1] = d_valid;
        if (d_uses_rs2) asked_for[d_rs2] = d_valid;
        asked_for[0] = 1'b0;
    end

    always_comb begin
        reason = FREE;
        if (fetch_busy) reason = FETCH;
        if (x_valid & x_is_load & asked_for[x_rd]) reason = LOAD;
        if (x_valid & x_redirect) reason = REDIRECT;
        if (mem_busy) reason = MEMORY;
    end

    always_comb begin
        case (reason)
            FETCH:    {stall_f, stall_d, stall_x, stall_m, bubble_d, bubble_x, bubble_w} = 7'b1000_100;
            LOAD:     {stall_f, stall_d, stall_x, stall_m, bubble_d, bubble_x, bubble_w} = 7'b1100_010;
            REDIRECT: {stall_f, stall_d, stall_x, stall_m, bubble_d, bubble_x, bubble_w} = 7'b0000_110;
            MEMORY:   {stall_f, stall_d, stall_x, stall_m, bubble_d, bubble_x, bubble_w} = 7'b1111_001;
            default:  {stall_f, stall_d, stall_x, stall_m, bubble_d, bubble_x, bubble_w} = 7'b0000_000;
        endcase
    end

    assign next_loads = load_stalls + {{COUNTER_WIDTH{1'b0}}, reason == LOAD};
    assign next_redirects = redirects + {{COUNTER_WIDTH{1'b0}}, reason == REDIRECT};
    always_ff @(posedge clk) begin
        load_stalls <= rst ? '0 : next_loads[COUNTER_WIDTH] ? '1 : next_loads[COUNTER_WIDTH-1:0];
        redirects <= rst ? '0 : next_redirects[COUNTER_WIDTH] ? '1 : next_redirects[COUNTER_WIDTH-1:0];
    end

endmodule
