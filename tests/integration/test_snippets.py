"""Every snippet, expanded into code around it: lints clean, simulates, and does what it says."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_server.linters.verilator import verilator_findings
from benchwright_snippets import Snippet, cocotb_snippets, systemverilog_snippets

from ..support.machine.sandbox_run import SandboxOutput, runner

PROOFS = Path(__file__).parent / "snippets"
DESIGN = {snippet.prefix: snippet for snippet in systemverilog_snippets()}
COCOTB = {snippet.prefix: snippet for snippet in cocotb_snippets()}
SIMULATED_ALONE = {"tb", "tbdump", "tbtimeout"}
SILENT = {"coverp", "assertknown"}
"""A cover property tells nothing, and Verilator knows no unknown values."""
PARTS = ["registers", "types", "machines", "streams", "crossings", "memories", "assertions", "benches"]

BUILD = f"""
cd /code/rtl
printf 'module top; timeunit 1ns; timeprecision 1ps; initial #90us $finish; {{}} endmodule\\n' > top.sv
verilator --binary --timing --assert -Wall -Wno-fatal -Wno-DECLFILENAME \
    -Wno-TIMESCALEMOD -Wno-VARHIDDEN -I. --top-module top -j 2 \
    -CFLAGS -O0 -Mdir /tmp/build top.sv {" ".join(f"{part}.sv" for part in PARTS)} 2>&1 || exit 1
echo == quiet
/tmp/build/Vtop +verilator+error+limit+100000 2>&1 || exit 1
echo == breaking
/tmp/build/Vtop +verilator+error+limit+100000 +break 2>&1 || exit 1
for file in alone/*.sv; do
    echo == lint $file
    verilator --lint-only -Wall -Wno-DECLFILENAME -Wno-TIMESCALEMOD --timing $file 2>&1
done
for name in tb tbdump tbtimeout; do
    echo == icarus $name
    iverilog -g2012 -s tb -o /tmp/$name.vvp $name.sv 2>&1 && (cd /tmp && vvp -n $name.vvp +dump 2>&1; echo "ended $?")
done
cat /tmp/waves.vcd
cp module.sv /tmp/design.sv; cp cocotb_proof.py /tmp/test_snippets.py; cp cocotb_run.py /tmp/test_run.py
echo == pytest
(cd /tmp && pytest -q -s test_run.py 2>&1)
echo == cocotb
python3 run_cocotb.py 2>&1
""".replace("{}", " ".join(f"proof_{part} p_{part}();" for part in PARTS))

RUN_COCOTB = """
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner
for design, top, tests in (("module.sv", "name", "cocotb_proof"), ("fifo.sv", "fifo", "cocotb_streams")):
    runner, folder = get_runner("icarus"), "/tmp/" + top
    runner.build(sources=["/code/rtl/" + design], hdl_toplevel=top, build_dir=folder, timescale=("1ns", "1ps"))
    found = runner.test(test_module=tests, hdl_toplevel=top, build_dir=folder, test_dir=folder)
    print("tests of", tests, *get_results(found))
"""


@dataclass(frozen=True)
class Proofs:
    """Results of all the proofs together."""

    files: dict[str, str]
    sandbox_output: SandboxOutput

    def section(self, name: str) -> str:
        """Text that was printed under a heading."""
        section_match = re.search(
            rf"^== {re.escape(name)}\n(.*?)(?=^== |\Z)", self.sandbox_output.printed, re.DOTALL | re.MULTILINE
        )
        assert section_match, self.sandbox_output.printed[-4000:]
        return section_match[1]


def expanded(text: str, snippets: dict[str, Snippet]) -> str:
    """A proof with the snippets in their places."""

    def insert_snippet(match: re.Match[str]) -> str:
        code = snippets[match["prefix"]].expanded_code
        return "\n".join(match["indent"] + line if line else line for line in code.split("\n"))

    return re.sub(r"^(?P<indent> *)(?://|#)@(?P<prefix>\w+)$", insert_snippet, text, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def proofs(toolchain: Toolchain, open_folder_of_a_module: Path) -> Proofs:
    folder = open_folder_of_a_module / "code"
    rtl = folder / "rtl"
    (rtl / "alone").mkdir(parents=True)
    (folder / "rundir").mkdir()
    files = {path.name: expanded(path.read_text(), DESIGN | COCOTB) for path in PROOFS.iterdir() if path.is_file()}
    files |= {f"{prefix}.sv": DESIGN[prefix].expanded_code for prefix in ("module", "fifo")}
    files |= {
        f"alone/{prefix}.sv": snippet.expanded_code + "\n"
        for prefix, snippet in DESIGN.items()
        if snippet.body.startswith(("module", "interface", "package"))
    }
    files["run_cocotb.py"] = RUN_COCOTB
    files["alone/tb.sv"] += files["module.sv"] + "\n"
    for name, text in files.items():
        (rtl / name).write_text(text)
    run = runner(BwrapSandbox(), folder, toolchain)

    async def prove() -> SandboxOutput:
        return await run(BUILD, wall_s=1800, memory_mb=4096)

    return Proofs(files, asyncio.run(prove()))


@pytest.mark.parametrize("prefix", sorted(DESIGN.keys() - SIMULATED_ALONE))
def test_a_snippet_does_what_it_says(proofs: Proofs, prefix: str) -> None:
    quiet = proofs.section("quiet")
    assert f"proved {prefix}\n" in quiet, quiet
    assert f"broken {prefix} " not in quiet
    assert "%Error" not in quiet


@pytest.mark.parametrize("prefix", sorted(prefix for prefix in DESIGN if prefix.startswith(("ass", "prop"))))
def test_an_assertion_fails_when_it_is_violated(proofs: Proofs, prefix: str) -> None:
    if prefix in SILENT:
        pytest.skip("the simulator has no unknown values")
    label_match = re.search(r"\b(\w+) failed", DESIGN[prefix].expanded_code)
    assert label_match
    assert f"{label_match[1]} failed" in proofs.section("breaking")
    assert f"{label_match[1]} failed" not in proofs.section("quiet")


@pytest.mark.parametrize("prefix", sorted(DESIGN))
def test_linters_find_nothing_in_a_snippet(proofs: Proofs, prefix: str) -> None:
    lone_file = f"alone/{prefix}.sv"
    if lone_file in proofs.files:
        # The last line is Verilator's report of what it did.
        assert [finding.message for finding in verilator_findings(proofs.section(f"lint {lone_file}"))] == []
    head = DESIGN[prefix].expanded_code.split("\n")
    for finding in verilator_findings(proofs.sandbox_output.printed.partition("== quiet")[0]):
        line = proofs.files[finding.path].split("\n")[finding.line - 1].strip()
        assert line not in {text.strip() for text in head}, finding.message


def test_the_testbench_passes_and_ends(proofs: Proofs) -> None:
    assert proofs.section("icarus tb").split()[0] == "PASSED"
    assert proofs.section("icarus tb").endswith("ended 0\n")


def test_the_dump_holds_the_signal_s_change(proofs: Proofs) -> None:
    assert re.search(r"\$var reg +1 . level", proofs.sandbox_output.printed)


def test_the_time_limit_ends_a_simulation_that_hangs(proofs: Proofs) -> None:
    assert "The test did not end in time." in proofs.section("icarus tbtimeout")
    assert "ended 1\n" in proofs.section("icarus tbtimeout")


@pytest.mark.parametrize(("module", "test_count"), [("cocotb_proof", 5), ("cocotb_streams", 1)])
def test_the_cocotb_snippets_pass_on_a_design(proofs: Proofs, module: str, test_count: int) -> None:
    assert f"tests of {module} {test_count} 0\n" in proofs.section("cocotb")


def test_the_cocotb_runner_runs_under_pytest(proofs: Proofs) -> None:
    assert "1 passed" in proofs.section("pytest")


def test_every_snippet_has_a_proof() -> None:
    proofs = "\n".join(path.read_text() for path in PROOFS.iterdir() if path.is_file())
    assert {*DESIGN, *COCOTB} == set(re.findall(r"(?://|#)@(\w+)$", proofs, re.MULTILINE))


def test_a_violated_proof_would_be_noticed(proofs: Proofs) -> None:
    assert "%Error" in proofs.section("breaking")
