"""Registration of a kind of thing: by name and by where it is declared, so that it is loaded only when used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Registration(NamedTuple):
    """One line of a registry."""

    name: str
    """As people write it on the command line and in settings."""
    declaration_path: str
    """`package.module:NAME` of its declaration."""
    remark: str = ""
    """For the help: what to know before choosing it."""


def alternatives_phrase(registrations: Sequence[Registration]) -> str:
    """The names as one phrase: `bwrap, docker, or native, which runs without protection`."""
    phrases = [
        f"{registration.name}, {registration.remark}" if registration.remark else registration.name
        for registration in registrations
    ]
    *leading_phrases, last_phrase = phrases
    return ", ".join((*leading_phrases, f"or {last_phrase}" if leading_phrases else last_phrase))
