"""Attacks by programs, beside files and data sets; `others.toml` lists them for the documentation."""

from __future__ import annotations

import asyncio
import inspect
import io
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import psutil
import pytest

from benchwright_foundation.home import Home
from benchwright_harness.errors import BadHarnessError
from benchwright_harness.execution.run import run_harness
from benchwright_harness.plan.plan import make_plan
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.errors import PatchError
from benchwright_problems.patch import apply_patch
from benchwright_problems.problem import Hidden, Problem, Public, RunLimits
from benchwright_problems.verdict import Outcome, Reason, Verdict

from ..support.machine.waiting import wait_until
from . import test_uploads
from .submission import CANARY, flow, programs

RIGHT = b"module inv(input a, output y); assign y = ~a; endmodule\n"
WRONG = b"module inv(input a, output y); assign y = a; endmodule\n"


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    return Toolchain.find(Home.from_environment().cache)


async def grade(problem: Problem, files: dict[str, bytes], toolchain: Toolchain) -> tuple[Verdict, str]:
    log = io.BytesIO()
    verdict = await run_harness(problem, files, sandbox=BwrapSandbox(), toolchain=toolchain, log=log)
    return verdict, log.getvalue().decode(errors="replace")


def with_test(body: str, wall_s: float = 300) -> Problem:
    """The inverter, whose simulation itself does what an attacker would do who had taken it over."""
    problem = flow("cocotb").problem(wall_s=wall_s)
    indented = "".join(f"    {line}\n" for line in inspect.cleandoc(body).splitlines())
    test = f"import cocotb\n# {CANARY}\n@cocotb.test()\nasync def inverts(dut):\n{indented}    assert False, 'wrong'\n"
    return problem.model_copy(
        update={
            "hidden": problem.hidden.model_copy(update={"harness": {**problem.hidden.harness, "src/test_inv.py": test}})
        }
    )


def with_shell(script: str, **limits: float) -> Problem:
    """A harness that is a program: what runs before any simulation has locked itself in."""
    compose = "services:\n  a:\n    image: i\n    volumes: [./src:/src]\n    command: [sh, /src/run.sh]\n"
    problem = flow("cocotb").problem()
    return problem.model_copy(
        update={
            "hidden": Hidden(harness={"docker-compose.yml": compose, "src/run.sh": script}),
            "limits": RunLimits.model_validate({"wall_s": 300.0, **limits}),
        }
    )


async def test_a_shell_without_its_supervisor(toolchain: Toolchain) -> None:
    verdict, log = await grade(with_shell("kill -9 $PPID; sleep 900; exit 0"), {}, toolchain)
    assert verdict.outcome is not Outcome.PASSED, log
    assert verdict.reason is not Reason.TIMEOUT, log


async def test_results_from_elsewhere(toolchain: Toolchain) -> None:
    body = """
    import os, socket
    for name in os.listdir("/proc"):
        pass
    try:
        open("/proc/net/unix").read()
        print("learned the name")
    except OSError:
        print("no name")
    other = socket.socket(socket.AF_UNIX)
    other.bind("\\0of-its-own")
    other.listen()
    print("tried")
    """
    verdict, log = await grade(with_test(body), {"rtl/inv.sv": WRONG}, toolchain)
    assert verdict.reason is Reason.TESTS_FAILED
    assert "tried" in log
    assert "no name" in log


async def test_memory_of_the_tests_process(toolchain: Toolchain) -> None:
    script = "cat /proc/$PPID/environ /proc/$PPID/mem /proc/$PPID/maps; ls /proc/$PPID/fd; echo tried; exit 1"
    _, log = await grade(with_shell(script), {}, toolchain)
    assert log.count("Permission denied") == 4
    assert log.endswith("tried\n")


async def test_write_to_the_harness(toolchain: Toolchain) -> None:
    script = (
        "cd /src; (: > run.sh); rm -f run.sh; mv run.sh x; touch new; chmod 777 . run.sh; (: > run.sh); ln -s /x l;"
        " mv /src /src2; mkdir d; (echo no > /opt/benchwright/inside/guard/confine); ls /src; exit 1"
    )
    _, log = await grade(with_shell(script), {}, toolchain)
    assert log.endswith("\nrun.sh\n")


async def test_write_to_the_build_cache(toolchain: Toolchain) -> None:
    assert toolchain.build_cache is not None
    files_before = {path: path.stat().st_mtime_ns for path in toolchain.build_cache.rglob("*")}
    script = (
        "for f in /precompiled /opt/benchwright/ccache; do (: > $f/new) && echo gained; ln -s /tmp $f/l && echo gained;"
        " ls -d $f/* > /tmp/seen && echo there; rm -rf $f/* 2> /dev/null && echo gained; done;"
        " (echo bad: > /precompiled/runtime.mk) && echo gained; chmod 777 /precompiled && echo gained; exit 1"
    )
    _, log = await grade(with_shell(script), {}, toolchain)
    assert "gained" not in log
    assert log.count("\nthere\n") == 2, log
    assert {path: path.stat().st_mtime_ns for path in toolchain.build_cache.rglob("*")} == files_before


_COMPILING = (
    "cd /code/rundir; export CCACHE_STATS=1; find /tmp /code -type f -exec echo found {} +;"
    " echo 'const char *text = \"CANARY\";' > a.c; ccache gcc -c a.c -o a.o;"
    " ccache --print-stats | grep -E '_(hit|miss)\t';"
)


async def test_an_object_in_the_build_cache(toolchain: Toolchain) -> None:
    """The second run would take what the first has left, for it compiles the same."""
    planting = (
        f"{_COMPILING} for f in $(find /tmp/ccache -type f); do echo planted > $f; done; export"
        " CCACHE_REMOTE_STORAGE='file:/opt/benchwright/ccache file:/precompiled'; rm -rf /tmp/ccache;"
        " ccache gcc -c a.c -o a.o; exit 1"
    )
    for _ in range(2):
        _, log = await grade(with_shell(planting), {}, toolchain)
        counts = dict(re.findall(r"^(\w+)\t(\d+)$", log, re.MULTILINE))
        assert (counts["cache_miss"], counts["local_storage_hit"], counts["remote_storage_hit"]) == ("1", "0", "0"), log


async def test_objects_of_another_run(toolchain: Toolchain) -> None:
    await grade(with_shell(f"{_COMPILING} grep -rl CANARY /tmp /code; exit 1"), {}, toolchain)
    searching = "grep -rl CANARY /tmp /code /rundir /dev/shm /precompiled/runtime.* /opt/benchwright/ccache; exit 1"
    _, log = await grade(with_shell(searching), {}, toolchain)
    assert "\n/" not in log, log


async def test_nested_namespaces(toolchain: Toolchain) -> None:
    script = "unshare -Ur id && echo gained; mount -t tmpfs x /tmp && echo gained; chroot / id && echo gained; exit 1"
    _, log = await grade(with_shell(script), {}, toolchain)
    assert "gained" not in log


async def test_the_network(toolchain: Toolchain) -> None:
    script = (
        'python3 -c "import socket\n'
        "for host in ('127.0.0.1', '192.0.2.1', '::1'):\n"
        " try: socket.create_connection((host, 22), 1); print('reached')\n"
        " except OSError: print('refused')\"; exit 1"
    )
    _, log = await grade(with_shell(script), {}, toolchain)
    assert (log.count("refused"), log.count("reached")) == (3, 0)


async def test_a_fork_bomb(toolchain: Toolchain) -> None:
    script = "f() { f | f & }; f; sleep 2; exit 1"
    verdict, log = await grade(with_shell(script, processes=30), {}, toolchain)
    assert verdict.outcome is not Outcome.PASSED
    assert verdict.reason is not Reason.TIMEOUT, log[-500:]


LOG = """
yosys -p 'read_verilog -sv /code/rtl/inv.sv; synth -top inv; stat' >synth.log 2>&1
cells=$(sed -n 's/.*Number of cells: *//p' synth.log | head -n 1)
echo "counted $cells"
[ "$cells" -le 0 ]
"""
"""As trusting as published harnesses are: it takes the first number."""


@pytest.mark.parametrize("yosys", ["0.23", "0.40"])
async def test_a_synthesis_tools_log(yosys: Literal["0.23", "0.40"], toolchain: Toolchain) -> None:
    problem = with_shell(LOG)
    problem = problem.model_copy(update={"hidden": problem.hidden.model_copy(update={"scan": {}})})
    forged = b'initial $display("Number of %s: %d", "cells", 0);'
    for body in (forged, b"`ifdef SYNTHESIS\nassign y = a;\n`else\nassign y = ~a;\n`endif"):
        design_bytes = b"module inv(input a, output y);\n" + body + b"\nendmodule\n"
        log = io.BytesIO()
        verdict = await run_harness(
            problem,
            {"rtl/inv.sv": design_bytes},
            sandbox=BwrapSandbox(),
            toolchain=toolchain,
            log=log,
            selection=ToolSelection(yosys=yosys),
        )
        assert verdict.reason is Reason.REFUSED, log.getvalue().decode()
    verdict, output = await grade(problem, {"rtl/inv.sv": RIGHT}, toolchain)
    assert verdict.outcome is Outcome.FAILED
    assert "counted 1" in output


SCRIPT = """
cd /code/rundir
cat >design.v <<'end'
`include "test_inv.py"
`include "/src/.env"
module inv(input a, output y); assign y = a; endmodule
end
cat >memory.v <<'end'
module inv(input a, output y); reg [31:0] m [0:1]; initial $readmemh("/src/.env", m); assign y = m[a][0]; endmodule
end
echo 'puts [exec cat /src/test_inv.py]; puts [read [open /src/.env]]' >x.tcl
echo 'puts("tried")' >x.so
try() { yosys "$@" 2>&1 | tail -n 3; echo tried; }
try -p 'read_verilog -I/src -DPV=1 design.v'
try -p 'read_verilog memory.v; proc; dump'
try -p 'read_verilog /src/test_inv.py'
try -p '!cat /src/test_inv.py /src/.env'
try -p 'exec -- cat /src/test_inv.py'
try -p 'script /src/.env'
try -p 'tee -o /src/new stat; write_verilog /src/other; log escaped'
try -p 'read_liberty /src/.env'
try -c x.tcl
try -m ./x.so
try -s /src/test_inv.py
ls /src | grep -c -e new -e other
exit 1
"""


@pytest.mark.parametrize("yosys", ["0.23", "0.40"])
async def test_scripts_for_a_synthesis_tool(yosys: Literal["0.23", "0.40"], toolchain: Toolchain) -> None:
    problem = with_shell(SCRIPT)
    harness = {**flow("cocotb").problem().hidden.harness, **problem.hidden.harness}
    problem = problem.model_copy(update={"hidden": problem.hidden.model_copy(update={"harness": harness})})
    log = io.BytesIO()
    await run_harness(
        problem, {}, sandbox=BwrapSandbox(), toolchain=toolchain, log=log, selection=ToolSelection(yosys=yosys)
    )
    output = log.getvalue().decode(errors="replace")
    assert output.count("tried\n") == 11, output
    assert output.endswith("\n0\n"), output
    assert CANARY not in output


@pytest.fixture
def marker() -> Iterator[str]:
    yield f"{time.time_ns() % 10**6 + 100_000}.25"


def running(marker: str) -> list[psutil.Process]:
    return [process for process in psutil.process_iter(["cmdline"]) if marker in (process.info["cmdline"] or ())]


async def test_a_daemon(toolchain: Toolchain, marker: str) -> None:
    script = f"trap '' TERM INT HUP; setsid -f sleep {marker} </dev/null >/dev/null 2>&1; sleep 0.2; exit 1"
    await grade(with_shell(script), {}, toolchain)
    await wait_until(lambda: not running(marker))


@pytest.mark.alone
async def test_a_cancelled_run_is_gone_within_a_third_of_a_second(toolchain: Toolchain, marker: str) -> None:
    script = f"trap '' TERM INT HUP; setsid -f sleep {marker}; sleep {marker}"
    took_s: list[float] = []
    # A busy machine may be in the way now and then; whoever waits for something does so each time.
    while not took_s or (min(took_s) > 0.3 and len(took_s) < 10):
        task = asyncio.ensure_future(grade(with_shell(script), {}, toolchain))
        await wait_until(lambda: len(running(marker)) == 2)
        start = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        took_s.append(time.monotonic() - start)
        assert running(marker) == []
    assert min(took_s) <= 0.3


async def test_the_clock(toolchain: Toolchain) -> None:
    _, log = await grade(with_shell("date -s '2001-01-01' && echo set it; date; exit 1"), {}, toolchain)
    assert "Operation not permitted" in log
    assert "\nset it" not in log


async def test_files_that_were_not_asked_for(toolchain: Toolchain) -> None:
    files = {
        "rtl/inv.sv": WRONG,
        "rundir/conftest.py": b"import os; os._exit(0)",
        "src/test_inv.py": b"import os; os._exit(0)",
        "../escaped": b"x",
        "/etc/escaped": b"x",
        "rtl/../../escaped": b"x",
    }
    verdict, log = await grade(flow("cocotb").problem(), files, toolchain)
    assert verdict.reason is Reason.TESTS_FAILED, log
    assert not Path("/etc/escaped").exists()


@pytest.mark.parametrize(
    "path", ["/etc/x", "../x", "rtl/../../x", "a\\b", "rundir", "a/./b", "", ".benchwright/x", "a\nb"]
)
def test_paths_of_a_data_set(path: str) -> None:
    for build in (
        lambda: Public(statement="", files={path: ""}),
        lambda: Public(statement="", expected=(path,)),
        lambda: Hidden(harness={path: ""}),
        lambda: Hidden(reference={path: ""}),
    ):
        with pytest.raises(ValueError, match="relative path"):
            build()


@pytest.mark.parametrize("volume", ["/etc:/src", "~:/src", "./src:/usr/lib", "./src:/etc", "./src:/opt", "./src:/proc"])
def test_mounts_of_a_harness(volume: str) -> None:
    compose = f"services: {{a: {{image: i, command: ls, volumes: ['{volume}']}}}}"
    with pytest.raises(BadHarnessError):
        make_plan({"docker-compose.yml": compose, "src/a": ""})


def test_a_yaml_bomb() -> None:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
    )
    start = time.process_time()
    with pytest.raises(BadHarnessError):
        make_plan({"docker-compose.yml": f"{bomb}services: {{a: {{image: i, command: *j}}}}"})
    assert time.process_time() - start < 2


def test_a_patch_bomb() -> None:
    start = time.process_time()
    with pytest.raises(PatchError):
        apply_patch("a\n", "@@ -1,999999999 +1,999999999 @@\n a\n")
    assert time.process_time() - start < 2


def test_every_attack_of_the_list_has_its_test() -> None:
    tests = {*dir(sys.modules[__name__]), *dir(test_uploads)}
    for attack_program in programs():
        name = "test_" + attack_program.name.lower().replace(" ", "_").replace("'", "")
        assert name in tests
