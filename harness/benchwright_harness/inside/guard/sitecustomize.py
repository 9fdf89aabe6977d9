"""Loaded by every Python inside a sandbox, before anything else: prepares what must be in place in time.

It changes nothing until the modules it waits for are imported, for most Pythons never need them.
Every simulation waits for this file, so it imports nothing that Python has not imported by itself.
"""

import os
import sys
from importlib import _bootstrap_external  # type: ignore[attr-defined]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

_NO_SUCH_PROGRAM = 127
# SIGPROF, SIGXCPU: see standstill.py and watch.c.
_STOOD_STILL = {-27: "", 128 + 27: "", -24: "zero time", 128 + 24: "zero time"}
_HERE = os.path.dirname(__file__)
_find_spec = _bootstrap_external.PathFinder.find_spec


def _seed_random_module(random_module: "ModuleType") -> None:
    # Harnesses draw parameters; the same design must meet the same ones again.
    random_module.seed(int(os.environ.get("RANDOM_SEED", "0") or 0))


def _make_subprocess_report_ended_programs(subprocess_module: "Any") -> None:
    ended, execute = subprocess_module.Popen._handle_exitstatus, subprocess_module.Popen._execute_child

    def handle(self: "Any", *arguments: object, **named: object) -> object:
        import supervision

        result = ended(self, *arguments, **named)
        supervision.await_supervisor()
        if self.returncode in _STOOD_STILL:
            supervision.report_harness_fault(supervision.STANDSTILL, _STOOD_STILL[self.returncode])
        if self.returncode == _NO_SUCH_PROGRAM and isinstance(self.args, str):
            import harness_faults

            harness_faults.report_missing_programs(self.args)
        return result

    def start(self: object, *arguments: object, **named: object) -> object:
        try:
            return execute(self, *arguments, **named)
        except FileNotFoundError as error:
            import harness_faults

            harness_faults.report_missing_programs(str(error.filename))
            raise

    subprocess_module.Popen._handle_exitstatus, subprocess_module.Popen._execute_child = handle, start


def _start_reporting_uncaught_faults() -> None:
    show = sys.excepthook

    def tell_and_show(kind: "type[BaseException]", error: BaseException, trace: "Any") -> None:
        import harness_faults

        harness_faults.report_loading_fault(error)
        show(kind, error, trace)

    sys.excepthook = tell_and_show


def _guard_simulation(regression_module: "Any") -> None:
    import harness_faults
    import light_pytest
    import simulation

    simulation.guard_regression(regression_module.RegressionManager)
    harness_faults.report_unloadable_tests(regression_module.RegressionManager)
    regression_module.RegressionManager.setup_pytest_assertion_rewriting = classmethod(light_pytest.rewrite_assertions)


class _ActionLoader:
    """A loader that runs an action when it has loaded a module."""

    def __init__(self, loader: "Any", action: "Callable[[Any], None]") -> None:
        self._loader = loader
        self._action = action

    def create_module(self, spec: "ModuleSpec") -> "ModuleType | None":
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: "Any") -> None:
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._action(module)


class _ActionFinder:
    """A finder that only looks out for some modules."""

    def __init__(self, actions: "dict[str, Callable[[Any], None]]") -> None:
        self._actions = actions

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        if name not in self._actions:
            return None
        spec: ModuleSpec | None = _find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _ActionLoader(spec.loader, self._actions.pop(name))  # type: ignore[assignment]
        return spec


def _is_part_of_simulator() -> bool:
    """True if this Python is a part of a simulator."""
    program = os.path.basename(os.readlink("/proc/self/exe"))
    return "COCOTB_TEST_MODULES" in os.environ and not program.startswith("python")


def _install_guards() -> None:
    actions = {
        "random": _seed_random_module,
        "subprocess": _make_subprocess_report_ended_programs,
        "cocotb.regression": _guard_simulation,
    }
    for name in [name for name in actions if name in sys.modules]:
        actions.pop(name)(sys.modules[name])
    sys.meta_path.insert(0, _ActionFinder(actions))  # type: ignore[arg-type]
    if _is_part_of_simulator():
        import light_pytest

        sys.modules["pytest"] = light_pytest.LightPytest("pytest")
    else:
        _start_reporting_uncaught_faults()


def _run_next_sitecustomize() -> None:
    """Run the file that this one stands before on the path: it has its turn too."""
    spec = _find_spec("sitecustomize", [entry for entry in sys.path if entry not in (_HERE, "")])
    if spec is not None and spec.loader is not None and not _is_writable_by_design(spec.origin or ""):
        spec.loader.exec_module(sys.modules[__name__].__class__("sitecustomize"))


def _is_writable_by_design(path: str) -> bool:
    return os.path.realpath(path).startswith(("/code/", "/tmp/", "/rundir/", "/dev/"))  # noqa: S108 - the sandbox's


if "BENCHWRIGHT_SUPERVISOR" in os.environ:
    _install_guards()
_run_next_sitecustomize()
