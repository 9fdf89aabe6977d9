"""Build everything that a release publishes, from the checkout and its locks.

The wheel, the source distribution, the extension for VS Code, a bill of materials (CycloneDX) of what requirements.lock
installs, and the checksums of all of them. The release workflow runs the same command. `./test` sets up what it needs:
run it with `.venv/bin/python setup/release.py`.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import installation
from folders import ROOT

_CHECKSUMS = "SHA256SUMS"


def main() -> int:
    """Builds what the options name; returns the exit status."""
    options = _options()
    folder: Path = options.out
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    try:
        for part in options.only or _PARTS:
            _PARTS[part](folder)
    except subprocess.CalledProcessError as error:
        print(f"{Path(error.cmd[0]).name} failed with status {error.returncode}.", file=sys.stderr)
        return 1
    for line in _write_checksums(folder):
        print(line)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="setup/release.py", description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "--out", type=Path, default=ROOT / "dist", help="folder for the artefacts, emptied first (dist)"
    )
    parser.add_argument("--only", action="append", choices=_PARTS, help="build only this part; may be given repeatedly")
    return parser.parse_args()


def _python(folder: Path) -> None:
    _run("hatchling", "build", "-d", str(folder))


def _extension(folder: Path) -> None:
    for script in ("generate", "build", "package"):
        _run("npm", "--workspace", "client-vscode", "run", script)
    shutil.copy(installation.EXTENSION, folder / f"benchwright-{_version()}.vsix")


def _bill_of_materials(folder: Path) -> None:
    # Dates and serial numbers would make every build another file.
    options = ("--output-reproducible", "--spec-version", "1.6", "--pyproject", str(ROOT / "pyproject.toml"))
    target = folder / f"benchwright-{_version()}.cdx.json"
    _run("cyclonedx-py", "requirements", str(ROOT / "requirements.lock"), *options, "--output-file", str(target))


_PARTS = {"python": _python, "extension": _extension, "sbom": _bill_of_materials}


def _version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def _run(*command: str) -> None:
    subprocess.run(command, check=True, cwd=ROOT, env=installation.environment(), stdin=subprocess.DEVNULL)


def _write_checksums(folder: Path) -> list[str]:
    artefacts = sorted(file for file in folder.iterdir() if file.name != _CHECKSUMS)
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}" for file in artefacts]
    (folder / _CHECKSUMS).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return lines


if __name__ == "__main__":
    sys.exit(main())
