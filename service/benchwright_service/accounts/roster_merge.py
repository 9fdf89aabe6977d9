"""How a roster's file changes the roster that a course has: who is new, who is changed, who is missing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from benchwright_problems.problem import digest
from benchwright_remote.messages import Role
from benchwright_service.accounts.roster import Seat
from benchwright_service.errors import BenchServiceError
from benchwright_teaching.person_ids import PersonIds

_LABELS = {
    "email": "email address",
    "student_number": "student number",
    "sis_id": "SIS id",
    "login": "login",
    "lms_id": "id in the learning management system",
}


@dataclass(frozen=True)
class RosterEntry:
    """Somebody on a course's roster."""

    id: str
    account: str
    name: str
    ids: PersonIds
    role: Role
    section: str
    is_listed: bool = True
    """False for who came by themselves from a learning management system."""
    has_joined: bool = False
    is_dropped: bool = False


@dataclass(frozen=True)
class Difference:
    """A field of an entry that the file has otherwise."""

    label: str
    old: str
    new: str


@dataclass(frozen=True)
class EntryMatch:
    """An entry that the file has too."""

    entry: RosterEntry
    name: str
    ids: PersonIds
    role: Role
    section: str
    is_by_name: bool = False
    """True if nothing but the name says that it is the same person."""

    @property
    def differences(self) -> Sequence[Difference]:
        """Fields that will be changed, as people read them."""
        entry = self.entry
        pairs = [Difference("name", entry.name, self.name)]
        pairs += [
            Difference(label, entry.ids.columns[column], self.ids.columns[column]) for column, label in _LABELS.items()
        ]
        pairs += [
            Difference("section", entry.section, self.section),
            Difference("role", entry.role.value, self.role.value),
            Difference("state", "dropped" if entry.is_dropped else "", ""),
        ]
        return [pair for pair in pairs if pair.old != pair.new]


@dataclass(frozen=True)
class RosterPlan:
    """What a file changes of a roster."""

    additions: Sequence[Seat]
    matches: Sequence[EntryMatch]
    drops: Sequence[RosterEntry]
    """Participants whom earlier files had, and this one has not."""

    @property
    def changes(self) -> Sequence[EntryMatch]:
        """Entries of which something changes."""
        return [match for match in self.matches if match.differences]

    @property
    def digest(self) -> str:
        """The same for the same changes to the same roster."""
        facts: list[JsonValue] = [
            [[seat.name, dict(seat.ids.columns), seat.section, seat.role] for seat in self.additions],
            [
                [match.entry.id, match.name, dict(match.ids.columns), match.role, match.section]
                for match in self.matches
            ],
            [[match.entry.id, *map(str, match.differences)] for match in self.changes],
            [entry.id for entry in self.drops],
        ]
        return digest(facts)

    def require_participants_only(self) -> None:
        """Makes sure that the file is about students alone.

        Raises:
            BenchServiceError: The file makes or changes staff.
        """
        staff_names = [seat.name for seat in self.additions if seat.role not in (None, Role.PARTICIPANT)]
        staff_names += [
            match.entry.name
            for match in self.changes
            if match.role is not Role.PARTICIPANT or match.entry.role is not Role.PARTICIPANT
        ]
        if staff_names:
            raise BenchServiceError(
                f"only an owner of the course can change its staff, such as {staff_names[0]}; leave out rows with"
                " another role than participant"
            )


def plan_merge(entries: Sequence[RosterEntry], seats: Sequence[Seat], file_name: str) -> RosterPlan:
    """What a file changes.

    A row is the entry that has one of its numbers, its login or its address, in this order. Where only the address
    differs and nobody else has the name, it is the same person with another address.

    Args:
        entries: Everybody whom the course's roster has, also those who were dropped.
        seats: Rows of the file.
        file_name: Its name in messages.

    Raises:
        BenchServiceError: A row is two entries, or nobody can say whose it is; which row is said.
    """
    entries_by_key: dict[tuple[str, str], list[RosterEntry]] = defaultdict(list)
    for entry in sorted(entries, key=lambda entry: entry.is_dropped):
        for key in entry.ids.keys:
            entries_by_key[key].append(entry)
    seat_by_entry: dict[str, Seat] = {}
    unmatched_seats: list[Seat] = []
    matches: list[EntryMatch] = []
    for seat in seats:
        same_key = next((key for key in seat.ids.keys if key in entries_by_key), None)
        if same_key is None:
            unmatched_seats.append(seat)
            continue
        entry = entries_by_key[same_key][0]
        if entry.id in seat_by_entry:
            raise BenchServiceError(
                f"{file_name}:{seat.line}: this is {entry.name} of the roster, and so is line"
                f" {seat_by_entry[entry.id].line}; leave one row out, or correct its numbers and addresses"
            )
        _require_no_contradiction(entry, seat, file_name)
        seat_by_entry[entry.id] = seat
        matches.append(_match(entry, seat))
    unlisted_entries = [
        entry
        for entry in entries
        if entry.id not in seat_by_entry and entry.is_listed and not entry.is_dropped and entry.role is Role.PARTICIPANT
    ]
    renamed = _name_matches_by_line(unlisted_entries, unmatched_seats, seats)
    matches += renamed.values()
    moved_entries = {match.entry.id for match in renamed.values()}
    plan = RosterPlan(
        [seat for seat in unmatched_seats if seat.line not in renamed],
        matches,
        [entry for entry in unlisted_entries if entry.id not in moved_entries],
    )
    matched_ids = {match.entry.id for match in matches}
    untouched = [entry for entry in entries if not entry.is_dropped and entry.id not in matched_ids]
    _require_different_people(plan, untouched, file_name)
    return plan


def plan_lines(plan: RosterPlan, *, drops_missing: bool) -> Iterator[str]:
    """What a file changes, a line for each person."""
    for seat in plan.additions:
        yield f"add     {seat.name} {_shown_ids(seat.ids)}"
    for match in plan.changes:
        shown_differences = ", ".join(
            "taken back"
            if difference.label == "state"
            else f"{difference.label} {difference.old or '–'} → {difference.new}"
            for difference in match.differences
        )
        yield f"change  {match.entry.name}: {shown_differences}{' (the same name)' if match.is_by_name else ''}"
    for entry in plan.drops:
        yield f"{'drop' if drops_missing else 'keep':7} {entry.name} {_shown_ids(entry.ids)}"
    unchanged_count = len(plan.matches) - len(plan.changes)
    dropped = len(plan.drops) if drops_missing else 0
    yield (f"{len(plan.additions)} new, {len(plan.changes)} changed, {dropped} dropped, {unchanged_count} as they are")


def _shown_ids(ids: PersonIds) -> str:
    return f"({next((ids.columns[column] for column in _LABELS if ids.columns[column]), '')})"


def _match(entry: RosterEntry, seat: Seat, *, is_by_name: bool = False) -> EntryMatch:
    has_same_words = _sorted_name_words(entry.name) == _sorted_name_words(seat.name)
    return EntryMatch(
        entry,
        entry.name if has_same_words else seat.name,
        seat.ids.completed_by(
            # Parts of another name are no parts of this one.
            entry.ids if has_same_words else replace(entry.ids, given_name="", family_name="")
        ),
        seat.role or entry.role,
        seat.section or entry.section,
        is_by_name,
    )


def _name_matches_by_line(
    unlisted_entries: Sequence[RosterEntry], unmatched_seats: Sequence[Seat], seats: Sequence[Seat]
) -> Mapping[int, EntryMatch]:
    """Rows that are an entry whose address alone has changed, by line."""
    name_counts = Counter(_sorted_name_words(seat.name) for seat in seats)
    entries_by_name: dict[tuple[str, ...], list[RosterEntry]] = defaultdict(list)
    for entry in unlisted_entries:
        entries_by_name[_sorted_name_words(entry.name)].append(entry)
    matches = {}
    for seat in unmatched_seats:
        namesakes = entries_by_name.get(_sorted_name_words(seat.name), [])
        if len(namesakes) != 1 or name_counts[_sorted_name_words(seat.name)] != 1:
            continue
        entry_columns = namesakes[0].ids.columns
        # Numbers or logins that both have are different ones, or they would have matched.
        if not any(seat.ids.columns[column] and entry_columns[column] for column in _LABELS if column != "email"):
            matches[seat.line] = _match(namesakes[0], seat, is_by_name=True)
    return matches


def _require_no_contradiction(entry: RosterEntry, seat: Seat, file_name: str) -> None:
    for column in ("sis_id", "student_number"):
        old, new = entry.ids.columns[column], seat.ids.columns[column]
        if (
            old
            and new
            and old.casefold() != new.casefold()
            and _sorted_name_words(entry.name) != _sorted_name_words(seat.name)
        ):
            raise BenchServiceError(
                f"{file_name}:{seat.line}: {seat.name} has the {_LABELS[column]} {new}, and an address, a login or"
                f" another number of {entry.name}, whose {_LABELS[column]} is {old}; correct the row, or leave the"
                " address out if it has passed on"
            )


def _require_different_people(plan: RosterPlan, unmatched_entries: Sequence[RosterEntry], file_name: str) -> None:
    name_by_key: dict[tuple[str, str], str] = {}
    names_and_ids = [(match.name, match.ids) for match in plan.matches] + [
        (seat.name, seat.ids) for seat in plan.additions
    ]
    dropped_ids = {entry.id for entry in plan.drops}
    names_and_ids += [(entry.name, entry.ids) for entry in unmatched_entries if entry.id not in dropped_ids]
    for name, ids in names_and_ids:
        for key in ids.keys:
            if key in name_by_key:
                raise BenchServiceError(
                    f"{file_name}: {name} and {name_by_key[key]} would both have {key[1]}; correct one of them"
                )
            name_by_key[key] = name


def _sorted_name_words(name: str) -> tuple[str, ...]:
    """A name's words in any order: *Lovelace, Ada* is *Ada Lovelace*."""
    return tuple(sorted(name.casefold().replace(",", " ").split()))
