// SPDX-License-Identifier: Apache-2.0

module cdc_source #(
    parameter int WIDTH = 8
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [WIDTH-1:0] in_data,
    output logic             req,
    output logic [WIDTH-1:0] data,
    input  logic             ack
);

    // Two phases: each change of req announces a word, each change of ack says that it was taken.
    logic ack_1, ack_2;
    assign in_ready = !rst && req == ack_2;

    always_ff @(posedge clk) begin
        ack_1 <= ack;
        ack_2 <= ack_1;
        if (in_valid && in_ready) begin
            req <= !req;
            data <= in_data;
        end
        if (rst) begin
            req <= 1'b0;
            ack_1 <= 1'b0;
            ack_2 <= 1'b0;
        end
    end

endmodule
