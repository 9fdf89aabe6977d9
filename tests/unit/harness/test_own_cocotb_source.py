from __future__ import annotations

from benchwright_harness.own_tests.cocotb_source import cocotb_tests, repeatedly_named_tests, toplevel_literal


def names_of_tests(text: str) -> list[str]:
    return [test.name for test in cocotb_tests(text)]


def case_names(decorator: str) -> tuple[str, ...]:
    (test,) = cocotb_tests(f"import cocotb\n@cocotb.test()\n@cocotb.parametrize({decorator})\nasync def t(dut): ...\n")
    return test.cases


def test_functions_with_the_decorator_are_tests_under_whatever_name_it_was_imported() -> None:
    text = """
import cocotb as c
from cocotb import test as check, parametrize

@c.test
async def bare(dut): ...

@check(timeout_time=3)
async def called(dut): ...

@check(name="other")
async def named(dut): ...

@parametrize(a=[1])
async def only_parameters(dut, a): ...

@unknown.test
async def of_another_library(dut): ...

def helper(): ...
"""
    assert names_of_tests(text) == ["bare", "called", "other", "only_parameters"]


def test_cases_are_called_as_cocotb_calls_them() -> None:
    assert case_names("a=[0, 1], b=['x', 'y']") == ("t/a=0/b=x", "t/a=0/b=y", "t/a=1/b=x", "t/a=1/b=y")
    assert case_names("('a', [1.5, None]), (('b', 'c'), [(1, 2), (3, 4)])") == (
        "t/a=1.5/b=1/c=2",
        "t/a=1.5/b=3/c=4",
        "t/a=None/b=1/c=2",
        "t/a=None/b=3/c=4",
    )
    assert case_names("a=range(2)") == ("t/a=0", "t/a=1")
    assert case_names("a=['more than ten characters', 'x']") == ("t/a=0", "t/a=1")


def test_values_that_only_running_tells_give_no_cases() -> None:
    assert case_names("a=WIDTHS") == ()
    assert case_names("a=[len('x'), 2]") == ()


def test_the_last_function_of_a_name_is_the_test() -> None:
    (test,) = cocotb_tests("import cocotb\n@cocotb.test()\nasync def t(d): ...\n@cocotb.test()\nasync def t(d): ...\n")
    assert test.line == 5


def test_broken_and_hostile_files_have_no_tests() -> None:
    assert cocotb_tests("async def (") == ()
    assert cocotb_tests("a = " + "(" * 100_000) == ()
    assert cocotb_tests("import cocotb\0") == ()


def test_the_top_is_what_the_runner_is_given() -> None:
    assert toplevel_literal("runner.build(sources=s, hdl_toplevel='fifo')") == "fifo"
    assert toplevel_literal("runner.build(hdl_toplevel=name)") is None


def test_tests_of_one_name_are_repeated_whatever_their_functions_are_called() -> None:
    text = """
import cocotb

@cocotb.test(name="counts")
async def first(dut): ...

@cocotb.test()
async def counts(dut): ...

@cocotb.test()
async def first(dut): ...

def test_first(): ...
"""
    assert [(test.name, test.line) for test in repeatedly_named_tests(text)] == [("counts", 8), ("first", 11)]
    assert repeatedly_named_tests("def test_a(): ...\ndef helper(): ...\ndef helper(): ...\n") == ()
    assert repeatedly_named_tests("def test_a(:") == ()
