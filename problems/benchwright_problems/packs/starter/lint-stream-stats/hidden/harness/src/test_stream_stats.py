# SPDX-License-Identifier: Apache-2.0
"""Hidden tests of the stream statistics: function against a Python model, then Verilator's lint."""

import os
import random
import re
import subprocess
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

SOURCES = os.environ["VERILOG_SOURCES"].split()
TOP = os.environ["TOPLEVEL"]
SUM, LARGEST, SMALLEST, AVERAGE = range(4)
STATISTICS = {SUM: "sum", LARGEST: "largest", SMALLEST: "smallest", AVERAGE: "average of four"}


def number(handle):
    """The value of a signal; unknown bits fail the test."""
    value = handle.value
    assert value.is_resolvable, f"{handle._name} has unknown bits: {value}"
    return int(value)


class Bench:
    """Drives at falling edges and compares half a cycle after the rising edge, for all values of sel."""

    def __init__(self, dut):
        self.dut = dut
        self.samples = []

    @classmethod
    async def after_reset(cls, dut):
        bench = cls(dut)
        Clock(dut.clk, 10, unit="ns").start()
        dut.rst_n.value = 1
        bench.drive(None, clear=0)
        dut.sel.value = SUM
        await FallingEdge(dut.clk)
        dut.rst_n.value = 0
        await FallingEdge(dut.clk)
        dut.rst_n.value = 1
        await bench.check()
        return bench

    def drive(self, sample, clear):
        self.dut.clear.value = clear
        self.dut.in_valid.value = sample is not None
        self.dut.in_data.value = 0xEE if sample is None else sample

    async def check(self):
        wanted = {
            SUM: sum(self.samples) % 2**16,
            LARGEST: max(self.samples, default=0),
            SMALLEST: min(self.samples, default=255),
            AVERAGE: sum(self.samples[-4:]) // 4,
        }
        after = f"after {len(self.samples)} samples"
        count, overflow = number(self.dut.count), number(self.dut.overflow)
        assert count == len(self.samples) % 256, f"count is {count} {after}"
        assert overflow == (sum(self.samples) >= 2**16), f"overflow is {overflow} {after}"
        for sel, name in STATISTICS.items():
            self.dut.sel.value = sel
            await Timer(1, unit="ns")
            result = number(self.dut.result)
            assert result == wanted[sel], f"{name} is {result}, expected {wanted[sel]} {after}"

    async def cycle(self, sample=None, clear=0):
        self.drive(sample, clear)
        if clear:
            self.samples.clear()
        elif sample is not None:
            self.samples.append(sample)
        await FallingEdge(self.dut.clk)
        await self.check()


@cocotb.test()
async def statistics_follow_the_stream(dut):
    bench = await Bench.after_reset(dut)
    for sample in (7, 3, None, 200, 201, None, None, 0, 255, 1):
        await bench.cycle(sample)


@cocotb.test()
async def average_keeps_its_carries(dut):
    bench = await Bench.after_reset(dut)
    for sample in (255, 255, 255, 255, 254, 1, 0, 3, 2):
        await bench.cycle(sample)


@cocotb.test()
async def sum_and_count_wrap(dut):
    bench = await Bench.after_reset(dut)
    # 255 samples wrap the count, 258 the sum, 515 the sum again: overflow has to stay.
    for _ in range(520):
        await bench.cycle(255)
    await bench.cycle(clear=1)
    await bench.cycle(5)


@cocotb.test()
async def clear_wins_over_a_sample(dut):
    bench = await Bench.after_reset(dut)
    for sample in (9, 255, None):
        await bench.cycle(100)
        await bench.cycle(sample, clear=1)
        await bench.cycle()


@cocotb.test()
async def reset_acts_at_once(dut):
    bench = await Bench.after_reset(dut)
    await bench.cycle(42)
    bench.samples.clear()
    bench.drive(99, clear=0)
    dut.rst_n.value = 0
    # The check takes its time before the next rising edge; only an asynchronous reset passes it.
    await Timer(500, unit="ps")
    await bench.check()
    await FallingEdge(dut.clk)
    await bench.check()
    dut.rst_n.value = 1


@cocotb.test()
async def random_stream(dut):
    bench = await Bench.after_reset(dut)
    choose = random.Random(31337)
    for _ in range(150):
        sample = choose.choice([None, choose.randrange(256), choose.choice([0, 1, 254, 255])])
        await bench.cycle(sample, clear=choose.random() < 0.03)


@cocotb.test()
async def warnings_are_repaired_not_silenced(dut):
    for source in SOURCES:
        text = Path(source).read_text(encoding="utf-8", errors="replace")
        assert "verilator" not in text.lower(), f"{Path(source).name} holds the word verilator"
        directives = set(re.findall(r"`\s*(\w+)", text)) - {"default_nettype"}
        assert not directives, (
            f"{Path(source).name} uses compiler directives: {', '.join(sorted(directives))}"
        )


@cocotb.test()
async def lint_is_clean(dut):
    command = ["verilator", "--lint-only", "-Wall", "--top-module", TOP, *SOURCES]
    lint = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=20)
    found = re.findall(r"^%(?:Warning|Error)-?.*", lint.stderr + lint.stdout, re.MULTILINE)
    assert lint.returncode == 0 and not found, "Verilator reports:\n" + "\n".join(found[:20])
