"""The default sandbox: bubblewrap, unprivileged namespaces and a system call filter.

The hidden part never touches the disk: it is handed to bubblewrap through memory and appears
inside as read-only files.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from benchwright_harness.errors import SandboxUnavailableError
from benchwright_harness.plan import WORKDIR
from benchwright_harness.process import End, Ended, Output, run_limited
from benchwright_harness.sandbox import Job, prlimit
from benchwright_harness.sandbox.seccomp import filter_program

_HINT = (
    "install bubblewrap (Debian and Ubuntu: apt-get install bubblewrap); where it can't work, such as"
    " inside a container, `--sandbox native` (in VS Code the setting benchwright.sandbox) runs without protection"
)
# Free for dynamic use by systemd's table of ids; each run takes its own, so that one run's
# process limit and files are never another's.
_FIRST_UID = 61184
_UIDS = 4000
_ISOLATION = """
    --unshare-all --unshare-user --uid 1000 --gid 1000 --hostname benchwright --die-with-parent
    --new-session --cap-drop ALL --clearenv
"""
_USERS = "solver:x:1000:1000:solver:/code/rundir:/bin/sh\n"
_SCRATCH = ("/tmp", "/rundir", "/dev/shm")  # noqa: S108 - inside the sandbox
_STATUS_BYTES = 1 << 16
_GRACE_S = 5


class BwrapSandbox:
    """Runs a job in namespaces of its own: no network, no capabilities, a read-only system."""

    name = "bwrap"

    def __init__(self) -> None:
        self._is_root = os.geteuid() == 0
        # Two processes at once should not meet in the same user either.
        ids = range(_FIRST_UID, _FIRST_UID + _UIDS)
        self._uids = itertools.islice(itertools.cycle(ids), os.getpid() * 97 % _UIDS, None)

    def new_user(self) -> int | None:
        """As root, an unprivileged user of this run's own."""
        return next(self._uids) if self._is_root else None

    @cached_property
    def digest(self) -> str:
        """sha256 over bubblewrap's version, its options, and the system call filter."""
        options = "\n".join(self._isolation())
        return hashlib.sha256(f"{self._version}\n{options}\n".encode() + filter_program()).hexdigest()

    @property
    def version(self) -> str:
        """Bubblewrap's version."""
        return ".".join(map(str, self._version))

    @cached_property
    def _program(self) -> str:
        program = shutil.which("bwrap")
        if not program:
            raise SandboxUnavailableError("bubblewrap is not installed", _HINT)
        return program

    @cached_property
    def _version(self) -> tuple[int, ...]:
        printed = subprocess.run([self._program, "--version"], capture_output=True, text=True, timeout=10, check=False)
        found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", printed.stdout)
        if not found:
            raise SandboxUnavailableError(f"bubblewrap does not start: {printed.stderr.strip()}", _HINT)
        return tuple(int(part or 0) for part in found.groups())

    def check(self) -> None:
        """Try the sandbox with an empty program.

        Raises:
            SandboxUnavailableError: It does not work on this machine, with the next step.
        """
        user = self.new_user()
        argv = [self._program, *self._isolation(), *_system_binds(), "--", "/bin/true"]
        tried = subprocess.run(
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
        if tried.returncode != 0:
            raise SandboxUnavailableError(f"bubblewrap does not work on this machine: {tried.stderr.strip()}", _HINT)

    async def run(self, job: Job, log: Output) -> Ended:
        """See `Sandbox.run`."""
        with contextlib.ExitStack() as open_files:
            hidden: list[str] = []
            descriptors: list[int] = []

            def in_memory(content: bytes) -> str:
                handle = open_files.enter_context(_memory_file(content))
                descriptors.append(handle)
                return str(handle)

            status = in_memory(b"")
            for path, text in job.hidden.items():
                hidden += ["--perms", "0444", "--ro-bind-data", in_memory(text.encode()), path]
            roots = sorted({"/" + path.split("/")[1] for path in job.hidden})
            argv = [
                self._program,
                *self._isolation(),
                *_system_binds(),
                *_read_only(job.toolchain.root, *job.toolchain.base_prefixes),
                *("--ro-bind-data", in_memory(_USERS.encode()), "/etc/passwd"),
                *itertools.chain.from_iterable(("--perms", "0755", "--tmpfs", root) for root in roots),
                *hidden,
                *itertools.chain.from_iterable(("--remount-ro", root) for root in roots),
                *("--bind", str(job.code), "/code", "--chdir", WORKDIR),
                # bubblewrap's own / and /dev live in memory too, with no limit but the machine's.
                *itertools.chain.from_iterable(
                    (*self._size(job.limits.folder_mb << 20), "--tmpfs", folder) for folder in _SCRATCH
                ),
                *("--remount-ro", "/dev", "--remount-ro", "/"),
                *itertools.chain.from_iterable(("--setenv", key, value) for key, value in job.env.items()),
                *("--seccomp", in_memory(filter_program())),
                *("--json-status-fd", status),
                "--",
                # Set inside the new user namespace, where the number of processes is counted afresh.
                *prlimit(job.limits, f"--nproc={job.limits.processes}", "--nofile=1024"),
                *job.argv,
            ]
            try:
                ended = await run_limited(
                    argv,
                    env={"PATH": "/usr/bin:/bin"},
                    cwd=Path("/"),
                    limits=job.limits,
                    folder=job.code,
                    log=log,
                    uid=job.user,
                    pass_fds=descriptors,
                )
            finally:
                told = os.pread(int(status), _STATUS_BYTES, 0)
                await _end_of_namespace(told)
            # bubblewrap tells the program's exit status only where it got as far as starting one.
            if ended.end is End.EXITED and b"exit-code" not in told:
                raise SandboxUnavailableError("bubblewrap does not work on this machine", _HINT)
            return ended

    def _size(self, size: int) -> list[str]:
        return ["--size", str(size)] if self._version >= (0, 7) else []

    def _isolation(self) -> list[str]:
        options = _ISOLATION.split()
        # Older bubblewraps can't forbid nested user namespaces; the system call filter does.
        return [*options, "--disable-userns"] if self._version >= (0, 8) else options


async def _end_of_namespace(told: bytes) -> None:
    """Kill the first process inside, and with it all others; wait until they are gone.

    It dies with the bubblewrap outside, but a little later, and not at all where that was killed
    before the one inside had asked for it. What is left inside would still run and write.
    """
    found = re.search(rb'"child-pid": *(\d+)', told)
    if not found:
        return
    gone = asyncio.Event()
    loop = asyncio.get_running_loop()
    pid = int(found[1])
    with contextlib.suppress(OSError, TimeoutError):
        handle = os.pidfd_open(pid)
        try:
            if _is_first_inside(pid):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
            loop.add_reader(handle, gone.set)
            await asyncio.wait_for(gone.wait(), _GRACE_S)
        finally:
            loop.remove_reader(handle)
            os.close(handle)


def _is_first_inside(pid: int) -> bool:
    """Whether a process is the first of a namespace, and not another one that got its old number."""
    found = re.search(r"^NSpid:\t.*\t1$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return found is not None


def _system_binds() -> list[str]:
    binds = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        folder = Path("/", name)
        if folder.is_symlink():
            binds += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            binds += ["--ro-bind", str(folder), str(folder)]
    for file in ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"):
        binds += ["--ro-bind-try", file, file]
    return [*binds, "--proc", "/proc", "--dev", "/dev"]


def _read_only(*folders: Path) -> list[str]:
    return list(itertools.chain.from_iterable(("--ro-bind", str(f), str(f)) for f in folders))


@contextlib.contextmanager
def _memory_file(content: bytes) -> Iterator[int]:
    handle = os.memfd_create("hidden", 0)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(handle, view) :]
        os.lseek(handle, 0, os.SEEK_SET)
        yield handle
    finally:
        os.close(handle)
