"""The promises of a sandbox: each is tried, in every sandbox, by a program that does its worst."""

from __future__ import annotations

import asyncio
import io
import os
import socket
import tempfile
import time
from pathlib import Path

import pytest

from benchwright_foundation.untrusted_folder import disk_bytes_until_exceeding, remove_folder_if_possible
from benchwright_harness.decision.report import parse_step_report
from benchwright_harness.execution.process import MAX_OUTPUT_BYTES, ProcessEnd
from benchwright_harness.execution.run import reference_solution_files, run_harness, starting_solution_files
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.sandbox.docker import DockerSandbox
from benchwright_harness.sandbox.native import NativeSandbox
from benchwright_harness.sandbox.registry import open_sandbox, sandbox_names, sandbox_names_with, toolchain_for
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.pack_folder import read_built_in
from benchwright_problems.verdict import Outcome, Reason, Verdict

from ..support.machine.sandbox_contract import facts
from ..support.machine.sandbox_run import PATIENCE_S, Run, gone, has_started, is_alive, processes_with, runner

pytestmark = pytest.mark.long

LIMIT_S = 3.0
"""Time limit of a run that is to reach it: on a busy machine, a start that waits uses a small part of it."""

WALLED = sandbox_names_with(lambda sandbox_kind: sandbox_kind.open().supervises)
"""The sandboxes that keep a job from the rest of the machine."""


def sandbox_named(name: str, request: pytest.FixtureRequest) -> Sandbox:
    if name == "docker":
        docker: DockerSandbox = request.getfixturevalue("docker")
        return docker
    if name == "docker elsewhere":
        return DockerSandbox({"DOCKER_HOST": request.getfixturevalue("docker_host")}, copies_folder=True)
    return open_sandbox(name)


@pytest.fixture(params=sandbox_names())
def run(request: pytest.FixtureRequest, code: Path, toolchain: Toolchain) -> Run:
    return runner(sandbox_named(request.param, request), code, toolchain)


@pytest.fixture(params=WALLED)
def walled(request: pytest.FixtureRequest, code: Path, toolchain: Toolchain) -> Run:
    return runner(sandbox_named(request.param, request), code, toolchain)


# What every sandbox promises.


@pytest.mark.parametrize("status", [0, 1, 77, 127])
async def test_the_exit_status_is_the_programs(status: int, run: Run) -> None:
    run_output = await run(f"exit {status}")
    assert (run_output.end, run_output.step_end.exit_code) == (ProcessEnd.EXITED, status)


async def test_a_program_that_is_killed_has_no_good_exit_status(run: Run) -> None:
    run_output = await run("kill -SEGV $$")
    assert run_output.end is ProcessEnd.EXITED
    assert run_output.step_end.exit_code != 0


async def test_a_program_that_is_not_there_has_a_status_of_its_own(run: Run) -> None:
    assert (await run("exec no-such-program")).step_end.exit_code == 127


async def test_output_and_errors_go_to_the_log_in_order(run: Run) -> None:
    assert (await run("echo one; echo two >&2; echo three")).printed == "one\ntwo\nthree\n"


async def test_the_environment_is_the_jobs_and_nothing_else(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY", "CANARY-env")
    lines = (await run("env", env={"PWD": "/code/rundir", "MORE": "two words, ü"})).printed.splitlines()
    environment = dict(line.split("=", 1) for line in lines)
    # Where the supervisor is, and its modules.
    own_variables = {name for name in environment if name.startswith("BENCHWRIGHT_")} | {"PYTHONPATH", "_"}
    assert environment.keys() - own_variables == {"PATH", "GREETING", "PWD", "MORE"}
    assert environment["MORE"] == "two words, ü"


async def test_the_environment_of_the_host_is_nowhere(walled: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY", "CANARY-env")
    assert "CANARY-env" not in (await walled("cat /proc/*/environ | tr '\\0' '\\n'")).printed


async def test_there_is_nothing_to_read_on_standard_input(run: Run) -> None:
    assert (await run("cat; echo done")).printed == "done\n"


async def test_a_program_that_closes_its_output_goes_on(run: Run) -> None:
    run_output = await run("exec >&- 2>&-; sleep 0.5; exit 5")
    assert (run_output.end, run_output.step_end.exit_code) == (ProcessEnd.EXITED, 5)


async def test_the_time_limit_ends_the_program(run: Run) -> None:
    run_output = await run("sleep 931.5", wall_s=LIMIT_S)
    assert run_output.end is ProcessEnd.TIMEOUT
    assert LIMIT_S <= run_output.step_end.wall_s < PATIENCE_S
    assert await gone("sleep 931.5")


async def test_the_time_limit_ends_a_program_that_ignores_signals(run: Run) -> None:
    run_output = await run("trap '' TERM INT HUP QUIT; sleep 932.5 & while :; do sleep 932.5; done", wall_s=LIMIT_S)
    assert (run_output.end, await gone("sleep 932.5")) == (ProcessEnd.TIMEOUT, True)


async def test_cancelling_kills_at_once(run: Run) -> None:
    took_s: list[float] = []
    # A busy machine may be in the way now and then; whoever waits for something does so each time.
    while not took_s or (min(took_s) > 1 and len(took_s) < 5):
        sandbox_run = asyncio.ensure_future(run("trap '' TERM; sleep 933.5 & sleep 933.5"))
        assert await has_started("sleep 933.5")
        sleep_processes = processes_with("sleep 933.5")
        start = time.monotonic()
        sandbox_run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sandbox_run
        while any(is_alive(process) for process in sleep_processes):
            assert time.monotonic() - start < PATIENCE_S
        took_s.append(time.monotonic() - start)
    assert min(took_s) <= 1


@pytest.mark.parametrize("name", sandbox_names())
async def test_cancelling_at_any_moment_of_the_start_leaves_nothing(
    name: str, request: pytest.FixtureRequest, code: Path, toolchain: Toolchain
) -> None:
    run = runner(sandbox_named(name, request), code, toolchain)
    delays_ms = range(0, 800, 90) if name == "docker" else [*range(10), *range(10, 60, 5)]
    for delay_ms in delays_ms:
        sandbox_run = asyncio.ensure_future(run(f"sleep 934.{delay_ms}"))
        await asyncio.sleep(delay_ms / 1000)
        sandbox_run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sandbox_run
    assert await gone("sleep 934.")


async def test_what_is_left_in_the_background_dies_with_the_program(run: Run) -> None:
    await run("sleep 935.5 & exit 0", wall_s=10)
    assert await gone("sleep 935.5")


async def test_the_memory_that_was_needed_is_told(run: Run) -> None:
    run_output = await run("import time; held = bytearray(150 << 20); time.sleep(3)", python=True)
    peak_bytes = max(run_output.step_end.memory_bytes, parse_step_report(run_output.step_end.reports).largest_bytes)
    assert 150 << 20 < peak_bytes < 400 << 20


async def test_memory_that_grows_is_stopped(run: Run) -> None:
    grow = "import time\nx = []\nfor _ in range(60):\n    x.append(bytearray(b'x') * (8 << 20)); time.sleep(0.02)\n"
    run_output = await run(grow + "time.sleep(900)", python=True, memory_mb=150)
    assert run_output.end is ProcessEnd.MEMORY


async def test_address_space_is_limited(run: Run) -> None:
    run_output = await run(
        "try:\n bytearray(1 << 31)\nexcept MemoryError: print('refused')", python=True, memory_mb=256
    )
    assert run_output.printed == "refused\n"


async def test_one_file_can_not_grow_beyond_its_limit(run: Run) -> None:
    await run("head -c 9000000 /dev/zero > big; head -c 9000000 /dev/zero > rundir2 || true", file_mb=2)
    assert all(path.stat().st_size <= 2 << 20 for path in (await run("true")).code.rglob("*"))


async def test_a_folder_that_grows_is_stopped(run: Run) -> None:
    run_output = await run(
        "for n in 1 2 3 4 5 6; do head -c 1000000 /dev/zero > $n; done; sleep 900", folder_mb=4, file_mb=2
    )
    assert run_output.end is ProcessEnd.FOLDER_QUOTA


async def test_a_folder_of_countless_empty_files_is_stopped(run: Run) -> None:
    script = "import time\nfor n in range(3000): open(str(n), 'w').close()\ntime.sleep(900)"
    assert (await run(script, python=True, folder_mb=2)).end is ProcessEnd.FOLDER_QUOTA


async def test_a_folder_too_deep_to_be_measured_is_stopped_and_can_be_removed(run: Run) -> None:
    script = "import os, time\nfor n in range(700):\n os.mkdir('d' * 50); os.chdir('d' * 50)\ntime.sleep(900)"
    run_output = await run(script, python=True)
    assert run_output.end is ProcessEnd.FOLDER_QUOTA
    remove_folder_if_possible(run_output.code)
    assert not run_output.code.exists()


async def test_an_output_flood_is_stopped_and_cut(run: Run) -> None:
    run_output = await run("yes flood")
    assert run_output.end is ProcessEnd.OUTPUT_QUOTA
    assert len(run_output.printed) <= MAX_OUTPUT_BYTES
    assert await gone("yes flood")


async def test_hidden_files_are_where_the_harness_looks(run: Run) -> None:
    # Words that are paths are rewritten where there are no mounts.
    assert (await run("cat /src/secret.txt /src/more/x.txt")).printed == "CANARY-51abmore"


async def test_the_run_folder_is_the_working_folder_and_writable(run: Run) -> None:
    run_output = await run("echo a > here; echo b > ../rtl/there; mkdir x; ls ..")
    assert (run_output.code / "rundir" / "here").read_text() == "a\n"
    assert (run_output.code / "rtl" / "there").read_text() == "b\n"
    assert run_output.step_end.exit_code == 0


async def test_nothing_hidden_is_left_behind(run: Run, code: Path) -> None:
    run_output = await run("cat /src/secret.txt > /dev/null; echo done")
    assert run_output.printed == "done\n"
    assert list(Path(tempfile.gettempdir()).glob("*/src/secret.txt")) == []
    assert [path for path in code.rglob("*") if path.is_file() and "CANARY" in path.read_text()] == []


async def test_a_second_step_finds_what_the_first_has_left(run: Run) -> None:
    await run("mkdir -m 700 deep; echo ü > 'deep/ein Name'; ln -s deep link; chmod 755 'deep/ein Name'; rm -f gone")
    assert (await run("cat 'link/ein Name'; test -x 'link/ein Name' && echo yes")).printed == "ü\nyes\n"


async def test_arguments_and_hidden_files_may_hold_any_text(run: Run) -> None:
    hidden_files = {"/src/ü ö.txt": "線\n\ttab\r\n'\"$(false)\n"}
    assert (await run("cat '/src/ü ö.txt'; echo 'ß $HOME'", hidden=hidden_files)).printed == hidden_files[
        "/src/ü ö.txt"
    ] + "ß $HOME\n"


async def test_much_output_arrives_whole(run: Run) -> None:
    assert len((await run("head -c 9000000 /dev/zero | tr '\\0' x")).printed) == 9_000_000


# What those promise that keep strangers' programs apart.


async def test_daemons_die_with_the_run(walled: Run) -> None:
    daemon = (
        "import os, signal, time\n"
        "for _ in range(2):\n"
        "    if os.fork(): os._exit(0)\n"
        "    os.setsid()\n"
        "[signal.signal(s, signal.SIG_IGN) for s in (1, 2, 3, 15)]\n"
        "os.closerange(0, 100)\n"
        "os.execvp('sleep', ['sleep', '936.5'])\n"
    )
    run_output = await walled(daemon, python=True)
    assert run_output.end is ProcessEnd.EXITED
    assert await gone("sleep 936.5")


async def test_daemons_die_at_the_time_limit(walled: Run) -> None:
    run_output = await walled("setsid -f sleep 937.5 >&- 2>&-; setsid sleep 937.5 & sleep 937.5", wall_s=LIMIT_S)
    assert (run_output.end, processes_with("sleep 937.5")) == (ProcessEnd.TIMEOUT, [])


async def test_nothing_is_left_running_when_the_run_has_ended(walled: Run) -> None:
    script = "setsid -f sh -c 'n=0; while [ $n -lt 20000 ]; do n=$((n+1)); : > busy38; done' >&- 2>&-; sleep 0.2"
    run_output = await walled(script)
    assert processes_with("busy38") == []
    assert disk_bytes_until_exceeding(run_output.code, 1 << 30) >= 0


async def test_a_fork_bomb_stays_small(walled: Run) -> None:
    script = (
        "import os, time\n"
        "n = 0\n"
        "for _ in range(200):\n"
        "    try:\n"
        "        if os.fork() == 0: time.sleep(900); os._exit(0)\n"
        "        n += 1\n"
        "    except OSError: break\n"
        "print(n)\n"
    )
    run_output = await walled(script, python=True, processes=20)
    assert 10 <= int(run_output.printed) <= 20


@pytest.mark.parametrize("name", WALLED)
async def test_the_process_limit_is_the_runs_own(
    name: str, request: pytest.FixtureRequest, code: Path, toolchain: Toolchain
) -> None:
    sandbox = sandbox_named(name, request)
    neighbour = code.parent / "other"
    (neighbour / "rundir").mkdir(parents=True)
    script = "for n in 1 2 3 4 5 6 7 8; do sleep 1 & done; wait; echo done"
    jobs = [runner(sandbox, folder, toolchain)(script, processes=12) for folder in (code, neighbour)]
    assert [ran.printed for ran in await asyncio.gather(*jobs)] == ["done\n", "done\n"]


async def test_there_is_no_network(walled: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = (
            "import socket\n"
            "print([name for _, name in socket.if_nameindex()])\n"
            f"for host in ('127.0.0.1', '::1', '192.0.2.1', '8.8.8.8'):\n"
            f"    try: socket.create_connection((host, {port}), 2); print('connected', host)\n"
            "    except OSError as error: print('refused')\n"
        )
        assert (await walled(script, python=True)).printed == "['lo']\n" + "refused\n" * 4


async def test_only_plain_kinds_of_sockets_exist(walled: Run) -> None:
    script = (
        "import socket\n"
        "def can(family):\n"
        "    try: socket.socket(family, socket.SOCK_STREAM).close(); return True\n"
        "    except OSError as error: return error.errno != 1\n"
        "print([family for family in range(64) if can(family)])\n"
    )
    assert (await walled(script, python=True)).printed == "[1, 2, 10, 16]\n"


async def test_an_abstract_socket_of_the_host_can_not_be_reached(walled: Run) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0benchwright-test-{os.getpid()}")
        server.listen()
        script = f"import socket; socket.socket(socket.AF_UNIX).connect('\\0benchwright-test-{os.getpid()}')"
        assert "ConnectionRefusedError" in (await walled(script, python=True)).printed


async def test_the_stores_and_other_runs_files_are_not_there(walled: Run, tmp_path: Path) -> None:
    secret = tmp_path / "sealed.json"
    secret.write_text("CANARY-store")
    secret.chmod(0o644)
    run_output = await walled(f"cat {secret}; ls -A /tmp /rundir; cat /proc/1/root{secret}; cat /code/../{secret}")
    assert "CANARY-store" not in run_output.printed
    assert "benchwright" not in run_output.printed.replace(str(secret), "")


async def test_no_process_of_the_host_is_seen(walled: Run) -> None:
    mark = "86399.25"
    process = await asyncio.create_subprocess_exec("sleep", mark)
    try:
        pids = (await walled("ls /proc | grep -x '[0-9]*'")).printed.split()
        lines = (await walled("cat /proc/[0-9]*/cmdline")).printed
    finally:
        process.kill()
        await process.wait()
    assert len(pids) < 6
    assert "cat" in lines
    assert mark not in lines


async def test_hidden_files_can_not_be_changed(walled: Run) -> None:
    script = (
        "cd /src; (: > secret.txt); rm -f secret.txt; mv secret.txt x; touch new; chmod 777 . secret.txt;"
        " mkdir d; ln -s /x l; mv /src /src2; rm -rf /src; cat /src/secret.txt; ls /src"
    )
    stdout = (await walled(script)).printed
    assert stdout.endswith("CANARY-51abmore\nsecret.txt\n")


async def test_only_the_run_folder_and_scratch_can_be_written(walled: Run) -> None:
    script = (
        "for f in / /etc /usr /usr/bin /dev /proc /var /src /code /code/rundir /tmp /rundir /dev/shm; do"
        " (: > $f/probe) 2>/dev/null && echo $f; done"
    )
    assert (await walled(script)).printed.split() == ["/code", "/code/rundir", "/tmp", "/rundir", "/dev/shm"]


@pytest.mark.parametrize("folder", ["/tmp", "/rundir", "/dev/shm"])
async def test_scratch_in_memory_is_limited(folder: str, walled: Run) -> None:
    script = f"for n in 1 2 3 4 5 6 7 8; do head -c 1000000 /dev/zero > {folder}/$n; done; du -k {folder} | tail -1"
    stdout = (await walled(script, folder_mb=4)).printed
    assert "No space left" in stdout
    assert int(stdout.splitlines()[-1].split()[0]) <= 4096


async def test_a_compiler_can_not_change_a_device(walled: Run) -> None:
    old_mode = Path(os.devnull).stat().st_mode
    run_output = await walled(
        "echo 'module m; endmodule' >m.v; iverilog -o /dev/null m.v; chmod 755 /dev/null; echo $?"
    )
    assert (
        run_output.printed.endswith("\n1\n") or "denied" in run_output.printed or "permitted" in run_output.printed
    ), run_output.printed
    assert Path(os.devnull).stat().st_mode == old_mode


async def test_the_program_is_not_root_and_has_no_rights(walled: Run) -> None:
    stdout = (await walled("id -u; id -G; grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status")).printed
    id_words = stdout.split()
    assert "0" not in id_words[:2]
    assert {line.split()[1] for line in stdout.splitlines() if line.startswith("Cap")} == {"0" * 16}
    assert "NoNewPrivs:\t1" in stdout
    assert "Seccomp:\t2" in stdout
    assert (await walled("cat /etc/shadow; su -c id; mount -t tmpfs x /tmp; chroot / true")).step_end.exit_code != 0


@pytest.mark.skipif(os.geteuid() != 0, reason="users of their own are for root to give")
async def test_outside_the_program_is_not_root_either(walled: Run) -> None:
    touched_file = (await walled("touch mine")).code / "rundir" / "mine"
    assert 61184 <= touched_file.stat().st_uid < 65520


@pytest.mark.parametrize("option", ["-U", "-m", "-n", "-p", "-Ur", "-C", "-i", "-u"])
async def test_no_namespace_can_be_made(option: str, walled: Run) -> None:
    assert (await walled(f"unshare {option} true")).step_end.exit_code != 0


async def test_dangerous_system_calls_are_refused(walled: Run) -> None:
    script = (
        "import ctypes, errno\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "for name, number in {'ptrace': 101, 'keyctl': 250, 'bpf': 321, 'userfaultfd': 323, 'io_uring_setup': 425,\n"
        "    'process_vm_readv': 310, 'mount': 165, 'setns': 308, 'perf_event_open': 298}.items():\n"
        "    ctypes.set_errno(0)\n"
        "    assert libc.syscall(number, 0, 0, 0, 0, 0) == -1 and ctypes.get_errno() == errno.EPERM, name\n"
        "ctypes.set_errno(0)\n"
        "assert libc.syscall(435, 0, 0) == -1 and ctypes.get_errno() == errno.ENOSYS\n"
        "ctypes.set_errno(0)\n"
        "assert libc.syscall(56, 0x10000011, 0, 0, 0, 0) == -1 and ctypes.get_errno() == errno.EPERM\n"
        "print('refused')\n"
    )
    if os.uname().machine != "x86_64":
        pytest.skip("the numbers are those of x86-64")
    assert (await walled(script, python=True)).printed == "refused\n"


@pytest.mark.parametrize("name", WALLED)
async def test_two_runs_share_nothing(
    name: str, request: pytest.FixtureRequest, code: Path, toolchain: Toolchain
) -> None:
    sandbox = sandbox_named(name, request)
    neighbour = code.parent / "other"
    (neighbour / "rundir").mkdir(parents=True)
    # Counted by the shell itself: of two programs in a pipeline the first may look before the second is there.
    look = "echo $0 > /tmp/mark; sleep 0.5; ls /tmp /dev/shm; set -- /proc/[0-9]*; echo $#; cat /tmp/mark"
    first_run, second_run = await asyncio.gather(
        *(runner(sandbox, folder, toolchain)(look) for folder in (code, neighbour))
    )
    assert first_run.printed == second_run.printed
    assert sandbox.new_user() != sandbox.new_user() or os.geteuid() != 0


async def test_hidden_files_are_never_on_the_disk_of_the_host(walled: Run, code: Path) -> None:
    sandbox_run = asyncio.ensure_future(walled("cat /src/secret.txt > /dev/null; sleep 0.7"))
    leaked_paths = []
    while not sandbox_run.done():
        leaked_paths += [
            path for path in code.rglob("*") if path.is_file() and "CANARY" in path.read_text(errors="replace")
        ]
        await asyncio.sleep(0.05)
    assert (await sandbox_run).step_end.exit_code == 0
    assert leaked_paths == []


async def test_hidden_text_is_not_on_any_command_line(walled: Run) -> None:
    sandbox_run = asyncio.ensure_future(walled("sleep 0.4"))
    while not sandbox_run.done():
        assert processes_with("CANARY-51ab") == []
        await asyncio.sleep(0.05)
    await sandbox_run


async def test_big_and_many_hidden_files_arrive_whole(walled: Run) -> None:
    hidden_files = {f"/src/{number}": "é" * 1000 for number in range(300)} | {"/src/big": "x" * (8 << 20)}
    stdout = (await walled("ls /src | wc -l; cat /src/* | wc -c", hidden=hidden_files)).printed
    assert stdout.split() == ["301", str(300 * 2000 + (8 << 20))]


# What all of it is for: the same verdict everywhere. `test_equal_verdicts.py` compares those of published problems.


STARTER = {problem.id: problem for problem in read_built_in("starter").problems if problem.kind is ProblemKind.DESIGN}


async def verdicts(problem: Problem, sandbox: Sandbox, toolchain: Toolchain) -> list[Verdict]:
    sandbox_toolchain = toolchain_for(sandbox.name, toolchain.root.parents[2])
    return [
        await run_harness(problem, solution, sandbox=sandbox, toolchain=sandbox_toolchain, log=io.BytesIO())
        for solution in (reference_solution_files(problem), starting_solution_files(problem))
    ]


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["docker", "docker elsewhere"])
@pytest.mark.parametrize("problem", ["sync-fifo", "lint-stream-stats"])
async def test_a_container_gives_the_verdict_that_bubblewrap_gives(
    problem: str, name: str, request: pytest.FixtureRequest, toolchain: Toolchain
) -> None:
    expected_verdicts = await verdicts(STARTER[problem], BwrapSandbox(), toolchain)
    container_verdicts = await verdicts(STARTER[problem], sandbox_named(name, request), toolchain)
    assert [verdict.outcome for verdict in expected_verdicts] == [Outcome.PASSED, Outcome.FAILED]
    assert list(map(facts, container_verdicts)) == list(map(facts, expected_verdicts))


async def test_without_a_sandbox_the_verdict_is_the_same_and_says_so(toolchain: Toolchain) -> None:
    native_verdicts = await verdicts(STARTER["sync-fifo"], NativeSandbox(), toolchain)
    if native_verdicts[0].reason is Reason.TOOL_MISSING:
        pytest.skip(native_verdicts[0].detail)
    assert [verdict.outcome for verdict in native_verdicts] == [Outcome.PASSED, Outcome.FAILED]
    assert "without protection" in native_verdicts[0].remarks[0]
