"""Which of a toolchain's simulators and versions a problem runs with.

The choice is data: `selection.json` holds rules, each with its reason. The first rule that fits a problem decides; the
last fits all.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from benchwright_problems.problem import Problem
from benchwright_problems.verdict import Model


class Selection(Model):
    """One version of each tool that a toolchain has in several."""

    icarus: Literal["12", "13"] = "13"
    yosys: Literal["0.23", "0.40"] = "0.40"
    cocotb: Literal["2.0.1", "compat"] = "2.0.1"
    """`compat` is 2.0.1 with the names that older harnesses use."""
    simulator: Literal["icarus", "verilator"] | None = None
    """Which simulator runs a testbench that names none."""
    reason: str = "the newest of each"


class _Rule(Model):
    source: str | None = None
    """A pattern that must be found in the source of the provenance, in upper or lower case."""
    version: str | None = None
    """A pattern that the version of the provenance must begin with."""
    harness: str | None = None
    """A pattern that some file of the harness must contain."""
    choose: tuple[Selection, ...]

    def fits(self, problem: Problem) -> bool:
        """Whether everything that the rule asks for is so."""
        provenance = problem.provenance
        return (
            (self.source is None or re.search(self.source, provenance.source, re.IGNORECASE) is not None)
            and (self.version is None or re.match(self.version, provenance.version) is not None)
            and (
                self.harness is None
                or any(re.search(self.harness, text, re.MULTILINE) for text in problem.hidden.harness.values())
            )
        )


def selections(problem: Problem) -> tuple[Selection, ...]:
    """What to run a problem's harness with, best first; never empty.

    With a reference solution the first that it passes with is right; without one the first is.
    """
    return next(rule.choose for rule in _rules() if rule.fits(problem))


@lru_cache
def _rules() -> tuple[_Rule, ...]:
    data = json.loads((files("benchwright_harness") / "selection.json").read_text(encoding="utf-8"))
    return tuple(_Rule.model_validate(rule) for rule in data)
