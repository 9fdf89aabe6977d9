"""An image with the toolchain's programs for tasks whose Dockerfile would install them from the network."""

from __future__ import annotations

import contextlib
import io

from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox.docker import DockerSandbox
from benchwright_harness.toolchain import Toolchain, tree

TOOLS_IMAGE = "lab/tools:1"


def build_tools_image(docker: DockerSandbox, docker_host: str, toolchain: Toolchain) -> str:
    """Build `TOOLS_IMAGE`."""
    import docker as sdk

    variables = tree.environment(ToolSelection()).items()
    base = f"FROM {docker.imported_image_name(toolchain)}\nRUN mkdir -m 1777 /tmp\n"
    dockerfile = base + "".join(f"ENV {name}={value}\n" for name, value in variables)
    with contextlib.closing(sdk.APIClient(docker_host, timeout=600)) as client:
        file = io.BytesIO(dockerfile.encode())
        build_lines = list(client.build(fileobj=file, tag=TOOLS_IMAGE, network_mode="none", rm=True, decode=True))
    assert not [line for line in build_lines if "error" in line], build_lines[-3:]
    return TOOLS_IMAGE
