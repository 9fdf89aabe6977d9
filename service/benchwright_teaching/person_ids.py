"""Names and numbers by which other systems know a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class PersonIds:
    """What a roster or a learning management system calls a person; empty where it says nothing."""

    email: str = ""
    student_number: str = ""
    sis_id: str = ""
    """Id in the student information system, such as Canvas' *SIS User ID*."""
    login: str = ""
    """The person's name when they sign in there."""
    lms_id: str = ""
    """The learning management system's own number of the person, such as Canvas' *ID*."""
    given_name: str = ""
    family_name: str = ""

    @property
    def keys(self) -> Sequence[tuple[str, str]]:
        """Keys that are the same for the same person, in whichever column a file has them; the surest first.

        Schools write one number as a student number in one file and as a SIS id in the next, and a login that is an
        email address is that address.
        """
        number_keys = [("number", number.casefold()) for number in (self.sis_id, self.student_number)]
        login_key = "email" if "@" in self.login else "login"
        key_pairs = [
            *number_keys,
            ("lms", self.lms_id.casefold()),
            (login_key, self.login.casefold()),
            ("email", self.email.casefold()),
        ]
        return list(dict.fromkeys(key for key in key_pairs if key[1]))

    @property
    def columns(self) -> Mapping[str, str]:
        """Field → value."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def completed_by(self, older_ids: PersonIds) -> PersonIds:
        """The same, with an older value wherever this one says nothing."""
        return PersonIds(**{name: value or older_ids.columns[name] for name, value in self.columns.items()})
