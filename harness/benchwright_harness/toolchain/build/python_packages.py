"""Locked Python packages, installed for the tree's Python whatever the one is that runs this."""

from __future__ import annotations

import platform
import shutil
import sys
from configparser import ConfigParser
from importlib.resources import as_file, files
from pathlib import Path

from benchwright_harness.toolchain.build.root import AGAIN, RootFileSystem, run_program

_NEWEST_GLIBC = 36
_OLDER_PLATFORMS = ("manylinux2014", "manylinux2010", "manylinux1")


def install_packages(root: RootFileSystem, lock: str, folder: str, scripts: str | None = None) -> None:
    """Install packages.

    Args:
        root: The tree.
        lock: Name of the lock file, beside this module.
        folder: The folder in the tree to install into.
        scripts: The folder in the tree for their console scripts; `None` for no scripts.

    Raises:
        ToolchainError: pip could not install them.
    """
    target = root.host_path(folder)
    machine = platform.machine()
    names = [*(f"manylinux_2_{minor}" for minor in range(_NEWEST_GLIBC, 4, -1)), *_OLDER_PLATFORMS]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]
    options = [
        "--no-deps",
        "--require-hashes",
        "--only-binary",
        ":all:",
        "--no-compile",
        "--python-version",
        "3.11",
    ]
    with as_file(files(__package__) / lock) as file:
        command = [
            *(*pip, *options, "--implementation", "cp"),
            *(f"--platform={name}_{machine}" for name in names),
            *("--target", str(target), "--requirement", str(file)),
        ]
        run_program(command, f"check the network and pip's settings (`pip config list`), {AGAIN}")
    for name in ("bin", "include", "share"):
        shutil.rmtree(target / name, ignore_errors=True)
    for information in sorted(target.glob("*.dist-info")):
        for name in ("RECORD", "REQUESTED", "INSTALLER", "direct_url.json"):
            (information / name).unlink(missing_ok=True)
        if scripts:
            _write_scripts(information, root.host_path(scripts))


def _write_scripts(information: Path, folder: Path) -> None:
    entry_points = ConfigParser(delimiters=("=",), interpolation=None)
    entry_points.optionxform = str  # type: ignore[assignment,method-assign]
    entry_points.read(information / "entry_points.txt", encoding="utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    for name, target in entry_points.items("console_scripts") if entry_points.has_section("console_scripts") else ():
        module, _, function = target.partition(":")
        script = folder / name
        script.write_text(
            f"#!/usr/bin/python3\nimport sys\n\nfrom {module} import {function}\n\nsys.exit({function}())\n",
            encoding="utf-8",
        )
        script.chmod(0o755)


def version_of(root: RootFileSystem, folder: str, package: str) -> str:
    """The version of a package that was installed."""
    pattern = f"{folder.lstrip('/')}/{package.replace('-', '_')}-*.dist-info"
    return next(root.folder.glob(pattern)).name.removesuffix(".dist-info").partition("-")[2]
