# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the decoder, against a table of the instructions."""

import random

import cocotb
from cocotb.triggers import Timer

ADD, SUB, AND, OR, XOR, SLL, SRL, SRA, SLT, SLTU = range(10)
BY_FUNCT3 = (ADD, SLL, SLT, SLTU, XOR, SRL, OR, AND)
OP, OP_IMM, LOAD, STORE, BRANCH = 0b0110011, 0b0010011, 0b0000011, 0b0100011, 0b1100011
JALR, JAL, LUI, AUIPC = 0b1100111, 0b1101111, 0b0110111, 0b0010111
OPCODES = (OP, OP_IMM, LOAD, STORE, BRANCH, JALR, JAL, LUI, AUIPC)
EFFECTS = ("reg_write", "mem_read", "mem_write", "is_branch", "is_jump")


def field(word, high, low):
    return word >> low & 2 ** (high - low + 1) - 1


def extended(value, bits):
    return (value - 2**bits if value >> (bits - 1) else value) & 0xFFFFFFFF


def immediate(word, form):
    if form == "I":
        return extended(field(word, 31, 20), 12)
    if form == "S":
        return extended(field(word, 31, 25) << 5 | field(word, 11, 7), 12)
    if form == "B":
        parts = field(word, 31, 31) << 12 | field(word, 7, 7) << 11 | field(word, 30, 25) << 5 | field(word, 11, 8) << 1
        return extended(parts, 13)
    if form == "J":
        parts = field(word, 31, 31) << 20 | field(word, 19, 12) << 12 | field(word, 20, 20) << 11
        return extended(parts | field(word, 30, 21) << 1, 21)
    return word & 0xFFFFF000 if form == "U" else 0


def model(word):
    """All outputs by name; without those that an illegal instruction leaves open."""
    opcode, funct3, funct7 = field(word, 6, 0), field(word, 14, 12), field(word, 31, 25)
    operation = BY_FUNCT3[funct3]
    if funct7 == 0b0100000 and funct3 == 5:
        operation = SRA
    legal, form, a, b, op = True, "I", 0, 1, ADD
    if opcode == OP:
        form, b, op = "", 0, SUB if funct7 and funct3 == 0 else operation
        legal = funct7 == 0 or (funct7 == 0b0100000 and funct3 in (0, 5))
    elif opcode == OP_IMM:
        op = operation
        legal = funct3 not in (1, 5) or funct7 == 0 or (funct7 == 0b0100000 and funct3 == 5)
    elif opcode == LOAD:
        legal = funct3 in (0, 1, 2, 4, 5)
    elif opcode == JALR:
        legal = funct3 == 0
    elif opcode == STORE:
        form, legal = "S", funct3 in (0, 1, 2)
    elif opcode == BRANCH:
        form, a, legal = "B", 1, funct3 not in (2, 3)
    elif opcode in (LUI, AUIPC):
        form, a = "U", 2 if opcode == LUI else 1
    elif opcode == JAL:
        form, a = "J", 1
    else:
        legal = False
    outputs = {
        "legal": legal,
        "rd": field(word, 11, 7),
        "rs1": field(word, 19, 15),
        "rs2": field(word, 24, 20),
        "reg_write": legal and opcode not in (STORE, BRANCH) and field(word, 11, 7) != 0,
        "mem_read": legal and opcode == LOAD,
        "mem_write": legal and opcode == STORE,
        "is_branch": legal and opcode == BRANCH,
        "is_jump": legal and opcode in (JAL, JALR),
    }
    if legal:
        outputs |= {"imm": immediate(word, form), "alu_op": op, "a_select": a, "b_is_imm": b}
    return outputs


async def check(dut, word, names=None):
    dut.instr.value = word
    await Timer(1, unit="ns")
    for name, wanted in model(word).items():
        if names is not None and name not in names:
            continue
        value = getattr(dut, name).value
        assert value.is_resolvable, f"{name} has unknown bits: {value}"
        assert int(value) == wanted, f"{name} is {int(value):#x}, expected {int(wanted):#x} for {word:08x}"


def words(opcode, number, choose, **fields):
    """Random words of an opcode; bits 14 to 12 go through all values unless they are given."""
    for index in range(number):
        word = choose.getrandbits(32) & ~0x707F | opcode | fields.get("funct3", index % 8) << 12
        if "funct7" in fields:
            word = word & 0x01FFFFFF | fields["funct7"] << 25
        if "rd" in fields:
            word = word & ~(31 << 7) | fields["rd"] << 7
        yield word


@cocotb.test()
async def fields_are_always_there(dut):
    choose = random.Random(71)
    for _ in range(60):
        await check(dut, choose.getrandbits(32), ("rd", "rs1", "rs2"))


@cocotb.test()
async def arithmetic_with_registers(dut):
    choose = random.Random(72)
    for funct7 in (0, 0b0100000):
        for word in words(OP, 32, choose, funct7=funct7):
            if funct7 == 0 or field(word, 14, 12) in (0, 5):
                await check(dut, word)


@cocotb.test()
async def immediates(dut):
    choose = random.Random(73)
    for opcode, funct3 in ((OP_IMM, 0), (LOAD, 2), (JALR, 0), (STORE, 2), (BRANCH, 0), (LUI, 3), (AUIPC, 6), (JAL, 5)):
        for bit in range(7, 32):
            if bit not in (12, 13, 14) or opcode in (LUI, AUIPC, JAL):
                await check(dut, opcode | (0 if opcode in (LUI, AUIPC, JAL) else funct3 << 12) | 1 << bit, ("imm",))
        for word in words(opcode, 12, choose, funct3=funct3):
            await check(dut, word, ("imm",))


@cocotb.test()
async def arithmetic_with_immediates(dut):
    choose = random.Random(74)
    for funct3 in range(8):
        for funct7 in (0, 0b0100000, 0b0100000 | choose.getrandbits(7), choose.getrandbits(7)):
            for word in words(OP_IMM, 4, choose, funct3=funct3, funct7=funct7):
                if model(word)["legal"]:
                    await check(dut, word)


@cocotb.test()
async def memory_and_jumps(dut):
    choose = random.Random(75)
    for opcode in (LOAD, STORE, BRANCH, JALR, JAL, LUI, AUIPC):
        for word in words(opcode, 48, choose):
            if model(word)["legal"]:
                await check(dut, word, (*EFFECTS, "alu_op", "a_select", "b_is_imm", "legal"))


@cocotb.test()
async def writes_no_register_0(dut):
    choose = random.Random(76)
    for opcode in OPCODES:
        for rd in (0, 1, 2, 4, 8, 16):
            for word in words(opcode, 2, choose, funct3=0, funct7=0, rd=rd):
                await check(dut, word, EFFECTS)


@cocotb.test()
async def illegal_instructions_do_nothing(dut):
    choose = random.Random(77)
    for opcode in range(128):
        for word in words(opcode, 2 if opcode % 4 == 3 else 1, choose, rd=1):
            await check(dut, word, ("legal", *EFFECTS))
    for bit in range(7):
        for opcode in (OP, OP_IMM):
            for word in words(opcode, 8, choose, funct7=1 << bit, rd=3):
                await check(dut, word, ("legal", *EFFECTS))
    for opcode in OPCODES:
        for word in words(opcode, 16, choose, rd=5):
            await check(dut, word, ("legal", *EFFECTS))
    for word in (0x00000073, 0x00100073, 0x0FF0000F):
        await check(dut, word, ("legal", *EFFECTS))


@cocotb.test()
async def random_words(dut):
    choose = random.Random(78)
    for _ in range(250):
        word = choose.getrandbits(32) & ~0x7F | choose.choice(OPCODES)
        if choose.random() < 0.5:
            word = word & 0x01FFFFFF | choose.choice([0, 0b0100000]) << 25
        await check(dut, word)
