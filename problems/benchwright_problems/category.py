"""CVDP's problem categories (Pinckney et al., arXiv:2506.14074, table 1)."""

from __future__ import annotations

from enum import StrEnum


class Category(StrEnum):
    """The kind of task that a design or text problem sets; the value is CVDP's category id."""

    COMPLETION = "cid002"
    SPEC_TO_RTL = "cid003"
    MODIFICATION = "cid004"
    MODULE_REUSE = "cid005"
    RTL_CORRESPONDENCE = "cid006"
    IMPROVEMENT = "cid007"
    TESTBENCH_CORRESPONDENCE = "cid008"
    RTL_QUESTION = "cid009"
    TESTBENCH_QUESTION = "cid010"
    STIMULUS = "cid012"
    CHECKER = "cid013"
    ASSERTION = "cid014"
    BUG_FIX = "cid016"

    @property
    def label(self) -> str:
        """CVDP's name of the category."""
        return _LABELS[self]

    @property
    def is_comprehension(self) -> bool:
        """True if the answer is text that is compared with a reference, not files that a harness runs."""
        return self in _COMPREHENSION


_COMPREHENSION = frozenset(
    {
        Category.RTL_CORRESPONDENCE,
        Category.TESTBENCH_CORRESPONDENCE,
        Category.RTL_QUESTION,
        Category.TESTBENCH_QUESTION,
    }
)
_LABELS = {
    Category.COMPLETION: "RTL code completion",
    Category.SPEC_TO_RTL: "Specification to RTL",
    Category.MODIFICATION: "RTL code modification",
    Category.MODULE_REUSE: "Specification to RTL with module reuse",
    Category.RTL_CORRESPONDENCE: "RTL to specification correspondence",
    Category.IMPROVEMENT: "RTL lint or quality-of-result improvement",
    Category.TESTBENCH_CORRESPONDENCE: "Testbench to test plan correspondence",
    Category.RTL_QUESTION: "Question about RTL",
    Category.TESTBENCH_QUESTION: "Question about a testbench",
    Category.STIMULUS: "Testbench stimulus generation",
    Category.CHECKER: "Testbench checker generation",
    Category.ASSERTION: "Assertion generation",
    Category.BUG_FIX: "Debugging and bug fixing",
}
