// SPDX-License-Identifier: Apache-2.0

module cdc_destination #(
    parameter int WIDTH = 8
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             req,
    input  logic [WIDTH-1:0] data,
    output logic             ack,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [WIDTH-1:0] out_data
);

    logic req_1, req_2;
    assign out_valid = req_2 != ack;
    // The source leaves the word alone until it sees the acknowledgement.
    assign out_data = data;

    always_ff @(posedge clk) begin
        req_1 <= req;
        req_2 <= req_1;
        if (out_valid && out_ready) ack <= req_2;
        if (rst) begin
            req_1 <= 1'b0;
            req_2 <= 1'b0;
            ack <= 1'b0;
        end
    end

endmodule
