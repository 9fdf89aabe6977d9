# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the pipelined core: a model runs each program first, and the core has to show the same."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

RESET_PC = int(os.environ["RESET_PC"])
MASK = 0xFFFFFFFF
OP, OP_IMM, LOAD, STORE, BRANCH = 0b0110011, 0b0010011, 0b0000011, 0b0100011, 0b1100011
JALR, JAL, LUI = 0b1100111, 0b1101111, 0b0110111
STAY = JAL
POINTERS = (0, 30, 31)


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


def load(rd, imm, base=0):
    return i_type(LOAD, 2, rd, base, imm)


def store(rs2, imm, base=0):
    return s_type(2, base, rs2, imm)


def addi(rd, rs1, imm):
    return i_type(OP_IMM, 0, rd, rs1, imm)


def signed(word):
    return word - 2**32 if word >> 31 else word


class Step:
    """One instruction that the model has carried out."""

    def __init__(self, pc, word):
        self.pc, self.word = pc, word
        self.access = None
        self.leaves = False

    @property
    def loads(self):
        """The register that it loads, or 0."""
        return self.word >> 7 & 31 if self.word & 0x7F == LOAD else 0

    @property
    def reads(self):
        opcode = self.word & 0x7F
        sources = {self.word >> 15 & 31} if opcode not in (LUI, JAL) else set()
        return sources | ({self.word >> 20 & 31} if opcode in (OP, STORE, BRANCH) else set())


def trace_of(words, memory):
    """The steps of a program, offset → word, up to the instruction that stays where it is."""
    registers, memory, steps, pc = [0] * 32, dict(memory), [], RESET_PC
    while True:
        word = words[pc - RESET_PC]
        step = Step(pc, word)
        opcode, f3, rd = word & 0x7F, word >> 12 & 7, word >> 7 & 31
        a, b, imm = registers[word >> 15 & 31], registers[word >> 20 & 31], signed(word) >> 20
        following, result = pc + 4, None
        if opcode in (OP, OP_IMM):
            c = b if opcode == OP else imm & MASK
            total = a - c if opcode == OP and word >> 30 & 1 else a + c
            result = {0: total, 2: signed(a) < signed(c), 3: a < c, 4: a ^ c, 6: a | c, 7: a & c}[f3]
        elif opcode == LUI:
            result = word & 0xFFFFF000
        elif opcode == LOAD:
            step.access = (0, a + imm & MASK)
            result = memory[a + imm & MASK]
        elif opcode == STORE:
            address = a + ((imm & ~31) | rd) & MASK
            step.access = (1, address)
            memory[address] = b
        elif opcode == JAL:
            offset = (word >> 12 & 0xFF) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3FF) << 1
            result, following = pc + 4, pc + offset - (2**20 if word >> 31 else 0)
        elif opcode == JALR:
            result, following = pc + 4, a + imm & ~1
        elif opcode == BRANCH:
            offset = (word >> 7 & 1) << 11 | (word >> 25 & 0x3F) << 5 | (word >> 8 & 0xF) << 1
            holds = signed(a) < signed(b) if f3 & 4 else a == b
            if holds != f3 % 2:
                following, step.leaves = pc + offset - (2**12 if word >> 31 else 0), True
        step.data = b if opcode == STORE else result
        step.leaves |= opcode in (JAL, JALR)
        if result is not None and rd:
            registers[rd] = result & MASK
        steps.append(step)
        if following == pc:
            return steps
        pc = following


def longest_gap(before, after):
    """Cycles that may be between the retires of two steps."""
    if before.leaves:
        return 3
    return 2 if before.loads and before.loads in after.reads else 1


class Bench:
    """Answers a core's accesses by the model's trace, and compares all of them in their order."""

    def __init__(self, dut, seed):
        self.dut = dut
        self.choose = random.Random(seed)
        self.memory = {4 * index & MASK: self.choose.getrandbits(32) for index in range(-512, 4096)}
        self.memory |= {0: 0x400, 4: 0x800}
        self.program = []
        self.far = {}

    @classmethod
    async def start(cls, dut, seed=121):
        bench = cls(dut, seed)
        Clock(dut.clk, 10, unit="ns").start()
        dut.rst.value, dut.instr.value, dut.mem_rdata.value = 1, 0, 0
        await FallingEdge(dut.clk)
        # All registers get a value; the last two are pointers.
        bench.program = [load(30, 0), load(31, 4)] + [load(number, 4 * number) for number in range(1, 30)]
        return bench

    def number(self, name):
        value = getattr(self.dut, name).value
        assert value.is_resolvable, f"{name} has unknown bits: {value}"
        return int(value)

    def show_all(self):
        self.program += [store(number, 4 * number) for number in range(1, 30)]

    def fetched(self, pc):
        # Where no instruction of the program is, there is what would do harm.
        harm = self.choose.choice([store(1, 64), j_type(1, 64), 0x00000013, MASK])
        return self.words.get((pc - RESET_PC) & MASK, harm)

    async def run(self, timed=False, late=False, most_steps=None):
        """Run the program from its reset to its end; with `most_steps` to that number of retires."""
        dut = self.dut
        self.program.append(STAY)
        self.words = self.far | {4 * index: word for index, word in enumerate(self.program)}
        steps = trace_of(self.words, self.memory)
        accesses = [index for index, step in enumerate(steps) if step.access is not None]
        dut.rst.value = 1
        await FallingEdge(dut.clk)
        dut.rst.value = 0
        retired, accessed, quiet = 0, 0, 0
        while retired < min(len(steps), most_steps or len(steps)):
            dut.instr.value, dut.mem_rdata.value = self.choose.getrandbits(32), self.choose.getrandbits(32)
            await Timer(2, unit="ns")
            outputs = self.outputs() if late else None
            dut.instr.value = self.fetched(self.number("pc"))
            if self.number("mem_valid"):
                assert accessed < len(accesses), "an access to the memory that the program does not make"
                step = steps[accesses[accessed]]
                write, address = step.access
                shown = self.number("mem_write"), self.number("mem_addr")
                assert shown == step.access, f"access (write, address) is {shown}, expected {step.access} at {step.pc:#x}"
                if write:
                    data = self.number("mem_wdata")
                    assert data == step.data, f"{data:#x} is stored at {step.pc:#x}, expected {step.data:#x}"
                else:
                    dut.mem_rdata.value = step.data
                accessed += 1
            else:
                assert self.number("mem_write") == 0, "mem_write is 1 without mem_valid"
            await Timer(2, unit="ns")
            if late:
                assert self.outputs() == outputs, "an output follows instr or mem_rdata within the cycle"
            quiet += 1
            if self.number("retire_valid"):
                step = steps[retired]
                pc = self.number("retire_pc")
                assert pc == step.pc, f"{pc:#x} retires, expected {step.pc:#x}"
                if step.access is not None:
                    assert accessed and accesses[accessed - 1] >= retired, f"{pc:#x} retires before its access"
                self.check_time(steps, retired, quiet, timed)
                retired, quiet = retired + 1, 0
            else:
                self.check_time(steps, retired, quiet + 1, timed)
            await FallingEdge(dut.clk)
        self.program.pop()

    def outputs(self):
        names = ("pc", "mem_valid", "mem_write", "mem_addr", "mem_wdata", "retire_valid", "retire_pc")
        return [str(getattr(self.dut, name).value) for name in names]

    def check_time(self, steps, retired, quiet, timed):
        step = steps[retired]
        longest = longest_gap(steps[retired - 1], step) if retired else 6
        if not timed:
            longest += 8
        assert quiet <= longest, f"the instruction at {step.pc:#x} retires too late"

    def arithmetic(self, rd, sources):
        """A random operation that reads some of the sources."""
        f3 = self.choose.choice([0, 0, 2, 3, 4, 6, 7])
        if self.choose.random() < 0.4:
            return i_type(OP_IMM, f3, rd, self.choose.choice(sources), self.choose.getrandbits(12))
        f7 = self.choose.choice([0, 0x20]) if f3 == 0 else 0
        return r_type(f3, f7, rd, self.choose.choice(sources), self.choose.choice(sources))

    def add_random(self, registers, branches=True):
        """Add one instruction, or a branch with what it skips."""
        choose = self.choose
        kind = choose.randrange(11 if branches else 8)
        offset = 4 * choose.randrange(-100, 100)
        if kind < 4:
            self.program.append(self.arithmetic(choose.choice(registers), registers))
        elif kind == 4:
            self.program.append(choose.getrandbits(20) << 12 | choose.choice(registers) << 7 | LUI)
        elif kind == 5:
            self.program.append(load(choose.choice(registers), offset, choose.choice(POINTERS)))
        elif kind == 6:
            self.program.append(store(choose.choice(registers), offset, choose.choice(POINTERS)))
        elif kind == 7:
            pointer = choose.choice(POINTERS[1:])
            self.program.append(addi(pointer, pointer, 4 * choose.randrange(-2, 3)))
        else:
            skipped = choose.randrange(4)
            rs1 = choose.choice(registers)
            if kind == 8:
                self.program.append(j_type(choose.choice([0, rs1]), 4 + 4 * skipped))
            elif kind == 9:
                offset = choose.randrange(-0x800, 0x800)
                target = RESET_PC + 4 * (len(self.program) + 3 + skipped) - offset
                upper = target + 0x800 & 0xFFFFF000
                self.program += [upper | 29 << 7 | LUI, addi(29, 29, target - upper)]
                self.program.append(i_type(JALR, 0, choose.choice([0, 29]), 29, offset))
            else:
                rs2 = choose.choice([rs1, *registers])
                self.program.append(b_type(choose.choice([0, 1, 4, 5]), rs1, rs2, 4 + 4 * skipped))
            for _ in range(skipped):
                self.add_random(registers, branches=False)


@cocotb.test()
async def starts_at_the_reset_address(dut):
    bench = await Bench.start(dut)
    bench.program = [addi(number, 0, 3 * number) for number in range(1, 12)]
    bench.program += [store(number, 4 * number) for number in range(1, 12)]
    await bench.run(timed=True)
    await bench.run(timed=True)


@cocotb.test()
async def late_inputs_reach_no_output(dut):
    bench = await Bench.start(dut)
    bench.program += [store(number, 4 * number) for number in range(1, 12)]
    await bench.run(late=True)


@cocotb.test()
async def results_reach_the_next_instructions(dut):
    bench = await Bench.start(dut)
    for distance in range(1, 5):
        for place in (1, 2):
            bench.program.append(addi(5, 0, 16 * distance + place))
            bench.program += [addi(20 + gap, 0, gap) for gap in range(distance - 1)]
            bench.program.append(r_type(0, 0x20, 6, *((5, 7) if place == 1 else (7, 5))))
            bench.program.append(store(6, 32))
            bench.program += [addi(5, 5, 1), addi(5, 5, 1), store(5, 36), addi(0, 5, 1), store(0, 40), addi(6, 0, 2)]
            bench.program += [0x00000013] * 4
    for _ in range(60):
        bench.program.append(bench.arithmetic(bench.choose.randrange(8), range(8)))
    bench.show_all()
    await bench.run()


@cocotb.test()
async def arithmetic_never_waits(dut):
    bench = await Bench.start(dut)
    for _ in range(60):
        bench.program.append(bench.arithmetic(bench.choose.randrange(1, 5), range(5)))
        if bench.choose.random() < 0.2:
            bench.program.append(store(bench.choose.randrange(5), 64))
    await bench.run(timed=True)


@cocotb.test()
async def loads_and_stores(dut):
    bench = await Bench.start(dut)
    for distance in range(4):
        gap = [addi(20 + index, 0, index) for index in range(distance)]
        bench.program += [load(5, 64), *gap, addi(6, 5, 1), store(6, 68)]
        bench.program += [load(5, 72), *gap, r_type(0, 0x20, 6, 7, 5), store(6, 68)]
        bench.program += [load(5, 80), *gap, store(5, 84), load(30, 0), *gap, store(7, 8, 30)]
        bench.program += [load(31, 4), *gap, load(8, 12, 31), *gap, b_type(0, 8, 8, 8), store(9, 88), store(8, 92)]
    bench.program += [load(0, 64), store(0, 68), addi(1, 0, 1), load(0, 64), r_type(0, 0, 2, 0, 1), store(2, 72)]
    await bench.run()


@cocotb.test()
async def waits_only_for_loads_that_are_read(dut):
    bench = await Bench.start(dut)
    for follower in (addi(6, 7, 5), addi(5, 7, 1), 5 << 20 | 6 << 7 | 8 << 15 | OP_IMM, 5 << 15 | 6 << 7 | LUI, store(7, 5)):
        bench.program += [load(5, 64), follower, addi(7, 5, 1)]
    bench.program += [load(5, 64), j_type(6, 4 | 5 << 15 & 0), load(0, 64), r_type(0, 0, 6, 0, 0), store(0, 68)]
    bench.program += [load(5, 64), load(6, 68), r_type(0, 0, 7, 5, 5), store(7, 72), load(5, 76), store(5, 80)]
    bench.program += [load(5, 64), s_type(2, 0, 7, 5), load(6, 64), b_type(1, 7, 7, 12), addi(1, 6, 1), store(1, 84)]
    await bench.run(timed=True)


@cocotb.test()
async def the_wrong_path_has_no_effect(dut):
    bench = await Bench.start(dut)
    harm = [store(1, 64), addi(5, 5, 1), load(6, 68), j_type(7, 8), b_type(0, 0, 0, 8), addi(8, 0, 1)]
    for length in range(1, 4):
        for first in range(len(harm)):
            skipped = [harm[(first + index) % len(harm)] for index in range(length)]
            over = 4 + 4 * length
            bench.program += [j_type(9, over), *skipped, store(5, 72), store(9, 76)]
            bench.program += [b_type(0, 1, 1, over), *skipped, store(6, 72), b_type(1, 1, 1, 8), store(7, 76)]
    for f3 in (0, 1, 4, 5):
        for a, b in ((1, 2), (2, 1), (2, 2), (-1, 1), (1, -1)):
            bench.program += [addi(1, 0, a), addi(2, 0, b), b_type(f3, 1, 2, 8), addi(3, 3, 1), store(3, 80)]
    bench.show_all()
    await bench.run()


@cocotb.test()
async def jumps_cost_at_most_two_bubbles(dut):
    bench = await Bench.start(dut)
    bench.program += [addi(1, 0, 3), addi(1, 1, -1), store(1, 64), b_type(1, 1, 0, -8), store(1, 68)]
    for _ in range(4):
        bench.program += [j_type(5, 12), store(1, 64), store(2, 64), b_type(0, 5, 5, 8), store(3, 64), b_type(1, 5, 5, 8)]
        target = RESET_PC + 4 * (len(bench.program) + 5)
        bench.program += [target + 0x800 & 0xFFFFF000 | 6 << 7 | LUI, addi(6, 6, target), i_type(JALR, 0, 6, 6, 0)]
        bench.program += [store(4, 64), store(4, 64), store(6, 72)]
    await bench.run(timed=True)


@cocotb.test()
async def jumps_reach_far(dut):
    bench = await Bench.start(dut)
    for bit in range(9, 20):
        for word in (j_type(5, 1 << bit), b_type(0, 0, 0, 1 << bit)):
            if word & 0x7F == BRANCH and bit > 11:
                continue
            here = 4 * len(bench.program)
            bench.far |= {here + 2**bit: store(5, 64), here + 2**bit + 4: j_type(6, -(2**bit))}
            bench.program += [word, store(6, 68), addi(5, 0, 1)]
    for bit in range(9, 12):
        here = 4 * len(bench.program)
        bench.far[here + 2**bit] = b_type(0, 0, 0, 4 - 2**bit)
        bench.program += [j_type(0, 1 << bit)]
    bench.program.append(store(5, 72))
    await bench.run()


@cocotb.test()
async def reset_drops_everything(dut):
    bench = await Bench.start(dut)
    for number in range(10):
        bench.program += [store(number, 64), load(number, 68), b_type(0, 1, 1, 8), store(1, 72)]
    for most_steps in (1, 2, 3, 5, 34, 36, 38, 41, 44):
        await bench.run(timed=True, most_steps=most_steps)
    await bench.run(timed=True)


@cocotb.test()
async def random_programs(dut):
    for seed, registers in ((122, range(6)), (123, range(12))):
        bench = await Bench.start(dut, seed) if seed == 122 else bench
        bench.choose = random.Random(seed)
        bench.program = bench.program[:31]
        for _ in range(90):
            bench.add_random(registers)
        bench.show_all()
        await bench.run(timed=True, late=True)
