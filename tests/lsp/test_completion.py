from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import pytest_lsp
from lsprotocol import types

from .conftest import Editors
from .cursor import VARIANTS, Golden, Scratch, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

SUB = """// Adds one.
module sub #(parameter int W = 8, parameter type T = logic) (
  input logic clk, // the clock
  input logic [W-1:0] data_in,
  output logic [W-1:0] data_out
);
endmodule
"""
PACKAGE = """package shapes;
  typedef struct packed { logic [4:0] red; logic [5:0] green; } pixel_t;
  typedef enum logic [1:0] { IDLE, BUSY, DONE } state_t;
  localparam int DEPTH = 16;
  function automatic int total(input int a, b, int c = 0);
    return a + b + c;
  endfunction
endpackage
"""


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


async def offered(
    editor: Editor, text: str, trigger: str | None = None, on_disk: dict[str, str] | None = None
) -> list[str]:
    async with scratch(editor, text, on_disk=on_disk) as file:
        return [item.label for item in await file.completion(trigger)]


def accepted(file: Scratch, completion_item: types.CompletionItem) -> str:
    """The text after a completion was taken, with the places to fill in at their defaults."""
    edit = completion_item.text_edit
    assert edit is not None
    edit_range = edit.replace if isinstance(edit, types.InsertReplaceEdit) else edit.range
    text = edit.new_text
    if completion_item.insert_text_format is types.InsertTextFormat.Snippet:
        text = re.sub(r"\$\{\d+:((?:[^}\\]|\\.)*)\}|\$\d+", lambda stop: stop[1] or "", text)
        text = re.sub(r"\\([$}\\])", r"\1", text)
    return file.edited_text([types.TextEdit(edit_range, text)])


def item_with_label(completion_items: list[types.CompletionItem], label: str) -> types.CompletionItem:
    return next(item for item in completion_items if item.label == label)


# Instances


@pytest.mark.parametrize("variant", VARIANTS)
async def test_ports_of_an_instance_come_after_a_dot(editor: Editor, variant: Callable[[str], str]) -> None:
    text = "module top (input logic clk);\n  sub u (.clk(clk), .‸);\nendmodule\n"
    async with scratch(editor, text, variant, on_disk={"sub.sv": SUB}) as file:
        completion_items = await file.completion(".")
        assert [item.label for item in completion_items] == ["data_in", "data_out", "the other 2 ports"]
        assert ".clk(clk), .data_in(data_in));" in accepted(file, completion_items[0])
        resolved = await file.resolve(completion_items[0])
    assert isinstance(resolved.documentation, types.MarkupContent)
    assert "input logic [W-1:0] data_in" in resolved.documentation.value


async def test_ports_come_with_their_dot_where_none_is_typed(editor: Editor) -> None:
    labels = await offered(editor, "module top;\n  sub u (‸);\nendmodule\n", "(", {"sub.sv": SUB})
    assert labels[:4] == [".clk", ".data_in", ".data_out", "all 3 ports"]


async def test_parameters_come_in_a_parameter_list(editor: Editor) -> None:
    async with scratch(editor, "module top;\n  sub #(.‸) u ();\nendmodule\n", on_disk={"sub.sv": SUB}) as file:
        completion_items = await file.completion(".")
        assert [item.label for item in completion_items] == ["W", "T", "all 2 parameters"]
        assert "sub #(.W(8)) u" in accepted(file, completion_items[0])


async def test_a_whole_instance_is_written_at_once(editor: Editor, golden: Golden) -> None:
    async with scratch(editor, "module top;\n  su‸\nendmodule\n", on_disk={"sub.sv": SUB}) as file:
        completion_items = await file.completion()
        whole_instance = item_with_label(completion_items, "sub …")
        assert completion_items.index(whole_instance) < completion_items.index(item_with_label(completion_items, "sub"))
        golden.check("instance.sv", accepted(file, whole_instance))
        resolved = await file.resolve(whole_instance)
    assert isinstance(resolved.documentation, types.MarkupContent)
    assert "Adds one." in resolved.documentation.value


async def test_no_module_is_offered_inside_of_itself(editor: Editor) -> None:
    assert "subtle" not in await offered(editor, "module subtle;\n  su‸\nendmodule\n")


async def test_a_port_that_has_its_parentheses_gets_no_others(editor: Editor) -> None:
    async with scratch(editor, "module top;\n  sub u (.da‸(x));\nendmodule\n", on_disk={"sub.sv": SUB}) as file:
        completion_items = await file.completion()
        assert ".data_in(x));" in accepted(file, item_with_label(completion_items, "data_in"))


# Members


@pytest.mark.parametrize(
    ("text", "expected_labels"),
    [
        ("module m;\n  import shapes::*;\n  pixel_t p;\n  assign p.‸\nendmodule\n", ["red", "green"]),
        ("module m;\n  shapes::pixel_t p [4];\n  assign p[2].‸\nendmodule\n", ["red", "green"]),
        ("module m;\n  sub u ();\n  initial $display(u.‸);\nendmodule\n", ["clk", "data_in", "data_out", "W", "T"]),
        ("module m;\n  if (1) begin : g\n    logic inner;\n  end\n  assign g.‸ = 1;\nendmodule\n", ["inner"]),
        ("module m;\n  int q [$];\n  initial q.pu‸\nendmodule\n", ["push_back", "push_front"]),
        ("module m;\n  string s;\n  int n = s.le‸;\nendmodule\n", ["len"]),
        ("module m;\n  shapes::state_t s;\n  initial s = s.ne‸;\nendmodule\n", ["next"]),
    ],
)
async def test_members_come_after_a_dot(editor: Editor, text: str, expected_labels: list[str]) -> None:
    labels = await offered(editor, text, None, {"shapes.sv": PACKAGE, "sub.sv": SUB})
    assert set(expected_labels) <= set(labels[: len(expected_labels) + 3])
    assert not {"always", "module", "$display"} & set(labels)


async def test_members_of_the_base_class_come_after_super(editor: Editor) -> None:
    text = (
        "class b;\nint x;\nendclass\nclass c extends b;\nint y;\nfunction void f();\nsuper.‸\nendfunction\nendclass\n"
    )
    labels = await offered(editor, text, ".")
    assert "x" in labels
    assert "y" not in labels


async def test_an_interface_gives_its_signals_and_a_modport_only_its_own(editor: Editor) -> None:
    bus = "interface bus;\n  logic valid, ready;\n  modport sink(input valid);\nendinterface\n"
    on_disk = {"bus.sv": bus}
    interface_labels = await offered(editor, "module m (bus b);\n  assign b.‸\nendmodule\n", ".", on_disk)
    assert {"valid", "ready", "sink"} <= set(interface_labels)
    assert await offered(editor, "module m (bus.sink b);\n  assign b.‸\nendmodule\n", ".", on_disk) == ["valid"]
    assert await offered(editor, "module m (bus.‸ b);\nendmodule\n", ".", on_disk) == ["sink"]


async def test_items_of_a_package_come_after_colons(editor: Editor) -> None:
    text = "module m;\n  int n = shapes::‸;\nendmodule\n"
    labels = await offered(editor, text, ":", {"shapes.sv": PACKAGE})
    assert set(labels) == {"pixel_t", "state_t", "IDLE", "BUSY", "DONE", "DEPTH", "total"}


async def test_packages_come_after_import(editor: Editor) -> None:
    assert await offered(editor, "module m;\n  import ‸\nendmodule\n", None, {"shapes.sv": PACKAGE}) == ["shapes"]


# Names in scope


async def test_what_fits_the_type_comes_first_then_the_nearer(editor: Editor) -> None:
    text = (
        "module m;\n  logic [3:0] narrow;\n  logic [7:0] result, wide;\n  always_comb begin\n"
        "    automatic logic [7:0] own;\n    result = ‸;\n  end\nendmodule\n"
    )
    labels = await offered(editor, text)
    assert set(labels[:3]) == {"own", "result", "wide"}
    assert labels.index("narrow") > 2


async def test_what_fits_a_port_comes_first_in_its_connection(editor: Editor) -> None:
    text = "module m;\n  logic a;\n  logic [7:0] b;\n  logic [8:0] c;\n  sub u (.data_in(‸));\nendmodule\n"
    assert (await offered(editor, text, None, {"sub.sv": SUB}))[0] == "b"


@pytest.mark.parametrize(
    ("first_statement", "second_statement", "is_known"), [("inn‸;", "", True), ("", "inn‸;", False)]
)
async def test_locals_are_known_only_in_their_block(
    editor: Editor, first_statement: str, second_statement: str, is_known: bool
) -> None:
    text = (
        "module m;\n  initial begin\n    int inner;\n"
        f"    x = {first_statement or '1;'}\n  end\n  initial begin\n    x = {second_statement or '1;'}\n  "
        "end\nendmodule\n"
    )
    assert ("inner" in await offered(editor, text)) is is_known


async def test_a_function_is_called_with_the_arguments_it_needs(editor: Editor) -> None:
    text = "module m;\n  int n = shapes::to‸;\nendmodule\n"
    async with scratch(editor, text, on_disk={"shapes.sv": PACKAGE}) as file:
        assert "shapes::total(a, b);" in accepted(file, item_with_label(await file.completion(), "total"))


async def test_a_name_typed_before_another_replaces_it_or_not(editor: Editor) -> None:
    async with scratch(editor, "module m;\n  logic first;\n  assign x = fi‸rst;\nendmodule\n") as file:
        edit = item_with_label(await file.completion(), "first").text_edit
    assert isinstance(edit, types.InsertReplaceEdit)
    assert edit.insert.end == file.position
    assert file.words(edit.replace) == ["first"]


# Words of the language


@pytest.mark.parametrize(
    ("text", "expected_labels", "has_not"),
    [
        ("mod‸", ["module"], ["modport"]),
        ("module m;\n  alw‸\nendmodule\n", ["always_comb", "always_ff"], []),
        ("module m;\n  initial begin\n    fo‸\n  end\nendmodule\n", ["for", "forever", "foreach"], []),
        ("module m (inp‸);\nendmodule\n", ["input"], ["initial"]),
        ("module m;\n  initial $dis‸\nendmodule\n", ["$display"], ["display"]),
        ("module m;\n  localparam N = $c‸;\nendmodule\n", ["$clog2", "$countones"], []),
        ("`def‸", ["`define", "`default_nettype"], []),
        ("`define ONE 1\nmodule m;\n  wire w = `O‸;\nendmodule\n", ["`ONE"], []),
        ("`define ONE 1\n`ifdef O‸\n`endif\n", ["ONE"], ["`ONE"]),
        ("module m;\n  ffs‸\nendmodule\n", ["ffs"], []),
        ("module m;\n  initial begin\n    be‸\n  end\nendmodule\n", ["begin"], ["$bitstoreal"]),
    ],
)
async def test_words_fit_their_place(editor: Editor, text: str, expected_labels: list[str], has_not: list[str]) -> None:
    labels = await offered(editor, text)
    assert set(expected_labels) <= set(labels)
    assert not set(has_not) & set(labels)


async def test_a_macro_is_offered_with_its_arguments(editor: Editor) -> None:
    text = "`define MAX(a, b) ((a) > (b))\nmodule m;\n  wire w = `M‸;\nendmodule\n"
    async with scratch(editor, text) as file:
        macro_item = item_with_label(await file.completion(), "`MAX")
        assert "wire w = `MAX(a, b);" in accepted(file, macro_item)


async def test_files_come_in_an_include(editor: Editor) -> None:
    on_disk = {"defs.svh": "", "rtl/other.svh": "", "notes.txt": ""}
    assert await offered(editor, '`include "‸"\n', '"', on_disk) == ["defs.svh", "rtl/"]
    assert await offered(editor, '`include "rtl/‸"\n', "/", on_disk) == ["other.svh"]


@pytest.mark.parametrize(
    ("text", "trigger"),
    [
        ("module m;\n  // alw‸\nendmodule\n", None),
        ("module m;\n  /* $dis‸ */\nendmodule\n", None),
        ('module m;\n  initial $display("alw‸");\nendmodule\n', None),
        ("module m;\n  wire w = 8'h‸\nendmodule\n", None),
        ("module al‸\n", None),
        ("module m;\n  logic al‸\nendmodule\n", None),
        ("module m;\n  initial case (x) 1:‸\nendmodule\n", ":"),
        ("module m;\n  initial #‸\nendmodule\n", "#"),
        ("module m;\n  initial if (‸\nendmodule\n", "("),
        ("module m;\n  assign nothing.‸\nendmodule\n", "."),
    ],
)
async def test_nothing_is_offered_where_nothing_is_known(editor: Editor, text: str, trigger: str | None) -> None:
    assert await offered(editor, text, trigger) == []


async def test_half_a_module_is_enough(editor: Editor) -> None:
    text = "module m (input logic first);\n  assign = ;\n  always_comb begin\n    if (first) x = fi‸\n"
    assert "first" in await offered(editor, text)


async def test_what_was_typed_a_moment_ago_is_offered(editor: Editor) -> None:
    async with scratch(editor, "module m;\n  assign x = fr‸;\nendmodule\n") as file:
        assert "fresh" not in [item.label for item in await file.completion()]
        file.type("  logic fresh;\n", after_text="module m;\n")
        file.go_to("fr;", is_after=False).cursor_offset += 2
        assert "fresh" in [item.label for item in await file.completion()]


async def test_members_of_what_was_typed_a_moment_ago_are_offered_in_a_long_file(editor: Editor) -> None:
    filler = "".join(f"  logic [7:0] stage_{number}; // a line among many\n" for number in range(600))
    text = f"module m;\n{filler}  shapes::pixel_t old;\n  assign x = ‸;\nendmodule\n"
    async with scratch(editor, text, on_disk={"shapes.sv": PACKAGE}) as file:
        assert await file.completion()
        file.enter("brand_new.")
        file.type("  shapes::pixel_t brand_new;\n", after_text="module m;\n")
        file.go_to("brand_new.;").cursor_offset += len("brand_new.")
        assert [item.label for item in await file.completion(".")] == ["red", "green"]


async def test_documentation_of_an_older_list_is_not_mixed_up(editor: Editor) -> None:
    async with scratch(editor, "module m;\n  logic first;\n  assign x = fi‸;\nendmodule\n") as file:
        old_item = item_with_label(await file.completion(), "first")
        await file.completion()
        assert (await file.resolve(old_item)).documentation is None


async def test_a_client_without_snippets_gets_plain_text(editors: Editors) -> None:
    capabilities = pytest_lsp.client_capabilities("visual-studio-code")
    assert capabilities.text_document is not None
    capabilities.text_document.completion = types.CompletionClientCapabilities()
    editor = await editors(capabilities=capabilities)
    async with scratch(editor, "module top;\n  su‸\nendmodule\n", on_disk={"sub.sv": SUB}) as file:
        instance_item = item_with_label(await file.completion(), "sub …")
        assert instance_item.insert_text_format is None
        assert isinstance(instance_item.text_edit, types.TextEdit)
        assert "    .data_in(data_in)," in accepted(file, instance_item)


@pytest.mark.parametrize("parameter", ["type T = int", "type T"])
@pytest.mark.parametrize(
    "class_use",
    ["config_db#(string)::‸", "config_db #(virtual bus_if)::g‸", "if (!config_db#(int)::‸", "void'(config_db#(int)::‸"],
)
async def test_a_class_with_parameters_offers_what_follows_its_scope(
    editor: Editor, parameter: str, class_use: str
) -> None:
    text = f"""\
class config_db #({parameter});
  static function void set(string path, T value); endfunction
  static function bit get(string path, inout T value); return 1; endfunction
endclass
interface bus_if; endinterface
module n;
  initial begin
    {class_use}
  end
endmodule
"""
    async with scratch(editor, text) as file:
        labels = {item.label for item in await file.completion()}
        assert labels >= ({"get"} if "::g" in class_use else {"set", "get"})


STATIC = """\
class base #(type T = int);
  static int count; T kept;
  static function T made(T from); return from; endfunction
  function void use_it(T one); endfunction
  extern function void later();
  typedef T item_t;
endclass
class plain; static function void go(); endfunction  function void stay(); endfunction  int own; endclass
class child extends plain;
  function void run(); {inside} endfunction
endclass
function void plain::{outside} endfunction
module n;
  initial begin
    {use}
  end
endmodule
"""


@pytest.mark.parametrize(
    ("class_use", "inside_text", "outside_text", "offered_labels", "left_out"),
    [
        ("plain::‸", "", "", {"go"}, {"stay", "own"}),
        ("base#(byte)::‸", "", "", {"count", "made", "item_t"}, {"kept", "use_it", "later"}),
        # An object is there where a class extends it.
        ("", "plain::‸", "", {"go", "stay"}, set()),
        # A method is written outside of its class.
        ("", "", "‸", {"go", "stay"}, set()),
    ],
)
async def test_behind_a_class_only_what_needs_no_object_is_offered(
    editor: Editor, class_use: str, inside_text: str, outside_text: str, offered_labels: set[str], left_out: set[str]
) -> None:
    text = STATIC.format(use=class_use, inside=inside_text, outside=outside_text)
    async with scratch(editor, text) as file:
        labels = {item.label for item in await file.completion()}
        assert labels >= offered_labels
        assert labels.isdisjoint(left_out)


@pytest.mark.parametrize("class_use", ["base#(byte)::m‸", "base#(.T(byte))::m‸", "base #( byte ) ::m‸"])
async def test_what_is_given_for_a_parameter_is_in_the_documentation(editor: Editor, class_use: str) -> None:
    async with scratch(editor, STATIC.format(use=class_use, inside="", outside="")) as file:
        resolved_item = await file.resolve(item_with_label(await file.completion(), "made"))
        assert isinstance(resolved_item.documentation, types.MarkupContent)
        assert "function byte made(byte from)" in resolved_item.documentation.value


MEMBERS = """interface link;
  logic request, secret;
  modport reader(input request);
endinterface
package kinds;
  class item;
    int first, second;
    function item next_item();
    endfunction
  endclass
  typedef struct {int low; int high;} bounds_t;
  typedef enum {ZERO_STATE, YELLOW_STATE} state_t;
endpackage
function int helper(); endfunction
module sub(input clock);
endmodule
module m import kinds::*; (input clock);
  item items[$];
  bounds_t bounds, table_of_bounds[3], grid_of_bounds[2][3];
  struct packed {state_t phase; logic last;} step;
  string text;
  covergroup group; endgroup
  group cover_group = new;
  state_t state;
  virtual link.reader port;
  item one_item;
  initial begin
    STATEMENT
  end
endmodule
"""


@pytest.mark.parametrize(
    ("statement", "offered", "refused"),
    [
        ("items.‸;", {"push_back", "size"}, {"first"}),
        ("items[0].‸;", {"first", "second"}, {"push_back"}),
        ("items.pop_front().‸;", {"first", "second"}, {"push_back"}),
        ("one_item.next_item().‸;", {"first", "second"}, set()),
        ("table_of_bounds.‸;", {"size"}, {"low"}),
        ("table_of_bounds[1].‸;", {"low", "high"}, {"size"}),
        ("port.‸;", {"request"}, {"secret", "reader"}),
        ("state.‸;", {"name", "next"}, {"ZERO_STATE"}),
        ("process::‸;", {"self", "FINISHED"}, {"kill"}),
        ("$unit::‸;", {"helper"}, set()),
        ("bounds = '{‸};", {"low:", "high:"}, set()),
        ("bounds = '{low: 1, ‸};", {"high:"}, {"low:"}),
        ("table_of_bounds[0] = '{‸};", {"low:", "high:"}, set()),
        ("grid_of_bounds[0].‸;", {"size"}, {"low"}),
        ("grid_of_bounds[0][1].‸;", {"low", "high"}, {"size"}),
        ("text.substr(0, 1).‸;", {"len", "toupper"}, set()),
        ("state.next().name().‸;", {"len"}, {"next"}),
        ("cover_group.‸;", {"sample", "get_coverage"}, set()),
        ("$root.‸;", {"m", "sub"}, {"link"}),
    ],
)
async def test_members_are_those_of_the_type_that_the_path_has(
    editor: Editor, statement: str, offered: set[str], refused: set[str]
) -> None:
    async with scratch(editor, MEMBERS.replace("STATEMENT", statement)) as file:
        labels = {proposal.label for proposal in await file.completion()}
    assert offered <= labels
    assert not refused & labels


@pytest.mark.parametrize(
    "statement",
    [
        *("if (state == ‸);", "if (state !== ‸);", "case (state) ‸: ; endcase", "case (state) ZERO_STATE: ; ‸ endcase"),
        *("if (step.phase == ‸);", "case (step.phase) ‸: ; endcase", "if (state inside {‸});", "step = '{phase: ‸};"),
    ],
)
async def test_values_of_the_enumeration_that_is_compared_come_first(editor: Editor, statement: str) -> None:
    async with scratch(editor, MEMBERS.replace("STATEMENT", statement)) as file:
        labels = [proposal.label for proposal in await file.completion()]
    assert {"YELLOW_STATE", "ZERO_STATE"} <= set(labels[:3])


async def test_an_opened_connection_offers_what_can_be_connected(editor: Editor) -> None:
    text = MEMBERS.replace("  initial", "  sub u (.clock(‸));\n  initial")
    async with scratch(editor, text) as file:
        assert (await file.completion(trigger="("))[0].label == "clock"


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("top.gl[0].", {"inner", "u"}),
        ("dut.gl[0].", {"inner", "u"}),
        ("tb.dut.gl[1].u.", {"clk", "seen"}),
        ("top.gl[0].u.", {"clk", "seen"}),
    ],
)
async def test_a_path_goes_through_generate_blocks_from_a_top_or_an_instance(
    editor: Editor, path: str, names: set[str]
) -> None:
    design = (
        "module leaf (input clk, output logic seen); endmodule\nmodule top;\n"
        "  for (genvar i = 0; i < 2; i++) begin : gl\n    wire inner; leaf u (.clk(), .seen());\n  end\nendmodule\n"
    )
    text = f"{design}module tb;\n  top dut ();\n  initial $display({path}‸);\nendmodule\n"
    async with scratch(editor, text) as file:
        assert names <= {item.label for item in await file.completion(".")}


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("module m;\n  endm‸\n", ["endmodule"]),
        ("module m;\nendmodule‸\n", []),
        ("module m;\nendmodule\nendm‸\n", []),
        ("module m;\n  assign x = 1;\n  end‸\n", ["endmodule"]),
        ("module m;\n  function int f();\n    end‸\n", ["endfunction"]),
    ],
)
async def test_only_what_is_open_is_closed_and_no_word_that_is_whole_is_offered_alone(
    editor: Editor, text: str, labels: list[str]
) -> None:
    assert await offered(editor, text) == labels
