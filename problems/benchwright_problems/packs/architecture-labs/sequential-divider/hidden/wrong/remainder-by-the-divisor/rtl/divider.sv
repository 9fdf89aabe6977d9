// Wrong: the remainder has the sign of the divisor.
// SPDX-License-Identifier: Apache-2.0

module divider #(
    parameter int WIDTH = 32
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             start,
    input  logic             is_signed,
    input  logic [WIDTH-1:0] dividend,
    input  logic [WIDTH-1:0] divisor,
    output logic             busy,
    output logic             done,
    output logic [WIDTH-1:0] quotient,
    output logic [WIDTH-1:0] remainder
);

    localparam int CW = $clog2(WIDTH + 1);
    localparam logic [CW-1:0] STEPS = WIDTH[CW-1:0];

    // Digits of the quotient move in from the right while those of the dividend leave to the left.
    logic [WIDTH-1:0] digits, rest, by;
    logic negate_quotient, negate_remainder;
    logic [CW-1:0] left;
    logic [WIDTH-1:0] shifted;
    logic fits;

    // The rest is never more than the digits that came down, so its top bit is 0 as long as one is to come.
    assign shifted = {rest[WIDTH-2:0], digits[WIDTH-1]};
    assign fits = shifted >= by;

    assign busy = left != '0;
    assign quotient = negate_quotient ? -digits : digits;
    assign remainder = negate_remainder ? -rest : rest;

    always_ff @(posedge clk) begin
        if (rst) begin
            left <= '0;
            done <= 1'b0;
        end else begin
            done <= left == {{(CW - 1){1'b0}}, 1'b1};
            if (busy) begin
                left <= left - 1'b1;
                rest <= fits ? shifted - by : shifted;
                digits <= {digits[WIDTH-2:0], fits};
            end else if (start) begin
                left <= STEPS;
                rest <= '0;
                digits <= (is_signed && dividend[WIDTH-1]) ? -dividend : dividend;
                by <= (is_signed && divisor[WIDTH-1]) ? -divisor : divisor;
                // By zero all digits come out as 1, whatever the dividend is; that is not negated.
                negate_quotient <= is_signed && dividend[WIDTH-1] != divisor[WIDTH-1] && divisor != '0;
                negate_remainder <= is_signed && divisor[WIDTH-1];
            end
        end
    end

endmodule
