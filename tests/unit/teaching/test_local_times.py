"""Local times of courses: gaps and overlaps of clocks that are set, and days that are not 24 hours long."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_teaching.local_times import (
    is_zone,
    local_time_text,
    moment_of_local_time,
    shift_by_days,
    zone_of,
)

BERLIN, NEW_YORK, LORD_HOWE = (ZoneInfo(name) for name in ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe"))
ZONES = [BERLIN, NEW_YORK, LORD_HOWE, UTC, ZoneInfo("Asia/Kolkata"), ZoneInfo("Africa/Casablanca")]
MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1)).map(  # noqa: DTZ001 - it gets its zone
    lambda moment: moment.replace(second=0, microsecond=0, tzinfo=UTC)
)


@pytest.mark.parametrize(
    ("text", "zone", "moment"),
    [
        ("2026-12-01T23:59", BERLIN, "2026-12-01T22:59"),
        ("2026-07-01T23:59", BERLIN, "2026-07-01T21:59"),
        # Twice: the later one.
        ("2026-10-25T02:30", BERLIN, "2026-10-25T01:30"),
        ("2026-11-01T01:30", NEW_YORK, "2026-11-01T06:30"),
        # With an offset, whatever the zone.
        ("2026-10-25T02:30+02:00", BERLIN, "2026-10-25T00:30"),
    ],
)
def test_a_local_time_is_one_moment(text: str, zone: ZoneInfo, moment: str) -> None:
    assert moment_of_local_time(text, zone) == datetime.fromisoformat(moment).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "zone", "next_time"),
    [
        ("2026-03-29T02:30", BERLIN, "2026-03-29T03:00"),
        ("2026-03-08T02:00", NEW_YORK, "2026-03-08T03:00"),
        ("2026-10-04T02:10", LORD_HOWE, "2026-10-04T02:30"),
    ],
)
def test_a_time_over_which_clocks_are_set_forward_is_refused_with_the_next_one(
    text: str, zone: ZoneInfo, next_time: str
) -> None:
    with pytest.raises(ValueError, match=rf"does not exist in {zone}.*the next time is {next_time}"):
        moment_of_local_time(text, zone)


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-13-01T00:00", "9999-12-31T23:59", "0001-01-01T00:00+14:00"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no date and time"):
        moment_of_local_time(text, NEW_YORK)


@given(MOMENTS, st.sampled_from(ZONES))
def test_what_a_form_shows_is_read_as_the_same_moment_or_the_later_one_of_two(moment: datetime, zone: ZoneInfo) -> None:
    read_again = moment_of_local_time(local_time_text(moment, zone), zone)
    assert read_again >= moment
    assert local_time_text(read_again, zone) == local_time_text(moment, zone)


@given(MOMENTS, st.integers(-800, 800), st.sampled_from(ZONES))
def test_shifted_dates_keep_their_time_of_day_unless_there_is_none(moment: datetime, days: int, zone: ZoneInfo) -> None:
    shifted = shift_by_days(moment, days, zone).astimezone(zone)
    local = moment.astimezone(zone)
    day_distance = (shifted.date() - local.date()).days
    assert day_distance == days
    if shifted.strftime("%H:%M") != local.strftime("%H:%M"):
        with pytest.raises(ValueError, match="does not exist"):
            moment_of_local_time(f"{shifted:%Y-%m-%d}T{local:%H:%M}", zone)


def test_a_course_in_berlin_keeps_midnight_over_the_change_of_clocks() -> None:
    due = moment_of_local_time("2026-10-20T23:59", BERLIN)
    assert local_time_text(shift_by_days(due, 7, BERLIN), BERLIN) == "2026-10-27T23:59"


def test_the_first_and_the_last_moment_have_a_text_everywhere() -> None:
    for zone in ZONES:
        for moment in (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)):
            assert len(local_time_text(moment, zone)) >= len("1-01-01T00:00")


def test_zones_are_those_of_the_iana() -> None:
    assert [is_zone(name) for name in ("UTC", "Europe/Berlin", "Mars/Olympus", "", "../etc/passwd")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    with pytest.raises(ValueError, match="such as Europe/Berlin"):
        zone_of("CEST+1")
