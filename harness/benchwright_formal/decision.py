"""The verdict on a design where a proof decides: equivalent, different, or neither shown."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchwright_formal.bench import temporary_design_folder
from benchwright_formal.opinion import ComparisonResult, ReferenceOpinion, compare_formally
from benchwright_formal.sources import design_source_paths, files_outside_docs_and_verif
from benchwright_harness.cluster.task import code_digest
from benchwright_harness.execution.process import OutputReceiver, ProcessEnd
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.equivalence import parameter_text
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import Reason, TestResult, Verdict

_READ_S = 30.0
_MOST_CYCLES = 8
"""Cycles of a counterexample that people are shown, from the last."""


@dataclass(frozen=True)
class EquivalenceProver:
    """The prover of harnesses that are a proof; see `Prover` of the harness."""

    digest: str

    async def __call__(
        self,
        problem: Problem,
        reference: Mapping[str, bytes],
        candidate: Mapping[str, bytes],
        module_name: str,
        *,
        sandbox: Sandbox,
        toolchain: Toolchain,
        log: OutputReceiver,
    ) -> Verdict:
        """The verdict on a candidate; its arguments are described there."""
        reference, candidate = files_outside_docs_and_verif(reference), files_outside_docs_and_verif(candidate)
        opinion = await compare_formally(
            reference,
            candidate,
            module_name,
            sandbox=sandbox,
            toolchain=toolchain,
            dont_cares=problem.hidden.dont_cares,
            parameter_sets=problem.hidden.parameter_sets,
            limit_s=problem.limits.wall_s,
        )
        log.write(f"--- comparison of {module_name} with the reference: {opinion.model_dump_json()}\n".encode())
        if opinion.result is ComparisonResult.EQUIVALENT:
            return _verdict_of_equivalence(module_name, opinion)
        if opinion.result is ComparisonResult.DIFFERS:
            return _verdict_of_difference(module_name, opinion)
        if opinion.has_other_ports:
            detail = f"The ports of {module_name} are not those that the statement asks for."
            return Verdict(reason=Reason.BUILD_FAILED, detail=detail)
        if not await _simulator_can_compile(candidate, module_name, sandbox, toolchain, log):
            detail = f"The design does not compile, or has no module {module_name}."
            return Verdict(reason=Reason.BUILD_FAILED, detail=detail)
        # What is said of the reference, or of both, may name what only the reference has.
        own_reason = opinion.reason.removeprefix("the design: ")
        is_about_design = own_reason != opinion.reason
        return Verdict(
            reason=Reason.NOT_PROVED,
            detail=f"No proof: {own_reason}."
            if is_about_design
            else "Neither could a proof show that the design does what is asked for, nor could a difference be found.",
            hint="Write it without what the proof can't model, such as latches, loops or delays.",
        )


def _verdict_of_equivalence(module_name: str, opinion: ReferenceOpinion) -> Verdict:
    remarks = (
        (f"Equivalent in the first {opinion.depth} cycles from power-up; later ones were not compared.",)
        if opinion.depth is not None
        else ()
    )
    return Verdict(
        reason=Reason.PASSED,
        detail="A proof shows that it does what the reference does.",
        tests=(TestResult(name=_test_name(module_name), passed=True),),
        remarks=remarks,
    )


def _verdict_of_difference(module_name: str, opinion: ReferenceOpinion) -> Verdict:
    """The verdict on a design that a simulation has shown to differ, with the inputs that show it."""
    with_parameters = f" with {parameter_text(opinion.parameters)}" if opinion.parameters else ""
    first_shown = max(0, len(opinion.stimulus) - _MOST_CYCLES)
    input_lines = [
        f"cycle {cycle}: {', '.join(f'{name} = {value:#x}' for name, value in values.items())}"
        for cycle, values in enumerate(opinion.stimulus[first_shown:], first_shown)
    ]
    message = (
        f"{opinion.output} is {opinion.found} in cycle {opinion.cycle}{with_parameters}, where {opinion.expected} is "
        "expected. Inputs, from power-up:\n" + "\n".join(input_lines)
    )
    return Verdict(
        reason=Reason.TESTS_FAILED,
        detail="It does not do what the reference does; a simulation has shown it.",
        tests=(TestResult(name=_test_name(module_name), passed=False, message=message),),
    )


def _test_name(module_name: str) -> str:
    return f"equivalence of {module_name}"


async def _simulator_can_compile(
    candidate: Mapping[str, bytes], module_name: str, sandbox: Sandbox, toolchain: Toolchain, log: OutputReceiver
) -> bool:
    """True if a simulator can read the design, whatever the proof makes of it."""
    source_arguments = " ".join(shlex.quote(f"../{path}") for path in design_source_paths(candidate))
    top = shlex.quote(module_name)
    compilers = (
        f"iverilog -g2012 -t null -s {top} {source_arguments}",
        f"verilator --lint-only --timing -Wno-fatal -Wno-lint -Wno-style --top-module {top} {source_arguments}",
    )
    with temporary_design_folder(candidate, sandbox, toolchain) as folder:
        for command in compilers:
            end, exit_code, output = await folder.run_shell_script(command, {}, _READ_S)
            log.write(output.encode())
            if end is ProcessEnd.EXITED and exit_code == 0:
                return True
    return False


prover = EquivalenceProver(code_digest(Path(__file__).parent))
"""What `pyproject.toml` names as the entry point."""
