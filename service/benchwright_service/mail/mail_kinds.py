"""Kinds of mail that people get without having asked for it, and who gets each."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from benchwright_remote.messages import Role


class MailKind(StrEnum):
    """Kind of event that people are sent mail about; mail never has more of it than that it happened."""

    OPENED = "opened"
    MOVED = "moved"
    """Other dates of an assignment that is open."""
    NEAR = "near"
    GRADED = "graded"
    ANSWERED = "answered"
    """An appeal was."""
    EXTENDED = "extended"
    APPEALED = "appealed"

    @property
    def roles(self) -> frozenset[Role]:
        """Roles of people who get it."""
        return _TEACHERS if self is MailKind.APPEALED else _STUDENTS

    @property
    def collected_s(self) -> float:
        """Time in seconds for which it waits, so that what happens meanwhile is in the same mail."""
        return _COLLECTED_S.get(self, _USUALLY_COLLECTED_S)

    @property
    def label(self) -> str:
        """The kind as settings name it."""
        return _LABELS[self]


_STUDENTS = frozenset({Role.PARTICIPANT})
_TEACHERS = frozenset({Role.OWNER, Role.STAFF})
_USUALLY_COLLECTED_S = 600.0
_COLLECTED_S = {MailKind.NEAR: 0.0, MailKind.GRADED: 1_800.0, MailKind.APPEALED: 14_400.0}
_LABELS = {
    MailKind.OPENED: "An assignment opens",
    MailKind.MOVED: "The dates of an open assignment change",
    MailKind.NEAR: "An assignment is due within a day, and nothing counts for it yet",
    MailKind.GRADED: "Somebody decides on a grade, or changes it",
    MailKind.ANSWERED: "An appeal is answered",
    MailKind.EXTENDED: "More time is given",
    MailKind.APPEALED: "Students appeal against grades: one mail in four hours at most",
}


def kinds_of_column(column_text: str) -> frozenset[MailKind]:
    """Kinds as a column has them, with spaces between."""
    return frozenset(MailKind(word) for word in column_text.split())


def column_text_of_kinds(kinds: Iterable[MailKind]) -> str:
    """The same as a column has it."""
    return " ".join(sorted(kind.value for kind in kinds))


def kinds_named(words: Iterable[str]) -> frozenset[MailKind]:
    """The kinds among words of a form."""
    wanted_words = set(words)
    return frozenset(kind for kind in MailKind if kind.value in wanted_words)
