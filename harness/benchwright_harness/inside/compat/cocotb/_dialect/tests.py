"""`@cocotb.test` with its old arguments, on generator functions too, which registers the test."""

import functools
from importlib import import_module
from types import ModuleType
from typing import Any

import cocotb._decorators as genuine
import cocotb._test_functions
import cocotb.regression
from cocotb._dialect.coroutines import coroutine

_decorated: dict[str, list[Any]] = {}
"""Module → its tests, in the order in which they were decorated."""


def put_back(package: ModuleType) -> None:
    """Change the decorator, the class of tests and how they are found."""
    _arguments()
    _registration(package)
    cocotb._test_functions.TestSuccess.__init__.__defaults__ = (None,)


def _registration(package: ModuleType) -> None:
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
            module = import_module(name)
            for number, lost in enumerate(_lost(module)):
                # A name that no Python text can have.
                module.__dict__[f"<decorated {number}>"] = lost
        genuine_discover(self, *modules)

    cocotb.regression.RegressionManager.discover_tests = discover_tests


def _lost(module: ModuleType) -> list[Any]:
    there = {id(value) for value in vars(module).values()}
    return [test for test in _decorated.get(module.__name__, ()) if id(test) not in there]


def _arguments() -> None:
    genuine_init = genuine.Test.__init__

    def init(self: Any, *, func: Any, timeout_unit: Any = "step", expect_error: Any = (), **options: Any) -> None:
        if isinstance(expect_error, bool):
            expect_error = (BaseException,) if expect_error else ()
        genuine_init(
            self, func=coroutine(func), timeout_unit=timeout_unit or "step", expect_error=expect_error, **options
        )
        # Tests were functions with a name, and one could call another.
        self.__name__, self.__qualname__ = self.func.__name__, self.func.__qualname__
        self.__doc__, self.__module__ = self.doc, self.module

    genuine.Test.__init__ = init
    genuine.Test.__call__ = lambda self, *args, **kwargs: self.func(*args, **kwargs)
