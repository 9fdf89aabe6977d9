"""Containers of a Docker-compatible engine, found as Docker's own client finds it (`DOCKER_HOST`).

The toolchain's tree is imported into the engine once, as an image named by its digest. The hidden
part goes over the engine's connection into volumes that belong to root, while the program inside
is not root; the volumes go with the container.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import json
import os
import signal
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from benchwright_foundation.superuser import is_superuser
from benchwright_harness.errors import SandboxUnavailableError
from benchwright_harness.execution.process import OutputReceiver, ProcessEnd, StepEnd, end_if_time_is_up
from benchwright_harness.execution.run_clock import RunClock, usage_of_process_tree
from benchwright_harness.sandbox import SandboxJob
from benchwright_harness.sandbox.docker.container import (
    FIRST_PROGRAM,
    ROOT_CAPABILITIES,
    SCRATCH_FOLDERS,
    Container,
    copy_output_and_reports_unless_too_long,
    isolation_options,
)
from benchwright_harness.sandbox.docker.engine import (
    Engine,
    connect_engine_and_remove_dead_containers,
    engine_errors_as_unavailable,
)
from benchwright_harness.sandbox.docker.images import Image, ImageUnavailableError, toolchain_image_name
from benchwright_harness.sandbox.docker.threads import BlockingCall, await_despite_cancellation, worker_threads
from benchwright_harness.sandbox.kind import HealthFinding, MachineHealth, SandboxKind
from benchwright_harness.sandbox.users import next_run_user_id
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import RunLimits

_LICENSED_IMAGE, _LICENCE_NETWORK = "VERIF_EDA_IMAGE", "LICENSE_NETWORK"
"""Variables of CVDP: the image of a licensed simulator, and the network of its licence server."""
_POLL_S = 0.25


class DockerSandbox:
    """Runs a job in a container: no network, no rights, a read-only system.

    Args:
        environ: Names the engine, as Docker's own client reads it.
        copies_folder: See `connect`.
    """

    name = "docker"
    runs_images = True
    supervises = True

    def __init__(self, environ: Mapping[str, str] = os.environ, *, copies_folder: bool | None = None) -> None:
        self._environ = environ
        self._copies = copies_folder
        self._connecting = threading.Lock()

    def new_user(self) -> int | None:
        """As root, an unprivileged user of this run's own."""
        return next_run_user_id() if is_superuser() else None

    @functools.cached_property
    def digest(self) -> str:
        """sha256 over the options of a container."""
        options = [
            isolation_options(),
            FIRST_PROGRAM,
            SCRATCH_FOLDERS,
            ROOT_CAPABILITIES,
            self._environ.get(_LICENSED_IMAGE),
        ]
        return hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()

    @property
    def version(self) -> str:
        """The engine's name and version."""
        return str(self._engine.api.version()["Version"])

    def check(self) -> None:
        """Try to reach the engine.

        Raises:
            SandboxUnavailableError: The engine does not answer, with the next step.
        """
        with engine_errors_as_unavailable():
            self._engine.api.ping()

    def imported_image_name(self, toolchain: Toolchain) -> str:
        """The name of the image with a toolchain's tree, which is imported if the engine lacks it.

        Raises:
            SandboxUnavailableError: The engine refuses it.
        """
        with engine_errors_as_unavailable():
            self._engine.images.found_or_imported_toolchain_image_id(toolchain)
        return toolchain_image_name(toolchain)

    def missing_image_names(self, image_names: Iterable[str]) -> list[str]:
        """The names of images that the engine lacks.

        Raises:
            SandboxUnavailableError: The engine does not answer.
        """
        with engine_errors_as_unavailable():
            return self._engine.images.missing_image_names(image_names)

    async def run(self, job: SandboxJob, log: OutputReceiver) -> StepEnd:
        """See `Sandbox.run`."""
        with engine_errors_as_unavailable(), worker_threads() as call:
            engine = await call(self._connect_engine)
            try:
                image = await call(engine.images.provide_image, job.image, job.build, job.toolchain)
            except ImageUnavailableError as error:
                log.write(f"{error.private}\n".encode())
                raise
            container = Container(engine, job, image, self._network_mode(job))
            talk: set[asyncio.Future[Any]] = set()
            report_bytes = bytearray()
            try:
                await await_despite_cancellation(call(container.create))
                stream = await await_despite_cancellation(call(container.attached_socket))
                output = asyncio.ensure_future(
                    call(copy_output_and_reports_unless_too_long, stream, log, report_bytes, asyncio.get_running_loop())
                )
                talk.add(output)
                await await_despite_cancellation(call(container.start))
                talk.add(asyncio.ensure_future(call(container.send_request, stream)))
                step_end = await _await_end_of_container(container, output, job.limits, call)
                if container.copies_folder and step_end.end is not ProcessEnd.FOLDER_QUOTA:
                    too_large = not await await_despite_cancellation(call(container.copy_folder_back_unless_too_large))
                    step_end = replace(step_end, end=ProcessEnd.FOLDER_QUOTA) if too_large else step_end
            finally:
                await await_despite_cancellation(call(container.remove))
                if talk:
                    # Its output ends with the container; nothing is written to the log after this.
                    await await_despite_cancellation(asyncio.wait(talk, timeout=2))
            remarks = () if image.has_toolchain else (_third_party_remark(image),)
            return replace(step_end, reports=bytes(report_bytes), remarks=remarks)

    def _network_mode(self, job: SandboxJob) -> str:
        """Licensed tools may reach their licence server; everything else runs without network."""
        licensed, network = self._environ.get(_LICENSED_IMAGE), self._environ.get(_LICENCE_NETWORK)
        service_image = job.image
        return network if network and service_image == licensed and network in job.networks else "none"

    def _connect_engine(self) -> Engine:
        with self._connecting:
            return self._engine

    @functools.cached_property
    def _engine(self) -> Engine:
        return connect_engine_and_remove_dead_containers(self._environ, self._copies)


async def _await_end_of_container(
    container: Container, output_copied: asyncio.Future[bool], limits: RunLimits, blocking_call: BlockingCall
) -> StepEnd:
    """Wait until a running container ends, or exceeds a limit."""
    run_clock = RunClock(limits.wall_s)

    def step_end(end: ProcessEnd, exit_code: int = -signal.SIGKILL) -> StepEnd:
        return StepEnd(end, exit_code, time.monotonic() - run_clock.start_s, run_clock.waited_s)

    async def finished() -> StepEnd:
        if not await output_copied:
            return step_end(ProcessEnd.OUTPUT_QUOTA)
        # It has closed its output, most often because it has ended.
        pause = 0.002
        while (inspect_state := await blocking_call(container.inspect_state)).is_running:
            await asyncio.sleep(pause)
            pause = min(2 * pause, _POLL_S)
        end = ProcessEnd.MEMORY if inspect_state.is_out_of_memory else ProcessEnd.EXITED
        return step_end(end, inspect_state.exit_code)

    async def stopped() -> StepEnd:
        pid = await blocking_call(container.pid)
        end = None
        while end is None:
            await asyncio.sleep(max(0.0, min(_POLL_S, run_clock.left_s)))
            run_clock.advance(time.monotonic(), usage_of_process_tree(pid))
            end = end_if_time_is_up(run_clock) or await blocking_call(container.exceeded_limit)
        return step_end(end)

    end_tasks = [asyncio.create_task(finished()), asyncio.create_task(stopped())]
    try:
        await asyncio.wait(end_tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(end for end in end_tasks if end.done()).result()
    finally:
        for end_task in end_tasks:
            end_task.cancel()
        await asyncio.wait(end_tasks)


def _third_party_remark(image: Image) -> str:
    """The remark on a verdict; the image's name is the harness's, and hidden."""
    return (
        f"Ran in a third party's image ({image.id[:19]}), without Benchwright's guard: a design could forge its"
        " results, and no digest covers the image's content."
    )


def _docker_health_findings() -> tuple[HealthFinding, ...]:
    purpose = "running hidden tests with --sandbox docker, images of harnesses"
    sandbox = DockerSandbox()
    try:
        sandbox.check()
    except SandboxUnavailableError as error:
        return (HealthFinding("Docker", MachineHealth.WARNING, purpose, hint=f"{error}: {error.hint}"),)
    return (HealthFinding("Docker", MachineHealth.OK, purpose, sandbox.version),)


DOCKER = SandboxKind(
    open=DockerSandbox,
    description="Containers of a Docker-compatible engine: the same isolation as bubblewrap, half a second slower per "
    "run.",
    examine=_docker_health_findings,
    check=lambda: DockerSandbox().check(),
)
