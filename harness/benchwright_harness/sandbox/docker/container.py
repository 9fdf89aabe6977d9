"""One container, from its creation to its removal. All functions block."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright_foundation.untrusted_folder import disk_bytes_until_exceeding
from benchwright_harness.execution.process import MAX_OUTPUT_BYTES, OutputReceiver, ProcessEnd
from benchwright_harness.plan.plan import WORKDIR
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox import SandboxJob
from benchwright_harness.sandbox.docker.archives import pack_files, pack_folder, replace_folder_content
from benchwright_harness.sandbox.docker.engine import LABEL, Engine, process_identity, remove_container
from benchwright_harness.sandbox.docker.images import Image
from benchwright_harness.sandbox.guard import (
    OPEN_FILE_LIMIT,
    SUPERVISOR,
    hidden_roots,
    supervisor_environment,
    supervisor_request,
)
from benchwright_harness.sandbox.seccomp import docker_seccomp_profile_json
from benchwright_harness.toolchain.tree import INSIDE

if TYPE_CHECKING:
    from docker.types import Mount

# For images of others: as PID 1 a shell of ours ends well where the program dies of a signal, and
# takes all others with it; one pipe for both outputs keeps their order.
FIRST_PROGRAM = ("/bin/sh", "-c", 'exec 2>&1; "$@"; exit $?', "sh")
SCRATCH_FOLDERS = ("/tmp", "/rundir")  # noqa: S108 - inside the sandbox
_USER_INSIDE = 1000
ROOT_CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER")
"""What the root of an image may do with the files of its container."""
_UNMEASURED_AT_MOST = 3
_TAR_PER_BYTE = 4


def isolation_options() -> dict[str, Any]:
    """Options that keep a container apart, whatever runs in it."""
    return {
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges", f"seccomp={docker_seccomp_profile_json()}"],
        "read_only": True,
        "ipc_mode": "private",
        "log_config": {"Type": "none"},
    }


class Container:
    """A container; its methods block."""

    def __init__(self, engine: Engine, job: SandboxJob, image: Image, network_mode: str) -> None:
        self._api = engine.api
        self._unmeasured = 0
        self._is_remote = engine.copies_folder
        # The root of an image gets no folder of this machine to write to.
        self.copies_folder = engine.copies_folder or job.needs_image
        self._job = job
        self._image = image
        self._network = network_mode
        self._name = f"benchwright-{secrets.token_hex(8)}"
        if job.needs_image:
            self._user = self._group = 0
        elif engine.copies_folder:
            self._user = self._group = _USER_INSIDE
        elif job.user is not None:
            self._user = self._group = job.user
        else:
            self._user, self._group = os.geteuid(), os.getegid()
        self._passwd: Path | None = None

    def create(self) -> None:
        """Create it, with everything in it that the job needs."""
        from docker.types import Mount, Ulimit

        job, limits, roots = self._job, self._job.limits, hidden_roots(self._job)
        memory, scratch = limits.memory_mb << 20, limits.folder_mb << 20
        options = isolation_options() | {
            "network_mode": self._network,
            "mounts": [] if self.copies_folder else self._bind_mounts(),
            "mem_limit": memory,
            "memswap_limit": memory,
            "shm_size": scratch,
            # Beside the job's own, the one that is first.
            "pids_limit": limits.processes + 1,
            "tmpfs": dict.fromkeys(SCRATCH_FOLDERS, f"size={scratch},mode=1777,exec,nosuid,nodev"),
            "ulimits": [
                Ulimit(name="fsize", soft=limits.file_mb << 20, hard=limits.file_mb << 20),
                Ulimit(name="nofile", soft=OPEN_FILE_LIMIT, hard=OPEN_FILE_LIMIT),
                Ulimit(name="core", soft=0, hard=0),
            ],
        }
        volumes = ["/code"] if self.copies_folder else []
        if job.needs_image:
            # Without what the image has there: a file that the solver has deleted would be back.
            options |= {
                "read_only": False,
                "cap_add": list(ROOT_CAPABILITIES),
                "mounts": [Mount("/code", None, type="volume", no_copy=True)],
            }
            volumes = []
        if self._image.has_toolchain:
            # The supervisor puts the hidden files there, which it gets over its standard input.
            options["tmpfs"] |= dict.fromkeys(roots, f"mode=0755,uid={self._user},gid={self._group},nosuid,nodev")
            entrypoint, command, environment = list(SUPERVISOR), [], supervisor_environment(job)
            volumes += [INSIDE] if self.copies_folder else []
        else:
            toolchain_variables = job.toolchain.environment(ToolSelection())
            entrypoint, command = list(FIRST_PROGRAM), list(job.argv)
            environment = {key: value for key, value in job.env.items() if key not in toolchain_variables}
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
            labels={LABEL: process_identity()},
            volumes=volumes,
            host_config=self._api.create_host_config(**options),
        )
        for root in roots if not self._image.has_toolchain else ():
            prefix = f"{root}/"
            files = {
                path.removeprefix(prefix): text for path, text in job.hidden_files.items() if path.startswith(prefix)
            }
            self._api.put_archive(self._name, root, pack_files(files))
        if self.copies_folder:
            self._api.put_archive(self._name, "/code", pack_folder(job.code, self._user))
            if self._image.has_toolchain:
                self._api.put_archive(self._name, INSIDE, pack_folder(job.toolchain.own_programs_folder, 0))

    def _bind_mounts(self) -> list[Mount]:
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
                Mount(INSIDE, str(self._job.toolchain.own_programs_folder), type="bind", read_only=True),
            ]
        return binds

    def attached_socket(self) -> Any:
        """The socket for its output and for the request to it."""
        return self._api.attach_socket(self._name, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})

    def send_request(self, stream: Any) -> None:
        """Send the job to the supervisor inside."""
        if self._image.has_toolchain:
            with contextlib.suppress(OSError):
                # The number of processes is the container's to hold: on this machine a user may have others.
                raw_socket(stream).sendall(supervisor_request(self._job, None))

    def start(self) -> None:
        """Let the program run."""
        self._api.start(self._name)

    def inspect_state(self) -> ContainerState:
        """Its state, as the engine reports it."""
        inspect_state = self._api.inspect_container(self._name)["State"]
        return ContainerState(inspect_state["Running"], inspect_state["ExitCode"], inspect_state["OOMKilled"])

    def pid(self) -> int:
        """Its first process, as this machine counts; 0 where it runs on another one."""
        return 0 if self._is_remote else int(self._api.inspect_container(self._name)["State"]["Pid"])

    def exceeded_limit(self) -> ProcessEnd | None:
        """The limit that it has exceeded, of those that the engine does not enforce; `None` if none."""
        if self.inspect_state().is_out_of_memory:
            return ProcessEnd.MEMORY
        quota = self._job.limits.folder_mb << 20
        return ProcessEnd.FOLDER_QUOTA if self._folder_bytes(quota) + self._layer_bytes() > quota else None

    def _layer_bytes(self) -> int:
        """The size of what it has changed in its image."""
        if not self._job.needs_image:
            return 0
        listed = self._api.containers(all=True, size=True, filters={"name": self._name})
        return sum(int(container.get("SizeRw") or 0) for container in listed)

    def _folder_bytes(self, most_counted_bytes: int) -> int:
        if not self.copies_folder:
            return disk_bytes_until_exceeding(self._job.code, most_counted_bytes)
        from docker.errors import APIError

        try:
            du_command = self._api.exec_create(self._name, ["du", "-sk", "/code"], user=str(self._user), stderr=False)
            du_output = bytes(self._api.exec_start(du_command["Id"]))
            size = int(du_output.split()[0]) << 10
        except (APIError, ValueError, IndexError):
            # It is just ending; or can't be measured, as no process can be started or a folder was closed on purpose.
            self._unmeasured += 1
            return (
                most_counted_bytes + 1
                if self._unmeasured > _UNMEASURED_AT_MOST and self.inspect_state().is_running
                else 0
            )
        self._unmeasured = 0
        return size

    def copy_folder_back_unless_too_large(self) -> bool:
        """Copy the run's folder back; false if it is too large for that."""
        if self.inspect_state().is_running:
            self._api.kill(self._name)
        bytes_left = (self._job.limits.folder_mb << 20) * _TAR_PER_BYTE
        with tempfile.TemporaryFile() as packed:
            for chunk in self._api.get_archive(self._name, "/code/.")[0]:
                packed.write(chunk)
                bytes_left -= len(chunk)
                if bytes_left < 0:
                    return False
            packed.seek(0)
            replace_folder_content(packed, self._job.code)
        return True

    def remove(self) -> None:
        """Kill it, and delete its volumes."""
        remove_container(self._api, self._name)
        if self._passwd is not None:
            self._passwd.unlink(missing_ok=True)


class ContainerState(NamedTuple):
    """State of a container, as the engine reports it."""

    is_running: bool
    exit_code: int
    is_out_of_memory: bool


def copy_output_and_reports_unless_too_long(
    stream: Any, log: OutputReceiver, report_bytes: bytearray, loop: asyncio.AbstractEventLoop
) -> bool:
    """Copy standard output to the log and standard error to the reports; false if either is too long."""
    from docker.utils.socket import STDERR, frames_iter

    bytes_left = MAX_OUTPUT_BYTES
    for kind, chunk in frames_iter(stream, tty=False):
        if kind == STDERR:
            report_bytes += chunk
        else:
            # Logs are written in the loop's thread, like those of other sandboxes.
            loop.call_soon_threadsafe(log.write, chunk[:bytes_left])
            bytes_left -= len(chunk)
        if bytes_left < 0 or len(report_bytes) > MAX_OUTPUT_BYTES:
            # The engine does not remove a container whose output it can't get rid of.
            with contextlib.suppress(OSError):
                raw_socket(stream).shutdown(socket.SHUT_RDWR)
            return False
    return True


def raw_socket(stream: Any) -> Any:
    """The socket in what Docker's client returns, which differs with the kind of connection."""
    return getattr(stream, "_sock", stream)
