"""A study beside what was preregistered of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import JsonValue

from benchwright_analysis.code_digest import analysis_digest
from benchwright_analysis.report.rows.observation import Observation
from benchwright_studies.conduct.entry import Drawn, Enrolled, Preregistered
from benchwright_studies.plan.preregistration import document_matches

if TYPE_CHECKING:
    from benchwright_studies.conduct.studies import RegisteredStudy
    from benchwright_studies.conduct.study_log import StudyLog


@dataclass(frozen=True)
class Registration:
    """A preregistration, and what is not as it says."""

    digest: str
    document: Mapping[str, JsonValue]
    deviations: Sequence[str]
    """As sentences."""

    @property
    def date(self) -> str:
        """When it was registered, ISO 8601."""
        return str(self.document.get("registered", ""))


def registration(
    known: RegisteredStudy, observations: Sequence[Observation], *, chosen: Sequence[str]
) -> Registration | None:
    """What was preregistered of a study, with every deviation; none if nothing was.

    Args:
        known: The study.
        observations: Its attempts.
        chosen: Options of the report that leave attempts out by hand.
    """
    registered = known.preregistered
    if registered is None:
        return None
    mine = [one for one in observations if one.study == known.study.study and not one.practice]
    found = [
        *_changed(known, registered, mine),
        *_sample(registered, mine),
        *(f"Attempts were left out of this report by hand: {option}." for option in chosen),
    ]
    return Registration(registered.digest, registered.document, tuple(found))


def _changed(known: RegisteredStudy, registered: Preregistered, mine: Sequence[Observation]) -> list[str]:
    document, found = registered.document, []
    if not document_matches(registered, document):
        found.append("The document does not have the digest that was noted with it.")
    if document.get("study_sha256") != known.sha256:
        found.append("The study file is another one than the one that was registered.")
    files = {digest for digest, _ in known.identities}
    other = [one for one in mine if one.study_sha256 and one.study_sha256 not in files]
    if other:
        found.append(f"{len(other)} attempts were made under another study file than the registered one.")
    code = document.get("code")
    if isinstance(code, dict) and code.get("analysis_sha256") != analysis_digest():
        found.append(
            f"The program that analyses is not the registered one (Benchwright {code.get('benchwright')}); "
            "analyse with that version too, and report both."
        )
    prompts = document.get("prompts")
    for condition, planned in prompts.items() if isinstance(prompts, dict) else ():
        wanted = f"{planned['name']} {str(planned['sha256'])[:16]}" if isinstance(planned, dict) else ""
        others = [one for one in mine if one.condition == condition and one.prompts not in ("", wanted)]
        if others:
            asked = others[0].prompts
            found.append(f"{len(others)} attempts under {condition} were asked with {asked}; {wanted} was registered.")
    before = [one for one in mine if one.started and one.started < str(document.get("registered", ""))]
    if before:
        found.append(f"{len(before)} attempts were started before the registration.")
    return found


def _sample(registered: Preregistered, mine: Sequence[Observation]) -> list[str]:
    sample, found = registered.document.get("sample"), []
    if not isinstance(sample, dict):
        return []
    planned = sample.get("attempts_by_condition")
    seen = Counter(one.condition for one in mine)
    for condition, wanted in planned.items() if isinstance(planned, dict) else ():
        if seen[condition] != wanted:
            found.append(f"Sample size of {condition}: {seen[condition]} attempts, {wanted} were registered.")
    people = {one.participant for one in mine if one.is_person}
    if len(people) > int(str(sample.get("participants", 0))):
        found.append(f"{len(people)} participants have attempts; {sample.get('participants')} were registered.")
    return found


def allocation(log: StudyLog, known: RegisteredStudy) -> tuple[dict[str, int], dict[str, int], list[str]]:
    """Tasks drawn by condition, whose allocation was concealed, and assignments that are not the plan's.

    Returns:
        Condition → tasks; `sealed` and `open` → participants; deviations as sentences.
    """
    drawn, concealed = Counter[str](), Counter[str]()
    wrong = []
    for participant in log.journal.participants(known.study.study):
        entries = [kept.entry for kept in log.journal.entries(known.study.study, participant)]
        enrolled = next((entry for entry in entries if isinstance(entry, Enrolled)), None)
        concealed["sealed" if enrolled is not None and enrolled.sealed else "open"] += 1
        row = next((entry.assignment for entry in entries if isinstance(entry, Drawn)), None)
        planned = known.plan.of(participant)
        if row is not None and planned is not None and row != planned:
            wrong.append(participant)
        assignment = row or planned
        drawn.update(task.condition for task in (assignment.tasks if assignment else ()))
    told = [f"The assignment of {', '.join(wrong)} is not the plan's."] if wrong else []
    return dict(drawn), dict(concealed), told
