// Wrong: a wrong-path instruction that needs a load stalls the jump in execute.
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

    logic needs_load, redirect, load_stall, fetch_stall;

    assign needs_load = d_valid && x_valid && x_is_load && x_rd != 5'd0
        && ((d_uses_rs1 && d_rs1 == x_rd) || (d_uses_rs2 && d_rs2 == x_rd));

    // At most one of these and `mem_busy` holds: the stage that is furthest on comes first.
    assign redirect = !mem_busy && !needs_load && x_valid && x_redirect;
    assign load_stall = !mem_busy && needs_load;
    assign fetch_stall = !mem_busy && !redirect && !load_stall && fetch_busy;

    assign stall_f = mem_busy || load_stall || fetch_stall;
    assign stall_d = mem_busy || load_stall;
    assign stall_x = mem_busy;
    assign stall_m = mem_busy;
    assign bubble_d = redirect || fetch_stall;
    assign bubble_x = redirect || load_stall;
    assign bubble_w = mem_busy;

    always_ff @(posedge clk) begin
        if (rst) begin
            load_stalls <= '0;
            redirects <= '0;
        end else begin
            if (load_stall && load_stalls != '1) load_stalls <= load_stalls + 1'b1;
            if (redirect && redirects != '1) redirects <= redirects + 1'b1;
        end
    end

endmodule
