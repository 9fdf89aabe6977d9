// SPDX-License-Identifier: Apache-2.0

module cdc_link #(
    parameter int WIDTH = 8
) (
    input  logic             src_clk, src_rst, in_valid,
    output logic             in_ready,
    input  logic [WIDTH-1:0] in_data,
    input  logic             dst_clk, dst_rst,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [WIDTH-1:0] out_data
);

    logic req, ack;
    logic [WIDTH-1:0] data;

    cdc_source #(.WIDTH(WIDTH)) source (
        .clk(src_clk), .rst(src_rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data),
        .req(req), .data(data), .ack(ack)
    );
    cdc_destination #(.WIDTH(WIDTH)) destination (
        .clk(dst_clk), .rst(dst_rst), .req(req), .data(data), .ack(ack),
        .out_valid(out_valid), .out_ready(out_ready), .out_data(out_data)
    );

endmodule
