// Wrong: carry and overflow follow the adder whatever the operation is.
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

    localparam logic [3:0] ADD = 4'd0, SUB = 4'd1, AND = 4'd2, OR = 4'd3, XOR = 4'd4;
    localparam logic [3:0] SLL = 4'd5, SRL = 4'd6, SRA = 4'd7, SLT = 4'd8, SLTU = 4'd9;

    // One adder does ADD, SUB and both comparisons: a - b is a + ~b + 1.
    logic subtract, arithmetic;
    logic [WIDTH-1:0] second, sum;
    logic carry_out, signed_overflow;
    logic [SW-1:0] amount;

    assign subtract = op != ADD;
    assign arithmetic = op == ADD || op == SUB;
    assign second = subtract ? ~b : b;
    assign {carry_out, sum} = {1'b0, a} + {1'b0, second} + {{WIDTH{1'b0}}, subtract};
    assign signed_overflow = a[WIDTH-1] == second[WIDTH-1] && sum[WIDTH-1] != a[WIDTH-1];
    assign amount = b[SW-1:0];

    always_comb begin
        case (op)
            ADD, SUB: result = sum;
            AND:      result = a & b;
            OR:       result = a | b;
            XOR:      result = a ^ b;
            SLL:      result = a << amount;
            SRL:      result = a >> amount;
            SRA:      result = $signed(a) >>> amount;
            SLT:      result = {{(WIDTH - 1){1'b0}}, sum[WIDTH-1] ^ signed_overflow};
            SLTU:     result = {{(WIDTH - 1){1'b0}}, !carry_out};
            default:  result = '0;
        endcase
    end

    assign zero = result == '0;
    assign negative = result[WIDTH-1];
    assign carry = carry_out;
    assign overflow = signed_overflow;

endmodule
