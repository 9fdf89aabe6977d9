"""The build cache: builds take what it holds, and it decides no verdict."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright_foundation.untrusted_folder import remove_folder_if_possible
from benchwright_harness.execution.run import run_harness
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem
from benchwright_problems.repository.changes import CHANGES
from benchwright_problems.storage.pack_folder import read_built_in, read_pack_folder
from benchwright_problems.verdict import Outcome, Verdict

from ..support.machine.sandbox_run import runner
from ..support.machine.toolchain import without_build_cache
from .test_ibex_repository import ARBITRATION, CSR, HAZARD, PlantedBug, add_problem, ibex

__all__ = ("ibex",)

CALLED, BINARY = "--cc --exe --vpi /dev/null", "--cc --exe --main --timing"
_WAIT = "module b; initial begin #1 $display(42); $finish; end endmodule"


@pytest.fixture
def uncached(toolchain: Toolchain, open_folder: Path) -> Iterator[Toolchain]:
    """The toolchain without its cache."""
    yield without_build_cache(toolchain, open_folder / "cache")
    remove_folder_if_possible(open_folder / "cache")


@pytest.mark.parametrize(
    ("options", "variables", "taken"),
    [
        (BINARY, "", "binary-Os"),
        pytest.param(CALLED, "", "called-Os", marks=pytest.mark.nightly),
        pytest.param(BINARY, "OPT_FAST=-O0", "binary-O0", marks=pytest.mark.nightly),
        pytest.param(CALLED, "VM_PARALLEL_BUILDS=1", "called-Os", marks=pytest.mark.nightly),
        pytest.param(BINARY, "VM_PARALLEL_BUILDS=1", "binary-Os", marks=pytest.mark.nightly),
        pytest.param(BINARY, "OPT_FAST=-O3", "", marks=pytest.mark.nightly),
        pytest.param(f"{BINARY} --trace", "", "", marks=pytest.mark.nightly),
    ],
)
async def test_a_build_takes_the_headers_that_were_read_with_its_options(
    options: str, variables: str, taken: str, toolchain: Toolchain, open_folder: Path
) -> None:
    script = (
        f"cd rundir; echo '{_WAIT}' > b.sv; verilator_bin {options} -Wno-fatal --prefix Vb --Mdir o b.sv > /dev/null;"
        f"make -C o -f Vb.mk {variables} OBJCACHE= CXX='c++ -H' Vb{'' if 'PARALLEL' in variables else '__ALL'}.o 2>&1"
    )
    run = runner(BwrapSandbox(), open_folder, toolchain)
    (open_folder / "rundir").mkdir()
    run_output = await run(script, env=toolchain.environment(ToolSelection()))
    headers = re.findall(r"^! /precompiled/runtime\.h\.gch/(\S+)\.gch$", run_output.printed, re.MULTILINE)
    assert headers == ([taken] if taken else []), run_output.printed
    assert run_output.step_end.exit_code == 0, run_output.printed


async def _verdict(problem: Problem, patch: str, toolchain: Toolchain) -> Verdict:
    log = io.BytesIO()
    verdict = await run_harness(
        problem, {CHANGES: patch.encode()}, sandbox=BwrapSandbox(), toolchain=toolchain, log=log
    )
    assert verdict.outcome is not Outcome.ERROR, log.getvalue().decode(errors="replace")
    return verdict


async def _assert_same_verdicts(problem: Problem, toolchain: Toolchain, uncached: Toolchain) -> None:
    assert toolchain.build_cache is not None
    for patch, outcome in ((problem.hidden.reference[CHANGES], Outcome.PASSED), ("", Outcome.FAILED)):
        verdicts = [await _verdict(problem, patch, tools) for tools in (toolchain, uncached)]
        with_cache, without_cache = [
            verdict.model_dump(mode="json", exclude={"wall_s", "usage"}) for verdict in verdicts
        ]
        assert with_cache == without_cache
        assert verdicts[0].outcome is outcome


@pytest.mark.nightly
@pytest.mark.parametrize("simulator", ["icarus", "verilator"])
@pytest.mark.parametrize("problem", read_built_in("small-core").problems, ids=lambda problem: problem.id)
async def test_the_built_in_core_gets_the_same_verdicts_without_the_cache(
    problem: Problem, simulator: str, toolchain: Toolchain, uncached: Toolchain
) -> None:
    harness = {path: text.replace("SIM=icarus", f"SIM={simulator}") for path, text in problem.hidden.harness.items()}
    hidden = problem.hidden.model_copy(update={"harness": harness})
    await _assert_same_verdicts(problem.model_copy(update={"hidden": hidden}), toolchain, uncached)


@pytest.mark.nightly
@pytest.mark.parametrize("bug", [HAZARD, CSR, ARBITRATION], ids=["hazard", "csr", "arbitration"])
def test_ibex_gets_the_same_verdicts_without_the_cache(
    bug: PlantedBug,
    ibex: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    toolchain: Toolchain,
    uncached: Toolchain,
) -> None:
    add_problem(bug, ibex, tmp_path, tmp_path / "home", monkeypatch)
    (problem,) = read_pack_folder(tmp_path / "pack").problems
    asyncio.run(_assert_same_verdicts(problem, toolchain, uncached))
