"""Questions that people of a course write: tried on models, reviewed blind, published, and solved."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Role

from ..support.service.bench_service import Service
from ..support.service.course_people import send
from ..support.service.course_questions import (
    ALL_HOLDS,
    QUESTION,
    SECRET,
    Room,
    accounts,
    exported_data,
    model,
    room,
    service,
    text_of,
    wait_for_text,
)

__all__ = ("model", "room", "service")


def test_two_models_are_wrong_two_reviewers_accept_and_the_pack_has_it(room: Room) -> None:
    question_path = room.write()
    assert send(room.author, question_path, act="try").status_code == 303
    page = wait_for_text(room.author, question_path, "2 of 2 models wrong")
    assert "C, wrong" in page
    assert "D, wrong" in page
    assert send(room.author, question_path, act="submit").status_code == 303

    first_reviewer, second_reviewer = room.join(Role.GRADER, "Grace"), room.join(Role.STAFF, "Barbara")
    for reviewer in (first_reviewer, second_reviewer):
        page_before = text_of(reviewer, f"{room.path}/review")
        assert "What has to happen first?" in page_before
        assert SECRET not in page_before
        assert "Ada" not in page_before
        assert room.review(reviewer).status_code == 303
        assert "There is no question for you to review" in text_of(reviewer, f"{room.path}/review")
    assert "accepted" in text_of(room.author, question_path)

    overview = text_of(room.owner_client, f"{room.path}/questions")
    assert re.search(r">Ada</th><td class=\"number\">2</td><td class=\"number\">1<", overview)
    assert "agreed on 1 of 1 versions" in overview
    assert "2 of 2 answers" in overview
    assert send(room.owner_client, f"{room.path}/questions/publish").status_code == 303
    pack = Store(room.service.folders).public_pack(f"{room.course.name}-questions")
    (problem,) = pack.problems
    assert (pack.version, pack.license, problem.title) == ("1", "CC-BY-4.0", QUESTION["title"])
    assert pack.description.endswith(": Ada")
    sealed = Store(room.service.folders).unseal(f"{pack.name}/{problem.id}")
    assert sealed.hidden.answer is not None
    assert (sealed.hidden.answer.value, sealed.hidden.answer.explanation) == ("B", SECRET)
    assert f">{pack.name}<" in text_of(room.owner_client, f"{room.path}/assignments/new")
    assert send(room.owner_client, f"{room.path}/questions/publish").status_code == 303
    assert Store(room.service.folders).public_pack(pack.name).version == "2"


def test_where_two_reviewers_differ_a_third_decides_and_the_author_sends_a_new_version(room: Room) -> None:
    question_path = room.submit_question()
    returned: dict[str, Any] = {"act": "return", "checks": ["RELEVANCE"], "comment": "Which level is next?"}
    reviewers = [room.join(Role.GRADER, name) for name in ("Grace", "Barbara", "Frances")]
    assert room.review(reviewers[0]).status_code == 303
    assert room.review(reviewers[1], answer="A", **returned).status_code == 303
    assert "Which level" not in text_of(room.author, question_path)
    assert room.review(reviewers[2], **returned).status_code == 303
    page = text_of(room.author, question_path)
    assert "returned" in page
    assert page.count("Which level is next?") == 2
    assert "Grace" not in page
    assert "was returned" in send(room.author, question_path, act="submit").text
    assert (
        send(room.author, question_path, **(QUESTION | {"statement": "Evicted to L2: what is first?"})).status_code
        == 303
    )
    assert send(room.author, question_path, act="submit").status_code == 303
    assert "Evicted to L2" in text_of(reviewers[0], f"{room.path}/review")
    overview = text_of(room.owner_client, f"{room.path}/questions")
    assert "agreed on 0 of 1 versions" in overview
    assert "2 of 3 answers" in overview


def test_the_key_is_for_its_author_and_for_reviewers_who_have_answered(room: Room) -> None:
    question_path = room.submit_question()
    other_student, monitor = room.join(Role.PARTICIPANT, "Bob"), room.join(Role.MONITOR, "Max")
    grader = room.join(Role.GRADER, "Grace")
    for client in (other_student, room.owner_client, grader):
        assert client.get(question_path).status_code == 404
        assert client.get(f"{question_path}/tries").status_code == 404
        assert send(client, question_path, act="withdraw").status_code == 404
    for path in (f"{room.path}/review", question_path):
        assert other_student.get(path).status_code == 404
    assert monitor.get(f"{room.path}/questions").status_code == 404
    hidden_inputs = dict(
        re.findall(r'name="(question|number)" value="([\w-]+)"', text_of(grader, f"{room.path}/review"))
    )
    early_review = send(grader, f"{room.path}/review", **hidden_inputs, **ALL_HOLDS)
    assert "Answer the question first" in early_review.text
    assert SECRET not in early_review.text
    assert send(grader, f"{room.path}/review", **hidden_inputs, act="answer", answer="A").status_code == 303
    assert SECRET in text_of(grader, f"{room.path}/review")
    assert (
        "answered this question already"
        in send(grader, f"{room.path}/review", **hidden_inputs, act="answer", answer="B").text
    )
    partly = send(grader, f"{room.path}/review", **hidden_inputs, act="accept", checks="LICENCE", comment="")
    assert "all of the checks hold" in partly.text
    assert "what the author has to change" in send(grader, f"{room.path}/review", **hidden_inputs, act="return").text


def test_an_author_does_not_review_their_own_and_a_third_reviewer_is_not_needed(room: Room) -> None:
    room.author = room.join(Role.STAFF, "Edsger")
    room.submit_question()
    assert "There is no question for you to review" in text_of(room.author, f"{room.path}/review")
    readers = [room.join(Role.GRADER, name) for name in ("Grace", "Barbara", "Frances")]
    with ThreadPoolExecutor() as pool:
        pages = pool.map(lambda reader: text_of(reader, f"{room.path}/review"), [*readers, *readers])
    visibility = ["What has to happen first?" in page for page in pages]
    assert visibility[:3] == visibility[3:]
    assert visibility[:3].count(True) == 2


@pytest.mark.parametrize(
    ("changed_fields", "message"),
    [
        ({"B": ""}, "An option can&#39;t be like that"),
        ({"answer": "E"}, "The right answer can&#39;t be like that"),
        ({"statement": "![x](figures/../../etc/passwd)"}, "pictures can&#39;t stand in the text"),
        ({"explanation": "x" * 10_001}, "The explanation can&#39;t be like that"),
        ({"consent": ""}, "yours to give away"),
    ],
)
def test_a_form_with_a_fault_comes_back_with_all_that_was_written(
    room: Room, changed_fields: Mapping[str, str], message: str
) -> None:
    reply = send(room.author, f"{room.path}/questions/new", **(QUESTION | dict(changed_fields)))
    assert reply.status_code == 422
    assert message in reply.text
    assert QUESTION["D"] in reply.text
    assert "You have written none" in text_of(room.author, f"{room.path}/questions")


def test_markup_in_every_field_is_shown_as_text(room: Room) -> None:
    hostile = "<script>alert(1)</script>\"'{{ 7 * 7 }}"
    fields = {name: f"{hostile} {name}" for name in ("title", "statement", "A", "B", "C", "D", "explanation", "topic")}
    question_path = room.submit_question(**fields)
    grader = room.join(Role.GRADER, "Grace")
    pages = [text_of(room.author, question_path), text_of(grader, f"{room.path}/review")]
    room.review(grader, act="return", comment=hostile)
    room.review(room.join(Role.GRADER, "Barbara"), act="return", comment=hostile)
    pages += [text_of(room.author, question_path), text_of(room.author, f"{room.path}/questions")]
    for page in pages:
        assert "&lt;script&gt;" in page
        assert "<script>alert" not in page
        assert "{{ 7 * 7 }}" in page


def test_nothing_is_taken_before_a_call_opens_or_after_it_closes(service: Service) -> None:
    room = Room(service)
    assert room.author.get(f"{room.path}/questions").status_code == 404
    assert "Collect questions" in text_of(room.owner_client, f"{room.path}/questions")
    assert send(room.author, f"{room.path}/questions", title="Mine", license="CC0-1.0").status_code == 404
    assert "closes before it opens" in room.collect(opens="2026-05-01T00:00", closes="2026-04-01T00:00").text
    assert room.collect(closes="2026-01-01T00:00").status_code == 303
    assert "No questions are taken now" in text_of(room.author, f"{room.path}/questions")
    late_reply = send(room.author, f"{room.path}/questions/new", **QUESTION)
    assert "takes no questions now" in late_reply.text
    assert room.collect(closes="").status_code == 303
    room.write()


def test_one_person_tries_ten_versions_a_day_and_begins_twenty_questions(room: Room) -> None:
    question_paths = [room.write() for _ in range(20)]
    assert "begin the next one tomorrow" in send(room.author, f"{room.path}/questions/new", **QUESTION).text
    for question_path in question_paths[:10]:
        assert send(room.author, question_path, act="try").status_code == 303
    assert "try this one tomorrow" in send(room.author, question_paths[10], act="try").text
    assert send(room.author, question_paths[0], act="try").status_code == 303


def test_a_persons_questions_are_exported_and_deleted(room: Room) -> None:
    question_path = room.submit_question()
    grader = room.join(Role.GRADER, "Grace")
    room.review(grader, act="return", comment="too easy")
    exported_facts = {account: exported_data(room, account) for account in accounts(room)}
    ada_facts, grace = (
        next(account_facts for account_facts in exported_facts.items() if account_facts[1]["name"] == name)
        for name in ("Ada", "Grace")
    )
    assert ada_facts[1]["questions"][0]["explanation"] == SECRET
    assert grace[1]["question_reviews"][0]["comment"] == "too easy"
    assert SECRET not in json.dumps(grace[1])

    assert send(room.owner_client, f"{room.path}/people/{grace[0]}/delete", name="Grace").status_code == 303
    room.review(room.join(Role.GRADER, "Barbara"), act="return", comment="far too easy")
    page = text_of(room.author, question_path)
    assert page.count("returned by a reviewer") == 2
    assert "far too easy" in page
    assert ">too easy<" not in page
    assert send(room.owner_client, f"{room.path}/people/{ada_facts[0]}/delete", name="Ada").status_code == 303
    assert room.owner_client.get(question_path).status_code == 404
    assert "0 reviews" in text_of(room.owner_client, f"{room.path}/questions")


def test_what_is_published_stays_when_its_author_leaves(room: Room) -> None:
    question_path = room.submit_question()
    for name in ("Grace", "Barbara"):
        room.review(room.join(Role.GRADER, name))
    late_reply = send(room.author, question_path, act="try")
    assert "be tried any more" in late_reply.text
    assert send(room.owner_client, f"{room.path}/questions/publish").status_code == 303
    assert "is published" in send(room.author, question_path, act="withdraw").text
    (ada,) = [account for account in accounts(room) if exported_data(room, account)["name"] == "Ada"]
    assert send(room.owner_client, f"{room.path}/people/{ada}/delete", name="Ada").status_code == 303
    assert ">Ada<" not in text_of(room.owner_client, f"{room.path}/questions")
    assert send(room.owner_client, f"{room.path}/questions/publish").status_code == 303
    pack = Store(room.service.folders).public_pack(f"{room.course.name}-questions")
    assert (pack.version, len(pack.problems)) == ("2", 1)
    assert "Ada" not in pack.description
    assert pack.canary is not None


def test_staff_see_no_key_that_they_may_still_review(room: Room) -> None:
    question_path = room.submit_question()
    returned: dict[str, Any] = {"act": "return", "comment": "Which level?"}
    for name in ("Grace", "Barbara"):
        room.review(room.join(Role.GRADER, name), **returned)
    assert room.owner_client.get(question_path).status_code == 404
    assert send(room.author, question_path, **QUESTION).status_code == 303
    assert room.owner_client.get(question_path).status_code == 404
    assert question_path.rpartition("/")[2] not in text_of(room.owner_client, f"{room.path}/audit")


def test_a_refused_review_keeps_what_was_written(room: Room) -> None:
    room.submit_question()
    grader = room.join(Role.GRADER, "Grace")
    reply = room.review(grader, act="accept", checks=["LICENCE"], comment="a long thought")
    assert reply.status_code == 422
    assert ">a long thought</textarea>" in reply.text
    assert reply.text.count(" checked>") == 1
    long = room.review_again(grader, act="return", comment="x" * 4_001)
    assert "at most 4000 characters" in long.text


def test_the_licence_stays_and_an_archived_course_takes_nothing(room: Room) -> None:
    question_path = room.write()
    assert "authors have agreed to CC-BY-4.0" in room.collect(license="CC0-1.0").text.replace("Authors", "authors")
    assert room.collect(title="Another title").status_code == 303
    assert send(room.owner_client, f"{room.path}/archive").status_code == 303
    assert "takes no questions now" in send(room.author, f"{room.path}/questions/new", **QUESTION).text
    assert send(room.author, question_path, act="submit").status_code == 422
    assert "There is no question for you to review" in text_of(room.owner_client, f"{room.path}/review")
