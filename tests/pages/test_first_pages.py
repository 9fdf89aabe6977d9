"""The README, the tutorial, other editors and toolchains."""

from __future__ import annotations

import asyncio
import json

import pytest

from benchwright_foundation.workspaces_folder import DEFAULT_FOLDER_NAME

from ..lsp.session import Editor, reference, starter
from .walk import Reader, Walk


def _clone(page_reader: Reader) -> None:
    """A checkout's folder, in which `.venv/bin/benchwright` is a program."""
    solution = starter("sync-fifo").hidden.reference
    for path, text in solution.items():
        page_reader.write(f"my-solution/{path}", text)
    page_reader.words[".venv/bin/benchwright"] = "benchwright"


def _solve(page_reader: Reader) -> None:
    """Steps 2 to 7, as an editor does them."""

    async def solve() -> None:
        async with asyncio.timeout(300):
            editor = await Editor.start(page_reader.folder / "home")
            desk = await editor.open_problem("starter/saturating-counter")
            await desk.start()
            desk.open(text=reference("saturating-counter")).save()
            assert (await desk.verdict(1)).outcome == "passed"
            await desk.submit()
            await editor.quit()

    asyncio.run(solve())
    page_reader.environment["BENCHWRIGHT_HOME"] = str(page_reader.folder / "home")
    page_reader.words[".venv/bin/benchwright"] = "benchwright"
    (attempt,) = json.loads(page_reader.run("benchwright attempts list --json"))
    page_reader.words["2fe81c58"] = attempt["id"][:8]


def _work(page_reader: Reader) -> None:
    for path, text in starter("sync-fifo").hidden.reference.items():
        page_reader.write(f"{DEFAULT_FOLDER_NAME}/starter/sync-fifo/{path}", text)
    page_reader.write("answer.md", "The answer is (C).\n")


def _one_toolchain(page_reader: Reader) -> None:
    listed = json.loads(page_reader.run("benchwright toolchain list --json"))
    (name,) = [toolchain["name"] for toolchain in listed if toolchain["in_use"]]
    page_reader.words |= {
        # The set-up has built it; once more takes two minutes.
        "toolchain build": "toolchain list",
        " [NAME]": "",
        "use NAME": f"use {name}",
        "toolchain prune": "toolchain prune --dry-run",
        "benchwright toolchain image": "benchwright toolchain image --help",
    }


WALKS = {
    "README.md": Walk(_clone, not_run={"./test     #": "tests/install and hosted CI do"}),
    "docs/tutorial/first-problem.md": Walk(_solve),
    "docs/how-to/other-editors.md": Walk(steps_before={"answer.md": _work}),
    "docs/how-to/understand-a-failure.md": Walk(),
    "docs/how-to/any-machine.md": Walk(),
    "docs/how-to/write-problems.md": Walk(),
    "docs/how-to/repository-problems.md": Walk(
        not_run={
            "benchwright open": "tests/lsp/test_repository_workspace.py opens such a problem",
            "benchwright eval": "tests/integration/test_repository_subjects.py asks a model and agents",
            "problems import": "tests/unit/problems/test_repository_datasets.py imports both forms",
        }
    ),
    "docs/how-to/harbor.md": Walk(
        not_run={
            "harbor run": "tests/integration/test_harbor_tasks.py lets Harbor do it",
            "--sandbox docker": "tests/integration/test_harbor_tasks.py has the images",
        }
    ),
    "docs/how-to/toolchains.md": Walk(
        _one_toolchain, not_run={"sudo apt-get": "installs packages on an Ubuntu machine, and asks a mirror"}
    ),
}


@pytest.mark.parametrize("page", WALKS)
def test_page(page: str, reader: Reader) -> None:
    WALKS[page].go(page, reader)
