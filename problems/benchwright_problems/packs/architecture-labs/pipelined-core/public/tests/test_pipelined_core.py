# SPDX-License-Identifier: Apache-2.0
"""A test of your own, to be extended: a program in which no instruction depends on one near to it."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

NOP = 0x00000013


def addi(rd, rs1, imm):
    return (imm & 0xFFF) << 20 | rs1 << 15 | rd << 7 | 0b0010011


def sw(rs2, address):
    return (address >> 5) << 25 | rs2 << 20 | 2 << 12 | (address & 31) << 7 | 0b0100011


async def execute(dut, program, cycles):
    """Run a program from address 0; returns what it stored, and the addresses that retired."""
    memory, retired = {}, []
    dut.instr.value = NOP
    dut.mem_rdata.value = 0
    Clock(dut.clk, 10, unit="ns").start()
    dut.rst.value = 1
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0
    for _ in range(cycles):
        index = int(dut.pc.value) // 4
        dut.instr.value = program[index] if index < len(program) else NOP
        if dut.mem_valid.value == 1:
            address = int(dut.mem_addr.value)
            if dut.mem_write.value == 1:
                memory[address] = int(dut.mem_wdata.value)
            dut.mem_rdata.value = memory.get(address, 0)
        if dut.retire_valid.value == 1:
            retired.append(int(dut.retire_pc.value))
        await FallingEdge(dut.clk)
    return memory, retired


@cocotb.test()
async def stores_independent_results(dut):
    program = [addi(1, 0, 5), addi(2, 0, 6), NOP, NOP, NOP, sw(1, 8), sw(2, 12)]
    memory, retired = await execute(dut, program, 20)
    assert memory == {8: 5, 12: 6}
    assert retired[:7] == [0, 4, 8, 12, 16, 20, 24]
