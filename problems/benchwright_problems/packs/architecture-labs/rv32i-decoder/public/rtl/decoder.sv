// SPDX-License-Identifier: Apache-2.0

module decoder (
    input  logic [31:0] instr,
    output logic        legal,
    output logic [31:0] imm,
    output logic [4:0]  rd,
    output logic [4:0]  rs1,
    output logic [4:0]  rs2,
    output logic        reg_write,
    output logic        mem_read,
    output logic        mem_write,
    output logic        is_branch,
    output logic        is_jump,
    output logic [3:0]  alu_op,
    output logic [1:0]  a_select,
    output logic        b_is_imm
);

    // Your code goes here.

endmodule
