from __future__ import annotations

from collections.abc import Callable

import pytest
from lsprotocol import types

from .cursor import VARIANTS, Scratch, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


async def ways(file: Scratch) -> tuple[list[str], list[str]]:
    """Names of what leads to the thing at the cursor and of what it leads to."""
    (call_item,) = await file.call_hierarchy()
    callers = [call.from_.name for call in await file.callers(call_item)]
    callees = [call.to.name for call in await file.callees(call_item)]
    return sorted(callers), sorted(callees)


ROUTINES = {
    "a.sv": "package p;\nfunction int leaf(int x); return x; endfunction\n"
    "function int ‸middle(int x); return leaf(x) + leaf(1); endfunction\nendpackage\n",
    "b.sv": "module m;\nimport p::*;\nint q;\ntask t(); q = middle(2); endtask\ninitial q = p::middle(1);\nendmodule\n",
}


@pytest.mark.parametrize("variant", VARIANTS)
async def test_callers_and_callees_of_a_routine_are_found(editor: Editor, variant: Callable[[str], str]) -> None:
    async with scratch(editor, ROUTINES, variant) as file:
        assert await ways(file) == (["initial", "t"], ["leaf"])
        (call_item,) = await file.call_hierarchy()
        assert file.words([types.Location(call_item.uri, call_item.selection_range)]) == ["middle"]
        (to_leaf,) = await file.callees(call_item)
        assert file.words([types.Location(file.uri, call_range) for call_range in to_leaf.from_ranges]) == [
            "leaf",
            "leaf",
        ]
        task_call = next(call for call in await file.callers(call_item) if call.from_.name == "t")
        assert file.words(
            [types.Location(task_call.from_.uri, call_range) for call_range in task_call.from_ranges]
        ) == ["middle"]


SIGNALS = """\
module m(input logic clk, input logic a, output logic q);
logic s‸;
always_ff @(posedge clk) s <= a;
assign q = s;
sub u(.i(s), .o());
endmodule
module sub(input logic i, output logic o);
assign o = i;
endmodule
"""


@pytest.mark.parametrize("variant", VARIANTS)
async def test_drivers_and_loads_of_a_signal_are_found(editor: Editor, variant: Callable[[str], str]) -> None:
    async with scratch(editor, SIGNALS, variant) as file:
        assert await ways(file) == (["always_ff"], ["assign", "u"])


async def test_one_can_go_on_from_a_driver_to_what_it_reads(editor: Editor) -> None:
    async with scratch(editor, SIGNALS) as file:
        (call_item,) = await file.call_hierarchy()
        (driver,) = await file.callers(call_item)
        assert sorted(call.from_.name for call in await file.callers(driver.from_)) == ["a", "clk"]
        assert [call.to.name for call in await file.callees(driver.from_)] == ["s"]


@pytest.mark.parametrize(
    ("port", "drivers", "loads"), [("i, output", ["u"], ["assign"]), ("o);\nassign", ["assign"], ["u"])]
)
async def test_what_is_outside_of_a_port_counts(
    editor: Editor, port: str, drivers: list[str], loads: list[str]
) -> None:
    async with scratch(editor, SIGNALS.replace("‸", "")) as file:
        assert await ways(file.go_to(port)) == (drivers, loads)


async def test_a_declaration_with_a_value_drives(editor: Editor) -> None:
    async with scratch(editor, "module m;\nwire a = 1;\nwire ‸b = a;\nendmodule\n") as file:
        assert await ways(file) == (["wire b = a;"], [])


async def test_instances_of_a_module_are_its_callers(editor: Editor) -> None:
    files = {"a.sv": "module ‸m;\nn x();\nendmodule\n", "b.sv": "module t;\nm one();\nm two();\nendmodule\n"}
    async with scratch(editor, files, on_disk={"n.sv": "module n; endmodule\n"}) as file:
        (call_item,) = await file.call_hierarchy()
        assert [call.from_.name for call in await file.callers(call_item)] == ["t"]
        assert [call.to.name for call in await file.callees(call_item)] == ["n"]


async def test_broken_code_is_followed_as_far_as_it_goes(editor: Editor) -> None:
    async with scratch(editor, "module m;\nlogic ‸s;\nassign s = 1;\nassign = ;\nalways @* if (s begin\n") as file:
        drivers, _ = await ways(file)
        assert drivers == ["assign"]


@pytest.mark.parametrize("text", ["‸", "module m; // ‸x\nendmodule\n", "mod‸ule m; endmodule\n", "`define A‸ 1\n"])
async def test_what_calls_nothing_has_no_hierarchy(editor: Editor, text: str) -> None:
    async with scratch(editor, text) as file:
        assert await file.call_hierarchy() == []
