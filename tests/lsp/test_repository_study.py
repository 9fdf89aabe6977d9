"""A participant of a study mends a repository: what the log, the replay and the report have of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright_attempts.events.events import TextCause, TextSet
from benchwright_foundation.home import Home
from benchwright_problems.problem import Problem
from benchwright_problems.repository.changes import CHANGES, changed_content_by_path
from benchwright_problems.storage.pack_folder import read_built_in, read_pack_folder
from benchwright_problems.storage.store import Store

from ..support.repository_pack import write_repository_pack
from ..support.studies.study import ask, begin, benchwright, task_at_work
from .conftest import Editors
from .session import Desk

OWN_BRANCH = "own-branch-5d1c"

pytestmark = pytest.mark.asyncio(loop_scope="module")

STUDY = """
study: repository
title: A study with a repository
problems: [{problem}]
conditions:
  - {{name: alone, solver: human}}
participants: [ada]
randomisation: {{seed: 4, order: latin-square}}
consent: {{version: "2", text: "You agree that everything you type here is recorded."}}
"""


async def mend(editors: Editors, home: Path, name: str, problem: Problem) -> tuple[Desk, str]:
    """Take part with the reference's only file, and return its path."""
    tree = problem.public.tree
    assert tree is not None
    ((path, right_content),) = changed_content_by_path(tree, problem.hidden.reference[CHANGES]).items()
    assert right_content is not None
    await begin(home, STUDY.format(problem=name))
    editor = await editors()
    desk, _ = await task_at_work(editor, "repository")
    opened_files = {file.relative_to(desk.folder).as_posix() for file in desk.folder.rglob("*") if file.is_file()}
    assert opened_files == {*tree.read_all(), "PROBLEM.md", ".benchwright.json"}
    # A repository of the participant's own, which shows what was changed.
    (desk.folder / ".git").mkdir()
    (desk.folder / ".git" / "HEAD").write_text(f"ref: refs/heads/{OWN_BRANCH}\n")
    file = desk.open(path)
    file.paste(right_content.decode())
    file.save()
    verdict = await desk.verdict(1)
    assert verdict.outcome == "passed", verdict
    submitted = await ask(editor, "submit", uri=desk.uri)
    assert (submitted.status.state, submitted.status.verdict.outcome) == ("submitted", "passed")
    await ask(editor, "selfEstimate", uri=desk.uri, minutes=3, difficulty=1, externalHelp=False)
    diff = desk.replayed_content(CHANGES)
    assert desk.replayed_content(path) == right_content
    assert diff is not None
    assert changed_content_by_path(tree, diff.decode()) == {path: right_content}
    assert (await ask(editor, "replay", attempt=desk.attempt)).paths == sorted(["PROBLEM.md", CHANGES, path])
    return desk, path


async def test_a_participant_mends_a_repository_and_nobody_else_has_written_its_files(
    editors: Editors, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(home))
    pack = read_pack_folder(write_repository_pack(home.parent / "pack"))
    Store(Home.from_environment()).add(pack)
    desk, _ = await mend(editors, home, "core/sum", pack.problems[0])
    causes = [event.cause for event in desk.events() if isinstance(event, TextSet)]
    assert causes == [TextCause.RESYNC] * 2
    assert OWN_BRANCH not in str(desk.events())


@pytest.mark.nightly
async def test_an_attempt_at_the_built_in_core_counts_and_its_records_have_the_difference_alone(
    editors: Editors, home: Path
) -> None:
    problem = read_built_in("small-core").problems[0]
    desk, path = await mend(editors, home, f"small-core/{problem.id}", problem)
    folder = home.parent
    for command in (
        ("attempts", "replay", desk.attempt, "--to", str(folder / "replay")),
        ("attempts", "trace", desk.attempt, "--out", str(folder / "trace" / "page.html")),
        ("report", "--attempts", desk.attempt, "--out", str(folder / "report")),
    ):
        (folder / "trace").mkdir(exist_ok=True)
        finished = await benchwright(home, *command)
        assert finished.returncode == 0, finished
    assert finished.stdout.startswith("1 of 1 attempts count."), finished
    actors = json.loads((folder / "report" / "report.json").read_text())["sections"]["actors"]
    assert [row[0] for row in actors["tables"][-1]["rows"]] == ["person"]
    records = {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for name in ("replay", "trace", "report")
        for file in (folder / name).rglob("*")
        if file.is_file()
    }
    assert {file for file in records if file.startswith("replay/")} == {
        f"replay/{name}" for name in ("PROBLEM.md", CHANGES, path)
    }
    assert not [file for file, content in records.items() if OWN_BRANCH.encode() in content]
