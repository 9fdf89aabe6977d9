"""A course's roster as a CSV file: who is to be invited, and the invitations that are sent to them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright_remote.messages import Role
from benchwright_service.errors import BenchServiceError
from benchwright_teaching.grade_files import formula_free_cell

_MOST_BYTES = 4_000_000
_COLUMNS = ("email", "name", "section", "role")


@dataclass(frozen=True)
class Seat:
    """A row: somebody to be invited."""

    email: str
    name: str
    section: str
    role: Role


def read_roster(file: Path) -> Sequence[Seat]:
    """Reads a table with the columns `email`, `name`, and as wanted `section` and `role` (`participant` if empty).

    Raises:
        BenchServiceError: The file can't be read, or a row of it is wrong; which one is said.
    """
    try:
        content = file.read_bytes()
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise BenchServiceError(f"{file} can't be read: {error.strerror}") from error
    except UnicodeError as error:
        raise BenchServiceError(f"{file} is not UTF-8; save it as CSV UTF-8") from error
    if len(content) > _MOST_BYTES:
        raise BenchServiceError(f"{file} has more than {_MOST_BYTES} bytes; split it")
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        missing = {"email", "name"} - set(rows.fieldnames or ())
        if missing:
            raise BenchServiceError(
                f"{file} has no column {min(missing)!r}; its first line names {', '.join(_COLUMNS)}"
            )
        seats = [_read_seat(f"{file}:{rows.line_num}", row) for row in rows]
    except csv.Error as error:
        raise BenchServiceError(f"{file}:{rows.line_num}: {error}") from error
    if not seats:
        raise BenchServiceError(f"{file} has no rows below its first line")
    known_emails: set[str] = set()
    for seat in seats:
        if seat.email.casefold() in known_emails:
            raise BenchServiceError(f"{file} has {seat.email} twice; leave one row out")
        known_emails.add(seat.email.casefold())
    return seats


def invitation_table(seats: Sequence[Seat], invitation_codes: Sequence[str], sign_in_address: str) -> bytes:
    """The table to send invitations by: the roster, a code for each row, and where it is entered.

    Args:
        seats: Seats of the roster.
        invitation_codes: Invitation codes in the same order.
        sign_in_address: The address of the service's page; empty if not known.
    """
    text = io.StringIO()
    csv_writer = csv.writer(text, lineterminator="\r\n")
    csv_writer.writerow([*_COLUMNS, "invitation", "sign_in"])
    for seat, code in zip(seats, invitation_codes, strict=True):
        seat_cells = (seat.email, seat.name, seat.section, seat.role.value)
        csv_writer.writerow([*map(formula_free_cell, seat_cells), code, sign_in_address])
    return text.getvalue().encode()


def _read_seat(row_place: str, row: dict[str, str | None]) -> Seat:
    if None in row:
        raise BenchServiceError(f"{row_place}: more cells than the first line has; put text with commas in quotes")
    cells = {column: (row.get(column) or "").strip() for column in _COLUMNS}
    if "@" not in cells["email"] or not cells["name"]:
        raise BenchServiceError(f"{row_place}: a row needs an email address and a name")
    roles = [role.value for role in Role]
    role = cells["role"].lower() or Role.PARTICIPANT.value
    if role not in roles:
        raise BenchServiceError(f"{row_place}: {cells['role']!r} is no role; there are {', '.join(roles)}")
    return Seat(cells["email"], cells["name"], cells["section"], Role(role))
