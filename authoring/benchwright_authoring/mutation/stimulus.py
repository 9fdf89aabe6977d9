"""The inputs that tell a survivor from the reference, as the beginning of a cocotb test."""

from __future__ import annotations

import re

from benchwright_authoring.mutation.findings import Counterexample, MutantFinding

_CLOCK = re.compile(r"@\s*\(\s*(?:pos|neg)edge\s+([A-Za-z_]\w*)")


def cocotb_stimulus_test_text(finding: MutantFinding, counterexample: Counterexample, reference_text: str) -> str:
    """A test that drives these inputs. It fails until its author says which outputs are right.

    Args:
        finding: The survivor.
        counterexample: Its inputs.
        reference_text: The text of the file that it was made of; the first clock in it is driven.
    """
    mutant = finding.mutant
    name = f"kills_{mutant.kind.replace('-', '_')}_{mutant.id}"
    clock_match = _CLOCK.search(reference_text)
    imports, clock_start, step = (
        ("from cocotb.triggers import Timer", "", 'Timer(1, unit="ns")')
        if clock_match is None
        else (
            "from cocotb.clock import Clock\n    from cocotb.triggers import FallingEdge",
            f'    Clock(dut.{clock_match[1]}, 10, unit="ns").start()\n',
            f"FallingEdge(dut.{clock_match[1]})",
        )
    )
    inputs = "".join(f"        {dict(cycle)!r},\n" for cycle in counterexample.stimulus)
    return f"""

@cocotb.test()
async def {name}(dut):
    # {mutant.kind} in {mutant.path}:{mutant.line}: an output differs in cycle {counterexample.cycle}.
    {imports}

{clock_start}    stimulus = [
{inputs}    ]
    for inputs in stimulus:
        for name, value in inputs.items():
            getattr(dut, name).value = value
        await {step}
    raise AssertionError("compare the outputs with what the statement asks for")
"""
