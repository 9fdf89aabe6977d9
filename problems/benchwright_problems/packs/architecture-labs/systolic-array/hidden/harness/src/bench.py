# SPDX-License-Identifier: Apache-2.0
"""Steps a model beside the design: inputs change at falling edges, outputs are compared before and after each rising edge."""

from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer


def number(handle):
    """The value of a signal; unknown bits fail the test."""
    value = handle.value
    assert value.is_resolvable, f"{handle._name} has unknown bits: {value}"
    return int(value)


class Bench:
    """A design under test with its model; `idle` has the inputs of a cycle in which nothing is asked for."""

    def __init__(self, dut, model, idle):
        self.dut = dut
        self.model = model
        self.idle = {"rst": 0, **idle}
        self.cycles = 0

    @classmethod
    async def after_reset(cls, dut, model, idle):
        bench = cls(dut, model, idle)
        Clock(dut.clk, 10, unit="ns").start()
        bench.drive({**bench.idle, "rst": 1})
        await FallingEdge(dut.clk)
        await FallingEdge(dut.clk)
        model.reset()
        bench.drive(bench.idle)
        return bench

    def drive(self, inputs):
        for name, value in inputs.items():
            getattr(self.dut, name).value = value

    def check(self, inputs, moment):
        wanted = self.model.outputs(inputs)
        for name, value in wanted.items():
            if value is None:
                continue
            got = number(getattr(self.dut, name))
            assert got == value, (
                f"{name} is {got:#x}, expected {int(value):#x}, {moment} the rising edge of cycle {self.cycles} with "
                + ", ".join(f"{port} = {level:#x}" for port, level in inputs.items())
            )
        return wanted

    async def cycle(self, **changes):
        """Run one cycle and return the outputs that the model had before its rising edge."""
        inputs = {**self.idle, **changes}
        self.drive(inputs)
        await Timer(4, unit="ns")
        wanted = self.check(inputs, "before")
        if inputs["rst"]:
            self.model.reset()
        else:
            self.model.step(inputs)
        await FallingEdge(self.dut.clk)
        self.check(inputs, "after")
        self.cycles += 1
        return wanted
