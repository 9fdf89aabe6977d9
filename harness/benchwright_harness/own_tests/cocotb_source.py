"""The cocotb tests of a Python file, found in its syntax: nothing of it is imported or run.

    @cocotb.test()
    @cocotb.parametrize(width=[8, 16])
    async def counts(dut, width): ...

is one test, `counts`, with the cases `counts/width=8` and `counts/width=16`, which is what cocotb 2.0 calls them.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_MAX_CASES = 1000
_MAX_REPR = 10
"""cocotb 2.0, `_decorators._repr`: longer strings are numbered instead."""


@dataclass(frozen=True)
class CocotbTest:
    """One decorated function."""

    name: str
    """As cocotb calls it."""
    line: int
    """Of its name, from 1."""
    column: int
    """In UTF-8 bytes, from 0."""
    end_column: int
    cases: tuple[str, ...] = ()
    """What its parameters make of it; empty without parameters, or if only a run shows them."""


def cocotb_tests(text: str) -> tuple[CocotbTest, ...]:
    """The tests of a file, in its order; none if it is not valid Python."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    names = _Names(module.body)
    found: dict[str, CocotbTest] = {}
    for node in module.body:
        if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef) and (test := _test(node, names)) is not None:
            # The last function of a name is the one that the module has in the end.
            found.pop(node.name, None)
            found[node.name] = test
    return tuple(found.values())


def named_top(text: str) -> str | None:
    """The `hdl_toplevel` that a file gives cocotb's runner, if it is a literal."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in ast.walk(module):
        if isinstance(node, ast.keyword) and node.arg == "hdl_toplevel" and isinstance(node.value, ast.Constant):
            return node.value.value if isinstance(node.value.value, str) else None
    return None


class _Names:
    """What a file calls cocotb, and what it has imported from it."""

    def __init__(self, body: Iterable[ast.stmt]) -> None:
        self._modules: set[str] = set()
        self._imported: dict[str, str] = {}
        for node in body:
            if isinstance(node, ast.Import):
                self._modules |= {one.asname or one.name for one in node.names if one.name == "cocotb"}
            elif isinstance(node, ast.ImportFrom) and node.module == "cocotb":
                self._imported |= {one.asname or one.name: one.name for one in node.names}

    def of(self, decorator: ast.expr) -> str | None:
        """The name of a decorator in cocotb: `test`, `parametrize`."""
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(called, ast.Name):
            return self._imported.get(called.id)
        if (
            isinstance(called, ast.Attribute)
            and isinstance(called.value, ast.Name)
            and called.value.id in self._modules
        ):
            return called.attr
        return None


def _test(node: ast.AsyncFunctionDef | ast.FunctionDef, names: _Names) -> CocotbTest | None:
    decorators = {name: one for one in node.decorator_list if (name := names.of(one)) is not None}
    if not decorators.keys() & {"test", "parametrize"}:
        return None
    name = _given_name(decorators.get("test")) or node.name
    column = node.col_offset + len("async def " if isinstance(node, ast.AsyncFunctionDef) else "def ")
    parametrize = decorators.get("parametrize")
    cases = tuple(_cases(name, parametrize)) if isinstance(parametrize, ast.Call) else ()
    end = column + len(node.name.encode())
    return CocotbTest(name, node.lineno, column, end, cases)


def _given_name(decorator: ast.expr | None) -> str | None:
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
    values = (one.value for one in keywords if one.arg == "name")
    return next((one.value for one in values if isinstance(one, ast.Constant) and isinstance(one.value, str)), None)


def _cases(name: str, parametrize: ast.Call) -> Iterator[str]:
    """The names of cocotb 2.0, `Parameterized.generate_tests`; none if some value is not a literal."""
    options = []
    for argument in parametrize.args:
        if not isinstance(argument, ast.Tuple) or len(argument.elts) != 2:
            return
        options.append(_option(_literal(argument.elts[0]), _values(argument.elts[1])))
    options += [_option(keyword.arg, _values(keyword.value)) for keyword in parametrize.keywords]
    if any(option is None for option in options):
        return
    known = [option for option in options if option is not None]
    for chosen in itertools.islice(itertools.product(*known), _MAX_CASES):
        yield "".join((name, *chosen))


def _option(name: object, values: Sequence[object] | None) -> list[str] | None:
    """What each value of an option adds to the name."""
    if values is None:
        return None
    if isinstance(name, str):
        return [f"/{name}={text}" for text in _texts(values)]
    if not isinstance(name, list | tuple) or not all(isinstance(one, str) for one in name):
        return None
    rows = [tuple(row) for row in values if isinstance(row, list | tuple) and len(row) == len(name)]
    if len(rows) != len(values):
        return None
    columns = [_texts(column) for column in zip(*rows, strict=True)]
    return [
        "".join(f"/{one}={text}" for one, text in zip(name, row, strict=True)) for row in zip(*columns, strict=True)
    ]


def _texts(values: Sequence[object]) -> list[str]:
    texts = [_text(value) for value in values]
    known = [text for text in texts if text is not None]
    return known if len(known) == len(texts) else [str(number) for number in range(len(texts))]


def _text(value: object) -> str | None:
    if isinstance(value, str):
        return value if len(value) <= _MAX_REPR and value.isidentifier() else None
    return repr(value) if isinstance(value, int | float | type(None)) else None


def _values(node: ast.expr) -> Sequence[object] | None:
    is_range = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"
    if is_range and isinstance(node, ast.Call):
        bounds = [_literal(one) for one in node.args]
        if not 1 <= len(bounds) <= 3 or node.keywords or not all(isinstance(one, int) for one in bounds):
            return None
        try:
            return range(*(one for one in bounds if isinstance(one, int)))[:_MAX_CASES]
        except ValueError:
            return None
    value = _literal(node)
    return value if isinstance(value, list | tuple) else None


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
