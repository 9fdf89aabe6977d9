// Another way: each entry is a module that keeps a mask of the bits to compare, and a superpage is a page with a short mask.
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

    logic [ENTRIES-1:0] full, found, turn_q, first_empty, load;
    logic [19:0] pages[ENTRIES];
    logic [3:0] rights[ENTRIES];
    logic [19:0] fill_mask;

    assign fill_mask = fill_super ? 20'hFFC00 : 20'hFFFFF;
    assign first_empty = ~full & (full + 1'b1);
    assign load = !fill ? '0 : (&full) ? turn_q : first_empty;

    genvar n;
    generate
        for (n = 0; n < ENTRIES; n = n + 1) begin : entries
            tlb_entry slot (
                .clk(clk), .rst(rst), .vpn(vpn), .asid(asid), .found(found[n]), .page(pages[n]), .rights(rights[n]),
                .full(full[n]), .fill(fill), .load(load[n]), .new_vpn(fill_vpn), .new_ppn(fill_ppn),
                .new_mask(fill_mask), .new_asid(fill_asid), .new_global(fill_global), .new_rights(fill_perm),
                .flush(flush), .by_vpn(flush_by_vpn), .by_asid(flush_by_asid), .gone_vpn(flush_vpn),
                .gone_asid(flush_asid));
        end
    endgenerate

    logic [3:0] all_rights;
    always_comb begin
        ppn = '0;
        all_rights = '0;
        for (int i = 0; i < ENTRIES; i++) begin
            ppn = ppn | pages[i];
            all_rights = all_rights | rights[i];
        end
    end
    assign hit = |found;
    assign fault = hit && ((all_rights[3] ^ user) || (access == 2'd0 && !all_rights[0])
        || (access == 2'd1 && !all_rights[1]) || (access == 2'd2 && !all_rights[2]));

    // One-hot: whose turn it is once all are full.
    always_ff @(posedge clk) begin
        if (rst) turn_q <= {{(ENTRIES - 1){1'b0}}, 1'b1};
        else if (fill && (&full)) turn_q <= {turn_q[ENTRIES-2:0], turn_q[ENTRIES-1]};
    end

endmodule

module tlb_entry (
    input  logic        clk, rst,
    input  logic [19:0] vpn,
    input  logic [7:0]  asid,
    output logic        found,
    output logic [19:0] page,
    output logic [3:0]  rights,
    output logic        full,
    input  logic        fill, load,
    input  logic [19:0] new_vpn, new_ppn, new_mask,
    input  logic [7:0]  new_asid,
    input  logic        new_global,
    input  logic [3:0]  new_rights,
    input  logic        flush, by_vpn, by_asid,
    input  logic [19:0] gone_vpn,
    input  logic [7:0]  gone_asid
);
    logic [19:0] vpn_q, ppn_q, mask_q;
    logic [7:0] asid_q;
    logic everywhere_q;
    logic [3:0] rights_q;
    logic same_space, goes, collides;

    assign same_space = everywhere_q || asid_q == asid;
    assign found = full && same_space && ((vpn_q ^ vpn) & mask_q) == 20'd0;
    assign page = found ? (ppn_q & mask_q) | (vpn & ~mask_q) : 20'd0;
    assign rights = found ? rights_q : 4'd0;
    assign collides = ((vpn_q ^ new_vpn) & mask_q & new_mask) == 20'd0
        && (everywhere_q || new_global || asid_q == new_asid);
    assign goes = !(by_vpn && ((vpn_q ^ gone_vpn) & mask_q) != 20'd0)
        && !(by_asid && (everywhere_q || asid_q != gone_asid));

    always_ff @(posedge clk) begin
        if (rst) full <= 1'b0;
        else if (load) full <= 1'b1;
        else if ((flush && goes) || (fill && collides)) full <= 1'b0;
        if (load) begin
            vpn_q <= new_vpn;
            ppn_q <= new_ppn;
            mask_q <= new_mask;
            asid_q <= new_asid;
            everywhere_q <= new_global;
            rights_q <= new_rights;
        end
    end
endmodule
