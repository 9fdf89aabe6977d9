"""Names by which a harness reaches a design: those that a solver has to know."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from benchwright_problems.problem import Problem
from benchwright_problems.verilog import connected_names_by_module, modules

_VERILOG = (".v", ".sv")
_DESIGN_HANDLE = "dut"


def unmentioned_names(problem: Problem) -> tuple[str, ...]:
    """Ports, signals and parameters that a harness connects, and neither statement nor public files name."""
    public_text = "\n".join((problem.public.statement, *problem.public.files.values()))
    public_words = frozenset(re.findall(r"[A-Za-z_][\w$]*", public_text))
    return tuple(sorted(set(_connected_names(problem.hidden.harness)) - public_words))


def _connected_names(harness: Mapping[str, str]) -> Iterator[str]:
    sources = [text for path, text in harness.items() if path.endswith(_VERILOG)]
    declared_modules = {module.name for text in sources for module in modules(text)}
    for text in sources:
        for module, names in connected_names_by_module(text).items():
            if module not in declared_modules:
                yield from names
    for path, text in harness.items():
        if path.endswith(".py"):
            yield from _handle_names(text)


def _handle_names(program_text: str) -> Iterator[str]:
    """Names below the design's handle in a program of cocotb's."""
    try:
        tree = ast.parse(program_text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            continue
        if node.value.id == _DESIGN_HANDLE and not node.attr.startswith("_"):
            yield node.attr
