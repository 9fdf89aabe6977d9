"""Harbor in a Debian of its own, whose Python is new enough for it, over an engine of this machine."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

_VERSION = "0.26.0"
_SUITE = "trixie"
_PACKAGES = ("ca-certificates", "docker-buildx", "docker-cli", "docker-compose", "python3-venv")
_PATH = "/harbor/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_AS_HERE = ("etc/resolv.conf", "etc/hosts", "etc/pip.conf", "etc/ssl/certs/ca-certificates.crt")
_BUILD_S, _RUN_S = 1800, 1800
# What is mounted is gone with the command.
_ENTER = (
    'set -e; for folder in "$WORK" "$ENGINE"; do mkdir -p "$ROOT$folder"; mount --bind "$folder" "$ROOT$folder"; done;'
    ' mount -t proc proc "$ROOT/proc"; exec chroot "$ROOT" /usr/bin/env -i "$@"'
)


class HarborMissingError(Exception):
    """Reason why Harbor can't run here."""


class HarborRoot:
    """A Debian with Harbor."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def rewards(self, agent: str, tasks_folder: Path, folder: Path, docker_host: str) -> list[float]:
        """The rewards of all tasks in a folder.

        Args:
            agent: `oracle` or `nop`.
            tasks_folder: Folder of task folders.
            folder: Gets what Harbor writes; beside `tasks_folder`.
            docker_host: Address of an engine.
        """
        engine = Path(docker_host.removeprefix("unix://")).parent
        command = ["harbor", "run", "--path", str(tasks_folder), "--agent", agent, "--jobs-dir", str(folder), "--yes"]
        options = ["--job-name", "job", "--n-concurrent", "1", "--quiet"]
        variables = [f"PATH={_PATH}", "HOME=/root", f"DOCKER_HOST={docker_host}", "LITELLM_LOCAL_MODEL_COST_MAP=True"]
        mounted_folders = {"ROOT": str(self._root), "WORK": str(tasks_folder.parent), "ENGINE": str(engine)}
        ended = subprocess.run(
            ["unshare", "--mount", "sh", "-c", _ENTER, "sh", *variables, *command, *options],
            env={**os.environ, **mounted_folders},
            capture_output=True,
            text=True,
            timeout=_RUN_S,
        )
        assert ended.returncode == 0, (ended.stdout + ended.stderr)[-3000:]
        trial_results = [json.loads(file.read_text()) for file in sorted((folder / "job").glob("*/result.json"))]
        assert not [result["exception_info"] for result in trial_results if result["exception_info"]], trial_results
        return [result["verifier_result"]["rewards"]["reward"] for result in trial_results]


@contextlib.contextmanager
def harbor_root() -> Iterator[HarborRoot]:
    """Make one; it takes some minutes.

    Raises:
        HarborMissingError: It can't be made on this machine.
    """
    if os.geteuid() != 0 or shutil.which("debootstrap", path=f"{os.environ.get('PATH', '')}:/usr/sbin") is None:
        raise HarborMissingError("only root can make a Debian for Harbor, with debootstrap")
    with tempfile.TemporaryDirectory(prefix="harbor-") as name:
        root = Path(name, "root")
        _run(["debootstrap", "--variant=minbase", f"--include={','.join(_PACKAGES)}", _SUITE, str(root)])
        for path in _AS_HERE:
            if Path("/", path).exists():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(Path("/", path), root / path)
        _run(["chroot", str(root), "python3", "-m", "venv", "/harbor"])
        install = ["/harbor/bin/pip", "install", "--quiet", f"harbor=={_VERSION}"]
        _run(["chroot", str(root), "env", "PIP_CERT=/etc/ssl/certs/ca-certificates.crt", *install])
        yield HarborRoot(root)


def _run(command: list[str]) -> None:
    environment = {**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"}
    ended = subprocess.run(command, capture_output=True, text=True, timeout=_BUILD_S, env=environment)
    if ended.returncode:
        raise HarborMissingError(f"{command[0]} {command[-1]} fails: {(ended.stdout + ended.stderr)[-500:]}")
