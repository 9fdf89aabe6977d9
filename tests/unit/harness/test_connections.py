"""Names that a harness connects and no solver can know."""

from __future__ import annotations

import pytest

from benchwright_harness.plan.connections import unmentioned_names
from benchwright_problems.problem import Difficulty, Hidden, Problem, ProblemKind, Provenance, Public


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("tb.sv", "module tb; gate #(.WIDTH(2)) dut(.a(x), .enable(y)); endmodule", ("WIDTH", "enable")),
        ("tb.sv", "module tb; gate dut(x, y); // .enable(y)\nendmodule", ()),
        ("tb.sv", "module ref0(input r); endmodule module tb; ref0 u(.r(x)); endmodule", ()),
        ("test.py", "async def test(dut):\n    dut.a.value = 1\n    dut._log.info(dut.ready.value)\n", ("ready",)),
        ("test.py", "dut.(", ()),
    ],
)
def test_names_that_no_public_text_has_are_listed(path: str, text: str, names: tuple[str, ...]) -> None:
    problem = Problem(
        id="x",
        title="X",
        kind=ProblemKind.DESIGN,
        difficulty=Difficulty.EASY,
        provenance=Provenance(source="", license="", version=""),
        public=Public(statement="Write `gate` with the input `a`.", expected=("rtl/gate.sv",)),
        hidden=Hidden(harness={path: text}),
    )
    assert unmentioned_names(problem) == names
