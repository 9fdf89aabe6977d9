"""Names behind `with`, in clocking blocks and in structures: each means what slang takes it for."""

from __future__ import annotations

import re

import pytest

from benchwright_verilog.semantics.names.occurrence import NameRole

from ...support.designs.lone_file import lone_analysis

DESIGN = """\
class packet;
  rand int size;
  int sizes[$];
  function void limit(int size_limit);
    void'(randomize() with {size < local::size_limit;});
    sizes = sizes.find(x) with (x > size && x.index > 0);
    sizes = sizes.find with (item > size_limit);
  endfunction
endclass
module m;
  typedef struct packed {logic size; logic [3:0] x;} head_t;
  head_t head = size ? '{size: 1, x: 2} : '0;
  head_t heads[2] = '{'{size: 0, x: 1}, '{x: 3, size: 1}};
  packet p;
  int size, x, item;
  initial begin
    void'(p.randomize() with {size < local::size;});
    void'(p.randomize() with (size) {size < x;});
    void'(std::randomize(size) with {size < 3;});
  end
endmodule
interface bus(input logic clk);
  logic size, x;
  clocking cb @(posedge clk);
    input size;
    output x = size;
  endclocking
endinterface
"""


@pytest.mark.parametrize(
    ("name", "line", "nth", "declared_line"),
    [
        ("size", 5, 0, 2),
        ("size_limit", 5, 0, 4),
        ("x", 6, 0, 6),
        ("x", 6, 1, 6),
        ("x", 6, 2, 6),
        ("size", 6, 0, 2),
        ("size_limit", 7, 0, 4),
        ("item", 7, 0, None),
        ("size", 11, 0, 11),
        ("size", 12, 1, 11),
        ("size", 13, 0, 11),
        ("x", 13, 1, 11),
        ("size", 17, 0, 2),
        ("size", 17, 1, 15),
        ("size", 18, 0, 2),
        ("size", 18, 1, 2),
        ("x", 18, 0, 15),
        ("size", 19, 1, 15),
        ("size", 25, 0, 25),
        ("x", 26, 0, 26),
        ("size", 26, 0, 23),
    ],
)
def test_a_name_means_what_slang_takes_it_for(name: str, line: int, nth: int, declared_line: int | None) -> None:
    line_starts = [0, *(match.end() for match in re.finditer("\n", DESIGN))]
    name_offsets = [
        match.start() for match in re.finditer(rf"\b{name}\b", DESIGN) if match.start() >= line_starts[line - 1]
    ]
    analysis = lone_analysis(DESIGN)
    target = next((occurrence.target for occurrence in analysis.occurrences_at(name_offsets[nth])), None)
    assert (DESIGN.count("\n", 0, target.start) + 1 if target is not None else None) == declared_line


def test_a_signal_of_a_clocking_block_means_the_variable_and_what_it_samples() -> None:
    offset = DESIGN.index("input size") + len("input ")
    occurrences = lone_analysis(DESIGN).occurrences_at(offset)
    assert [
        (occurrence.role, occurrence.is_shorthand, DESIGN.count("\n", 0, occurrence.target.start) + 1)
        for occurrence in occurrences
    ] == [
        (NameRole.DECLARATION, False, 25),
        (NameRole.READ, True, 23),
    ]


def test_super_in_a_body_outside_of_a_class_with_parameters_means_the_base() -> None:
    text = (
        "class b; virtual function void f(); endfunction endclass\n"
        "class c #(int N = 1) extends b; extern virtual function void f(); endclass\n"
        "function void c::f(); super.f(); endfunction\n"
    )
    (occurrence,) = lone_analysis(text).occurrences_at(text.index("super.f") + len("super."))
    assert occurrence.target.start == text.index("f();")


def test_a_field_is_described_where_it_is_declared() -> None:
    (field,) = lone_analysis(DESIGN).occurrences_at(DESIGN.index("x;} head_t"))
    assert field.target.symbol is not None
    assert str(getattr(field.target.symbol, "type", "")) == "logic[3:0]"
