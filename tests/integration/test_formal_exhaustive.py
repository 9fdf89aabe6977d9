"""What a proof says of mutants is what a walk over all states shows, for designs of at most 16 bits of inputs.

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

from benchwright_authoring.mutation.analysis import candidates
from benchwright_authoring.mutation.mutant import Mutant
from benchwright_authoring.mutation.mutants import is_design_file
from benchwright_authoring.mutation.source import Source
from benchwright_formal.bench import bench, unguessable
from benchwright_formal.opinion import Opinion, Result, opinion
from benchwright_formal.sources import sources
from benchwright_formal.yosys_script import FIRST_CYCLES
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.registry import open_sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Kind, Problem
from benchwright_problems.storage.pack_folder import read_built_in

from ..support.designs.formal_exhaustive import SAMPLES, published
from ..support.designs.state_walk import MOST_BITS, NotWalkedError, Walk, Walked, predicted, shape, walked

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
class Compared:
    """A reference and a design that was made of it."""

    mutant: Mutant
    said: Opinion
    shown: Walked | None
    """None where nothing is said, or a simulation of the mutant does not come to its end."""

    @property
    def agrees(self) -> bool:
        """Whether the opinion is what the walk shows, as far as it went; one that is unknown always is."""
        said, shown = self.said, self.shown
        if shown is None:
            return True
        if said.result is Result.EQUIVALENT:
            return shown.cycle is None or (said.depth is not None and shown.cycle >= said.depth)
        assert said.cycle is not None
        if shown.cycle is None:
            return shown.cycles is not None and said.cycle >= shown.cycles
        # Later differences come from a search that does not look for the shortest way.
        return said.cycle == shown.cycle or (said.cycle > shown.cycle and said.cycle >= FIRST_CYCLES)


def rewrites(files: Mapping[str, bytes], paths: Iterable[str]) -> list[Mutant]:
    """Designs that do the same: the operands of a commutative operator in each other's place."""
    found = []
    for path in filter(is_design_file, paths):
        source = Source(path, files[path].decode())
        for node in source.nodes():
            if isinstance(node, BinaryExpressionSyntax) and node.kind in _COMMUTATIVE:
                for edit in source.exchanged(node.left, node.right):
                    span = (edit.start, edit.end)
                    found.append(Mutant.of(path, source.content, kind="rewrite", span=span, after=edit.text))
    return found


@asynccontextmanager
async def begun(files: Mapping[str, bytes], top: str, toolchain: Toolchain, *, remembers: bool) -> AsyncIterator[Walk]:
    """A walk over a design, at its beginning; `remembers` as in `shape`.

    Raises:
        NotWalkedError: It has too many inputs, or can't be walked.
    """
    design, folder = sources(files), unguessable()
    known = shape(design.files, top, remembers=remembers)
    if known.bits > MOST_BITS:
        raise NotWalkedError(f"it has {known.bits} bits of inputs")
    with bench(design.at(folder), open_sandbox("bwrap"), toolchain) as at:
        walk = Walk(at, design, f"/code/{folder}", known)
        await walk.begin()
        yield walk


async def is_replayed(walk: Walk) -> bool:
    """Whether a simulation without a break has the outputs that the walk's rows say.

    It has others where logic without registers remembers, for example in an unknown state.
    """
    chosen = random.Random(0)
    for _ in range(3):
        inputs = [chosen.randrange(1 << walk.shape.bits) for _ in range(50)]
        said = predicted(walk, inputs)
        if said != await walk.simulated(inputs[: len(said)]):
            return False
    return True


async def compared(problem: Problem, pairs: int, most: int, toolchain: Toolchain) -> list[Compared]:
    """Compares a reference with mutants and rewrites of it.

    Raises:
        NotWalkedError: It has too many inputs, or can't be walked.
    """
    chosen = candidates(problem, seed=0, limit=pairs)
    assert not problem.hidden.dont_cares
    if chosen.top is None:
        raise NotWalkedError("its top module is not known")
    reference = {path: text for path, text in chosen.files.items() if is_design_file(path)}
    same = rewrites(reference, problem.hidden.reference)
    same = random.Random(problem.id).sample(same, min(len(same), max(1, pairs // 5)))
    for remembers in (False, True):
        async with begun(reference, chosen.top, toolchain, remembers=remembers) as ours:
            await walked(ours, ours, most)
            if await is_replayed(ours):
                return [await _pair(ours, one, reference, most, toolchain) for one in (*same, *chosen.chosen)]
    raise NotWalkedError("a simulation remembers more than variables")


async def _pair(
    ours: Walk, mutant: Mutant, reference: Mapping[str, bytes], most: int, toolchain: Toolchain
) -> Compared:
    other, top = mutant.applied(reference), ours.shape.top
    said, shown = await opinion(reference, other, top, sandbox=open_sandbox("bwrap"), toolchain=toolchain), None
    if said.result is not Result.UNKNOWN:
        for remembers in (False, True):
            with contextlib.suppress(NotWalkedError):
                async with begun(other, top, toolchain, remembers=remembers) as theirs:
                    shown = await walked(ours, theirs, most)
                    if await is_replayed(theirs):
                        break
                shown = None
    return Compared(mutant, said, shown)


def smaller(problem: Problem) -> Problem:
    """The problem with other defaults of the parameters of its reference."""
    reference = dict(problem.hidden.reference)
    for name, value in SMALL[problem.id].items():
        for path, text in reference.items():
            reference[path] = re.sub(rf"(parameter int {name}\s*=) \w+", rf"\1 {value}", text)
    assert reference != problem.hidden.reference
    hidden = problem.hidden.model_copy(update={"reference": reference})
    return problem.model_copy(update={"id": f"{problem.id}-small", "hidden": hidden})


DESIGNS = [one for one in read_built_in("starter").problems if one.kind is Kind.DESIGN]
OURS = [*DESIGNS, *(smaller(one) for one in DESIGNS if one.id in SMALL)]


@pytest.mark.sampled
@pytest.mark.parametrize("problem", OURS, ids=lambda one: one.id)
async def test_a_proof_of_our_own_designs_says_what_a_walk_shows(
    problem: Problem, toolchain: Toolchain, nightly: bool
) -> None:
    await check(problem, toolchain, nightly)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"no samples of published sets at {SAMPLES}")
async def test_a_proof_of_published_designs_says_what_a_walk_shows(
    toolchain: Toolchain, nightly: bool, tmp_path: Path
) -> None:
    walks = 0
    for problem in published(tmp_path):
        with contextlib.suppress(NotWalkedError):
            await check(problem, toolchain, nightly)
            walks += 1
    assert walks >= PUBLISHED


async def check(problem: Problem, toolchain: Toolchain, nightly: bool) -> None:
    share = 1 if nightly else 10
    found = await compared(problem, PAIRS // share, MOST_STEPS // share, toolchain)
    assert [(one.mutant.before, one.mutant.after, one.said, one.shown) for one in found if not one.agrees] == []


async def table(pairs: int) -> None:
    """Prints what came of each design."""
    toolchain = Toolchain.find(Home.find().cache)
    with tempfile.TemporaryDirectory() as folder:
        for problem in (*OURS, *published(Path(folder))):
            try:
                found = await compared(problem, pairs, MOST_STEPS, toolchain)
            except NotWalkedError as error:
                print(f"| `{problem.id}` | {str(error).splitlines()[0]} |", flush=True)
                continue
            said = Counter(one.said.result.value for one in found)
            whole = sum(one.shown is not None and one.shown.cycles is None for one in found)
            counts = (len(found), *(said[one.value] for one in Result), whole, sum(not one.agrees for one in found))
            print(f"| `{problem.id}` | {' | '.join(map(str, counts))} |", flush=True)
            for one in found:
                if not one.agrees:
                    print(one, flush=True)


if __name__ == "__main__":
    asyncio.run(table(int(sys.argv[1])))
