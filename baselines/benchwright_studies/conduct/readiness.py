"""Gaps of a readable study file before people take part: its own words, balance, assistants."""

from __future__ import annotations

import re
from collections import Counter

from benchwright_studies.plan.assignment import Plan
from benchwright_studies.plan.study import Study
from benchwright_studies.plan.study_file import StudyFile, StudyFileError, StudyFlaw
from benchwright_studies.plan.vocabulary import AssignmentUnit, Order

_PLACEHOLDER = re.compile(r"<[A-Z][A-Z ,'/-]+>|\bWHO asks you\b|\bWHAT for\b|\bwrite to WHOM\b")
"""Marks of what the template leaves open, the present and the earlier ones."""
_OWN = "benchwright"


def refuse_placeholders(file: StudyFile) -> None:
    """Refuses a study whose participants would read what the template leaves open.

    Raises:
        StudyFileError: Names each place.
    """
    flaws = [
        StudyFlaw(
            number, "consent.text" if number >= file.line_of("consent.text") else "", _placeholder_message(match[0])
        )
        for number, line in enumerate(file.text.splitlines(), start=1)
        if not line.lstrip().startswith("#") and (match := _PLACEHOLDER.search(line))
    ]
    if flaws:
        raise StudyFileError(file.path, flaws)


def _placeholder_message(placeholder: str) -> str:
    return f"{placeholder!r} is from the template. Write your own words there."


def balance_guarantee(study: Study) -> str:
    """Guarantee of the design where the number of participants fits, as one sentence; empty without people."""
    if not study.people_conditions:
        return ""
    if study.randomisation.unit is AssignmentUnit.PERSON:
        return "The design gives each condition to equally many people."
    sentence = "The design tries each problem equally often under each condition"
    if study.randomisation.order is Order.LATIN_SQUARE:
        return f"{sentence}, puts it equally often at each place, and lets it follow each other problem equally often."
    return f"{sentence}; orders are drawn by lot."


def imbalance_sentences(study: Study, plan: Plan) -> list[str]:
    """Places where the plan is not what `guarantee` says, as sentences with the next step."""
    people, conditions = len(plan.assignments), len(study.people_conditions)
    if not people:
        return []
    balanced_count = conditions
    if study.randomisation.unit is AssignmentUnit.TASK and study.randomisation.order is Order.LATIN_SQUARE:
        balanced_count *= _williams_row_count(len(study.problems))
    sentences = []
    for description, counts in _counts_that_should_be_equal(study, plan):
        if max(counts.values()) != min(counts.values()):
            rarest, commonest = min(counts, key=lambda name: counts[name]), max(counts, key=lambda name: counts[name])
            sentences.append(f"{description}: {rarest} {counts[rarest]} times, {commonest} {counts[commonest]} times.")
    if sentences:
        sentences.append(f"{people} participants don't balance this design; a multiple of {balanced_count} does.")
    return sentences


def _williams_row_count(problem_count: int) -> int:
    """Number of orders in a Williams square."""
    return problem_count if problem_count % 2 == 0 else 2 * problem_count


def _counts_that_should_be_equal(study: Study, plan: Plan) -> list[tuple[str, Counter[str]]]:
    names = [condition.name for condition in study.people_conditions]
    refs = [task.problem for task in study.problems]
    if study.randomisation.unit is AssignmentUnit.PERSON:
        people_counts = Counter(dict.fromkeys(names, 0))
        people_counts.update(assignment.tasks[0].condition for assignment in plan.assignments)
        return [("Conditions have different numbers of people", people_counts)]
    condition_counts = Counter({f"{ref} under {name}": 0 for ref in refs for name in names})
    position_counts = Counter({f"{ref} at place {position}": 0 for ref in refs for position in range(1, len(refs) + 1)})
    for assignment in plan.assignments:
        for task in assignment.tasks:
            condition_counts[f"{task.problem} under {task.condition}"] += 1
            position_counts[f"{task.problem} at place {task.position}"] += 1
    labelled_counts = [("Problems are not tried equally often under each condition", condition_counts)]
    if study.randomisation.order is Order.LATIN_SQUARE:
        labelled_counts.append(("Problems are not equally often at each place", position_counts))
    return labelled_counts


def missing_assistants_note(study: Study) -> list[str]:
    """Needs of the conditions' assistants from participants' editors, as sentences."""
    assistant_names = {name for condition in study.people_conditions for name in condition.assistants} - {_OWN}
    if not assistant_names:
        return []
    return [
        f"The editor that ./run starts can't have {', '.join(sorted(assistant_names))}: it has no gallery, and its "
        "AI features"
        " are off. Participants need an editor of their own with it; or write `assistants: [benchwright]`."
    ]
