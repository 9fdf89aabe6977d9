"""Features of the Docker sandbox alone: images of others, builds, a licence network, leaving an engine as it was."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import docker as sdk
import pytest

from benchwright_harness.errors import SandboxUnavailableError
from benchwright_harness.execution.process import ProcessEnd
from benchwright_harness.plan.image_names import OSS_SIM
from benchwright_harness.plan.plan import ImageBuild
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox import Sandbox, SandboxJob
from benchwright_harness.sandbox.docker import DockerSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import RunLimits

OTHERS = "somebody/tools:1"


@pytest.fixture
def engine(docker_host: str) -> Iterator[sdk.APIClient]:
    with contextlib.closing(sdk.APIClient(docker_host)) as client:
        yield client
        assert client.containers(all=True) == []
        assert client.volumes()["Volumes"] in (None, [])


@pytest.fixture
def others(engine: sdk.APIClient, docker: DockerSandbox, toolchain: Toolchain) -> str:
    """An image that is not ours, though it holds the same programs."""
    docker.check()
    our_image = docker._engine.images.found_or_imported_toolchain_image_id(toolchain)
    engine.tag(our_image, "somebody/tools", "1")
    return OTHERS


@pytest.fixture
def job(code: Path, toolchain: Toolchain) -> Callable[..., SandboxJob]:
    def make(sandbox: Sandbox, script: str, **job_changes: object) -> SandboxJob:
        user = sandbox.new_user()
        if user is not None:
            for path in (code, *code.rglob("*")):
                os.chown(path, user, user, follow_symlinks=False)
        plain_job = SandboxJob(
            argv=("/bin/sh", "-c", script),
            env=toolchain.environment(ToolSelection()) | {"GREETING": "hello"},
            code=code,
            hidden_files={"/src/secret.txt": "CANARY"},
            limits=RunLimits(wall_s=300),
            toolchain=toolchain,
            user=user,
        )
        return replace(plain_job, **job_changes)  # type: ignore[arg-type]

    return make


async def printed(sandbox: Sandbox, job: SandboxJob) -> str:
    log = io.BytesIO()
    step_end = await sandbox.run(job, log)
    assert (step_end.end, step_end.exit_code) == (ProcessEnd.EXITED, 0), log.getvalue().decode()
    return log.getvalue().decode()


def built(dockerfile: str, **files: str) -> ImageBuild:
    return ImageBuild(dockerfile="Dockerfile", files={"Dockerfile": dockerfile, **files}, args={"WHO": "world"})


async def test_an_image_of_somebody_else_runs_as_apart_as_ours(
    docker: DockerSandbox, others: str, job: Callable[..., SandboxJob]
) -> None:
    script = (
        "cat /src/secret.txt; echo; pwd; echo $GREETING; echo $PATH; id -u; touch here; touch /src/x /usr/x;"
        " ls /sys/class/net; python3 -c 'import os; os.kill(os.getpid(), 0)'; echo two >&2"
    )
    lines = (await printed(docker, job(docker, script, image=others))).splitlines()
    assert lines[:3] == ["CANARY", "/code/rundir", "hello"]
    # Its own PATH, not that of our tools.
    assert "benchwright" not in lines[3]
    assert lines[4] != "0"
    assert [line.rpartition(": ")[2] for line in lines[5:7]] == ["Permission denied", "Read-only file system"]
    assert lines[7:] == ["lo", "two"]


async def test_what_an_image_of_somebody_else_ends_with_is_told(
    docker: DockerSandbox, others: str, job: Callable[..., SandboxJob]
) -> None:
    step_end = await docker.run(job(docker, "kill -SEGV $$", image=others), io.BytesIO())
    assert (step_end.end, step_end.exit_code) == (ProcessEnd.EXITED, 139)


async def test_that_nobody_guards_an_image_of_somebody_else_is_told(
    docker: DockerSandbox, others: str, job: Callable[..., SandboxJob]
) -> None:
    step_end = await docker.run(job(docker, "true", image=others), io.BytesIO())
    (remark,) = step_end.remarks
    assert "without Benchwright's guard" in remark
    assert others not in remark
    assert (await docker.run(job(docker, "true"), io.BytesIO())).remarks == ()


async def test_a_missing_image_is_not_fetched_and_named_in_the_log_alone(
    docker: DockerSandbox, engine: sdk.APIClient, job: Callable[..., SandboxJob]
) -> None:
    log = io.BytesIO()
    with pytest.raises(SandboxUnavailableError, match="lacks an image") as refused:
        await docker.run(job(docker, "true", image="nobody/has-this:7"), log)
    assert "nobody" not in str(refused.value) + refused.value.hint
    assert b"nobody/has-this:7" in log.getvalue()


async def test_the_root_of_an_image_may_change_its_container_and_nothing_else(
    docker: DockerSandbox, engine: sdk.APIClient, others: str, job: Callable[..., SandboxJob], code: Path
) -> None:
    (code / "rtl" / "top.sv").write_text("module top; endmodule\n")
    script = (
        "id -u; cat /src/secret.txt ../rtl/top.sv; echo kept > /usr/made && cat /usr/made; chown 7 /usr/made;"
        " ls /sys/class/net; echo back > made; rm ../rtl/top.sv; grep CapEff /proc/self/status"
    )
    container_job = job(docker, script, image=others, needs_image=True)
    *lines, capabilities = (await printed(docker, container_job)).splitlines()
    assert lines == ["0", "CANARYmodule top; endmodule", "kept", "lo"]
    # CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER
    assert int(capabilities.split()[1], 16) == 0b1011
    assert ((code / "rundir" / "made").read_text(), (code / "rtl" / "top.sv").exists()) == ("back\n", False)
    assert "made" not in await printed(docker, job(docker, "ls /usr", image=others, needs_image=True))


async def test_what_the_root_of_an_image_writes_into_it_is_limited(
    docker: DockerSandbox, engine: sdk.APIClient, others: str, job: Callable[..., SandboxJob]
) -> None:
    grow = "for n in 1 2 3 4 5 6; do head -c 1000000 /dev/zero > /var/$n; done; sleep 900"
    limits = RunLimits(wall_s=300, folder_mb=4)
    step_end = await docker.run(job(docker, grow, image=others, needs_image=True, limits=limits), io.BytesIO())
    assert step_end.end is ProcessEnd.FOLDER_QUOTA


async def test_a_dockerfile_is_built_from_the_files_of_the_harness(
    docker: DockerSandbox, engine: sdk.APIClient, job: Callable[..., SandboxJob]
) -> None:
    build = built(
        "FROM oss-sim AS base\nARG WHO\nCOPY tool.sh /usr/local/bin/tool\nRUN echo $WHO > /etc/who\n"
        "FROM base\nCOPY --from=base /etc/who /etc/whom\n",
        **{"tool.sh": "#!/bin/sh\necho hello $(cat /etc/whom)\n"},
    )
    for _ in range(2):
        assert await printed(docker, job(docker, "tool", image=OSS_SIM, build=build)) == "hello world\n"
    names = [tag for image in engine.images() for tag in image["RepoTags"] or () if "benchwright/built" in tag]
    assert len(names) == 1


async def test_a_build_that_needs_the_network_says_so(
    docker: DockerSandbox, engine: sdk.APIClient, job: Callable[..., SandboxJob]
) -> None:
    script = "import socket; socket.create_connection(('192.0.2.1', 80), 3)"
    log = io.BytesIO()
    with pytest.raises(SandboxUnavailableError, match="can't be built") as refused:
        build = built(f'FROM oss-sim\nRUN python3 -c "{script}"\n')
        await docker.run(job(docker, "true", build=build), log)
    assert "no network" in refused.value.hint
    assert b"Network is unreachable" in log.getvalue()


async def test_packages_over_the_toolchain_are_the_toolchains(
    docker: DockerSandbox, engine: sdk.APIClient, job: Callable[..., SandboxJob]
) -> None:
    build = built("FROM oss-sim\nRUN pip3 install cocotb==2.0.1\n")
    script = "python3 -c 'import cocotb; print(cocotb.__version__)'"
    assert await printed(docker, job(docker, script, build=build)) == "2.0.1\n"


@pytest.mark.parametrize(
    "dockerfile",
    [
        "FROM nobody/has-this:7\n",
        "FROM oss-sim\nCOPY --from=nobody/has-this:7 /x /x\n",
        "FROM oss-sim\nADD https://192.0.2.1/x /x\n",
        "FROM oss-sim\nADD \\\nhttps://192.0.2.1/x /x\n",
        "ARG BASE=nobody/has-this:7\nFROM $BASE\n",
        "# syntax=nobody/has-this:7\nFROM oss-sim\n",
        "FROM oss-sim\nONBUILD ADD https://192.0.2.1/x /x\n",
        "FROM oss-sim\nFR\\\nOM nobody/has-this:7\n",
    ],
)
async def test_a_dockerfile_can_not_make_the_engine_fetch_something(
    dockerfile: str, docker: DockerSandbox, engine: sdk.APIClient, job: Callable[..., SandboxJob]
) -> None:
    with pytest.raises(SandboxUnavailableError):
        await docker.run(job(docker, "true", build=built(dockerfile)), io.BytesIO())


async def test_a_licensed_simulators_image_reaches_its_network_and_no_other_does(
    docker_host: str, others: str, engine: sdk.APIClient, job: Callable[..., SandboxJob]
) -> None:
    network = engine.create_network("licences", driver="bridge", internal=True)["Id"]
    try:
        environment = {"DOCKER_HOST": docker_host, "VERIF_EDA_IMAGE": others, "LICENSE_NETWORK": "licences"}
        licensed, plain_sandbox = DockerSandbox(environment), DockerSandbox({"DOCKER_HOST": docker_host})
        look = "ls /sys/class/net"
        job_options = {"image": others, "networks": ("licences",)}
        assert (await printed(licensed, job(licensed, look, **job_options))).split() == ["eth0", "lo"]
        for changes in ({"networks": ("host",), "image": others}, {"networks": ("licences",)}):
            assert (await printed(licensed, job(licensed, look, **changes))).split() == ["lo"]
        assert (await printed(plain_sandbox, job(plain_sandbox, look, **job_options))).split() == ["lo"]
        assert licensed.digest != plain_sandbox.digest
    finally:
        engine.remove_network(network)


async def test_an_engine_elsewhere_gets_the_folder_and_gives_it_back(
    docker_host: str, engine: sdk.APIClient, job: Callable[..., SandboxJob], code: Path
) -> None:
    sandbox = DockerSandbox({"DOCKER_HOST": docker_host}, copies_folder=True)
    (code / "rtl" / "top.sv").write_text("module top; endmodule\n")
    (code / "src").symlink_to("/src")
    first_script = "cat ../rtl/top.sv ../src/secret.txt; mkdir -m 0 closed; ln -s /etc/passwd link; echo x > made"
    assert await printed(sandbox, job(sandbox, f"{first_script}; rm ../rtl/top.sv")) == "module top; endmodule\nCANARY"
    assert not (code / "rtl" / "top.sv").exists()
    assert (code / "rundir" / "link").is_symlink()
    assert await printed(sandbox, job(sandbox, "cat made; test -e ../rtl/top.sv || echo gone")) == "x\ngone\n"


async def test_an_engine_elsewhere_holds_the_size_of_the_folder(
    docker_host: str, engine: sdk.APIClient, job: Callable[..., SandboxJob]
) -> None:
    sandbox = DockerSandbox({"DOCKER_HOST": docker_host}, copies_folder=True)
    grow = "for n in 1 2 3 4 5 6; do head -c 1000000 /dev/zero > $n; done; sleep 900"
    step_end = await sandbox.run(job(sandbox, grow, limits=RunLimits(wall_s=300, folder_mb=4)), io.BytesIO())
    assert step_end.end is ProcessEnd.FOLDER_QUOTA


def test_what_a_killed_process_left_is_removed_by_the_next(
    docker_host: str, engine: sdk.APIClient, toolchain: Toolchain, tmp_path: Path, others: str
) -> None:
    (tmp_path / "rundir").mkdir()
    script = (
        "import asyncio, io, sys; from pathlib import Path\n"
        "from benchwright_harness.sandbox import SandboxJob\n"
        "from benchwright_harness.sandbox.docker import DockerSandbox\n"
        "from benchwright_harness.toolchain import Toolchain; from benchwright_problems.problem import RunLimits\n"
        "job = SandboxJob(argv=('sleep', '900'), env={}, code=Path(sys.argv[1]), hidden_files={}, limits=RunLimits(),\n"
        "    toolchain=Toolchain(Path(sys.argv[2])))\n"
        "asyncio.run(DockerSandbox().run(job, io.BytesIO()))\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path), str(toolchain.root.parent)]
    process = subprocess.Popen(command, env=os.environ | {"DOCKER_HOST": docker_host})
    try:
        deadline = time.monotonic() + 300
        while not engine.containers():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        DockerSandbox({"DOCKER_HOST": docker_host}).check()
        assert len(engine.containers()) == 1, "it still lives"
    finally:
        process.kill()
        process.wait()
    DockerSandbox({"DOCKER_HOST": docker_host}).check()
    assert engine.containers(all=True) == []


async def test_no_engine_is_an_error_with_the_next_step(tmp_path: Path, job: Callable[..., SandboxJob]) -> None:
    sandbox = DockerSandbox({"DOCKER_HOST": f"unix://{tmp_path}/none.sock"})
    with pytest.raises(
        SandboxUnavailableError, match=r"no Docker engine answers at unix.*\(No such file or dir"
    ) as refused:
        await sandbox.run(job(sandbox, "true"), io.BytesIO())
    assert "DOCKER_HOST" in refused.value.hint
