"""A formal second opinion: whether one design does the same as another, beside a harness's verdict."""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from pydantic import Field

from benchwright_formal.bench import DesignFolder, random_unguessable_name, temporary_design_folder
from benchwright_formal.errors import NotModelledError, OtherPortsError
from benchwright_formal.limits import LIMIT_S
from benchwright_formal.proof import EquivalenceSearchResult, Stimulus, read_netlist_with_yosys, search_difference
from benchwright_formal.simulation import FormalTestbench, first_known_difference
from benchwright_formal.sources import (
    ComparedSources,
    compared_sources,
    require_plain_module_name,
    require_unambiguous_text,
)
from benchwright_formal.top import Top
from benchwright_formal.yosys_script import CANDIDATE, REFERENCE
from benchwright_foundation.model import Model
from benchwright_harness.cluster.task import code_digest
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.equivalence import NO_DONT_CARES, DontCares, Parameters, ParameterSets, parameter_text

_TRIED_CYCLES = 200
_RESET_CYCLES = 3
_RESET_SHARE = 1 / 16
_READ_S = 20.0


def key_of_tools_and_code(sandbox: Sandbox, toolchain: Toolchain) -> str:
    """The dependencies of an opinion besides the designs: the tools, the sandbox that they run in, and this package."""
    return f"{toolchain.digest} {sandbox.digest} {code_digest(Path(__file__).parent)}"


class ComparisonResult(StrEnum):
    """Result of a comparison."""

    EQUIVALENT = "equivalent"
    DIFFERS = "differs"
    UNKNOWN = "unknown"


class ReferenceOpinion(Model):
    """Opinion on whether a design does the same as the reference, wherever the reference's outputs are known.

    Of the author's: the stimulus says what the harness does not try.
    """

    result: ComparisonResult
    parameters: Parameters = Field(default_factory=dict)
    """With which it differs or is unknown; empty for the defaults."""
    depth: int | None = None
    """Cycles from power-up that were compared, of an equivalent design; None for all there are."""
    cycle: int | None = None
    """Cycle in which it differs, from 0; a simulation has confirmed it."""
    stimulus: tuple[Mapping[str, int], ...] = ()
    """The inputs of each cycle up to there, without the clock: name → value."""
    output: str = ""
    """Name of the output that differs."""
    expected: str = ""
    """The reference's value there, in binary."""
    found: str = ""
    """The other's; `x` is unknown."""
    reason: str = ""
    """Reason for which it is unknown: a sentence without its full stop."""
    has_other_ports: bool = False
    """True if it is unknown because the two have different ports."""


async def compare_formally(
    reference: Mapping[str, bytes],
    candidate: Mapping[str, bytes],
    top_module: str,
    *,
    sandbox: Sandbox,
    toolchain: Toolchain,
    reference_top: str | None = None,
    dont_cares: DontCares = NO_DONT_CARES,
    parameter_sets: ParameterSets = (),
    limit_s: float = LIMIT_S,
) -> ReferenceOpinion:
    """Compares two designs for all inputs, from power-up on.

    Registers begin with unknown values unless they are initialised, and an output of the reference that is
    unknown allows anything. A difference counts once a simulation shows it; an equivalence, if a simulation with
    random inputs does not contradict it. Whatever is not modelled soundly (latches, loops, several clocks, inout ports)
    or takes too long makes it unknown.

    With several sets of parameters, the first for which the designs differ decides.

    Args:
        reference: Path → content; what is neither Verilog nor a header is left out.
        candidate: The same of the design in question.
        top_module: The module to compare, with its parameters' defaults at first.
        sandbox: Sandbox in which the tools run.
        toolchain: Toolchain that has the tools.
        reference_top: The reference's module, if it has another name.
        dont_cares: Cases in which outputs do not count.
        parameter_sets: The parameters to compare it with after that.
        limit_s: Time of the proof in seconds, for each set; reading and simulating the designs is limited apart.

    Raises:
        HarnessError: The sandbox or the tools do not work on this machine, with the next step.
    """
    tops = (reference_top or top_module, top_module)
    design_pair = _DesignPair(tops, (random_unguessable_name(), random_unguessable_name()), dont_cares)
    try:
        for module_name in tops:
            require_plain_module_name(module_name)
        designs = (design_pair.checked_sources(0, reference), design_pair.checked_sources(1, candidate))
    except NotModelledError as error:
        return ReferenceOpinion(result=ComparisonResult.UNKNOWN, reason=str(error))
    files = {**designs[0].content_by_path(design_pair.folders[0]), **designs[1].content_by_path(design_pair.folders[1])}
    opinions: list[ReferenceOpinion] = []
    for parameters in ({}, *parameter_sets):
        # A bench of its own, so that no proof finds another's files.
        with temporary_design_folder(files, sandbox, toolchain) as workbench:
            opinions.append(await design_pair.opinion_with_parameters(parameters, workbench, designs, limit_s))
        if opinions[-1].result is ComparisonResult.DIFFERS:
            break
    return joint_opinion(opinions)


Prove = Callable[[Mapping[str, bytes], Mapping[str, bytes], str, DontCares, ParameterSets], Awaitable[ReferenceOpinion]]


def sandboxed_prover(sandbox: Sandbox, toolchain: Toolchain) -> Prove:
    """Compares designs there, as mutation analysis asks: reference, other, top module, don't-cares, parameters."""

    async def prove(
        reference: Mapping[str, bytes],
        candidate: Mapping[str, bytes],
        top_module: str,
        dont_cares: DontCares,
        parameter_sets: ParameterSets,
    ) -> ReferenceOpinion:
        return await compare_formally(
            reference,
            candidate,
            top_module,
            sandbox=sandbox,
            toolchain=toolchain,
            dont_cares=dont_cares,
            parameter_sets=parameter_sets,
        )

    return prove


def joint_opinion(opinions: Sequence[ReferenceOpinion]) -> ReferenceOpinion:
    """The joint opinion of all: one that differs decides, and so does one that is unknown."""
    for deciding_result in (ComparisonResult.DIFFERS, ComparisonResult.UNKNOWN):
        if deciding_opinions := [opinion for opinion in opinions if opinion.result is deciding_result]:
            return deciding_opinions[0]
    return min(opinions, key=lambda opinion: opinion.depth if opinion.depth is not None else math.inf)


class _DesignPair:
    """The two designs: the reference first.

    Args:
        tops: Their modules.
        folders: Folders of their files. A design that could name the reference's could include it.
        dont_cares: Cases in which outputs do not count.
    """

    def __init__(self, tops: tuple[str, str], folders: tuple[str, str], dont_cares: DontCares) -> None:
        self.folders = folders
        self._tops = tops
        self._dont_cares = dont_cares

    def checked_sources(self, design_index: int, files: Mapping[str, bytes]) -> ComparedSources:
        """The files of one."""
        with self._naming_design_in_errors(design_index):
            require_unambiguous_text(files)
            return compared_sources(files)

    async def opinion_with_parameters(
        self,
        parameters: Parameters,
        workbench: DesignFolder,
        designs: tuple[ComparedSources, ComparedSources],
        limit_s: float,
    ) -> ReferenceOpinion:
        """See `compare_formally`; with these parameters alone."""
        try:
            opinion = await self._opinion_on_tops(
                [Top(top, parameters) for top in self._tops], workbench, designs, limit_s
            )
        except NotModelledError as error:
            reason = f"{error} ({parameter_text(parameters)})" if parameters else str(error)
            return ReferenceOpinion(
                result=ComparisonResult.UNKNOWN,
                parameters=parameters,
                reason=reason,
                has_other_ports=isinstance(error, OtherPortsError),
            )
        return (
            opinion.model_copy(update={"parameters": parameters})
            if opinion.result is ComparisonResult.DIFFERS
            else opinion
        )

    async def _opinion_on_tops(
        self,
        tops: Sequence[Top],
        workbench: DesignFolder,
        designs: tuple[ComparedSources, ComparedSources],
        limit_s: float,
    ) -> ReferenceOpinion:
        netlists = []
        for number, role in enumerate((REFERENCE, CANDIDATE)):
            with self._naming_design_in_errors(number):
                folder = self._sandbox_folder(number)
                left_out = self._dont_cares.always
                netlists.append(
                    await read_netlist_with_yosys(
                        workbench, role, tops[number], designs[number], folder, _READ_S, left_out
                    )
                )
        proof = await search_difference(workbench, netlists[0], netlists[1], limit_s, self._dont_cares)
        stimulus, first_cycle = proof.differing_stimulus, 0
        if stimulus is None:
            stimulus = _random_stimulus_beginning_with_reset(proof)
            first_cycle = _RESET_CYCLES if proof.reference_netlist.is_active_high_by_reset else 0
        traces = []
        for number, design in enumerate(designs):
            with self._naming_design_in_errors(number):
                bench_of_one = FormalTestbench(tops[number], proof.reference_netlist, proof.clock, stimulus)
                traces.append(await bench_of_one.simulated_outputs(workbench, design, self._sandbox_folder(number)))
        simulated_difference = first_known_difference(
            traces[0], traces[1], first_cycle, stimulus=stimulus, dont_cares=self._dont_cares
        )
        if proof.differing_stimulus is None:
            if simulated_difference is not None:
                location = f"in output {simulated_difference.output_name} at cycle {simulated_difference.cycle}"
                raise NotModelledError(f"Yosys finds the two equal, and a simulation finds a difference {location}")
            return ReferenceOpinion(result=ComparisonResult.EQUIVALENT, depth=proof.compared_cycle_count)
        if simulated_difference is None:
            raise NotModelledError("the solver finds a difference that a simulation does not show")
        return ReferenceOpinion(
            result=ComparisonResult.DIFFERS,
            cycle=simulated_difference.cycle,
            stimulus=stimulus[: simulated_difference.cycle + 1],
            output=simulated_difference.output_name,
            expected=simulated_difference.reference_bits,
            found=simulated_difference.candidate_bits,
        )

    def _sandbox_folder(self, design_index: int) -> str:
        return f"/code/{self.folders[design_index]}"

    @contextlib.contextmanager
    def _naming_design_in_errors(self, design_index: int) -> Iterator[None]:
        try:
            yield
        except NotModelledError as error:
            raise NotModelledError(f"{'the design' if design_index else 'the reference'}: {error}") from error


def _random_stimulus_beginning_with_reset(search_result: EquivalenceSearchResult) -> Stimulus:
    """Random inputs, the extremes among them more often; resets are active first, and now and then."""
    generator = random.Random(0)  # noqa: S311 - the same each time
    resets = search_result.reference_netlist.is_active_high_by_reset
    cycles = []
    for cycle in range(_TRIED_CYCLES):
        values = {}
        for port in search_result.reference_netlist.inputs_besides_clock(search_result.clock):
            highest = (1 << port.width) - 1
            values[port.name] = generator.choice(
                (generator.randint(0, highest), generator.randint(0, highest), 0, highest)
            )
            if port.name in resets:
                is_active = cycle < _RESET_CYCLES or generator.random() < _RESET_SHARE
                values[port.name] = int(resets[port.name] == is_active)
        cycles.append(values)
    return tuple(cycles)
