# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the core: a model runs each program first, and what the core shows has to be the same."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

RESET_PC, MASK = 0x1000, 0xFFFFFFFF
STAY = 0x0000006F
MSCRATCH, MTVEC, MEPC, MCAUSE, MINSTRET, INSTRET, MCYCLE, CYCLE = 0x340, 0x305, 0x341, 0x342, 0xB02, 0xC02, 0xB00, 0xC00
MINSTRETH, ECALL, MRET = 0xB82, 0x00000073, 0x30200073
HANDLER = RESET_PC + 0x2000


def i_type(opcode, f3, rd, rs1, imm):
    return (imm & 0xFFF) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode


def r_type(f3, f7, rd, rs1, rs2):
    return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | 0x33


def addi(rd, rs1, imm):
    return i_type(0x13, 0, rd, rs1, imm)


def lw(rd, imm, base=0):
    return i_type(0x03, 2, rd, base, imm)


def sw(rs2, imm, base=0):
    return (imm >> 5 & 0x7F) << 25 | rs2 << 20 | base << 15 | 2 << 12 | (imm & 31) << 7 | 0x23


def branch(f3, rs1, rs2, imm):
    low = (imm & 0x1E) << 7 | (imm >> 11 & 1) << 7
    return (imm >> 12 & 1) << 31 | (imm >> 5 & 0x3F) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | low | 0x63


def jal(rd, imm):
    low = (imm >> 11 & 1) << 20 | imm & 0xFF000
    return (imm >> 20 & 1) << 31 | (imm >> 1 & 0x3FF) << 21 | low | rd << 7 | 0x6F


def csr(f3, rd, rs1, address):
    return address << 20 | rs1 << 15 | f3 << 12 | rd << 7 | 0x73


def signed(word):
    return word - 2**32 if word >> 31 else word


class Model:
    """Runs a program; keeps the addresses that retire, and each access of the memory in its order."""

    def __init__(self, words, memory):
        self.words, self.memory = words, dict(memory)
        self.registers, self.pc = [0] * 32, RESET_PC
        self.csrs = dict.fromkeys((MSCRATCH, MTVEC, MEPC, MCAUSE), 0)
        self.instret = 0
        self.retired, self.accesses = [], []

    def run(self):
        while self.words.get(self.pc, STAY) != STAY:
            self.step(self.words[self.pc])
            assert len(self.retired) < 5000, "the program does not end"
        return self

    def trap(self, cause):
        self.csrs[MEPC], self.csrs[MCAUSE], self.pc = self.pc, cause, self.csrs[MTVEC]

    def read_csr(self, address):
        if address in (MINSTRET, INSTRET):
            return self.instret & MASK
        if address in (MINSTRETH, MINSTRETH + 0x100):
            return self.instret >> 32
        return self.csrs.get(address)

    def step(self, word):
        opcode, f3, rd = word & 0x7F, word >> 12 & 7, word >> 7 & 31
        rs1 = word >> 15 & 31
        a, b, imm = self.registers[rs1], self.registers[word >> 20 & 31], signed(word) >> 20
        following, result, written_instret = self.pc + 4, None, None
        if opcode in (0x33, 0x13):
            c = b if opcode == 0x33 else imm & MASK
            shift, alternative = c & 31, word >> 30 & 1
            total = a - c if opcode == 0x33 and alternative else a + c
            right = signed(a) >> shift if alternative else a >> shift
            result = [total, a << shift, signed(a) < signed(c), a < c, a ^ c, right, a | c, a & c][f3]
        elif opcode == 0x37:
            result = word & 0xFFFFF000
        elif opcode == 0x17:
            result = self.pc + (word & 0xFFFFF000)
        elif opcode == 0x03 and f3 == 2:
            self.accesses.append((0, a + imm & MASK))
            result = self.memory[a + imm & MASK]
        elif opcode == 0x23 and f3 == 2:
            address = a + ((imm & ~31) | rd) & MASK
            self.accesses.append((1, address, b))
            self.memory[address] = b
        elif opcode == 0x6F:
            offset = (word >> 12 & 0xFF) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3FF) << 1
            result, following = self.pc + 4, self.pc + offset - (2**20 if word >> 31 else 0)
        elif opcode == 0x67:
            result, following = self.pc + 4, a + imm & ~1 & MASK
        elif opcode == 0x63:
            offset = (word >> 7 & 1) << 11 | (word >> 25 & 0x3F) << 5 | (word >> 8 & 0xF) << 1
            holds = [a == b, None, signed(a) < signed(b), a < b][f3 >> 1]
            if holds != f3 % 2:
                following = self.pc + offset - (2**12 if word >> 31 else 0)
        elif word == MRET:
            following = self.csrs[MEPC]
        elif word == ECALL:
            return self.trap(11)
        elif opcode == 0x73 and f3 & 3:
            address, operand, writes = word >> 20, rs1 if f3 & 4 else a, f3 & 3 == 1 or rs1 != 0
            old = self.read_csr(address)
            if old is None or (writes and address >> 10 == 3):
                return self.trap(2)
            result = old
            if writes:
                new = [None, operand, old | operand, old & ~operand][f3 & 3] & MASK
                if address == MINSTRET:
                    written_instret = self.instret >> 32 << 32 | new
                elif address == MINSTRETH:
                    written_instret = new << 32 | self.instret & MASK
                else:
                    self.csrs[address] = new & ~3 if address in (MTVEC, MEPC) else new
        else:
            return self.trap(2)
        if rd and result is not None:
            self.registers[rd] = result & MASK
        self.instret = self.instret + 1 if written_instret is None else written_instret
        self.retired.append(self.pc)
        self.pc = following


class Bench:
    """Memory and the two other ports, which wait as a seed has it."""

    def __init__(self, dut, seed, most_wait, port_share):
        self.dut, self.choose = dut, random.Random(seed)
        self.most_wait, self.port_share = most_wait, port_share
        self.memory = {4 * index: self.choose.getrandbits(32) for index in range(256)}
        self.memory |= {0x10000 * port + 4 * index: port << 28 | index for port in (1, 2) for index in range(64)}
        self.program, self.far = [], {}

    async def run(self):
        """Run the program; the core has to retire what the model does, with the same accesses."""
        dut, choose = self.dut, self.choose
        words = {RESET_PC + 4 * index: word for index, word in enumerate(self.program)} | self.far
        model = Model(words, self.memory).run()
        Clock(dut.clk, 10, unit="ns").start()
        dut.rst_n.value, dut.instr.value = 0, 0
        dut.port_req.value = dut.port_we.value = dut.port_addr.value = dut.port_wdata.value = 0
        dut.mem_gnt.value = dut.mem_rvalid.value = dut.mem_rdata.value = 0
        await FallingEdge(dut.clk)
        await FallingEdge(dut.clk)
        dut.rst_n.value = 1
        memory = dict(self.memory)
        answers, accesses, retired = [], [], []
        asked, under_way = [None, None], [None, None]
        seen = None
        waits = [0, 0, 0]
        idle = 0
        while len(retired) < len(model.retired):
            idle += 1
            assert idle < 60 * (self.most_wait + 2), f"nothing retires after {len(retired)} instructions"
            dut.instr.value = words.get(self.number("instr_addr"), STAY)
            for port in (0, 1):
                if asked[port] is None and under_way[port] is None and choose.random() < self.port_share:
                    address = 0x10000 * (port + 1) + 4 * choose.randrange(64)
                    asked[port] = (choose.randrange(2), address, choose.getrandbits(32))
            dut.port_req.value = sum(1 << port for port in (0, 1) if asked[port])
            dut.port_we.value = sum(asked[port][0] << port for port in (0, 1) if asked[port])
            dut.port_addr.value = sum(asked[port][1] << 32 * port for port in (0, 1) if asked[port])
            dut.port_wdata.value = sum(asked[port][2] << 32 * port for port in (0, 1) if asked[port])
            answers = [(wait - 1, *rest) for wait, *rest in answers]
            answered = None
            if answers and answers[0][0] < 0:
                answered = answers.pop(0)
            dut.mem_rvalid.value = answered is not None
            dut.mem_rdata.value = answered[1] if answered else choose.getrandbits(32)
            grants = choose.randrange(self.most_wait + 1) == 0
            dut.mem_gnt.value = grants
            await Timer(1, unit="ns")
            # What the ports are told.
            told = self.number("port_rvalid")
            expected = 1 << answered[2] - 1 if answered and answered[2] else 0
            assert told == expected, f"port_rvalid is {told:02b}, and the answer is for {expected:02b}"
            if answered and answered[2]:
                assert self.number("port_rdata") == answered[1]
                under_way[answered[2] - 1] = None
            granted = self.number("port_gnt")
            assert granted in (0, 1, 2), "two ports are granted at once"
            if self.number("mem_req"):
                request = (self.number("mem_we"), self.number("mem_addr"))
                request += (self.number("mem_wdata"),) if request[0] else ()
                assert seen in (None, request), f"the memory saw {seen}, and before it is granted {request}"
                seen = None if grants else request
                owner = request[1] >> 16
                if grants:
                    assert granted == (1 << owner - 1 if owner else 0), f"{granted:02b} is granted for port {owner}"
                    if owner:
                        want = asked[owner - 1]
                        assert want is not None and request == want[: 3 if want[0] else 2], "no port asks for this"
                        asked[owner - 1], under_way[owner - 1] = None, want
                    else:
                        accesses.append(request)
                        assert accesses == model.accesses[: len(accesses)], f"access {request} is not the program's"
                    if request[0]:
                        memory[request[1]] = request[2]
                    answers.append((choose.randrange(self.most_wait + 1), memory[request[1]], owner))
                    waits = [0 if port == owner else wait for port, wait in enumerate(waits)]
                    for port in (0, 1):
                        waits[port + 1] += asked[port] is not None
                    assert max(waits) <= 3, f"a port has waited for {max(waits)} others"
            else:
                assert seen is None, "a request is withdrawn"
                assert granted == 0, "a port is granted without a request"
            if self.number("retire_valid"):
                pc = self.number("retire_pc")
                assert pc == model.retired[len(retired)], (
                    f"{pc:#x} retires, expected {model.retired[len(retired)]:#x}, after {len(retired)} instructions"
                )
                retired.append(pc)
                idle = 0
            await FallingEdge(dut.clk)
        assert accesses == model.accesses, "an access is missing"

    def number(self, name):
        value = getattr(self.dut, name).value
        assert value.is_resolvable, f"{name} has unknown bits: {value}"
        return int(value)

    def set_registers(self, numbers=range(1, 16)):
        self.program += [lw(number, 4 * number) for number in numbers]

    def show_registers(self, numbers=range(1, 16)):
        self.program += [sw(number, 4 * number) for number in numbers]

    def handle_traps(self):
        """A handler that stores the cause and goes on behind the instruction."""
        offset = HANDLER - RESET_PC - 4 * len(self.program)
        self.program += [offset + 0x800 & 0xFFFFF000 | 28 << 7 | 0x17, addi(28, 28, offset), csr(1, 0, 28, MTVEC)]
        handler = [csr(2, 29, 0, MCAUSE), sw(29, 0x200), csr(2, 30, 0, MEPC), sw(30, 0x204)]
        handler += [addi(30, 30, 4), csr(1, 0, 30, MEPC), MRET]
        self.far |= {HANDLER + 4 * index: word for index, word in enumerate(handler)}

    def arithmetic(self, rd, sources):
        f3, choose = self.choose.randrange(8), self.choose
        f7 = choose.choice([0, 0x20]) if f3 in (0, 5) else 0
        if choose.random() < 0.4:
            imm = choose.getrandbits(5) | f7 << 5 if f3 in (1, 5) else choose.getrandbits(12)
            return i_type(0x13, f3, rd, choose.choice(sources), imm)
        return r_type(f3, f7, rd, choose.choice(sources), choose.choice(sources))

    def add_random(self, registers, nested=False):
        choose = self.choose
        rd, rs = choose.choice(registers), choose.choice(registers)
        kind = choose.randrange(7 if nested else 10)
        if kind < 3:
            self.program.append(self.arithmetic(rd, registers))
        elif kind == 3:
            self.program.append(lw(rd, 4 * choose.randrange(100)))
        elif kind == 4:
            self.program.append(sw(rs, 4 * choose.randrange(100)))
        elif kind == 5:
            self.program.append(csr(choose.choice([1, 2, 3]), rd, rs, MSCRATCH))
        elif kind == 6:
            self.program.append(choose.choice([csr(2, rd, 0, INSTRET), csr(6, rd, 0, MINSTRET), csr(5, rd, rs, MSCRATCH)]))
        elif kind == 7:
            self.program.append(choose.choice([ECALL, csr(1, rd, rs, INSTRET), csr(2, rd, 0, 0x7FF), MASK]))
        else:
            skipped = choose.randrange(3)
            word = jal(choose.choice([0, rd]), 4 + 4 * skipped) if kind == 8 else 0
            f3 = choose.choice([0, 1, 4, 5, 6, 7])
            self.program.append(word or branch(f3, rs, choose.choice(registers), 4 + 4 * skipped))
            for _ in range(skipped):
                self.add_random(registers, nested=True)


def bench_of(dut, seed, most_wait=0, port_share=0.0):
    return Bench(dut, seed, most_wait, port_share)


@cocotb.test()
async def arithmetic_far_apart(dut):
    bench = bench_of(dut, 1)
    bench.set_registers()
    for _ in range(40):
        bench.program += [bench.arithmetic(bench.choose.randrange(1, 16), range(16)), *[addi(0, 0, 0)] * 3]
    bench.show_registers()
    await bench.run()


@cocotb.test()
async def results_of_close_instructions(dut):
    bench = bench_of(dut, 2)
    bench.set_registers()
    for distance in range(1, 4):
        for first in (0, 1):
            bench.program += [addi(5, 0, 1), addi(5, 0, 16 * distance + first)]
            bench.program += [addi(20 + gap, 0, gap) for gap in range(distance - 1)]
            bench.program += [r_type(0, 0x20, 6, *((7, 5) if first else (5, 7))), sw(6, 64), sw(5, 68)]
            bench.program += [addi(5, 5, 1), addi(5, 5, 1), branch(1, 7, 5, 8), addi(8, 8, 1), sw(8, 72)]
    for _ in range(60):
        bench.program.append(bench.arithmetic(bench.choose.randrange(6), range(6)))
    bench.show_registers()
    await bench.run()


@cocotb.test()
async def loads_are_waited_for(dut):
    bench = bench_of(dut, 3, most_wait=2)
    bench.set_registers()
    for distance in range(3):
        gap = [addi(20 + index, 0, index) for index in range(distance)]
        bench.program += [lw(5, 64), *gap, addi(6, 5, 1), sw(6, 68), lw(5, 72), *gap, r_type(0, 0x20, 6, 7, 5), sw(6, 76)]
        bench.program += [lw(5, 80), *gap, sw(5, 84), lw(0, 64), *gap, r_type(0, 0, 6, 0, 0), sw(6, 88)]
    await bench.run()


@cocotb.test()
async def branches_and_jumps(dut):
    bench = bench_of(dut, 4)
    for f3 in (0, 1, 4, 5, 6, 7):
        for a, b in ((1, 2), (2, 1), (2, 2), (-1, 1), (1, -1)):
            bench.program += [addi(1, 0, a), addi(0, 0, 0), addi(2, 0, b), addi(0, 0, 0), addi(0, 0, 0), addi(0, 0, 0)]
            bench.program += [branch(f3, 1, 2, 8), sw(1, 80), jal(9, 12), sw(1, 84), sw(2, 84), sw(9, 88)]
    await bench.run()


@cocotb.test()
async def registers_of_control(dut):
    bench = bench_of(dut, 5)
    nops = [addi(0, 0, 0)] * 3
    bench.set_registers()
    for f3 in (1, 2, 3, 5, 6, 7):
        bench.program += [*nops, csr(f3, 6, 3, MSCRATCH), *nops, sw(6, 64), csr(2, 7, 0, MSCRATCH), *nops, sw(7, 68)]
    bench.program += [csr(1, 8, 3, MINSTRETH), *nops, csr(1, 9, 4, MINSTRET), *nops, csr(2, 10, 0, INSTRET), *nops]
    bench.program += [csr(2, 11, 0, MINSTRETH), *nops]
    bench.show_registers()
    await bench.run()


@cocotb.test()
async def traps(dut):
    bench = bench_of(dut, 6)
    nops = [addi(0, 0, 0)] * 3
    bench.handle_traps()
    for word in (ECALL, MASK, csr(1, 5, 1, INSTRET), csr(2, 5, 1, CYCLE), csr(2, 5, 0, 0x7C0), lw(5, 64) ^ 0x1000):
        bench.program += [addi(5, 0, 77), *nops, word, *nops, sw(5, 64)]
    await bench.run()


@cocotb.test()
async def programs_on_a_memory_that_waits(dut):
    bench = bench_of(dut, 7, most_wait=4)
    bench.set_registers()
    bench.handle_traps()
    nops = [addi(0, 0, 0)] * 3
    for number in range(1, 8):
        bench.program += [sw(number, 64), *nops[:2], lw(20, 64), addi(21, number, 5), *nops, sw(21, 68)]
    bench.show_registers()
    await bench.run()


@cocotb.test()
async def control_behind_a_memory_that_waits(dut):
    bench = bench_of(dut, 8, most_wait=5)
    bench.set_registers()
    nops = [addi(0, 0, 0)] * 3
    for number in range(1, 9):
        bench.program += [lw(20, 64), csr(1, number, number, MSCRATCH), *nops, sw(number, 68)]
        bench.program += [sw(5, 72), csr(2, 21, 6, MSCRATCH), *nops, sw(21, 76)]
        bench.program += [lw(20, 64), csr(1, 22, 7, MINSTRET), *nops, csr(2, 23, 0, INSTRET), *nops, sw(22, 80), sw(23, 84)]
    bench.show_registers()
    await bench.run()


@cocotb.test()
async def the_ports_alone(dut):
    bench = bench_of(dut, 9, most_wait=3, port_share=0.3)
    bench.program = [addi(0, 0, 0)] * 400
    await bench.run()


@cocotb.test()
async def core_and_ports_together(dut):
    for seed in (10, 11):
        bench = bench_of(dut, seed, most_wait=3, port_share=0.5)
        bench.set_registers()
        nops = [addi(0, 0, 0)] * 3
        for _ in range(60):
            number = bench.choose.randrange(1, 16)
            bench.program += [lw(number, 4 * bench.choose.randrange(64)), *nops, sw(number, 4 * bench.choose.randrange(64))]
        await bench.run()


@cocotb.test()
async def random_programs(dut):
    for seed, wait, share in ((12, 0, 0.0), (13, 3, 0.4), (14, 1, 0.9)):
        bench = bench_of(dut, seed, wait, share)
        bench.set_registers()
        bench.handle_traps()
        for _ in range(150):
            bench.add_random(range(8))
        bench.show_registers()
        await bench.run()
