"""People who grade answers by a question's rubric, and see its figures."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import httpx2
import pytest

from benchwright_attempts.events.events import Started
from benchwright_foundation.home import Home
from benchwright_problems.figure import MediaType
from benchwright_problems.problem import Figure, Pack, Problem
from benchwright_problems.reveal import Reveal
from benchwright_problems.rubric_points import RubricItem, RubricPoints
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Role

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_pages import csrf, invitation, signed_in
from ..support.service.course_people import send

NAME = "reorder-buffer"
NEED, RETIRE = "Names <precise> exceptions.", "Explains retirement in order."
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><title>R</title><rect width="9" height="9"/></svg>'


def question() -> Problem:
    """An open question with a figure, and a rubric of four points."""
    problem = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(f"starter/{NAME}")
    assert problem.hidden.answer is not None
    rubric = RubricPoints(items=(RubricItem(text=NEED, points=3), RubricItem(text=RETIRE)), enough=3)
    drawing = base64.b64encode(SVG.encode()).decode()
    figure = Figure(path="figures/rob.svg", media_type=MediaType.SVG, data=drawing, alt='A "buffer"')
    answer = problem.hidden.answer.model_copy(update={"points": rubric})
    public = problem.public.model_copy(update={"figures": (figure,)})
    hidden_part = problem.hidden.model_copy(update={"answer": answer})
    return problem.model_copy(update={"public": public, "hidden": hidden_part, "reveal": Reveal.NAMES})


class Class:
    """A course with one answer that waits, and those who are in it."""

    def __init__(
        self, service: Service, folder: Path, reveal: Reveal | None = None, answer: str = "<b>In</b> order."
    ) -> None:
        pack = Pack(name="written", title="W", version="1", license="MIT", source="us", problems=(question(),))
        Store(service.folders).add(pack, replace=True)
        self.course: Course = service.set_up("written", reveal=reveal)
        solver = Solver.joining(service, self.course, folder, "Ada Lovelace")
        attempt = solver.begin(f"written/{NAME}", {"answer.md": ""})
        solver.record(attempt, Started())
        assert solver.send(attempt).status_code == 200
        solver.verdict(solver.run(attempt, 1, {"answer.md": answer}).json()["id"])
        with service.client(solver.token) as client:
            account = client.get("/api/v1/me").json()["account"]
        solver.log.close()
        self.ada = signed_in(service, solver.token)
        self.owner_client = signed_in(service, invitation(service, self.course, Role.OWNER), "Professor")
        names = ("Carver", "Dana", "Eve")
        self.graders = [signed_in(service, invitation(service, self.course, Role.GRADER), name) for name in names]
        self.answers_path = f"/courses/{self.course.name}/answers"
        self.own_page = f"/courses/{self.course.name}/mine/{self.course.assignment}"
        self.grade = f"/courses/{self.course.name}/grades/{self.course.assignment}/{account}"

    def item(self) -> str:
        (item_id,) = set(re.findall(r'name="item" value="(\w+)"', self.graders[2].get(self.answers_path).text))
        return str(item_id)

    def give(self, grader: httpx2.Client, *points: str, **extra_fields: str) -> httpx2.Response:
        fields = {f"points-{number}": value for number, value in enumerate(points)}
        form = {"csrf": csrf(grader), "item": self.item(), "difficulty": "2"} | fields | extra_fields
        return grader.post(self.answers_path, data=form)


def test_points_are_given_for_each_item_and_shown_when_they_are_decided(service: Service, tmp_path: Path) -> None:
    taught = Class(service, tmp_path)
    first_grader, second_grader, three = taught.graders
    page = first_grader.get(taught.answers_path).text
    assert "Names &lt;precise&gt; exceptions." in page
    assert "right from 3 points" in page
    assert 'name="label"' not in page
    assert "&lt;b&gt;In&lt;/b&gt; order." in page
    for wrong_points, message in (
        (("4", "0"), "is worth 0 to 3 points"),
        (("x", "1"), "is no number"),
        (("1",), "not those of"),
    ):
        refusal = taught.give(first_grader, *wrong_points)
        assert (refusal.status_code, message in refusal.text) == (422, True), refusal.text
    assert "has been changed" in taught.give(first_grader, label="10").text
    assert taught.give(first_grader, "3", "0.5", comment="good <i>").status_code == 303
    for early_reply in (taught.ada.get(taught.own_page), taught.owner_client.get(taught.grade)):
        assert "exceptions" not in early_reply.text
    assert "you decide" not in second_grader.get(taught.answers_path).text
    assert taught.give(second_grader, "0", "0.5").status_code == 303
    third_page = three.get(taught.answers_path).text
    assert "Two people have graded this answer and differ; you decide." in third_page
    assert "<strong>0 and 3</strong>" in third_page
    assert "<td>0.5</td>" in third_page
    for word in ("Carver", "Dana", "Ada", "good &lt;i&gt;"):
        assert word not in third_page
    assert taught.give(three, "3", "0.5").status_code == 303
    staff = taught.owner_client.get(taught.grade).text
    assert re.search(r"people gave, 3\.5 of 4; right from 3", staff)
    assert "Grader 3" in staff
    assert "good &lt;i&gt;" in staff
    student = taught.ada.get(taught.own_page).text
    assert "Names &lt;precise&gt; exceptions." in student
    for hidden_text in ("Grader 1", "good &lt;i&gt;", "Carver"):
        assert hidden_text not in student


def test_a_narrow_policy_shows_students_the_sum_alone(service: Service, tmp_path: Path) -> None:
    taught = Class(service, tmp_path, reveal=Reveal.VERDICT)
    first_grader, second_grader, _ = taught.graders
    for grader in (first_grader, second_grader):
        assert taught.give(grader, "3", "1").status_code == 303
    student = taught.ada.get(taught.own_page).text
    assert f"{question().title}: people gave 4 of 4 points; right from 3." in student
    assert "exceptions" not in student
    assert "exceptions" in taught.owner_client.get(taught.grade).text


def test_figures_are_for_graders_of_the_course_and_run_nothing(service: Service, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    taught, other_class = Class(service, tmp_path), Class(service, tmp_path / "other")
    grader = taught.graders[0]
    (source,) = re.findall(r'<img src="([^"]+)" alt="A &#34;buffer&#34;">', grader.get(taught.answers_path).text)
    reply = grader.get(source)
    assert (reply.status_code, reply.content.decode()) == (200, SVG)
    assert reply.headers["content-type"] == "image/svg+xml"
    assert reply.headers["x-content-type-options"] == "nosniff"
    policy = reply.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "script-src" not in policy
    assert taught.owner_client.get(source).status_code == 200
    for client in (taught.ada, other_class.graders[0], other_class.owner_client):
        assert client.get(source).status_code == 404
    of_the_other = source.replace(taught.course.name, other_class.course.name)
    assert other_class.graders[0].get(of_the_other).status_code == 404
    assert grader.get(source[:-1] + "7").status_code == 404
    assert grader.get(re.sub(r"answers/\w+/", "answers/none/", source)).status_code == 404


@pytest.mark.parametrize("role", list(Role))
def test_answers_are_graded_by_those_who_may(service: Service, tmp_path: Path, role: Role) -> None:
    course = service.set_up(problems=("saturating-counter",))
    client = signed_in(service, invitation(service, course, role))
    expected_status = 200 if role in (Role.OWNER, Role.STAFF, Role.GRADER) else 404
    assert client.get(f"/courses/{course.name}/answers").status_code == expected_status


def test_graders_read_what_students_wrote_as_it_is_meant_and_as_it_was_typed(service: Service, tmp_path: Path) -> None:
    taught = Class(
        service, tmp_path, answer="It is **in order**:\n![x](https://example.org/t.png)\n<img src=x onerror=y>"
    )
    page = taught.graders[0].get(taught.answers_path).text
    assert "It is <strong>in order</strong>:<br />" in page
    assert "It is **in order**:" in page
    assert not re.findall(r'<img src="?(?:https|x)', page)
    assert send(taught.ada, taught.own_page, text="*Look* again").status_code == 303
    for client, path in ((taught.ada, taught.own_page), (taught.owner_client, taught.grade)):
        assert "<em>Look</em> again" in client.get(path).text
