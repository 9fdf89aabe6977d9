"""Second opinion on a solution beside its verdict: a formal opinion, and its size beside the reference's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from benchwright_formal.errors import NotModelledError
from benchwright_formal.limits import LIMIT_S
from benchwright_formal.opinion import ReferenceOpinion, compare_formally, joint_opinion
from benchwright_formal.quality import synthesised_quality
from benchwright_formal.sources import files_outside_docs_and_verif
from benchwright_foundation.model import Model
from benchwright_harness.execution.run import reference_solution_files
from benchwright_harness.plan.plan import toplevels_of_harness
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.verdict import Quality
from benchwright_problems.verilog import modules


class SynthesisedSize(Model):
    """The size and depth of a design."""

    quality: Quality | None = None
    why: str = ""
    """Reason for which it is unknown: a sentence without its full stop."""


class SecondOpinion(Model):
    """Second opinion on a solution."""

    opinion: ReferenceOpinion
    solution: SynthesisedSize
    reference: SynthesisedSize


def has_reference_design(problem: Problem) -> bool:
    """True if a problem has a reference design."""
    return problem.kind is ProblemKind.DESIGN and bool(problem.hidden.reference) and bool(problem.public.expected)


def modules_to_compare(problem: Problem) -> Sequence[str]:
    """The modules of the reference that the harness tests; else the one that is called as the first file to write."""
    sources = [text for path, text in problem.hidden.reference.items() if path.endswith((".v", ".sv"))]
    declared_modules = {module.name for text in sources for module in modules(text)}
    tested_names = [name for name in toplevels_of_harness(problem.hidden.harness) if name in declared_modules]
    return tested_names or [PurePosixPath(problem.public.expected[0]).stem]


async def compare_with_reference(
    problem: Problem,
    solution: Mapping[str, bytes],
    tops: Sequence[str],
    *,
    sandbox: Sandbox,
    toolchain: Toolchain,
    limit_s: float = LIMIT_S,
) -> SecondOpinion:
    """Compares a solution with the reference of its problem.

    Args:
        problem: Has a reference design; with its hidden part.
        solution: Path → content of the files to write.
        tops: The modules to compare; the sizes are those of the first.
        sandbox: Sandbox in which the tools run.
        toolchain: Toolchain that has the tools.
        limit_s: Time of each proof in seconds.

    Raises:
        HarnessError: The sandbox or the tools do not work on this machine, with the next step.
    """
    reference, candidate = (
        with_given_design_files(problem, reference_solution_files(problem)),
        with_given_design_files(problem, solution),
    )
    opinions = [
        await compare_formally(
            reference,
            candidate,
            top_module,
            sandbox=sandbox,
            toolchain=toolchain,
            dont_cares=problem.hidden.dont_cares,
            parameter_sets=problem.hidden.parameter_sets,
            limit_s=limit_s,
        )
        for top_module in tops
    ]
    return SecondOpinion(
        opinion=joint_opinion(opinions),
        solution=await _synthesised_size_or_reason(candidate, tops[0], sandbox, toolchain),
        reference=await _synthesised_size_or_reason(reference, tops[0], sandbox, toolchain),
    )


async def _synthesised_size_or_reason(
    design_files: Mapping[str, bytes], top_module: str, sandbox: Sandbox, toolchain: Toolchain
) -> SynthesisedSize:
    try:
        return SynthesisedSize(
            quality=await synthesised_quality(design_files, top_module, sandbox=sandbox, toolchain=toolchain)
        )
    except NotModelledError as error:
        return SynthesisedSize(why=str(error))


def with_given_design_files(problem: Problem, solution: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a design: the solution's and those that it was given."""
    given_files = {path: text.encode() for path, text in problem.public.files.items()}
    return files_outside_docs_and_verif(given_files | dict(solution))
