"""cocotb 2.0.1's runner, which also takes what the runners of 1.8, 1.9 and the snapshot took."""

import functools
import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import cocotb_tools

__file__ = str(Path(cocotb_tools.__file__).with_name("runner.py"))
exec(SourceFileLoader(__name__, __file__).get_code(__name__), globals())  # type: ignore[arg-type]  # noqa: S102

Simulator = Runner  # type: ignore[name-defined]  # noqa: F821
_genuine_file_type = _determine_file_type  # type: ignore[has-type, name-defined]  # noqa: F821


def check_results_file(results_xml_file: Path) -> None:
    """Leave with an error when tests failed or the simulation broke off."""
    try:
        tests, failed = get_results(results_xml_file)  # type: ignore[name-defined]  # noqa: F821
    except RuntimeError as error:
        raise SystemExit(str(error)) from None
    if failed:
        raise SystemExit(f"ERROR: Failed {failed} of {tests} tests.")


def get_abs_paths(paths: Sequence[Any]) -> list[Path]:
    """Absolute forms of paths."""
    return [get_abs_path(path) for path in paths]  # type: ignore[name-defined]  # noqa: F821


def _accepting_none_and_truth_values(genuine_method: Callable[..., Any]) -> Callable[..., Any]:
    """Let `None` mean an argument's default, and flags be any truth value."""
    signature = inspect.signature(genuine_method)
    defaults = {name: item.default for name, item in signature.parameters.items()}

    @functools.wraps(genuine_method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        given = signature.bind(self, *args, **kwargs)
        for name, value in given.arguments.items():
            if value is None:
                given.arguments[name] = defaults[name]
            elif name in ("waves", "gui", "always", "clean", "verbose"):
                given.arguments[name] = bool(value)
            elif name == "parameters":
                given.arguments[name] = {key: item for key, item in value.items() if item is not None}
            elif name == "extra_env":
                given.arguments[name] = {key: str(item) for key, item in value.items()}
            elif name == "pre_cmd" and not value:
                given.arguments[name] = None
        results = given.arguments.get("results_xml")
        if results is not None and "PYTEST_CURRENT_TEST" in os.environ:
            folder = given.arguments.get("test_dir") or given.arguments.get("build_dir") or self.build_dir
            given.arguments["results_xml"] = str(Path(folder).absolute() / results)
        with _variables_as_numbers("WAVES", "GUI"):
            return genuine_method(*given.args, **given.kwargs)

    return call


@contextmanager
def _variables_as_numbers(*variable_names: str) -> Iterator[None]:
    """The runner reads these variables as numbers; some harnesses set them to words."""
    before = {name: os.environ[name] for name in variable_names if name in os.environ}
    for name, value in before.items():
        if not value.strip().isdigit():
            os.environ[name] = "0" if value.strip().lower() in ("", "false", "none", "no") else "1"
    try:
        yield
    finally:
        os.environ.update(before)


def _define_options_unquoted(self: Any, defines: Mapping[str, object]) -> list[str]:
    """Texts go to the preprocessor as they are; 2.0 makes string literals of them."""
    return [f"-D{name}" if value is None else f"-D{name}={value}" for name, value in defines.items()]


def _file_type_or_verilog(filename: Any) -> Any:
    """Any file among the Verilog sources is one, whatever its name ends with."""
    try:
        return _genuine_file_type(filename)
    except ValueError:
        return Verilog  # type: ignore[name-defined]  # noqa: F821


def _set_verilog_sources(self: Any, sources: Sequence[Any]) -> None:
    global _determine_file_type
    _determine_file_type = _file_type_or_verilog
    try:
        _genuine_set_verilog_sources(self, sources)
    finally:
        _determine_file_type = _genuine_file_type


def _build_without_waves(self: Any) -> Any:
    """Older runners took `waves` for Xcelium's build too, where it changed nothing."""
    self.waves = False
    return _genuine_xcelium_build(self)


_genuine_xcelium_build = Xcelium._build_command  # type: ignore[name-defined]  # noqa: F821
Xcelium._build_command = _build_without_waves  # type: ignore[name-defined]  # noqa: F821
_genuine_set_verilog_sources = Simulator._set_verilog_sources
Simulator._set_verilog_sources = _set_verilog_sources
Simulator.build = _accepting_none_and_truth_values(Simulator.build)
Simulator.test = _accepting_none_and_truth_values(Simulator.test)
Icarus._get_define_options = _define_options_unquoted  # type: ignore[name-defined]  # noqa: F821
Verilator._get_define_options = _define_options_unquoted  # type: ignore[name-defined]  # noqa: F821
