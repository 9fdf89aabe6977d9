"""What the images of `setup/service` are built of where there is no registry: a checkout with a release, a base image.

The base is this machine's own Debian packages instead of the published Python image, and pip installs what was
downloaded before.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ..machine.debian_image import DebianMissingError, root_file_system

ROOT = Path(__file__).parents[3]
FILES = ROOT / "setup" / "service"
_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
_PIP = "[global]\nno-index = true\nfind-links = /wheels\nbreak-system-packages = true\n"


def run(*command: str | Path, **options: Any) -> str:
    """Runs a program to its end; what it prints."""
    process: subprocess.CompletedProcess[str] = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, timeout=1_200, **options
    )
    assert process.returncode == 0, (command, process.stdout[-3000:], process.stderr[-3000:])
    return process.stdout


def released_checkout(folder: Path) -> Path:
    """Makes a checkout that has what the images are built of, with a release."""
    folder.mkdir()
    shutil.copy(ROOT / "requirements.lock", folder)
    shutil.copytree(FILES, folder / "setup" / "service")
    run(sys.executable, ROOT / "setup" / "release.py", "--only", "python", "--out", folder / "dist")
    return folder


def import_base(docker_host: str, folder: Path, name: str) -> None:
    """Gives an engine the base image; skips the test where that can't be made.

    Args:
        docker_host: Address of the engine.
        folder: Folder for what is only needed meanwhile.
        name: Name of the image.
    """
    wheels = folder / "wheels"
    download = (sys.executable, "-m", "pip", "download", "--quiet", "--dest", wheels)
    run(*download, "--no-deps", "--require-hashes", "--requirement", ROOT / "requirements.lock")
    # With these pip builds what comes as source.
    run(*download, "setuptools", "wheel")
    # The published image calls its interpreter so.
    (folder / "python").symlink_to("python3")
    added_files = {"wheels": wheels, "etc/pip.conf": _PIP, "usr/bin/python": folder / "python"}
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    # Debian's images have apt, and with it the libraries of C++, which wheels need, and of system call filters.
    libraries = ("libstdc++6", "libseccomp2")
    packages = (python, "python3", "python3-pip", "passwd", "ca-certificates", *libraries, "bubblewrap")
    import_packages(docker_host, folder, name, *packages, added_files=added_files, left_out="EXTERNALLY-MANAGED$")
    shutil.rmtree(wheels)


def import_packages(docker_host: str, folder: Path, name: str, *packages: str, **options: Any) -> None:
    """Gives an engine an image of this machine's Debian packages; skips the test where they are not installed.

    Args:
        docker_host: Address of the engine.
        folder: Folder for what is only needed meanwhile.
        name: Name of the image.
        packages: Beside the essential ones.
        options: See `root_file_system`.
    """
    file = folder / "image.tar"
    try:
        root_file_system(file, *packages, **options)
    except DebianMissingError as error:
        pytest.skip(f"needs a Debian with {', '.join(packages)}: {error}")
    environment = os.environ | {"DOCKER_HOST": docker_host}
    run("docker", "import", "--change", f"ENV PATH={_PATH}", file, name, env=environment)
    file.unlink()
