from __future__ import annotations

import json
from typing import Any

import pytest

from benchwright_harness.errors import BadHarnessError
from benchwright_harness.plan.plan import make_plan
from benchwright_harness.plan.testbench import PREDICTABLE, READABLE, UNHEARD, plan_testbench
from benchwright_harness.plan.testbench_text import DATA, RUN
from benchwright_problems.criterion import CriterionTable, Simulator

TEST = """module tb;
  RefModule good1 (.y(a), .good1(b));
  TopModule u1 (.y(c));
  initial if (good1.x) #5 $finish;
  else $finish(1);
  final $display("Mismatches: %1d in %1d samples", tb.e, u1.n); // $display("passed")
  initial $display("tb RefModule u10");
endmodule
"""
DESCRIBED = {
    "criterion": "verilogeval",
    "top": "tb",
    "design": ["rtl/a.sv", "rtl/b.sv"],
    "testbench": ["test.sv", "lib/ref.sv"],
    "private": ["tb", "RefModule", "good1", "u1"],
}


def harness(test: str = TEST, **description_changes: object) -> dict[str, str]:
    described = {key: value for key, value in {**DESCRIBED, **description_changes}.items() if value is not None}
    files = {"testbench.json": json.dumps(described), "test.sv": test, "lib/ref.sv": "module RefModule; endmodule\n"}
    return files | {"d/data.txt": "1\n"}


def rewritten_testbench(
    test: str = TEST, simulator: Simulator = "icarus", *, has_channel: bool = True, **change: Any
) -> str:
    """The testbench as a run compiles it; its token is left out."""
    _, simulation = plan_testbench(harness(test, **change), simulator, has_channel=has_channel)
    return simulation.files[f"/src/{RUN}/testbench.sv"].replace(f"${RUN}", "$").replace(RUN, "")


def run_script(**change: Any) -> str:
    return plan_testbench(harness(**change), "icarus")[1].files[f"/src/{RUN}/run.sh"]


def test_icarus_compiles_the_design_and_the_testbench_apart_and_runs_them() -> None:
    criterion, simulation = plan_testbench(harness(), "icarus")
    assert (criterion.table, criterion.speaks_to_supervisor) == (CriterionTable(preset="verilogeval"), True)
    assert simulation.argv[:4] == ("/bin/sh", f"/src/{RUN}/run.sh", "iverilog", "-u")
    assert simulation.argv[-2:] == (f"/src/{RUN}/design.sv", f"/src/{RUN}/testbench.sv")
    assert simulation.argv[simulation.argv.index("-s") + 1] == f"tb${RUN}"
    assert simulation.files[f"/src/{RUN}/design.sv"] == '`include "/code/rtl/a.sv"\n`include "/code/rtl/b.sv"\n'
    assert "\nvvp -n -M /opt/benchwright/channel -m channel design.vvp; ended=$?; " in run_script()


def test_a_lone_design_is_compiled_as_it_is() -> None:
    assert plan_testbench(harness(design=["rtl/a.sv"]), "icarus")[1].argv[-2] == "/code/rtl/a.sv"


def test_verilator_builds_a_program_and_runs_it() -> None:
    _, simulation = plan_testbench(harness(timescale="1ns/1ps"), "verilator")
    assert simulation.argv[2:5] == ("verilator", "--binary", "--timing")
    assert simulation.argv[simulation.argv.index("--timescale") + 1] == "1ns/1ps"
    assert simulation.files[f"/src/{RUN}/run.sh"].endswith(
        "\n./obj_dir/simulation; ended=$?; [ $ended = 152 ] && exit 122;"
        " case $ended in 120|122) exit 1;; esac; exit $ended\n"
    )
    assert simulation.files[f"/src/{RUN}/testbench.sv"].startswith("`undefineall\n")


def test_a_default_timescale_stands_before_everything() -> None:
    _, simulation = plan_testbench(harness(timescale="1ns/1ns"), "icarus")
    for name in ("design.sv", "testbench.sv"):
        assert simulation.files[f"/src/{RUN}/{name}"].startswith("`timescale 1ns/1ns\n")


def test_a_text_of_the_testbench_is_a_record() -> None:
    text = rewritten_testbench('module tb; initial $display("a%d", f(1, ")")); endmodule')
    assert 'initial begin $swrite(bw::text, "a%d", f(1, ")")); $bw_say(1, bw::text); end endmodule' in text
    assert (
        '"Mismatches: %1d in %1d samples", tb$.e, u1$.n); $bw_say(3, bw::text); end // $display'
        in rewritten_testbench()
    )


@pytest.mark.parametrize(
    ("call", "record"),
    [
        ("$display;", 'begin $swrite(bw::text, ""); $bw_say(1, bw::text); end'),
        ("$display();", 'begin $swrite(bw::text, ""); $bw_say(1, bw::text); end'),
        ("$write(a);", "begin $swrite(bw::text, a); $bw_say(0, bw::text); end"),
        ("$displayh(a,,b);", "begin $swriteh(bw::text, a,,b); $bw_say(1, bw::text); end"),
        ("$fdisplay(1, a);", "begin $swrite(bw::text, a); $bw_say(1, bw::text); end"),
        ("$fdisplay(file, a);", "$fdisplay(file, a);"),
        ("$error(a);", "begin $swrite(bw::text, a); $bw_say(1, bw::text); $error(a); end"),
        ("$finish;", "begin $bw_end(1); $finish; end"),
        ("$finish(1);", "begin $bw_end(1); $finish(1); end"),
        ("$stop;", "begin $bw_end(1); $finish; end"),
        ("$fatal(1);", "$fatal(1);"),
        ('"$display(x);"', '"$display(x);"'),
        ("`SAY; // $finish", "`SAY; // $finish"),
    ],
)
def test_a_call_becomes_one_statement(call: str, record: str) -> None:
    assert f"else {record}\n" in rewritten_testbench(f"module tb; initial if (a) b = 1; else {call}\nendmodule")


@pytest.mark.parametrize(
    ("draw", "icarus", "verilator"),
    [
        ("$random", "$random(bw::random_state)", "bw::draw()"),
        ("{$random ()} % 3", "{$random(bw::random_state)} % 3", "{bw::draw()} % 3"),
        ("$urandom", "$unsigned($random(bw::urandom_state) ^ 32'h80000000)", "bw::draw_unsigned()"),
        ("$urandom_range({a, b})", "$unsigned({bw::draw_range({a, b}, 0)})", "bw::draw_range({a, b}, 0)"),
        ("$urandom_range(f(1, 2), 9)", "$unsigned({bw::draw_range(f(1, 2), 9)})", "bw::draw_range(f(1, 2), 9)"),
        ("$random(seed)", "$random(seed)", "$random(seed)"),
        ("$urandom(1)", "$urandom(1)", "$urandom(1)"),
    ],
)
def test_a_draw_without_a_seed_is_from_a_generator_of_the_testbenchs_own(
    draw: str, icarus: str, verilator: str
) -> None:
    test = f"module tb; initial a = {draw}; endmodule"
    assert f"initial a = {icarus};" in rewritten_testbench(test)
    assert f"initial a = {verilator};" in rewritten_testbench(test, "verilator")
    assert plan_testbench(harness(test), "icarus")[1].takes_seed == ("seed" not in draw and "(1)" not in draw)


def test_each_run_can_have_a_seed() -> None:
    plan = make_plan(harness("module tb; initial a = $random; endmodule"))
    files = plan.for_one_run("0123456789abcdef").steps[0].files
    assert any("64'h0123456789abcdef" in text for text in files.values())
    assert plan.takes_seed
    assert not make_plan(harness()).takes_seed


@pytest.mark.parametrize(
    ("test", "takes_seed"),
    [
        ("import random\n", True),
        ("from random import randint\n", True),
        ("import cocotb, random\n", True),
        ("    from numpy import random\n", True),
        ("rng = Random(cocotb.RANDOM_SEED)\n", True),
        ("import cocotb  # nothing random\n", False),
    ],
)
def test_tests_in_python_that_draw_can_have_a_seed(test: str, takes_seed: bool) -> None:
    compose = "services: {sim: {image: a, command: pytest, environment: {COCOTB_RANDOM_SEED: 7}}}"
    plan = make_plan({"docker-compose.yml": compose, "src/test_a.py": test})
    assert plan.takes_seed is takes_seed
    environments = [plan.for_one_run(*seed).steps[0].env for seed in ((), ("0123456789abcdef",))]
    # What the harness itself says stays.
    assert [env["COCOTB_RANDOM_SEED"] for env in environments] == ["7", "7"]
    assert [env["RANDOM_SEED"] for env in environments] == ["1", str(0x0123456789ABCDEF >> 33)]


def test_draws_that_the_design_shares_are_a_remark() -> None:
    _, simulation = plan_testbench(harness("module tb; initial void'(std::randomize(a)); endmodule"), "verilator")
    assert (simulation.takes_seed, simulation.remarks) == (False, (PREDICTABLE,))
    assert (
        PREDICTABLE
        in plan_testbench(harness("module tb; initial a = $random; endmodule"), "icarus", has_channel=False)[1].remarks
    )


def test_verilators_records_are_calls_of_a_package() -> None:
    text = rewritten_testbench("module tb; initial begin $write(a); $finish; end endmodule", "verilator")
    assert "begin $swrite(bw::text, a); bw::say(0, bw::text); end begin bw::end_(1); $finish; end" in text


def test_only_where_the_testbench_speaks_of_a_pass_can_be_one() -> None:
    lines = '$display("===Your Design Passed==="); $display("pass_request=%s", y);'
    text = rewritten_testbench(f"module tb; initial begin {lines} end endmodule", criterion="rtllm")
    assert '"===Your Design Passed==="); $bw_say(3,' in text
    assert '"pass_request=%s", y); $bw_say(1,' in text


def test_a_pass_that_is_kept_in_a_variable_may_be_told_anywhere() -> None:
    text = rewritten_testbench(
        'module tb; initial begin s = "passed"; $display("%s", s); end endmodule', criterion="rtllm"
    )
    assert '"%s", s); $bw_say(3,' in text


LOADS = 'module tb; initial begin $readmemh("data.txt", m); MORE end endmodule'


def test_data_is_shown_while_it_is_loaded() -> None:
    text = rewritten_testbench(LOADS.replace("MORE", ""), data=["d/data.txt"])
    assert f'begin $bw_data(1); $readmemh("{DATA}/data.txt", m); $bw_data(0); end' in text
    assert (
        "cp "
        not in plan_testbench(harness(LOADS.replace("MORE", ""), data=["d/data.txt"]), "icarus")[1].files[
            f"/src/{RUN}/run.sh"
        ]
    )


@pytest.mark.parametrize("statement", ['f = $fopen("data.txt", "r");', "$readmemh(name, m);", 'f = $fopen(name, "r");'])
def test_data_that_the_testbench_opens_itself_is_a_remark(statement: str) -> None:
    # The name is either said outside of a load, or put together when the simulation runs.
    test = LOADS.replace("MORE", statement) if "data" in statement else f"module tb; initial {statement} endmodule"
    _, simulation = plan_testbench(harness(test, data=["d/data.txt"]), "icarus")
    assert simulation.remarks == (READABLE,)
    assert f"cp /src/{RUN}/data/data.txt .\n" in simulation.files[f"/src/{RUN}/run.sh"]
    assert " data.txt BenchwrightWorkspace -- " in simulation.channel


def test_names_of_scopes_are_new_in_each_run_but_those_of_ports() -> None:
    text = rewritten_testbench()
    assert "RefModule$ good1 (.y(a), .good1(b));" in text
    assert "TopModule u1$ (.y(c));" in text
    assert "tb$.e, u1$.n" in text
    text = rewritten_testbench("module tb; task say_it; endtask initial begin : all say_it; end endmodule")
    assert "task say_it$; endtask initial begin : all$ say_it$; end" in text


def test_every_run_has_a_token_of_its_own() -> None:
    plan = make_plan(harness())
    first_step, second_step = (run.steps[0] for run in (plan.for_one_run(), plan.for_one_run()))
    assert RUN not in f"{first_step.argv} {first_step.files} {first_step.channel}"
    assert not first_step.files.keys() & second_step.files.keys()
    assert first_step.channel != second_step.channel


def test_only_the_testbenchs_scopes_may_speak() -> None:
    _, simulation = plan_testbench(harness(), "icarus")
    assert simulation.channel.partition(" -- ")[2].split() == sorted(
        [f"{name}${RUN}" for name in ("RefModule", "tb", "u1")] + ["good1"]
    )


def test_without_a_supervisor_the_testbench_prints() -> None:
    text = rewritten_testbench(LOADS.replace("MORE", "$finish;"), has_channel=False, data=["d/data.txt"])
    assert 'initial begin $readmemh("data.txt", m); $finish; end' in text
    assert plan_testbench(harness(), "icarus", has_channel=False)[1].remarks == (UNHEARD,)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"criterion": "cvdp"}, "criterion:"),
        ({"top": "tb;x"}, "top:"),
        ({"top": None}, "top: Field required"),
        ({"design": []}, "design:"),
        ({"design": ["../x"]}, "design.0:"),
        ({"testbench": ["none.sv"]}, "the harness has no file 'none.sv'"),
        ({"data": ["/etc/passwd"]}, "data.0:"),
        ({"timescale": '1ns/1ns\n`include "x"'}, "timescale:"),
        ({"more": 1}, "more:"),
    ],
    ids=str,
)
def test_a_description_with_a_flaw_is_refused_by_its_field(change: dict[str, Any], words: str) -> None:
    with pytest.raises(BadHarnessError, match=rf"testbench\.json: .*{words}"):
        make_plan(harness(**change))


def test_a_description_that_is_no_json_is_refused() -> None:
    with pytest.raises(BadHarnessError, match=r"testbench\.json"):
        make_plan({"testbench.json": "{"})


@pytest.mark.parametrize(
    ("simulator", "tool"), [(None, "iverilog"), ("icarus", "iverilog"), ("verilator", "verilator")]
)
def test_the_plan_needs_the_simulator(simulator: str | None, tool: str) -> None:
    plan = make_plan(harness(), simulator)  # type: ignore[arg-type]
    assert plan.tools == {tool, "/opt/benchwright/channel/channel.vpi"}
    assert [step.service for step in plan.steps] == ["testbench"]
    assert make_plan(harness(), simulator, is_supervised=False).tools == {tool}  # type: ignore[arg-type]
