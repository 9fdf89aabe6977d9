"""cocotb's side of a simulation: tells each test's outcome where the design can't, then locks the door.

The tests are told to the supervisor before time 0, so one that never ends is missed. Right then
the process gives up its access to the harness's files: the design's system tasks run in it too.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import itertools
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import landlock
import standstill
import supervision

_MAX_MESSAGE = 4000
_MAX_KEPT = 64 << 20
_CHANGES = frozenset({"os.rename", "os.remove", "os.link", "os.symlink", "os.truncate", "sqlite3.connect"})
_COVERAGE = "+verilator+coverage+file+"
_WRITABLE = ("/code/rundir", "/tmp", "/rundir", "/dev")  # noqa: S108 - the sandbox's
_CLOSED = frozenset({"proc"})
# A program that a test starts, or a library in another language, opens files by itself.
_OPENS_ELSEWHERE = re.compile(r"\b(subprocess|ctypes|cffi|os\.(system|popen|exec\w*|spawn\w*))\b")
_STARTS_PYTHON = re.compile(r"\b(python3?\b|sys\.executable)|\.py\b")
_VERILOG = (".sv", ".v", ".svh", ".vh")
_SECRET = (".py", ".env")


def guard_regression(regression_manager: Any) -> None:
    """Put the guard into cocotb's `RegressionManager`."""
    execute = regression_manager._execute

    def first_execute(self: Any) -> Any:
        regression_manager._execute = execute
        _begin_session(self, regression_manager)
        return execute(self)

    regression_manager._execute = first_execute


def _begin_session(regression: Any, regression_manager: Any) -> None:
    session = supervision.Session()
    # In cocotb 2.1 the queue holds no others.
    included = itertools.compress(regression._test_queue, getattr(regression, "_included", itertools.repeat(True)))
    tests = [test.name for test in included if not test.skip]
    results = os.path.realpath(os.environ.get("COCOTB_RESULTS_FILE", "results.xml"))
    own = "\n".join(_paths_written_by_simulator())
    session.ask(tests=tests, results=results, own=own, closed=_close_harness_files_and_say_what_closed())
    _start_reporting_files_opened_for_writing(session)
    standstill.start_watching_for_standstill(regression, session.tell)

    def telling(record: Callable[..., Any], outcome: Callable[..., dict[str, object] | None]) -> Callable[..., Any]:
        def recorded(self: Any, *arguments: Any, **named: Any) -> Any:
            outcome_fields = outcome(**named)
            if outcome_fields is not None:
                session.tell(test=self._test.name, **_simulated_time(**named), **outcome_fields)
            return record(self, *arguments, **named)

        return recorded

    regression_manager._record_test_passed = telling(
        regression_manager._record_test_passed, lambda **_: {"passed": True}
    )
    regression_manager._record_test_failed = telling(
        regression_manager._record_test_failed,
        lambda result=None, msg=None, **_: {"passed": False, "message": _error_text(msg if result is None else result)},
    )
    regression_manager._record_test_init_failed = telling(
        regression_manager._record_test_init_failed,
        lambda **_: {"passed": False, "message": "Test initialization failed"},
    )
    if hasattr(regression_manager, "_record_test_xfail"):
        # Tests of cocotb 2.1 may also fail as expected, or be skipped while they run.
        regression_manager._record_test_xfail = telling(
            regression_manager._record_test_xfail, lambda **_: {"passed": True}
        )
        regression_manager._record_test_skipped = telling(
            regression_manager._record_test_skipped, lambda msg=None, **_: None if msg is None else {"skipped": True}
        )


def _simulated_time(
    sim_time_ns: object = None, sim_time_start: object = None, sim_time_stop: object = None, **_: object
) -> dict[str, float]:
    """The time that a test took, as either cocotb says it."""
    if isinstance(sim_time_start, int | float) and isinstance(sim_time_stop, int | float):
        return {"sim_time_ns": float(sim_time_stop - sim_time_start)}
    return {"sim_time_ns": float(sim_time_ns)} if isinstance(sim_time_ns, int | float) else {}


def _paths_written_by_simulator() -> Iterator[str]:
    """Files that the simulator itself writes."""
    for handle in (1, 2):
        yield os.path.realpath(f"/proc/self/fd/{handle}")
    import cocotb

    if cocotb.SIM_NAME.startswith("Verilator"):
        given = [word.removeprefix(_COVERAGE) for word in cocotb.argv if word.startswith(_COVERAGE)]
        yield from map(os.path.realpath, given or ["coverage.dat"])


def _start_reporting_files_opened_for_writing(session: supervision.Session) -> None:
    """Tell of the files that Python opens for writing: that is the harness, the design has no way to ask for it."""

    def heard(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            paths = [path] if flags & (os.O_WRONLY | os.O_RDWR) else []
        else:
            paths = list(arguments[:2]) if event in _CHANGES else []
        for path in paths:
            if isinstance(path, str | bytes | os.PathLike):
                with contextlib.suppress(OSError):
                    session.tell(wrote=os.path.realpath(os.fsdecode(path)))

    sys.addaudithook(heard)


def _error_text(error: object) -> str:
    try:
        return str(error)[:_MAX_MESSAGE]
    except Exception as failure:
        return type(failure).__name__


def _close_harness_files_and_say_what_closed() -> str:
    """Take the harness's files away from this process; says how far that went."""
    roots = [root for root in os.environ.get(supervision.HIDDEN, "").split(":") if root]
    tests = _loaded_harness_texts(roots)
    opens_elsewhere = any(map(_OPENS_ELSEWHERE.search, tests))
    if opens_elsewhere and any(map(_STARTS_PYTHON.search, tests)):
        roots = []
    kept = _content_by_path(roots)
    readable = [f"/{name}" for name in os.listdir("/") if name not in _CLOSED and f"/{name}" not in roots]
    named = "\n".join(content.decode("latin-1") for path, content in kept.items() if path.endswith(_VERILOG))
    for path in kept:
        if not path.endswith(_SECRET) and (opens_elsewhere or os.path.basename(path) in named):
            readable.append(path)
    if not landlock.restrict_to_files(
        readable=readable, writable=(*_WRITABLE, os.getcwd()), listable_folders=["/"], isolates_signals=True
    ):
        return "nothing"
    _serve_files_from_memory(kept)
    # The supervisor can't be reached any more, nor need it be.
    del os.environ[supervision.VARIABLE]
    return "harness" if roots else "system"


def _loaded_harness_texts(harness_folders: list[str]) -> list[str]:
    files = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
    hidden = [file for file in files if file.startswith(tuple(f"{root}/" for root in harness_folders))]
    return [Path(file).read_text(encoding="utf-8", errors="replace") for file in hidden]


def _content_by_path(harness_folders: list[str]) -> dict[str, bytes]:
    """Contents of files that tests may still want to read while they run."""
    kept: dict[str, bytes] = {}
    left = _MAX_KEPT
    for root in harness_folders:
        for folder, _, names in os.walk(root):
            for name in names:
                path = os.path.join(folder, name)
                left -= os.path.getsize(path)
                if left > 0:
                    kept[path] = Path(path).read_bytes()
    return kept


def _serve_files_from_memory(content_by_path: dict[str, bytes]) -> None:
    """Let Python read these files from memory: it is the harness's, the design has no way to ask for it."""

    def content(file: object) -> bytes | None:
        if not isinstance(file, str | bytes | os.PathLike):
            return None
        path = os.path.join(os.getcwd(), os.fsdecode(file))
        return content_by_path.get(os.path.normpath(path)) or content_by_path.get(os.path.realpath(path))

    really_open, really_open_code = io.open, io.open_code

    def open_(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        found = content(file) if set(mode) <= set("rbtU") else None
        if found is None:
            return really_open(file, mode, *arguments, **named)
        stream = io.BytesIO(found)
        if "b" in mode:
            return stream
        wanted = dict(zip(("buffering", "encoding", "errors", "newline"), arguments, strict=False)) | named
        return io.TextIOWrapper(stream, **{key: wanted.get(key) for key in ("encoding", "errors", "newline")})

    def open_code(path: str) -> Any:
        found = content(path)
        return really_open_code(path) if found is None else io.BytesIO(found)

    builtins.open = io.open = open_
    io.open_code = sys.modules["_io"].open_code = open_code
    if "tokenize" in sys.modules:
        sys.modules["tokenize"]._builtin_open = open_  # type: ignore[attr-defined]
