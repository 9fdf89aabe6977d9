"""Packs of assignments among a user's own: names that stay, nothing hidden, nothing of others overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_problems.assignment import Assignment
from benchwright_problems.errors import PackExistsError, UnknownProblemError
from benchwright_problems.problem import Pack
from benchwright_problems.storage.store import Store
from benchwright_remote.assigned_packs import store_assigned_packs
from benchwright_remote.messages import AssignmentView

SERVICE = "https://bench.example.org"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)}))


class Answers:
    """Answers of a service on what an account has to do."""

    url = SERVICE

    def __init__(self, pack: Pack, *views: AssignmentView) -> None:
        self._pack, self._views = pack, views

    async def assignments(self) -> tuple[AssignmentView, ...]:
        return self._views

    async def fetch_pack(self, name: str) -> Pack:
        assert name == self._pack.name
        return self._pack


def view(number: int, title: str = "Week 1", problems: tuple[str, ...] = ("sync-fifo",)) -> AssignmentView:
    return AssignmentView(
        id=f"{number:032x}", course="cs101", title=title, pack="starter", pack_digest="", problems=problems
    )


async def test_an_assignment_is_a_pack_of_its_own_with_the_problems_that_it_names(store: Store) -> None:
    names = await store_assigned_packs(store, Answers(store.public_pack("starter"), view(1)))  # type: ignore[arg-type]
    assert names == ["cs101-week-1"]
    pack = store.public_pack("cs101-week-1")
    assert (pack.title, [problem.id for problem in pack.problems]) == ("Week 1", ["sync-fifo"])
    assignment = store.assignment_if_any("cs101-week-1")
    assert assignment is not None
    assert (assignment.service, assignment.id, assignment.pack) == (SERVICE, f"{1:032x}", "starter")
    with pytest.raises(UnknownProblemError, match=f"is on {SERVICE}"):
        store.unseal("cs101-week-1/sync-fifo")


async def test_it_keeps_its_name_when_it_changes_and_another_of_its_title_gets_another(store: Store) -> None:
    starter = store.public_pack("starter")
    await store_assigned_packs(store, Answers(starter, view(1)))  # type: ignore[arg-type]
    renamed = view(1, "Week one", ("sync-fifo", "saturating-counter"))
    names = await store_assigned_packs(store, Answers(starter, view(2), renamed))  # type: ignore[arg-type]
    assert names == ["cs101-week-1-2", "cs101-week-1"]
    assert store.public_pack("cs101-week-1").title == "Week one"
    assert len(store.public_pack("cs101-week-1").problems) == 2


def test_a_pack_that_is_here_is_not_overwritten_by_an_assignment_of_its_name(store: Store) -> None:
    pack = store.public_pack("starter").model_copy(update={"name": "mine"})
    store.add(pack)
    assignment = Assignment(service=SERVICE, id="1", course="cs101", title="Mine", pack="starter")
    with pytest.raises(PackExistsError, match="another pack called 'mine'"):
        store.add_assigned(pack, assignment)
    assert store.assignment_if_any("mine") is None
