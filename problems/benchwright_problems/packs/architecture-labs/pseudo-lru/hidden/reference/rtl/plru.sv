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

    // Nodes are numbered as in a heap: 1 is the root, 2n and 2n + 1 are the children of n, WAYS + w is
    // the leaf of way w.
    logic [WAYS-1:1] trees[SETS];
    logic [WAYS-1:1] tree, touched;
    assign tree = trees[set];

    // Per node: all ways below it are locked.
    function automatic logic [2*WAYS-1:1] all_below(input logic [WAYS-1:0] leaves);
        all_below[2*WAYS-1:WAYS] = leaves;
        for (int n = WAYS - 1; n >= 1; n--) all_below[n] = all_below[2*n] && all_below[2*n+1];
    endfunction

    logic [2*WAYS-1:1] shut;
    assign shut = all_below(locked);
    assign none = shut[1];

    logic [WAYS-1:0] free;
    assign free = ~valid & ~locked;

    logic [LEVELS:0] node;
    logic upper;
    always_comb begin
        node = 1;
        for (int level = 0; level < LEVELS; level++) begin
            upper = shut[2*node] || (tree[node] && !shut[2*node+1]);
            node = {node[LEVELS-1:0], upper};
        end
        victim = node[LEVELS-1:0];
        for (int w = WAYS - 1; w >= 0; w--)
            if (free[w]) victim = w[LEVELS-1:0];
    end

    logic [LEVELS:0] parent;
    always_comb begin
        touched = trees[touch_set];
        parent = 1;
        for (int level = LEVELS - 1; level >= 0; level--) begin
            touched[parent] = !touch_way[level];
            parent = {parent[LEVELS-1:0], touch_way[level]};
        end
    end

    always_ff @(posedge clk) begin
        if (rst) for (int s = 0; s < SETS; s++) trees[s] <= '0;
        else if (touch) trees[touch_set] <= touched;
    end

endmodule
