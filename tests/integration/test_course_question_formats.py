"""Questions of every format, with figures, that people of a course write."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from benchwright_problems.figure import MediaType
from benchwright_problems.problem import QuestionFormat
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Role
from benchwright_service.questions.figures import FIGURES_PER_DAY

from ..support.editor.pictures import SCRIPT, bomb, jpeg, png
from ..support.service.bench_service import DATABASES, Service, question_models, running_service
from ..support.service.bench_service_pages import csrf
from ..support.service.course_people import send
from ..support.service.course_questions import (
    ALL_HOLDS,
    QUESTION,
    SECRET,
    Room,
    accounts,
    exported_data,
    text_of,
    wait_for_text,
)
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content
from ..support.service.postgres import new_database

TEXTS = {name: QUESTION[name] for name in ("title", "explanation", "topic", "consent", "credited", "act")}
KEY = "It is written to the next level, since memory is stale."
FORMS: Mapping[QuestionFormat, Mapping[str, str]] = {
    QuestionFormat.MULTIPLE_CHOICE: {**QUESTION},
    QuestionFormat.MULTIPLE_RESPONSE: {**QUESTION, "answer": "BD"},
    QuestionFormat.ASSERTION: {"statement": "A clean line is written back.", "answer": "false"},
    QuestionFormat.FILL_IN_THE_BLANK: {
        "statement": "Of 4 ways, a set has ___ lines.",
        "answer": "4",
        "alternatives": "four\n vier ",
    },
    QuestionFormat.OPEN_ENDED: {"statement": "Why?", "answer": KEY, "item-1": "Names the level", "points-1": "2"},
    QuestionFormat.FREE_RESPONSE: {
        "statement": "What happens first?",
        "answer": KEY,
        "item-1": "Names the level",
        "points-1": "2",
        "item-3": "Says why",
        "enough": "2",
    },
}
ALT = "A cache with four ways"


@pytest.fixture(scope="module")
def model() -> Iterator[JudgeEndpoint]:
    def play(request: JudgeRequest) -> PlayedReply:
        assert SECRET not in json.dumps(request.body)
        assert KEY not in json.dumps(request.body)
        body_text = json.dumps(request.body)
        answer = "It shows four ways" if "image_url" in body_text and ALT in body_text else "3"
        if "true or false" in body_text or '\\"true\\" or' in body_text:
            answer = "True"
        return content(json.dumps({"reason": "so it is", "answer": answer}))

    with JudgeEndpoint(play) as endpoint:
        yield endpoint


@pytest.fixture(scope="module", params=DATABASES)
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, model: JudgeEndpoint
) -> Iterator[Service]:
    database = new_database(request.getfixturevalue("postgres")) if request.param == "postgresql" else None
    sight = {"blind": "images = false", "seeing": "images = true"}
    options = question_models(tmp_path_factory.mktemp("models"), model.url, sight)
    with running_service(Service(tmp_path_factory.mktemp("service"), database, options=options)) as started:
        yield started


@pytest.fixture
def room(service: Service) -> Room:
    new_room = Room(service)
    assert new_room.collect().status_code == 303
    return new_room


def fields(style: QuestionFormat, **changed_fields: str) -> dict[str, str]:
    return TEXTS | {"format": style.value} | dict(FORMS[style]) | changed_fields


def upload(client: httpx2.Client, path: str, values: Mapping[str, str], *pictures: bytes) -> httpx2.Response:
    figure_files = {
        f"figure-{number}": (f'"><script>.{number}', content, "text/html") for number, content in enumerate(pictures, 1)
    }
    return client.post(path, data={"csrf": csrf(client)} | dict(values), files=figure_files)


def figure_in(page: str) -> str:
    (address,) = set(re.findall(r'<img src="([^"]+)"', page))
    return str(address)


@pytest.mark.parametrize(
    ("style", "answer", "is_key"),
    [
        (QuestionFormat.MULTIPLE_RESPONSE, "BD", "as the key says"),
        (QuestionFormat.ASSERTION, "true", "not the key"),
        (QuestionFormat.FILL_IN_THE_BLANK, "Four", "as the key says"),
        (QuestionFormat.OPEN_ENDED, "<b>Because</b>", None),
        (QuestionFormat.FREE_RESPONSE, "<b>Written back</b>", None),
    ],
)
def test_a_question_of_every_format_is_reviewed_blind_and_published(
    room: Room, style: QuestionFormat, answer: str, is_key: str | None
) -> None:
    question_path = room.write(**fields(style))
    assert send(room.author, question_path, act="submit").status_code == 303
    for name in ("Grace", "Barbara"):
        reviewer = room.join(Role.GRADER, name)
        page_before = text_of(reviewer, f"{room.path}/review")
        assert FORMS[style]["statement"] in page_before
        assert SECRET not in page_before
        assert KEY not in page_before
        assert "Names the level" not in page_before
        assert room.review(reviewer, answer=answer, **(ALL_HOLDS | {"act": "answer"})).status_code == 422
        page_after = text_of(reviewer, f"{room.path}/review")
        assert SECRET in page_after
        assert is_key in page_after if is_key else answer.replace("<", "&lt;").replace(">", "&gt;") in page_after
        assert room.review_again(reviewer, **ALL_HOLDS).status_code == 303
    standing = text_of(room.owner_client, f"{room.path}/questions")
    right_count = 2 if is_key == "as the key says" else 0
    assert f"{right_count} of {2 if is_key else 0} answers" in standing
    assert send(room.owner_client, f"{room.path}/questions/publish").status_code == 303
    pack = Store(room.service.folders).public_pack(f"{room.course.name}-questions")
    (problem,) = pack.problems
    assert problem.public.question is not None
    assert problem.public.question.format is style
    key = Store(room.service.folders).unseal(f"{pack.name}/{problem.id}").hidden.answer
    assert key is not None
    assert key.value == FORMS[style]["answer"]
    assert (key.points is not None) == (is_key is None)
    if style is QuestionFormat.FREE_RESPONSE:
        assert key.points is not None
        assert [(rubric_item.text, rubric_item.points) for rubric_item in key.points.items] == [
            ("Names the level", 2),
            ("Says why", 1),
        ]
        assert key.points.enough == 2
    if style is QuestionFormat.FILL_IN_THE_BLANK:
        assert (key.alternatives, key.closed) == (("four", "vier"), True)


@pytest.mark.parametrize(
    ("style", "changed_fields", "message"),
    [
        (QuestionFormat.MULTIPLE_RESPONSE, {"answer": "DB"}, "The right answer can"),
        (QuestionFormat.ASSERTION, {"answer": "maybe"}, "The right answer can"),
        (QuestionFormat.FREE_RESPONSE, {"item-1": "", "item-3": ""}, "What there are points for can"),
        (QuestionFormat.FREE_RESPONSE, {"points-1": "-1"}, "What there are points for can"),
        (QuestionFormat.FREE_RESPONSE, {"points-1": "nan"}, "What there are points for can"),
        (QuestionFormat.FREE_RESPONSE, {"enough": "99"}, "What there are points for can"),
        (QuestionFormat.FILL_IN_THE_BLANK, {"alternatives": "\n".join("abcdefghi")}, "What else is right can"),
        (QuestionFormat.OPEN_ENDED, {"alt-2": "nothing"}, "figure 2 has a description and no picture"),
    ],
)
def test_a_form_with_a_fault_says_which_field_it_is(
    room: Room, style: QuestionFormat, changed_fields: dict[str, str], message: str
) -> None:
    reply = send(room.author, f"{room.path}/questions/new", **fields(style, **changed_fields))
    assert reply.status_code == 422
    assert message in reply.text.replace("Figure", "figure")
    assert FORMS[style]["statement"] in reply.text
    assert f'name="format" value="{style.value}"' in reply.text


def test_every_right_option_is_ticked_in_the_form(room: Room) -> None:
    form: dict[str, Any] = fields(QuestionFormat.MULTIPLE_RESPONSE) | {"answer": ["B", "D"]}
    reply = send(room.author, f"{room.path}/questions/new", **form)
    page = text_of(room.author, reply.headers["location"])
    assert re.findall(r'name="answer" value="(\w)" checked', page) == ["B", "D"]


def test_a_format_that_there_is_not_is_multiple_choice(room: Room) -> None:
    assert "Option A" in text_of(room.author, f"{room.path}/questions/new?format=<x>")


def test_a_question_that_is_written_takes_another_format_only_with_what_that_needs(room: Room) -> None:
    question_path = room.write(**fields(QuestionFormat.ASSERTION))
    lacking_form = fields(QuestionFormat.ASSERTION, statement="Another one.") | {"format": "free-response"}
    assert send(room.author, question_path, **lacking_form).status_code == 422
    assert "True or false, version 1" in text_of(room.author, question_path)
    assert send(room.author, question_path, **fields(QuestionFormat.FREE_RESPONSE)).status_code == 303
    assert "Free response, version 2" in text_of(room.author, question_path)


def test_a_figure_is_shown_to_those_who_may_read_the_question_and_is_in_the_pack(room: Room) -> None:
    form = fields(QuestionFormat.MULTIPLE_CHOICE, **{"alt-1": ALT})
    reply = upload(room.author, f"{room.path}/questions/new", form, png())
    assert reply.status_code == 303, reply.text
    question_path = reply.headers["location"]
    figure_path = figure_in(text_of(room.author, question_path))
    figure_reply = room.author.get(figure_path)
    assert (figure_reply.headers["content-type"], figure_reply.headers["x-content-type-options"]) == (
        "image/png",
        "nosniff",
    )
    assert "sandbox" in figure_reply.headers["content-security-policy"]
    assert SCRIPT not in figure_reply.content
    other_student, first_reviewer, second_reviewer = (
        room.join(Role.PARTICIPANT, "Bob"),
        room.join(Role.GRADER, "Grace"),
        room.join(Role.STAFF, "Barbara"),
    )
    assert send(room.author, question_path, act="submit").status_code == 303
    for client in (other_student, first_reviewer, second_reviewer):
        assert client.get(figure_path).status_code == 404
    assert figure_in(text_of(first_reviewer, f"{room.path}/review")) == figure_path
    assert first_reviewer.get(figure_path).content == figure_reply.content
    assert second_reviewer.get(figure_path).status_code == 404
    room.review(first_reviewer)
    assert first_reviewer.get(figure_path).status_code == 404
    room.review(second_reviewer)
    assert second_reviewer.get(figure_path).status_code == 200
    assert other_student.get(figure_path).status_code == 404
    stranger = Room(room.service)
    assert stranger.owner_client.get(figure_path).status_code == 404
    assert stranger.owner_client.get(figure_path.replace(room.path, stranger.path)).status_code == 404
    for name in ("0" * 64, "x", "..%2f..%2fetc"):
        assert room.author.get(f"{question_path}/figures/{name}").status_code == 404

    assert send(room.owner_client, f"{room.path}/questions/publish").status_code == 303
    (problem,) = Store(room.service.folders).public_pack(f"{room.course.name}-questions").problems
    (figure,) = problem.public.figures
    assert (figure.alt, figure.media_type, figure.content) == (ALT, MediaType.PNG, figure_reply.content)
    assert f"![{ALT}](figures/figure-1.png)" in problem.public.statement


def test_a_figure_is_kept_replaced_and_removed(room: Room) -> None:
    form = fields(QuestionFormat.ASSERTION, **{"alt-1": ALT, "alt-2": "Another"})
    question_path = upload(room.author, f"{room.path}/questions/new", form, png(), jpeg()).headers["location"]
    kept_figures = dict(re.findall(r'name="(kept-\d)" value="(\w*)"', text_of(room.author, question_path)))
    changed_form = form | kept_figures | {"alt-1": "Four ways", "remove-2": "yes"}
    assert upload(room.author, question_path, changed_form).status_code == 303
    page = text_of(room.author, question_path)
    assert figure_in(page).endswith(kept_figures["kept-1"])
    assert "Four ways" in page
    assert upload(room.author, question_path, changed_form, png("red")).status_code == 303
    assert not figure_in(text_of(room.author, question_path)).endswith(kept_figures["kept-1"])
    # The one of another question is none of this.
    other_question = room.write(**fields(QuestionFormat.ASSERTION))
    stolen = send(room.author, other_question, **(form | {"kept-1": kept_figures["kept-1"]}))
    assert stolen.status_code == 422
    assert "choose the picture again" in stolen.text


@pytest.mark.parametrize("picture", [b"<svg/>", bomb(), b"\xff\xd8" + b"\xff\xda" * 200, png()[:50]])
def test_a_hostile_picture_is_refused_and_nothing_is_kept(room: Room, picture: bytes) -> None:
    form = fields(QuestionFormat.ASSERTION, **{"alt-1": ALT})
    reply = upload(room.author, f"{room.path}/questions/new", form, picture)
    assert reply.status_code == 422
    assert "picture" in reply.text
    assert "You have written none" in text_of(room.author, f"{room.path}/questions")


def test_markup_in_an_alternative_text_is_shown_as_text_and_ends_no_picture(room: Room) -> None:
    form = fields(QuestionFormat.ASSERTION, **{"alt-1": '"><script>alert(1)</script>'})
    question_path = upload(room.author, f"{room.path}/questions/new", form, png()).headers["location"]
    assert "<script>alert" not in text_of(room.author, question_path)
    for alt in ("a](x) ![b", "\\", ""):
        reply = upload(room.author, f"{room.path}/questions/new", form | {"alt-1": alt}, png())
        assert "A figure can&#39;t be like that" in reply.text


def test_pictures_are_limited_in_size_number_and_by_day(room: Room) -> None:
    new_question_path = f"{room.path}/questions/new"
    form = fields(QuestionFormat.ASSERTION, **{f"alt-{number}": ALT for number in (1, 2, 3)})
    assert upload(room.author, new_question_path, form, bytes(4 << 20)).status_code == 413
    assert upload(room.author, new_question_path, form, png(), png("red"), png("blue"), png("green")).status_code == 400
    assert upload(room.author, f"{room.path}/review", form, png()).status_code in (413, 415)
    full_questions = FIGURES_PER_DAY // 3
    pictures = [png(f"#{number:06x}") for number in range(3 * full_questions + 3)]
    for number in range(full_questions):
        assert upload(room.author, new_question_path, form, *pictures[3 * number : 3 * number + 3]).status_code == 303
    assert "40 pictures today" in upload(room.author, new_question_path, form, *pictures[-3:]).text


def test_only_models_that_take_pictures_are_asked_about_some(room: Room) -> None:
    form = fields(QuestionFormat.FREE_RESPONSE, **{"alt-1": ALT})
    question_path = upload(room.author, f"{room.path}/questions/new", form, png()).headers["location"]
    assert send(room.author, question_path, act="try").status_code == 303
    page = wait_for_text(room.author, question_path, "It shows four ways")
    assert "nobody judges it" in page
    assert "blind" not in page
    plain_path = room.write(**fields(QuestionFormat.FILL_IN_THE_BLANK))
    assert send(room.author, plain_path, act="try").status_code == 303
    assert "3, wrong" in wait_for_text(room.author, plain_path, "2 of 2 models wrong")
    truth = room.write(**fields(QuestionFormat.ASSERTION))
    assert send(room.author, truth, act="try").status_code == 303
    assert "true, wrong" in wait_for_text(room.author, truth, "2 of 2 models wrong")


def test_a_twin_asks_the_same_without_options_and_its_reviewers_may_know_the_key(room: Room) -> None:
    form = fields(QuestionFormat.MULTIPLE_CHOICE, **{"alt-1": ALT})
    question_path = upload(room.author, f"{room.path}/questions/new", form, png()).headers["location"]
    reply = send(room.author, question_path, act="twin")
    assert reply.status_code == 303
    twin = reply.headers["location"]
    page = text_of(room.author, twin)
    assert "Free response, version 1" in page
    assert f">{QUESTION['B']}</textarea>" in page
    assert f"The same question with options: {question_path.rpartition('/')[2]}" in page
    assert room.author.get(figure_in(page)).status_code == 200
    assert "Only a multiple-choice question" in send(room.author, twin, act="twin").text
    for path in (question_path, twin):
        assert send(room.author, path, act="submit").status_code == 303
    assert "no such draft" in send(room.author, question_path, act="twin").text
    reviewer = room.join(Role.GRADER, "Grace")
    room.review(reviewer)
    room.review(reviewer, answer="written back")
    assert "1 of 1 answers" in text_of(room.owner_client, f"{room.path}/questions")
    assert room.owner_client.get(twin).status_code == 404


def test_figures_are_exported_with_a_person_and_deleted_with_them(room: Room) -> None:
    form = fields(QuestionFormat.ASSERTION, **{"alt-1": ALT})
    question_path = upload(room.author, f"{room.path}/questions/new", form, jpeg()).headers["location"]
    figure_reply = room.author.get(figure_in(text_of(room.author, question_path)))
    (ada,) = [account for account in accounts(room) if exported_data(room, account)["name"] == "Ada"]
    path = f"{room.path}/people/{ada}"
    archive = zipfile.ZipFile(io.BytesIO(room.owner_client.get(f"{path}/export").content))
    (name,) = [file_name for file_name in archive.namelist() if file_name.startswith("figures/")]
    assert name.endswith(".jpg")
    assert archive.read(name) == figure_reply.content
    assert send(room.owner_client, f"{path}/delete", name="Ada").status_code == 303
    assert room.owner_client.get(question_path).status_code == 404


def test_what_a_reviewer_wrote_goes_with_them_and_the_decision_stays(room: Room) -> None:
    question_path = room.write(**fields(QuestionFormat.FREE_RESPONSE))
    assert send(room.author, question_path, act="submit").status_code == 303
    for name in ("Grace", "Barbara"):
        reviewer = room.join(Role.GRADER, name)
        assert room.review(reviewer, answer=f"so says {name}", **ALL_HOLDS).status_code == 303
    (grace,) = [account for account in accounts(room) if exported_data(room, account)["name"] == "Grace"]
    assert exported_data(room, grace)["question_reviews"][0]["answer"] == "so says Grace"
    assert send(room.owner_client, f"{room.path}/people/{grace}/delete", name="Grace").status_code == 303
    page = text_of(room.author, question_path)
    assert page.count("by a reviewer") == 2
    assert "so says Barbara" in page
    assert "Grace" not in page


def test_two_windows_that_send_the_same_picture_at_once_keep_it_once(room: Room) -> None:
    form = fields(QuestionFormat.ASSERTION, **{"alt-1": ALT})
    question_path = room.write(**form | {"alt-1": ""})
    token: dict[str, Any] = {"csrf": csrf(room.author)} | form
    with ThreadPoolExecutor() as pool:
        upload_replies = [
            pool.submit(room.author.post, question_path, data=token, files={"figure-1": png()}) for _ in range(6)
        ]
    assert [reply.result().status_code for reply in upload_replies] == [303] * 6
    assert "version 7" in text_of(room.author, question_path)
    assert room.author.get(figure_in(text_of(room.author, question_path))).status_code == 200
