"""A pack that a bench service gives somebody to work on: its hidden part stays with the service."""

from __future__ import annotations

from pydantic import AwareDatetime

from benchwright_foundation.model import Model
from benchwright_problems.aids import Aid
from benchwright_problems.assistance import Assistance
from benchwright_problems.reveal import Reveal


class Assignment(Model):
    """The part of an assignment that a solver's machine knows."""

    service: str
    """Address of the service, without a slash at its end."""
    id: str
    course: str
    title: str
    pack: str
    """The pack's name on the service."""
    study: str = ""
    """The study that the pack is part of; its problems are opened as the study's tasks alone."""
    due: AwareDatetime | None = None
    closes: AwareDatetime | None = None
    """After this nothing is graded; never if not given."""
    most_runs: int | None = None
    """The most runs that an attempt may ask for; any number if not given."""
    reveal: Reveal | None = None
    """The most that is shown of a verdict; what each problem says if not given."""
    assistance: Assistance | None = None
    """The models that may help; nothing is said if not given."""
    aids: tuple[Aid, ...] | None = None
    """The aids that students may use; all if not given."""
    records_less: bool = False
    """True if the course asks how much is recorded, and the solver has not agreed: no text and no places of edits."""
