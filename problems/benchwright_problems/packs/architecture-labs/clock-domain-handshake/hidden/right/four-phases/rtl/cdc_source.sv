// Another way: four phases with a state machine at each end, and a register for the word at the destination.
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

    typedef enum logic [1:0] {FREE, CALLING, RETURNING} state_t;
    state_t state;
    logic [1:0] heard;

    assign in_ready = state == FREE && !rst;

    always_ff @(posedge clk) begin
        heard <= {heard[0], ack};
        if (rst) begin
            state <= RETURNING;
            req <= 1'b0;
            heard <= 2'b11;
        end else case (state)
            FREE: if (in_valid) begin
                state <= CALLING;
                req <= 1'b1;
                data <= in_data;
            end
            CALLING: if (heard[1]) begin
                state <= RETURNING;
                req <= 1'b0;
            end
            default: if (!heard[1]) state <= FREE;
        endcase
    end

endmodule
