// SPDX-License-Identifier: Apache-2.0

module tlb #(
    parameter int ENTRIES = 8
) (
    input  logic        clk,
    input  logic        rst,
    input  logic [19:0] vpn,
    input  logic [7:0]  asid,
    input  logic [1:0]  access,
    input  logic        user,
    output logic        hit,
    output logic [19:0] ppn,
    output logic        fault,
    input  logic        fill,
    input  logic [19:0] fill_vpn,
    input  logic [19:0] fill_ppn,
    input  logic [7:0]  fill_asid,
    input  logic        fill_global,
    input  logic        fill_super,
    input  logic [3:0]  fill_perm,
    input  logic        flush,
    input  logic        flush_by_vpn,
    input  logic        flush_by_asid,
    input  logic [19:0] flush_vpn,
    input  logic [7:0]  flush_asid
);

    localparam int NUMBER_BITS = $clog2(ENTRIES);

    logic [ENTRIES-1:0] valid_q, global_q, super_q;
    logic [19:0] vpns[ENTRIES], ppns[ENTRIES];
    logic [7:0] asids[ENTRIES];
    logic [3:0] perms[ENTRIES];
    logic [NUMBER_BITS-1:0] next_q;

    // Which entries translate the page, are flushed, and overlap with what is being filled.
    logic [ENTRIES-1:0] match, flushed, overlap;
    logic [ENTRIES-1:0] high_equal, low_equal;
    always_comb
        for (int i = 0; i < ENTRIES; i++) begin
            match[i] = valid_q[i] && (global_q[i] || asids[i] == asid) && vpns[i][19:10] == vpn[19:10]
                && (super_q[i] || vpns[i][9:0] == vpn[9:0]);
            high_equal[i] = vpns[i][19:10] == fill_vpn[19:10];
            low_equal[i] = vpns[i][9:0] == fill_vpn[9:0];
            overlap[i] = (global_q[i] || fill_global || asids[i] == fill_asid) && high_equal[i]
                && (super_q[i] || fill_super || low_equal[i]);
            flushed[i] = (!flush_by_vpn || (vpns[i][19:10] == flush_vpn[19:10]
                && (super_q[i] || vpns[i][9:0] == flush_vpn[9:0])))
                && (!flush_by_asid || (!global_q[i] && asids[i] == flush_asid));
        end

    assign hit = |match;
    logic [3:0] perm;
    always_comb begin
        ppn = '0;
        perm = '0;
        for (int i = 0; i < ENTRIES; i++)
            if (match[i]) begin
                ppn = super_q[i] ? {ppns[i][19:10], vpn[9:0]} : ppns[i];
                perm = perms[i];
            end
    end
    assign fault = hit && (!perm[access] || perm[3] != user);

    logic full;
    logic [NUMBER_BITS-1:0] place;
    assign full = valid_q == '1;
    always_comb begin
        place = next_q;
        for (int i = ENTRIES - 1; i >= 0; i--)
            if (!valid_q[i]) place = i[NUMBER_BITS-1:0];
    end

    always_ff @(posedge clk) begin
        for (int i = 0; i < ENTRIES; i++)
            if ((flush && flushed[i]) || (fill && overlap[i])) valid_q[i] <= 1'b0;
        if (fill) begin
            valid_q[place] <= 1'b1;
            global_q[place] <= fill_global;
            super_q[place] <= fill_super;
            vpns[place] <= fill_vpn;
            ppns[place] <= fill_ppn;
            asids[place] <= fill_asid;
            perms[place] <= fill_perm;
            if (full) next_q <= next_q == NUMBER_BITS'(ENTRIES - 1) ? '0 : next_q + 1'b1;
        end
        if (rst) begin
            valid_q <= '0;
            next_q <= '0;
        end
    end

endmodule
