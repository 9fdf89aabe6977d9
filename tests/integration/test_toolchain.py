"""The toolchain in use: what is in it, that it works in the sandbox, and that a changed byte is noticed."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_foundation.untrusted_folder import remove_folder_if_possible
from benchwright_harness.execution.process import ProcessEnd
from benchwright_harness.execution.run import run_harness
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox import SandboxJob
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.toolchain.manifest import CONTENT, MANIFEST, content, digest_of
from benchwright_problems.problem import Difficulty, Hidden, Problem, ProblemKind, Provenance, Public, RunLimits
from benchwright_problems.verdict import Outcome

Inside = Callable[..., str]
DESIGN = "module top(input [7:0] a, input b, output [7:0] y); assign y = b ? a + 8'd1 : ~a; endmodule\n"


@pytest.fixture
def inside(open_folder: Path, toolchain: Toolchain) -> Inside:
    """Runs a shell script in the sandbox, with a selection's tools; returns what it printed."""
    code = open_folder / "code"
    (code / "rundir").mkdir(parents=True)
    sandbox = BwrapSandbox()

    def run(script: str, selection: ToolSelection | None = None) -> str:
        user = sandbox.new_user()
        if user is not None:
            for path in (code, *code.rglob("*")):
                os.chown(path, user, user, follow_symlinks=False)
        log = io.BytesIO()
        env = toolchain.environment(selection or ToolSelection()) | {"HOME": "/code/rundir", "LANG": "C.UTF-8"}
        job = SandboxJob(("sh", "-ec", script), env, code, {}, RunLimits(wall_s=900), toolchain, user)
        step_end = asyncio.run(sandbox.run(job, log))
        stdout = log.getvalue().decode(errors="replace")
        assert (step_end.end, step_end.exit_code) == (ProcessEnd.EXITED, 0), stdout
        return stdout

    return run


@pytest.mark.parametrize("series", ["12", "13"])
def test_each_icarus_is_the_one_that_was_chosen(series: str, inside: Inside, toolchain: Toolchain) -> None:
    selection = ToolSelection.model_validate({"icarus": series})
    stdout = inside("iverilog -V 2>&1; vvp -V 2>&1", selection)
    assert re.findall(r"version (\d+)\.", stdout)[:2] == [series, series]
    assert toolchain.versions(selection)["icarus"].startswith(f"{series}.")


def test_icarus_13_refuses_what_12_takes(inside: Inside) -> None:
    script = "echo 'module m(output y); assign y = a; wire a; endmodule' > m.v; iverilog -o m m.v 2>&1 || echo refused"
    assert "refused" not in inside(script, ToolSelection(icarus="12"))
    assert "refused" in inside(script, ToolSelection(icarus="13"))


@pytest.mark.parametrize("version", ["0.23", "0.40"])
def test_each_yosys_prints_what_it_counts(version: str, inside: Inside) -> None:
    selection = ToolSelection.model_validate({"yosys": version})
    script = f"echo '{DESIGN}' > top.sv; yosys -V; yosys -p 'read_verilog -sv top.sv; synth; abc; stat'".replace(
        "8'd1", "1"
    )
    stdout = inside(script, selection)
    assert f"Yosys {version} " in stdout
    # The form that harnesses look for; newer ones print another.
    assert re.search(r"Number of cells:\s+\d+\s", stdout.rpartition("Executing ABC pass")[2]), stdout[-2000:]


def test_yosys_reads_and_writes_files_where_they_are(inside: Inside) -> None:
    script = (
        "echo 'module top(input a, output y); assign y = a; endmodule' > /tmp/top.sv; mkdir sub; cd sub;"
        "yosys -q -p 'read_verilog /tmp/top.sv; write_verilog ../out.v; tee -q -o /tmp/count stat';"
        "grep -c endmodule ../out.v; grep -c 'Number of cells' /tmp/count"
    )
    assert inside(script, ToolSelection(yosys="0.40")).split() == ["1", "1"]


def test_yosys_fails_where_it_should(inside: Inside) -> None:
    assert "status 1" in inside("yosys -q -p 'read_verilog none.v' 2>&1 || echo status $?", ToolSelection(yosys="0.40"))


def test_the_versions_are_those_that_the_manifest_tells(inside: Inside, toolchain: Toolchain) -> None:
    versions = toolchain.manifest.versions
    names = ("cocotb", "cocotb-bus", "cocotbext-axi", "pytest")
    script = f"import importlib.metadata as m; print(*map(m.version, {names!r}))"
    assert inside(f'python3 -c "{script}"').split() == [versions[name] for name in names]
    assert [versions[name] for name in names] == ["2.0.1", "0.3.0", "0.1.28", "8.3.2"]
    assert versions["python"] in inside("python3 --version")
    assert versions["g++"] in inside("g++ --version")


def test_what_harnesses_of_cvdp_import_beside_cocotb_is_there(inside: Inside) -> None:
    names = ("aes", "coverage")
    script = f"import importlib.metadata as m; import aes, coverage; print(*map(m.version, {names!r}))"
    assert inside(f'python3 -c "{script}"').split() == ["1.2.0", "7.13.4"]


def test_nothing_of_this_machine_is_inside(inside: Inside) -> None:
    assert inside("test ! -e /home; test ! -e /root; cat /etc/hosts").count("localhost") == 2
    assert sys.prefix not in inside("python3 -c 'import sys; print(sys.path)'")


def problem(simulator: str, provenance: str) -> Problem:
    compose = (
        "services:\n  a:\n    image: i\n    volumes: [./src:/src]\n    working_dir: /code/rundir\n"
        f"    environment: [SIM={simulator}, MODULE=test_top]\n    command: pytest -q /src/test_runner.py\n"
    )
    runner = """\
import os
from cocotb_tools.runner import get_runner

def test_runner():
    runner = get_runner(os.environ["SIM"])
    runner.build(sources=["/code/rtl/top.sv"], hdl_toplevel="top", always=True, timescale=("1ns", "1ps"))
    runner.test(hdl_toplevel="top", test_module="test_top")
"""
    test = """\
import cocotb
from cocotb.triggers import Timer

@cocotb.test()
async def adds_or_inverts(dut):
    for value in range(8):
        dut.a.value = value
        for b, expected in ((1, value + 1), (0, 255 - value)):
            dut.b.value = b
            await Timer(1, unit="ns")
            assert dut.y.value == expected
"""
    return Problem(
        id="x",
        kind=ProblemKind.DESIGN,
        title="x",
        difficulty=Difficulty.EASY,
        provenance=Provenance(source=provenance, license="", version=""),
        public=Public(statement="", expected=("rtl/top.sv",)),
        hidden=Hidden(
            harness={"docker-compose.yml": compose, "src/test_runner.py": runner, "src/test_top.py": test},
        ),
    )


@pytest.mark.parametrize(("simulator", "icarus"), [("icarus", "12"), ("icarus", "13"), ("verilator", "13")])
async def test_cocotb_runs_with_each_simulator(simulator: str, icarus: str, toolchain: Toolchain) -> None:
    log = io.BytesIO()
    selection = ToolSelection.model_validate({"icarus": icarus})
    lab_problem = problem(simulator, "a lab")
    for design, outcome in ((DESIGN, Outcome.PASSED), (DESIGN.replace("~a", "a"), Outcome.FAILED)):
        verdict = await run_harness(
            lab_problem,
            {"rtl/top.sv": design.encode()},
            sandbox=BwrapSandbox(),
            toolchain=toolchain,
            selection=selection,
            log=log,
        )
        assert verdict.outcome is outcome, log.getvalue().decode(errors="replace")
        assert [test.name for test in verdict.tests] == ["adds_or_inverts"]


def test_verilators_runtime_is_compiled_already(inside: Inside) -> None:
    bench = "module b; initial begin #1 $display(42); $finish; end endmodule"
    script = (
        f"echo '{bench}' > b.sv; CCACHE_STATS=1 verilator --binary --timing -Wno-fatal b.sv >/dev/null 2>&1;"
        "./obj_dir/Vb; ccache --print-stats"
    )
    stdout = inside(script)
    counts = dict(re.findall(r"^(\w+)\t(\d+)$", stdout, re.MULTILINE))
    assert "42" in stdout
    # verilated, its threads and its timing; the rest is the design's own.
    assert int(counts["remote_storage_hit"]) >= 3, stdout


@pytest.fixture
def another_cache(toolchain: Toolchain, open_folder: Path) -> Iterator[Path]:
    """A cache folder with a small toolchain of a few files of the real one."""
    folder = open_folder / "cache" / "toolchains" / "oss-sim-little"
    root = folder / "root"
    (root / "usr" / "bin").mkdir(parents=True)
    for name in ("dash", "sh", "true"):
        shutil.copy2(toolchain.root / "usr" / "bin" / name, root / "usr" / "bin" / name, follow_symlinks=False)
    content_listing = content(root)
    (folder / CONTENT).write_text(content_listing)
    manifest = toolchain.manifest.model_copy(update={"digest": digest_of(content_listing)})
    (folder / MANIFEST).write_text(manifest.model_dump_json())
    yield open_folder / "cache"
    remove_folder_if_possible(open_folder / "cache")


def command(cache: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("benchwright")
    environment = {**os.environ, "BENCHWRIGHT_CACHE": str(cache), **variables}
    return subprocess.run(
        [program, "toolchain", *words], capture_output=True, text=True, check=False, env=environment, timeout=1200
    )


def test_a_toolchain_is_listed_used_and_verified(another_cache: Path) -> None:
    (row,) = json.loads(command(another_cache, "list", "--json").stdout)
    assert (row["name"], row["in_use"]) == ("oss-sim-little", False)
    assert command(another_cache, "verify").returncode == 2, "none is in use yet"
    assert json.loads(command(another_cache, "use", "oss-sim-l", "--json").stdout)["in_use"]
    assert Toolchain.find(another_cache).digest == row["digest"]
    report = json.loads(command(another_cache, "verify", "--json").stdout)
    assert report == {"name": "oss-sim-little", "ok": True, "differences": []}


def test_one_changed_byte_is_found(another_cache: Path) -> None:
    file = another_cache / "toolchains" / "oss-sim-little" / "root" / "usr" / "bin" / "true"
    changed_bytes = bytearray(file.read_bytes())
    changed_bytes[len(changed_bytes) // 2] ^= 1
    file.write_bytes(changed_bytes)
    process = command(another_cache, "verify", "oss-sim-little")
    assert (process.returncode, process.stdout) == (1, "usr/bin/true: has changed\n")


def test_a_name_that_fits_none_or_several_is_told(another_cache: Path) -> None:
    process = command(another_cache, "use", "nonsense")
    assert process.returncode == 2
    assert "oss-sim-little" in process.stderr


def test_an_image_is_named_by_the_digest(docker_host: str, another_cache: Path) -> None:
    toolchain = Toolchain.find_all(another_cache)[0]
    process = command(another_cache, "image", toolchain.name, "--json", DOCKER_HOST=docker_host)
    assert json.loads(process.stdout)["image"] == f"benchwright/toolchain:{toolchain.digest[:12]}"


def test_a_mirror_that_does_not_answer_is_named(tmp_path: Path) -> None:
    process = command(tmp_path, "build", "--mirror", "http://127.0.0.1:9/debian")
    assert process.returncode == 2
    assert "127.0.0.1" in process.stderr
    assert not list((tmp_path / "toolchains").glob("oss-sim*")), "an unfinished tree is never used"
    assert not (tmp_path / "toolchains" / ".making").exists()


@pytest.mark.nightly
def test_two_builds_of_the_same_packages_are_the_same(toolchain: Toolchain, tmp_path: Path) -> None:
    (tmp_path / "toolchains").mkdir()
    downloads = Home.from_environment().cache / "toolchains" / "downloads"
    if downloads.is_dir():
        (tmp_path / "toolchains" / "downloads").symlink_to(downloads)
    program = Path(sys.executable).with_name("benchwright")
    environment = {**os.environ, "BENCHWRIGHT_CACHE": str(tmp_path)}
    subprocess.run([program, "toolchain", "build"], check=True, env=environment, timeout=1800)
    second_build = Toolchain.find(tmp_path)
    if second_build.manifest.packages != toolchain.manifest.packages or not toolchain.is_current:
        pytest.skip("the toolchain in use was built of other packages, or by another version")
    assert second_build.digest == toolchain.digest
