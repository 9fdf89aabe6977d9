"""The promises of a sandbox: each is tried by a program that does its worst."""

from __future__ import annotations

import asyncio
import io
import os
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from benchwright_harness.errors import SandboxUnavailableError
from benchwright_harness.foreign_folder import folder_bytes, remove_folder
from benchwright_harness.process import MAX_OUTPUT_BYTES, End, Ended
from benchwright_harness.sandbox import Job, Sandbox
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.sandbox.native import NativeSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Limits

HIDDEN = {"/src/secret.txt": "CANARY-51ab", "/src/more/x.txt": "more"}


@dataclass(frozen=True)
class Ran:
    ended: Ended
    printed: str
    code: Path
    seconds: float

    @property
    def end(self) -> End:
        return self.ended.end


Run = Callable[..., Awaitable[Ran]]


@pytest.fixture
def code(open_folder: Path) -> Path:
    folder = open_folder / "code"
    (folder / "rundir").mkdir(parents=True)
    (folder / "rtl").mkdir()
    return folder


def runner(sandbox: Sandbox, code: Path, toolchain: Toolchain) -> Run:
    async def run(script: str, *, python: bool = False, hidden: dict[str, str] = HIDDEN, **limits: float) -> Ran:
        user = sandbox.new_user()
        if user is not None:
            for path in (code, *code.rglob("*")):
                os.chown(path, user, user, follow_symlinks=False)
        log = io.BytesIO()
        start = time.monotonic()
        job = Job(
            argv=("python3", "-c", script) if python else ("/bin/sh", "-c", script),
            env={"PATH": toolchain.path, "GREETING": "hello"},
            code=code,
            hidden=hidden,
            limits=Limits.model_validate({"wall_s": 20.0, **limits}),
            toolchain=toolchain,
            user=user,
        )
        ended = await sandbox.run(job, log)
        return Ran(ended, log.getvalue().decode(errors="replace"), code, time.monotonic() - start)

    return run


@pytest.fixture(params=[BwrapSandbox, NativeSandbox], ids=["bwrap", "native"])
def run(request: pytest.FixtureRequest, code: Path, toolchain: Toolchain) -> Run:
    return runner(request.param(), code, toolchain)


@pytest.fixture
def bwrap(code: Path, toolchain: Toolchain) -> Run:
    return runner(BwrapSandbox(), code, toolchain)


def processes_with(marker: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter(["cmdline"]):
        # The pytest process has its own source nowhere in its arguments.
        if marker in " ".join(process.info["cmdline"] or ()):
            found.append(process)
    return found


def is_alive(process: psutil.Process) -> bool:
    try:
        # Whoever adopts a dead process may take its time to bury it.
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def started(marker: str) -> bool:
    for _ in range(100):
        if processes_with(marker):
            return True
        await asyncio.sleep(0.05)
    return False


async def gone_within(seconds: float, marker: str) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not processes_with(marker):
            return True
        await asyncio.sleep(0.05)
    return False


# What every sandbox promises.


@pytest.mark.parametrize("status", [0, 1, 77, 127])
async def test_the_exit_status_is_the_programs(status: int, run: Run) -> None:
    ran = await run(f"exit {status}")
    assert (ran.end, ran.ended.exit_code) == (End.EXITED, status)


async def test_a_program_that_is_killed_has_no_good_exit_status(run: Run) -> None:
    ran = await run("kill -SEGV $$")
    assert ran.end is End.EXITED
    assert ran.ended.exit_code != 0


async def test_a_program_that_is_not_there_has_a_status_of_its_own(run: Run) -> None:
    assert (await run("exec no-such-program")).ended.exit_code == 127


async def test_output_and_errors_go_to_the_log_in_order(run: Run) -> None:
    assert (await run("echo one; echo two >&2; echo three")).printed == "one\ntwo\nthree\n"


async def test_the_environment_is_the_jobs_and_nothing_else(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY", "CANARY-env")
    printed = (await run("env; cat /proc/self/environ /proc/1/environ 2>/dev/null | tr '\\0' '\\n'")).printed
    assert "GREETING=hello" in printed
    assert "CANARY-env" not in printed.split("PATH=", 1)[0] + (await run("env")).printed


async def test_there_is_nothing_to_read_on_standard_input(run: Run) -> None:
    assert (await run("cat; echo done")).printed == "done\n"


async def test_a_program_that_closes_its_output_goes_on(run: Run) -> None:
    ran = await run("exec >&- 2>&-; sleep 0.5; exit 5")
    assert (ran.end, ran.ended.exit_code) == (End.EXITED, 5)


async def test_the_time_limit_ends_the_program(run: Run) -> None:
    ran = await run("sleep 31.5", wall_s=0.5)
    assert ran.end is End.TIMEOUT
    assert ran.seconds < 1.5
    assert await gone_within(1, "sleep 31.5")


async def test_the_time_limit_ends_a_program_that_ignores_signals(run: Run) -> None:
    ran = await run("trap '' TERM INT HUP QUIT; sleep 32.5 & while :; do sleep 32.5; done", wall_s=0.5)
    assert (ran.end, await gone_within(1, "sleep 32.5")) == (End.TIMEOUT, True)


async def test_cancelling_kills_within_a_second(run: Run) -> None:
    task = asyncio.ensure_future(run("trap '' TERM; sleep 33.5 & sleep 33.5"))
    assert await started("sleep 33.5")
    running = processes_with("sleep 33.5")
    start = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    while any(is_alive(process) for process in running):
        assert time.monotonic() - start < 1
    assert time.monotonic() - start < 1


@pytest.mark.parametrize("delay_ms", [0, 1, 2, 4, 8, 16])
async def test_cancelling_at_any_moment_of_the_start_leaves_nothing(delay_ms: int, run: Run) -> None:
    for attempt in range(10):
        task = asyncio.ensure_future(run(f"sleep 34.{delay_ms}{attempt}"))
        await asyncio.sleep((delay_ms + attempt / 10) / 1000)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await gone_within(1, f"sleep 34.{delay_ms}")


async def test_what_is_left_in_the_background_dies_with_the_program(run: Run) -> None:
    ran = await run("sleep 35.5 & exit 0")
    assert ran.seconds < 2
    assert await gone_within(1, "sleep 35.5")


async def test_memory_that_grows_is_stopped(run: Run) -> None:
    grow = "import time\nx = []\nfor _ in range(60):\n    x.append(bytearray(b'x') * (8 << 20)); time.sleep(0.02)\n"
    ran = await run(grow + "time.sleep(20)", python=True, memory_mb=150)
    assert ran.end is End.MEMORY
    assert ran.seconds < 10


async def test_address_space_is_limited(run: Run) -> None:
    ran = await run("try:\n bytearray(1 << 31)\nexcept MemoryError: print('refused')", python=True, memory_mb=256)
    assert ran.printed == "refused\n"


async def test_one_file_can_not_grow_beyond_its_limit(run: Run) -> None:
    await run("head -c 9000000 /dev/zero > big; head -c 9000000 /dev/zero > rundir2 || true", file_mb=2)
    assert all(path.stat().st_size <= 2 << 20 for path in (await run("true")).code.rglob("*"))


async def test_a_folder_that_grows_is_stopped(run: Run) -> None:
    ran = await run("for n in 1 2 3 4 5 6; do head -c 1000000 /dev/zero > $n; done; sleep 20", folder_mb=4, file_mb=2)
    assert ran.end is End.FOLDER_QUOTA
    assert ran.seconds < 5


async def test_a_folder_of_countless_empty_files_is_stopped(run: Run) -> None:
    script = "import time\nfor n in range(3000): open(str(n), 'w').close()\ntime.sleep(20)"
    assert (await run(script, python=True, folder_mb=2)).end is End.FOLDER_QUOTA


async def test_a_folder_too_deep_to_be_measured_is_stopped_and_can_be_removed(run: Run) -> None:
    script = "import os, time\nfor n in range(700):\n os.mkdir('d' * 50); os.chdir('d' * 50)\ntime.sleep(20)"
    ran = await run(script, python=True)
    assert ran.end is End.FOLDER_QUOTA
    remove_folder(ran.code)
    assert not ran.code.exists()


async def test_an_output_flood_is_stopped_and_cut(run: Run) -> None:
    ran = await run("yes flood", wall_s=15)
    assert ran.end is End.OUTPUT_QUOTA
    assert len(ran.printed) <= MAX_OUTPUT_BYTES
    assert ran.seconds < 10
    assert await gone_within(1, "yes flood")


async def test_hidden_files_are_where_the_harness_looks(run: Run) -> None:
    # Words that are paths are rewritten where there are no mounts.
    assert (await run("cat /src/secret.txt /src/more/x.txt")).printed == "CANARY-51abmore"


async def test_the_run_folder_is_the_working_folder_and_writable(run: Run) -> None:
    ran = await run("echo a > here; echo b > ../rtl/there; mkdir x; ls ..")
    assert (ran.code / "rundir" / "here").read_text() == "a\n"
    assert (ran.code / "rtl" / "there").read_text() == "b\n"
    assert ran.ended.exit_code == 0


# What only a real sandbox promises.


async def test_daemons_die_with_the_run(bwrap: Run) -> None:
    daemon = (
        "import os, signal, time\n"
        "for _ in range(2):\n"
        "    if os.fork(): os._exit(0)\n"
        "    os.setsid()\n"
        "[signal.signal(s, signal.SIG_IGN) for s in (1, 2, 3, 15)]\n"
        "os.closerange(0, 100)\n"
        "os.execvp('sleep', ['sleep', '36.5'])\n"
    )
    ran = await bwrap(daemon, python=True)
    assert ran.end is End.EXITED
    assert await gone_within(1, "sleep 36.5")


async def test_daemons_die_at_the_time_limit(bwrap: Run) -> None:
    ran = await bwrap("setsid -f sleep 37.5 >&- 2>&-; setsid sleep 37.5 & sleep 37.5", wall_s=0.7)
    assert (ran.end, processes_with("sleep 37.5")) == (End.TIMEOUT, [])


async def test_nothing_is_left_running_when_the_run_has_ended(bwrap: Run) -> None:
    script = "setsid -f sh -c 'n=0; while [ $n -lt 20000 ]; do n=$((n+1)); : > busy38; done' >&- 2>&-; sleep 0.2"
    ran = await bwrap(script)
    assert processes_with("busy38") == []
    assert folder_bytes(ran.code, 1 << 30) >= 0


async def test_a_fork_bomb_stays_small(bwrap: Run) -> None:
    script = (
        "import os, time\n"
        "n = 0\n"
        "for _ in range(200):\n"
        "    try:\n"
        "        if os.fork() == 0: time.sleep(10); os._exit(0)\n"
        "        n += 1\n"
        "    except OSError: break\n"
        "print(n)\n"
    )
    ran = await bwrap(script, python=True, processes=20, wall_s=10)
    assert 10 <= int(ran.printed) <= 20


async def test_the_process_limit_is_the_runs_own(code: Path, toolchain: Toolchain) -> None:
    sandbox = BwrapSandbox()
    other = code.parent / "other"
    (other / "rundir").mkdir(parents=True)
    many = "for n in 1 2 3 4 5 6 7 8; do sleep 1 & done; wait; echo done"
    jobs = [runner(sandbox, folder, toolchain)(many, processes=12) for folder in (code, other)]
    assert [ran.printed for ran in await asyncio.gather(*jobs)] == ["done\n", "done\n"]


async def test_there_is_no_network(bwrap: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = (
            "import socket\n"
            "print([name for _, name in socket.if_nameindex()])\n"
            f"for host in ('127.0.0.1', '::1', '192.0.2.1', '8.8.8.8'):\n"
            f"    try: socket.create_connection((host, {port}), 2); print('connected', host)\n"
            "    except OSError as error: print('refused')\n"
        )
        assert (await bwrap(script, python=True)).printed == "['lo']\n" + "refused\n" * 4


async def test_only_plain_kinds_of_sockets_exist(bwrap: Run) -> None:
    script = (
        "import socket\n"
        "def can(family):\n"
        "    try: socket.socket(family, socket.SOCK_STREAM).close(); return True\n"
        "    except OSError as error: return error.errno != 1\n"
        "print([family for family in range(64) if can(family)])\n"
    )
    assert (await bwrap(script, python=True)).printed == "[1, 2, 10, 16]\n"


async def test_an_abstract_socket_of_the_host_can_not_be_reached(bwrap: Run) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0benchwright-test-{os.getpid()}")
        server.listen()
        script = f"import socket; socket.socket(socket.AF_UNIX).connect('\\0benchwright-test-{os.getpid()}')"
        assert "ConnectionRefusedError" in (await bwrap(script, python=True)).printed


@pytest.mark.parametrize(
    "path", ["/root", "/home", "/etc/shadow", "/etc/hostname", "/sys", "/mnt", "/boot", "/var/lib"]
)
async def test_the_hosts_files_are_not_there(path: str, bwrap: Run) -> None:
    assert (await bwrap(f"ls {path}")).ended.exit_code != 0


async def test_the_stores_and_other_runs_files_are_not_there(bwrap: Run, tmp_path: Path) -> None:
    secret = tmp_path / "sealed.json"
    secret.write_text("CANARY-store")
    secret.chmod(0o644)
    ran = await bwrap(f"cat {secret}; ls -A /tmp /rundir; cat /proc/1/root{secret}; cat /code/../{secret}")
    assert "CANARY-store" not in ran.printed
    assert "benchwright" not in ran.printed.replace(str(secret), "")


async def test_no_process_of_the_host_is_seen(bwrap: Run) -> None:
    pids = [int(word) for word in (await bwrap("ls /proc")).printed.split() if word.isdigit()]
    assert max(pids) < 10


async def test_hidden_files_can_not_be_changed(bwrap: Run) -> None:
    script = (
        "cd /src; (: > secret.txt); rm -f secret.txt; mv secret.txt x; touch new; chmod 777 . secret.txt;"
        " mkdir d; ln -s /x l; mv /src /src2; rm -rf /src; cat /src/secret.txt; ls /src"
    )
    printed = (await bwrap(script)).printed
    assert printed.endswith("CANARY-51abmore\nsecret.txt\n")


async def test_only_the_run_folder_and_scratch_can_be_written(bwrap: Run) -> None:
    script = (
        "for f in / /etc /usr /usr/bin /dev /proc /var /src /code /code/rundir /tmp /rundir /dev/shm; do"
        " (: > $f/probe) 2>/dev/null && echo $f; done"
    )
    assert (await bwrap(script)).printed.split() == ["/code", "/code/rundir", "/tmp", "/rundir", "/dev/shm"]


@pytest.mark.parametrize("folder", ["/tmp", "/rundir", "/dev/shm"])
async def test_scratch_in_memory_is_limited(folder: str, bwrap: Run) -> None:
    if BwrapSandbox().version < "0.7":
        pytest.skip("bubblewrap before 0.7 can't limit folders in memory")
    script = f"for n in 1 2 3 4 5 6 7 8; do head -c 1000000 /dev/zero > {folder}/$n; done; du -k {folder} | tail -1"
    printed = (await bwrap(script, folder_mb=4)).printed
    assert "No space left" in printed
    assert int(printed.splitlines()[-1].split()[0]) <= 4096


async def test_the_program_is_not_root_and_has_no_rights(bwrap: Run) -> None:
    printed = (await bwrap("id -u; id -G; grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status")).printed
    facts = printed.split()
    assert facts[0] == "1000"
    assert {line.split()[1] for line in printed.splitlines() if line.startswith("Cap")} == {"0" * 16}
    assert "NoNewPrivs:\t1" in printed
    assert "Seccomp:\t2" in printed
    assert (await bwrap("cat /etc/shadow; su -c id; mount -t tmpfs x /tmp; chroot / true")).ended.exit_code != 0


@pytest.mark.skipif(os.geteuid() != 0, reason="users of their own are for root to give")
async def test_outside_the_program_is_not_root_either(bwrap: Run) -> None:
    owner = (await bwrap("touch mine")).code / "rundir" / "mine"
    assert 61184 <= owner.stat().st_uid < 65520


@pytest.mark.parametrize("option", ["-U", "-m", "-n", "-p", "-Ur", "-C", "-i", "-u"])
async def test_no_namespace_can_be_made(option: str, bwrap: Run) -> None:
    assert (await bwrap(f"unshare {option} true")).ended.exit_code != 0


async def test_dangerous_system_calls_are_refused(bwrap: Run) -> None:
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
    assert (await bwrap(script, python=True)).printed == "refused\n"


async def test_no_file_of_the_host_is_open_inside(bwrap: Run) -> None:
    printed = (await bwrap("for f in /proc/self/fd/* /proc/1/fd/*; do readlink $f; done")).printed
    assert "hidden" not in printed
    assert all(line.startswith(("/dev/null", "pipe:", "/proc/", "anon_inode:", "socket:")) for line in printed.split())


async def test_two_runs_share_nothing(code: Path, toolchain: Toolchain) -> None:
    sandbox = BwrapSandbox()
    other = code.parent / "other"
    (other / "rundir").mkdir(parents=True)
    look = "echo $0 > /tmp/mark; sleep 0.5; ls /tmp /dev/shm; ls /proc | grep -c '^[0-9]'; cat /tmp/mark"
    one, two = await asyncio.gather(*(runner(sandbox, folder, toolchain)(look) for folder in (code, other)))
    assert one.printed == two.printed
    assert sandbox.new_user() != sandbox.new_user() or os.geteuid() != 0


async def test_hidden_files_are_never_on_the_disk_of_the_host(bwrap: Run, code: Path) -> None:
    task = asyncio.ensure_future(bwrap("cat /src/secret.txt > /dev/null; sleep 0.7"))
    seen = []
    while not task.done():
        seen += [path for path in code.rglob("*") if path.is_file() and "CANARY" in path.read_text(errors="replace")]
        await asyncio.sleep(0.05)
    assert (await task).ended.exit_code == 0
    assert seen == []


async def test_hidden_text_is_not_on_any_command_line(bwrap: Run) -> None:
    task = asyncio.ensure_future(bwrap("sleep 0.4"))
    while not task.done():
        assert processes_with("CANARY-51ab") == []
        await asyncio.sleep(0.05)
    await task


async def test_big_and_many_hidden_files_arrive_whole(bwrap: Run) -> None:
    hidden = {f"/src/{number}": "é" * 1000 for number in range(300)} | {"/src/big": "x" * (8 << 20)}
    printed = (await bwrap("ls /src | wc -l; cat /src/* | wc -c", hidden=hidden)).printed
    assert printed.split() == ["301", str(300 * 2000 + (8 << 20))]


async def test_a_sandbox_that_can_not_start_is_an_error_of_its_own(bwrap: Run) -> None:
    with pytest.raises(SandboxUnavailableError, match="does not work on this machine"):
        await bwrap("true", hidden={"/usr/\0/x".replace("\0", "y"): "", "/proc/1/x": ""})


async def test_a_missing_bubblewrap_says_what_to_do(bwrap: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SandboxUnavailableError, match="not installed") as refused:
        await bwrap("true")
    assert "apt-get install bubblewrap" in refused.value.hint


def test_the_sandboxs_own_check_works_here() -> None:
    BwrapSandbox().check()


def test_the_digest_names_the_sandbox() -> None:
    assert BwrapSandbox().digest == BwrapSandbox().digest != NativeSandbox().digest
    assert sys.platform == "linux"
