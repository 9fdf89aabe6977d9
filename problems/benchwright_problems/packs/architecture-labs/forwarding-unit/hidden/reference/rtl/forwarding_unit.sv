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

    localparam logic [1:0] FROM_X = 2'd0, FROM_M = 2'd1, FROM_W = 2'd2, FROM_KEPT = 2'd3;

    // What the operands were in the cycle before, if the instruction in X is still the same.
    logic is_kept;
    logic [WIDTH-1:0] kept1, kept2;

    always_comb begin
        if (x_rs1 == 5'd0) source1 = FROM_X;
        else if (m_writes && m_rd == x_rs1) source1 = FROM_M;
        else if (w_writes && w_rd == x_rs1) source1 = FROM_W;
        else source1 = is_kept ? FROM_KEPT : FROM_X;
    end

    always_comb begin
        if (x_rs2 == 5'd0) source2 = FROM_X;
        else if (m_writes && m_rd == x_rs2) source2 = FROM_M;
        else if (w_writes && w_rd == x_rs2) source2 = FROM_W;
        else source2 = is_kept ? FROM_KEPT : FROM_X;
    end

    always_comb begin
        case (source1)
            FROM_M:    operand1 = m_result;
            FROM_W:    operand1 = w_result;
            FROM_KEPT: operand1 = kept1;
            default:   operand1 = (x_rs1 == 5'd0) ? '0 : x_value1;
        endcase
    end

    always_comb begin
        case (source2)
            FROM_M:    operand2 = m_result;
            FROM_W:    operand2 = w_result;
            FROM_KEPT: operand2 = kept2;
            default:   operand2 = (x_rs2 == 5'd0) ? '0 : x_value2;
        endcase
    end

    // A load that is still in M has its address there, and no data.
    assign ready = !(m_is_load && ((x_uses_rs1 && source1 == FROM_M) || (x_uses_rs2 && source2 == FROM_M)));

    always_ff @(posedge clk) begin
        is_kept <= hold && !rst;
        kept1 <= operand1;
        kept2 <= operand2;
    end

endmodule
