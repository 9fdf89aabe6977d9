"""Clocks of students that are off, set back or asleep: the service's time decides, and staff see the difference."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from benchwright_problems.reveal import Reveal
from benchwright_remote.messages import Role
from benchwright_service.bench import open_administration
from benchwright_service.storage.tables import ASSIGNMENTS

from ..support.service.bench_service import Course, Service, running_service
from ..support.service.bench_service_grades import change, points
from ..support.service.bench_service_pages import invitation, signed_in
from ..support.studies.assignments import acknowledged_events, sign_in
from .clocks import Clocks
from .conftest import Editors
from .session import Desk, Editor, reference, wrong

pytestmark = pytest.mark.asyncio(loop_scope="module")

HOUR = 3600
PROBLEM = "saturating-counter"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(Service(tmp_path_factory.mktemp("service"))) as started:
        yield started


def soon(hours: float) -> datetime:
    return datetime.now(UTC) + timedelta(hours=hours)


async def worked(editor: Editor, pack: str) -> Desk:
    """Has failed once."""
    desk = await editor.open_problem(f"{pack}/{PROBLEM}")
    await desk.start()
    file = desk.open()
    file.paste(wrong(PROBLEM, "wraps"))
    file.save()
    assert (await desk.verdict(1)).outcome == "failed"
    return desk


def graded(service: Service, course: Course) -> tuple[str, str]:
    """Text that staff read on the clock of the one student's attempt, and the points; late work is worth nothing."""
    code = invitation(service, course, Role.OWNER)
    with contextlib.closing(signed_in(service, code, "Teacher")) as teacher:
        rules = f"/courses/{course.name}/assignments/{course.assignment}/grading"
        assert change(teacher, rules, worth="4", counting="best", late="100").status_code == 303
        progress = teacher.get(f"/courses/{course.name}/progress").text
        (link,) = set(re.findall(rf'href="(/courses/[^"]+/attempts/[^"]+/{PROBLEM}/[^"]+)"', progress))
        match = re.search("<dt>Clock</dt><dd>(.*?)</dd>", teacher.get(link).text)
        assert match is not None
        return match[1], points(teacher, course, link.rpartition("/")[2])


def seconds(text: str) -> list[float]:
    return [float(number.replace("\N{MINUS SIGN}", "-")) for number in re.findall(r"[+\N{MINUS SIGN}]\d+\.\d", text)]


def has_passed(editor: Editor) -> bool:
    verdict = editor.screen.statuses[-1].verdict
    return verdict is not None and verdict.outcome == "passed"


async def close(service: Service, course: Course) -> None:
    """The assignment has just been closed."""
    async with (
        open_administration(service.folders, service.database) as parts,
        parts.database.write_transaction() as connection,
    ):
        closed = update(ASSIGNMENTS).where(ASSIGNMENTS.c.id == course.assignment)
        await connection.execute(closed.values(closes=soon(0).timestamp()))


@pytest.mark.parametrize("off_h", [5, -5])
async def test_a_clock_that_is_hours_off_neither_shortens_nor_lengthens_the_time(
    editors: Editors, home: Path, service: Service, clocks: Clocks, off_h: int
) -> None:
    course = await asyncio.to_thread(service.set_up, problems=(PROBLEM,), due=soon(1), closes=soon(2))
    pack = sign_in(home, service, course)
    clocks.sleep(off_h * HOUR)
    editor = await editors(environment=clocks.environment)
    # By the student's clock it closed three hours ago, or was not due for six.
    desk = await worked(editor, pack)
    file = desk.open()
    file.paste(reference(PROBLEM))
    file.save()
    assert (await desk.verdict(2)).outcome == "passed"
    await desk.submit()
    await editor.quit()
    assert acknowledged_events(home) == {desk.attempt: len(desk.events())}
    clock, worth = await asyncio.to_thread(graded, service, course)
    assert seconds(clock) == [pytest.approx(-off_h * HOUR, abs=60)]
    assert worth == "4"


async def test_setting_the_clock_back_does_not_reopen_what_the_service_has_closed(
    editors: Editors, home: Path, service: Service, clocks: Clocks
) -> None:
    course = await asyncio.to_thread(service.set_up, problems=(PROBLEM,), due=soon(-2), closes=soon(1))
    pack = sign_in(home, service, course)
    editor = await editors(environment=clocks.environment)
    desk = await worked(editor, pack)
    await close(service, course)
    clocks.sleep(-5 * HOUR)
    file = desk.open()
    file.paste(reference(PROBLEM))
    file.save()
    verdict = await desk.verdict(2)
    assert verdict.outcome == "error" and "closed" in verdict.message
    await editor.quit()
    # What was done is recorded in any case; points are for what the service has graded, and that was late.
    assert (await asyncio.to_thread(graded, service, course))[1] == "0"
    assert acknowledged_events(home) == {desk.attempt: len(desk.events())}


async def test_a_clock_that_jumps_and_a_computer_that_sleeps_leave_active_time_alone_and_staff_see_by_how_much(
    editors: Editors, home: Path, service: Service, clocks: Clocks
) -> None:
    course = await asyncio.to_thread(service.set_up, problems=(PROBLEM,), due=soon(1), reveal=Reveal.NAMES)
    pack = sign_in(home, service, course)
    editor = await editors(environment=clocks.environment)
    desk = await worked(editor, pack)
    clocks.sleep(-2 * HOUR)
    file = desk.open()
    file.type("// set back\n")
    await desk.run()
    clocks.sleep(5 * HOUR)
    file.paste(reference(PROBLEM))
    file.save()
    await editor.wait_until(lambda: has_passed(editor), "the last verdict")
    await desk.submit()
    await editor.quit()
    assert acknowledged_events(home) == {desk.attempt: len(desk.events())}
    assert desk.verify_log().ok
    clock_text, worth = await asyncio.to_thread(graded, service, course)
    assert worth == "4"
    newest_s, least_s, most_s = seconds(clock_text)
    assert "it was set" in clock_text
    assert newest_s == least_s == pytest.approx(-3 * HOUR, abs=60)
    assert most_s == pytest.approx(2 * HOUR, abs=60)
    with editor.log() as log:
        assert log.summary(desk.attempt).clock.active_s < HOUR
