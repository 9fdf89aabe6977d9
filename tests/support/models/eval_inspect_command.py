"""Fixtures and helpers of the tests of eval inspect command."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Metadata that an installation of this checkout has of itself; that of `.venv` may be an older one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    folder = tmp_path / "installed" / f"{project['name']}-{project['version']}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    groups = project["entry-points"].items()
    lines = [
        f"[{group}]\n{name} = {target}\n" for group, entry_points in groups for name, target in entry_points.items()
    ]
    (folder / "entry_points.txt").write_text("\n".join(lines))
    return folder.parent
