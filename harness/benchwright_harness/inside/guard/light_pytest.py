"""The part of pytest that a simulation needs: importing all of it takes longer than most simulations.

cocotb imports pytest for the types of its exceptions, and for rewriting the asserts of the tests. Whatever else
is asked of the module brings the whole.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

_ASKS_FOR_THE_TYPE = "cocotb._test_functions"
_ASK_FOR_OUTCOMES = frozenset({"cocotb._decorators", "cocotb.regression"})
"""Modules of cocotb 2.1."""


class LightPytest(ModuleType):
    """Stands for pytest until something is asked of it that only the whole has."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        asking_module = sys._getframe(1).f_globals.get("__name__")
        if name == "raises" and asking_module == _ASKS_FOR_THE_TYPE:
            return _RaisesNothing
        if asking_module in _ASK_FOR_OUTCOMES and importlib.util.find_spec("_pytest.raises") is None:
            # The exceptions of pytest before 8.4, which can't be expected by their content.
            from _pytest import outcomes

            return getattr(outcomes, {"raises": "fail"}.get(name, name))
        del sys.modules["pytest"]
        try:
            whole = importlib.import_module("pytest")
        finally:
            sys.modules["pytest"] = self
        self.__dict__.update(whole.__dict__)
        return getattr(whole, name)


class _RaisesNothing:
    """Behaviour of `pytest.raises` where nothing is raised."""

    def __init__(self, expected: type[BaseException]) -> None:
        self._expected = expected

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        from _pytest.outcomes import fail

        fail(f"DID NOT RAISE {self._expected!r}")


def rewrite_assertions(regression_manager: Any) -> None:
    """Do as cocotb's `setup_pytest_assertion_rewriting`, with as much of a configuration as rewriting looks at."""
    patterns = shlex.split(os.environ.get("COCOTB_REWRITE_ASSERTION_FILES", "*.py"))
    if not patterns:
        return
    from _pytest.assertion import rewrite

    settings = {"python_files": patterns, "enable_assertion_pass_hook": False}
    stash: dict[Any, Any] = {}
    hook = rewrite.AssertionRewritingHook(SimpleNamespace(getini=settings.__getitem__, stash=stash))  # type: ignore[arg-type]
    stash[rewrite.assertstate_key] = SimpleNamespace(mode="rewrite", trace=lambda *_: None, hook=hook)
    sys.meta_path.insert(0, hook)
