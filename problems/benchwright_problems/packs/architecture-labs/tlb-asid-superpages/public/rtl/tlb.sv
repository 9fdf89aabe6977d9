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

    // Your code goes here.

endmodule
