"""Inline-completion servers of npm, as `inline_subjects/package-lock.json` pins them by hash, in the cache folder."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from benchwright_foundation.home import Home

_PACKAGES = Path(__file__).with_name("inline_subjects")
_INSTALL_S = 900


class NotInstalledError(Exception):
    """They can't be installed here."""


def node_modules() -> Path:
    """The folder of the packages, installed at the first time.

    Raises:
        NotInstalledError: npm is missing, or the registry refuses.
    """
    lock = _PACKAGES / "package-lock.json"
    cache = Home.from_environment().cache / "subjects"
    folder = cache / f"inline-{hashlib.sha256(lock.read_bytes()).hexdigest()[:12]}"
    if folder.is_dir():
        return folder / "node_modules"
    npm = shutil.which("npm")
    if npm is None:
        raise NotInstalledError("not installed: there is no npm")
    cache.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(dir=cache, prefix=".inline-"))
    try:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(_PACKAGES / name, staging)
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        npm_run = subprocess.run(command, cwd=staging, capture_output=True, text=True, timeout=_INSTALL_S, check=False)
        if npm_run.returncode != 0:
            raise NotInstalledError(f"not installed: {npm_run.stderr.strip().splitlines()[-1:]}")
        staging.chmod(0o755)
        staging.rename(folder)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return folder / "node_modules"
