"""Tests marked `nightly` run only when asked for; tests that scale read `nightly` for their load."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from .support.machine import costs
from .support.machine.docker_engine import EngineMissingError, docker_engine
from .support.machine.preloaded import PreloadedProgram
from .support.service.postgres import PostgresError, cluster

if TYPE_CHECKING:
    from benchwright_harness.sandbox.docker import DockerSandbox


_SAMPLED_EACH = 10
_LEFT_OUT = pytest.StashKey[int]()
"""The number of tests that only a nightly run has."""
_PRELOADED = pytest.StashKey[PreloadedProgram]()
_STARTS_OFTEN = {"integration", "lsp"}
"""Folders whose tests start `benchwright` thousands of times, and are not about its start."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--nightly", action="store_true", help="also run the tests that take long")
    parser.addoption("--update", action="store_true", help="write the golden files instead of comparing with them")


def pytest_configure(config: pytest.Config) -> None:
    # A shell ignores these for what runs in the background, and programs inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    # What tests sign in with does not belong in the key store of whoever runs them.
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    config.addinivalue_line("markers", "nightly: takes long; run with --nightly")
    config.addinivalue_line("markers", "sampled: of its parameters the first and every tenth run, all with --nightly")
    config.addinivalue_line("markers", "long: its file takes long; begun last, it would leave the other processes idle")
    config.addinivalue_line("markers", "alone: measures time, or takes a whole cluster")
    folder = os.environ.get(costs.FOLDER)
    if folder and (hasattr(config, "workerinput") or not config.getoption("numprocesses", None)):
        config.pluginmanager.register(costs.Costs(Path(folder)))
    if sys.platform == "linux" and not config.getoption("--nightly") and not config.getoption("cov_source", None):
        config.stash[_PRELOADED] = PreloadedProgram()
        config.stash[_PRELOADED].install()
    # How long an example takes says more about the machine than about what is tested.
    settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("any machine")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    begin_first = {item.path for item in items if item.get_closest_marker("long")}
    items.sort(key=lambda test_item: test_item.path not in begin_first)
    if config.getoption("--nightly"):
        return
    nightly_items = _nightly_items(items)
    config.hook.pytest_deselected(items=nightly_items)
    long_items = set(nightly_items)
    items[:] = [test_item for test_item in items if test_item not in long_items]
    _count_left_out(config, len(nightly_items))


def _nightly_items(items: list[pytest.Item]) -> list[pytest.Item]:
    test_numbers: Counter[tuple[Path, str]] = Counter()
    nightly_items = []
    for collected_item in items:
        is_nightly = collected_item.get_closest_marker("nightly") is not None
        if not is_nightly and collected_item.get_closest_marker("sampled"):
            test_key = collected_item.path, collected_item.nodeid.partition("[")[0]
            is_nightly = test_numbers[test_key] % _SAMPLED_EACH != 0
            test_numbers[test_key] += 1
        if is_nightly:
            nightly_items.append(collected_item)
    return nightly_items


def _count_left_out(config: pytest.Config, number: int) -> None:
    config.stash[_LEFT_OUT] = number
    if hasattr(config, "workeroutput"):
        config.workeroutput["left_out"] = number


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Takes the number from a process of the pool: each of them collects all tests."""
    with contextlib.suppress(AttributeError, KeyError):  # It crashed.
        node.config.stash[_LEFT_OUT] = node.workeroutput["left_out"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Says how many tests did not run because they take long."""
    if number := config.stash.get(_LEFT_OUT, 0):
        terminalreporter.write_line(f"{number} tests take long and were left out: --nightly runs them")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Decides whether what the test starts has loaded its packages; where time is measured, it has not."""
    if program := item.config.stash.get(_PRELOADED, None):
        program.is_used = not _STARTS_OFTEN.isdisjoint(item.path.parts) and not item.get_closest_marker("alone")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Names a failure at once: the whole run may take much longer."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        print(f"\nFAILED {report.nodeid} ({report.when}): {report.longreprtext.splitlines()[-1:]}", flush=True)


@pytest.fixture(scope="session")
def nightly(request: pytest.FixtureRequest) -> bool:
    """True if the whole load is wanted; a tenth of it otherwise."""
    return bool(request.config.getoption("--nightly"))


@pytest.fixture(scope="session")
def docker_host() -> Iterator[str]:
    """The address of an engine that is there for these tests alone."""
    with contextlib.ExitStack() as running:
        try:
            address = running.enter_context(docker_engine())
        except EngineMissingError as error:
            pytest.skip(str(error))
        yield address


@pytest.fixture(scope="session")
def docker(docker_host: str) -> DockerSandbox:
    """The sandbox over that engine."""
    from benchwright_harness.sandbox.docker import DockerSandbox

    return DockerSandbox({"DOCKER_HOST": docker_host})


@pytest.fixture(scope="session")
def postgres() -> Iterator[Path]:
    """The socket's folder of a PostgreSQL that is there for these tests alone."""
    with contextlib.ExitStack() as running:
        try:
            folder = running.enter_context(cluster())
        except PostgresError as error:
            pytest.skip(str(error))
        yield folder
