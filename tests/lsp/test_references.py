from __future__ import annotations

from collections.abc import Callable

import pytest

from .cursor import VARIANTS, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

Variant = Callable[[str], str]


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "files",
    [
        {"a.sv": "module m;\nwire «w»‸;\nassign «w» = 1;\nwire x = «w»; // w\nendmodule\n"},
        {
            "a.sv": "module top;\nwire clk;\nsub s(.«clk»(clk));\nsub t(.«clk»);\ninitial s.«clk» = 1;\nendmodule\n",
            "b.sv": "module sub(input logic ‸«clk»);\nwire c = «clk»;\nendmodule\n",
            "c.sv": "module other;\nwire clk;\nassign clk = 1;\nendmodule\n",
        },
        {
            "a.sv": "package p;\nlocalparam «W» = ‸4;\nendpackage\n".replace("«W» = ‸4", "«W‸» = 4"),
            "b.sv": "module m;\nimport p::*;\nlogic [«W»-1:0] a = p::«W»;\nendmodule\n",
            "c.sv": "module n;\nparameter W = 1;\nlogic [W:0] a;\nendmodule\n",
        },
        {
            "a.sv": '`include "d.svh"\nmodule m;\nwire [`«WIDTH»:0] w;\n`ifdef «WIDTH»\n`endif\nendmodule\n',
            "d.svh": "`define ‸«WIDTH» 4\n",
        },
        {
            "a.sv": "interface bus;\nlogic «d»;\nmodport m(input «d»);\nendinterface\n",
            "b.sv": "module u(bus.m b);\nwire x = b.«d»;\nendmodule\n",
            "c.sv": "module top;\nbus b();\ninitial b.‸«d» = 1;\nendmodule\n",
        },
        {"a.sv": "module «m»;\nendmodule : ‸«m»\n", "b.sv": "module t;\n«m» m();\nendmodule\n"},
        {
            "a.sv": "typedef struct packed {logic «f»‸; logic g;} t;\n"
            "module m;\nt x = '{«f»: 1, g: 0};\nwire w = x.«f»;\nendmodule\n"
        },
    ],
)
async def test_all_places_are_found(editor: Editor, files: dict[str, str], variant: Variant) -> None:
    async with scratch(editor, files, variant) as file:
        assert await file.references() == file.expected_spans


GENVAR = (
    "module m (input logic [3:0] a, output logic [3:0] y, z);\n  genvar «i»;\n"
    "  for («i» = 0; «i» < 4; «i»++) begin : first\n    assign y[«i»] = a[3-«i»];\n  end\n"
    "  for («i» = 0; «i» < 4; «i»++) begin : second\n    assign z[«i»] = a[«i»];\n  end\n"
    "  for (genvar i = 0; i < 4; i++) begin : third\n    wire w = a[i];\n  end\nendmodule\n"
)


@pytest.mark.parametrize("place", ["genvar «i", "for («i", "a[3-«i", "y[«i"])
async def test_uses_of_a_genvar_in_its_loops_are_found(editor: Editor, place: str) -> None:
    text = GENVAR.replace(place, f"{place}‸", 1)
    async with scratch(editor, text) as file:
        assert await file.references() == file.expected_spans


async def test_files_that_are_not_open_are_searched(editor: Editor) -> None:
    async with scratch(
        editor,
        "module «sub»‸; endmodule\n",
        on_disk={"x/b.sv": "module t; «sub» a(); «sub» b(); endmodule\n", "c.sv": "// sub\nmodule sub2; endmodule\n"},
    ) as file:
        assert await file.references() == file.expected_spans


async def test_the_declaration_can_be_left_out(editor: Editor) -> None:
    async with scratch(editor, "module m;\nwire w‸;\nassign «w» = 1;\nendmodule\n") as file:
        assert await file.references(declaration=False) == file.expected_spans


@pytest.mark.parametrize(
    "text", ["module m; // ‸w\nendmodule\n", "‸", "module ‸; endmodule\n", "mod‸ule m; endmodule\n"]
)
async def test_what_is_no_name_has_no_references(editor: Editor, text: str) -> None:
    async with scratch(editor, text) as file:
        assert await file.references() == []


async def test_uses_in_a_macros_parentheses_are_found(editor: Editor) -> None:
    text = "`define TWICE(x) (x + x)\nmodule m;\nint «a»‸;\nint b = `TWICE(«a»);\nendmodule\n"
    async with scratch(editor, text) as file:
        assert await file.references() == file.expected_spans


async def test_an_included_file_is_found_where_it_is_included(editor: Editor) -> None:
    files = {"a.sv": '`include "«d‸.svh»"\n', "b.sv": '`include "«d.svh»"\n', "d.svh": "`define A\n"}
    async with scratch(editor, files) as file:
        assert await file.references() == file.expected_spans


async def test_broken_code_is_searched_too(editor: Editor) -> None:
    async with scratch(editor, "module m;\nwire «w»;\nassign x = (;\nassign «w» = 1;\nassign y = ‸«w»\n") as file:
        assert await file.references() == file.expected_spans
