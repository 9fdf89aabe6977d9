"""`@cocotb.test` with its old arguments, on generator functions too, which registers the test."""

import functools
import itertools
from importlib import import_module
from types import ModuleType
from typing import Any

import cocotb._decorators as genuine
import cocotb._test_functions
import cocotb.regression
from cocotb._dialect.coroutines import coroutine

_decorated: dict[str, list[Any]] = {}
"""Module → its tests, in the order in which they were decorated."""
_creation_numbers = itertools.count()


def restore_old_interface(package: ModuleType) -> None:
    """Change the decorator, the class of tests and how they are found."""
    _accept_old_test_arguments()
    _remember_decorated_tests(package)
    cocotb._test_functions.TestSuccess.__init__.__defaults__ = (None,)


def _remember_decorated_tests(package: ModuleType) -> None:
    """Count every decorated test, also one whose name something else in its module has taken since."""
    genuine_test = genuine.test

    def register(test: Any) -> Any:
        template = getattr(test, "test_template", test)
        known = _decorated.setdefault(template.module, [])
        if not any(one is test for one in known):
            known.append(test)
        return test

    @functools.wraps(genuine_test)
    def test(obj: Any = None, **options: Any) -> Any:
        if obj is not None:
            return register(genuine_test(obj, **options))
        decorate: Any = genuine_test(**options)
        return lambda obj: register(decorate(obj))

    genuine.test = package.test = test  # type: ignore[attr-defined, assignment]
    genuine_discover = cocotb.regression.RegressionManager.discover_tests

    def discover_tests(self: Any, *modules: str) -> None:
        for name in modules:
            _restore_shadowed_tests(import_module(name))
        genuine_discover(self, *modules)

    cocotb.regression.RegressionManager.discover_tests = discover_tests


def _restore_shadowed_tests(module: ModuleType) -> None:
    """Give back tests whose names were taken, and let all stand in the order in which they were made."""
    names = {id(value): name for name, value in vars(module).items()}
    lost = [test for test in _decorated.get(module.__name__, ()) if id(test) not in names]
    if not lost:
        return
    present = [value for value in vars(module).values() if isinstance(value, genuine.Test | genuine.Parameterized)]
    for number, test in enumerate(sorted([*present, *lost], key=_creation_number)):
        # A name that no Python text can have.
        name = names.get(id(test), f"<decorated {number}>")
        module.__dict__.pop(name, None)
        module.__dict__[name] = test


def _creation_number(test: Any) -> int:
    number: int = getattr(test, "test_template", test).creation_number
    return number


def _accept_old_test_arguments() -> None:
    genuine_init = genuine.Test.__init__

    def init(self: Any, *, func: Any, timeout_unit: Any = "step", expect_error: Any = (), **options: Any) -> None:
        if isinstance(expect_error, bool):
            expect_error = (BaseException,) if expect_error else ()
        genuine_init(
            self, func=coroutine(func), timeout_unit=timeout_unit or "step", expect_error=expect_error, **options
        )
        self.creation_number = next(_creation_numbers)
        # Tests were functions with a name, and one could call another.
        self.__name__, self.__qualname__ = self.func.__name__, self.func.__qualname__
        self.__doc__, self.__module__ = self.doc, self.module

    genuine.Test.__init__ = init
    genuine.Test.__call__ = lambda self, *args, **kwargs: self.func(*args, **kwargs)
