"""A course's roster as a CSV file, as Canvas, Moodle or a spreadsheet writes it, and the table of invitations."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright_remote.messages import Role
from benchwright_service.accounts.person_names import displayable_name
from benchwright_service.errors import BenchServiceError
from benchwright_teaching.grade_files import formula_free_cell
from benchwright_teaching.person_ids import PersonIds

MOST_BYTES = 4_000_000
_SEPARATORS = ",;\t"
_HEADER_WITHIN = 20
"""Lines at the beginning among which the one that names the columns is looked for."""
_LONGEST = 200
_INVITATION_COLUMNS = ("email", "name", "section", "role", "invitation", "sign_in")
_HEADERS = {
    "email": "email|mail|emailaddress|mailaddress|emailadresse|mailadresse|useremail|primaryemail|universityemail",
    "name": "name|fullname|student|studentname|displayname|studierende|studierender|teilnehmer|teilnehmerin|"
    "vollständigername|vollernamen|vollername|anzeigename|namederperson|sortablename|userfullname|person",
    "given_name": "firstname|givenname|givennames|forename|forenames|vorname|vornamen|rufname",
    "family_name": "lastname|surname|familyname|secondname|nachname|nachnamen|familienname|zuname",
    "student_number": "studentnumber|studentno|studentnr|studentid|idnumber|idnummer|matriculationnumber|"
    "matriculationno|matriculation|registrationnumber|universityid|matrikelnummer|matrikelnr|matrnr|matnr|matrikel|"
    "martikelnummer|immatrikulationsnummer|studierendennummer|personalnummer",
    "sis_id": "sisuserid|sisid|userid|sisuser|integrationsid|sisbenutzerid",
    "login": "sisloginid|loginid|login|loginname|username|benutzername|anmeldename|nutzername|kennung|nutzerkennung|"
    "benutzerkennung|unikennung|account|netid|unikey|sisanmeldeid",
    "lms_id": "canvasid|canvasuserid|moodleid",
    "section": "section|sections|sectionname|group|groups|gruppe|gruppen|tutorium|übungsgruppe|uebungsgruppe|"
    "übung|sektion|abschnitt|class",
    "role": "role|roles|rolle|rollen|courserole|kursrolle",
    "status": "status|enrollmentstate|enrolmentstatus|enrollmentstatus|einschreibestatus",
}
_FIELD_BY_HEADER = {header: field for field, headers in _HEADERS.items() for header in headers.split("|")}
_ROLES = {
    Role.PARTICIPANT: "participant|student|learner|studentenrollment|teilnehmer|teilnehmerin|teilnehmerin|studierende|"
    "studierender|studentin",
    Role.GRADER: "grader|ta|tutor|tutorin|teachingassistant|taenrollment|noneditingteacher|korrektor|korrektorin|"
    "trainerinohnebearbeitungsrecht|trainerinohnebearbeitungsrechte|hilfskraft",
    Role.STAFF: "staff|teacher|instructor|editingteacher|teacherenrollment|trainer|trainerin|dozent|dozentin|lehrer|"
    "lehrerin|lehrkraft|lehrende|lehrender",
    Role.OWNER: "owner",
    Role.MONITOR: "monitor",
}
_ROLE_BY_NAME = {name: role for role, names in _ROLES.items() for name in names.split("|")}
_GONE = frozenset({"deleted", "inactive", "suspended", "concluded", "completed", "gelöscht", "inaktiv", "gesperrt"})
"""States in which a person is in a file and no longer in the course."""
_NOT_PEOPLE = frozenset({"student, test", "test student", "teststudent", "students, test"})
"""The name that Canvas gives to its preview of a course as a student sees it."""
_IDS = ("email", "student_number", "sis_id", "login", "lms_id")
_MANGLED_NUMBER = re.compile(r"\d[.,]\d+e\+\d+", re.IGNORECASE)
_INVISIBLE = dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x00AD))


@dataclass(frozen=True)
class Seat:
    """A row: somebody who belongs to the course."""

    line: int
    """Its place in the file."""
    name: str
    ids: PersonIds
    section: str
    role: Role | None
    """None if the file says nothing."""


def read_roster(file: Path) -> Sequence[Seat]:
    """Reads a roster.

    Raises:
        BenchServiceError: The file can't be read, or a row of it is wrong; which one is said.
    """
    try:
        with file.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise BenchServiceError(f"{file} can't be read: {error.strerror}") from error
    return parse_roster(content, str(file))


def parse_roster(content: bytes, file_name: str) -> Sequence[Seat]:
    """Reads a roster's content: its columns in any order, separated by commas, semicolons or tabs.

    Rows that are no people are left out: empty ones, Canvas' *Points Possible* and *Student, Test*, and people whose
    status says that they are gone. Equal rows, such as of somebody in two sections, are one person.

    Args:
        content: The file.
        file_name: Its name in messages.

    Raises:
        BenchServiceError: The content is no roster, or a row of it is wrong; which one is said.
    """
    if len(content) > MOST_BYTES:
        raise BenchServiceError(f"{file_name} has more than {MOST_BYTES:,} bytes; split it")
    lines = list(io.StringIO(_decoded_text(content, file_name), newline=""))
    header = _find_header(lines, file_name)
    seats: list[Seat] = []
    reader = csv.reader(lines[header.line :], delimiter=header.separator, strict=True)
    row_place = header.line + 1
    try:
        # A quoted cell can go over several lines: a row's place is where it begins.
        for cells in reader:
            seat = _read_seat(cells, header, row_place, file_name)
            row_place = header.line + reader.line_num + 1
            if seat is not None:
                seats.append(seat)
    except csv.Error as error:
        raise BenchServiceError(f"{file_name}:{header.line + reader.line_num}: {error}") from error
    if not seats:
        raise BenchServiceError(f"{file_name} has no rows of people below the line that names its columns")
    return _without_repetitions(seats, file_name)


def invitation_csv(seats: Sequence[Seat], invitation_codes: Sequence[str], sign_in_address: str) -> bytes:
    """The table to send invitations by: the roster, a code for each row, and where it is entered.

    Args:
        seats: Seats of the roster.
        invitation_codes: Invitation codes in the same order.
        sign_in_address: The address of the service's page; empty if not known.
    """
    text = io.StringIO()
    csv_writer = csv.writer(text, lineterminator="\r\n")
    csv_writer.writerow(_INVITATION_COLUMNS)
    for seat, code in zip(seats, invitation_codes, strict=True):
        role = seat.role or Role.PARTICIPANT
        seat_cells = (seat.ids.email, seat.name, seat.section, role.value)
        csv_writer.writerow([*map(formula_free_cell, seat_cells), code, sign_in_address])
    return text.getvalue().encode()


def _decoded_text(content: bytes, file_name: str) -> str:
    if content.startswith(b"PK\x03\x04") or content.startswith(b"\xd0\xcf\x11\xe0"):
        raise BenchServiceError(f"{file_name} is a workbook of a spreadsheet; save it as CSV there")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    elif b"\0" in content[:2_000]:
        # Text of our alphabets has its zero bytes at every second place.
        encodings = ["utf-16-le" if content[1:2_000:2].count(0) > content[0:2_000:2].count(0) else "utf-16-be"]
    else:
        encodings = ["utf-8-sig", "cp1252"]
    for encoding in encodings:
        try:
            text = content.decode(encoding)
        except UnicodeError:
            continue
        if "\0" not in text:
            return text
    raise BenchServiceError(f"{file_name} is neither UTF-8 nor UTF-16 nor Windows-1252; save it as CSV UTF-8")


@dataclass(frozen=True)
class _Header:
    """The line that names the columns."""

    line: int
    """Its index in the file."""
    separator: str
    width: int
    columns: Mapping[str, Sequence[int]]
    """The columns of each field."""

    @property
    def is_of_roster(self) -> bool:
        """True if it names people, and something to tell those of one name apart."""
        return bool({"name", "family_name"} & self.columns.keys()) and any(field in self.columns for field in _IDS)


def _find_header(lines: Sequence[str], file_name: str) -> _Header:
    """The line that names the columns; a title or `sep=;` may be above it."""
    possible_headers = []
    for i, line in enumerate(lines[:_HEADER_WITHIN]):
        for separator in _SEPARATORS:
            names = next(csv.reader([line], delimiter=separator), [])
            possible_headers.append(_Header(i, separator, len(names), _column_indices_by_field(names)))
    # The first of those with most columns: names of people in rows below may be words of headers.
    header = max(possible_headers, key=lambda header: (header.is_of_roster, len(header.columns)), default=None)
    if header is None or not header.is_of_roster:
        has_name = header is not None and bool({"name", "family_name"} & header.columns.keys())
        raise BenchServiceError(
            f"{file_name} has no column {'email' if has_name else 'name'!r}; its first line names the columns, such as"
            " email, name, section, role, or first name, last name, student number"
        )
    return header


def _column_indices_by_field(labels: Sequence[str]) -> dict[str, list[int]]:
    """The columns of each field."""
    plain_names = [_normalised_label(name) for name in labels]
    columns: dict[str, list[int]] = {}
    for i, plain_name in enumerate(plain_names):
        if plain_name == "id":
            # Canvas' own number stands beside its SIS columns, or before the section.
            is_of_canvas = "sisloginid" in plain_names or "sisuserid" in plain_names or plain_names[:1] == ["student"]
            columns.setdefault("lms_id" if is_of_canvas else "student_number", []).append(i)
        elif field := _FIELD_BY_HEADER.get(plain_name):
            columns.setdefault(field, []).append(i)
    if "given_name" in columns and "family_name" not in columns and "name" in plain_names:
        # As in many German lists: Name, Vorname.
        columns["family_name"] = columns.pop("name")
    return columns


def _normalised_label(label: str) -> str:
    """A header or a role without case, spaces and punctuation, and without what is in brackets."""
    composed = unicodedata.normalize("NFC", label).casefold()
    return "".join(letter for letter in re.sub(r"\([^)]*\)|\[[^]]*\]", "", composed) if letter.isalnum())


def _read_seat(cells: Sequence[str], header: _Header, line: int, file_name: str) -> Seat | None:
    """The person of a row; None if it has none."""
    row_place = f"{file_name}:{line}"
    # The columns are named once more where files were joined.
    if not any(cell.strip() for cell in cells) or _column_indices_by_field(cells) == header.columns:
        return None
    values = {field: _first_filled_cell(cells, numbers) for field, numbers in header.columns.items()}
    if _is_row_without_person(cells, values):
        return None
    if any(cell.strip() for cell in cells[header.width :]):
        raise BenchServiceError(
            f"{row_place}: more cells than the line that names the columns; put text with commas in quotes"
        )
    given_name, family_name = values.get("given_name", ""), values.get("family_name", "")
    name = values.get("name") or f"{given_name} {family_name}".strip()
    if not given_name and not family_name and name.count(",") == 1:
        family_name, given_name = (part.strip() for part in name.split(","))
    known_ids = {field: values.get(field, "") for field in _IDS}
    ids = PersonIds(**known_ids, given_name=given_name, family_name=family_name)
    if not ids.email and "@" in ids.login:
        ids = PersonIds(**{**ids.columns, "email": ids.login})
    for number in (ids.student_number, ids.sis_id, ids.lms_id):
        if _MANGLED_NUMBER.fullmatch(number):
            raise BenchServiceError(
                f"{row_place}: a spreadsheet has rounded the number {number}; make the column text, and enter it again"
            )
    if ids.email and not re.fullmatch(r"[^@\s]+@[^@\s]+", ids.email):
        raise BenchServiceError(f"{row_place}: {ids.email!r} is no email address")
    if not name or not ids.keys:
        raise BenchServiceError(
            f"{row_place}: a row needs a name, and an email address or another thing to tell people of one name apart,"
            " such as a student number or a login"
        )
    if (longest := max((name, *ids.columns.values(), values.get("section", "")), key=len)) and len(longest) > _LONGEST:
        raise BenchServiceError(
            f"{row_place}: a cell has more than {_LONGEST} characters; a quotation mark may be missing"
        )
    return Seat(
        line, displayable_name(name), ids, values.get("section", ""), _parsed_role(values.get("role", ""), row_place)
    )


def _first_filled_cell(cells: Sequence[str], column_indices: Sequence[int]) -> str:
    return next(
        (value for number in column_indices if number < len(cells) and (value := _cleaned_cell(cells[number]))), ""
    )


def _cleaned_cell(cell: str) -> str:
    """A cell without the space around it, what nobody sees, and what keeps a spreadsheet from reading a number."""
    text = unicodedata.normalize("NFC", cell).translate(_INVISIBLE)
    text = " ".join(text.split())
    if match := re.fullmatch(r'="(.*)"', text):
        text = match[1]
    return text.removeprefix("mailto:").replace("\0", "").strip()


def _is_row_without_person(cells: Sequence[str], values_by_column: Mapping[str, str]) -> bool:
    first_cell = next((cell.strip() for cell in cells if cell.strip()), "")
    if first_cell.casefold().startswith("points possible"):
        return True
    if all(re.fullmatch(r"\s*(muted|manual posting.*)?\s*", cell, re.IGNORECASE) for cell in cells):
        return True
    if values_by_column.get("name", "").casefold() in _NOT_PEOPLE and not values_by_column.get("email"):
        return True
    return _normalised_label(values_by_column.get("status", "")) in _GONE


def _parsed_role(role_text: str, row_place: str) -> Role | None:
    """The role that a cell names; of several, the first."""
    if not role_text:
        return None
    role = _ROLE_BY_NAME.get(_normalised_label(re.split(r"[,;]", role_text)[0]))
    if role is None:
        roles = ", ".join(known_role.value for known_role in Role)
        raise BenchServiceError(f"{row_place}: {role_text!r} is no role; there are {roles}")
    return role


def _without_repetitions(seats: Sequence[Seat], file_name: str) -> Sequence[Seat]:
    """The people of the rows, each once.

    Raises:
        BenchServiceError: Two rows are partly the same person.
    """
    kept_seats: list[Seat] = []
    seat_by_key: dict[tuple[str, str], int] = {}
    for seat in seats:
        indices = {seat_by_key[key] for key in seat.ids.keys if key in seat_by_key}
        if not indices:
            seat_by_key |= dict.fromkeys(seat.ids.keys, len(kept_seats))
            kept_seats.append(seat)
            continue
        i = min(indices)
        kept_seat = kept_seats[i]
        if (
            len(indices) > 1
            or seat.name.casefold() != kept_seat.name.casefold()
            or _differing_id_names(seat, kept_seat)
        ):
            shown_key = next(value for _, value in _keys_with_shared_first(seat, kept_seat))
            raise BenchServiceError(
                f"{file_name}:{seat.line}: {shown_key} is twice, in line {kept_seat.line} too; leave one row out, or"
                " correct it"
            )
        sections = dict.fromkeys(filter(None, (kept_seat.section, seat.section)))
        kept_seats[i] = Seat(
            kept_seat.line,
            kept_seat.name,
            kept_seat.ids.completed_by(seat.ids),
            " and ".join(sections),
            kept_seat.role or seat.role,
        )
        seat_by_key |= dict.fromkeys(kept_seats[i].ids.keys, i)
    return kept_seats


def _keys_with_shared_first(seat: Seat, kept_seat: Seat) -> Iterator[tuple[str, str]]:
    yield from (key for key in seat.ids.keys if key in kept_seat.ids.keys)
    yield from seat.ids.keys


def _differing_id_names(seat: Seat, kept_seat: Seat) -> Sequence[str]:
    kept_columns = kept_seat.ids.columns
    return [
        field
        for field in _IDS
        if (value := seat.ids.columns[field].casefold())
        and kept_columns[field]
        and value != kept_columns[field].casefold()
    ]
