// Right as well: no shared adder; each operation is an operator of its own, the flags come from a wider sum, and shifts are stages of multiplexers.
// SPDX-License-Identifier: Apache-2.0

module alu #(
    parameter int WIDTH = 32
) (
    input  logic [3:0]       op,
    input  logic [WIDTH-1:0] a,
    input  logic [WIDTH-1:0] b,
    output logic [WIDTH-1:0] result,
    output logic             zero,
    output logic             negative,
    output logic             carry,
    output logic             overflow
);

    localparam int SW = $clog2(WIDTH);

    // Both operands with one more sign bit: the two top bits of the sum differ exactly on signed overflow.
    logic signed [WIDTH:0] wide_a, wide_b, wide;
    logic [WIDTH-1:0] shifted;

    assign wide_a = $signed({a[WIDTH-1], a});
    assign wide_b = $signed({b[WIDTH-1], b});
    assign wide = (op == 4'd1) ? wide_a - wide_b : wide_a + wide_b;

    // A shift to the left is one to the right of the reversed word.
    always_comb begin
        logic fill;
        fill = op == 4'd7 && a[WIDTH-1];
        for (int i = 0; i < WIDTH; i = i + 1) shifted[i] = (op == 4'd5) ? a[WIDTH-1-i] : a[i];
        for (int stage = 0; stage < SW; stage = stage + 1) begin
            if (b[stage]) begin
                for (int i = 0; i < WIDTH; i = i + 1) begin
                    shifted[i] = (i + (1 << stage) < WIDTH) ? shifted[(i + (1 << stage)) % WIDTH] : fill;
                end
            end
        end
    end

    always_comb begin
        result = '0;
        carry = 1'b0;
        overflow = 1'b0;
        if (op == 4'd0 || op == 4'd1) begin
            result = wide[WIDTH-1:0];
            overflow = wide[WIDTH] ^ wide[WIDTH-1];
            carry = (op == 4'd1) ? (a >= b) : (result < a);
        end
        if (op == 4'd2) result = a & b;
        if (op == 4'd3) result = a | b;
        if (op == 4'd4) result = a ^ b;
        if (op == 4'd5) for (int i = 0; i < WIDTH; i = i + 1) result[i] = shifted[WIDTH-1-i];
        if (op == 4'd6 || op == 4'd7) result = shifted;
        if (op == 4'd8) result[0] = $signed(a) < $signed(b);
        if (op == 4'd9) result[0] = a < b;
    end

    assign negative = result[WIDTH-1];
    assign zero = ~|result;

endmodule
