// Another way: four phases with a state machine at each end, and a register for the word at the destination.
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

    logic [1:0] heard;

    // The word is copied when the request arrives, and acknowledged when the copy is made.
    logic full, arrives;
    assign arrives = heard[1] && !ack && (!full || out_ready);
    assign out_valid = full;

    always_ff @(posedge clk) begin
        heard <= {heard[0], req};
        if (arrives) begin
            out_data <= data;
            full <= 1'b1;
            ack <= 1'b1;
        end else begin
            if (out_ready) full <= 1'b0;
            if (!heard[1]) ack <= 1'b0;
        end
        if (rst) begin
            heard <= 2'b00;
            full <= 1'b0;
            ack <= 1'b0;
        end
    end

endmodule
