"""The default sandbox: bubblewrap, unprivileged namespaces and a system call filter.

Inside, the first program is the guard's supervisor (`inside/guard/supervisor.py`). The hidden part
never touches the disk, nor a command line: the supervisor gets it with the job, through a pipe.

A sandbox can be started ahead, before there is a job for it. It serves one job as any other would,
only that Python, pytest and cocotb's runner are there already, and ends with it.

Bubblewrap also runs programs without a job: a reader of hostile bytes, which sees nothing but what it
needs (`_confine_program`), and a third-party program, which sees all but some folders (`_command_hiding_folders`).
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import hashlib
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from benchwright_foundation.superuser import is_superuser
from benchwright_foundation.untrusted_folder import remove_folder_if_possible
from benchwright_harness.errors import SandboxUnavailableError
from benchwright_harness.execution.process import OutputReceiver, ProcessEnd, Program, StepEnd
from benchwright_harness.execution.run_folder import new_run_folder, remove_folders_of_dead_runs
from benchwright_harness.sandbox import SandboxJob
from benchwright_harness.sandbox.confinement import (
    ConfinedProgram,
    Confinement,
    Confiner,
    FolderHider,
    ProgramRestriction,
)
from benchwright_harness.sandbox.guard import SUPERVISOR, hidden_roots, supervisor_environment, supervisor_request
from benchwright_harness.sandbox.kind import HealthFinding, MachineHealth, SandboxKind
from benchwright_harness.sandbox.seccomp import compiled_seccomp_filter
from benchwright_harness.sandbox.users import next_run_user_id
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.toolchain.build_cache import PLACE as BUILD_CACHE
from benchwright_harness.toolchain.manifest import content, digest_of
from benchwright_harness.toolchain.tree import INSIDE

_INSTALL = "install bubblewrap (Debian and Ubuntu: apt-get install bubblewrap)"
_ELSEWHERE = (
    "let Docker run hidden tests (`--sandbox docker`, in VS Code the setting benchwright.sandbox), or a bench service "
    "decide (`benchwright login`)"
)
_NOT_LINUX = f"{_ELSEWHERE}, or work on Linux or in WSL 2"
_ISOLATION = """
    --unshare-all --unshare-user --uid 1000 --gid 1000 --hostname benchwright --die-with-parent
    --new-session --cap-drop ALL --clearenv
"""
_USERS = "solver:x:1000:1000:solver:/code/rundir:/bin/sh\n"
_SCRATCH = ("/tmp", "/rundir", "/dev/shm")  # noqa: S108 - inside the sandbox
_CONFINED_SCRATCH = "/tmp"  # noqa: S108 - inside the sandbox
# Where the dynamic linker, and programs with alternatives, find what is in /usr.
_SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts")
_HIDING = (
    *("bwrap", "--unshare-user", "--disable-userns", "--unshare-pid", "--cap-drop", "ALL", "--die-with-parent"),
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
)
_TRIAL_S = 10
_STATUS_BYTES = 1 << 16
_GRACE_S = 5


@dataclass(frozen=True)
class _SandboxSettings:
    """Settings that a sandbox must be started with to serve a job."""

    toolchain: Toolchain = field(compare=False)
    toolchain_identity: tuple[Path, str, Path | None]
    """Its root, digest and build cache: each run finds it again."""
    hidden_roots: tuple[str, ...]
    """The folders of hidden files."""
    folder_mb: int
    python: tuple[tuple[str, str], ...]
    """The variables that decide how Python starts."""
    shown_folders: tuple[tuple[str, Path], ...] = ()
    """Folders of the host that are shown read-only, each with its path inside."""

    @classmethod
    def from_job(cls, job: SandboxJob) -> _SandboxSettings:
        environment_items = tuple(sorted(supervisor_environment(job).items()))
        return cls(
            job.toolchain,
            (job.toolchain.root, job.toolchain.digest, job.toolchain.build_cache),
            hidden_roots(job),
            job.limits.folder_mb,
            environment_items,
            tuple(sorted(job.shown_folders.items())),
        )


@dataclass
class _StartedSandbox:
    """A sandbox without a job."""

    settings: _SandboxSettings
    program: Program
    status: int
    """Open file that bubblewrap writes its status to."""
    code: Path
    user: int | None

    async def kill(self) -> None:
        """End it, with all that is in it."""
        try:
            await self.program.kill()
        finally:
            await self.end_and_read_status()

    async def end_and_read_status(self) -> bytes:
        """Wait until its namespace no longer exists.

        Returns:
            What bubblewrap wrote about its status.
        """
        try:
            status = os.pread(self.status, _STATUS_BYTES, 0)
            await _kill_namespace(status)
            return status
        finally:
            os.close(self.status)


class BwrapSandbox:
    """Runs a job in namespaces of its own: no network, no capabilities, a read-only system."""

    name = "bwrap"
    runs_images = False
    supervises = True

    def __init__(self) -> None:
        self._is_root = is_superuser()
        self._warm: _StartedSandbox | None = None
        self._warming = asyncio.Lock()
        self._started_by_folder: dict[Path, _StartedSandbox] = {}
        self._swept = False

    def new_user(self) -> int | None:
        """As root, an unprivileged user of this run's own."""
        return next_run_user_id() if self._is_root else None

    @cached_property
    def digest(self) -> str:
        """sha256 over bubblewrap's version, its options, the system call filter, and the programs of ours inside."""
        options = "\n".join((*self.isolation_words(), _digest_of_programs_inside()))
        return hashlib.sha256(f"{self._version}\n{options}\n".encode() + compiled_seccomp_filter()).hexdigest()

    @property
    def version(self) -> str:
        """Bubblewrap's version."""
        return ".".join(map(str, self._version))

    @cached_property
    def bwrap_path(self) -> str:
        """Path of bubblewrap.

        Raises:
            SandboxUnavailableError: Bubblewrap is not installed.
        """
        if sys.platform != "linux":
            raise SandboxUnavailableError("bubblewrap runs on Linux only", _NOT_LINUX)
        bwrap_path = shutil.which("bwrap")
        if not bwrap_path:
            raise SandboxUnavailableError("bubblewrap is not installed", f"{_INSTALL}; or {_ELSEWHERE}")
        return bwrap_path

    @cached_property
    def _version(self) -> tuple[int, ...]:
        version_run = subprocess.run(
            [self.bwrap_path, "--version"], capture_output=True, text=True, timeout=10, check=False
        )
        match = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", version_run.stdout)
        if not match:
            raise SandboxUnavailableError(
                f"bubblewrap does not start: {version_run.stderr.strip()}", _broken_bwrap_hint()
            )
        return tuple(int(part or 0) for part in match.groups())

    def check(self) -> None:
        """Try the sandbox with an empty program.

        Raises:
            SandboxUnavailableError: The sandbox does not work on this machine, with the next step.
        """
        user = self.new_user()
        compiled_seccomp_filter()
        argv = [
            self.bwrap_path,
            *self.isolation_words(),
            *_system_bind_options(Path("/"), "etc", "opt"),
            "--",
            "/bin/true",
        ]
        trial_run = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
            cwd="/",
            user=user,
            group=user,
            extra_groups=None if user is None else (),
        )
        if trial_run.returncode != 0:
            raise SandboxUnavailableError(
                f"bubblewrap does not work on this machine: {trial_run.stderr.strip()}", _broken_bwrap_hint()
            )

    async def run(self, job: SandboxJob, log: OutputReceiver) -> StepEnd:
        """See `Sandbox.run`."""
        if not self._swept:
            self._swept = True
            await asyncio.to_thread(remove_folders_of_dead_runs)
        started_sandbox = self._claim_started_if_warm(job) or self._start(
            _SandboxSettings.from_job(job), job.code, job.user
        )
        try:
            step_end = await started_sandbox.program.run_to_end(
                limits=job.limits,
                limited_folder=job.code,
                log=log,
                stdin_bytes=supervisor_request(job, job.limits.processes + 1),
            )
        finally:
            status = await started_sandbox.end_and_read_status()
        # bubblewrap reports an exit status only if it got as far as starting the program.
        if step_end.end is ProcessEnd.EXITED and b"exit-code" not in status:
            raise SandboxUnavailableError("bubblewrap does not work on this machine", _broken_bwrap_hint())
        return step_end

    async def start_ahead(self, job: SandboxJob) -> None:
        """Start a sandbox ahead for the next job like this one, which is to use `warm_folder`.

        At most one waits. It ends with this process, or by `end_warm_sandbox`.
        """
        settings = _SandboxSettings.from_job(job)
        async with self._warming:
            if self._warm is not None and self._warm.settings == settings and self._warm.program.is_running:
                return
            await self.end_warm_sandbox()
            user = self.new_user()
            code = new_run_folder()
            try:
                if user is not None:
                    os.chown(code, user, user)
                self._warm = self._start(settings, code, user)
            except BaseException:
                remove_folder_if_possible(code)
                raise

    async def end_warm_sandbox(self) -> None:
        """See `WarmSandbox.end_warm_sandbox`."""
        started_sandbox, self._warm = self._warm, None
        if started_sandbox is not None:
            await started_sandbox.kill()
            remove_folder_if_possible(started_sandbox.code)

    def claim_warm_folder_and_user_id(self, job: SandboxJob) -> tuple[Path, int | None] | None:
        """See `WarmSandbox.claim_warm_folder_and_user_id`.

        Afterwards the folder is the caller's to remove, whether or not a job was run.
        """
        started_sandbox = self._warm
        if (
            started_sandbox is None
            or started_sandbox.settings != _SandboxSettings.from_job(job)
            or not started_sandbox.program.is_running
        ):
            return None
        self._warm = None
        self._started_by_folder[started_sandbox.code] = started_sandbox
        return started_sandbox.code, started_sandbox.user

    async def end_claimed_if_unused(self, code_folder: Path) -> None:
        """See `WarmSandbox.end_claimed_if_unused`."""
        if started := self._started_by_folder.pop(code_folder, None):
            await started.kill()

    def _claim_started_if_warm(self, job: SandboxJob) -> _StartedSandbox | None:
        started_sandbox = self._started_by_folder.pop(job.code, None)
        if started_sandbox is None or started_sandbox.settings == _SandboxSettings.from_job(job):
            return started_sandbox
        raise ValueError("the job differs from the one that its sandbox was started for")

    def _start(self, settings: _SandboxSettings, code_folder: Path, user_id: int | None) -> _StartedSandbox:
        with contextlib.ExitStack() as open_files:

            def in_memory(content: bytes) -> int:
                return open_files.enter_context(_memory_file(content))

            status, seccomp = in_memory(b""), in_memory(compiled_seccomp_filter())
            users = in_memory(_USERS.encode())
            options = [
                *self.isolation_words(),
                *_system_bind_options(settings.toolchain.root, "etc", "opt"),
                *("--ro-bind", str(settings.toolchain.own_programs_folder), INSIDE),
                *("--ro-bind-data", str(users), "/etc/passwd"),
                *_build_cache_options(settings.toolchain),
                *itertools.chain.from_iterable(("--perms", "0755", "--tmpfs", root) for root in settings.hidden_roots),
                *itertools.chain.from_iterable(
                    ("--ro-bind", str(folder), inner_path) for inner_path, folder in settings.shown_folders
                ),
                *("--symlink", "/tmp", "/var/tmp"),  # noqa: S108 - inside the sandbox
                *("--bind", str(code_folder), "/code", "--chdir", "/"),
                # bubblewrap's own / and /dev live in memory too, with no limit but the machine's.
                *itertools.chain.from_iterable(
                    (*self.size_limit_options(settings.folder_mb << 20), "--tmpfs", folder) for folder in _SCRATCH
                ),
                *("--remount-ro", "/dev", "--remount-ro", "/"),
                *itertools.chain.from_iterable(("--setenv", key, value) for key, value in settings.python),
                *("--seccomp", str(seccomp), "--json-status-fd", str(status)),
            ]
            # On a command line everybody on this machine could read them.
            arguments = in_memory("".join(f"{option}\0" for option in options).encode())
            # Python could change the user itself, but would copy the page tables of this whole process for it.
            bwrap_path = Program(
                [*_words_to_become_user(user_id), self.bwrap_path, "--args", str(arguments), "--", *SUPERVISOR],
                env={"PATH": "/usr/bin:/bin"},
                cwd=Path("/"),
                inherited_fds=[status, seccomp, users, arguments],
                reports_on_stderr=True,
            )
            return _StartedSandbox(settings, bwrap_path, os.dup(status), code_folder, user_id)

    def size_limit_options(self, size_bytes: int) -> list[str]:
        """The options before a `--tmpfs` that limit it to this many bytes, where bubblewrap has them."""
        return ["--size", str(size_bytes)] if self._version >= (0, 7) else []

    def isolation_words(self) -> list[str]:
        """The options that every sandbox starts with."""
        options = _ISOLATION.split()
        # Older bubblewraps can't forbid nested user namespaces; the system call filter does.
        return [*options, "--disable-userns"] if self._version >= (0, 8) else options


def _digest_of_programs_inside() -> str:
    return digest_of(content(Path(__file__).parents[1] / "inside", excluded_folder="__pycache__"))


async def _kill_namespace(bwrap_status: bytes) -> None:
    """Kill the first process inside, and with it all others; wait until they have exited.

    It dies with the bubblewrap outside, but a little later, and not at all where that was killed
    before the one inside had asked for it. What is left inside would still run and write.
    """
    match = re.search(rb'"child-pid": *(\d+)', bwrap_status)
    if not match:
        return
    exit_event = asyncio.Event()
    loop = asyncio.get_running_loop()
    pid = int(match[1])
    with contextlib.suppress(OSError, TimeoutError):
        handle = os.pidfd_open(pid)
        try:
            if _is_first_of_namespace(pid):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
            loop.add_reader(handle, exit_event.set)
            async with asyncio.timeout(_GRACE_S):
                await exit_event.wait()
        finally:
            loop.remove_reader(handle)
            os.close(handle)


def _is_first_of_namespace(host_pid: int) -> bool:
    """True if a process is the first of a namespace, and not another one that got its old number."""
    match = re.search(r"^NSpid:\t.*\t1$", Path(f"/proc/{host_pid}/status").read_text(), re.MULTILINE)
    return match is not None


@cache
def _system_bind_options(toolchain_root: Path, *extra_folders: str) -> tuple[str, ...]:
    """The options that show the programs and libraries of a system, its folders of these names, `/proc` and `/dev`."""
    binds: list[str] = []
    for name in ("usr", *extra_folders, "bin", "sbin", "lib", "lib32", "lib64"):
        folder = toolchain_root / name
        if folder.is_symlink():
            binds += ["--symlink", str(folder.readlink()), f"/{name}"]
        elif folder.is_dir():
            binds += ["--ro-bind", str(folder), f"/{name}"]
    return (*binds, "--proc", "/proc", "--dev", "/dev")


def _build_cache_options(toolchain: Toolchain) -> tuple[str, ...]:
    folder = toolchain.build_cache
    return () if folder is None else ("--ro-bind", str(folder), BUILD_CACHE)


@contextlib.contextmanager
def _memory_file(content: bytes) -> Iterator[int]:
    """An open file, for bubblewrap, that is on no disk."""
    handle = os.memfd_create("hidden", 0)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(handle, view) :]
        os.lseek(handle, 0, os.SEEK_SET)
        yield handle
    finally:
        os.close(handle)


def _broken_bwrap_hint() -> str:
    return f"{namespaces_next_step(Path('/proc/sys'))}; or {_ELSEWHERE}"


def namespaces_next_step(kernel_settings_folder: Path) -> str:
    """What lets bubblewrap make its namespaces, by the setting that forbids it.

    Args:
        kernel_settings_folder: The folder of the kernel's settings.
    """
    for name, forbidding, allowed, who in _NAMESPACE_SETTINGS:
        with contextlib.suppress(OSError):
            if kernel_settings_folder.joinpath(*name.split(".")).read_text().strip() == forbidding:
                command = f"sudo sysctl -w {name}={allowed}"
                return f"{who}: run `{command}`, and write `{name}={allowed}` into a file of /etc/sysctl.d to keep it"
    return "allow this account to make user namespaces; inside a container, its host and its profiles have to"


_NAMESPACE_SETTINGS = (
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0", "Ubuntu 24.04 and newer forbid user namespaces"),
    ("kernel.unprivileged_userns_clone", "0", "1", "this kernel forbids user namespaces to all but root"),
    ("user.max_user_namespaces", "0", "28633", "this machine allows no user namespaces"),
)
"""Setting of the kernel, the value that forbids, one that allows, and how to say it."""


def _bwrap_health_findings() -> tuple[HealthFinding, ...]:
    return (_examine_bubblewrap(), _examine_landlock())


def _examine_bubblewrap() -> HealthFinding:
    purpose = "running hidden tests"
    sandbox = BwrapSandbox()
    try:
        sandbox.check()
    except SandboxUnavailableError as error:
        return HealthFinding("Sandbox", MachineHealth.MISSING, purpose, hint=f"{error}: {error.hint}")
    return HealthFinding("Sandbox", MachineHealth.OK, purpose, f"bubblewrap {sandbox.version}")


def _examine_landlock() -> HealthFinding:
    purpose = "keeping a running design from the hidden tests' files"
    # Asks the kernel which version of Landlock it has: landlock_create_ruleset(NULL, 0, VERSION).
    landlock_version = ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1) if sys.platform == "linux" else 0
    if landlock_version < 1:
        hint = "use Linux 5.13 or newer with Landlock; until then verdicts carry a remark"
        return HealthFinding("Landlock", MachineHealth.WARNING, purpose, hint=hint)
    return HealthFinding("Landlock", MachineHealth.OK, purpose, str(landlock_version))


@contextlib.contextmanager
def _confine_program(argv: Sequence[str], confinement: Confinement) -> Iterator[ConfinedProgram]:
    """See `Confiner.confined`.

    There is no network, no home folder, no file of the host but `/usr` and what is shown, no other process, and no
    capability; system calls are filtered. Root runs it as a user of its own. It ends with the thread that started it.
    """
    sandbox = BwrapSandbox()
    with contextlib.ExitStack() as open_files:
        seccomp = open_files.enter_context(_memory_file(compiled_seccomp_filter()))
        options = [
            *sandbox.isolation_words(),
            *_system_bind_options(Path("/")),
            *itertools.chain.from_iterable(("--ro-bind-try", name, name) for name in _SETTINGS),
            # Before what is shown, some of which may be below it.
            *sandbox.size_limit_options(confinement.scratch_mb << 20),
            *("--tmpfs", _CONFINED_SCRATCH, "--chdir", _CONFINED_SCRATCH),
            *itertools.chain.from_iterable(("--ro-bind", str(path), str(path)) for path in confinement.shown_paths),
            *("--remount-ro", "/dev", "--remount-ro", "/"),
            *itertools.chain.from_iterable(("--setenv", key, value) for key, value in confinement.env.items()),
            *("--seccomp", str(seccomp)),
        ]
        arguments = open_files.enter_context(_memory_file("".join(f"{option}\0" for option in options).encode()))
        limit_options = (f"--nproc={confinement.processes}", f"--fsize={confinement.file_mb << 20}", "--core=0")
        command = [
            *_words_to_become_user(sandbox.new_user()),
            *(sandbox.bwrap_path, "--args", str(arguments), "--", "/usr/bin/prlimit", *limit_options, "--", *argv),
        ]
        yield ConfinedProgram(command, [seccomp, arguments], {})


def _words_to_become_user(user_id: int | None) -> tuple[str, ...]:
    """The words before a command that make it another user's."""
    return (
        ()
        if user_id is None
        else ("/usr/bin/setpriv", f"--reuid={user_id}", f"--regid={user_id}", "--clear-groups", "--")
    )


@cache
def _can_hide_folders() -> bool:
    """True if bubblewrap is there and works; inside some containers it does not."""
    if sys.platform != "linux" or shutil.which("bwrap") is None:
        return False
    try:
        trial = subprocess.run([*_HIDING, "--", "true"], capture_output=True, timeout=_TRIAL_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return trial.returncode == 0


def _command_hiding_folders(command: Sequence[str], restriction: ProgramRestriction) -> tuple[str, ...]:
    """See `FolderHider.command_hiding_folders`; the program has a PID namespace of its own."""
    emptied = [
        part for folder in restriction.hidden_folders if folder.is_dir() for part in ("--tmpfs", str(folder.resolve()))
    ]
    network = ["--unshare-net"] if restriction.is_offline else []
    status = [] if restriction.status_fd is None else ["--json-status-fd", str(restriction.status_fd)]
    writable_folder = str(restriction.writable_folder)
    mounts = [*emptied, "--bind", writable_folder, writable_folder, "--chdir", str(restriction.workdir)]
    return (*_HIDING, *network, *status, *mounts, "--", *command)


def _read_exit_code(status_lines: bytes) -> int | None:
    """See `FolderHider.read_exit_code`.

    Bubblewrap writes lines of JSON, of which the last is like `{ "exit-code": 3 }`. It writes that line only if
    the program had been started; its pipe is closed in the program.
    """
    exit_code = re.search(rb'^\{ "exit-code": (\d{1,3}) \}$', status_lines, re.MULTILINE)
    return None if exit_code is None else int(exit_code[1])


BWRAP = SandboxKind(
    open=BwrapSandbox,
    description="bubblewrap: no network, and no access to your files.",
    examine=_bwrap_health_findings,
    check=lambda: BwrapSandbox().check(),
    shows_folders=True,
    confiner=Confiner(_confine_program, lambda: BwrapSandbox().check(), _INSTALL, "/usr/local/bin:/usr/bin"),
    folder_hider=FolderHider("bubblewrap", _can_hide_folders, _command_hiding_folders, _read_exit_code),
)
