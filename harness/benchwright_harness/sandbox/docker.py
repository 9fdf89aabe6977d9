"""Containers of a Docker-compatible engine, found as Docker's own client finds it (`DOCKER_HOST`).

The toolchain's tree is imported into the engine once, as an image named by its digest. The hidden
part goes over the engine's connection into volumes that belong to root, while the program inside
is not root; the volumes go with the container.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import io
import json
import os
import secrets
import shutil
import signal
import socket
import tarfile
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, NamedTuple, ParamSpec, Protocol, TypeVar

from benchwright_harness.errors import SandboxUnavailableError
from benchwright_harness.foreign_folder import folder_bytes, remove_folder
from benchwright_harness.plan import WORKDIR
from benchwright_harness.process import MAX_OUTPUT_BYTES, End, Ended, Output
from benchwright_harness.sandbox import Job
from benchwright_harness.sandbox.docker_images import Image, Images, ImageUnavailableError, image_name
from benchwright_harness.sandbox.guard import FILES, SUPERVISOR, hidden_roots, python_variables, request
from benchwright_harness.sandbox.kind import Finding, Health, SandboxKind
from benchwright_harness.sandbox.seccomp import docker_profile
from benchwright_harness.sandbox.users import next_run_user
from benchwright_harness.selection import Selection
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.toolchain.tree import INSIDE
from benchwright_problems.problem import Limits

if TYPE_CHECKING:
    from docker import APIClient
    from docker.types import Mount

_P = ParamSpec("_P")
_T = TypeVar("_T")

_HINT = (
    "start a Docker-compatible engine that this account may use, or name one in DOCKER_HOST; `docker version` shows"
    " whether it answers. `--sandbox bwrap` (in VS Code the setting benchwright.sandbox) needs none"
)
_INSTALL = "install it: pip install 'benchwright[harness]'"
_LABEL = "benchwright.process"
_LICENSED_IMAGE, _LICENCE_NETWORK = "VERIF_EDA_IMAGE", "LICENSE_NETWORK"
"""Variables of CVDP: the image of a licensed simulator, and the network of its licence server."""
# For images of others: as PID 1 a shell of ours ends well where the program dies of a signal, and
# takes all others with it; one pipe for both outputs keeps their order.
_FIRST = ("/bin/sh", "-c", 'exec 2>&1; "$@"; exit $?', "sh")
_USER_INSIDE = 1000
_SCRATCH = ("/tmp", "/rundir")  # noqa: S108 - inside the sandbox
_UNMEASURED_AT_MOST = 3
_TAR_PER_BYTE = 4
_CALL_S = 60
_IMAGE_S = 900
_POLL_S = 0.25
_THREADS = 4


class DockerSandbox:
    """Runs a job in a container: no network, no rights, a read-only system.

    Args:
        environ: Names the engine, as Docker's own client reads it.
        copies: Whether a run's folder is copied into the container and back, as an engine on another
            machine needs it; found out if not said.
    """

    name = "docker"
    runs_images = True

    def __init__(self, environ: Mapping[str, str] = os.environ, *, copies: bool | None = None) -> None:
        self._environ = environ
        self._copies = copies
        self._connecting = threading.Lock()

    def new_user(self) -> int | None:
        """As root, an unprivileged user of this run's own."""
        return next_run_user() if os.geteuid() == 0 else None

    @functools.cached_property
    def digest(self) -> str:
        """sha256 over the options of a container."""
        options = [_isolation(), _FIRST, _SCRATCH, self._environ.get(_LICENSED_IMAGE)]
        return hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()

    @property
    def version(self) -> str:
        """The engine's name and version."""
        return str(self._engine.api.version()["Version"])

    def check(self) -> None:
        """Try to reach the engine.

        Raises:
            SandboxUnavailableError: It does not answer, with the next step.
        """
        with _told_plainly():
            self._engine.api.ping()

    def image(self, toolchain: Toolchain) -> str:
        """The name of the image that holds a toolchain's tree; it is made where the engine lacks it.

        Raises:
            SandboxUnavailableError: The engine does not take it.
        """
        with _told_plainly():
            self._engine.images.toolchain(toolchain)
        return image_name(toolchain)

    async def run(self, job: Job, log: Output) -> Ended:
        """See `Sandbox.run`."""
        with _told_plainly(), _threads() as call:
            engine = await call(self._connected)
            try:
                image = await call(engine.images.needed, job.image, job.build, job.toolchain)
            except ImageUnavailableError as error:
                log.write(f"{error.private}\n".encode())
                raise
            container = _Container(engine, job, image, self._network(job))
            talk: set[asyncio.Future[Any]] = set()
            reports = bytearray()
            try:
                await _whole(call(container.create))
                stream = await _whole(call(container.attach))
                output = asyncio.ensure_future(call(_copy, stream, log, reports, asyncio.get_running_loop()))
                talk.add(output)
                await _whole(call(container.start))
                talk.add(asyncio.ensure_future(call(container.tell, stream)))
                ended = await _end(container, output, job.limits, call)
                if engine.copies and ended.end is not End.FOLDER_QUOTA:
                    too_large = not await _whole(call(container.bring_back))
                    ended = replace(ended, end=End.FOLDER_QUOTA) if too_large else ended
            finally:
                await _whole(call(container.remove))
                if talk:
                    # With the container its output ends; nothing is written to the log after this.
                    await _whole(asyncio.wait(talk, timeout=2))
            remarks = () if image.has_toolchain else (_unguarded(image),)
            return replace(ended, reports=bytes(reports), remarks=remarks)

    def _network(self, job: Job) -> str:
        """Licensed tools may reach their licence server; nothing else reaches anything."""
        licensed, network = self._environ.get(_LICENSED_IMAGE), self._environ.get(_LICENCE_NETWORK)
        base = job.image
        return network if network and base == licensed and network in job.networks else "none"

    def _connected(self) -> _Engine:
        with self._connecting:
            return self._engine

    @functools.cached_property
    def _engine(self) -> _Engine:
        from docker import APIClient
        from docker.errors import DockerException
        from docker.utils import kwargs_from_env

        with _told_plainly():
            options = kwargs_from_env(environment=dict(self._environ))
            try:
                clients = [APIClient(**options, timeout=seconds) for seconds in (_CALL_S, _IMAGE_S)]
                info = clients[0].info()
            except (DockerException, OSError) as error:
                raise SandboxUnavailableError(f"no Docker engine answers: {error}", _HINT) from error
            _remove_leftovers(clients[0])
        # Where the engine's root is not this machine's root, folders of this machine have other owners there.
        elsewhere = (
            not self._environ.get("DOCKER_HOST", "unix://").startswith("unix://")
            or any(mark in option for option in info.get("SecurityOptions") or () for mark in ("rootless", "userns"))
            or "Desktop" in str(info.get("OperatingSystem"))
        )
        copies = elsewhere if self._copies is None else self._copies
        return _Engine(clients[0], Images(clients[1], self._environ), copies)


def _unguarded(image: Image) -> str:
    """The remark of a verdict; the image's name is the harness's, and hidden."""
    return (
        f"Ran in an image of somebody else's ({image.id[:19]}), where Benchwright's guard is not at work:"
        " a design could forge its results, and what the image holds is in no digest."
    )


def _isolation() -> dict[str, Any]:
    """What keeps a container apart, whatever runs in it."""
    return {
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges", f"seccomp={docker_profile()}"],
        "read_only": True,
        "ipc_mode": "private",
        "log_config": {"Type": "none"},
    }


@dataclass(frozen=True)
class _Engine:
    api: APIClient
    images: Images
    copies: bool


class _Container:
    """One container, from its creation to its removal. The methods block."""

    def __init__(self, engine: _Engine, job: Job, image: Image, network: str) -> None:
        self._api = engine.api
        self._unmeasured = 0
        self._copies = engine.copies
        self._job = job
        self._image = image
        self._network = network
        self._name = f"benchwright-{secrets.token_hex(8)}"
        if engine.copies:
            self._user = self._group = _USER_INSIDE
        elif job.user is not None:
            self._user = self._group = job.user
        else:
            self._user, self._group = os.geteuid(), os.getegid()
        self._passwd: Path | None = None

    def create(self) -> None:
        """Make it, with everything in it that the job needs."""
        from docker.types import Ulimit

        job, limits, roots = self._job, self._job.limits, hidden_roots(self._job)
        memory, scratch = limits.memory_mb << 20, limits.folder_mb << 20
        options = _isolation() | {
            "network_mode": self._network,
            "mounts": [] if self._copies else self._binds(),
            "mem_limit": memory,
            "memswap_limit": memory,
            "shm_size": scratch,
            # Beside the job's own, the one that is first.
            "pids_limit": limits.processes + 1,
            "tmpfs": dict.fromkeys(_SCRATCH, f"size={scratch},mode=1777,exec,nosuid,nodev"),
            "ulimits": [
                Ulimit(name="fsize", soft=limits.file_mb << 20, hard=limits.file_mb << 20),
                Ulimit(name="nofile", soft=FILES, hard=FILES),
                Ulimit(name="core", soft=0, hard=0),
            ],
        }
        volumes = ["/code"] if self._copies else []
        if self._image.has_toolchain:
            # The supervisor puts the hidden files there, which it gets over its standard input.
            options["tmpfs"] |= dict.fromkeys(roots, f"mode=0755,uid={self._user},gid={self._group},nosuid,nodev")
            entrypoint, command, environment = list(SUPERVISOR), [], python_variables(job)
            volumes += [INSIDE] if self._copies else []
        else:
            ours = job.toolchain.environment(Selection())
            entrypoint, command = list(_FIRST), list(job.argv)
            environment = {key: value for key, value in job.env.items() if key not in ours}
            volumes += roots
        self._api.create_container(
            self._image.id,
            name=self._name,
            entrypoint=entrypoint,
            command=command,
            environment=environment,
            stdin_open=self._image.has_toolchain,
            user=f"{self._user}:{self._group}",
            working_dir=WORKDIR,
            hostname="benchwright",
            labels={_LABEL: _this_process()},
            volumes=volumes,
            host_config=self._api.create_host_config(**options),
        )
        for root in roots if not self._image.has_toolchain else ():
            inside = f"{root}/"
            files = {path.removeprefix(inside): text for path, text in job.hidden.items() if path.startswith(inside)}
            self._api.put_archive(self._name, root, _packed(files))
        if self._copies:
            self._api.put_archive(self._name, "/code", _packed_folder(job.code, self._user))
            if self._image.has_toolchain:
                self._api.put_archive(self._name, INSIDE, _packed_folder(job.toolchain.inside, 0))

    def _binds(self) -> list[Mount]:
        from docker.types import Mount

        handle, name = tempfile.mkstemp(prefix="benchwright-passwd-")
        self._passwd = Path(name)
        with os.fdopen(handle, "w") as file:
            file.write(f"solver:x:{self._user}:{self._group}:solver:{WORKDIR}:/bin/sh\n")
        self._passwd.chmod(0o644)
        binds = [Mount("/code", str(self._job.code), type="bind")]
        if self._image.has_toolchain:
            binds += [
                Mount("/etc/passwd", name, type="bind", read_only=True),
                Mount(INSIDE, str(self._job.toolchain.inside), type="bind", read_only=True),
            ]
        return binds

    def attach(self) -> Any:
        """The socket over which its output will come, and its request goes."""
        return self._api.attach_socket(self._name, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})

    def tell(self, stream: Any) -> None:
        """Hand the job in."""
        if self._image.has_toolchain:
            with contextlib.suppress(OSError):
                # The number of processes is the container's to hold: on this machine a user may have others.
                _plain_socket(stream).sendall(request(self._job, None))

    def start(self) -> None:
        """Let the program run."""
        self._api.start(self._name)

    def state(self) -> _State:
        """What the engine says of it."""
        state = self._api.inspect_container(self._name)["State"]
        return _State(state["Running"], state["ExitCode"], state["OOMKilled"])

    def exceeded(self) -> End | None:
        """The limit that was passed, of those that the engine does not hold by itself."""
        if self.state().out_of_memory:
            return End.MEMORY
        quota = self._job.limits.folder_mb << 20
        return End.FOLDER_QUOTA if self._folder_bytes(quota) > quota else None

    def _folder_bytes(self, quota: int) -> int:
        if not self._copies:
            return folder_bytes(self._job.code, quota)
        from docker.errors import APIError

        try:
            command = self._api.exec_create(self._name, ["du", "-sk", "/code"], user=str(self._user), stderr=False)
            printed = bytes(self._api.exec_start(command["Id"]))
            size = int(printed.split()[0]) << 10
        except (APIError, ValueError, IndexError):
            # Ending just now; or not to be measured, for no process can be started or a folder was closed on purpose.
            self._unmeasured += 1
            return quota + 1 if self._unmeasured > _UNMEASURED_AT_MOST and self.state().running else 0
        self._unmeasured = 0
        return size

    def bring_back(self) -> bool:
        """Copy the run's folder back; false where it is too large for that."""
        if self.state().running:
            self._api.kill(self._name)
        left = (self._job.limits.folder_mb << 20) * _TAR_PER_BYTE
        with tempfile.TemporaryFile() as packed:
            for chunk in self._api.get_archive(self._name, "/code/.")[0]:
                packed.write(chunk)
                left -= len(chunk)
                if left < 0:
                    return False
            packed.seek(0)
            _unpack_folder(packed, self._job.code)
        return True

    def remove(self) -> None:
        """Kill it and delete all that it had."""
        _remove(self._api, self._name)
        if self._passwd is not None:
            self._passwd.unlink(missing_ok=True)


class _State(NamedTuple):
    running: bool
    exit_code: int
    out_of_memory: bool


async def _end(container: _Container, output: asyncio.Future[bool], limits: Limits, call: _Call) -> Ended:
    """Wait for a running container's end, or for the limit that it passes."""
    start = time.monotonic()

    async def finished() -> Ended:
        if not await output:
            return Ended(End.OUTPUT_QUOTA, -signal.SIGKILL, time.monotonic() - start)
        # It has closed its output, most often because it has ended.
        pause = 0.002
        while (state := await call(container.state)).running:
            await asyncio.sleep(pause)
            pause = min(2 * pause, _POLL_S)
        end = End.MEMORY if state.out_of_memory else End.EXITED
        return Ended(end, state.exit_code, time.monotonic() - start)

    async def stopped() -> Ended:
        end = None
        while end is None:
            left = start + limits.wall_s - time.monotonic()
            await asyncio.sleep(max(0.0, min(_POLL_S, left)))
            end = End.TIMEOUT if left <= 0 else await call(container.exceeded)
        return Ended(end, -signal.SIGKILL, time.monotonic() - start)

    ends = [asyncio.create_task(finished()), asyncio.create_task(stopped())]
    try:
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        return next(end for end in ends if end.done()).result()
    finally:
        for end in ends:
            end.cancel()
        await asyncio.wait(ends)


def _copy(stream: Any, log: Output, reports: bytearray, loop: asyncio.AbstractEventLoop) -> bool:
    """Copy output to the log, and what stands on standard error to the reports; false where either is too much."""
    from docker.utils.socket import STDERR, frames_iter

    left = MAX_OUTPUT_BYTES
    for kind, chunk in frames_iter(stream, tty=False):
        if kind == STDERR:
            reports += chunk
        else:
            # Logs are written in the loop's thread, like those of other sandboxes.
            loop.call_soon_threadsafe(log.write, chunk[:left])
            left -= len(chunk)
        if left < 0 or len(reports) > MAX_OUTPUT_BYTES:
            # The engine does not remove a container whose output it can't get rid of.
            with contextlib.suppress(OSError):
                _plain_socket(stream).shutdown(socket.SHUT_RDWR)
            return False
    return True


def _plain_socket(stream: Any) -> Any:
    """What Docker's client gives differs with the kind of connection; all have a socket's methods inside."""
    return getattr(stream, "_sock", stream)


def _packed(files: Mapping[str, str]) -> bytes:
    """An archive of root's files, and folders that all may enter."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        folders = {str(parent) for path in files for parent in PurePosixPath(path).parents} - {"."}
        for folder in sorted(folders):
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(entry)
        for path, text in files.items():
            content = text.encode()
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(content), 0o444
            tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def _packed_folder(folder: Path, user: int) -> bytes:
    def owned(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = user
        return entry

    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        tar.add(folder, ".", filter=owned)
    return packed.getvalue()


def _unpack_folder(packed: IO[bytes], folder: Path) -> None:
    """Put an archive of a run's folder in the place of what is there.

    The engine made the archive, so that no path in it leads through a link; a program of a
    stranger's chose the names.
    """
    for old in list(os.scandir(folder)):
        if old.is_dir(follow_symlinks=False):
            remove_folder(Path(old))
        else:
            Path(old).unlink()
    with tarfile.open(fileobj=packed, mode="r|") as tar:
        for entry in tar:
            path = folder / entry.name
            if ".." in PurePosixPath(entry.name).parts or not path.parent.resolve().is_relative_to(folder.resolve()):
                continue
            if entry.isdir():
                path.mkdir(parents=True, exist_ok=True)
            elif entry.issym():
                path.symlink_to(entry.linkname)
            elif entry.isreg() and (content := tar.extractfile(entry)) is not None:
                with path.open("xb") as file:
                    shutil.copyfileobj(content, file)
                path.chmod(entry.mode & 0o777 | 0o600)


def _this_process() -> str:
    """Tells a container's maker from all other processes, also later ones of its number."""
    import psutil

    return f"{os.uname().nodename}/{os.getpid()}/{psutil.Process().create_time():.2f}"


def _remove_leftovers(api: APIClient) -> None:
    """Delete the containers of processes of this machine that are no more."""
    import psutil

    for container in api.containers(all=True, filters={"label": _LABEL}):
        node, pid, created = container["Labels"][_LABEL].rsplit("/", 2)
        if node != os.uname().nodename:
            continue
        try:
            alive = f"{psutil.Process(int(pid)).create_time():.2f}" == created
        except psutil.NoSuchProcess:
            alive = False
        if not alive:
            _remove(api, container["Id"])


def _remove(api: APIClient, container: str) -> None:
    from docker.errors import APIError

    try:
        api.remove_container(container, v=True, force=True)
    except APIError as error:
        # Never made, or somebody else is removing it.
        if error.status_code not in {HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT}:
            raise


class _Call(Protocol):
    """Calls a blocking function in a thread of this run's."""

    def __call__(self, function: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Awaitable[_T]: ...


@contextlib.contextmanager
def _threads() -> Iterator[_Call]:
    # Not the loop's own: those are few, and a run holds one for as long as it prints.
    threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="docker")
    loop = asyncio.get_running_loop()

    def call(function: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Awaitable[_T]:
        return loop.run_in_executor(threads, functools.partial(function, *args, **kwargs))

    try:
        yield call
    finally:
        threads.shutdown(wait=False)


async def _whole(awaitable: Awaitable[_T]) -> _T:
    """Wait for something to its end, and be cancelled only then."""
    inner = asyncio.ensure_future(awaitable)
    try:
        return await asyncio.shield(inner)
    except asyncio.CancelledError:
        await asyncio.wait({inner})
        raise


@contextlib.contextmanager
def _told_plainly() -> Iterator[None]:
    """What goes wrong with the engine, as an error that says what to do."""
    try:
        from docker.errors import DockerException
        from requests.exceptions import RequestException
    except ModuleNotFoundError as error:
        raise SandboxUnavailableError("the Python package docker is not installed", _INSTALL) from error
    try:
        yield
    except (DockerException, RequestException) as error:
        raise SandboxUnavailableError(f"the Docker engine does not do what it should: {error}", _HINT) from error


def _examine() -> tuple[Finding, ...]:
    purpose = "running hidden tests with --sandbox docker, images of harnesses"
    sandbox = DockerSandbox()
    try:
        sandbox.check()
    except SandboxUnavailableError as error:
        return (Finding("Docker", Health.WARNING, purpose, hint=f"{error}: {error.hint}"),)
    return (Finding("Docker", Health.OK, purpose, sandbox.version),)


DOCKER = SandboxKind(open=DockerSandbox, examine=_examine)
