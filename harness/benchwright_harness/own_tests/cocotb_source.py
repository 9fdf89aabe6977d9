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
    """Cases that its parameters make of it; empty without parameters, or if only a run shows them."""


def cocotb_tests(python_text: str) -> tuple[CocotbTest, ...]:
    """The tests of a file, in its order; none if it is not valid Python."""
    test_by_name: dict[str, CocotbTest] = {}
    for function_name, test in _function_names_and_tests(python_text):
        # The last function of a name is the one that the module has in the end.
        test_by_name.pop(function_name, None)
        test_by_name[function_name] = test
    return tuple(test_by_name.values())


def repeatedly_named_tests(python_text: str) -> tuple[CocotbTest, ...]:
    """The tests of a file, also pytest's, whose name one before them has."""
    names: set[str] = set()
    repeated = []
    for function_name, test in _function_names_and_tests(python_text, with_plain_functions=True):
        if names & {function_name, test.name}:
            repeated.append(test)
        names |= {function_name, test.name}
    return tuple(repeated)


def _function_names_and_tests(
    python_text: str, *, with_plain_functions: bool = False
) -> Iterator[tuple[str, CocotbTest]]:
    """The name of each test's function, and the test; of plain functions those that pytest takes for tests."""
    try:
        module = ast.parse(python_text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    cocotb_names = _CocotbNames(module.body)
    for node in module.body:
        if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef):
            test = _cocotb_test_if_decorated(node, cocotb_names)
            if test is None and with_plain_functions and node.name.startswith("test"):
                test = _test_of_function(node, node.name)
            if test is not None:
                yield node.name, test


def toplevel_literal(python_text: str) -> str | None:
    """The `hdl_toplevel` that a file gives cocotb's runner, if it is a literal."""
    try:
        module = ast.parse(python_text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in ast.walk(module):
        if isinstance(node, ast.keyword) and node.arg == "hdl_toplevel" and isinstance(node.value, ast.Constant):
            return node.value.value if isinstance(node.value.value, str) else None
    return None


class _CocotbNames:
    """Names that a file has for cocotb, and those that it has imported from it."""

    def __init__(self, statements: Iterable[ast.stmt]) -> None:
        self._modules: set[str] = set()
        self._imported: dict[str, str] = {}
        for node in statements:
            if isinstance(node, ast.Import):
                self._modules |= {alias.asname or alias.name for alias in node.names if alias.name == "cocotb"}
            elif isinstance(node, ast.ImportFrom) and node.module == "cocotb":
                self._imported |= {alias.asname or alias.name: alias.name for alias in node.names}

    def cocotb_name_if_any(self, decorator: ast.expr) -> str | None:
        """The name of a decorator in cocotb: `test`, `parametrize`."""
        callee = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(callee, ast.Name):
            return self._imported.get(callee.id)
        if (
            isinstance(callee, ast.Attribute)
            and isinstance(callee.value, ast.Name)
            and callee.value.id in self._modules
        ):
            return callee.attr
        return None


def _cocotb_test_if_decorated(
    function_node: ast.AsyncFunctionDef | ast.FunctionDef, cocotb_names: _CocotbNames
) -> CocotbTest | None:
    decorators = {
        name: decorator
        for decorator in function_node.decorator_list
        if (name := cocotb_names.cocotb_name_if_any(decorator)) is not None
    }
    if not decorators.keys() & {"test", "parametrize"}:
        return None
    name = _literal_test_name(decorators.get("test")) or function_node.name
    parametrize = decorators.get("parametrize")
    cases = tuple(_case_names(name, parametrize)) if isinstance(parametrize, ast.Call) else ()
    return _test_of_function(function_node, name, cases)


def _test_of_function(
    function_node: ast.AsyncFunctionDef | ast.FunctionDef, test_name: str, case_names: tuple[str, ...] = ()
) -> CocotbTest:
    column = function_node.col_offset + len("async def " if isinstance(function_node, ast.AsyncFunctionDef) else "def ")
    return CocotbTest(test_name, function_node.lineno, column, column + len(function_node.name.encode()), case_names)


def _literal_test_name(decorator: ast.expr | None) -> str | None:
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
    name_expressions = (keyword.value for keyword in keywords if keyword.arg == "name")
    return next(
        (
            expression.value
            for expression in name_expressions
            if isinstance(expression, ast.Constant) and isinstance(expression.value, str)
        ),
        None,
    )


def _case_names(test_name: str, parametrize: ast.Call) -> Iterator[str]:
    """The names of cocotb 2.0, `Parameterized.generate_tests`; none if some value is not a literal."""
    options = []
    for argument in parametrize.args:
        if not isinstance(argument, ast.Tuple) or len(argument.elts) != 2:
            return
        options.append(_option_texts(_literal_or_none(argument.elts[0]), _literal_values(argument.elts[1])))
    options += [_option_texts(keyword.arg, _literal_values(keyword.value)) for keyword in parametrize.keywords]
    if any(option is None for option in options):
        return
    known_options = [option for option in options if option is not None]
    for parameter_texts in itertools.islice(itertools.product(*known_options), _MAX_CASES):
        yield "".join((test_name, *parameter_texts))


def _option_texts(parameter_names: object, values: Sequence[object] | None) -> list[str] | None:
    """Text that each value of an option adds to the name."""
    if values is None:
        return None
    if isinstance(parameter_names, str):
        return [f"/{parameter_names}={text}" for text in _value_texts(values)]
    if not isinstance(parameter_names, list | tuple) or not all(isinstance(part, str) for part in parameter_names):
        return None
    rows = [tuple(row) for row in values if isinstance(row, list | tuple) and len(row) == len(parameter_names)]
    if len(rows) != len(values):
        return None
    text_columns = [_value_texts(column) for column in zip(*rows, strict=True)]
    return [
        "".join(f"/{option_name}={text}" for option_name, text in zip(parameter_names, row, strict=True))
        for row in zip(*text_columns, strict=True)
    ]


def _value_texts(values: Sequence[object]) -> list[str]:
    texts = [_text_in_test_name(value) for value in values]
    known_texts = [text for text in texts if text is not None]
    return known_texts if len(known_texts) == len(texts) else [str(number) for number in range(len(texts))]


def _text_in_test_name(option_value: object) -> str | None:
    if isinstance(option_value, str):
        return option_value if len(option_value) <= _MAX_REPR and option_value.isidentifier() else None
    return repr(option_value) if isinstance(option_value, int | float | type(None)) else None


def _literal_values(expression: ast.expr) -> Sequence[object] | None:
    is_range = (
        isinstance(expression, ast.Call) and isinstance(expression.func, ast.Name) and expression.func.id == "range"
    )
    if is_range and isinstance(expression, ast.Call):
        bounds = [_literal_or_none(argument) for argument in expression.args]
        if not 1 <= len(bounds) <= 3 or expression.keywords or not all(isinstance(bound, int) for bound in bounds):
            return None
        try:
            return range(*(bound for bound in bounds if isinstance(bound, int)))[:_MAX_CASES]
        except ValueError:
            return None
    value = _literal_or_none(expression)
    return value if isinstance(value, list | tuple) else None


def _literal_or_none(expression: ast.expr) -> object:
    try:
        return ast.literal_eval(expression)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
