// SPDX-License-Identifier: Apache-2.0

module lru_cache #(
    parameter int SETS = 4,
    parameter int WAYS = 4
) (
    input  logic        clk,
    input  logic        rst,
    input  logic        req,
    input  logic [15:0] addr,
    output logic        stall,
    output logic [31:0] rdata,
    output logic [2:0]  way,
    input  logic        inv,
    input  logic [15:0] inv_addr,
    output logic        mem_req,
    output logic [15:0] mem_addr,
    input  logic        mem_valid,
    input  logic [63:0] mem_data
);

    localparam int INDEX_BITS = $clog2(SETS);
    localparam int TAG_BITS = 13 - INDEX_BITS;

    // Entry number: set * WAYS + way.
    logic [63:0] lines[SETS*WAYS];
    logic [TAG_BITS-1:0] tags[SETS*WAYS];
    logic [SETS*WAYS-1:0] valid_q;
    // How many ways of the set were used since this one was: 0 is the latest, WAYS - 1 the oldest.
    logic [2:0] ages[SETS*WAYS];

    logic fetching_q;
    logic [12:0] fetched_q;

    logic [INDEX_BITS-1:0] index, fetched_index, inv_index;
    assign index = addr[3 +: INDEX_BITS];
    assign fetched_index = fetched_q[INDEX_BITS-1:0];
    assign inv_index = inv_addr[3 +: INDEX_BITS];

    logic present, some_invalid;
    logic [2:0] victim;
    logic [63:0] line;

    always_comb begin
        present = 1'b0;
        way = 3'd0;
        for (int w = 0; w < WAYS; w++)
            if (valid_q[index * WAYS + w] && tags[index * WAYS + w] == addr[15:3+INDEX_BITS]) begin
                present = 1'b1;
                way = w[2:0];
            end
    end

    assign line = lines[index * WAYS + {29'd0, way}];

    always_comb begin
        some_invalid = 1'b0;
        victim = 3'd0;
        for (int w = WAYS - 1; w >= 0; w--)
            if (!valid_q[fetched_index * WAYS + w]) begin
                some_invalid = 1'b1;
                victim = w[2:0];
            end
        if (!some_invalid)
            for (int w = 0; w < WAYS; w++)
                if ({29'd0, ages[fetched_index * WAYS + w]} == WAYS - 1) victim = w[2:0];
    end

    assign stall = req && (fetching_q || !present);
    assign rdata = addr[2] ? line[63:32] : line[31:0];
    assign mem_req = fetching_q;
    assign mem_addr = {fetched_q, 3'b000};

    // The way that is used at the coming edge, by a hit or by being stored.
    logic stores, uses;
    logic [2:0] used_way;
    logic [INDEX_BITS-1:0] used_index;
    assign stores = fetching_q && mem_valid;
    assign uses = stores || (req && !stall);
    assign used_index = fetching_q ? fetched_index : index;
    assign used_way = fetching_q ? victim : way;

    always_ff @(posedge clk) begin
        if (uses)
            for (int w = 0; w < WAYS; w++) begin
                if (w[2:0] == used_way) ages[used_index * WAYS + w] <= 3'd0;
                else if (ages[used_index * WAYS + w] < ages[used_index * WAYS + {29'd0, used_way}])
                    ages[used_index * WAYS + w] <= ages[used_index * WAYS + w] + 3'd1;
            end
        if (inv)
            for (int w = 0; w < WAYS; w++)
                if (tags[inv_index * WAYS + w] == inv_addr[15:3+INDEX_BITS])
                    valid_q[inv_index * WAYS + w] <= 1'b0;
        if (stores) begin
            fetching_q <= 1'b0;
            lines[fetched_index * WAYS + {29'd0, victim}] <= mem_data;
            tags[fetched_index * WAYS + {29'd0, victim}] <= fetched_q[12:INDEX_BITS];
            valid_q[fetched_index * WAYS + {29'd0, victim}] <= 1'b1;
        end else if (stall && !fetching_q) begin
            fetching_q <= 1'b1;
            fetched_q <= addr[15:3];
        end
        if (rst) begin
            fetching_q <= 1'b0;
            valid_q <= '0;
            for (int s = 0; s < SETS; s++)
                for (int w = 0; w < WAYS; w++) ages[s * WAYS + w] <= w[2:0];
        end
    end

endmodule
