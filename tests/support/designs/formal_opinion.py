"""Fixtures and helpers of the tests of formal opinion."""

from __future__ import annotations

from benchwright_formal.opinion import ReferenceOpinion, compare_formally
from benchwright_harness.sandbox.registry import open_sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.equivalence import NO_DONT_CARES, DontCares


async def compare_designs(
    reference: str | bytes,
    candidate_text: str | bytes,
    toolchain: Toolchain,
    *,
    dont_cares: DontCares = NO_DONT_CARES,
    limit_s: float = 20,
) -> ReferenceOpinion:
    sandbox = open_sandbox("bwrap")
    reference_files, candidate_files = (
        {"rtl/top.sv": text.encode() if isinstance(text, str) else text} for text in (reference, candidate_text)
    )
    return await compare_formally(
        reference_files,
        candidate_files,
        "top",
        sandbox=sandbox,
        toolchain=toolchain,
        dont_cares=dont_cares,
        limit_s=limit_s,
    )
