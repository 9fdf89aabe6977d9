"""Effect of each kind of fault on a piece of a design, and what is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_authoring.mutation.catalogue import KINDS
from benchwright_authoring.mutation.mutants import possible_mutants_by_kind

MACHINE = "typedef enum logic [1:0] {A, B, C} t; t s;"


def module_text(body: str) -> str:
    return (
        "module m (input logic clk, rst, input logic [7:0] a, b, input logic signed [7:0] z,\n"
        f"          output logic [7:0] q, output logic w);\n{body}\nendmodule\n"
    )


def mutated_bodies_by_kind(body: str) -> dict[str, list[str]]:
    """By kind, the body with each fault in it."""
    text = module_text(body)
    files = {"m.sv": text.encode()}
    head, tail = module_text("@").split("@")
    return {
        kind: [mutant.apply_to(files)["m.sv"].decode().removeprefix(head).removesuffix(tail) for mutant in kind_mutants]
        for kind, kind_mutants in possible_mutants_by_kind(files, {"m.sv": text}).items()
    }


@pytest.mark.parametrize(
    ("kind", "body", "changed"),
    [
        ("arithmetic-operator", "assign q = a + b;", ["assign q = a - b;"]),
        ("arithmetic-operator", "always_comb q += b;", ["always_comb q -= b;"]),
        ("bitwise-operator", "assign q = a & b;", ["assign q = a | b;"]),
        ("exclusive-or", "assign q = a | b;", ["assign q = a ^ b;"]),
        ("logical-operator", "assign w = a && b;", ["assign w = a || b;"]),
        ("boundary", "assign w = a < b;", ["assign w = a <= b;"]),
        ("comparison", "assign w = a <= b;", ["assign w = a > b;"]),
        ("equality", "assign w = a == b;", ["assign w = a != b;"]),
        ("shift-direction", "assign q = a << b;", ["assign q = a >> b;"]),
        ("shift-sign", "assign q = z >>> b;", ["assign q = z >> b;"]),
        ("reduction-operator", "assign w = &a;", ["assign w = |a;"]),
        ("step-direction", "always_ff @(posedge clk) q++;", ["always_ff @(posedge clk) q--;"]),
        ("negation-dropped", "assign q = ~a;", ["assign q = a;"]),
        ("operand-dropped", "assign w = a && b;", ["assign w = a;", "assign w = b;"]),
        ("condition-opposite", "always_comb if (w) q = a;", ["always_comb if (!(w)) q = a;"]),
        ("condition-always", "always_comb if (w) q = a;", ["always_comb if (1'b1) q = a;"]),
        ("condition-never", "assign q = w ? a : b;", ["assign q = 1'b0 ? a : b;"]),
        ("else-dropped", "always_comb if (w) q = a; else q = b;", ["always_comb if (w) q = a; "]),
        (
            "case-item-dropped",
            "always_comb case (w) 0: q = a; 1: q = b; endcase",
            ["always_comb case (w)  1: q = b; endcase", "always_comb case (w) 0: q = a;  endcase"],
        ),
        (
            "default-dropped",
            "always_comb case (w) 0: q = a; default: q = b; endcase",
            ["always_comb case (w) 0: q = a;  endcase"],
        ),
        (
            "case-items-exchanged",
            "always_comb case (w) 0: q = a; default: q = b; endcase",
            ["always_comb case (w) 0: q = b; default: q = a; endcase"],
        ),
        ("edge", "always_ff @(posedge clk) q <= a;", ["always_ff @(negedge clk) q <= a;"]),
        (
            "reset-synchronous",
            "always_ff @(posedge clk or negedge rst) if (!rst) q <= 0; else q <= a;",
            ["always_ff @(posedge clk) if (!rst) q <= 0; else q <= a;"],
        ),
        (
            "reset-inverted",
            "always_ff @(posedge clk) begin if (!rst) q <= 0; else q <= a; end",
            ["always_ff @(posedge clk) begin if (rst) q <= 0; else q <= a; end"],
        ),
        (
            "reset-never",
            "always @(posedge clk) if (rst) q <= 0; else q <= a;",
            ["always @(posedge clk) if (1'b0) q <= 0; else q <= a;"],
        ),
        (
            "reset-forgotten",
            "always @(posedge clk) if (rst) begin q <= 0; w <= 0; end else q <= a;",
            [
                "always @(posedge clk) if (rst) begin ; w <= 0; end else q <= a;",
                "always @(posedge clk) if (rst) begin q <= 0; ; end else q <= a;",
            ],
        ),
        ("width", "logic [3:0] x;", ["logic [2:0] x;"]),
        ("width", "logic [0:3] x;", ["logic [0:2] x;"]),
        ("depth", "logic x [0:3];", ["logic x [0:2];"]),
        ("sign", "logic signed [3:0] x;", ["logic  [3:0] x;"]),
        ("sign", "assign q = $signed(a);", ["assign q = $unsigned(a);"]),
        ("index", "assign w = a[b];", ["assign w = a[(b) + 1];", "assign w = a[(b) - 1];"]),
        ("part-select", "assign q = a[3:0];", ["assign q = a[4:1];"]),
        ("part-select", "assign q = a[2 +: 2];", ["assign q = a[3 +: 2];", "assign q = a[1 +: 2];"]),
        ("constant-plus-one", "assign q = 8'hFE;", ["assign q = 8'hFF;"]),
        ("constant-plus-one", "assign q = 2'd3;", ["assign q = 2'd0;"]),
        ("constant-plus-one", "assign q = '0;", ["assign q = '1;"]),
        ("constant-minus-one", "assign q = 12;", ["assign q = 11;"]),
        ("concatenation-order", "assign q = {w, a, b};", ["assign q = {a, w, b};", "assign q = {w, b, a};"]),
        ("arms-exchanged", "assign q = w ? a : b;", ["assign q = w ? b : a;"]),
        ("ports-exchanged", "n n1 (.x(a), .y(b));", ["n n1 (.x(b), .y(a));"]),
        ("ports-exchanged", "n n1 (a, b);", ["n n1 (b, a);"]),
        (
            "transition",
            f"{MACHINE} always_comb s = w ? A : C;",
            [f"{MACHINE} always_comb s = w ? B : C;", f"{MACHINE} always_comb s = w ? A : A;"],
        ),
        (
            "state-of-branch",
            f"{MACHINE} always_comb case (s) B: q = a; default: q = b; endcase",
            [f"{MACHINE} always_comb case (s) C: q = a; default: q = b; endcase"],
        ),
        (
            "assignment-dropped",
            "always_comb begin q = a; w = 0; end",
            ["always_comb begin ; w = 0; end", "always_comb begin q = a; ; end"],
        ),
        ("stuck", "assign q = a;", ["assign q = '0;", "assign q = '1;"]),
        ("blocking", "always_ff @(posedge clk) q <= a;", ["always_ff @(posedge clk) q = a;"]),
    ],
)  # fmt: skip
def test_each_kind_makes_its_fault(kind: str, body: str, changed: list[str]) -> None:
    assert mutated_bodies_by_kind(body)[kind] == changed


@pytest.mark.parametrize("condition", ["a == b", "!w", "a < b"])
def test_an_opposite_that_an_operator_makes_too_is_made_once(condition: str) -> None:
    body = f"always_comb if ({condition}) q = a;"
    variants = [text for texts in mutated_bodies_by_kind(body).values() for text in texts]
    assert len(variants) == len(set(variants))
    assert "condition-opposite" not in mutated_bodies_by_kind(body)


def test_kinds_have_names_of_their_own_and_one_is_not_scored() -> None:
    names = [kind.name for kind in KINDS]
    assert len(names) == len(set(names)) >= 15
    assert [kind.name for kind in KINDS if not kind.is_scored] == ["blocking"]


@pytest.mark.parametrize(
    "body",
    [
        "localparam int N;",
        "`define SUM a + 1\n`undef SUM",
        'initial assert (a + 1 == 2) else $error("x");',
        "property p; @(posedge clk) a |-> b == 1; endproperty",
        "typedef enum logic [1:0] {A = 1, B = 2} t;",
        "final $display(a + 1);",
        "// assign q = a + 1;",
    ],
)
def test_what_is_no_part_of_the_behaviour_is_left_alone(body: str) -> None:
    assert not {kind: kind_mutants for kind, kind_mutants in mutated_bodies_by_kind(body).items() if kind != "width"}


def test_ports_and_parameters_of_a_module_stay_as_they_are() -> None:
    text = "module m #(parameter N = 4) (input logic [N-1:0] a);\nendmodule\n"
    assert possible_mutants_by_kind({"m.sv": text.encode()}, {"m.sv": text}) == {}


def test_what_a_macro_stands_for_is_left_alone_and_what_is_beside_it_is_not() -> None:
    text = "`define ONE 1\nmodule m (output int q, r);\nassign q = `ONE;\nassign r = 5;\nendmodule\n"
    by_kind = possible_mutants_by_kind({"m.sv": text.encode()}, {"m.sv": text})
    assert [(mutant.line, mutant.before) for mutant in by_kind["constant-plus-one"]] == [(4, "5")]


def test_nothing_that_a_reference_includes_is_opened(tmp_path: Path) -> None:
    (tmp_path / "secret.svh").write_text("assign w = 1;\n")
    text = f'module m (output w, v);\n`include "{tmp_path}/secret.svh"\nassign v = 1;\nendmodule\n'
    by_kind = possible_mutants_by_kind({"m.sv": text.encode()}, {"m.sv": text})
    assert [mutant.line for mutant in by_kind["constant-plus-one"]] == [3]


def test_deep_nesting_is_walked() -> None:
    body = f"assign w = {'(' * 900}a == b{')' * 900};"
    assert len(mutated_bodies_by_kind(body)["equality"]) == 1
