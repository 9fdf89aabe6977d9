"""What a second file changes of a roster."""

from __future__ import annotations

import pytest

from benchwright_remote.messages import Role
from benchwright_service.accounts.roster import Seat
from benchwright_service.accounts.roster_merge import RosterEntry, RosterPlan, plan_lines, plan_merge
from benchwright_service.errors import BenchServiceError
from benchwright_teaching.person_ids import PersonIds


def entry(
    name: str, role: Role = Role.PARTICIPANT, *, is_dropped: bool = False, is_listed: bool = True, **ids: str
) -> RosterEntry:
    return RosterEntry(
        name, f"account of {name}", name, PersonIds(**ids), role, "A", is_listed=is_listed, is_dropped=is_dropped
    )


def seat(name: str, line: int = 2, role: Role | None = None, **ids: str) -> Seat:
    return Seat(line, name, PersonIds(**ids), "", role)


def merge(entries: list[RosterEntry], *seats: Seat) -> RosterPlan:
    return plan_merge(entries, seats, "roster.csv")


ADA = entry("Ada Lovelace", email="ada@x.org", student_number="1")


@pytest.mark.parametrize(
    "row",
    [
        seat("Ada Lovelace", email="ADA@x.org"),
        seat("Lovelace, Ada", student_number="1"),
        seat("Ada Lovelace", sis_id="1", email="ada@x.org"),
        seat("Ada Lovelace", login="ada@x.org"),
    ],
)
def test_the_same_person_stays_one_and_keeps_what_a_file_does_not_say(row: Seat) -> None:
    plan = merge([ADA], row)
    (match,) = plan.matches
    assert (plan.additions, plan.drops, match.entry) == ([], [], ADA)
    assert (match.name, match.section, match.ids.student_number) == ("Ada Lovelace", "A", "1")


@pytest.mark.parametrize(
    ("row", "label"),
    [
        (seat("Ada Lovelace", email="new@x.org", student_number="1"), "email address"),
        (seat("Ada King", email="ada@x.org"), "name"),
        (seat("Ada Lovelace", email="ada@x.org", student_number="2"), "student number"),
        (seat("Ada Lovelace", email="new@x.org"), "email address"),
    ],
)
def test_a_changed_name_address_or_number_is_a_change_of_one_person(row: Seat, label: str) -> None:
    plan = merge([ADA], row)
    assert (plan.additions, plan.drops) == ([], [])
    assert [difference.label for match in plan.changes for difference in match.differences] == [label]


def test_a_name_alone_joins_nobody_where_two_have_it_or_their_numbers_differ() -> None:
    twin = entry("Lovelace Ada", email="twin@x.org")
    for entries in ([ADA, twin], [ADA]):
        rows = [seat("Ada Lovelace", email="new@x.org"), seat("Ada Lovelace", line=3, email="newer@x.org")]
        assert len(merge(entries, *rows).additions) == 2
    assert len(merge([ADA], seat("Ada Lovelace", student_number="7", email="new@x.org")).additions) == 1


def test_missing_students_are_dropped_and_come_back_as_who_they_were() -> None:
    plan = merge([ADA, entry("Grace", email="g@x.org")], seat("Grace", email="g@x.org"))
    assert plan.drops == [ADA]
    dropped = entry("Ada Lovelace", is_dropped=True, email="ada@x.org")
    (match,) = merge([dropped], seat("Ada Lovelace", email="ada@x.org")).changes
    assert (
        match.entry.id,
        list(plan_lines(merge([dropped], seat("Ada Lovelace", email="ada@x.org")), drops_missing=True)),
    ) == (
        "Ada Lovelace",
        ["change  Ada Lovelace: taken back", "0 new, 1 changed, 0 dropped, 0 as they are"],
    )


def test_staff_and_who_came_from_the_learning_management_system_are_not_dropped() -> None:
    tutor, visitor = entry("Tim", Role.GRADER, email="t@x.org"), entry("Eve", is_listed=False, email="e@x.org")
    assert merge([tutor, visitor], seat("Grace", email="g@x.org")).drops == []


def test_two_people_who_exchange_their_addresses_are_told_apart_by_their_numbers() -> None:
    entries = [entry("A", email="a@x.org", student_number="1"), entry("B", email="b@x.org", student_number="2")]
    plan = merge(
        entries, seat("A", 2, email="b@x.org", student_number="1"), seat("B", 3, email="a@x.org", student_number="2")
    )
    assert [(match.name, match.ids.email) for match in plan.changes] == [("A", "b@x.org"), ("B", "a@x.org")]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([seat("Eve", email="ada@x.org", student_number="9")], "Eve has the student number 9"),
        ([seat("A L", 2, email="ada@x.org"), seat("A L", 3, student_number="1")], ":3: this is Ada Lovelace"),
    ],
)
def test_a_row_of_which_nobody_can_say_whose_it_is_is_refused(rows: list[Seat], message: str) -> None:
    with pytest.raises(BenchServiceError, match=r"roster\.csv") as error_info:
        merge([ADA], *rows)
    assert message in str(error_info.value)


def test_an_address_that_somebody_else_has_too_is_refused() -> None:
    visitor = entry("Eve", is_listed=False, email="e@x.org", student_number="5")
    with pytest.raises(BenchServiceError, match=r"would both have e@x\.org"):
        merge([ADA, visitor], seat("Ada Lovelace", student_number="1", email="e@x.org"))


@pytest.mark.parametrize("row", [seat("New", role=Role.OWNER, email="n@x.org"), seat("Tim T", email="t@x.org")])
def test_staff_change_no_staff(row: Seat) -> None:
    plan = merge([entry("Tim", Role.OWNER, email="t@x.org")], row)
    with pytest.raises(BenchServiceError, match="only an owner"):
        plan.require_participants_only()


def test_a_preview_is_known_again_unless_the_roster_has_changed() -> None:
    rows = seat("Ada Lovelace", email="new@x.org", student_number="1")
    assert merge([ADA], rows).digest == merge([ADA], rows).digest
    assert merge([ADA], rows).digest != merge([ADA, entry("Grace", email="g@x.org")], rows).digest
