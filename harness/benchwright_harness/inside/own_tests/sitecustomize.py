"""Writes what became of each of the solver's own tests, with the place in their files, as cocotb tells it.

One JSON object a line goes to the file that `BENCHWRIGHT_OWN_RESULTS` names. It is the solver's own simulation: nothing
here is evidence.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_RESULTS, _FOLDER = "BENCHWRIGHT_OWN_RESULTS", "BENCHWRIGHT_OWN_FOLDER"
_DEBUGGER = "BENCHWRIGHT_DEBUG_SOCKET"
_MAX_TEXT = 8000
_MAX_PLACES = 20


class _RegressionFinder:
    """A finder that changes cocotb's regression once it is loaded."""

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "Any":
        if name != "cocotb.regression":
            return None
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        # The guard waits for this module too.
        specs = (finder.find_spec(name, path, target) for finder in list(sys.meta_path))
        spec: Any = next((one for one in specs if one is not None), None)
        if spec is not None:
            load = spec.loader.exec_module

            def exec_module(module: "ModuleType") -> None:
                load(module)
                _start_reporting_test_outcomes(module.RegressionManager)
                if _DEBUGGER in os.environ:
                    from benchwright_debugger import wait_for_debugger

                    wait_for_debugger(os.environ.pop(_DEBUGGER))

            spec.loader.exec_module = exec_module
        return spec


def _start_reporting_test_outcomes(regression_class: "Any") -> None:
    import json

    stream = open(os.environ[_RESULTS], "a", encoding="utf-8")  # noqa: PTH123, SIM115 - open to the end
    folder = os.path.realpath(os.environ[_FOLDER])

    def tell(regression: "Any", outcome: str, **more: "Any") -> None:
        stream.write(json.dumps({"test": regression._test.fullname, "outcome": outcome, **more}) + "\n")
        stream.flush()

    def telling(name: str, told: "Any") -> None:
        record = getattr(regression_class, name)

        def recorded(self: "Any", *arguments: "Any", **named: "Any") -> "Any":
            tell(self, **told(**named))
            return record(self, *arguments, **named)

        setattr(regression_class, name, recorded)

    def times(sim_time_ns: float = 0.0, wall_time_s: float = 0.0, **rest: "Any") -> "dict[str, Any]":
        return {"sim_time_ns": float(sim_time_ns), "wall_s": float(wall_time_s)}

    def failed(result: "Any" = None, msg: "Any" = None, **rest: "Any") -> "dict[str, Any]":
        error = sys.exc_info()[1] if result is None and msg is None else result
        parts = [msg or "", _error_text(error) if error is not None else ""]
        message = ": ".join(part for part in parts if part)
        return {
            "outcome": "failed",
            "message": message[:_MAX_TEXT],
            "places": _failure_places_in_folder(error, folder),
            **times(**rest),
        }

    telling("_record_test_passed", lambda **named: {"outcome": "passed", **times(**named)})
    telling("_record_test_skipped", lambda **named: {"outcome": "skipped"})
    telling("_record_test_failed", failed)
    telling("_record_test_init_failed", failed)


def _error_text(error: BaseException) -> str:
    kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
    try:
        return f"{kind}{error}"
    except Exception as failure:
        return f"{kind}{type(failure).__name__}"


def _failure_places_in_folder(error: "BaseException | None", solver_folder: str) -> "list[list[Any]]":
    """The frames in the solver's own files, the innermost last: path and line from 1."""
    found: list[list[Any]] = []
    frame = error.__traceback__ if error is not None else None
    while frame is not None:
        path = os.path.realpath(frame.tb_frame.f_code.co_filename)
        if path.startswith(solver_folder + os.sep):
            found.append([os.path.relpath(path, solver_folder), frame.tb_lineno])
        frame = frame.tb_next
    return found[-_MAX_PLACES:]


if _RESULTS in os.environ and "COCOTB_TEST_MODULES" in os.environ:
    sys.meta_path.insert(0, _RegressionFinder())  # type: ignore[arg-type]
