"""What a release says of itself, and what marketplaces show."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "setup"))

import release  # noqa: E402 - found by the line above

ADDRESS = "https://code.example.org/lab/bench"


def test_the_citation_has_the_version_and_licence_of_the_package() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
    assert citation["cff-version"] == "1.2.0" and citation["authors"] and citation["message"]


def test_the_stores_manifest_names_the_repository_and_keeps_the_rest() -> None:
    manifest = (ROOT / "client-vscode/package.json").read_text()
    fields = json.loads(release.store_manifest(manifest, ADDRESS))
    assert fields["repository"]["url"] == f"{ADDRESS}.git" and fields["bugs"]["url"] == f"{ADDRESS}/issues"
    assert json.loads(manifest).items() <= fields.items()
    assert fields["galleryBanner"]["theme"] == "dark"


def test_the_stores_readme_has_pictures_that_exist() -> None:
    readme = release.store_readme((ROOT / "client-vscode/README.md").read_text(), ADDRESS, "v1.2.3")
    names = [line.rpartition("/")[2].removesuffix(")") for line in readme.splitlines() if line.startswith("![")]
    assert names == ["benchwright.png", "language.png"]
    assert f"{ADDRESS}/raw/v1.2.3/docs/images/benchwright.png" in readme
    assert all((ROOT / "docs/images" / name).is_file() for name in names)
