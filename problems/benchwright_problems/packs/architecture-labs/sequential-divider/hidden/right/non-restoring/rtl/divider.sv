// Right as well: the partial remainder may be negative; the divisor is added or subtracted, and one correction comes at the end.
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

    logic signed [WIDTH+1:0] partial, moved, stepped, corrected;
    logic [WIDTH-1:0] numerator, denominator, bits;
    logic top_sign, bottom_sign, by_zero;
    logic [WIDTH-1:0] original;
    int step;

    assign moved = {partial[WIDTH:0], numerator[WIDTH-1]};
    assign stepped = partial[WIDTH+1] ? moved + $signed({2'b00, denominator}) : moved - $signed({2'b00, denominator});
    assign corrected = partial[WIDTH+1] ? partial + $signed({2'b00, denominator}) : partial;

    always_ff @(posedge clk) begin
        done <= 1'b0;
        if (rst) begin
            step <= 0;
        end else if (step != 0) begin
            partial <= stepped;
            numerator <= numerator << 1;
            bits <= {bits[WIDTH-2:0], !stepped[WIDTH+1]};
            step <= step - 1;
            done <= step == 1;
        end else if (start) begin
            step <= WIDTH;
            partial <= '0;
            bits <= '0;
            original <= dividend;
            by_zero <= divisor == '0;
            top_sign <= is_signed & dividend[WIDTH-1];
            bottom_sign <= is_signed & divisor[WIDTH-1];
            numerator <= (is_signed & dividend[WIDTH-1]) ? ~dividend + 1'b1 : dividend;
            denominator <= (is_signed & divisor[WIDTH-1]) ? ~divisor + 1'b1 : divisor;
        end
    end

    assign busy = step != 0;
    assign quotient = by_zero ? '1 : (top_sign ^ bottom_sign) ? ~bits + 1'b1 : bits;
    assign remainder = by_zero ? original : top_sign ? ~corrected[WIDTH-1:0] + 1'b1 : corrected[WIDTH-1:0];

endmodule
