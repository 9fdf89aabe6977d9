"""Gaps of a readable study file before people take part: its own words, balance, assistants."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from benchwright_problems.aids import Aid
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_studies.plan.assignment import Plan
from benchwright_studies.plan.study import Study
from benchwright_studies.plan.study_file import StudyFile, StudyFileError, StudyFlaw
from benchwright_studies.plan.vocabulary import AssignmentUnit, Order

_PLACEHOLDER = re.compile(r"<[A-Z][A-Z ,'/-]+>")
"""Marks of what the template leaves open."""
_OWN_ASSISTANT = "benchwright"


def refuse_placeholders(file: StudyFile) -> None:
    """Refuses a study whose participants would read what the template leaves open.

    Raises:
        StudyFileError: Names each place.
    """
    flaws = [
        StudyFlaw(number, file.field_at(number), _placeholder_message(match[0]))
        for number, line in enumerate(file.text.splitlines(), start=1)
        if not line.lstrip().startswith("#")
        for match in _PLACEHOLDER.finditer(line)
    ]
    if flaws:
        raise StudyFileError(file.path, flaws)


def _placeholder_message(placeholder: str) -> str:
    return f"{placeholder!r} is from the template. Write your own words there."


def balance_sentences(study: Study, plan: Plan) -> list[str]:
    """What the plan balances, or where it does not and how many participants would; empty without people.

    Every sentence is counted from the plan, so none says what another denies.
    """
    if not plan.assignments:
        return []
    uneven_sentences, even_claims = [], []
    for balance in _balances(study, plan):
        if max(balance.counts.values()) == min(balance.counts.values()):
            even_claims.append(balance.even_claim)
            continue
        rarest = min(balance.counts, key=lambda name: balance.counts[name])
        commonest = max(balance.counts, key=lambda name: balance.counts[name])
        uneven_sentences.append(
            f"{balance.uneven_claim}: {rarest} {balance.counts[rarest]} times, "
            f"{commonest} {balance.counts[commonest]} times."
        )
    if uneven_sentences:
        people = len(plan.assignments)
        multiple = _balancing_participant_count(study)
        return [*uneven_sentences, f"{people} participants don't balance this design; a multiple of {multiple} does."]
    *first_claims, last_claim = even_claims
    return [f"The plan {', '.join(first_claims)}{', and ' if first_claims else ''}{last_claim}{_lot_phrase(study)}."]


def _lot_phrase(study: Study) -> str:
    is_drawn = study.randomisation.unit is AssignmentUnit.TASK and study.randomisation.order is not Order.LATIN_SQUARE
    return "; orders are drawn by lot" if is_drawn else ""


def _balancing_participant_count(study: Study) -> int:
    """The number of participants whose multiples balance the design."""
    order_count = 1
    if study.randomisation.unit is AssignmentUnit.TASK and study.randomisation.order is Order.LATIN_SQUARE:
        order_count = _williams_row_count(len(study.problems))
    return len(study.people_conditions) * order_count


def _williams_row_count(problem_count: int) -> int:
    """Number of orders in a Williams square."""
    return problem_count if problem_count % 2 == 0 else 2 * problem_count


@dataclass(frozen=True, slots=True)
class _Balance:
    """How often each of some things occurs in a plan."""

    counts: Mapping[str, int]
    even_claim: str
    """What the plan does if all counts are equal."""
    uneven_claim: str


def _balances(study: Study, plan: Plan) -> list[_Balance]:
    names = [condition.name for condition in study.people_conditions]
    refs = [task.problem for task in study.problems]
    if study.randomisation.unit is not AssignmentUnit.TASK:
        people_counts = Counter(dict.fromkeys(names, 0))
        people_counts.update(assignment.tasks[0].condition for assignment in plan.assignments)
        even_claim = "gives each condition to equally many people"
        return [_Balance(people_counts, even_claim, "Conditions have different numbers of people")]
    condition_counts = Counter({f"{ref} under {name}": 0 for ref in refs for name in names})
    position_counts = Counter({f"{ref} at place {position}": 0 for ref in refs for position in range(1, len(refs) + 1)})
    successor_counts = Counter({f"{second} behind {first}": 0 for first in refs for second in refs if first != second})
    for assignment in plan.assignments:
        condition_counts.update(f"{task.problem} under {task.condition}" for task in assignment.tasks)
        position_counts.update(f"{task.problem} at place {task.position}" for task in assignment.tasks)
        successor_counts.update(
            f"{second.problem} behind {first.problem}" for first, second in pairwise(assignment.tasks)
        )
    balances = [
        _Balance(
            condition_counts,
            "tries each problem equally often under each condition",
            "Problems are not tried equally often under each condition",
        )
    ]
    if study.randomisation.order is Order.LATIN_SQUARE:
        even_claim = "puts each problem equally often at each place"
        balances.append(_Balance(position_counts, even_claim, "Problems are not equally often at each place"))
        if successor_counts:
            even_claim = "lets each problem follow each other one equally often"
            uneven_claim = "Problems do not follow each other equally often"
            balances.append(_Balance(successor_counts, even_claim, uneven_claim))
    return balances


def refuse_unusable_assistants(
    file: StudyFile, problems: Mapping[str, Problem], unusable_reason_by_assistant: Mapping[str, str]
) -> None:
    """Refuses a condition with an assistant that could not appear: it would be counted as help that nobody used.

    Args:
        file: The study.
        problems: The public parts of its problems by `pack/id`.
        unusable_reason_by_assistant: Assistant → why the editor on this machine can't have it, with the next step.

    Raises:
        StudyFileError: Names each condition, and why.
    """
    form_refs = [
        task.problem
        for task in file.study.problems
        if task.problem in problems and problems[task.problem].kind is not ProblemKind.DESIGN
    ]
    flaws: list[StudyFlaw] = []
    for index, condition in enumerate(file.study.conditions):
        if not condition.solver.is_person or not condition.assistants:
            continue
        field = f"conditions[{index}].assistants"
        messages = [
            f"{name}: {unusable_reason_by_assistant[name]}"
            for name in condition.assistants
            if name in unusable_reason_by_assistant
        ]
        only_completes = {name.lower() for name in condition.assistants} <= _ONLY_COMPLETES
        if form_refs and only_completes and Aid.GENERATED not in (condition.aids or ()):
            messages.append(
                f"{' and '.join(condition.assistants)} can't appear in the form that answers {form_refs[0]} "
                f"({len(form_refs)} of {len(file.study.problems)} problems are answered in a form): completion is for "
                "text in an editor. Leave these problems out, or name an assistant with a chat, or benchwright with "
                "`aids: [generated]`."
            )
        flaws += [StudyFlaw(file.line_of(field), field, message) for message in messages]
    if flaws:
        raise StudyFileError(file.path, flaws)


_ONLY_COMPLETES = frozenset({_OWN_ASSISTANT, "github.copilot", "visualstudioexptteam.vscodeintellicode"})
"""Assistants, in lower case, that help by inline completion alone."""


def assistant_requirement_sentences(study: Study) -> list[str]:
    """Needs of the conditions' assistants from participants' editors, as sentences."""
    assistant_names = {name for condition in study.people_conditions for name in condition.assistants} - {
        _OWN_ASSISTANT
    }
    if not assistant_names:
        return []
    return [f"Participants need an editor of their own with {', '.join(sorted(assistant_names))}."]
