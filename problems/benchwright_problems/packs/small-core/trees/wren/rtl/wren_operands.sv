// SPDX-License-Identifier: Apache-2.0
// The operands of the instruction in execute, with what older instructions have not written yet.
module wren_operands (
    input  logic [4:0]  rs1,
    input  logic [4:0]  rs2,
    input  logic        reads_rs1,
    input  logic        reads_rs2,
    input  logic [31:0] rdata_1,
    input  logic [31:0] rdata_2,
    input  logic        memory_writes,
    input  logic        memory_is_load,
    input  logic [4:0]  memory_rd,
    input  logic [31:0] memory_result,
    input  logic        writeback_writes,
    input  logic [4:0]  writeback_rd,
    input  logic [31:0] writeback_value,
    output logic [31:0] operand_1,
    output logic [31:0] operand_2,
    output logic        stall
);
  logic memory_has_1, memory_has_2, writeback_has_1, writeback_has_2;

  assign memory_has_1 = memory_writes && memory_rd == rs1 && rs1 != 5'd0;
  assign memory_has_2 = memory_writes && memory_rd == rs2 && rs2 != 5'd0;
  assign writeback_has_1 = writeback_writes && writeback_rd == rs1 && rs1 != 5'd0;
  assign writeback_has_2 = writeback_writes && writeback_rd == rs2 && rs2 != 5'd0;

  // A load has its value in write back only.
  assign stall = memory_is_load && ((reads_rs1 && memory_has_1) || (reads_rs2 && memory_has_2));

  always_comb begin
    operand_1 = rdata_1;
    if (memory_has_1) operand_1 = memory_result;
    else if (writeback_has_1) operand_1 = writeback_value;
  end

  always_comb begin
    operand_2 = rdata_2;
    if (memory_has_2) operand_2 = memory_result;
    else if (writeback_has_2) operand_2 = writeback_value;
  end
endmodule
