"""Hints over LSP: taken one after the other, recorded before they are shown, absent and refused where forbidden."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright_problems.aids import Aid
from benchwright_problems.storage.pack_folder import read_built_in

from ..support.service.bench_service import Service, running_service
from ..support.studies.assignments import sign_in
from ..support.studies.study import STUDY, begin, task_at_work
from .conftest import Editors
from .session import Desk, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXTS = next(
    problem for problem in read_built_in("starter").problems if problem.id == "saturating-counter"
).hidden.hints
QUESTION = next(problem for problem in read_built_in("starter").problems if problem.id == "cache-tag-bits").hidden.hints


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(Service(tmp_path_factory.mktemp("service"))) as started:
        yield started


async def hints(desk: Desk) -> Any:
    return await desk.editor.ask("hints", uri=desk.uri)


async def take(desk: Desk, **params: Any) -> Any:
    return await desk.editor.ask("hint", uri=desk.uri, **params)


async def test_hints_come_in_order_and_each_is_in_the_log(editor: Editor) -> None:
    desk = await editor.open_problem("starter/cache-tag-bits")
    assert "Press Start" in (await editor.refusal("hint", uri=desk.uri))[1]
    assert "hints" in (await desk.start()).aids
    hints_before = await hints(desk)
    assert (hints_before["of"], hints_before["taken"], hints_before["next"]["price"]) == (2, [], "nothing")
    first = await take(desk)
    assert [hint["text"] for hint in first["taken"]] == [QUESTION[0]]
    assert (first["next"]["number"], first["next"]["price"]) == (2, "30 % of the points")
    # Asked for twice with the same number, a hint is taken once.
    assert len((await take(desk, number=1))["taken"]) == 1
    assert "Hint 2 comes next" in (await editor.refusal("hint", uri=desk.uri, number=3))[1]
    all_hints = await take(desk, number=2)
    assert [hint["text"] for hint in all_hints["taken"]] == list(QUESTION)
    assert all_hints["next"] is None
    assert "no more hints" in (await editor.refusal("hint", uri=desk.uri))[1]
    assert [
        (aid_use.aid, aid_use.feature, aid_use.detail, aid_use.cost) for aid_use in desk.events_of_kind("aid_used")
    ] == [
        ("hints", "hint", "1", 0.0),
        ("hints", "hint", "2", 0.3),
    ]
    assert desk.verify_log().ok


async def test_two_requests_at_once_take_one_hint(editor: Editor) -> None:
    desk = await editor.open_problem("starter/cache-tag-bits")
    await desk.start()
    await asyncio.gather(take(desk, number=1), take(desk, number=1))
    assert len(desk.events_of_kind("aid_used")) == 1


async def test_a_hint_waits_for_its_runs(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    assert (await take(desk))["next"]["waitsFor"] == "1 run (0 so far)"
    assert "can be taken after 1 run (0 so far)" in (await editor.refusal("hint", uri=desk.uri))[1]
    await desk.run()
    assert (await hints(desk))["next"]["waitsFor"] == ""
    assert (await take(desk))["taken"][1]["text"] == TEXTS[1]


async def test_hints_work_as_a_command_and_stay_after_the_editor_was_closed(editors: Editors) -> None:
    editor = await editors()
    desk = await editor.open_problem("starter/cache-tag-bits")
    await desk.start()
    reply = await editor.command("hint", uri=desk.uri)
    assert reply["taken"][0]["text"] == QUESTION[0]
    await editor.quit()
    second_editor = await editors()
    second_editor.always_fresh = False
    reopened = await second_editor.open_problem("starter/cache-tag-bits")
    assert reopened.attempt == desk.attempt
    await reopened.ask("resume")
    assert [hint["number"] for hint in (await hints(reopened))["taken"]] == [1]


async def test_after_the_end_taken_hints_can_be_read_and_no_more_taken(editor: Editor) -> None:
    desk = await editor.open_problem("starter/cache-tag-bits")
    await desk.start()
    await take(desk)
    await desk.ask("abandon")
    ended = await hints(desk)
    assert (len(ended["taken"]), ended["next"]) == (1, None)
    assert "has ended" in (await editor.refusal("hint", uri=desk.uri))[1]


async def test_a_problem_without_hints_says_so_and_its_status_lists_none(editor: Editor) -> None:
    desk = await editor.open_problem("starter/vipt-synonyms")
    assert "hints" not in (await desk.start()).aids
    assert "has no hints" in (await editor.refusal("hint", uri=desk.uri))[1]


@pytest.mark.parametrize(
    ("aids", "allowed"),
    [("", False), (", aids: []", False), (", aids: [hints]", True)],
    ids=["unsaid", "none", "hints"],
)
async def test_a_study_has_hints_only_where_its_condition_names_them(
    editors: Editors, home: Path, aids: str, allowed: bool
) -> None:
    text = STUDY.replace("practice: starter/amdahl\n", "").replace("solver: human}", f"solver: human{aids}}}")
    await begin(home, text)
    editor = await editors()
    desk, status = await task_at_work(editor)
    assert ("hints" in status.aids) == allowed
    if allowed:
        assert len((await take(desk))["taken"]) == 1
        return
    for operation in ("hint", "hints"):
        assert "does not allow hints" in (await editor.refusal(operation, uri=desk.uri))[1]
    assert desk.events_of_kind("aid_used") == []


async def test_a_service_hands_hints_out_and_nothing_is_here_before(
    editors: Editors, home: Path, service: Service
) -> None:
    course = await asyncio.to_thread(service.set_up, title="Hinted", problems=("cache-tag-bits",))
    editor = await editors()
    desk = await editor.open_problem(f"{sign_in(home, service, course)}/cache-tag-bits")
    assert "hints" in (await desk.start()).aids
    assert (await take(desk))["taken"][0]["text"] == QUESTION[0]
    assert [aid_use.detail for aid_use in desk.events_of_kind("aid_used")] == ["1"]
    mark = QUESTION[1].encode()[:40]
    assert not [path for path in home.rglob("*") if path.is_file() and mark in path.read_bytes()]
    assert (await take(desk))["taken"][1]["text"] == QUESTION[1]


async def test_an_assignment_that_allows_no_hints_has_none(editors: Editors, home: Path, service: Service) -> None:
    course = await asyncio.to_thread(service.set_up, title="Alone", aids=(Aid.EXPLANATIONS,))
    editor = await editors()
    desk = await editor.open_problem(f"{sign_in(home, service, course)}/cache-tag-bits")
    assert (await desk.start()).aids == ["explanations"]
    assert (
        "assignment that this attempt belongs to does not allow hints"
        in (await editor.refusal("hint", uri=desk.uri))[1]
    )
