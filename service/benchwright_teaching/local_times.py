"""Local times of a course: what people type and read where the course is, and moments that all agree on."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache

UNIVERSAL = "UTC"
"""Name of the zone of a course that names none."""


def is_zone(name: str) -> bool:
    """True if this machine knows an IANA zone of this name."""
    return name == UNIVERSAL or name in _zone_names()


@cache
def _zone_names() -> frozenset[str]:
    """The names of all zones; reading them from the disk takes as long as making a page."""
    return frozenset(zoneinfo.available_timezones())


def zone_of(name: str) -> tzinfo:
    """An IANA zone.

    Raises:
        ValueError: There is no such zone.
    """
    if name == UNIVERSAL:
        return UTC
    if not is_zone(name):
        raise ValueError(f"there is no time zone {name!r}; give an IANA name such as Europe/Berlin")
    return zoneinfo.ZoneInfo(name)


def moment_of_local_time(text: str, zone: tzinfo) -> datetime:
    """The moment of a local date and time, in UTC; a text with an offset of its own keeps that.

    A time that comes twice, when clocks are set back, is the later one: nobody has less time than the text says.

    Raises:
        ValueError: The text is no date and time, or clocks are set forward over it.
    """
    try:
        typed_time = datetime.fromisoformat(text)
        if typed_time.tzinfo is not None:
            return typed_time.astimezone(UTC)
        moments = _moments_of_wall_time(typed_time, zone)
    except (OverflowError, ValueError):
        raise ValueError("is no date and time such as 2026-12-01T23:59") from None
    if not moments:
        later = _after_gap(typed_time, zone).astimezone(zone)
        raise ValueError(
            f"does not exist in {zone}: clocks are set forward over it; the next time is {later:%Y-%m-%dT%H:%M}"
        )
    return moments[-1]


def first_moment_of_day(day: date, zone: tzinfo) -> datetime:
    """The moment at which a day begins where a zone is, in UTC."""
    midnight = datetime.combine(day, time())
    try:
        moments = _moments_of_wall_time(midnight, zone)
        return moments[0] if moments else _after_gap(midnight, zone)
    except OverflowError:
        return midnight.replace(tzinfo=UTC)


def in_zone(moment: datetime, zone: tzinfo) -> datetime:
    """A moment where a zone is; in UTC if the year is none there, at either end of the years that there are."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment.astimezone(UTC)


def local_time_text(moment: datetime, zone: tzinfo) -> str:
    """A moment as a field of a form has it, in local time."""
    return in_zone(moment, zone).strftime("%Y-%m-%dT%H:%M")


def zoned_time_text(moment: datetime, zone: tzinfo) -> str:
    """A moment where a zone is, with the zone's name, as people read it."""
    return f"{in_zone(moment, zone):%Y-%m-%d %H:%M %Z}"


def shift_by_days(moment: datetime, days: int, zone: tzinfo) -> datetime:
    """The same time of day, so many days later (or earlier), where the zone is; in UTC.

    A time of day over which clocks are set forward there becomes the first one after that.

    Raises:
        OverflowError: There is no such day.
    """
    wall = moment.astimezone(zone).replace(tzinfo=None) + timedelta(days=days)
    moments = _moments_of_wall_time(wall, zone)
    return moments[-1] if moments else _after_gap(wall, zone)


def _moments_of_wall_time(wall: datetime, zone: tzinfo) -> list[datetime]:
    """The moments, in UTC and in their order, at which clocks show a time: none, one or two."""
    candidates = {wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)}
    return sorted(moment for moment in candidates if moment.astimezone(zone).replace(tzinfo=None, fold=0) == wall)


def _after_gap(wall: datetime, zone: tzinfo) -> datetime:
    """The first moment after clocks were set forward over a time."""
    before, after = sorted(wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    # Between both, the offset changes once.
    while after - before > timedelta(seconds=1):
        middle = before + (after - before) / 2
        if middle.astimezone(zone).utcoffset() == before.astimezone(zone).utcoffset():
            before = middle
        else:
            after = middle
    return after.replace(microsecond=0)
