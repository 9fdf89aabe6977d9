# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the core: each instruction is made up when the core asks for it, and carried out by a model too."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

RESET_PC = int(os.environ["RESET_PC"])
MASK = 0xFFFFFFFF
OP, OP_IMM, LOAD, STORE, BRANCH = 0b0110011, 0b0010011, 0b0000011, 0b0100011, 0b1100011
JALR, JAL, LUI, AUIPC, FENCE = 0b1100111, 0b1101111, 0b0110111, 0b0010111, 0b0001111
CORNERS = (0, 1, 2, 31, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0x0000FF80, 0x00018000)


class Model:
    """A processor in Python: `execute` returns what the ports have to show."""

    def __init__(self):
        self.pc = 0
        self.registers = [0] * 32

    def execute(self, word, rdata):
        """Carry out one instruction; returns the ports by name."""
        opcode, f3, f7 = word & 0x7F, word >> 12 & 7, word >> 25
        rd, a, b = word >> 7 & 31, self.registers[word >> 15 & 31], self.registers[word >> 20 & 31]
        ports = {"trap": 0, "mem_valid": 0, "mem_write": 0, "mem_strobe": 0}
        imm = signed(word) >> 20
        following, result = self.pc + 4, None
        if opcode in (OP, OP_IMM):
            second = b if opcode == OP else imm & MASK
            result = arithmetic(f3, f7 == 0x20 and (opcode == OP or f3 == 5), a, second)
        elif opcode == LUI:
            result = word & 0xFFFFF000
        elif opcode == AUIPC:
            result = self.pc + (word & 0xFFFFF000)
        elif opcode == JAL:
            offset = (signed(word) >> 31) << 20 | (word >> 12 & 0xFF) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3FF) << 1
            result, following = self.pc + 4, self.pc + offset
        elif opcode == JALR:
            result, following = self.pc + 4, a + imm & ~1
        elif opcode == BRANCH:
            offset = (signed(word) >> 31) << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 0x3F) << 5 | (word >> 8 & 0xF) << 1
            holds = (a == b, a == b, False, False, signed(a) < signed(b), signed(a) < signed(b), a < b, a < b)[f3]
            if holds != f3 % 2:
                following = self.pc + offset
        elif opcode == LOAD:
            address = a + imm & MASK
            ports |= {"mem_valid": 1, "mem_addr": address}
            bits = 8 << f3 % 4
            value = rdata >> 8 * (address % 4) & 2**bits - 1
            result = value - 2**bits if f3 < 4 and value >> (bits - 1) else value
        elif opcode == STORE:
            address = a + ((imm & ~31) | (word >> 7 & 31)) & MASK
            size = 1 << f3
            strobe = 2**size - 1 << address % 4
            data = sum((b & 2 ** (8 * size) - 1) << 8 * at for at in range(0, 4, size))
            ports |= {"mem_valid": 1, "mem_write": 1, "mem_addr": address, "mem_strobe": strobe, "mem_wdata": data}
        if result is not None and rd:
            self.registers[rd] = result & MASK
        self.pc = following & MASK
        return ports


def arithmetic(f3, alternative, a, b):
    """Result of an operation of OP or OP_IMM."""
    amount = b % 32
    return (
        a - b if alternative else a + b,
        a << amount,
        signed(a) < signed(b),
        a < b,
        a ^ b,
        signed(a) >> amount if alternative else a >> amount,
        a | b,
        a & b,
    )[f3] & MASK


def signed(word):
    return word - 2**32 if word >> 31 else word


def i_type(opcode, f3, rd, rs1, imm):
    return (imm & 0xFFF) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode


def r_type(f3, f7, rd, rs1, rs2):
    return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | OP


def s_type(f3, rs1, rs2, imm):
    return (imm >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (imm & 31) << 7 | STORE


def b_type(f3, rs1, rs2, imm):
    low = (imm & 0x1E) << 7 | (imm >> 11 & 1) << 7
    return (imm >> 12 & 1) << 31 | (imm >> 5 & 0x3F) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | low | BRANCH


def j_type(rd, imm):
    low = (imm >> 11 & 1) << 20 | imm & 0xFF000
    return (imm >> 20 & 1) << 31 | (imm >> 1 & 0x3FF) << 21 | low | rd << 7 | JAL


class Bench:
    """Gives instructions at falling edges; compares all ports shortly before the rising edge."""

    def __init__(self, dut, seed):
        self.dut = dut
        self.model = Model()
        self.choose = random.Random(seed)

    @classmethod
    async def after_reset(cls, dut, seed=81):
        bench = cls(dut, seed)
        Clock(dut.clk, 10, unit="ns").start()
        await FallingEdge(dut.clk)
        await bench.reset()
        return bench

    async def reset(self):
        self.dut.rst.value = 1
        self.dut.instr.value = i_type(OP_IMM, 0, 1, 0, 1)
        self.dut.mem_rdata.value = 0
        await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0
        self.model.pc = RESET_PC

    async def prepared(self):
        """Give all registers values that make a difference."""
        for number in range(1, 32):
            corner = self.choose.choice([self.choose.getrandbits(32), self.choose.choice(CORNERS)])
            await self.set(number, corner)
        return self

    async def set(self, number, value):
        await self.run(i_type(LOAD, 2, number, 0, 0), rdata=value)

    async def show(self, number):
        await self.run(s_type(2, 0, number, 4 * self.choose.randrange(64)))

    def number(self, name):
        value = getattr(self.dut, name).value
        assert value.is_resolvable, f"{name} has unknown bits: {value}"
        return int(value)

    def check(self, name, wanted, word):
        value = self.number(name)
        assert value == wanted, f"{name} is {value:#x}, expected {wanted:#x} for instruction {word:08x}"

    async def run(self, word, rdata=None):
        rdata = self.choose.getrandbits(32) if rdata is None else rdata
        self.check("pc", self.model.pc, word)
        self.dut.instr.value, self.dut.mem_rdata.value = word, rdata
        await Timer(4, unit="ns")
        for name, wanted in self.model.execute(word, rdata).items():
            self.check(name, wanted, word)
        await FallingEdge(self.dut.clk)
        self.check("pc", self.model.pc, word)

    def register(self):
        return self.choose.randrange(32)

    def random_arithmetic(self):
        f3, rd, rs1 = self.choose.randrange(8), self.register(), self.register()
        if self.choose.random() < 0.5:
            f7 = self.choose.choice([0, 0x20]) if f3 in (0, 5) else 0
            return r_type(f3, f7, rd, rs1, self.register())
        imm = self.choose.choice([self.choose.getrandbits(12), 0, 1, -1, 0x400, 0x7FF, 0x800])
        if f3 in (1, 5):
            imm = imm & 31 | (self.choose.choice([0, 0x400]) if f3 == 5 else 0)
        return i_type(OP_IMM, f3, rd, rs1, imm)

    async def random_access(self, f3, is_store):
        """A load or store of a register's neighbourhood, aligned."""
        base, value = self.register(), self.register()
        size = 1 << f3 % 4
        imm = self.choose.randrange(-2048, 2048)
        imm -= (self.model.registers[base] + imm) % size
        imm += size if imm < -2048 else 0
        await self.run(s_type(f3, base, value, imm) if is_store else i_type(LOAD, f3, value, base, imm))

    async def random_jump(self):
        kind = self.choose.randrange(3)
        if kind == 0:
            await self.run(j_type(self.register(), self.choose.randrange(-(2**20), 2**20, 4)))
        elif kind == 1:
            await self.run(i_type(JALR, 0, self.register(), self.register(), self.choose.getrandbits(12)))
        else:
            rs1 = self.register()
            rs2 = self.choose.choice([rs1, self.register(), self.register()])
            f3 = self.choose.choice([0, 1, 4, 5, 6, 7])
            await self.run(b_type(f3, rs1, rs2, self.choose.randrange(-4096, 4096, 4)))


@cocotb.test()
async def starts_at_the_reset_address(dut):
    bench = await Bench.after_reset(dut)
    await bench.run(i_type(OP_IMM, 0, 1, 0, 5))
    await bench.show(1)
    await bench.run(i_type(OP_IMM, 0, 1, 1, 7))
    await bench.reset()
    await bench.show(1)
    await bench.run(i_type(OP_IMM, 0, 2, 1, 7))
    await bench.show(2)


@cocotb.test()
async def arithmetic_and_upper_immediates(dut):
    bench = await (await Bench.after_reset(dut)).prepared()
    for f3 in range(8):
        for a, b in ((0x80000000, 1), (1, 0x80000000), (MASK, 0xF3), (5, 5), (0x7FFFFFFF, MASK), (0xF0F0A5A5, 0x22)):
            await bench.set(1, a)
            await bench.set(2, b)
            for f7 in (0, 0x20) if f3 in (0, 5) else (0,):
                await bench.run(r_type(f3, f7, 3, 1, 2))
                await bench.show(3)
    for _ in range(150):
        word = bench.random_arithmetic()
        await bench.run(word)
        await bench.show(word >> 7 & 31)
    for opcode in (LUI, AUIPC):
        for _ in range(8):
            await bench.run(bench.choose.getrandbits(20) << 12 | 7 << 7 | opcode)
            await bench.show(7)


@cocotb.test()
async def loads_and_stores(dut):
    bench = await (await Bench.after_reset(dut)).prepared()
    for f3 in (0, 1, 2, 4, 5):
        for offset in range(0, 4, 1 << f3 % 4):
            for rdata in (0x80FF7F01, 0x017F80FF):
                await bench.run(i_type(LOAD, f3, 5, 0, offset), rdata)
                await bench.show(5)
    for f3 in (0, 1, 2):
        for offset in range(0, 4, 1 << f3):
            await bench.run(s_type(f3, 0, 6, offset))
    for _ in range(80):
        await bench.random_access(bench.choose.choice([0, 1, 2, 4, 5]), is_store=False)
        await bench.show(bench.register())
        await bench.random_access(bench.choose.randrange(3), is_store=True)


@cocotb.test()
async def jumps(dut):
    bench = await (await Bench.after_reset(dut)).prepared()
    for bit in range(1, 21):
        await bench.run(j_type(3, 1 << bit))
        await bench.show(3)
    for imm in (4, -4, 1, 0x7FF, -0x800):
        for value in (0x100, 0x101, 0xFFFFFFFF):
            await bench.set(4, value)
            await bench.run(i_type(JALR, 0, 4, 4, imm))
            await bench.show(4)


@cocotb.test()
async def branches(dut):
    bench = await (await Bench.after_reset(dut)).prepared()
    for f3 in (0, 1, 4, 5, 6, 7):
        for a, b in ((1, 1), (1, 2), (2, 1), (MASK, 1), (1, MASK), (0x80000000, 0x7FFFFFFF)):
            await bench.set(1, a)
            await bench.set(2, b)
            await bench.run(b_type(f3, 1, 2, bench.choose.choice([-4096, -8, 8, 0x7FE, 0x800])))
    for bit in range(1, 13):
        await bench.run(b_type(0, 3, 3, 1 << bit))


@cocotb.test()
async def register_0_stays_zero(dut):
    bench = await (await Bench.after_reset(dut)).prepared()
    for word in (i_type(OP_IMM, 0, 0, 0, 5), i_type(LOAD, 2, 0, 0, 0), j_type(0, 8), 0xABCDE037, r_type(0, 0, 0, 1, 2)):
        await bench.run(word, rdata=MASK)
        await bench.show(0)
        await bench.run(i_type(OP_IMM, 0, 1, 0, 1))
        await bench.show(1)


@cocotb.test()
async def traps_change_nothing(dut):
    bench = await (await Bench.after_reset(dut)).prepared()
    words = [0x00000073, 0x00100073, 0x00000000, MASK, i_type(JALR, 1, 1, 1, 0), i_type(LOAD, 3, 1, 0, 0)]
    words += [i_type(LOAD, f3, 1, 0, 0) for f3 in (6, 7)] + [s_type(f3, 0, 1, 0) for f3 in range(3, 8)]
    words += [b_type(f3, 1, 1, 8) for f3 in (2, 3)] + [r_type(f3, 0x20, 1, 2, 3) for f3 in (1, 2, 3, 4, 6, 7)]
    words += [r_type(0, 1 << bit, 1, 2, 3) for bit in (0, 1, 2, 3, 4, 6)] + [r_type(5, 0x21, 1, 2, 3)]
    words += [i_type(OP_IMM, 1, 1, 2, 0x400), i_type(OP_IMM, 5, 1, 2, 0x800), i_type(OP_IMM, 1, 1, 2, 0x20)]
    words += [r_type(0, 0, 1, 2, 3) & ~2, i_type(OP_IMM, 0, 1, 2, 3) & ~1, i_type(LOAD, 2, 1, 0, 0) | 0x40]
    for word in words:
        dut.instr.value = word
        for _ in range(2):
            await Timer(4, unit="ns")
            for name, wanted in (("trap", 1), ("mem_valid", 0), ("mem_write", 0), ("mem_strobe", 0)):
                bench.check(name, wanted, word)
            await FallingEdge(dut.clk)
            bench.check("pc", bench.model.pc, word)
        await bench.run(bench.choose.choice([0xABCDE000 | 7 << 7 | LUI, 0x00001000 | 7 << 7 | AUIPC, j_type(7, 8), FENCE]))
        await bench.show(1)
    await bench.run(0x0FF0000F)
    await bench.run(FENCE | 1 << 7 | MASK << 20 & MASK)
    await bench.show(1)


@cocotb.test()
async def random_instructions(dut):
    bench = await (await Bench.after_reset(dut, seed=82)).prepared()
    for _ in range(400):
        kind = bench.choose.randrange(10)
        if kind < 5:
            await bench.run(bench.random_arithmetic())
        elif kind < 7:
            await bench.random_access(bench.choose.choice([0, 1, 2, 4, 5]), is_store=False)
        elif kind < 9:
            await bench.random_access(bench.choose.randrange(3), is_store=True)
        else:
            await bench.random_jump()
    for number in range(32):
        await bench.show(number)
