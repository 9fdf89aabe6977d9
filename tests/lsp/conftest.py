from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from .clocks import Clocks, built_shim
from .cursor import Golden
from .session import Editor

Editors = Callable[..., Awaitable[Editor]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A `BENCHWRIGHT_HOME` of its own."""
    return tmp_path / "home"


@pytest_asyncio.fixture(loop_scope="module")
async def editors(home: Path) -> AsyncIterator[Editors]:
    """Starts editors that are gone after the test."""
    started: list[Editor] = []

    async def start(folder: Path = home, **options: Any) -> Editor:
        started.append(await Editor.start(folder, **options))
        return started[-1]

    yield start
    for editor in started:
        if editor.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                editor.process.kill()
            await editor.gone()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """One editor for all tests of a module that can do with it: starting a server is what takes longest here."""
    editor = await Editor.start(tmp_path_factory.mktemp("shared") / "home")
    yield editor
    await editor.quit()


@pytest_asyncio.fixture(loop_scope="module")
async def editor(editors: Editors) -> Editor:
    """One editor."""
    return await editors()


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that servers with clocks of their own are started with."""
    return built_shim(tmp_path_factory.mktemp("clocks"))


@pytest.fixture
def clocks(shim: Path, tmp_path: Path) -> Clocks:
    """Clocks for a server."""
    return Clocks(shim, tmp_path / "ahead")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """The golden files of the test's module."""
    folder = request.path.parent / "golden" / request.path.stem.removeprefix("test_")
    return Golden(folder, update=bool(request.config.getoption("--update")))
