"""The rules for submissions, as `scan.json` has them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from benchwright_foundation.model import Model
from benchwright_problems.problem import ScanAction

_NATIVE = re.compile(r"c(?:\d+|pure\d*|call)?")


class ScanRule(Model):
    """Actions on a submission that a rule is about."""

    action: ScanAction
    testbench: ScanAction
    """Action where the solver writes a testbench."""
    synthesis: ScanAction | None = None
    """Action where the harness counts what a design is synthesised to."""
    lint: ScanAction | None = None
    """Action where the harness counts what a lint tool says."""
    monitored: ScanAction | None = None
    """Action on a design where the testbench has a `$monitor`, of which a simulation has only one."""
    says: str
    """Words of a message for what the file does, with `{what}` for the words found."""


class _RuleData(Model):
    tasks: dict[str, str]
    rules: dict[str, ScanRule]


@lru_cache
def rules() -> Mapping[str, ScanRule]:
    """All rules by name."""
    return _rule_data().rules


@lru_cache
def rule_by_system_task() -> Mapping[str, str]:
    """System task, without its dollar sign → the rule about it."""
    return {name: rule for rule, names in _rule_data().tasks.items() for name in names.split()}


def rule_of_system_task(task_name: str) -> str:
    """The rule about a system task, named without its dollar sign; `unknown` if no standard names it."""
    # Verilator takes any number of bits behind it.
    return "native" if _NATIVE.fullmatch(task_name) else rule_by_system_task().get(task_name, "unknown")


@lru_cache
def _rule_data() -> _RuleData:
    text = (files("benchwright_harness.scan") / "scan.json").read_text(encoding="utf-8")
    return _RuleData.model_validate(json.loads(text))
