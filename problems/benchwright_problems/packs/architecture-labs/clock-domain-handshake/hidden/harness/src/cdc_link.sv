// SPDX-License-Identifier: Apache-2.0
// A link with the faults of a real one: edges that arrive late, and data that is garbage just after it changed.

module cdc_link #(
    parameter int WIDTH = 8
) (
    input  logic             src_clk, src_rst, in_valid,
    output logic             in_ready,
    input  logic [WIDTH-1:0] in_data,
    input  logic             dst_clk, dst_rst,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [WIDTH-1:0] out_data,
    input  logic             late_req, late_ack,
    output logic             req, ack,
    output logic [WIDTH-1:0] data
);

    // What arrives: the wire, or what it was before the last edge of the receiving clock.
    logic old_req, old_ack;
    always_ff @(posedge dst_clk) old_req <= req;
    always_ff @(posedge src_clk) old_ack <= ack;

    logic [WIDTH-1:0] data_1, data_2, arriving;
    always_ff @(posedge dst_clk) begin
        data_1 <= data;
        data_2 <= data_1;
    end
    assign arriving = (data === data_1 && data === data_2) ? data : ~data;

    cdc_source #(.WIDTH(WIDTH)) source (
        .clk(src_clk), .rst(src_rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data),
        .req(req), .data(data), .ack(late_ack ? old_ack : ack)
    );
    cdc_destination #(.WIDTH(WIDTH)) destination (
        .clk(dst_clk), .rst(dst_rst), .req(late_req ? old_req : req), .data(arriving), .ack(ack),
        .out_valid(out_valid), .out_ready(out_ready), .out_data(out_data)
    );

endmodule
