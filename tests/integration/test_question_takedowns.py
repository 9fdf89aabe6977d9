"""Questions that are taken down: they leave pages, exports and the pack, which names them without their content."""

from __future__ import annotations

import json
import re

import pytest

from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Role

from ..support.service.course_people import send
from ..support.service.course_questions import (
    SECRET,
    Room,
    accounts,
    exported_data,
    model,
    room,
    service,
    text_of,
)

__all__ = ("model", "room", "service")

STAYS = "Which part of an address chooses the set?"


def published_questions(room: Room) -> tuple[str, str]:
    """Two published questions: paths of the one that leaves, and of the one that stays."""
    leaving_path = room.submit_question()
    staying_path = room.submit_question(title="The index", statement=STAYS)
    reviewers = [room.join(Role.GRADER, name) for name in ("Grace", "Barbara")]
    for _ in range(2):
        for reviewer in reviewers:
            assert room.review(reviewer).status_code == 303
    assert send(room.owner_client, f"{room.path}/questions/publish").status_code == 303
    return leaving_path, staying_path


def test_an_author_asks_staff_take_it_down_and_only_its_number_day_and_kind_of_reason_remain(room: Room) -> None:
    leaving_path, _ = published_questions(room)
    question = leaving_path.rpartition("/")[2]
    pack_name = f"{room.course.name}-questions"
    store = Store(room.service.folders)
    assert len(store.public_pack(pack_name).problems) == 2
    for problems in ("", question):
        assigned = send(room.owner_client, f"{room.path}/assignments", title="Ours", pack=pack_name, problems=problems)
        assert assigned.status_code == 303

    assert send(room.author, f"{leaving_path}/takedown", reason="AUTHOR").status_code == 303
    assert "You asked" in text_of(room.author, leaving_path)
    assert len(store.public_pack(pack_name).problems) == 2
    overview = text_of(room.owner_client, f"{room.path}/questions")
    assert "Takedowns that authors ask for" in overview
    assert "Takedowns that authors ask for" not in text_of(room.author, f"{room.path}/questions")
    assert send(room.owner_client, f"{leaving_path}/takedown", reason="AUTHOR").status_code == 303

    pack = store.public_pack(pack_name)
    assert (pack.version, [problem.title for problem in pack.problems]) == ("2", ["The index"])
    assert re.search(
        rf"{question} \(in versions from 1 on, taken down 20\d\d-\d\d-\d\d\): the author’s wish", pack.description
    )
    for client in (room.author, room.owner_client):
        assert client.get(leaving_path).status_code == 404
        page = text_of(client, f"{room.path}/questions")
        assert re.search(rf"{question}</code>, .*: the author’s wish", page)
        assert "Evicting a dirty line" not in page
    for account in accounts(room):
        assert SECRET not in json.dumps(
            [
                exported_question
                for exported_question in exported_data(room, account).get("questions", [])
                if exported_question["question"] == question
            ]
        )
    assert question in text_of(room.owner_client, f"{room.path}/audit")
    home_files = [file for file in room.service.folders.data.rglob(f"{pack_name}@*/*") if file.is_file()]
    assert [file.stem for file in home_files] == [problem.id for problem in pack.problems]

    assert send(room.owner_client, f"{room.path}/questions/publish").status_code == 303
    assert question in store.public_pack(pack_name).description
    for path in ("", "/grades", "/items", "/progress", "/answers"):
        assert "Evicting" not in text_of(room.owner_client, f"{room.path}{path}")
    assert "Evicting" not in text_of(room.author, room.path)


def test_staff_take_down_for_a_holder_of_rights_until_the_pack_is_empty(room: Room) -> None:
    for question_path in published_questions(room):
        assert send(room.owner_client, f"{question_path}/takedown", reason="RIGHTS").status_code == 303
    pack = Store(room.service.folders).public_pack(f"{room.course.name}-questions")
    assert (pack.version, pack.problems) == ("3", ())
    assert pack.description.count("third-party rights") == 2
    assert send(room.owner_client, f"{question_path}/takedown", reason="RIGHTS").status_code == 422


def test_what_was_never_published_is_named_on_the_page_and_in_no_pack(room: Room) -> None:
    question_path = room.submit_question()
    assert send(room.author, f"{question_path}/takedown", reason="PERSON").status_code == 303
    assert send(room.owner_client, f"{question_path}/takedown", reason="PERSON").status_code == 303
    assert "personal data" in text_of(room.owner_client, f"{room.path}/questions")
    other_path = room.submit_question(title="The index", statement=STAYS)
    for name in ("Grace", "Barbara"):
        assert room.review(room.join(Role.GRADER, name)).status_code == 303
    assert send(room.owner_client, f"{room.path}/questions/publish").status_code == 303
    pack = Store(room.service.folders).public_pack(f"{room.course.name}-questions")
    assert [problem.id for problem in pack.problems] == [other_path.rpartition("/")[2]]
    assert question_path.rpartition("/")[2] not in pack.description


@pytest.mark.parametrize("role", [Role.PARTICIPANT, Role.GRADER])
def test_nobody_else_asks_for_a_takedown_or_does_one(room: Room, role: Role) -> None:
    question_path = room.write()
    reply = send(room.join(role, "Bob"), f"{question_path}/takedown", reason="AUTHOR")
    assert reply.status_code == 422
    assert "you have no such question" in reply.text.lower()
    assert send(room.author, f"{question_path}/takedown", reason="NONE").status_code == 404
    assert text_of(room.author, question_path)
