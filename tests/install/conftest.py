"""Environments with an artefact of Benchwright in them, made once for all tests."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import bare_environment
import pytest

from .installed import ROOT, Installed


@pytest.fixture(scope="session")
def artefacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the wheel and the source distribution."""
    folder = tmp_path_factory.mktemp("artefacts")
    build = [sys.executable, str(ROOT / "setup" / "release.py"), "--only", "python", "--out", str(folder)]
    subprocess.run(build, check=True)
    return folder


@pytest.fixture(scope="session")
def install(artefacts: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Installed]:
    """Installs the artefact with this ending, with these extras."""
    constraints = tmp_path_factory.mktemp("constraints") / "constraints.txt"
    constraints.write_text(_constraints(ROOT / "requirements.lock"), encoding="utf-8")

    def make(ending: str, extras: str = "") -> Installed:
        (artefact,) = artefacts.glob(f"*{ending}")
        folder = tmp_path_factory.mktemp("bare")
        bare_environment.make_environment(
            folder / "venv", f"benchwright{extras} @ {artefact.as_uri()}", constraints=constraints
        )
        return Installed(folder)

    return make


_ARTEFACTS = [pytest.param(".whl", id="wheel"), pytest.param(".tar.gz", id="sdist", marks=pytest.mark.nightly)]


@pytest.fixture(scope="session", params=_ARTEFACTS)
def core(request: pytest.FixtureRequest, install: Callable[[str, str], Installed]) -> Installed:
    """Benchwright without extras."""
    return install(request.param, "")


@pytest.fixture(scope="session")
def everything(install: Callable[[str, str], Installed]) -> Installed:
    """Benchwright with all extras."""
    return install(".whl", "[all]")


def _constraints(lock: Path) -> str:
    """The versions of a lock as constraints: pip and uv take hashes as a demand for the hash of every package."""
    pins = re.findall(r"^([A-Za-z0-9].*?)(?: \\)?$", lock.read_text(encoding="utf-8"), re.MULTILINE)
    return "".join(f"{pin}\n" for pin in pins)
