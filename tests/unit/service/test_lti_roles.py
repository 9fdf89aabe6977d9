"""Roles of a learning management system's course, as its launches and rosters write them, and the roles here."""

from __future__ import annotations

import pytest

from benchwright_remote.messages import Role
from benchwright_service.sign_in.lti import role_of_lti_roles

VOCABULARY = "http://purl.imsglobal.org/vocab/lis/v2"


@pytest.mark.parametrize(
    ("role_names", "role"),
    [
        (["membership#Learner"], Role.PARTICIPANT),
        (["membership/Learner#NonCreditLearner"], Role.PARTICIPANT),
        (["membership/Learner#Instructor"], Role.PARTICIPANT),
        (["membership#Instructor"], Role.STAFF),
        (["membership/Instructor#PrimaryInstructor"], Role.STAFF),
        (["membership#ContentDeveloper"], Role.STAFF),
        (["membership/Administrator#Support"], Role.STAFF),
        (["membership#Instructor", "membership/Instructor#TeachingAssistantSection"], Role.GRADER),
        (["membership/Instructor#Grader", "membership#Learner"], Role.GRADER),
        (["membership#Instructor", "membership#Learner"], Role.STAFF),
        (["membership#Mentor"], None),
        (["institution/person#Instructor", "system/person#Administrator"], None),
    ],
)
def test_a_role_of_the_course_decides_with_or_without_a_part_of_it(role_names: list[str], role: Role | None) -> None:
    assert role_of_lti_roles([f"{VOCABULARY}/{name}" for name in role_names]) is role


@pytest.mark.parametrize(
    ("name", "role"), [("Learner", Role.PARTICIPANT), ("Instructor", Role.STAFF), ("Member", None)]
)
def test_short_names_are_read_too(name: str, role: Role | None) -> None:
    assert role_of_lti_roles([name]) is role


@pytest.mark.parametrize("roles", [[], [None], [7], ["http://evil.example/membership#Instructor"], ["x#Instructor"]])
def test_what_is_no_role_gives_none(roles: list[object]) -> None:
    assert role_of_lti_roles(roles) is None
