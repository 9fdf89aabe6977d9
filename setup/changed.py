"""Checks that a change can touch, as far as imports and the names in tests say: `./test --changed`.

Runs in `.venv`, which has the library that reads imports, and prints what it selects as JSON.
"""

import argparse
import ast
import json
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from folders import ROOT
from progress import SetupError
from stages import Stage, all_stages

if TYPE_CHECKING:
    import grimp

_DOTTED = re.compile(r"benchwright_\w+(?:\.\w+)*")
_STARTS_COMMANDS = re.compile(r"""["'\s/]benchwright["'\s]|BENCHWRIGHT_COMMAND|command_line|import benchwright$""")
_LOADED_BY_NAME = {
    "benchwright_server.features.": "benchwright_server.server",
    "benchwright_harness.sandbox.": "benchwright_harness.sandbox.registry",
    "benchwright_harness.cluster.": "benchwright_harness.cluster.registry",
}
"""Beginnings of modules that are imported by their names alone, and by what."""
_OF_EVERYTHING = re.compile(r"pyproject\.toml|requirements.*|setup/.*|tests/conftest\.py|\.ci/.*|run|test")
"""Paths that all checks depend on."""
_BROWSER = ("client-vscode/", "tests/e2e/", "snippets/", "package", "server/benchwright_server/protocol/")


def changed_files(revision: str) -> list[str]:
    """Paths that differ from a revision, those that git does not know yet included.

    Raises:
        SetupError: Git does not answer.
    """
    commands = (("git", "diff", "--name-only", revision, "--"), ("git", "ls-files", "--others", "--exclude-standard"))
    paths: set[str] = set()
    for command in commands:
        git_run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if git_run.returncode:
            raise SetupError(f"`{' '.join(command)}` failed: {git_run.stderr.strip()}")
        paths |= set(git_run.stdout.splitlines())
    return sorted(paths)


def select_stages(stages: list[Stage], paths: list[str]) -> tuple[list[Stage], tuple[str, ...] | None]:
    """The stages and the files of Python tests that a change can touch.

    Args:
        stages: Those that could run.
        paths: Paths of the files that changed.

    Returns:
        The stages, and the files of tests that run; None if all do.
    """
    if any(_OF_EVERYTHING.fullmatch(path) for path in paths):
        return stages, None
    files = tuple(sorted(_touched_tests({path for path in paths if path.endswith(".py")}, paths)))
    names = set()
    if paths:
        names |= {"lint"}
    if any(path.endswith(".py") for path in paths):
        names |= {"types", "imports"}
    if any(path.endswith(".md") or path.startswith("docs/") for path in paths):
        names |= {"docs"}
    if any(path.startswith(_BROWSER) for path in paths):
        names |= {"client", "e2e"}
    selected_stages = [
        stage
        for stage in stages
        if stage.name in names
        or (stage.tests_folder and any(file.startswith(f"{stage.tests_folder}/") for file in files))
    ]
    return selected_stages, files


def _touched_tests(python_paths: set[str], paths: list[str]) -> set[str]:
    touched = _modules_and_importers(
        {_module_name(Path(path)) for path in python_paths if not path.startswith("tests/")}
    )
    # Data of a package is read by its package.
    touched |= {
        _module_name(parent / "__init__.py")
        for path in paths
        if not path.endswith(".py")
        for parent in Path(path).parents
        if (ROOT / parent / "__init__.py").is_file()
    }
    test_files = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "tests").rglob("*.py")}
    direct = {name: _dependencies_of_test(path) for name, path in test_files.items()}
    reached_tests = {
        name for name, dependencies in direct.items() if name in python_paths or dependencies.modules & touched
    }
    # What tests share passes on what touches it.
    while dependents := {
        name
        for name, dependencies in direct.items()
        if name not in reached_tests and dependencies.support & reached_tests
    }:
        reached_tests |= dependents
    return {name for name in reached_tests if Path(name).name.startswith("test_")}


def _modules_and_importers(modules: set[str]) -> set[str]:
    """These modules and all that import them, directly or not."""
    graph = _import_graph()
    known_modules = modules & set(graph.modules)
    return modules | {name for module in known_modules for name in graph.find_downstream_modules(module)}


@cache
def _import_graph() -> "grimp.ImportGraph":
    import grimp

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = [Path(path) for path in project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]]
    sys.path[:0] = [str(ROOT / package.parent) for package in packages]
    graph = grimp.build_graph(*(package.name for package in packages), cache_dir=None)
    for beginning, importer in _LOADED_BY_NAME.items():
        for module in [name for name in graph.modules if name.startswith(beginning)]:
            graph.add_import(importer=importer, imported=module)
    return graph


class _Dependencies:
    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.support: set[str] = set()


@cache
def _dependencies_of_test(path: Path) -> _Dependencies:
    dependencies = _Dependencies()
    text = path.read_text(encoding="utf-8")
    # Also those in programs that a test starts.
    dependencies.modules |= set(_DOTTED.findall(text))
    tree = ast.parse(text)
    if _STARTS_COMMANDS.search(text):
        words = {word for node in ast.walk(tree) if isinstance(node, ast.Constant) for word in str(node.value).split()}
        commands = _modules_by_command()
        dependencies.modules |= {commands[word] for word in words & commands.keys()} or set(commands.values())
    dependencies.support |= set(_test_modules(path, tree))
    names = {argument.arg for node in ast.walk(tree) if isinstance(node, ast.arguments) for argument in node.args}
    for folder in path.parents:
        for fixture, support in _files_by_fixture(folder / "conftest.py").items():
            if fixture in names and path.name != "conftest.py":
                dependencies.support |= support
        if folder == ROOT / "tests":
            break
    return dependencies


def _test_modules(path: Path, tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        folder = path.parents[node.level - 1]
        imported_path = folder.joinpath(*node.module.split(".")) if node.module else folder
        for module_file in (
            imported_path.with_suffix(".py"),
            *(imported_path / f"{alias.name}.py" for alias in node.names),
        ):
            if module_file.is_file():
                yield module_file.relative_to(ROOT).as_posix()


@cache
def _modules_by_command() -> dict[str, str]:
    """The module of each command of `benchwright`."""
    from benchwright_server.cli.app import COMMANDS

    command_modules = {name: entry.module for name, entry in COMMANDS.items()}
    return {
        name: module if module.startswith("benchwright_") else f"benchwright_server.cli.{module}"
        for name, module in command_modules.items()
    }


@cache
def _files_by_fixture(conftest: Path) -> dict[str, set[str]]:
    """The files of tests that each fixture of a `conftest.py` uses."""
    if not conftest.is_file():
        return {}
    tree = ast.parse(conftest.read_text(encoding="utf-8"))
    imported: defaultdict[str, set[str]] = defaultdict(set)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                imported[alias.asname or alias.name] |= set(_test_modules(conftest, node))
    return {
        node.name: {file for name in ast.walk(node) if isinstance(name, ast.Name) for file in imported[name.id]}
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _module_name(path: Path) -> str:
    path_parts = path.with_suffix("").parts
    start = next((index for index, part in enumerate(path_parts) if part.startswith("benchwright_")), 0)
    path_parts = path_parts[start:]
    return ".".join(path_parts[:-1] if path_parts[-1] == "__init__" else path_parts)


def main() -> int:
    """Prints the names of stages, and of files of Python tests: null for all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("revision", help="what the change is compared with")
    parser.add_argument("stages", nargs="+", help="the stages to choose from")
    options = parser.parse_args()
    try:
        paths = changed_files(options.revision)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    stages, files = select_stages([stage for stage in all_stages() if stage.name in options.stages], paths)
    print(json.dumps({"stages": [stage.name for stage in stages], "files": files}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
