"""Rules for the code of all packages: no cycles, neither of modules nor of folders, and no package too large."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = [ROOT / folder for folder in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]]
OTHERS = [ROOT / "client-vscode" / "src", ROOT / "setup"]
ANALYSER = "benchwright_verilog"

MOST_OF_THE_CODE = 0.20


def code_files(folder: Path) -> Iterator[Path]:
    """The source files of a package; packs are data, and generated files are not kept."""
    for path in sorted(folder.rglob("*")):
        path_parts = path.relative_to(folder).parts
        is_code = path.suffix in {".py", ".ts"} and not path.name.endswith(".d.ts")
        if is_code and not {"packs", "node_modules", "generated", "__pycache__"} & set(path_parts):
            yield path


def lines_of_code(path: Path) -> int:
    """Lines that are neither blank nor a comment."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return sum(bool(line) and not line.startswith(("#", "//")) for line in lines)


def cycles(imports: Mapping[str, Iterable[str]]) -> set[frozenset[str]]:
    """Groups of modules that reach each other (Tarjan's strongly connected components of more than one)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    components: set[frozenset[str]] = set()

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for imported_module in imports[module]:
            if imported_module not in index:
                visit(imported_module)
                low[module] = min(low[module], low[imported_module])
            elif imported_module in stack:
                low[module] = min(low[module], index[imported_module])
        if low[module] == index[module]:
            start = stack.index(module)
            if len(stack) - start > 1:
                components.add(frozenset(stack[start:]))
            del stack[start:]

    for module in imports:
        if module not in index:
            visit(module)
    return components


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    """Imports of our modules by each of our modules, for type checking too."""
    graph = grimp.build_graph(*[package.name for package in PACKAGES], cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in sorted(graph.modules)}


def test_modules_do_not_import_each_other_in_cycles(imports: dict[str, set[str]]) -> None:
    assert cycles(imports) == set()


def test_folders_do_not_import_each_other(imports: dict[str, set[str]]) -> None:
    folder_of: dict[str, str] = {package.name: package.parent.name for package in PACKAGES}

    def folder(module: str) -> str:
        return folder_of[module.partition(".")[0]]

    folder_imports: dict[str, set[str]] = {name: set() for name in folder_of.values()}
    for module, imported in imports.items():
        folder_imports[folder(module)] |= {folder(name) for name in imported} - {folder(module)}
    assert cycles(folder_imports) == set()


def test_no_package_has_more_than_a_fifth_of_the_code() -> None:
    sizes = {folder.name: sum(map(lines_of_code, code_files(folder))) for folder in PACKAGES + OTHERS}
    total = sum(sizes.values())
    assert {name: size for name, size in sizes.items() if size > MOST_OF_THE_CODE * total} == {}


def test_the_analyser_loads_no_other_package_than_the_snippets() -> None:
    code = (
        "import importlib, pkgutil, sys, benchwright_verilog as package\n"
        "names = [one.name for one in pkgutil.walk_packages(package.__path__, 'benchwright_verilog.')]\n"
        "for name in names: importlib.import_module(name)\n"
        "ours = {name.partition('.')[0] for name in sys.modules if name.startswith('benchwright')}\n"
        "print(len(names), *sorted(ours))\n"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    count, *loaded = process.stdout.split()
    assert int(count) == sum(1 for _ in code_files(ROOT / "verilog" / ANALYSER)) - 1
    assert set(loaded) <= {ANALYSER, "benchwright_snippets"}
