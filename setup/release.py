"""Build everything that a release publishes, from the checkout and its locks.

The wheel, the source distribution, the extension for VS Code, a bill of materials (CycloneDX) of what requirements.lock
installs, and the checksums of all of them. The release workflow runs the same command. `./test` sets up what it needs:
run it with `.venv/bin/python setup/release.py`.
"""

import argparse
import contextlib
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import bare_environment
import installation
from folders import ROOT

_CHECKSUMS = "SHA256SUMS"


def main() -> int:
    """Builds what the options name; returns the exit status."""
    options = _options()
    if options.tag and (flaw := _flaw_of_tag(options.tag)):
        print(flaw, file=sys.stderr)
        return 1
    folder: Path = options.out
    folder.mkdir(parents=True, exist_ok=True)
    for old_file in folder.iterdir():
        old_file.unlink()
    try:
        with _store_files(options.repository) if options.repository else contextlib.nullcontext():
            for part_name in options.only or _PARTS:
                _PARTS[part_name](folder)
    except subprocess.CalledProcessError as error:
        print(f"{Path(error.cmd[0]).name} failed with status {error.returncode}.", file=sys.stderr)
        return 1
    for line in _write_checksums(folder):
        print(line)
    if options.tag:
        (folder / "NOTES.md").write_text(_release_notes(), encoding="utf-8")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="setup/release.py", description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "--out", type=Path, default=ROOT / "dist", help="folder for the artefacts, emptied first (dist)"
    )
    parser.add_argument("--only", action="append", choices=_PARTS, help="build only this part; may be given repeatedly")
    parser.add_argument("--tag", help="fail unless the version and the changelog are this tag's; write its NOTES.md")
    parser.add_argument(
        "--repository",
        help="address of the repository, such as https://github.com/OWNER/NAME: the extension then names it, and its "
        "README has pictures from there, as marketplaces show them",
    )
    return parser.parse_args()


def _flaw_of_tag(tag: str) -> str:
    """Flaw to fix before this tag can be released; empty if there is none."""
    package = json.loads((ROOT / "client-vscode" / "package.json").read_text(encoding="utf-8"))
    versions = {"pyproject.toml": _version(), "client-vscode/package.json": package["version"]}
    for file, version in versions.items():
        if tag != f"v{version}":
            return f"{file} has version {version}, which is not that of the tag {tag}."
    return (
        ""
        if _release_notes()
        else f"CHANGELOG.md has no section [{_version()}]: give the unreleased changes this heading."
    )


def _release_notes() -> str:
    """This version's section of the changelog, without its heading."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.split(r"^## \[(.+?)\].*\n", text, flags=re.MULTILINE)
    return dict(zip(sections[1::2], sections[2::2], strict=True)).get(_version(), "").strip()


@contextlib.contextmanager
def _store_files(repository: str) -> Iterator[None]:
    """The extension's manifest and README as marketplaces want them; restored afterwards."""
    client = ROOT / "client-vscode"
    manifest, readme = client / "package.json", client / "README.md"
    kept = {file: file.read_text(encoding="utf-8") for file in (manifest, readme)}
    manifest.write_text(store_manifest(kept[manifest], repository), encoding="utf-8")
    readme.write_text(store_readme(kept[readme], repository, f"v{_version()}"), encoding="utf-8")
    try:
        yield
    finally:
        for file, text in kept.items():
            file.write_text(text, encoding="utf-8")


def store_manifest(manifest: str, repository: str) -> str:
    """The manifest with the addresses that marketplaces link to."""
    listing_fields = {
        "homepage": f"{repository}#readme",
        "repository": {"type": "git", "url": f"{repository}.git", "directory": "client-vscode"},
        "bugs": {"url": f"{repository}/issues"},
    }
    # `npm run generate` replaces parts of the file by their layout, which has to stay.
    added = "".join(f"  {json.dumps(name)}: {json.dumps(value)},\n" for name, value in listing_fields.items())
    return manifest.replace("{\n", f"{{\n{added}", 1)


def store_readme(readme: str, repository: str, tag: str) -> str:
    """The README with a picture for each section of `_STORE_PICTURES` that it has, from the repository's tag."""
    for place, (name, alt) in _STORE_PICTURES.items():
        picture = f"![{alt}]({repository}/raw/{tag}/docs/images/{name}.png)"
        readme = readme.replace(place, f"{place}\n\n{picture}", 1)
    return readme


_STORE_PICTURES = {
    "hidden tests show whether it works, and a clock records how long it took.": (
        "benchwright",
        "A problem in VS Code: statement, RTL with lint, and the verdict of the hidden tests",
    ),
    "  problems and in any other folder.": ("language", "Hover and completion in a SystemVerilog file"),
}
"""Words of the README → the picture below them, of `docs/images`, and what it shows."""


def _build_python_packages(folder: Path) -> None:
    _run_command("hatchling", "build", "-d", str(folder))


def _build_extension(folder: Path) -> None:
    for script in ("generate", "build", "package"):
        _run_command("npm", "--workspace", "client-vscode", "run", script)
    shutil.copy(installation.EXTENSION, folder / f"benchwright-{_version()}.vsix")


def _write_bill_of_materials(folder: Path) -> None:
    # Dates and serial numbers would make every build another file.
    options = ("--output-reproducible", "--spec-version", "1.6", "--pyproject", str(ROOT / "pyproject.toml"))
    target = folder / f"benchwright-{_version()}.cdx.json"
    # Only an installed package says its licence and what it depends on.
    with tempfile.TemporaryDirectory() as scratch:
        environment = Path(scratch, "venv")
        bare_environment.make_environment(environment, locked=ROOT / "requirements.lock")
        _run_command("cyclonedx-py", "environment", str(environment), *options, "--output-file", str(target))


_PARTS = {"python": _build_python_packages, "extension": _build_extension, "sbom": _write_bill_of_materials}


def _version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def _run_command(*command: str) -> None:
    subprocess.run(command, check=True, cwd=ROOT, env=installation.environment(), stdin=subprocess.DEVNULL)


def _write_checksums(folder: Path) -> list[str]:
    artefacts = sorted(file for file in folder.iterdir() if file.name != _CHECKSUMS)
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}" for file in artefacts]
    (folder / _CHECKSUMS).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return lines


if __name__ == "__main__":
    sys.exit(main())
