"""The parts that problems share whose data set decides by a proof."""

from __future__ import annotations

import json
from collections.abc import Mapping

from benchwright_problems.equivalence import PROOF_FILE
from benchwright_problems.problem import RunLimits
from benchwright_problems.verilog import modules

PROOF_LIMITS = RunLimits(wall_s=150)
"""VeriThoughts' own limit; RTL-BenchLS has none."""


def proof_harness(top_module: str) -> dict[str, str]:
    """The files of a harness that compares a module with the reference."""
    return {PROOF_FILE: json.dumps({"top": top_module}) + "\n"}


def top_modules(text_by_path: Mapping[str, str]) -> list[str]:
    """The modules that no other module of a design instantiates, in their order."""
    declared = [module for text in text_by_path.values() for module in modules(text)]
    instantiated = {kind for module in declared for kind, _ in module.instances}
    return [module.name for module in declared if module.name not in instantiated]
