# SPDX-License-Identifier: Apache-2.0
"""A test of your own, to be extended: one instruction is decoded."""

import cocotb
from cocotb.triggers import Timer


@cocotb.test()
async def decodes_addi(dut):
    dut.instr.value = 0xFFF10093  # addi x1, x2, -1
    await Timer(1, unit="ns")
    assert dut.legal.value == 1
    assert dut.imm.value == 0xFFFFFFFF
    assert dut.rd.value == 1
    assert dut.rs1.value == 2
    assert dut.reg_write.value == 1
    assert dut.b_is_imm.value == 1
