"""Docker Compose 2: the client's own, or Debian's package of it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from benchwright_harness.errors import ToolchainError
from benchwright_harness.toolchain.build.debian import Mirror, Release, unpack

_SUITE = "trixie"
# Programs of the tests' own client and engine.
_INSTALLED = ("ca-certificates", "docker-buildx", "docker-cli", "docker.io", "libc6")


class ComposeMissingError(Exception):
    """Reason why there can be no `docker compose`."""


def compose_variables(folder: Path) -> dict[str, str]:
    """Variables of the environment with which `docker compose` works.

    Args:
        folder: An empty one, for what is fetched.

    Raises:
        ComposeMissingError: It is not installed, and can't be fetched.
    """
    if subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0:
        return {}
    try:
        mirror = Mirror.of_this_machine()
        with Release(mirror, _SUITE, folder / "packages", excluded_packages=_INSTALLED) as release:
            release.update()
            for package in release.fetch(["docker-compose"], lambda percent: None):
                (folder / "root").mkdir(exist_ok=True)
                unpack(package, folder / "root")
    except ToolchainError as error:
        raise ComposeMissingError(f"Docker Compose is not installed, and can't be fetched: {error}") from error
    (folder / "cli-plugins").symlink_to(folder / "root/usr/libexec/docker/cli-plugins")
    return {"DOCKER_CONFIG": str(folder)}
