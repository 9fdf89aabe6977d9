"""Questions that are not finished: their forms are kept, shown as solvers will see them, and theirs alone."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx2
import pytest

from benchwright_remote.messages import Role

from ..support.service.course_people import send
from ..support.service.course_questions import QUESTION, Room, accounts, exported_data, model, room, service, text_of

__all__ = ("model", "room", "service")

_HALF: dict[str, Any] = QUESTION | {
    "title": "",
    "answer": "",
    "B": "",
    "statement": "Half a **question**",
    "consent": "",
}
FORM = "n-0123456789ab"


def keep(client: httpx2.Client, path: str, act: str = "preview", **changed_fields: str) -> httpx2.Response:
    return send(client, path, **(_HALF | {"act": act, "form": FORM} | changed_fields))


def form_values(page: str) -> dict[str, str]:
    """Texts of the form on a page, by their fields."""
    text_by_field = dict(re.findall(r'<textarea[^>]* name="([\w-]+)"[^>]*>([^<]*)</textarea>', page))
    return text_by_field | dict(re.findall(r'<input[^>]* name="([\w-]+)"[^>]* value="([^"]*)"', page))


def test_a_form_that_nobody_could_save_is_there_again_until_it_is_saved(room: Room) -> None:
    new_path, list_path = f"{room.path}/questions/new", f"{room.path}/questions"
    fragment = keep(room.author, new_path)
    assert fragment.status_code == 200
    assert "<strong>question</strong>" in fragment.text
    assert "Kept unfinished" in fragment.text
    assert f'href="{new_path}?form={FORM}">Without a title' in text_of(room.author, list_path)
    assert f"?form={FORM}" in text_of(room.author, new_path)
    values = form_values(text_of(room.author, f"{new_path}?form={FORM}"))
    assert (values["statement"], values["A"], values["form"]) == (_HALF["statement"], QUESTION["A"], FORM)

    for other_client in (room.owner_client, room.join(Role.PARTICIPANT, "Bob")):
        assert FORM not in text_of(other_client, list_path)
        assert "Half a" not in text_of(other_client, f"{new_path}?form={FORM}")
    assert send(room.author, new_path, **QUESTION, form=FORM).status_code == 303
    assert FORM not in text_of(room.author, list_path)


def test_a_refused_form_and_changes_of_a_saved_question_are_kept_as_well(room: Room) -> None:
    assert keep(room.author, f"{room.path}/questions/new", act="save").status_code == 422
    assert FORM in text_of(room.author, f"{room.path}/questions")
    question_path = room.write()
    assert "have not saved" not in text_of(room.author, question_path)
    assert keep(room.author, question_path).status_code == 200
    page = text_of(room.author, question_path)
    assert "models and reviewers get the saved version" in page
    assert form_values(page)["statement"] == _HALF["statement"]
    assert send(room.author, question_path, act="discard").status_code == 303
    assert form_values(text_of(room.author, question_path))["statement"] == QUESTION["statement"]
    assert send(room.owner_client, question_path, **_HALF | {"act": "preview"}).status_code == 404


def test_a_change_of_format_keeps_all_that_was_typed(room: Room) -> None:
    new_path = f"{room.path}/questions/new"
    format_response = keep(room.author, new_path, act="format", answer="B", B="two", **{"new-format": "free-response"})
    page = text_of(room.author, format_response.headers["location"])
    values = form_values(page)
    assert 'value="free-response" selected' in page
    assert (values["answer"], values["A"], values["answer-choice"]) == ("two", QUESTION["A"], "B")
    # As a browser sends it: the texts that are out of sight, too.
    back = send(room.author, new_path, **values | {"act": "format", "new-format": "multiple-choice"})
    page = text_of(room.author, back.headers["location"])
    assert "<option selected>B</option>" in page
    assert form_values(page)["A"] == QUESTION["A"]


def test_a_saved_question_can_have_another_format_and_its_own_again_with_all_that_was_typed(room: Room) -> None:
    question_path = room.write()
    own_values = {"format": "multiple-choice", **QUESTION}

    def in_format(values: dict[str, str], style: str) -> dict[str, str]:
        reply = send(room.author, question_path, **values | {"act": "format", "new-format": style})
        return form_values(text_of(room.author, reply.headers["location"].partition("#")[0]))

    typed = in_format(own_values | {"title": "Typed just now"}, "free-response")
    assert (typed["title"], typed["answer"], typed["A"]) == ("Typed just now", QUESTION["B"], QUESTION["A"])
    saved = send(room.author, question_path, **typed | {"act": "save", "consent": "yes", "item-1": "It is written."})
    assert saved.status_code == 303
    page = text_of(room.author, question_path)
    assert "Free response, version 2" in page

    # Another day: nothing but the saved version is left of the form.
    multiple_choice_values = in_format(form_values(page), "multiple-choice")
    assert {letter: multiple_choice_values[letter] for letter in "ABCD"} == {
        letter: QUESTION[letter] for letter in "ABCD"
    }
    assert multiple_choice_values["item-1"] == "It is written."
    page = text_of(room.author, question_path)
    assert "<option selected>B</option>" in page
    saved = send(
        room.author, question_path, **multiple_choice_values | {"act": "save", "consent": "yes", "answer": "B"}
    )
    assert saved.status_code == 303
    assert "Multiple choice, version 3" in text_of(room.author, question_path)


def test_nobody_keeps_more_than_twenty_and_each_is_exported_and_deleted_with_its_author(room: Room) -> None:
    for number in range(20):
        assert keep(room.author, f"{room.path}/questions/new", form=f"n-{number:012}").status_code == 200
    refusal = keep(room.author, f"{room.path}/questions/new")
    assert (refusal.status_code, "are unfinished" in refusal.text) == (422, True)
    assert "<strong>question</strong>" in refusal.text
    assert keep(room.author, f"{room.path}/questions/new", form=f"n-{0:012}").status_code == 200
    (ada,) = [account for account in accounts(room) if exported_data(room, account)["name"] == "Ada"]
    kept_forms = exported_data(room, ada)["unfinished_questions"]
    assert (len(kept_forms), kept_forms[0]["statement"]) == (20, _HALF["statement"])
    assert send(room.owner_client, f"{room.path}/people/{ada}/delete", name="Ada").status_code == 303
    everything = [exported_data(room, account) for account in accounts(room)]
    assert _HALF["statement"] not in json.dumps(everything)


@pytest.mark.parametrize("length", [10_000, 60_000])
def test_long_texts_of_any_script_are_kept(room: Room, length: int) -> None:
    fragment = keep(room.author, f"{room.path}/questions/new", statement="語" * length)
    assert fragment.status_code == (200 if length <= 20_000 else 413)
