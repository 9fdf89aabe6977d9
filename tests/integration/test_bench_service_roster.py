"""A course's roster: merged by the command and by the page, and everybody on it is one person."""

from __future__ import annotations

import csv
import io
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from benchwright_remote.messages import Role

from ..support.service.bench_service import DATABASES, Course, Service, running_service
from ..support.service.bench_service_backup import command
from ..support.service.bench_service_pages import browser, csrf, invitation, signed_in
from ..support.service.postgres import new_database
from ..support.service.rosters import merge_roster

ROSTER = (
    "email,name,section,role,student number\r\n"
    'ada@example.org,=Ada,A,,7\r\ngrace@example.org,"Hopper, Grace",B,staff,8\r\nalan@example.org,Alan,B,,9\r\n'
)
LATER = (
    "E-Mail;Vorname;Nachname;Matrikelnummer\n"
    "new@example.org;Ada;King;7\nGRACE@example.org;Grace;Hopper;8\nedith@example.org;Edith;Clarke;10\n"
)


@pytest.fixture(scope="module", params=DATABASES)
def service(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    database = new_database(request.getfixturevalue("postgres")) if request.param == "postgresql" else None
    with running_service(Service(tmp_path_factory.mktemp("service"), database, workers=0)) as started:
        yield started


def database_options(service: Service) -> list[str]:
    return ["--database", service.database] if service.database is not None else []


@pytest.fixture
def course(service: Service) -> Course:
    return service.set_up()


@pytest.fixture
def owner(service: Service, course: Course) -> httpx2.Client:
    return signed_in(service, invitation(service, course, Role.OWNER), "Professor")


def merge_by_command(
    service: Service, course: Course, folder: Path, text: str, *options: str
) -> tuple[str, list[dict[str, str]]]:
    """What the command says, and the people whom it invites."""
    roster, output = folder / "roster.csv", folder / f"invitations-{len(list(folder.iterdir()))}.csv"
    roster.write_text(text)
    words = ("roster", course.name, str(roster), str(output), *options, *database_options(service))
    process = command(service.home, *words)
    assert process.returncode == 0, process.stderr
    if not output.exists():
        return process.stdout, []
    assert stat.S_IMODE(output.stat().st_mode) == 0o600
    with output.open(newline="") as stream:
        return process.stdout, list(csv.DictReader(stream))


def join(service: Service, code: str, name: str = "Somebody") -> httpx2.Response:
    with service.client() as client:
        return client.post("/api/v1/join", json={"code": code, "name": name})


def upload(client: httpx2.Client, course: Course, text: str) -> httpx2.Response:
    files = {"file": ("roster.csv", text.encode(), "text/csv")}
    return client.post(f"/courses/{course.name}/people/roster", data={"csrf": csrf(client)}, files=files)


def agree(client: httpx2.Client, course: Course, preview: str, **changed_fields: str) -> httpx2.Response:
    fields = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', preview[preview.index("/merge") :]))
    if 'name="drop" checked' in preview:
        fields["drop"] = "on"
    # As a form with a file sends it: each field is a part.
    parts = {name: (None, value.encode()) for name, value in (fields | changed_fields).items()}
    return client.post(f"/courses/{course.name}/people/roster/merge", files=parts)


def test_an_invitation_is_its_persons_with_the_rosters_name_and_signs_them_in_again(
    service: Service, course: Course, tmp_path: Path
) -> None:
    printed, rows = merge_by_command(service, course, tmp_path, ROSTER, "--address", "https://bench.example.org/")
    assert "3 new, 0 changed, 0 dropped" in printed
    assert [row["name"] for row in rows] == ["'=Ada", "Hopper, Grace", "Alan"]
    assert {row["sign_in"] for row in rows} == {"https://bench.example.org/sign-in"}
    accounts = []
    for row in rows:
        first, again = (join(service, row["invitation"], name).json() for name in ("Batman", "Robin"))
        assert first["me"]["account"] == again["me"]["account"]
        assert first["token"] != again["token"]
        accounts.append(first["me"])
    assert [me["name"] for me in accounts] == ["=Ada", "Hopper, Grace", "Alan"]
    assert [(me["courses"][0]["role"], me["courses"][0]["section"]) for me in accounts] == [
        ("participant", "A"),
        ("staff", "B"),
        ("participant", "B"),
    ]
    # Nobody else comes in, under whatever name.
    refused = join(service, course.invitation, "Alan")
    assert (refused.status_code, "roster" in refused.json()["detail"]) == (409, True)
    page = browser(service).post("/sign-in", data={"code": course.invitation, "name": "Alan"})
    assert (page.status_code, "The roster of this course says who takes part" in page.text) == (422, True)


def test_a_second_file_changes_people_and_invites_only_who_is_new(
    service: Service, course: Course, owner: httpx2.Client, tmp_path: Path
) -> None:
    codes = merge_roster(service, course, ROSTER)
    ada = join(service, codes["=Ada"]).json()["me"]["account"]
    printed, nobody = merge_by_command(service, course, tmp_path, LATER, "--preview")
    assert "change  =Ada: name =Ada → Ada King, email address ada@example.org → new@example.org" in printed
    assert "drop    Alan (alan@example.org)" in printed
    assert (nobody, join(service, codes["Alan"]).status_code) == ([], 200)
    refused = command(
        service.home,
        "roster",
        course.name,
        str(tmp_path / "roster.csv"),
        str(tmp_path / "x.csv"),
        *database_options(service),
    )
    assert (refused.returncode, "--yes to drop 1 people" in refused.stderr) == (1, True)
    _, invited = merge_by_command(service, course, tmp_path, LATER, "--yes")
    assert [row["email"] for row in invited] == ["edith@example.org"]
    me = join(service, codes["=Ada"]).json()["me"]
    assert (me["account"], me["name"]) == (ada, "Ada King")
    assert join(service, codes["Alan"]).status_code == 404
    people = owner.get(f"/courses/{course.name}/people").text
    assert "new@example.org" in people
    assert "<h2>Dropped</h2>" in people
    # What Alan is stays, for when a file has him again.
    assert merge_roster(service, course, LATER + "alan@example.org;Alan;;9\n") == {}
    assert join(service, codes["Alan"]).json()["me"]["courses"][0]["section"] == "B"


def test_files_for_canvas_and_moodle_know_every_student(service: Service, course: Course, owner: httpx2.Client) -> None:
    rows = "".join(f"S{n},s{n}@example.org,{n:05}\n" for n in range(300))
    merge_roster(service, course, "name,email,student number\n" + rows)
    for kind, column in (("canvas", "SIS Login ID"), ("moodle", "Email address")):
        text = owner.get(f"/courses/{course.name}/grades.{kind}.csv").text
        lines = [line for line in csv.DictReader(io.StringIO(text)) if "Possible" not in next(iter(line.values()))]
        assert sorted(line[column] for line in lines) == sorted(f"s{n}@example.org" for n in range(300))


def test_staff_see_what_a_file_changes_before_it_does(service: Service, course: Course, owner: httpx2.Client) -> None:
    assert "No file was chosen" in owner.post(f"/courses/{course.name}/people/roster", data={"csrf": csrf(owner)}).text
    assert "roster.csv:2: a row needs" in upload(owner, course, "email,name\n,A\n").text
    preview = upload(owner, course, ROSTER).text
    assert "3 new" in preview
    assert "has not come yet" not in owner.get(f"/courses/{course.name}/people").text
    table = agree(owner, course, preview)
    codes = [row["invitation"] for row in csv.DictReader(io.StringIO(table.text))]
    assert (table.headers["content-type"], len(codes)) == ("text/csv; charset=utf-8", 3)
    # The same page once more: everybody is there by now.
    stale = agree(owner, course, preview)
    assert (stale.status_code, "has changed since" in stale.text) == (422, True)
    assert agree(owner, course, upload(owner, course, ROSTER).text).status_code == 303
    assert join(service, codes[0]).status_code == 200
    renewed = owner.post(f"/courses/{course.name}/people/invitations", data={"csrf": csrf(owner)})
    new_codes = {row["name"]: row["invitation"] for row in csv.DictReader(io.StringIO(renewed.text))}
    assert sorted(new_codes) == ["Alan", "Hopper, Grace"]
    assert [join(service, code).status_code for code in (codes[0], codes[2], new_codes["Alan"])] == [200, 404, 200]
    audit = owner.get(f"/courses/{course.name}/audit").text
    assert "3 new, 0 changed, 0 dropped" in audit
    few = upload(owner, course, "email,name\nlate@example.org,Late\n").text
    assert 'name="drop">' in few
    agree(owner, course, few)
    assert "<h2>Dropped</h2>" not in owner.get(f"/courses/{course.name}/people").text


@pytest.mark.parametrize("role", [Role.GRADER, Role.MONITOR, Role.PARTICIPANT])
def test_a_roster_is_for_staff_and_an_owners_rights_for_owners(service: Service, course: Course, role: Role) -> None:
    client = signed_in(service, invitation(service, course, role), "Eve")
    assert upload(client, course, ROSTER).status_code == 404
    assert agree(client, course, "/merge", csrf=csrf(client)).status_code == 404
    assert client.post(f"/courses/{course.name}/people/invitations", data={"csrf": csrf(client)}).status_code == 404
    staff = signed_in(service, invitation(service, course, Role.STAFF), "Tim")
    assert "only an owner of the course can change its staff" in upload(staff, course, ROSTER).text


def test_who_had_an_account_is_one_person_with_their_entry(
    service: Service, course: Course, owner: httpx2.Client
) -> None:
    early = signed_in(service, course.invitation, "Batman")
    codes = merge_roster(service, course, ROSTER)
    assert early.post("/sign-in", data={"csrf": csrf(early), "code": codes["=Ada"]}).status_code == 303
    progress = owner.get(f"/courses/{course.name}/progress").text
    assert (progress.count(">=Ada"), "Batman" in progress) == (1, False)
    # The code was theirs once; it opens their other courses to nobody.
    assert join(service, codes["=Ada"]).status_code == 404
    # Nobody takes somebody else's place beside their own.
    other_code = early.post("/sign-in", data={"csrf": csrf(early), "code": codes["Alan"]})
    assert "who is in this course already" in other_code.text
    assert join(service, codes["Alan"]).json()["me"]["name"] == "Alan"


def test_a_persons_data_have_their_entry_and_deletion_takes_it(
    service: Service, course: Course, owner: httpx2.Client
) -> None:
    codes = merge_roster(service, course, ROSTER)
    merge_roster(service, course, "name,email\nAlan,alan@example.org\n")
    ada = re.search(r'people/(\w+)/export">Export =Ada', owner.get(f"/courses/{course.name}/people").text)
    assert ada is not None
    path = f"/courses/{course.name}/people/{ada[1]}"
    assert owner.get(f"{path}/export").status_code == 200
    assert owner.post(f"{path}/delete", data={"csrf": csrf(owner), "name": "=Ada"}).status_code == 303
    assert "ada@example.org" not in owner.get(f"/courses/{course.name}/people").text
    assert join(service, codes["=Ada"]).status_code == 404
