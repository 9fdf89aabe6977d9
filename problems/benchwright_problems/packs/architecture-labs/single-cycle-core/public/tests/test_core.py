# SPDX-License-Identifier: Apache-2.0
"""A test of your own, to be extended: a program in a Python list, and a memory of words."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge


def addi(rd, rs1, imm):
    return (imm & 0xFFF) << 20 | rs1 << 15 | rd << 7 | 0b0010011


def sw(rs2, address):
    return (address >> 5) << 25 | rs2 << 20 | 2 << 12 | (address & 31) << 7 | 0b0100011


async def execute(dut, program, cycles):
    """Run a program from address 0; returns the memory, address → word."""
    memory = {}
    dut.instr.value = 0
    dut.mem_rdata.value = 0
    Clock(dut.clk, 10, unit="ns").start()
    dut.rst.value = 1
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0
    for _ in range(cycles):
        dut.instr.value = program[int(dut.pc.value) // 4]
        await cocotb.triggers.Timer(1, unit="ns")
        if dut.mem_valid.value == 1:
            address = int(dut.mem_addr.value)
            dut.mem_rdata.value = memory.get(address // 4 * 4, 0)
            if dut.mem_write.value == 1:
                assert dut.mem_strobe.value == 0b1111, "this memory can only store words"
                memory[address] = int(dut.mem_wdata.value)
        await FallingEdge(dut.clk)
    return memory


@cocotb.test()
async def adds_and_stores(dut):
    memory = await execute(dut, [addi(1, 0, 5), addi(1, 1, 7), sw(1, 8)], 3)
    assert memory == {8: 12}
