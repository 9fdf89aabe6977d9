"""Launches from a learning management system: an independent LTI 1.3 platform, and messages that do not hold."""

from __future__ import annotations

import base64
import csv
import hmac
import io
import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from joserfc import jwt
from joserfc.jwk import KeySet
from lti1p3platform.registration import Registration

from benchwright_remote.messages import Role
from benchwright_studies.conduct.study_log import StudyLog

from ..support.service.bench_service import Service, Solver, running_service
from ..support.service.bench_service_pages import REF, browser, csrf, invitation, program_token, signed_in
from ..support.service.lti_launch import (
    CLAIM,
    CLIENT,
    CONTEXT,
    FOREIGN,
    KEY,
    LEARNER,
    MEMBERSHIP,
    SECOND,
    TEACHER,
    Platform,
    School,
    platform,
)
from ..support.service.rosters import merge_roster

__all__ = ("platform",)

SETTINGS = "https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"
ITEMS = "https://purl.imsglobal.org/spec/lti-dl/claim/content_items"
ASSISTANT = f"{MEMBERSHIP}/Instructor#TeachingAssistant"


@pytest.fixture
def school(platform: Platform, tmp_path: Path) -> Iterator[School]:
    service = Service(tmp_path / "service", workers=0)
    course = service.set_up()
    file = platform.as_settings(tmp_path, course.name, CONTEXT, SECOND, more_lines='login_claim = "ext.user_username"')
    service.options = ("--sign-in", str(file))
    with running_service(service):
        platform.tool = service.url
        yield School(service, course, platform)


def test_students_and_staff_come_from_their_learning_management_system(school: School) -> None:
    course_page = f"/courses/{school.course.name}"
    student = browser(school.service)
    came = school.launch(student, "ada", LEARNER)
    assert (came.status_code, came.headers["location"]) == (303, course_page)
    assert "0 of" in student.get(course_page).text
    assert student.get(f"{course_page}/progress").status_code == 404
    teacher = browser(school.service)
    school.launch(teacher, "grace", "http://purl.imsglobal.org/vocab/lis/v2/institution/person#Faculty", TEACHER)
    assert "ada &lt;b&gt;" in teacher.get(f"{course_page}/progress").text
    assistant = browser(school.service)
    school.launch(assistant, "tim", TEACHER, ASSISTANT)
    assert "grader" in assistant.get("/").text
    # The same person is the same account, and keeps what they are.
    second_browser = browser(school.service)
    school.launch(second_browser, "ada", TEACHER)
    assert second_browser.get(f"{course_page}/progress").status_code == 404
    owner_client = signed_in(school.service, invitation(school.service, school.course, Role.OWNER), "Professor")
    assert len(re.findall(r"ada &lt;b&gt;</th>", owner_client.get(f"{course_page}/progress").text)) == 1


def test_a_message_counts_once_and_for_the_browser_that_was_sent_away(school: School) -> None:
    client, other_client = browser(school.service), browser(school.service)
    launch_form = school.message(school.preflight(client, "ada"), "ada", LEARNER)
    assert school.post(other_client, launch_form).status_code == 422
    school.preflight(other_client, "mallory")
    assert school.post(other_client, launch_form).status_code == 422
    assert "benchwright_session" not in other_client.cookies
    assert school.post(client, {**launch_form, "state": "another"}).status_code == 422
    assert school.post(client, launch_form).status_code == 422
    launch_form = school.message(school.preflight(client, "ada"), "ada", LEARNER)
    assert school.post(client, launch_form).status_code == 303
    assert school.post(client, launch_form).status_code == 422


def test_a_message_that_does_not_hold_signs_nobody_in(school: School) -> None:
    def tried(**claims: Any) -> int:
        client = browser(school.service)
        status = school.launch(client, "ada", LEARNER, **claims).status_code
        assert ("benchwright_session" in client.cookies) == (status == 303)
        return status

    def signed(sign: Callable[[dict[str, Any]], str], **claims: Any) -> int:
        client = browser(school.service)
        request = school.preflight(client, "ada")
        good = school.message(request, "ada", LEARNER)
        body = jwt.decode(good["id_token"], KEY).claims | claims
        token = sign({name: value for name, value in body.items() if value is not None})
        status = school.post(client, {**good, "id_token": token}).status_code
        assert ("benchwright_session" in client.cookies) == (status == 303)
        return status

    kid = {"kid": Registration.get_jwk(KEY.as_pem(private=False).decode())["kid"]}

    def right(claims: dict[str, Any]) -> str:
        return jwt.encode({"alg": "RS256", **kid}, claims, KEY)

    def foreign(claims: dict[str, Any]) -> str:
        return jwt.encode({"alg": "RS256", **kid}, claims, FOREIGN)

    def by_secret(claims: dict[str, Any]) -> str:
        token_parts = b'{"alg":"HS256","typ":"JWT"}', json.dumps(claims).encode()
        text = b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in token_parts)
        mac = hmac.digest(KEY.as_pem(private=False), text, "sha256")
        return (text + b"." + base64.urlsafe_b64encode(mac).rstrip(b"=")).decode()

    def unsigned(claims: dict[str, Any]) -> str:
        return f"eyJhbGciOiJub25lIn0.{right(claims).split('.')[1]}."

    assert tried() == 303
    assert signed(right) == 303
    now_s = int(time.time())
    for claims in (
        {f"{CLAIM}deployment_id": "another"},
        {f"{CLAIM}message_type": "LtiDeepLinkingRequest"},
        {f"{CLAIM}version": "1.1"},
        {f"{CLAIM}roles": [f"{MEMBERSHIP}#Mentor"]},
        {f"{CLAIM}roles": None},
        {f"{CLAIM}roles": 7},
        {f"{CLAIM}context": "x"},
        {"nonce": "another"},
        {"nonce": None},
        {"iss": "https://evil.example"},
        {"aud": "another"},
        {"aud": ["another"]},
        {"aud": [CLIENT, "x"], "azp": "x"},
        {"sub": None},
        {"sub": ""},
        {"sub": "x" * 256},
        {"iat": now_s - 4_000, "exp": now_s - 3_700},
        {"iat": now_s - 4_000},
        {"iat": "x"},
        {"exp": None},
    ):
        assert signed(right, **claims) == 422, claims
    for sign in (foreign, by_secret, unsigned, lambda _: "", lambda _: "a.b.c", lambda _: "x" * 50_000):
        assert signed(sign) == 422, sign
    assert school.platform.reads < 5


def test_a_course_that_is_not_known_is_named_for_the_operator(school: School) -> None:
    reply = school.launch(browser(school.service), "ada", LEARNER, context_id="lms-<b>")
    assert (reply.status_code, "The course lms-&lt;b&gt; of your learning" in reply.text) == (422, True)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "query",
    ["", "iss=https://evil.example&login_hint=x", "iss=PLATFORM", "iss=PLATFORM&login_hint=x&client_id=another"],
)
def test_an_unknown_platform_is_sent_nowhere(school: School, query: str) -> None:
    reply = browser(school.service).get(f"/lti/login?{query.replace('PLATFORM', school.platform.url)}")
    assert (reply.status_code, reply.headers.get("location")) == (422, None)


def test_new_keys_of_a_platform_are_read_and_one_that_is_away_is_told(school: School) -> None:
    school.platform.status = 503
    assert school.launch(browser(school.service), "ada", LEARNER).status_code == 422
    school.platform.status = 200
    assert school.launch(browser(school.service), "ada", LEARNER).status_code == 303


def test_the_roster_of_the_platform_is_taken(school: School) -> None:
    school.offers = school.platform.url
    teacher = school.teacher()
    school.launch(browser(school.service), "ada", LEARNER)
    school.platform.course_members = [
        {"user_id": "ada", "name": "Ada", "roles": [LEARNER], "status": "Active"},
        {"user_id": "grace", "name": "Grace", "roles": ["Instructor"]},
        {"user_id": "alan", "name": "Alan", "roles": ["Learner"], "status": "Active"},
        {"user_id": "gone", "name": "Gone", "roles": ["Learner"], "status": "Inactive"},
        {"user_id": "mum", "name": "Mum", "roles": ["Mentor"]},
        {"user_id": 7, "name": "Seven", "roles": ["Learner"]},
    ]
    page_text = school.press(teacher, "roster").text
    assert "3 people are in the course there; 1 of them are new here. 3 more are inactive" in page_text
    progress = teacher.get(f"/courses/{school.course.name}/progress").text
    assert "Alan" in progress
    assert "Gone" not in progress
    # Who launches later is the one of the roster.
    alan = browser(school.service)
    school.launch(alan, "alan", LEARNER)
    assert "Alan" in alan.get("/").text


def test_an_invitation_and_a_launch_are_one_person_also_with_another_name(school: School) -> None:
    codes = merge_roster(
        school.service, school.course, "name,email,sis id\nAda King,ada@x.org,S1\nAlan,alan@x.org,S2\nZoe,zoe@x.org,\n"
    )
    teacher = school.teacher()
    with school.service.client() as client:
        ada = client.post("/api/v1/join", json={"code": codes["Ada King"], "name": "x"}).json()["me"]["account"]
    launched = browser(school.service)
    school.launch(launched, "lms-1", LEARNER, email="Ada@X.org")
    assert "Ada King" in launched.get("/").text
    # The number counts before an address that has changed.
    school.launch(
        browser(school.service), "lms-2", LEARNER, email="new@x.org", **{f"{CLAIM}lis": {"person_sourcedid": "S2"}}
    )
    with school.service.client() as client:
        assert client.post("/api/v1/join", json={"code": codes["Alan"], "name": "x"}).status_code == 200
    progress = teacher.get(f"/courses/{school.course.name}/progress").text
    assert re.findall(r'<th scope="row">([\w ]+)', progress) == ["Ada King", "Alan", "Zoe"]
    csv_rows = list(csv.DictReader(io.StringIO(teacher.get(f"/courses/{school.course.name}/grades.canvas.csv").text)))
    assert [row["SIS User ID"] for row in csv_rows[1:]] == ["S1", "S2", ""]
    assert ada in teacher.get(f"/courses/{school.course.name}/grades").text


def test_an_address_that_is_taken_or_not_verified_brings_nobody_into_anothers_place(school: School) -> None:
    merge_roster(school.service, school.course, "name,email\nAda King,ada@x.org\n")
    first, thief, liar = (browser(school.service) for _ in range(3))
    school.launch(liar, "mallory", LEARNER, email="ada@x.org", email_verified=False)
    school.launch(first, "lms-1", LEARNER, email="ada@x.org")
    school.launch(thief, "lms-2", LEARNER, email="ada@x.org")
    assert ["Ada King" in client.get("/").text for client in (first, thief, liar)] == [True, False, False]
    # It does not become theirs by coming again, and the next file is about Ada.
    school.launch(thief, "lms-2", LEARNER, email="Ada@X.org")
    assert merge_roster(school.service, school.course, "name,email\nAda King,ada@x.org\nZoe,zoe@x.org\n").keys() == {
        "Zoe"
    }
    text = school.teacher().get(f"/courses/{school.course.name}/grades.moodle.csv").text
    addresses = sorted(row["Email address"] for row in csv.DictReader(io.StringIO(text)))
    assert addresses == ["", "", "ada@x.org", "zoe@x.org"]


def test_who_was_dropped_does_not_come_back_by_a_launch(school: School) -> None:
    merge_roster(school.service, school.course, "name,email\nAda King,ada@x.org\nZoe,zoe@x.org\n")
    merge_roster(school.service, school.course, "name,email\nZoe,zoe@x.org\n")
    reply = school.launch(browser(school.service), "lms-1", LEARNER, email="ada@x.org")
    assert (reply.status_code, "has you no longer" in reply.text) == (422, True)


def test_grades_are_sent_once_for_each_change(school: School, tmp_path: Path) -> None:
    school.offers = school.platform.url
    teacher = school.teacher()
    for name in ("ada", "alan", "zoe"):
        school.launch(browser(school.service), name, LEARNER)
    signed_in(school.service, school.course.invitation, "Not from there")
    course_page = f"/courses/{school.course.name}"
    accounts = dict(
        re.findall(r'grades/[0-9a-f]+/([0-9a-f]+)" aria-label="(\w+) ', teacher.get(f"{course_page}/grades").text)
    )
    by_name = {name: account for account, name in accounts.items()}

    def adjust(name: str, new_points: str) -> None:
        path = f"{course_page}/grades/{school.course.assignment}/{by_name[name]}"
        assert (
            teacher.post(path, data={"csrf": csrf(teacher), "points": new_points, "reason": "oral"}).status_code == 303
        )

    adjust("ada", "3")
    adjust("alan", "2")
    school.platform.refuses = {"alan"}
    assert "1 scores were sent; 1 have not changed. 1 are of students" in school.press(teacher, "grades/send").text
    (line_item,) = school.platform.line_items
    assert line_item["resourceId"] == school.course.assignment
    path, score = school.platform.scores[0]
    assert path == "/items/0/scores?type=1"
    assert (score["userId"], score["scoreGiven"], score["scoreMaximum"]) == ("ada", 3, line_item["scoreMaximum"])
    school.platform.refuses = set()
    assert "1 scores were sent; 2 have not" in school.press(teacher, "grades/send").text
    assert "0 scores were sent; 3 have not" in school.press(teacher, "grades/send").text
    adjust("ada", "-1")
    school.press(teacher, "grades/send")
    assert [sent_score["scoreGiven"] for _, sent_score in school.platform.scores] == [3, 2, 2]
    assert len(school.platform.line_items) == 1
    assert "sent grades" in teacher.get(f"{course_page}/audit").text


def test_grades_go_to_the_courses_that_each_person_is_in(school: School) -> None:
    school.offers = school.platform.url
    teacher = school.teacher()
    school.launch(browser(school.service), "ada", LEARNER)
    school.launch(browser(school.service), "both", LEARNER)
    # The same course here, from another one there: its launch is the newest.
    school.offers = f"{school.platform.url}/second"
    for name in ("zoe", "both"):
        school.launch(browser(school.service), name, LEARNER, context_id=SECOND)
    adjust_all(school, teacher, {"ada": "1", "both": "2", "zoe": "3"})
    assert "4 scores were sent" in school.press(teacher, "grades/send").text
    sent = [
        (path.partition("/items")[0], score["userId"], score["scoreGiven"]) for path, score in school.platform.scores
    ]
    assert sorted(sent) == [("", "ada", 1), ("", "both", 2), ("/second", "both", 2), ("/second", "zoe", 3)]
    assert [item["resourceId"] for item in school.platform.line_items] == [school.course.assignment] * 2
    assert "0 scores were sent; 4 have not" in school.press(teacher, "grades/send").text


def adjust_all(school: School, teacher: httpx2.Client, points: dict[str, str]) -> None:
    """Gives people points for the assignment."""
    course_page = f"/courses/{school.course.name}"
    page = teacher.get(f"{course_page}/grades").text
    for account, name in re.findall(r'grades/[0-9a-f]+/([0-9a-f]+)" aria-label="(\w+) ', page):
        path = f"{course_page}/grades/{school.course.assignment}/{account}"
        fields = {"csrf": csrf(teacher), "points": points[name], "reason": "oral"}
        assert teacher.post(path, data=fields).status_code == 303


def test_a_platform_is_told_how_far_work_and_grading_are(school: School, tmp_path: Path) -> None:
    school.offers = school.platform.url
    teacher = school.teacher()
    ada = browser(school.service)
    school.launch(ada, "ada", LEARNER)
    token = program_token(school.service, ada)
    solver = Solver(school.service, school.course, StudyLog(tmp_path / "attempts.sqlite"), token)
    attempt = solver.begin(REF, {"rtl/sat_counter.sv": "module m; endmodule"})
    assert solver.send(attempt).status_code == 200

    def told() -> tuple[str, str, object]:
        assert "1 scores were sent" in school.press(teacher, "grades/send").text
        score = school.platform.scores[-1][1]
        return score["activityProgress"], score["gradingProgress"], score.get("scoreGiven")

    assert told() == ("InProgress", "NotReady", None)
    assert solver.run(attempt, 1, {"rtl/sat_counter.sv": "module m; endmodule"}).status_code == 202
    assert told() == ("Submitted", "Pending", None)
    adjust_all(school, teacher, {"ada": "1"})
    assert told() == ("Submitted", "Pending", 1)


def test_a_platform_is_told_that_people_have_to_grade_and_that_all_is_done(platform: Platform, tmp_path: Path) -> None:
    service = Service(tmp_path / "service", workers=0)
    course = service.set_up(problems=("reorder-buffer",))
    service.options = ("--sign-in", str(platform.as_settings(tmp_path, course.name, CONTEXT)))
    with running_service(service):
        platform.tool = service.url
        school = School(service, course, platform, platform.url)
        teacher, ada = school.teacher(), browser(service)
        school.launch(ada, "ada", LEARNER)
        rules = {"csrf": csrf(teacher), "worth": "4", "late": "0", "graders": "1"}
        path = f"/courses/{course.name}"
        assert teacher.post(f"{path}/assignments/{course.assignment}/grading", data=rules).status_code == 303
        solver = Solver(service, course, StudyLog(tmp_path / "attempts.sqlite"), program_token(service, ada))
        attempt = solver.begin("starter/reorder-buffer", {"answer.md": ""})
        assert solver.send(attempt).status_code == 200
        solver.verdict(solver.run(attempt, 1, {"answer.md": "It retires in order."}).json()["id"])
        solver.log.close()
        assert "1 scores were sent" in school.press(teacher, "grades/send").text
        page = teacher.get(f"{path}/answers").text
        (item,), labels = (
            re.findall(r'name="item" value="(\w+)"', page),
            re.findall(r'name="label" value="(\w+)"', page),
        )
        grade = {"csrf": csrf(teacher), "item": item, "label": max(labels, key=float), "difficulty": "2"}
        assert teacher.post(f"{path}/answers", data=grade).status_code == 303
        assert "1 scores were sent" in school.press(teacher, "grades/send").text
    assert [
        (score["activityProgress"], score["gradingProgress"], score.get("scoreGiven")) for _, score in platform.scores
    ] == [("Submitted", "PendingManual", None), ("Completed", "FullyGraded", 4)]


def test_a_teacher_chooses_assignments_and_their_links_lead_to_them(school: School) -> None:
    link_settings = {
        "deep_link_return_url": f"{school.platform.url}/return",
        "accept_types": ["ltiResourceLink"],
        "accept_multiple": True,
        "data": "opaque",
    }
    request = {f"{CLAIM}message_type": "LtiDeepLinkingRequest", SETTINGS: link_settings}
    client = browser(school.service)
    page = school.launch(client, "grace", TEACHER, **request).text
    assert "Computer architecture" not in page
    carried = re.search(r'name="request" value="([^"]+)"', page)
    assert carried is not None
    form = {"request": carried[1], "assignment": school.course.assignment}
    chosen = client.post("/lti/links", data=form)
    assert f"form-action {school.platform.url};" in chosen.headers["content-security-policy"]
    request_field = re.search(
        rf'action="{school.platform.url}/return"><input type="hidden" name="JWT" value="([^"]+)"', chosen.text
    )
    assert request_field is not None
    keys = KeySet.import_key_set(client.get("/lti/keys").json())
    claims = jwt.decode(request_field[1], keys).claims
    assert (claims["iss"], claims["aud"]) == (CLIENT, school.platform.url)
    assert claims["https://purl.imsglobal.org/spec/lti-dl/claim/data"] == "opaque"
    (item,) = claims[ITEMS]
    assert item["lineItem"]["resourceId"] == school.course.assignment
    student = browser(school.service)
    came = school.launch(student, "ada", LEARNER, **{f"{CLAIM}custom": item["custom"]})
    assert came.headers["location"] == f"/courses/{school.course.name}/mine/{school.course.assignment}"
    elsewhere = school.launch(browser(school.service), "ada", LEARNER, **{f"{CLAIM}custom": {"assignment": "0" * 32}})
    assert elsewhere.headers["location"] == f"/courses/{school.course.name}"
    assert client.post("/lti/links", data={"request": carried[1]}).status_code == 422
    assert client.post("/lti/links", data={**form, "request": request_field[1]}).status_code == 422
    for user, role, changed_settings in (
        ("ada", LEARNER, {}),
        ("tim", ASSISTANT, {}),
        ("grace", TEACHER, {"deep_link_return_url": "https://evil.example/return"}),
        ("grace", TEACHER, {"accept_types": ["file"]}),
    ):
        changed_request = {**request, SETTINGS: {**link_settings, **changed_settings}}
        assert school.launch(browser(school.service), user, role, **changed_request).status_code == 422


def test_the_claim_that_is_the_login_is_the_platforms_to_say(school: School) -> None:
    merge_roster(school.service, school.course, "name,username\nAda King,ada1\n")
    ada = browser(school.service)
    ext = "https://purl.imsglobal.org/spec/lti/claim/ext"
    school.launch(ada, "lms-1", LEARNER, **{ext: {"user_username": "ADA1"}})
    assert "Ada King" in ada.get("/").text
    school.launch(browser(school.service), "lms-2", LEARNER, **{ext: {"user_username": "zoe"}})
    text = school.teacher().get(f"/courses/{school.course.name}/grades.moodle.csv").text
    assert sorted(row["Username"] for row in csv.DictReader(io.StringIO(text))) == ["ada1", "zoe"]


def test_a_platform_that_offers_nothing_or_names_other_hosts_is_not_asked(school: School) -> None:
    teacher = school.teacher()
    assert "gives this tool no roster" in school.press(teacher, "roster").text
    assert "takes no grades of this tool" in school.press(teacher, "grades/send").text
    school.offers = "http://127.0.0.1:1"
    school.launch(teacher, "grace", TEACHER)
    assert "gives this tool no roster" in school.press(teacher, "roster").text
    school.offers = school.platform.url
    school.launch(teacher, "grace", TEACHER)
    assert "The roster was taken" in school.press(teacher, "roster").text
    student = browser(school.service)
    school.launch(student, "ada", LEARNER)
    assert school.press(student, "roster").status_code == 404
    assert school.press(student, "grades/send").status_code == 404
    public = browser(school.service).get("/lti/keys").json()["keys"]
    assert [sorted(key) for key in public] == [["alg", "e", "kid", "kty", "n", "use"]]


def test_there_is_no_launch_where_no_platform_is_known(service: Service) -> None:
    client = browser(service)
    assert client.get("/lti/login?iss=x&login_hint=y").status_code == 404
    assert client.post("/lti/launch", data={"state": "x", "id_token": "y"}).status_code == 404
