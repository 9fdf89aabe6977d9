// SPDX-License-Identifier: Apache-2.0
// Four stages: fetch, execute, memory, write back. docs/core.md says what happens in each.
module wren_core
  import wren_pkg::*;
#(
    parameter logic [31:0] RESET_PC = 32'h0000_1000
) (
    input  logic        clk,
    input  logic        rst_n,
    output logic [31:0] instr_addr,
    input  logic [31:0] instr,
    output logic        data_req,
    input  logic        data_gnt,
    output logic        data_we,
    output logic [31:0] data_addr,
    output logic [31:0] data_wdata,
    input  logic        data_rvalid,
    input  logic [31:0] data_rdata,
    output logic        retire_valid,
    output logic [31:0] retire_pc
);
  // Fetch
  logic [31:0] pc;
  // Execute
  logic        x_valid, x_leaves, stall, illegal, csr_illegal, trap, redirect, taken, commits;
  logic [31:0] x_pc, x_instr, rdata_1, rdata_2, operand_1, operand_2, imm, alu_a, alu_b, alu_result, csr_value;
  logic [31:0] target, trap_target, return_target, x_result;
  alu_op_t     alu_op;
  logic        a_is_pc, a_is_zero, b_is_imm, reads_rs1, reads_rs2, writes_rd, is_load, is_store, is_branch;
  logic        is_jump, is_jalr, is_csr, is_ecall, is_mret;
  // Memory
  logic        m_valid, m_writes, m_is_load, m_is_store, m_is_granted, m_done;
  logic [4:0]  m_rd;
  logic [31:0] m_pc, m_result, m_store_data;
  // Write back
  logic        w_valid, w_writes;
  logic [4:0]  w_rd;
  logic [31:0] w_pc, w_value;

  assign instr_addr = pc;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      pc <= RESET_PC;
      x_valid <= 1'b0;
    end else if (redirect) begin
      pc <= target;
      x_valid <= 1'b0;
    end else if (!x_valid || x_leaves) begin
      pc <= pc + 32'd4;
      x_valid <= 1'b1;
      x_pc <= pc;
      x_instr <= instr;
    end
  end

  wren_decoder decoder (
      .instr(x_instr), .alu_op(alu_op), .imm(imm), .a_is_pc(a_is_pc), .a_is_zero(a_is_zero), .b_is_imm(b_is_imm),
      .reads_rs1(reads_rs1), .reads_rs2(reads_rs2), .writes_rd(writes_rd), .is_load(is_load), .is_store(is_store),
      .is_branch(is_branch), .is_jump(is_jump), .is_jalr(is_jalr), .is_csr(is_csr), .is_ecall(is_ecall),
      .is_mret(is_mret), .illegal(illegal)
  );

  wren_regfile regfile (
      .clk(clk), .we(w_writes), .waddr(w_rd), .wdata(w_value),
      .raddr_1(x_instr[19:15]), .raddr_2(x_instr[24:20]), .rdata_1(rdata_1), .rdata_2(rdata_2)
  );

  wren_operands operands (
      .rs1(x_instr[19:15]), .rs2(x_instr[24:20]), .reads_rs1(reads_rs1), .reads_rs2(reads_rs2),
      .rdata_1(rdata_1), .rdata_2(rdata_2),
      .memory_writes(m_valid && m_writes), .memory_is_load(m_is_load), .memory_rd(m_rd), .memory_result(m_result),
      .writeback_writes(w_writes), .writeback_rd(w_rd), .writeback_value(w_value),
      .operand_1(operand_1), .operand_2(operand_2), .stall(stall)
  );

  assign alu_a = a_is_pc ? x_pc : a_is_zero ? 32'd0 : operand_1;
  assign alu_b = b_is_imm ? imm : operand_2;

  wren_alu alu (.op(alu_op), .a(alu_a), .b(alu_b), .result(alu_result));

  wren_csr csr (
      .clk(clk), .rst_n(rst_n), .access(x_valid && is_csr && !illegal), .commit(x_leaves),
      .writes(x_instr[13:12] == 2'd1 || x_instr[19:15] != 5'd0), .kind(x_instr[13:12]), .address(x_instr[31:20]),
      .operand(x_instr[14] ? {27'd0, x_instr[19:15]} : operand_1), .value(csr_value), .illegal(csr_illegal),
      .retire(commits), .trap(trap), .trap_pc(x_pc), .trap_is_ecall(is_ecall),
      .trap_target(trap_target), .return_target(return_target)
  );

  always_comb begin
    case (x_instr[14:12])
      3'd0:    taken = operand_1 == operand_2;
      3'd1:    taken = operand_1 != operand_2;
      3'd4:    taken = $signed(operand_1) < $signed(operand_2);
      3'd5:    taken = $signed(operand_1) >= $signed(operand_2);
      3'd6:    taken = operand_1 < operand_2;
      default: taken = operand_1 >= operand_2;
    endcase
  end

  assign x_leaves = x_valid && !stall && (!m_valid || m_done);
  assign trap = x_leaves && (illegal || csr_illegal || is_ecall);
  assign commits = x_leaves && !trap;
  assign redirect = trap || (x_leaves && (is_mret || is_jump || (is_branch && taken)));

  always_comb begin
    if (trap) target = trap_target;
    else if (is_mret) target = return_target;
    else if (is_jalr) target = {alu_result[31:1], 1'b0};
    else target = x_pc + imm;
  end

  always_comb begin
    if (is_jump) x_result = x_pc + 32'd4;
    else if (is_csr) x_result = csr_value;
    else x_result = alu_result;
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      m_valid <= 1'b0;
      m_is_granted <= 1'b0;
    end else begin
      if (data_gnt) m_is_granted <= 1'b1;
      if (!m_valid || m_done) begin
        m_valid <= commits;
        m_is_granted <= 1'b0;
        m_pc <= x_pc;
        m_rd <= x_instr[11:7];
        m_writes <= writes_rd;
        m_is_load <= is_load;
        m_is_store <= is_store;
        m_result <= x_result;
        m_store_data <= operand_2;
      end
    end
  end

  assign data_req = m_valid && (m_is_load || m_is_store) && !m_is_granted;
  assign data_we = m_is_store;
  assign data_addr = m_result;
  assign data_wdata = m_store_data;
  assign m_done = m_valid && (!(m_is_load || m_is_store) || data_rvalid);

  always_ff @(posedge clk) begin
    w_valid <= rst_n && m_done;
    w_writes <= rst_n && m_done && m_writes;
    w_pc <= m_pc;
    w_rd <= m_rd;
    w_value <= m_is_load ? data_rdata : m_result;
  end

  assign retire_valid = w_valid;
  assign retire_pc = w_pc;
endmodule
