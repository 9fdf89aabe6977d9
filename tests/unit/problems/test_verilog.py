from __future__ import annotations

from benchwright_problems.verilog import module_without_content, modules, parameter_names_by_module, rename_identifier


def test_modules_and_what_they_instantiate() -> None:
    text = "module a; b one(); generate if (1) c #(.W(1)) two(); endgenerate endmodule\nmodule b; endmodule\n"
    first_module, second_module = modules(text)
    assert (first_module.name, set(first_module.instances)) == ("a", {("b", "one"), ("c", "two")})
    assert (second_module.name, second_module.instances) == ("b", ())


def test_instances_beside_each_other_are_all_there() -> None:
    (module,) = modules("module m; e s(a), t(b); endmodule\n")
    assert module.instances == (("e", "s"), ("e", "t"))


def test_a_broken_source_gives_what_can_be_read() -> None:
    assert modules("") == ()
    assert modules("\0 endmodule )") == ()
    assert [module.name for module in modules("module a (; x y z")] == ["a"]


def test_the_parameters_of_a_module_are_those_that_an_instance_can_set() -> None:
    text = """
module listed #(parameter int A = 1, B = 2, localparam C = 3, int D = 4, parameter E = 5, parameter type T = int) ();
  parameter INNER = 1;
endmodule
module bare #(F = 1, int G = 2) (); endmodule
module own; parameter H = 1, I = 2; localparam J = 3; endmodule
module none; endmodule
"""
    parameters = {module: sorted(names) for module, names in parameter_names_by_module(text).items()}
    assert parameters == {"listed": ["A", "B", "E"], "bare": ["F", "G"], "own": ["H", "I"], "none": []}


def test_an_empty_module_keeps_parameters_and_ports() -> None:
    text = (
        "`timescale 1ns/1ps\n// é\nmodule m (p, a);\n  parameter W = 8;\n  input [W-1:0] a;\n  output [W-1:0] p;\n"
        "  reg [W-1:0] p;\n  always @* p = a;\nendmodule\n"
    )
    assert module_without_content(text, "m") == (
        "`timescale 1ns/1ps\nmodule m (p, a);\nparameter W = 8;\ninput [W-1:0] a;\noutput [W-1:0] p;\nendmodule\n"
    )
    assert module_without_content(text, "other") is None


def test_renaming_takes_whole_identifiers() -> None:
    assert (
        rename_identifier("old old_1 my_old old$ $old `old x.old", "old", "new")
        == "new old_1 my_old old$ $old `new x.new"
    )
