"""Gaps of a readable study file before people take part: its own words, balance, assistants."""

from __future__ import annotations

import re
from collections import Counter

from benchwright_studies.plan.assignment import Plan
from benchwright_studies.plan.study import Study
from benchwright_studies.plan.study_file import Flaw, StudyFile, StudyFileError
from benchwright_studies.plan.vocabulary import Order, Unit

_PLACEHOLDER = re.compile(r"<[A-Z][A-Z ,'/-]+>|\bWHO asks you\b|\bWHAT for\b|\bwrite to WHOM\b")
"""Marks of what the template leaves open, the present and the earlier ones."""
_OWN = "benchwright"


def check_words(file: StudyFile) -> None:
    """Refuses a study whose participants would read what the template leaves open.

    Raises:
        StudyFileError: Names each place.
    """
    flaws = [
        Flaw(number, "consent.text" if number >= file.line_of("consent.text") else "", _open(match[0]))
        for number, line in enumerate(file.text.splitlines(), start=1)
        if not line.lstrip().startswith("#") and (match := _PLACEHOLDER.search(line))
    ]
    if flaws:
        raise StudyFileError(file.path, flaws)


def _open(words: str) -> str:
    return f"{words!r} is from the template. Write your own words there."


def guarantee(study: Study) -> str:
    """Guarantee of the design where the number of participants fits, as one sentence; empty without people."""
    if not study.people_conditions:
        return ""
    if study.randomisation.unit is Unit.PERSON:
        return "The design gives each condition to equally many people."
    sentence = "The design tries each problem equally often under each condition"
    if study.randomisation.order is Order.LATIN_SQUARE:
        return f"{sentence}, puts it equally often at each place, and lets it follow each other problem equally often."
    return f"{sentence}; orders are drawn by lot."


def imbalances(study: Study, plan: Plan) -> list[str]:
    """Places where the plan is not what `guarantee` says, as sentences with the next step."""
    people, conditions = len(plan.assignments), len(study.people_conditions)
    if not people:
        return []
    whole = conditions
    if study.randomisation.unit is Unit.TASK and study.randomisation.order is Order.LATIN_SQUARE:
        whole *= _orders(len(study.problems))
    sentences = []
    for description, counts in _counts(study, plan):
        if max(counts.values()) != min(counts.values()):
            rarest, commonest = min(counts, key=lambda name: counts[name]), max(counts, key=lambda name: counts[name])
            sentences.append(f"{description}: {rarest} {counts[rarest]} times, {commonest} {counts[commonest]} times.")
    if sentences:
        sentences.append(f"{people} participants don't balance this design; a multiple of {whole} does.")
    return sentences


def _orders(problems: int) -> int:
    """Number of orders in a Williams square."""
    return problems if problems % 2 == 0 else 2 * problems


def _counts(study: Study, plan: Plan) -> list[tuple[str, Counter[str]]]:
    names = [condition.name for condition in study.people_conditions]
    refs = [task.problem for task in study.problems]
    if study.randomisation.unit is Unit.PERSON:
        whole = Counter(dict.fromkeys(names, 0))
        whole.update(assignment.tasks[0].condition for assignment in plan.assignments)
        return [("Conditions have different numbers of people", whole)]
    condition_counts = Counter({f"{ref} under {name}": 0 for ref in refs for name in names})
    places = Counter({f"{ref} at place {position}": 0 for ref in refs for position in range(1, len(refs) + 1)})
    for assignment in plan.assignments:
        for task in assignment.tasks:
            condition_counts[f"{task.problem} under {task.condition}"] += 1
            places[f"{task.problem} at place {task.position}"] += 1
    groups = [("Problems are not tried equally often under each condition", condition_counts)]
    if study.randomisation.order is Order.LATIN_SQUARE:
        groups.append(("Problems are not equally often at each place", places))
    return groups


def foreign_assistants(study: Study) -> list[str]:
    """Needs of the conditions' assistants from participants' editors, as sentences."""
    assistant_names = {name for condition in study.people_conditions for name in condition.assistants} - {_OWN}
    if not assistant_names:
        return []
    return [
        f"The editor that ./run starts can't have {', '.join(sorted(assistant_names))}: it has no gallery, and its "
        "AI features"
        " are off. Participants need an editor of their own with it; or write `assistants: [benchwright]`."
    ]
