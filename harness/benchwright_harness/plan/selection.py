"""Selection of a toolchain's simulators and versions that a problem runs with.

The choice is data: `selection.json` holds rules, each with its reason. The first rule that fits a problem decides; the
last fits all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from benchwright_foundation.model import Model
from benchwright_harness.plan.tool_versions import tool_versions
from benchwright_problems.criterion import TESTBENCH_FILE, Simulator
from benchwright_problems.problem import Problem

FILE = Path(__file__).with_name("selection.json")
OLD_NAMES = "compat"


def _require_known_version(version: str, known_versions: Iterable[str]) -> str:
    if version not in known_versions:
        raise ValueError(f"{version} is not among the versions of tool_versions.json: {', '.join(known_versions)}")
    return version


class ToolSelection(Model):
    """One version of each tool that a toolchain has in several."""

    icarus: Annotated[str, AfterValidator(lambda version: _require_known_version(version, tool_versions().icarus))] = (
        "13"
    )
    yosys: Annotated[str, AfterValidator(lambda version: _require_known_version(version, tool_versions().yosys))] = (
        "0.40"
    )
    cocotb: Annotated[
        str, AfterValidator(lambda version: _require_known_version(version, (*tool_versions().cocotb, OLD_NAMES)))
    ] = "2.0.1"
    """`compat` is 2.0.1 with the names that older harnesses use."""
    simulator: Simulator | None = None
    """Simulator for a testbench that names none."""
    reason: str = "the newest of each"


class _ToolVersionRule(Model):
    source: str | None = None
    """A pattern that must be found in the source of the provenance, in upper or lower case."""
    version: str | None = None
    """A pattern that the version of the provenance must begin with."""
    harness: str | None = None
    """A pattern that some file of the harness must contain."""
    choose: tuple[ToolSelection, ...]

    def applies_to(self, problem: Problem) -> bool:
        """True if the problem meets every condition of the rule."""
        provenance = problem.provenance
        return (
            (self.source is None or re.search(self.source, provenance.source, re.IGNORECASE) is not None)
            and (self.version is None or re.match(self.version, provenance.version) is not None)
            and (
                self.harness is None
                or any(re.search(self.harness, text, re.MULTILINE) for text in problem.hidden.harness.values())
            )
        )


def selections(problem: Problem) -> tuple[ToolSelection, ...]:
    """Selections to run a problem's harness with, best first; never empty.

    With a reference solution the first that it passes with is right; without one the first is.
    """
    chosen_selections = next(rule.choose for rule in _rules_of_file(FILE) if rule.applies_to(problem))
    criterion = problem.hidden.criterion
    if criterion is not None and criterion.simulator is not None:
        named_simulator = {"simulator": criterion.simulator, "reason": "the problem names its simulator"}
        return tuple(dict.fromkeys(selection.model_copy(update=named_simulator) for selection in chosen_selections))
    if chosen_selections[0].simulator is None and TESTBENCH_FILE in problem.hidden.harness:
        simulators: tuple[Simulator, ...] = ("icarus", "verilator")
        return tuple(
            selection.model_copy(update={"simulator": simulator, "reason": "the problem names no simulator"})
            for simulator in simulators
            for selection in chosen_selections
        )
    if chosen_selections[0].simulator is None and can_take_verilator(problem.hidden.harness):
        reason = "Verilator takes concurrent assertions and other SystemVerilog that no Icarus does"
        chosen_selections = (
            *chosen_selections,
            chosen_selections[0].model_copy(update={"simulator": "verilator", "reason": reason}),
        )
    return chosen_selections


def can_take_verilator(harness: Mapping[str, str]) -> bool:
    """True if a harness of cocotb's for Icarus asks its environment for the simulator, and gives it no options."""
    programs = "\n".join(text for path, text in harness.items() if path.endswith(".py"))
    settings = "\n".join(text for path, text in harness.items() if path.endswith((".env", ".yml")))
    return (
        re.search(r"^\s*(?:- )?SIM\s*[=:]\s*icarus\s*$", settings, re.MULTILINE) is not None
        and re.search(r"""(?:getenv|environ\.get|environ\[)\W*["']SIM["']""", programs) is not None
        and re.search(r"build_args|iverilog|vvp|[\"']-g(?:2|no|s)", programs) is None
    )


@lru_cache
def _rules_of_file(rules_file: Path) -> tuple[_ToolVersionRule, ...]:
    data = json.loads(rules_file.read_text(encoding="utf-8"))
    return tuple(_ToolVersionRule.model_validate(rule) for rule in data)
