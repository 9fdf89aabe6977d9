"""Rosters as Canvas, Moodle and spreadsheets write them, and files that are none."""

from __future__ import annotations

import pytest

from benchwright_remote.messages import Role
from benchwright_service.accounts.roster import Seat, parse_roster
from benchwright_service.errors import BenchServiceError

CANVAS_GRADEBOOK = """\
Student,ID,SIS User ID,SIS Login ID,Integration ID,Section,Quiz (77),Current Score
,,,,,,Manual Posting,
    Points Possible,,,,,,10,(read only)
"Lovelace, Ada",1001,S1,Ada@Uni.edu,,A and B,9,90
,,,,,,,
"Müller, Jörg",1002,S2,jm,,B,1,10
"Student, Test",999,,b3a4b3a4b3a4b3a4b3a4b3a4b3a4b3a4b3a4b3a4,,A,,
"""
CANVAS_SIS = """\
user_id,integration_id,login_id,first_name,last_name,email,status
S1,,ada,Ada,Lovelace,ada@uni.edu,active
S9,,old,Old,Person,old@uni.edu,deleted
"""
MOODLE = "First name,Last name,ID number,Email address,Groups,Roles\nAda,Lovelace,123,ada@uni.edu,Team 1,Student\n"
MOODLE_GERMAN = (
    "Vorname;Nachname;ID-Nummer;E-Mail-Adresse;Gruppen;Rollen\nAda;Lovelace;123;ada@uni.edu;T1;Teilnehmer/in\n"
)
SPREADSHEET = 'sep=;\r\nName;Vorname;Matrikel-Nr.;E-Mail\r\nLovelace;Ada ;="00123";  ada@uni.edu\r\n;;;\r\n'
TITLED = "Digital design\tterm 1\n\nEmail\tName\tRole\nada@uni.edu\tAda Lovelace\tTutor\n"


def people(text: str, encoding: str = "utf-8") -> list[Seat]:
    return list(parse_roster(text.encode(encoding), "roster.csv"))


def test_a_gradebook_of_canvas_has_its_people_and_nothing_else() -> None:
    ada, jörg = people(CANVAS_GRADEBOOK)
    assert (ada.name, ada.section, ada.line) == ("Lovelace, Ada", "A and B", 4)
    assert (ada.ids.lms_id, ada.ids.sis_id, ada.ids.login, ada.ids.email) == (
        "1001",
        "S1",
        "Ada@Uni.edu",
        "Ada@Uni.edu",
    )
    assert (jörg.ids.given_name, jörg.ids.family_name, jörg.ids.email) == ("Jörg", "Müller", "")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_every_usual_encoding_and_separator_is_read(encoding: str, separator: str) -> None:
    text = "Name,E-Mail,Matrikelnummer\r\nJörg Müller,jm@uni.edu,7\r\n".replace(",", separator)
    (person,) = people(text, encoding)
    assert (person.name, person.ids.email, person.ids.student_number) == ("Jörg Müller", "jm@uni.edu", "7")


@pytest.mark.parametrize("text", [CANVAS_SIS, MOODLE, MOODLE_GERMAN, SPREADSHEET, TITLED])
def test_headers_of_canvas_moodle_and_spreadsheets_are_known(text: str) -> None:
    (person,) = people(text)
    assert (person.name, person.ids.email) == ("Ada Lovelace", "ada@uni.edu")


def test_numbers_keep_their_zeros_and_roles_are_read_in_both_languages() -> None:
    assert people(SPREADSHEET)[0].ids.student_number == "00123"
    assert people(TITLED)[0].role is Role.GRADER
    assert people(MOODLE_GERMAN)[0].role is Role.PARTICIPANT
    assert people(MOODLE)[0].section == "Team 1"


def test_somebody_in_two_sections_is_one_person_and_two_people_may_have_one_name() -> None:
    rows = "name,email,section\nAda,a@x.org,A\nAda,A@x.org,B\nAda,other@x.org,A\n"
    assert [(person.ids.email, person.section) for person in people(rows)] == [
        ("a@x.org", "A and B"),
        ("other@x.org", "A"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("email,name\na@x.org,A,B\n", ":2: more cells"),
        ("email,name,role\na@x.org,A,emperor\n", "'emperor' is no role"),
        ("email,name\na@x.org,A\nA@x.org,B\n", ":3: a@x.org is twice, in line 2"),
        ("email,name,student id\na@x.org,A,1\na@x.org,A,2\n", ":3: a@x.org is twice"),
        ("name\nA\n", "no column 'email'"),
        ("email,section\na@x.org,A\n", "no column 'name'"),
        ("email,name\n", "no rows"),
        ("", "no column"),
        ("email,name\n\n,A\n", ":3: a row needs"),
        ("email,name\na@x.org,\n", ":2: a row needs"),
        ("email,name\nnobody,A\n", "'nobody' is no email address"),
        ("name,student number\nA,1.23E+09\n", ":2: a spreadsheet has rounded"),
        ('email,name\na@x.org,"A\n', "unexpected end of data"),
        ("PK\x03\x04", "save it as CSV"),
    ],
)
def test_a_wrong_roster_says_where_and_what_next(text: str, message: str) -> None:
    with pytest.raises(BenchServiceError, match=r"roster\.csv") as error_info:
        people(text)
    assert message in str(error_info.value)


def test_a_file_of_no_text_is_refused() -> None:
    with pytest.raises(BenchServiceError, match="neither UTF-8 nor UTF-16"):
        parse_roster(b"name,email\n\x81\x8d,a@x.org\n", "roster.csv")
