# SPDX-License-Identifier: Apache-2.0
"""A test of your own, to be extended: one operand comes from the memory stage."""

import cocotb
from cocotb.triggers import Timer


@cocotb.test()
async def forwards_from_memory_to_operand_1(dut):
    dut.x_rs1.value = 5
    dut.x_value1.value = 10
    dut.m_writes.value = 1
    dut.m_is_load.value = 0
    dut.m_rd.value = 5
    dut.m_result.value = 12
    dut.w_writes.value = 0
    await Timer(1, unit="ns")
    assert dut.source1.value == 1
    assert dut.operand1.value == 12
