from __future__ import annotations

import re
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
    "text",
    [
        "module m;\nwire «w»;\nassign w‸ = 1;\nendmodule\n",
        "module m(input logic «a», output logic q);\nassign q = ‸a;\nendmodule\n",
        "module m #(parameter int «W» = 3)();\nlogic [W‸-1:0] q;\nendmodule\n",
        "module m;\ntypedef enum {IDLE, «BUSY»} state_t;\nstate_t s = BU‸SY;\nendmodule\n",
        "module m;\ntypedef struct packed {logic «a», b;} pair;\npair [3:0] p;\nassign p[2].a‸ = 1;\nendmodule\n",
        "module m;\ntypedef struct packed {logic «a»; logic b;} pair;\npair p = '{‸a: 1, b: 0};\nendmodule\n",
        "module m;\nfunction int «f»(int x); return x; endfunction\nint q = f‸(1);\nendmodule\n",
        "module m;\nfunction int f(int «x»); return x; endfunction\nint q = f(.x‸(1));\nendmodule\n",
        "module m;\nfor (genvar «k» = 0; k < 2; k++) begin : l\n wire w = k‸;\nend\nendmodule\n",
        "module m;\nfor (genvar k = 0; k < 2; k++) begin : l\n wire «w» = k;\nend\nassign l[1].‸w = 0;\nendmodule\n",
        "module m;\nint i;\ninitial begin\n int «i»;\n i‸ = 1;\nend\nendmodule\n",
        "module m;\nint «i»;\ninitial begin : b\n begin int i; i = 2; end\n i‸ = 1;\nend\nendmodule\n",
        "module m;\ninitial begin : «b»\n disable b‸;\nend\nendmodule\n",
        "module «m»;\nendmodule : ‸m\n",
        "module m;\nwire «\\a+b »;\nassign \\a+b‸  = 1;\nendmodule\n".replace("«\\a+b »", "«\\a+b» "),
        "`define «WIDTH» 4\nmodule m;\nwire [`WIDTH‸-1:0] w;\nendmodule\n",
        "`define «A»\n`ifdef ‸A\nmodule m;\nendmodule\n`endif\n",
        "`define ADD(a, b) ((a) + (b))\nmodule m;\nint «x»;\nint y = `ADD(1, ‸x);\nendmodule\n",
        "class «B»; endclass\nclass D extends ‸B; endclass\n",
        "class B; int «v»; endclass\nclass D extends B; function void f(); this.‸v = 1; endfunction endclass\n",
        "class B; extern function void f(); endclass\nfunction void B::«f»(); endfunction\n"
        "class D; B b; function void g(); b.f‸(); endfunction endclass\n",
    ],
)
async def test_a_name_leads_to_its_declaration(editor: Editor, text: str, variant: Variant) -> None:
    async with scratch(editor, text, variant) as file:
        assert await file.definition() == file.expected_spans


BOUND = """module dut #(parameter «N» = 1) (input «clk»);
endmodule
module chk #(parameter M = 1) (input «c»);
  logic «seen»;
endmodule
module top;
  logic clk;
  dut «d» (.clk(clk));
  dut e (.clk(clk));
  initial $display(d.u_chk.seen, e.u_one.seen);
endmodule
bind dut chk #(.M(N)) «u_chk» (.c(clk));
bind top.d chk u_two (.c(clk));
bind dut : top.e chk «u_one» (.c(clk));
"""
GROUP = """module m (input clk, input [1:0] a, «b», input «en»);
  covergroup cg with function sample (bit «s»);
    «cpa»: coverpoint a iff (en) { bins «lo» = {0}; }
    b: coverpoint b;
    coverpoint s;
    «both»: cross cpa, a { bins low = binsof(cpa.lo); }
  endgroup
  cg c = new;
  initial $display(c.cpa.get_coverage(), c.both.get_coverage());
endmodule
class C;
  bit [1:0] a;
  covergroup cg;
    «point»: coverpoint a;
  endgroup
  function new(); cg = new; endfunction
  function void f(); cg.point.start(); endfunction
endclass
"""
CONFIG = """module «top»;
  mid «m» ();
endmodule
module «mid»;
  sub «s» ();
endmodule
module sub;
endmodule
module «fast»;
endmodule
config «inner»;
  design work.mid;
endconfig : inner
config outer;
  design work.top;
  instance top.m.s use work.fast;
  instance top.m use inner:config;
endconfig
"""


@pytest.mark.parametrize(
    ("text", "place"),
    [
        *((BOUND, place) for place in ("(.M(‸N", "«u_chk» (.‸c", ".c(‸clk));\nbind top", "e chk «u_one» (.c(‸clk")),
        *((BOUND, place) for place in ("d.‸u_chk", "d.u_chk.‸seen", "e.‸u_one", "e.u_one.‸seen", "bind top.‸d")),
        *((BOUND, place) for place in ("bind top.d chk u_two (.‸c", "bind top.d chk u_two (.c(‸clk")),
        *((GROUP, place) for place in ("iff (‸en", "cross ‸cpa", "binsof(‸cpa", "cpa.‸lo", "c.‸cpa", "c.‸both")),
        *((GROUP, place) for place in ("b: coverpoint ‸b", "coverpoint ‸s", "cg.‸point")),
        *((CONFIG, place) for place in ("work.‸mid", "work.‸top", "instance ‸top.m.s", "top.‸m.s", "m.‸s use")),
        *((CONFIG, place) for place in ("use work.‸fast", "use ‸inner", "endconfig : ‸inner")),
    ],
)
async def test_names_in_bindings_covergroups_and_configs_lead_to_declarations(
    editor: Editor, text: str, place: str
) -> None:
    assert place.replace("‸", "") in text
    name = re.match(r"\w+", place.partition("‸")[2])
    assert name is not None
    async with scratch(editor, text.replace(place.replace("‸", ""), place, 1)) as file:
        (span,) = await file.definition()
        assert span in file.expected_spans
        assert file.text[span.start : span.end] == name[0]


async def test_references_reach_into_bindings_covergroups_and_configs(editor: Editor) -> None:
    texts = {
        "cp.sv": "module m (input clk, input «‸a», b);\ncovergroup g @(posedge clk);\n  l: coverpoint b;\n"
        "  cross «a», l;\n  n: coverpoint «a» iff («a»);\nendgroup\nendmodule\n",
    }
    async with scratch(editor, texts) as file:
        assert await file.references() == file.expected_spans
    on_disk = {"top.sv": "module «top»; sub s (); endmodule\n", "sub.sv": "module sub; endmodule\n"}
    config = "config c;\n  design work.‸«top»;\n  instance «top».s use work.sub;\nendconfig\n"
    async with scratch(editor, {"config.sv": config}, on_disk=on_disk) as file:
        assert await file.references() == file.expected_spans


@pytest.mark.parametrize(
    "text",
    [
        "module m; wire w; // ‸w\nendmodule\n",
        'module m; wire w; initial $display("‸w"); endmodule\n',
        "module m; initial $dis‸play(1); endmodule\n",
        "mod‸ule m; endmodule\n",
        "module m; assign w = ‸nowhere; endmodule\n",
        "‸",
    ],
)
async def test_what_is_no_name_leads_nowhere(editor: Editor, text: str) -> None:
    async with scratch(editor, text) as file:
        assert await file.definition() == []


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "files",
    [
        {"a.sv": "module top;\nfifo‸ f();\nendmodule\n", "b.sv": "module «fifo»;\nendmodule\n"},
        {
            "a.sv": "module top;\nwire c;\nfifo f(.clk‸(c));\nendmodule\n",
            "sub/b.sv": "module fifo(input logic «clk»);\nendmodule\n",
        },
        {
            "a.sv": "module top;\nfifo #(.D‸(3)) f();\nendmodule\n",
            "b.v": "module fifo;\nparameter «D» = 1;\nendmodule\n",
        },
        {
            "a.sv": "module top;\nimport p::*;\nstate_t‸ s;\nendmodule\n",
            "b.sv": "package p;\ntypedef enum {A} «state_t»;\nendpackage\n",
        },
        {"a.sv": "module top;\nint x = ‸p::y;\nendmodule\n", "b.sv": "package «p»;\nint y;\nendpackage\n"},
        {"a.sv": "module top;\nint x = p::y‸;\nendmodule\n", "b.sv": "package p;\nint «y»;\nendpackage\n"},
        {
            "a.sv": "module top;\nfifo f();\ninitial f.g.‸deep = 1;\nendmodule\n",
            "b.sv": "module fifo;\nif (1) begin : g\nlogic «deep»;\nend\nendmodule\n",
        },
        {
            "a.sv": "module user(bus.slave b);\nwire w = b.‸data;\nendmodule\n",
            "b.sv": "interface bus;\nlogic «data»;\nmodport slave(input data);\nendinterface\n",
        },
        {
            "a.sv": "module user(bus.sla‸ve b);\nendmodule\n",
            "b.sv": "interface bus;\nlogic data;\nmodport «slave»(input data);\nendinterface\n",
        },
        {
            "a.sv": '`include "defs.svh"\nmodule m;\nwire [`WI‸DTH:0] w;\nendmodule\n',
            "inc/defs.svh": "`define «WIDTH» 4\n",
        },
        {
            "a.sv": 'module m;\n`include "body.svh"\nendmodule\n',
            "body.svh": "wire «w»;\nassign w‸ = 1;\n",
        },
    ],
)
async def test_a_name_leads_into_another_file(editor: Editor, files: dict[str, str], variant: Variant) -> None:
    async with scratch(editor, files, variant) as file:
        assert await file.definition() == file.expected_spans


async def test_a_file_that_is_not_open_is_found(editor: Editor) -> None:
    async with scratch(
        editor, "module top; fifo‸ f(); endmodule\n", on_disk={"rtl/fifo.sv": "module «fifo»; endmodule\n"}
    ) as file:
        assert await file.definition() == file.expected_spans


async def test_an_unsaved_name_is_found(editor: Editor) -> None:
    async with scratch(
        editor, {"a.sv": "module top; queue‸ f(); endmodule\n", "b.sv": "module fifo; endmodule\n"}
    ) as file:
        assert await file.definition() == []
        file.open_files["b.sv"].type("queue", over_text="fifo")
        (span,) = await file.definition()
        assert (span.file, file.text_of("b.sv")[span.start : span.end]) == ("b.sv", "queue")


async def test_an_included_file_is_opened(editor: Editor) -> None:
    async with scratch(editor, {"a.sv": '`include "de‸fs.svh"\n', "defs.svh": "`define A\n"}) as file:
        (span,) = await file.definition()
        assert (span.file, span.start, span.end) == ("defs.svh", 0, 0)


@pytest.mark.parametrize(
    "text",
    [
        "module m(input a, output q);\nwire «w»;\nassign q = ;\nassign a = w‸;\n",
        "module m;\nwire «w»;\nalways @(posedge begin\n x <= w‸;\nendmodule\n",
        "module m;\nlogic «w»;\ninitial begin if (w‸ begin end\nendmodule\n",
    ],
)
async def test_broken_code_is_followed_as_far_as_it_goes(editor: Editor, text: str) -> None:
    async with scratch(editor, text) as file:
        assert await file.definition() == file.expected_spans


async def test_a_shorthand_connection_means_port_and_net(editor: Editor) -> None:
    text = "module top;\nwire «clk»;\nsub s(.clk‸);\nendmodule\nmodule sub(input «clk»);\nendmodule\n"
    async with scratch(editor, text) as file:
        assert await file.definition() == file.expected_spans


async def test_every_declaration_of_a_port_is_named(editor: Editor) -> None:
    async with scratch(editor, "module m(«q»);\noutput «q»;\nreg «q»;\ninitial q‸ = 1;\nendmodule\n") as file:
        assert await file.declaration() == file.expected_spans


@pytest.mark.parametrize(
    "text",
    [
        "module m;\ntypedef enum {A} «state»;\nstate [3:0] s;\nassign s‸ = 0;\nendmodule\n",
        "module m;\nsub s‸();\nendmodule\nmodule «sub»;\nendmodule\n",
        "interface «bus»;\nendinterface\nmodule m(bus b‸);\nendmodule\n",
        "class «C»; endclass\nmodule m;\nC c‸;\nendmodule\n",
    ],
)
async def test_a_type_is_found(editor: Editor, text: str) -> None:
    async with scratch(editor, text) as file:
        assert await file.type_definition() == file.expected_spans


async def test_a_plain_vector_has_no_type_to_go_to(editor: Editor) -> None:
    async with scratch(editor, "module m;\nlogic [3:0] s‸;\nendmodule\n") as file:
        assert await file.type_definition() == []


@pytest.mark.parametrize(
    "text",
    [
        "module m;\nsub s‸();\nendmodule\nmodule «sub»;\nendmodule\n",
        "virtual class B‸; endclass\nclass «C» extends B; endclass\nclass «D» extends C; endclass\n",
        "virtual class B; pure virtual function void f‸(); endclass\n"
        "class C extends B; virtual function void «f»(); endfunction endclass\n",
        "class B; extern function void f‸(); endclass\nfunction void B::«f»(); endfunction\n",
    ],
)
async def test_implementations_are_found(editor: Editor, text: str) -> None:
    async with scratch(editor, text) as file:
        assert await file.implementation() == file.expected_spans
