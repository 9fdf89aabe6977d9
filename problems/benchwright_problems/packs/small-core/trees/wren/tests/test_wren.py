# SPDX-License-Identifier: Apache-2.0
"""A program that counts, and one that stores what it loads. Nothing waits: extend it."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

NOP, STAY = 0x00000013, 0x0000006F


def addi(rd, rs1, imm):
    return (imm & 0xFFF) << 20 | rs1 << 15 | rd << 7 | 0x13


def lw(rd, address):
    return address << 20 | 2 << 12 | rd << 7 | 0x03


def sw(rs2, address):
    return (address >> 5) << 25 | rs2 << 20 | 2 << 12 | (address & 31) << 7 | 0x23


async def execute(dut, program, memory, cycles=200):
    """Run a program; returns what it stored."""
    Clock(dut.clk, 10, unit="ns").start()
    dut.port_req.value = dut.port_we.value = dut.port_addr.value = dut.port_wdata.value = 0
    dut.mem_gnt.value, dut.mem_rvalid.value, dut.mem_rdata.value, dut.instr.value = 1, 0, 0, NOP
    dut.rst_n.value = 0
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst_n.value = 1
    stores, answer = {}, None
    for _ in range(cycles):
        index = (int(dut.instr_addr.value) - 0x1000) // 4
        dut.instr.value = program[index] if index < len(program) else STAY
        dut.mem_rvalid.value = answer is not None
        dut.mem_rdata.value = answer or 0
        answer = None
        await Timer(1, unit="ns")
        if dut.mem_req.value == 1:
            address = int(dut.mem_addr.value)
            answer = memory.get(address, 0)
            if dut.mem_we.value == 1:
                stores[address] = memory[address] = int(dut.mem_wdata.value)
        await FallingEdge(dut.clk)
    return stores


@cocotb.test()
async def counts(dut):
    program = [addi(1, 0, 1), NOP, NOP, NOP, addi(1, 1, 1), NOP, NOP, NOP, sw(1, 64)]
    assert await execute(dut, program, {}) == {64: 2}


@cocotb.test()
async def copies(dut):
    assert await execute(dut, [lw(1, 32), NOP, NOP, NOP, sw(1, 64)], {32: 7}) == {64: 7}
