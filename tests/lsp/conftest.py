from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from benchwright_exams.items import ExamItem, ExamItems
from benchwright_foundation.stage_file import StageFile
from benchwright_problems.problem import QuestionFormat

from .clocks import Clocks, built_shim
from .cursor import Golden
from .session import Editor

Editors = Callable[..., Awaitable[Editor]]

EXAM_FORM = """\
# What we said on Monday stays.
decision = "open"
findings = ["Is B right?"]
format = "multiple-choice"
answer = "B" # of the key
points = 2

[choices]
A = "Flash"
B = "SRAM"
"""
"""`review.toml` of a question that nobody has decided on."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A `BENCHWRIGHT_HOME` of its own."""
    return tmp_path / "home"


@pytest_asyncio.fixture(loop_scope="module")
async def editors(home: Path) -> AsyncIterator[Editors]:
    """Starts editors that are gone after the test."""
    started_editors: list[Editor] = []

    async def start(folder: Path = home, **options: Any) -> Editor:
        started_editors.append(await Editor.start(folder, **options))
        return started_editors[-1]

    yield start
    for editor in started_editors:
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


@pytest.fixture
def exam(tmp_path: Path) -> Path:
    """Two questions of an exam, as `benchwright questions from-exam` leaves them."""
    folder = tmp_path / "midterm"
    folder.mkdir()
    items = tuple(ExamItem(label=label, format=QuestionFormat.MULTIPLE_CHOICE) for label in ("1", "2"))
    StageFile(folder / "items.json", ExamItems).write_output(ExamItems(made_from="test", items=items))
    (folder / "exam.toml").write_text('title = "Midterm"\nlicense = "CC-BY-4.0"\nsource = "exam.pdf"\n')
    for label in ("1", "2"):
        question = folder / "items" / label
        (question / "solution").mkdir(parents=True)
        (question / "statement.md").write_text(f"# Question {label}\n\nWhich memory is volatile?\n")
        (question / "solution" / "solution.md").write_text("SRAM loses its data.\n")
        (question / "review.toml").write_text(EXAM_FORM)
        (question / "page-1.png").write_bytes(b"\x89PNG")
    return folder


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
