"""Entries of a study's journal, outside attempts: one model per kind of entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, TypeAdapter

from benchwright_attempts.events.event_body import Count, EventBody
from benchwright_attempts.events.evidence import Forecast
from benchwright_attempts.events.file_text import Sha256, Text
from benchwright_studies.plan.assignment import Assignment, Plan


class Registered(EventBody):
    """A study file was registered; always the first entry of a study."""

    type: Literal["registered"] = "registered"
    study_sha256: Sha256
    """Digest of the file's text."""
    text: Text
    """The study file, as it was."""
    problems: Mapping[str, Sha256] = Field(default_factory=dict)
    """Digest of the public part of each problem, by `pack/id`."""


class Planned(EventBody):
    """Decision on the participants' assignments."""

    type: Literal["planned"] = "planned"
    plan: Plan
    sha256: Sha256
    """Digest of the plan."""


class PlanSealed(EventBody):
    """Decision, made elsewhere, on the assignments; this machine has nothing but a commitment to it."""

    type: Literal["plan_sealed"] = "plan_sealed"
    sha256: Sha256
    """Digest of the lab's secret and the plan's digest."""


class Preregistered(EventBody):
    """The study's rules, plan and analysis were frozen in one document, before there were data."""

    type: Literal["preregistered"] = "preregistered"
    digest: Sha256
    """Of `document`."""
    document: Mapping[str, JsonValue]
    form: Text
    """The study file as participants get it."""
    secret: Sha256
    """Makes codes of participants and the commitment to the plan; to be published when the study is over."""


class Closed(EventBody):
    """The study is over; ends its journal."""

    type: Literal["closed"] = "closed"
    digest: Sha256
    """Over everything in `seal`."""
    seal: Mapping[str, JsonValue]
    """Digests of study file and plan, and number of events and last hash of each attempt and each journal."""


class Enrolled(EventBody):
    """A participant begins; always the first entry of a participant."""

    type: Literal["enrolled"] = "enrolled"
    sealed: str = ""
    """The participant's row of the plan, encrypted. Empty where the plan is on the same machine."""
    sealed_sha256: str = ""
    """Digest of the row before it was encrypted."""
    code: str = ""
    """Opens the row. Empty if the lab keeps it."""


class ConsentEntry(EventBody):
    """The participant agreed, or took it back."""

    type: Literal["consent"] = "consent"
    version: str
    sha256: Sha256
    """Digest of the text that was shown."""
    given: bool
    delete: bool = False
    """True if who takes consent back also asks for deletion, here and where records went."""


class TaskForecast(EventBody):
    """Expectation of the participant for one problem, before anything of the assignment was shown."""

    type: Literal["task_forecast"] = "task_forecast"
    problem: str
    forecast: Forecast


class Drawn(EventBody):
    """The participant's assignment was drawn; conditions can be shown from here on."""

    type: Literal["drawn"] = "drawn"
    assignment: Assignment


class TaskBegun(EventBody):
    """A task's problem was opened."""

    type: Literal["task_begun"] = "task_begun"
    position: Count
    """Place in the participant's order, from 1; 0 for practice."""
    problem: str
    attempt: str
    """The attempt's id."""


class QuestionnaireAnswered(EventBody):
    """The questions at the end were answered."""

    type: Literal["questionnaire"] = "questionnaire"
    answers: Mapping[str, str | int | float | bool]


class Finished(EventBody):
    """The participant has finished."""

    type: Literal["finished"] = "finished"


Entry = Annotated[
    Registered
    | Planned
    | PlanSealed
    | Preregistered
    | Closed
    | Enrolled
    | ConsentEntry
    | TaskForecast
    | Drawn
    | TaskBegun
    | QuestionnaireAnswered
    | Finished,
    Field(discriminator="type"),
]
"""Any entry."""

OF_A_STUDY = (Registered, Planned, PlanSealed, Preregistered, Closed)
"""Entries of the study's own chain; all others are a participant's."""

ENTRY: TypeAdapter[Entry] = TypeAdapter(Entry, config=ConfigDict(defer_build=True))
"""Reads an entry from the value its JSON stands for."""
