"""Fixtures and helpers of the tests of course questions."""

from __future__ import annotations

import io
import json
import re
import time
import zipfile
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from benchwright_remote.messages import Role

from .bench_service import DATABASES, Service, question_models, running_service
from .bench_service_pages import invitation, signed_in
from .course_people import send
from .judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content
from .postgres import new_database

SECRET = "because-the-old-copy-in-memory-is-stale"


QUESTION = {
    "title": "Evicting a dirty line",
    "statement": "A write-back cache evicts a dirty line. What has to happen first?",
    "A": "The line is read again",
    "B": "The line is written to the next level",
    "C": "The tag is cleared",
    "D": "Its set is locked",
    "answer": "B",
    "explanation": SECRET,
    "topic": "caches",
    "skill": "recall",
    "consent": "yes",
    "credited": "yes",
    "act": "save",
}


CHECKS = ("ASSUMPTIONS", "RELEVANCE", "RATIONALE", "UNAMBIGUOUS", "LICENCE")


ALL_HOLDS: dict[str, Any] = {"act": "accept", "checks": list(CHECKS), "comment": ""}


@pytest.fixture(scope="module")
def model() -> Iterator[JudgeEndpoint]:
    def play(request: JudgeRequest) -> PlayedReply:
        assert SECRET not in json.dumps(request.body)
        if request.body["model"] == "talks":
            return content("Eviction needs a free way. The answer is (D).")
        return content(json.dumps({"reason": "a clear tag frees it", "answer": "C"}))

    with JudgeEndpoint(play) as endpoint:
        yield endpoint


@pytest.fixture(scope="module", params=DATABASES)
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, model: JudgeEndpoint
) -> Iterator[Service]:
    database = new_database(request.getfixturevalue("postgres")) if request.param == "postgresql" else None
    options = question_models(tmp_path_factory.mktemp("models"), model.url, {"json": "", "talks": ""})
    with running_service(Service(tmp_path_factory.mktemp("service"), database, options=options)) as started:
        yield started


class Room:
    """A course that collects questions, and browsers of its people."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.course = service.set_up(problems=("saturating-counter",))
        self.path = f"/courses/{self.course.name}"
        self.owner_client = self.join(Role.OWNER, "Owner")
        self.author = self.join(Role.PARTICIPANT, "Ada")

    def join(self, role: Role, name: str) -> httpx2.Client:
        return signed_in(self.service, invitation(self.service, self.course, role), name)

    def collect(self, **fields: str) -> httpx2.Response:
        values = {"title": "Our questions", "license": "CC-BY-4.0", "opens": "", "closes": ""} | fields
        return send(self.owner_client, f"{self.path}/questions", **values)

    def write(self, **changed_fields: str) -> str:
        reply = send(self.author, f"{self.path}/questions/new", **(QUESTION | changed_fields))
        assert reply.status_code == 303, reply.text
        return str(reply.headers["location"])

    def submit_question(self, **changed_fields: str) -> str:
        draft_path = self.write(**changed_fields)
        assert send(self.author, draft_path, act="submit").status_code == 303
        return draft_path

    def review(self, reviewer: httpx2.Client, *, answer: str = "B", **decision: Any) -> httpx2.Response:
        """Answers the question that is on the desk, and decides; accepts it if nothing is said."""
        path = f"{self.path}/review"
        hidden_fields = dict(re.findall(r'name="(question|number)" value="([\w-]+)"', reviewer.get(path).text))
        assert send(reviewer, path, **hidden_fields, act="answer", answer=answer).status_code == 303
        return self.review_again(reviewer, **(decision or ALL_HOLDS))

    def review_again(self, reviewer: httpx2.Client, **decision: Any) -> httpx2.Response:
        """Decides about the question that was answered."""
        path = f"{self.path}/review"
        hidden_fields = dict(re.findall(r'name="(question|number)" value="([\w-]+)"', reviewer.get(path).text))
        return send(reviewer, path, **hidden_fields, **decision)


@pytest.fixture
def room(service: Service) -> Room:
    opened_room = Room(service)
    assert opened_room.collect().status_code == 303
    return opened_room


def text_of(client: httpx2.Client, path: str) -> str:
    reply = client.get(path)
    assert reply.status_code == 200, reply.text
    return reply.text


def wait_for_text(client: httpx2.Client, path: str, words: str) -> str:
    deadline = time.monotonic() + 30
    while words not in (page := text_of(client, path)):
        assert time.monotonic() < deadline, page
        time.sleep(0.1)
    return page


def accounts(room: Room) -> set[str]:
    return set(re.findall(r"people/(\w+)/export", text_of(room.owner_client, f"{room.path}/people")))


def exported_data(room: Room, account: str) -> dict[str, Any]:
    archive = zipfile.ZipFile(io.BytesIO(room.owner_client.get(f"{room.path}/people/{account}/export").content))
    person_facts: dict[str, Any] = json.loads(archive.read("person.json"))
    return person_facts
