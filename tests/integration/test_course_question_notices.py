"""Notices that people get of their questions, how many review them, and questions that come from a pack's folder."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import update

from benchwright_foundation.database import Database
from benchwright_problems.errors import StoreError
from benchwright_problems.problem import Pack
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Role
from benchwright_service.errors import BenchServiceError
from benchwright_service.questions.notices import MOST_NOTICES, NoticeKind, add_notice_if_account
from benchwright_service.questions.publishing import Publishing, questions_pack_name
from benchwright_service.questions.tables import REVIEWS
from benchwright_service.questions.takedowns import Takedowns
from benchwright_service.questions.writing import Questions
from benchwright_service.storage.database import open_service_database

from ..support.service.bench_service import DATABASES, Service, running_service
from ..support.service.bench_service_pages import csrf
from ..support.service.course_people import send
from ..support.service.course_questions import QUESTION, SECRET, Room, accounts, exported_data, text_of
from ..support.service.postgres import new_database

RETURNED: dict[str, Any] = {"act": "return", "checks": [], "comment": "Which level is next?"}


@pytest.fixture(scope="module", params=DATABASES)
def service(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    database = new_database(request.getfixturevalue("postgres")) if request.param == "postgresql" else None
    with running_service(Service(tmp_path_factory.mktemp("service"), database)) as started:
        yield started


@pytest.fixture
def room(service: Service) -> Room:
    new_room = Room(service)
    assert new_room.collect().status_code == 303
    return new_room


def with_database(service: Service, ask: Callable[[Database], Awaitable[None]]) -> None:
    async def ask_database() -> None:
        location = service.database or service.folders.data / "service" / "service.sqlite"
        database = await open_service_database(location)
        try:
            await ask(database)
        finally:
            await database.close()

    asyncio.run(ask_database())


def decided(room: Room, *, count: int = 2, **review_fields: Any) -> None:
    for number in range(count):
        assert room.review(room.join(Role.GRADER, f"Grace {number}"), **review_fields).status_code == 303


def waiting(client: httpx2.Client) -> int:
    match = re.search(r'<a href="/notices"><strong>(\d+) notices?<', text_of(client, "/"))
    return int(match[1]) if match else 0


def mark(client: httpx2.Client, page: str) -> None:
    notices = re.findall(r'name="notice" value="(\w+)"', page)
    assert client.post("/notices", data={"csrf": csrf(client), "notice": notices}).status_code == 303


def test_an_author_hears_of_decisions_and_publication_until_they_are_read(room: Room) -> None:
    assert waiting(room.author) == 0
    assert "No notices." in text_of(room.author, "/notices")
    hostile = "<script>alert(1)</script>"
    question_path = room.submit_question(title=hostile)
    decided(room, count=1, **RETURNED)
    assert waiting(room.author) == 0
    decided(room, count=1, **RETURNED)
    assert waiting(room.author) == 1
    page = text_of(room.author, "/notices")
    assert f'href="{question_path}">&lt;script&gt;' in page
    assert hostile not in page
    assert "was returned; read what its reviewers say" in page
    other_student = room.join(Role.PARTICIPANT, "Bob")
    mark(other_student, page)
    assert waiting(room.author) == 1

    assert (
        send(room.author, question_path, **(QUESTION | {"statement": "Evicted to L2: what is first?"})).status_code
        == 303
    )
    assert send(room.author, question_path, act="submit").status_code == 303
    decided(room)
    assert waiting(room.author) == 2
    mark(room.author, page)
    assert waiting(room.author) == 1
    assert send(room.owner_client, f"{room.path}/questions/publish").status_code == 303
    assert send(room.owner_client, f"{room.path}/questions/publish").status_code == 303
    page = text_of(room.author, "/notices")
    assert page.count("is published") == 1
    assert page.count("<strong>New:</strong>") == 2
    mark(room.author, page)
    assert waiting(room.author) == 0
    assert "Mark all as read" not in text_of(room.author, "/notices")
    assert waiting(room.owner_client) == 0


def test_a_review_that_was_left_waits_for_its_reviewer_until_it_is_decided(room: Room) -> None:
    room.submit_question()
    grader = room.join(Role.GRADER, "Grace")
    assert "What has to happen first?" in text_of(grader, f"{room.path}/review")
    assert waiting(grader) == 0

    async def an_hour_goes_by(database: Database) -> None:
        async with database.write_transaction() as connection:
            await connection.execute(update(REVIEWS).values(begun=REVIEWS.c.begun - 4_000))

    with_database(room.service, an_hour_goes_by)
    assert waiting(grader) == 1
    page = text_of(grader, "/notices")
    assert f'href="{room.path}/review">review a question' in page
    assert "Evicting" not in page
    room.review(grader)
    assert waiting(grader) == 0


def test_notices_are_exported_and_deleted_with_a_person(room: Room) -> None:
    question_path = room.submit_question()
    decided(room, **RETURNED)
    (ada,) = [account for account in accounts(room) if exported_data(room, account)["name"] == "Ada"]
    (notice,) = exported_data(room, ada)["notices"]
    assert (notice["kind"], notice["question"]) == ("returned", question_path.rpartition("/")[2])
    assert send(room.owner_client, f"{room.path}/people/{ada}/delete", name="Ada").status_code == 303
    assert room.author.get("/notices").status_code == 303


def test_the_newest_notices_of_a_person_are_kept(room: Room) -> None:
    question = room.submit_question().rpartition("/")[2]
    (ada,) = [account for account in accounts(room) if exported_data(room, account)["name"] == "Ada"]

    async def note_many(database: Database) -> None:
        async with database.write_transaction() as connection:
            for number in range(MOST_NOTICES + 5):
                await add_notice_if_account(
                    connection, NoticeKind.RETURNED, ada, room.course.name, question, float(number)
                )

    with_database(room.service, note_many)
    notice_times = [notice["at"] for notice in exported_data(room, ada)["notices"]]
    assert notice_times == [float(number) for number in range(5, MOST_NOTICES + 5)]
    assert waiting(room.author) == MOST_NOTICES


def test_three_reviewers_all_decide_and_the_majority_counts(room: Room) -> None:
    earlier_question = room.submit_question()
    assert "has 2 or 3 reviewers" in room.collect(reviewers="4").text
    assert room.collect(reviewers="3").status_code == 303
    later_question = room.submit_question(title="Another")
    reviewers = [room.join(Role.GRADER, name) for name in ("Grace", "Barbara", "Frances")]
    for reviewer in reviewers[:2]:
        room.review(reviewer)
        room.review(reviewer)
    # What was sent before needs two only.
    assert "accepted" in text_of(room.author, earlier_question)
    assert "in review" in text_of(room.author, later_question)
    room.review(reviewers[2], **RETURNED)
    assert "accepted" in text_of(room.author, later_question)
    standing = text_of(room.owner_client, f"{room.path}/questions")
    assert "agreed on 2 of 2 versions" in standing
    assert "Of 1 version with three reviewers, all three agreed on 0" in standing


PACK = """
name = "generated"
title = "Generated"
version = "1"
license = "CC-BY-4.0"
source = "a model, from a corpus"
order = ["one", "two", "open"]
"""
CHOICES = 'choices = { A = "The line is read again", B = "It is written back", C = "Nothing", D = "<b>" }'


def pack_folder(folder: Path) -> Path:
    folder.mkdir()
    (folder / "pack.toml").write_text(PACK)
    for name, style, options, value in (
        ("one", "multiple-choice", CHOICES, "B"),
        ("two", "multiple-choice", CHOICES.replace(', D = "<b>"', ""), "A"),
        ("open", "open-ended", "", "words"),
    ):
        (folder / name).mkdir()
        (folder / name / "statement.md").write_text(f"# Question {name}\n\nWhat comes first?\n")
        (folder / name / "problem.toml").write_text(
            f'id = "{name}"\nkind = "question"\ndifficulty = "easy"\n[question]\nformat = "{style}"\n{options}\n'
            f'[answer]\nvalue = "{value}"\nexplanation = "{SECRET}"\n'
        )
    return folder


def add(service: Service, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "benchwright"), "course", "questions", "add", *arguments]
    options = ("--database", service.database) if service.database else ()
    environment = os.environ | {"BENCHWRIGHT_HOME": str(service.home), "COLUMNS": "300"}
    return subprocess.run([*command, *options], env=environment, capture_output=True, text=True, timeout=120)


def test_questions_of_a_pack_folder_get_their_reviewers_and_the_pack_says_where_they_are_from(
    room: Room, tmp_path: Path
) -> None:
    folder = pack_folder(tmp_path / "generated")
    process = add(room.service, room.course.name, str(folder))
    assert "1 question waits for the reviewers" in process.stdout, process.stderr
    assert "Left out: two has no four options" in process.stderr
    assert "Left out: open is no multiple-choice question" in process.stderr
    second_process = add(room.service, room.course.name, str(folder))
    assert "0 questions wait" in second_process.stdout
    assert "one is there already" in second_process.stderr
    grader = room.join(Role.GRADER, "Grace")
    page = text_of(grader, f"{room.path}/review")
    assert "What comes first?" in page
    assert "generated" not in page
    assert SECRET not in page
    room.review(grader)
    decided(room, count=1)
    standing = text_of(room.owner_client, f"{room.path}/questions")
    assert "No question is accepted yet" in standing
    assert "generated 1, one: a model, from a corpus" in standing
    assert send(room.owner_client, f"{room.path}/questions/publish").status_code == 303
    pack = Store(room.service.folders).public_pack(questions_pack_name(room.course.name))
    assert pack.description.endswith("generated 1, one: a model, from a corpus")


def test_a_returned_question_of_a_pack_folder_is_staffs_to_read_and_its_new_wording_is_added(
    room: Room, tmp_path: Path
) -> None:
    folder = pack_folder(tmp_path / "generated")
    add(room.service, room.course.name, str(folder))
    decided(room, **RETURNED)
    page = text_of(room.owner_client, f"{room.path}/questions")
    (question_path,) = set(re.findall(r'href="(/courses/[\w-]+/questions/q-\w+)"', page))
    assert RETURNED["comment"] in text_of(room.owner_client, question_path)
    assert room.author.get(question_path).status_code == 404
    (folder / "one" / "statement.md").write_text("# Question one\n\nWhat comes first in L1?\n")
    assert "1 question waits" in add(room.service, room.course.name, str(folder)).stdout


def test_a_pack_folder_under_another_licence_or_for_a_course_that_collects_none_is_refused(
    room: Room, tmp_path: Path
) -> None:
    folder = pack_folder(tmp_path / "generated")
    (folder / "pack.toml").write_text(PACK.replace("CC-BY-4.0", "CC0-1.0"))
    refused_command = add(room.service, room.course.name, str(folder))
    assert refused_command.returncode != 0
    assert "licence is 'CC0-1.0'" in refused_command.stderr.replace("\n", " ")
    empty_room = Room(room.service)
    assert "collects no questions" in add(room.service, empty_room.course.name, str(folder)).stderr.replace("\n", " ")
    assert add(room.service, "nowhere", str(folder)).returncode != 0
    shutil.rmtree(folder / "one")
    assert "one" in add(room.service, room.course.name, str(folder)).stderr


class _PowerCutError(Exception):
    pass


class _Crashing(Store):
    """A store whose process ends once the pack is there."""

    def add(self, pack: Pack, replace: bool = False) -> None:
        super().add(pack, replace=replace)
        raise _PowerCutError


class _Full(Store):
    """A store on a disk that is full."""

    def add(self, pack: Pack, replace: bool = False) -> None:
        raise StoreError("no space left")


def test_a_question_can_not_leave_a_pack_that_was_written_before_a_crash(room: Room) -> None:
    question_path = room.submit_question()
    decided(room)
    course, folders = room.course.name, room.service.folders

    async def refused(database: Database) -> None:
        with pytest.raises(BenchServiceError, match="no space left"):
            await Publishing(database, Questions(database), Takedowns(database), _Full(folders)).publish(course)

    async def crashed(database: Database) -> None:
        with pytest.raises(_PowerCutError):
            await Publishing(database, Questions(database), Takedowns(database), _Crashing(folders)).publish(course)

    with_database(room.service, refused)
    assert "Withdraw the question" in text_of(room.author, question_path)
    with_database(room.service, crashed)
    assert len(Store(room.service.folders).public_pack(questions_pack_name(room.course.name)).problems) == 1
    assert "is published" in send(room.author, question_path, act="withdraw").text
    assert waiting(room.author) == 1
    assert send(room.owner_client, f"{room.path}/questions/publish").status_code == 303
    assert Store(room.service.folders).public_pack(questions_pack_name(room.course.name)).version == "1"
    assert waiting(room.author) == 2
