"""A study's pages at a bench service: who may open them, blindness, invitations, closing, and the audit log."""

from __future__ import annotations

import asyncio
import io
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from benchwright_attempts.events.events import Tick
from benchwright_foundation.file_lock import file_lock
from benchwright_problems.verdict import Outcome
from benchwright_remote.messages import Role
from benchwright_service.bench import open_administration, sqlite_log_file
from benchwright_service.studies.lab_monitor import closing_lock_file, closing_step_file
from benchwright_studies.conduct.archive import import_archive
from benchwright_studies.conduct.closing import check_seal
from benchwright_studies.conduct.study_log import StudyLog

from ..support.editor.axe import faults
from ..support.service.bench_service import DATABASES, Service, running_service
from ..support.service.bench_service_pages import browser, signed_in
from ..support.service.postgres import new_database
from ..support.studies.hosted_study import CONDITIONS, Participant, opened
from ..support.studies.study_pages import page, page_once_closed, post

pytestmark = pytest.mark.long

PAGES = ("", "/watch", "/audit", "/closing", "/closing/state", "/report", "/export.zip")
OF_MONITORS = ("", "/watch")
Joining = Callable[..., Participant]
HIDDEN = (*CONDITIONS, "passed", "failed", "tests_failed")


@pytest.fixture(scope="module", params=DATABASES)
def service(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    database = new_database(request.getfixturevalue("postgres")) if request.param == "postgresql" else None
    with running_service(Service(tmp_path_factory.mktemp("service"), database, workers=0)) as started:
        yield started


@pytest.fixture
def joining(service: Service, tmp_path: Path) -> Iterator[Joining]:
    joined: list[Participant] = []

    def join(study: str, invitation: str, minutes_ago: float = 0) -> Participant:
        folder = tmp_path / str(len(joined))
        joined.append(Participant.joining(service, study, invitation, folder, minutes_ago))
        return joined[-1]

    yield join
    for participant in joined:
        participant.log.close()


def lab_log(service: Service) -> StudyLog:
    return StudyLog(service.database or sqlite_log_file(service.folders))


def audited(owner_client: httpx2.Client, study: str) -> list[tuple[str, str, str]]:
    """Person, action and object of each audit entry, newest first."""
    audit_rows = re.findall(
        r"<tr><td>.*?</td><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td></tr>", page(owner_client, study, "/audit")
    )
    return [(actor, action, subject) for actor, action, subject in audit_rows]


def test_pages_are_for_owners_and_monitors_and_unknown_to_all_others(service: Service) -> None:
    codes = opened(service, "roles")
    stranger = signed_in(service, service.set_up().invitation)
    for role in Role:
        client = signed_in(service, codes[role], role.value)
        assert ("/studies/roles" in client.get("/").text) == (role in (Role.OWNER, Role.MONITOR))
        for path in PAGES:
            response = client.get(f"/studies/roles{path}")
            is_allowed = role is Role.OWNER or (role is Role.MONITOR and path in OF_MONITORS)
            # Before the closing, owners have neither report nor records.
            expected_status = (409 if path in ("/report", "/export.zip") else 200) if is_allowed else 404
            assert (path, response.status_code) == (path, expected_status)
            absent = client.get(f"/studies/absent{path}")
            assert absent.status_code == 404
            if not is_allowed:
                assert response.text == absent.text
        for path, fields in (("/invitations", {"role": "monitor", "uses": "1"}), ("/closing", {"name": "no"})):
            post_response = post(client, f"/studies/roles{path}", **fields)
            assert post_response.status_code == (
                {"/invitations": 200, "/closing": 422}[path] if role is Role.OWNER else 404
            )
    for path in PAGES:
        hidden_page = stranger.get(f"/studies/roles{path}")
        assert (hidden_page.status_code, hidden_page.text) == (404, stranger.get(f"/studies/absent{path}").text)
        assert browser(service).get(f"/studies/roles{path}").headers["location"] == "/sign-in"


def test_a_course_is_no_study(service: Service) -> None:
    course = service.set_up()

    async def owners() -> str:
        async with open_administration(service.folders, service.database) as parts:
            return await parts.accounts.make_invitation(course.name, Role.OWNER)

    owner_client = signed_in(service, asyncio.run(owners()))
    for path in PAGES:
        assert owner_client.get(f"/studies/{course.name}{path}").status_code == 404


def test_whoever_watches_sees_whereabouts_and_neither_conditions_nor_verdicts(
    service: Service, joining: Joining
) -> None:
    codes = opened(service, "blind")
    first_participant, second_participant = (joining("blind", codes[Role.PARTICIPANT]) for _ in range(2))
    ended_attempt = first_participant.begin()
    first_participant.end(ended_attempt, Outcome.PASSED)
    second_participant.begin()
    owner_client, monitor = (signed_in(service, codes[role], role.value) for role in (Role.OWNER, Role.MONITOR))
    page_text = page(monitor, "blind")
    assert re.search(rf"{first_participant.pseudonym}</th><td>finished</td>", page_text)
    assert re.search(rf"{second_participant.pseudonym}</th><td>working</td>", page_text)
    # Half a minute is the least that may count as stuck.
    assert 'value="0.5"' in monitor.get("/studies/blind?stuck=0.5").text
    assert 'value="10"' in monitor.get("/studies/blind?stuck=nan").text
    assert "Events here" not in page_text
    arrived = page(owner_client, "blind")
    events = first_participant.log.summary(ended_attempt).seq
    row_pattern = (
        rf"{first_participant.pseudonym}</th>.*"
        rf"<td class=\"number\">{events}</td><td class=\"number\">0 min ago</td></tr>"
    )
    assert re.search(row_pattern, arrived)
    for client, paths in (
        (owner_client, ("", "/watch", "/audit", "/closing", "/closing/state")),
        (monitor, OF_MONITORS),
    ):
        for path in paths:
            text = page(client, "blind", path)
            assert not [word for word in HIDDEN if word in text], path
    for path in ("/report", "/export.zip"):
        assert not [word for word in HIDDEN if word in owner_client.get(f"/studies/blind{path}").text]


def test_who_is_stuck_or_silent_is_named_by_the_threshold_that_was_chosen(service: Service, joining: Joining) -> None:
    codes = opened(service, "stuck")
    monitor = signed_in(service, codes[Role.MONITOR], "Max")
    stuck, silent = (joining("stuck", codes[Role.PARTICIPANT], minutes_ago=20) for _ in range(2))
    attempt = stuck.begin()
    stuck.clock.pass_s(20 * 60)
    stuck.record(attempt, Tick())
    silent.begin()
    page_text = page(monitor, "stuck")
    assert (
        f'<p role="status" data-part="attention">Stuck: {stuck.pseudonym}. Silent: {silent.pseudonym}.</p>' in page_text
    )
    assert '<td class="number">20 min ago</td></tr>' in page_text
    watch_page = monitor.get("/studies/stuck/watch?stuck=60").text
    assert "Nobody is stuck or silent." in watch_page


def test_an_owner_invites_from_the_page_and_the_code_is_shown_once(service: Service) -> None:
    codes = opened(service, "invites")
    owner_client = signed_in(service, codes[Role.OWNER], "Olga")
    assert "3 of 3 places are free" in page(owner_client, "invites")
    response = post(owner_client, "/studies/invites/invitations", role="monitor", uses="2")
    (code,) = re.findall(r"<p><code>([\w-]+)</code></p>", response.text)
    assert code not in page(owner_client, "invites")
    assert code not in page(owner_client, "invites", "/audit")
    monitor = signed_in(service, code, "Max")
    assert page(monitor, "invites")
    for wrong_fields in (
        {"role": "staff", "uses": "1"},
        {"role": "owner", "uses": "0"},
        {"role": "owner", "uses": "1e3"},
    ):
        assert post(owner_client, "/studies/invites/invitations", **wrong_fields).status_code == 422
    assert ("Olga", "invited", "monitor, 2 uses") in audited(owner_client, "invites")


def test_a_study_closes_in_the_background_and_its_report_and_records_can_be_had(
    service: Service, joining: Joining, tmp_path: Path
) -> None:
    codes = opened(service, "closes")
    owner_client, monitor = (signed_in(service, codes[role], role.value) for role in (Role.OWNER, Role.MONITOR))
    first_participant, second_participant = (joining("closes", codes[Role.PARTICIPANT]) for _ in range(2))
    first_participant.end(first_participant.begin(), Outcome.PASSED)
    attempt = second_participant.begin()
    # Of who has taken their consent back nothing more can be recorded, not even an end.
    third_participant = joining("closes", codes[Role.PARTICIPANT])
    third_participant.begin()
    third_participant.studies.take_consent_back("closes", third_participant.pseudonym)
    third_participant.hand_journal_in()
    closing_page = page(owner_client, "closes", "/closing")
    assert f"1 participant has not finished: {second_participant.pseudonym}." in closing_page
    assert f"Attempts of {second_participant.pseudonym} go on." in closing_page
    close = "/studies/closes/closing"
    assert post(owner_client, close, name="other").status_code == 422
    once_more = post(owner_client, close, name="closes")
    assert once_more.status_code == 409
    (going,) = re.findall(r'name="end" value="(\w+)"', once_more.text)
    # Another attempt than the one that was shown is not ended without asking again.
    assert post(owner_client, close, name="closes", end="0" * 64).status_code == 409
    assert post(owner_client, close, name="closes", end=going).headers["location"] == close
    running_page = owner_client.get(close).text
    assert "progress" in running_page or "frozen under" in running_page
    closed_page = page_once_closed(owner_client, "closes")
    assert "was not closed" not in closed_page

    with lab_log(service) as log:
        seal = check_seal(log, "closes")
        assert seal.ok
        assert Path(f"{attempt}.jsonl").stem in [header.id for header in log.journal.attempts("closes")]
    assert seal.digest in closed_page
    report_reply = owner_client.get("/studies/closes/report")
    assert "A study called closes" in report_reply.text
    policy = report_reply.headers["Content-Security-Policy"]
    assert policy.startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in policy
    assert re.search(r"default-src 'none'; .*script-src 'sha256-[^']+'; ", policy)
    assert monitor.get("/studies/closes/report").status_code == 404
    assert "The study is closed." in page(monitor, "closes")

    packed = owner_client.get("/studies/closes/export.zip")
    assert packed.headers["Content-Disposition"] == 'attachment; filename="closes.zip"'
    zipfile.ZipFile(io.BytesIO(packed.content)).extractall(tmp_path / "unpacked")
    with StudyLog(tmp_path / "other.sqlite") as other_log:
        assert (
            import_archive(other_log, tmp_path / "unpacked" / "closes").attempts == 2
        )  # The third is left out without consent.

    assert post(owner_client, "/studies/closes/invitations", role="participant", uses="1").status_code == 422
    assert post(owner_client, close).status_code == 303
    assert seal.digest in page_once_closed(owner_client, "closes")
    noted = audited(owner_client, "closes")
    assert ("owner", "closed, with report", seal.digest) in noted
    assert ("owner", "began closing", "attempts that go on are ended") in noted
    assert ("owner", "read report", "page") in noted
    assert ("owner", "exported records", "") in noted
    assert noted.count(("owner", "closed, with report", seal.digest)) == 2


def test_a_study_without_attempts_is_closed_if_that_is_confirmed(service: Service) -> None:
    owner_client = signed_in(service, opened(service, "empty")[Role.OWNER], "owner")
    assert "There is no attempt." in page(owner_client, "empty", "/closing")
    assert post(owner_client, "/studies/empty/closing", name="empty").status_code == 409
    assert post(owner_client, "/studies/empty/closing", name="empty", end="none").status_code == 303
    page_text = page_once_closed(owner_client, "empty")
    assert "The report could not be made: There are no attempts of the study empty" in page_text
    assert "Rules and data are frozen" in page_text
    assert owner_client.get("/studies/empty/report").status_code == 409


def test_closing_that_was_interrupted_is_told_and_can_be_repeated(service: Service) -> None:
    # Without attempts there is no report, which takes longest.
    owner_client = signed_in(service, opened(service, "restarts")[Role.OWNER], "owner")
    lock = closing_lock_file(service.folders, "restarts")
    lock.parent.mkdir(parents=True, exist_ok=True)
    assert post(owner_client, "/studies/restarts/closing", name="restarts", end="none").status_code == 303
    # The process that closes it takes longer to start than this: it waits.
    with file_lock(lock):
        assert "Step 1 of 2" in page(owner_client, "restarts", "/closing")
        step_file = closing_step_file(service.folders, "restarts")
        step_file.parent.mkdir(parents=True, exist_ok=True)
        step_file.write_text("12 of 38: horizon")
        state = page(owner_client, "restarts", "/closing/state")
        assert "data-over" not in state
        assert "Step 12 of 38: horizon." in state
        assert ("owner", "began closing", "attempts that go on are ended") in audited(owner_client, "restarts")
        port = int(service.url.rpartition(":")[2])
        service.stop()
    service.start(port)
    page_text = page(owner_client, "restarts", "/closing")
    assert "The study is not closed. Closing it, begun by owner" in page_text
    assert "was interrupted" in page_text
    assert post(owner_client, "/studies/restarts/closing", name="restarts", end="none").status_code == 303
    page_text = page_once_closed(owner_client, "restarts")
    assert "Rules and data are frozen" in page_text
    assert "interrupted" not in page_text


def test_what_refreshes_itself_is_noted_once_a_sitting(service: Service) -> None:
    codes = opened(service, "sittings")
    owner_client, monitor = (signed_in(service, codes[role], role.value) for role in (Role.OWNER, Role.MONITOR))
    for _ in range(3):
        page(monitor, "sittings")
        page(monitor, "sittings", "/watch")
        page(owner_client, "sittings", "/audit")
    noted = audited(owner_client, "sittings")
    assert noted.count(("monitor", "watched", "page")) == 1
    assert noted.count(("owner", "read audit log", "")) == 1
    with service.client() as client:
        token = client.post("/api/v1/join", json={"code": codes[Role.MONITOR], "name": "program"}).json()["token"]
    with service.client(token) as client:
        assert client.get("/api/v1/studies/sittings/watch").status_code == 200
    assert ("program", "watched", "by a program") in audited(owner_client, "sittings")


def test_axe_finds_nothing_wrong_with_the_pages(service: Service, joining: Joining, tmp_path: Path) -> None:
    if service.database:
        pytest.skip("the pages are the same on every database")
    codes = opened(service, "pages")
    owner_client = signed_in(service, codes[Role.OWNER], "owner")
    joining("pages", codes[Role.PARTICIPANT]).begin()
    close = "/studies/pages/closing"
    pages = {
        "courses": owner_client.get("/").text,
        "study": page(owner_client, "pages"),
        "invited": post(owner_client, "/studies/pages/invitations", role="monitor", uses="1").text,
        "wrong": post(owner_client, "/studies/pages/invitations", role="monitor", uses="0").text,
        "audit": page(owner_client, "pages", "/audit"),
        "closing": page(owner_client, "pages", "/closing"),
        "second": post(owner_client, close, name="pages").text,
    }
    (going,) = re.findall(r'name="end" value="(\w+)"', pages["second"])
    pages["running"] = owner_client.get(post(owner_client, close, name="pages", end=going).headers["location"]).text
    pages["closed"] = page_once_closed(owner_client, "pages")
    style = owner_client.get("/assets/pages.css").text
    assert {name: flaws for name, text in pages.items() if (flaws := faults(text, style, tmp_path))} == {}
