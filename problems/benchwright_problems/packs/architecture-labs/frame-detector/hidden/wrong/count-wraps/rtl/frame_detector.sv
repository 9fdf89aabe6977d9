// Wrong: the counter starts again after 255.
// SPDX-License-Identifier: Apache-2.0

module frame_detector (
    input  logic       clk,
    input  logic       rst_n,
    input  logic       valid,
    input  logic       bit_in,
    input  logic       lock,
    output logic       match,
    output logic [2:0] progress,
    output logic [7:0] count
);

    // The state is the number of bits of 1 1 0 1 0 that the last bits are.
    localparam logic [2:0] NONE = 3'd0, S1 = 3'd1, S11 = 3'd2, S110 = 3'd3, S1101 = 3'd4, WHOLE = 3'd5;

    logic [2:0] state, next;

    always_comb begin
        case (state)
            S1:      next = bit_in ? S11 : NONE;
            S11:     next = bit_in ? S11 : S110;
            S110:    next = bit_in ? S1101 : NONE;
            S1101:   next = bit_in ? S11 : WHOLE;
            default: next = bit_in ? S1 : NONE;
        endcase
    end

    always_ff @(posedge clk or negedge rst_n) begin
        if (!rst_n) begin
            state <= NONE;
            match <= 1'b0;
            count <= 8'd0;
        end else begin
            match <= valid && next == WHOLE;
            if (valid) state <= next;
            if (valid && next == WHOLE && !lock) count <= count + 8'd1;
        end
    end

    assign progress = state;

endmodule
