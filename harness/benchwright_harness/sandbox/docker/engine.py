"""The engine: how it is reached, what goes wrong with it, and what killed processes of ours left in it."""

from __future__ import annotations

import contextlib
import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from benchwright_foundation.distribution import install_command
from benchwright_harness.errors import SandboxUnavailableError
from benchwright_harness.sandbox.docker.images import Images

if TYPE_CHECKING:
    from docker import APIClient

LABEL = "benchwright.process"
_HINT = (
    "start a Docker-compatible engine that this account may use, or name one in DOCKER_HOST; `docker version` shows"
    " whether it answers. `--sandbox bwrap` (in VS Code the setting benchwright.sandbox) needs none"
)
_CALL_S = 60
_IMAGE_S = 900


@dataclass(frozen=True)
class Engine:
    """A connection to the engine."""

    api: APIClient
    images: Images
    copies_folder: bool
    """True if a run's folder is copied into the container and back."""


def connect_engine_and_remove_dead_containers(environ: Mapping[str, str], copies_folder: bool | None) -> Engine:
    """Reach the engine, and remove what killed processes have left in it.

    Args:
        environ: Names the engine, as Docker's own client reads it.
        copies_folder: True if a run's folder is copied into the container and back, as an engine on another machine
            needs it; `None` to find out.

    Raises:
        SandboxUnavailableError: None answers, with the next step.
    """
    from docker import APIClient
    from docker.errors import DockerException
    from docker.utils import kwargs_from_env

    with engine_errors_as_unavailable():
        client_options = kwargs_from_env(environment=dict(environ))
        try:
            clients = [APIClient(**client_options, timeout=seconds) for seconds in (_CALL_S, _IMAGE_S)]
            info = clients[0].info()
        except (DockerException, OSError) as error:
            engine_address = environ.get("DOCKER_HOST") or "its usual socket"
            raise SandboxUnavailableError(
                f"no Docker engine answers at {engine_address}{_system_message_or_empty(error)}", _HINT
            ) from error
        remove_containers_of_dead_processes(clients[0])
    # Where the engine's root is not this machine's root, folders of this machine have other owners there.
    is_elsewhere = (
        not environ.get("DOCKER_HOST", "unix://").startswith("unix://")
        or any(mark in option for option in info.get("SecurityOptions") or () for mark in ("rootless", "userns"))
        or "Desktop" in str(info.get("OperatingSystem"))
    )
    return Engine(clients[0], Images(clients[1], environ), is_elsewhere if copies_folder is None else copies_folder)


def _system_message_or_empty(error: BaseException) -> str:
    """Message of the system: the client's own message is made of the names of Python's exceptions."""
    causes = [error]
    for cause in causes:
        if isinstance(cause, OSError) and cause.errno is not None and cause.strerror:
            return f" ({cause.strerror})"
        causes += [
            nested_error for nested_error in (cause.__cause__, *cause.args) if isinstance(nested_error, BaseException)
        ]
    return ""


@contextlib.contextmanager
def engine_errors_as_unavailable() -> Iterator[None]:
    """Turn errors of the engine into one with the next step."""
    try:
        from docker.errors import DockerException
        from requests.exceptions import RequestException
    except ModuleNotFoundError as error:
        raise SandboxUnavailableError(
            "the Python package docker is not installed", f"install it: {install_command('harness')}"
        ) from error
    try:
        yield
    except (DockerException, RequestException) as error:
        raise SandboxUnavailableError(f"the Docker engine reports an error: {error}", _HINT) from error


def process_identity() -> str:
    """Identifies this process, also among later ones with the same number."""
    import psutil

    return f"{platform.node()}/{os.getpid()}/{psutil.Process().create_time():.2f}"


def remove_containers_of_dead_processes(api: APIClient) -> None:
    """Remove the containers of processes of this machine that have ended."""
    import psutil

    for container in api.containers(all=True, filters={"label": LABEL}):
        node, pid, created = container["Labels"][LABEL].rsplit("/", 2)
        if node != platform.node():
            continue
        try:
            alive = f"{psutil.Process(int(pid)).create_time():.2f}" == created
        except psutil.NoSuchProcess:
            alive = False
        if not alive:
            remove_container(api, container["Id"])


def remove_container(api: APIClient, container_id: str) -> None:
    """Kill a container and delete it with its volumes; nothing happens if there is none."""
    from docker.errors import APIError

    try:
        api.remove_container(container_id, v=True, force=True)
    except APIError as error:
        # It was never created, or is being removed.
        if error.status_code not in {HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT}:
            raise
