"""Python environments apart from the checkout, made by uv from the indexes that pip's settings name."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_FROM_PIP = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
    "trusted-host": "UV_INSECURE_HOST",
}
_LISTED = re.compile(r"(?P<level>[^.]+)\.(?P<name>[\w-]+)='(?P<value>.*)'")
_LEVELS = ("global", "install", ":env:")
"""Of pip's settings, the weakest first."""


def make_environment(
    folder: Path, *requirements: str, constraints: Path | None = None, locked: Path | None = None
) -> None:
    """Make an environment from the base Python, not from the one that runs this, and install packages.

    Args:
        folder: Folder of the environment; replaced if it exists.
        requirements: Packages to install, as pip takes them.
        constraints: Versions that may be installed, without hashes.
        locked: A requirements file with a hash for every package, installed as well.

    Raises:
        subprocess.CalledProcessError: uv failed.
    """
    _run_uv("venv", "--quiet", "--clear", "--python", _base_python(), str(folder))
    install = ("pip", "install", "--quiet", "--python", str(folder / "bin" / "python"))
    if locked is not None:
        _run_uv(*install, "--require-hashes", "--requirement", str(locked))
    if requirements:
        _run_uv(*install, *(("--constraint", str(constraints)) if constraints else ()), *requirements)


def _base_python() -> str:
    return str(Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}"))


def _run_uv(*arguments: str) -> None:
    # The extra indexes are equals, as they are for pip.
    variables = {"UV_NO_CONFIG": "1", "UV_INDEX_STRATEGY": "unsafe-best-match", **_uv_settings()}
    environment = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    command = [str(Path(sys.prefix, "bin", "uv")), *arguments]
    subprocess.run(command, check=True, env={**environment, **variables}, stdin=subprocess.DEVNULL)


def _uv_settings() -> Mapping[str, str]:
    """uv reads no settings of pip: those that say where packages come from, as uv's environment variables."""
    pip_settings = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], check=True, capture_output=True, text=True
    ).stdout
    matches = [match for line in pip_settings.splitlines() if (match := _LISTED.fullmatch(line))]
    matches.sort(key=lambda match: _LEVELS.index(match["level"]) if match["level"] in _LEVELS else -1)
    values = {match["name"]: match["value"] for match in matches}
    # pip lists a value of several lines as Python would write it.
    return {
        _FROM_PIP[name]: " ".join(value.replace("\\n", " ").split())
        for name, value in values.items()
        if name in _FROM_PIP
    }
