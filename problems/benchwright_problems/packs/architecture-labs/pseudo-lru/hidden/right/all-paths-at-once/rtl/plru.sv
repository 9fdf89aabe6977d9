// Another way: no walk; each way finds out in parallel whether all nodes above it lead to it, and each node is a flip-flop of its own.
// SPDX-License-Identifier: Apache-2.0

module plru #(
    parameter int SETS = 4,
    parameter int WAYS = 8
) (
    input  logic                    clk,
    input  logic                    rst,
    input  logic                    touch,
    input  logic [$clog2(SETS)-1:0] touch_set,
    input  logic [$clog2(WAYS)-1:0] touch_way,
    input  logic [$clog2(SETS)-1:0] set,
    input  logic [WAYS-1:0]         valid,
    input  logic [WAYS-1:0]         locked,
    output logic [$clog2(WAYS)-1:0] victim,
    output logic                    none
);

    localparam int LEVELS = $clog2(WAYS);

    // upper_q[set][level] has a bit for each node of the level, from its left end.
    logic [SETS*LEVELS*WAYS-1:0] upper_q;
    logic [WAYS-1:0] chosen, candidates, first;
    assign candidates = ~(valid | locked);
    assign first = candidates & (~candidates + 1'b1);
    assign none = locked == '1;

    genvar s, l, n, w;
    generate
        for (s = 0; s < SETS; s = s + 1) begin : per_set
            for (l = 0; l < LEVELS; l = l + 1) begin : per_level
                for (n = 0; n < WAYS; n = n + 1) begin : per_node
                    if (n < 2 ** l) begin : is_node
                        always_ff @(posedge clk)
                            if (rst) upper_q[(s * LEVELS + l) * WAYS + n] <= 1'b0;
                            else if (touch && touch_set == s && (touch_way >> (LEVELS - l)) == n)
                                upper_q[(s * LEVELS + l) * WAYS + n] <= ~touch_way[LEVELS-1-l];
                    end
                end
            end
        end

        for (w = 0; w < WAYS; w = w + 1) begin : per_way
            logic [LEVELS-1:0] leads;
            for (l = 0; l < LEVELS; l = l + 1) begin : per_step
                localparam int SPAN = WAYS >> l;
                localparam int BASE = w / SPAN * SPAN;
                localparam int HALF = SPAN / 2;
                logic low_shut, high_shut, points_up;
                assign low_shut = locked[BASE +: HALF] == '1;
                assign high_shut = locked[BASE + HALF +: HALF] == '1;
                assign points_up = upper_q[(int'(set) * LEVELS + l) * WAYS + w / SPAN];
                if (w - BASE >= HALF) begin : in_upper
                    assign leads[l] = !high_shut && (low_shut || points_up);
                end else begin : in_lower
                    assign leads[l] = !low_shut && (high_shut || !points_up);
                end
            end
            assign chosen[w] = leads == '1;
        end
    endgenerate

    always_comb begin
        victim = '0;
        for (int i = 0; i < WAYS; i++)
            if (candidates != '0 ? first[i] : chosen[i]) victim = victim | i[LEVELS-1:0];
    end

endmodule
