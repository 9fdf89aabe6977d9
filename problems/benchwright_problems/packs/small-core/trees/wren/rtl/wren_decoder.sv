// SPDX-License-Identifier: Apache-2.0
// What an instruction does. Everything but `illegal` is meaningless for one that is illegal.
module wren_decoder
  import wren_pkg::*;
(
    input  logic [31:0] instr,
    output alu_op_t     alu_op,
    output logic [31:0] imm,
    output logic        a_is_pc,
    output logic        a_is_zero,
    output logic        b_is_imm,
    output logic        reads_rs1,
    output logic        reads_rs2,
    output logic        writes_rd,
    output logic        is_load,
    output logic        is_store,
    output logic        is_branch,
    output logic        is_jump,
    output logic        is_jalr,
    output logic        is_csr,
    output logic        is_ecall,
    output logic        is_mret,
    output logic        illegal
);
  logic [6:0] opcode, funct7;
  logic [2:0] funct3;
  logic       is_arithmetic, is_shift, is_alternative;

  assign opcode = instr[6:0];
  assign funct3 = instr[14:12];
  assign funct7 = instr[31:25];
  assign is_arithmetic = opcode == OPCODE_OP || opcode == OPCODE_OP_IMM;
  assign is_shift = funct3 == 3'd1 || funct3 == 3'd5;
  assign is_alternative = funct7 == 7'h20 && (funct3 == 3'd5 || (funct3 == 3'd0 && opcode == OPCODE_OP));

  assign is_load = opcode == OPCODE_LOAD;
  assign is_store = opcode == OPCODE_STORE;
  assign is_branch = opcode == OPCODE_BRANCH;
  assign is_jalr = opcode == OPCODE_JALR;
  assign is_jump = is_jalr || opcode == OPCODE_JAL;
  assign is_csr = opcode == OPCODE_SYSTEM && funct3[1:0] != 2'd0;
  assign is_ecall = instr == 32'h00000073;
  assign is_mret = instr == 32'h30200073;

  assign a_is_pc = opcode == OPCODE_AUIPC;
  assign a_is_zero = opcode == OPCODE_LUI;
  assign b_is_imm = opcode != OPCODE_OP;
  assign reads_rs1 = is_arithmetic || is_load || is_store || is_branch || is_jalr || (is_csr && !funct3[2]);
  assign reads_rs2 = opcode == OPCODE_OP || is_store || is_branch;
  assign writes_rd = !(is_store || is_branch || is_ecall || is_mret);

  always_comb begin
    case (opcode)
      OPCODE_STORE:             imm = {{21{instr[31]}}, instr[30:25], instr[11:7]};
      OPCODE_BRANCH:            imm = {{20{instr[31]}}, instr[7], instr[30:25], instr[11:8], 1'b0};
      OPCODE_JAL:               imm = {{12{instr[31]}}, instr[19:12], instr[20], instr[30:21], 1'b0};
      OPCODE_LUI, OPCODE_AUIPC: imm = {instr[31:12], 12'd0};
      default:                  imm = {{21{instr[31]}}, instr[30:20]};
    endcase
  end

  always_comb begin
    alu_op = ALU_ADD;
    if (is_arithmetic) begin
      case (funct3)
        3'd0: if (is_alternative) alu_op = ALU_SUB;
        3'd1: alu_op = ALU_SLL;
        3'd2: alu_op = ALU_SLT;
        3'd3: alu_op = ALU_SLTU;
        3'd4: alu_op = ALU_XOR;
        3'd5: begin
          alu_op = ALU_SRL;
          if (is_alternative) alu_op = ALU_SRA;
        end
        3'd6: alu_op = ALU_OR;
        default: alu_op = ALU_AND;
      endcase
    end
  end

  always_comb begin
    case (opcode)
      OPCODE_OP:               illegal = funct7 != 7'd0 && !is_alternative;
      OPCODE_OP_IMM:           illegal = is_shift && funct7 != 7'd0 && !is_alternative;
      OPCODE_LOAD:             illegal = funct3 != 3'd2;
      OPCODE_STORE:            illegal = funct3 != 3'd2;
      OPCODE_BRANCH:           illegal = funct3[2:1] == 2'b01;
      OPCODE_JALR:             illegal = funct3 != 3'd0;
      OPCODE_SYSTEM:           illegal = !(is_csr || is_ecall || is_mret);
      OPCODE_JAL, OPCODE_LUI, OPCODE_AUIPC: illegal = 1'b0;
      default:                 illegal = 1'b1;
    endcase
  end
endmodule
