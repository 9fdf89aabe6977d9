"""Exams that authors upload to the service: read in a sandbox, kept as their unfinished questions, with findings."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest

from benchwright_remote.messages import Role
from benchwright_service.questions.exam_readings import MOST_EXAM_BYTES

from ..support.packs.exam_papers import papers
from ..support.service.bench_service_pages import csrf
from ..support.service.course_people import send
from ..support.service.course_questions import Room, model, room, service, text_of

__all__ = ("model", "room", "service")

_WAIT_S = 120.0


def pdf_of_paper(name: str) -> bytes:
    (paper,) = (paper for paper in papers() if paper.name == name)
    return paper.pdf


def upload(room: Room, content: bytes) -> httpx2.Response:
    return room.author.post(
        f"{room.path}/questions/exams",
        data={"csrf": csrf(room.author), "language": "eng"},
        files={"file": ("midterm.pdf", content, "application/pdf")},
    )


def wait_until_read(client: httpx2.Client, exam_path: str) -> str:
    latest = time.monotonic() + _WAIT_S
    while "data-over" not in client.get(f"{exam_path}/state").text:
        assert time.monotonic() < latest, "the exam is still being read"
        time.sleep(0.1)
    return text_of(client, exam_path)


def test_questions_become_unfinished_ones_of_their_author_and_a_lost_one_is_named(room: Room) -> None:
    response = upload(room, pdf_of_paper("broken"))
    assert response.status_code == 303, response.text
    exam_path = str(response.headers["location"])
    page = wait_until_read(room.author, exam_path)
    assert re.search(r"<td>2</td><td>Question 2 was not found", page), page
    assert "2 questions on 3 pages" in page
    form_paths = re.findall(r'href="([^"]*new\?form=n-[0-9a-f]{12})"', page)
    assert len(form_paths) == 2
    assert "What does a multiplexer choose between?" in text_of(room.author, form_paths[0])
    assert exam_path in text_of(room.author, f"{room.path}/questions")

    for stranger in (room.owner_client, room.join(Role.STAFF, "Grace"), room.join(Role.PARTICIPANT, "Bob")):
        assert stranger.get(exam_path).status_code == 404
        assert stranger.get(f"{exam_path}/state").status_code == 404
        assert send(stranger, exam_path).status_code == 404
        assert "multiplexer" not in text_of(stranger, form_paths[0])
        assert "midterm.pdf" not in text_of(stranger, f"{room.path}/questions")
    assert room.join(Role.MONITOR, "Max").get(f"{room.path}/questions/exams").status_code == 404

    assert send(room.author, exam_path).status_code == 303
    assert room.author.get(exam_path).status_code == 404
    assert "multiplexer" in text_of(room.author, form_paths[0])


def test_choices_and_key_of_an_exam_are_in_the_form_and_its_address_opens_no_other(room: Room) -> None:
    exam_path = str(upload(room, pdf_of_paper("multiple choice")).headers["location"])
    page = wait_until_read(room.author, exam_path)
    assert "6 questions" in page
    form_path = re.findall(r'href="([^"]*new\?form=n-[0-9a-f]{12})"', page)[0]
    form_page = text_of(room.author, form_path)
    assert re.findall(r'<textarea[^>]* name="A"[^>]*>[^<]+<', form_page) or re.findall(
        r'<input[^>]* name="A"[^>]* value="[^"]+"', form_page
    )
    assert room.author.get(f"{room.path}/questions/new?form={exam_path.rsplit('/', 1)[1]}").status_code == 200


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n" * 9, b"%PDF-" + b"0" * MOST_EXAM_BYTES])
def test_what_is_no_pdf_or_too_large_is_refused_with_nothing_kept(room: Room, content: bytes) -> None:
    refused = upload(room, content)
    assert refused.status_code == 422
    assert ("larger than 20 MiB" if len(content) > MOST_EXAM_BYTES else "The file is no PDF") in refused.text
    assert "midterm.pdf" not in text_of(room.author, f"{room.path}/questions")


def test_much_larger_bodies_are_not_even_read(room: Room) -> None:
    assert upload(room, b"%PDF-" + b"0" * (MOST_EXAM_BYTES + (2 << 20))).status_code == 413


def test_a_damaged_pdf_ends_with_a_sentence_and_a_hostile_one_as_text(room: Room) -> None:
    page = wait_until_read(room.author, str(upload(room, b"%PDF-1.7\nnothing").headers["location"]))
    assert "is no PDF, or is damaged" in page
    page = wait_until_read(room.author, str(upload(room, pdf_of_paper("hostile")).headers["location"]))
    assert "<script>alert" not in page
    for form_path in re.findall(r'href="([^"]*new\?form=n-[0-9a-f]{12})"', page):
        form_page = text_of(room.author, form_path)
        assert "<img src=x" not in form_page
        assert "white words" not in form_page
        assert "unseen words" not in form_page


def test_without_a_sandbox_the_exam_is_not_read(tmp_path: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "benchwright_service.questions.exam_process"],
        input=b'{"language": "eng"}\n' + pdf_of_paper("typeset"),
        capture_output=True,
        check=True,
        env=os.environ | {"PATH": str(tmp_path)},
        timeout=60,
    )
    (line,) = process.stdout.splitlines()
    assert "can't read PDFs in a sandbox" in json.loads(line)["failure"]
