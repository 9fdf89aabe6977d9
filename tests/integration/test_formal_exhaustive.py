"""A proof of mutants says what a walk over all states shows, for designs of at most 16 bits of inputs.

The walk is Icarus Verilog's word alone. A tenth of the pairs is compared, nightly all of them.
`python -m tests.integration.test_formal_exhaustive 30` prints what came of 30 mutants of each design.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyslang.syntax import BinaryExpressionSyntax, SyntaxKind

from benchwright_authoring.mutation.analysis import candidate_mutants
from benchwright_authoring.mutation.mutant import Mutant
from benchwright_authoring.mutation.mutants import is_design_file
from benchwright_authoring.mutation.source import ReferenceSource
from benchwright_formal.bench import random_unguessable_name, temporary_design_folder
from benchwright_formal.opinion import ComparisonResult, ReferenceOpinion, compare_formally
from benchwright_formal.sources import compared_sources
from benchwright_formal.yosys_script import FIRST_CYCLES
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.registry import open_sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.pack_folder import read_built_in

from ..support.designs.formal_exhaustive import SAMPLES, published_designs
from ..support.designs.state_walk import (
    MOST_BITS,
    NotWalkedError,
    Walk,
    WalkOutcome,
    predict_outputs,
    shape,
    walk_pairs,
)

PAIRS = 30
"""Of each design, nightly."""
PUBLISHED = 10
"""Designs of the samples that can be walked."""
MOST_STEPS = 300_000
"""Of the simulation, for each pair: what a walk has left then is not walked."""
SMALL = {
    "saturating-counter": {"WIDTH": 3},
    "skid-buffer-bug": {"WIDTH": 2},
    "sync-fifo": {"WIDTH": 1, "DEPTH": 3},
    "uart-parity": {"CLKS_PER_BIT": 2},
}
"""Parameters with which all states can be walked."""
_COMMUTATIVE = frozenset(
    {
        SyntaxKind.AddExpression,
        SyntaxKind.BinaryAndExpression,
        SyntaxKind.BinaryOrExpression,
        SyntaxKind.BinaryXorExpression,
        SyntaxKind.EqualityExpression,
        SyntaxKind.LogicalAndExpression,
        SyntaxKind.LogicalOrExpression,
        SyntaxKind.MultiplyExpression,
    }
)


@dataclass(frozen=True)
class DesignPair:
    """A reference and a design that was made of it."""

    mutant: Mutant
    opinion: ReferenceOpinion
    walk: WalkOutcome | None
    """None where nothing is said, or a simulation of the mutant does not come to its end."""

    @property
    def agrees(self) -> bool:
        """True if the opinion is what the walk shows, as far as it went; one that is unknown always is."""
        opinion, walk = self.opinion, self.walk
        if walk is None:
            return True
        if opinion.result is ComparisonResult.EQUIVALENT:
            return walk.cycle is None or (opinion.depth is not None and walk.cycle >= opinion.depth)
        assert opinion.cycle is not None
        if walk.cycle is None:
            return walk.cycles is not None and opinion.cycle >= walk.cycles
        # Later differences come from a search that does not look for the shortest way.
        return opinion.cycle == walk.cycle or (opinion.cycle > walk.cycle and opinion.cycle >= FIRST_CYCLES)


def rewrites(files: Mapping[str, bytes], paths: Iterable[str]) -> list[Mutant]:
    """Designs that do the same: the operands of a commutative operator in each other's place."""
    mutants = []
    for path in filter(is_design_file, paths):
        source = ReferenceSource(path, files[path].decode())
        for node in source.changeable_nodes():
            if isinstance(node, BinaryExpressionSyntax) and node.kind in _COMMUTATIVE:
                for edit in source.exchange_edits(node.left, node.right):
                    span = (edit.start, edit.end)
                    mutants.append(
                        Mutant.of(path, source.content, kind_name="rewrite", byte_span=span, new_text=edit.text)
                    )
    return mutants


@asynccontextmanager
async def begun(
    files: Mapping[str, bytes], top_module: str, toolchain: Toolchain, *, remembers: bool
) -> AsyncIterator[Walk]:
    """A walk over a design, at its beginning; `remembers` as in `shape`.

    Raises:
        NotWalkedError: The design has too many inputs, or can't be walked.
    """
    design, folder = compared_sources(files), random_unguessable_name()
    known_shape = shape(design.source_contents, top_module, remembers=remembers)
    if known_shape.bits > MOST_BITS:
        raise NotWalkedError(f"it has {known_shape.bits} bits of inputs")
    with temporary_design_folder(design.content_by_path(folder), open_sandbox("bwrap"), toolchain) as running_bench:
        walk = Walk(running_bench, design, f"/code/{folder}", known_shape)
        await walk.begin()
        yield walk


async def is_replayed(walk: Walk) -> bool:
    """True if a simulation without a break has the outputs that the walk's rows say.

    It has others where logic without registers remembers, for example in an unknown state.
    """
    generator = random.Random(0)
    for _ in range(3):
        inputs = [generator.randrange(1 << walk.shape.bits) for _ in range(50)]
        outputs = predict_outputs(walk, inputs)
        if outputs != await walk.simulate_outputs(inputs[: len(outputs)]):
            return False
    return True


async def compared(problem: Problem, pair_count: int, most_steps: int, toolchain: Toolchain) -> list[DesignPair]:
    """Compares a reference with mutants and rewrites of it.

    Raises:
        NotWalkedError: The design has too many inputs, or can't be walked.
    """
    design_candidates = candidate_mutants(problem, seed=0, most_mutants=pair_count)
    assert not problem.hidden.dont_cares
    if design_candidates.top_module is None:
        raise NotWalkedError("its top module is not known")
    reference = {path: text for path, text in design_candidates.files.items() if is_design_file(path)}
    equal_mutants = rewrites(reference, problem.hidden.reference)
    equal_mutants = random.Random(problem.id).sample(equal_mutants, min(len(equal_mutants), max(1, pair_count // 5)))
    for remembers in (False, True):
        async with begun(reference, design_candidates.top_module, toolchain, remembers=remembers) as ours:
            await walk_pairs(ours, ours, most_steps)
            if await is_replayed(ours):
                return [
                    await _pair(ours, mutant, reference, most_steps, toolchain)
                    for mutant in (*equal_mutants, *design_candidates.chosen_mutants)
                ]
    raise NotWalkedError("a simulation remembers more than variables")


async def _pair(
    reference_walk: Walk, mutant: Mutant, reference: Mapping[str, bytes], most_steps: int, toolchain: Toolchain
) -> DesignPair:
    changed_files, top_module = mutant.apply_to(reference), reference_walk.shape.top_name
    formal_opinion, walk = (
        await compare_formally(
            reference, changed_files, top_module, sandbox=open_sandbox("bwrap"), toolchain=toolchain
        ),
        None,
    )
    if formal_opinion.result is not ComparisonResult.UNKNOWN:
        for remembers in (False, True):
            with contextlib.suppress(NotWalkedError):
                async with begun(changed_files, top_module, toolchain, remembers=remembers) as theirs:
                    walk = await walk_pairs(reference_walk, theirs, most_steps)
                    if await is_replayed(theirs):
                        break
                walk = None
    return DesignPair(mutant, formal_opinion, walk)


def smaller(problem: Problem) -> Problem:
    """The problem with other defaults of the parameters of its reference."""
    reference = dict(problem.hidden.reference)
    for name, value in SMALL[problem.id].items():
        for path, text in reference.items():
            reference[path] = re.sub(rf"(parameter int {name}\s*=) \w+", rf"\1 {value}", text)
    assert reference != problem.hidden.reference
    hidden_part = problem.hidden.model_copy(update={"reference": reference})
    return problem.model_copy(update={"id": f"{problem.id}-small", "hidden": hidden_part})


DESIGNS = [problem for problem in read_built_in("starter").problems if problem.kind is ProblemKind.DESIGN]
OURS = [*DESIGNS, *(smaller(problem) for problem in DESIGNS if problem.id in SMALL)]


@pytest.mark.sampled
@pytest.mark.parametrize("problem", OURS, ids=lambda problem: problem.id)
async def test_a_proof_of_our_own_designs_says_what_a_walk_shows(
    problem: Problem, toolchain: Toolchain, nightly: bool
) -> None:
    await check(problem, toolchain, nightly)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"no samples of published sets at {SAMPLES}")
async def test_a_proof_of_published_designs_says_what_a_walk_shows(
    toolchain: Toolchain, nightly: bool, tmp_path: Path
) -> None:
    walks = 0
    for problem in published_designs(tmp_path):
        with contextlib.suppress(NotWalkedError):
            await check(problem, toolchain, nightly)
            walks += 1
    assert walks >= PUBLISHED


async def check(problem: Problem, toolchain: Toolchain, nightly: bool) -> None:
    share = 1 if nightly else 10
    comparisons = await compared(problem, PAIRS // share, MOST_STEPS // share, toolchain)
    assert [
        (comparison.mutant.before, comparison.mutant.after, comparison.opinion, comparison.walk)
        for comparison in comparisons
        if not comparison.agrees
    ] == []


async def table(pair_count: int) -> None:
    """Prints what came of each design."""
    toolchain = Toolchain.find(Home.from_environment().cache)
    with tempfile.TemporaryDirectory() as folder:
        for problem in (*OURS, *published_designs(Path(folder))):
            try:
                comparisons = await compared(problem, pair_count, MOST_STEPS, toolchain)
            except NotWalkedError as error:
                print(f"| `{problem.id}` | {str(error).splitlines()[0]} |", flush=True)
                continue
            result_counts = Counter(comparison.opinion.result.value for comparison in comparisons)
            complete_walks = sum(
                comparison.walk is not None and comparison.walk.cycles is None for comparison in comparisons
            )
            counts = (
                len(comparisons),
                *(result_counts[member.value] for member in ComparisonResult),
                complete_walks,
                sum(not member.agrees for member in comparisons),
            )
            print(f"| `{problem.id}` | {' | '.join(map(str, counts))} |", flush=True)
            for comparison in comparisons:
                if not comparison.agrees:
                    print(comparison, flush=True)


if __name__ == "__main__":
    asyncio.run(table(int(sys.argv[1])))
