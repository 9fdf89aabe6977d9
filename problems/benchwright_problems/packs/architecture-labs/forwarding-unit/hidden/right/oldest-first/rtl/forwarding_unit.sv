// Right as well: each operand begins as the oldest value, and younger ones replace it; decoded numbers instead of comparisons.
// SPDX-License-Identifier: Apache-2.0

module forwarding_unit #(
    parameter int WIDTH = 32
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             hold,
    input  logic [4:0]       x_rs1,
    input  logic [4:0]       x_rs2,
    input  logic             x_uses_rs1,
    input  logic             x_uses_rs2,
    input  logic [WIDTH-1:0] x_value1,
    input  logic [WIDTH-1:0] x_value2,
    input  logic             m_writes,
    input  logic             m_is_load,
    input  logic [4:0]       m_rd,
    input  logic [WIDTH-1:0] m_result,
    input  logic             w_writes,
    input  logic [4:0]       w_rd,
    input  logic [WIDTH-1:0] w_result,
    output logic [1:0]       source1,
    output logic [1:0]       source2,
    output logic [WIDTH-1:0] operand1,
    output logic [WIDTH-1:0] operand2,
    output logic             ready
);

    logic [2*WIDTH-1:0] former;
    logic has_former;

    // One bit for each register that M and W write.
    logic [31:0] by_m, by_w;
    always_comb begin
        by_m = 32'b0;
        by_w = 32'b0;
        by_m[m_rd] = m_writes;
        by_w[w_rd] = w_writes;
        by_m[0] = 1'b0;
        by_w[0] = 1'b0;
    end

    always_comb begin
        {source1, operand1} = {2'd0, x_value1};
        {source2, operand2} = {2'd0, x_value2};
        if (has_former) {source1, operand1} = {2'd3, former[WIDTH-1:0]};
        if (has_former) {source2, operand2} = {2'd3, former[2*WIDTH-1:WIDTH]};
        if (by_w[x_rs1]) {source1, operand1} = {2'd2, w_result};
        if (by_w[x_rs2]) {source2, operand2} = {2'd2, w_result};
        if (by_m[x_rs1]) {source1, operand1} = {2'd1, m_result};
        if (by_m[x_rs2]) {source2, operand2} = {2'd1, m_result};
        if (x_rs1 == 5'd0) {source1, operand1} = '0;
        if (x_rs2 == 5'd0) {source2, operand2} = '0;
    end

    assign ready = ~m_is_load | ~((x_uses_rs1 & (source1 == 2'd1)) | (x_uses_rs2 & (source2 == 2'd1)));

    always_ff @(posedge clk) begin
        if (rst) has_former <= 1'b0;
        else has_former <= hold;
        if (hold) former <= {operand2, operand1};
    end

endmodule
