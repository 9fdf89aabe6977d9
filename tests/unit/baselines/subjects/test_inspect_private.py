"""One module of ours knows the names of Inspect that are not public."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import benchwright_subjects

PACKAGE = Path(benchwright_subjects.__file__).parent
ROOT = PACKAGE.parents[1]
SEAM = PACKAGE / "inspect_private.py"


def private_names(code: str) -> Iterator[str]:
    """The names of Inspect's that code imports and that begin with an underscore somewhere on their way."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Import():
                names = [alias.name for alias in node.names]
            case ast.ImportFrom(level=0, module=str(module)):
                names = [f"{module}.{alias.name}" for alias in node.names]
            case _:
                continue
        yield from (name for name in names if name.startswith("inspect_ai.") and "._" in name)


@pytest.mark.parametrize(
    ("code", "expected_names"),
    [
        ("from inspect_ai._util.error import Error", ["inspect_ai._util.error.Error"]),
        ("def load():\n    from inspect_ai.model import _model", ["inspect_ai.model._model"]),
        ("import inspect_ai.log._transcript as log", ["inspect_ai.log._transcript"]),
        ("from inspect_ai.model import Model\nimport inspect_ai", []),
    ],
)
def test_private_names_are_seen_wherever_they_are_imported(code: str, expected_names: list[str]) -> None:
    assert list(private_names(code)) == expected_names


def test_no_other_module_imports_a_private_name_of_inspect() -> None:
    module_files = [file for room in ROOT.iterdir() for file in room.glob("benchwright_*/**/*.py")]
    assert SEAM in module_files
    assert {
        file.relative_to(ROOT).as_posix(): names
        for file in module_files
        if file != SEAM and (names := list(private_names(file.read_text(encoding="utf-8"))))
    } == {}
