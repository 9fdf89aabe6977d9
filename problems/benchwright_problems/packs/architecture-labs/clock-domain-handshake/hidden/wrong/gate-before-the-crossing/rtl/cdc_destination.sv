// Wrong: the acknowledgement comes from a gate.
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
    logic taken;
    assign out_valid = req_2 != taken;
    assign ack = taken ^ (out_valid && out_ready);
    // The source leaves the word alone until it sees the acknowledgement.
    assign out_data = data;

    always_ff @(posedge clk) begin
        req_1 <= req;
        req_2 <= req_1;
        if (out_valid && out_ready) taken <= req_2;
        if (rst) begin
            req_1 <= 1'b0;
            req_2 <= 1'b0;
            taken <= 1'b0;
        end
    end

endmodule
