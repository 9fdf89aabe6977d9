"""Installs subjects into the cache folder, by the clients of npm and PyPI, in the versions of the lock files."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchwright_attempts.errors import EvaluationError
from benchwright_subjects.agents.launch import AGENT
from benchwright_subjects.agents.preset import NODE_LOCK, NODE_PROGRAMS, InstallClient, Preset

_LONGEST_S = 1800
_PYTHON = "3.11"
"""Of the toolchain, which runs what is written in Python."""
_GLIBC = 36
"""Of the toolchain: 2.36."""
_PLATFORMS = (
    *(f"manylinux_2_{minor}_x86_64" for minor in range(_GLIBC, 4, -1)),
    *("manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64"),
)
Show = Callable[[str], None]
"""Shows what is being done."""


def programs_folder(preset: Preset, cache: Path) -> Path:
    """Folder where a subject's programs are, or would be."""
    return cache / "subjects" / f"{preset.installation_name}-{preset.package_sha256[:12]}"


def is_installed(preset: Preset, cache: Path) -> bool:
    """True if a subject is installed, in the version of its lock file."""
    node = node_folder(cache) if preset.needs_node else None
    return programs_folder(preset, cache).is_dir() and (node is None or node.is_dir())


def node_folder(cache: Path) -> Path:
    """Folder where Node is, or would be."""
    return cache / "subjects" / f"node-{hashlib.sha256(NODE_LOCK.read_bytes()).hexdigest()[:12]}"


def install_subject_if_missing(preset: Preset, cache: Path, show_progress: Show) -> Path:
    """Install a subject, unless it is there.

    Returns:
        The folder of its programs.

    Raises:
        EvaluationError: A client failed; the message ends with what it printed.
    """
    folder = programs_folder(preset, cache)
    if preset.source is InstallClient.NPM:
        node = _install_node_if_missing(cache, show_progress)
        if not folder.is_dir():
            show_progress(f"npm installs {preset.package} {preset.version}")
            with _folder_kept_on_success(folder) as new_folder:
                _npm_install(preset, new_folder, node / NODE_PROGRAMS / "node")
    elif not folder.is_dir():
        show_progress(f"pip installs {preset.package} {preset.version}")
        with _folder_kept_on_success(folder) as new_folder:
            _pip_install(new_folder / "lib", preset.folder / "requirements.lock", for_toolchain=True)
            _write_start_script(preset, new_folder)
    return folder


def _install_node_if_missing(cache: Path, show_progress: Show) -> Path:
    folder = node_folder(cache)
    if not folder.is_dir():
        show_progress("pip installs Node")
        with _folder_kept_on_success(folder) as new_folder:
            _pip_install(new_folder, NODE_LOCK)
    return folder


def _npm_install(preset: Preset, programs_folder: Path, node_program: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(preset.folder / name, programs_folder)
    npm = node_program.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    # No package's own script runs: what it fetches would have no digest here.
    command: list[str | Path] = [
        node_program,
        npm,
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ]
    _run_package_client(
        command, programs_folder, {"PATH": f"{node_program.parent}:{os.environ.get('PATH', os.defpath)}"}
    )


def _pip_install(target_folder: Path, lock_file: Path, *, for_toolchain: bool = False) -> None:
    toolchain_options = [
        f"--python-version={_PYTHON}",
        "--implementation=cp",
        *(f"--platform={platform}" for platform in _PLATFORMS),
    ]
    command: list[str | Path] = [
        *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"),
        *("--require-hashes", "--only-binary=:all:", f"--target={target_folder}", "--requirement", lock_file),
        *(toolchain_options if for_toolchain else ()),
    ]
    _run_package_client(command, target_folder.parent, {})


def _write_start_script(preset: Preset, programs_folder: Path) -> None:
    module, _, function = preset.entry_point.partition(":")
    path = f"sys.path.insert(0, '{AGENT}/lib'); sys.argv[0] = '{preset.program_name}'"
    code = f"import sys; {path}; from {module} import {function} as run; sys.exit(run())"
    program = programs_folder / "bin" / preset.program_name
    program.parent.mkdir()
    # What the agent starts must not find the packages that it is made of.
    program.write_text(f'#!/bin/sh\nexec /usr/bin/python3 -I -c "{code}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)


def _run_package_client(command: Sequence[str | Path], work_folder: Path, extra_environment: dict[str, str]) -> None:
    # The user's own settings say where packages come from.
    try:
        process = subprocess.run(
            list(map(str, command)),
            cwd=work_folder,
            env={**os.environ, **extra_environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise EvaluationError(f"{command[0]} did not end within {_LONGEST_S} seconds. Try again.") from error
    if process.returncode != 0:
        output = (process.stderr or process.stdout).strip()[-1500:]
        raise EvaluationError(f"The packages could not be installed, see below; then try again.\n{output}")


@contextlib.contextmanager
def _folder_kept_on_success(folder: Path) -> Iterator[Path]:
    """A folder that comes into being at the end of the block, or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    new_folder = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        yield new_folder
        _make_readable_for_everybody(new_folder)
        # Somebody else may have been faster.
        with contextlib.suppress(FileExistsError, OSError):
            new_folder.rename(folder)
        if not folder.is_dir():
            raise EvaluationError(f"{folder} could not be made. Look whether something else is there.")
    finally:
        shutil.rmtree(new_folder, ignore_errors=True)


def _make_readable_for_everybody(folder: Path) -> None:
    """As root, agents are run as users without rights."""
    for parent, _, names in os.walk(folder):
        for path in (Path(parent), *(Path(parent, name) for name in names)):
            if not path.is_symlink():
                mode = path.stat().st_mode
                path.chmod(mode | 0o444 | (0o111 if mode & 0o100 else 0))
