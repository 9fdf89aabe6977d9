"""An image with the toolchain's programs for tasks whose Dockerfile would install them from the network."""

from __future__ import annotations

import contextlib
import io

from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox.docker import DockerSandbox
from benchwright_harness.toolchain import Toolchain, tree

TOOLS_IMAGE = "lab/tools:1"


def build_image(docker_host: str, name: str, dockerfile: str) -> None:
    """Build an image of nothing but a Dockerfile."""
    import docker as sdk

    with contextlib.closing(sdk.APIClient(docker_host, timeout=600)) as client:
        output = list(client.build(fileobj=io.BytesIO(dockerfile.encode()), tag=name, network_mode="none", decode=True))
        assert not [line for line in output if "error" in line], output[-3:]


def build_tools_image(docker: DockerSandbox, docker_host: str, toolchain: Toolchain) -> str:
    """Build `TOOLS_IMAGE`."""
    base = docker.imported_image_name(toolchain)
    variables = tree.environment(ToolSelection()).items()
    lines = [f"FROM {base}", "RUN mkdir -m 1777 /tmp", *(f"ENV {name}={value}" for name, value in variables)]
    build_image(docker_host, TOOLS_IMAGE, "\n".join(lines))
    return TOOLS_IMAGE
