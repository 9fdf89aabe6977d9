"""Mutants that there are, those that are tried first, and those that slang refuses."""

from __future__ import annotations

from itertools import islice

from benchwright_authoring.mutation.analysis import candidate_mutants
from benchwright_authoring.mutation.mutant import Mutant
from benchwright_authoring.mutation.mutants import MutantCompiler, mutants_in_trial_order, possible_mutants_by_kind
from benchwright_problems.storage.pack_folder import read_built_in

TEXT = """module counter (input logic clk, rst, output logic [3:0] q, output logic top);
  // Schritte: größer als nötig
  assign top = q == 4'd9;
  always_ff @(posedge clk)
    if (rst) q <= 4'd0;
    else q <= top ? 4'd0 : q + 4'd1;
endmodule
"""
FILES = {"counter.sv": TEXT.encode()}


def counter_mutants() -> dict[str, list[Mutant]]:
    return possible_mutants_by_kind(FILES, {"counter.sv": TEXT})


def all_mutants(by_kind: dict[str, list[Mutant]]) -> list[Mutant]:
    return [mutant for kind_mutants in by_kind.values() for mutant in kind_mutants]


def test_each_changed_file_comes_up_once_and_none_is_the_reference() -> None:
    texts = [mutant.apply_to(FILES)["counter.sv"] for mutant in all_mutants(counter_mutants())]
    assert len(texts) == len(set(texts))
    assert FILES["counter.sv"] not in texts


def test_a_mutant_keeps_its_id_and_others_have_another() -> None:
    ids = [mutant.id for mutant in all_mutants(counter_mutants())]
    assert ids == [mutant.id for mutant in all_mutants(counter_mutants())]
    assert len(ids) == len(set(ids))


def test_offsets_are_bytes_where_the_text_is_not_ascii() -> None:
    for mutant in all_mutants(counter_mutants()):
        assert FILES["counter.sv"][mutant.start : mutant.end].decode() == mutant.before


def test_a_sample_takes_every_kind_before_it_takes_one_again() -> None:
    by_kind = counter_mutants()
    first_mutants = list(islice(mutants_in_trial_order(by_kind, "0"), len(by_kind)))
    assert {mutant.kind for mutant in first_mutants} == set(by_kind)


def test_the_same_seed_gives_the_same_order_and_another_seed_another() -> None:
    order = [mutant.id for mutant in mutants_in_trial_order(counter_mutants(), "0")]
    assert order == [mutant.id for mutant in mutants_in_trial_order(counter_mutants(), "0")]
    assert order != [mutant.id for mutant in mutants_in_trial_order(counter_mutants(), "1")]
    assert sorted(order) == sorted(mutant.id for mutant in mutants_in_trial_order(counter_mutants(), "1"))


def test_a_diff_names_the_file_and_the_line() -> None:
    (mutant,) = counter_mutants()["equality"]
    assert mutant.line == 3
    lines = mutant.unified_diff(FILES).splitlines()
    assert lines[:2] == ["--- a/counter.sv", "+++ b/counter.sv"]
    assert "-  assign top = q == 4'd9;" in lines
    assert "+  assign top = q != 4'd9;" in lines


def mutant_with_replacement(old_text: str, new_text: str) -> Mutant:
    start = TEXT.encode().index(old_text.encode())
    return Mutant(
        id="x",
        kind="x",
        path="counter.sv",
        line=1,
        start=start,
        end=start + len(old_text),
        before=old_text,
        after=new_text,
    )


def test_slang_refuses_what_does_not_compile() -> None:
    compiler = MutantCompiler(FILES)
    assert compiler.compiles(mutant_with_replacement("q == 4'd9", "q != 4'd9"))
    assert not compiler.compiles(mutant_with_replacement("q == 4'd9", "unknown == 4'd9"))
    assert not compiler.compiles(mutant_with_replacement("q == 4'd9", "q == "))


def test_a_reference_that_slang_refuses_leaves_the_decision_to_the_harness() -> None:
    broken_files = {"counter.sv": TEXT.replace("4'd9", "NINE").encode()}
    assert MutantCompiler(broken_files).compiles(mutant_with_replacement("module", "modul"))


def test_the_top_is_the_module_that_no_other_instantiates() -> None:
    top_source = b"module top (input logic clk, rst); counter c (.clk, .rst, .q(), .top()); endmodule\n"
    assert MutantCompiler({**FILES, "top.sv": top_source}).path_by_top_module == {"top": "top.sv"}


def test_a_fault_in_one_of_several_top_modules_is_compared_by_that_module() -> None:
    labs = read_built_in("architecture-labs").problems
    problem = next(problem for problem in labs if problem.id == "clock-domain-handshake")
    mutant_candidates = candidate_mutants(problem, seed=0, most_mutants=20)
    assert mutant_candidates.top_module is None
    assert {
        (mutant.path, mutant_candidates.compared_module(mutant)) for mutant in mutant_candidates.chosen_mutants
    } == {
        ("rtl/cdc_source.sv", "cdc_source"),
        ("rtl/cdc_destination.sv", "cdc_destination"),
    }


def test_other_files_of_the_reference_are_compiled_and_only_its_own_changed() -> None:
    fixed_source = b"module given (output logic x); assign x = 1'b1; endmodule\n"
    by_kind = possible_mutants_by_kind(
        {**FILES, "given.sv": fixed_source, "notes.md": b"a + b"}, {"counter.sv": TEXT, "notes.md": "a + b"}
    )
    assert {mutant.path for mutant in all_mutants(by_kind)} == {"counter.sv"}
