"""Participants' problems, their conditions and their order: a pure function of the study and its seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_attempts.errors import StudyError
from benchwright_attempts.events.file_text import sha256
from benchwright_attempts.log.record import canonical_json
from benchwright_foundation.model import Model
from benchwright_problems.problem import Difficulty
from benchwright_studies.plan.condition import Condition
from benchwright_studies.plan.seeded_random import SeededRandom
from benchwright_studies.plan.study import Study
from benchwright_studies.plan.vocabulary import AssignmentUnit, Order


class AssignedTask(Model):
    """One problem for one participant."""

    position: int
    """Place in the participant's order, from 1."""
    problem: str
    condition: str
    difficulty: Difficulty
    """By which it was blocked."""


class Assignment(Model):
    """Everything one participant does, in order."""

    participant: str
    tasks: tuple[AssignedTask, ...]


class Plan(Model):
    """Everybody's assignment."""

    study: str
    study_sha256: str
    """Digest of the study file it was made from."""
    seed: int
    assignments: tuple[Assignment, ...]

    @property
    def sha256(self) -> str:
        """Digest of the plan."""
        return sha256(canonical_json(self.model_dump(mode="json")).encode())

    def assignment_of(self, participant: str) -> Assignment | None:
        """A participant's assignment."""
        return next((assignment for assignment in self.assignments if assignment.participant == participant), None)


def draw_plan(study: Study, study_sha256: str, difficulties: Mapping[str, Difficulty]) -> Plan:
    """Makes the plan.

    Participants come in groups of as many as there are conditions. Within tasks (`unit: task`) the members
    of a group share an order of problems, and their conditions rotate over it: so in each group each problem
    is tried once under each condition, and each place in the order too, while within a person the conditions'
    counts differ by one at most (with `blocked`, within each difficulty). Who is in which group is drawn by lot.
    With `unit: cluster` the groups are of clusters, whose members have one condition.

    Args:
        study: The study.
        study_sha256: Digest of its file.
        difficulties: Difficulty of each problem, as its pack has it.

    Raises:
        StudyError: The study has no seed.
    """
    seed = study.randomisation.seed
    if seed is None:
        raise StudyError(
            f"The study {study.study} has no seed here: this is the form that participants get. Use the lab's file."
        )
    conditions = study.people_conditions
    blocks = {
        task.problem: task.difficulty or difficulties.get(task.problem, Difficulty.MEDIUM) for task in study.problems
    }
    people = SeededRandom(seed, "participants").shuffled(study.pseudonyms)
    cluster_names = SeededRandom(seed, "clusters").shuffled(sorted(study.clusters))
    cluster_numbers = {name: cluster_names.index(cluster) for name, cluster in study.cluster_by_participant.items()}
    by_participant: dict[str, Assignment] = {}
    if conditions:
        orders = _ProblemOrders(study, seed, blocks)
        for number, participant in enumerate(people):
            is_by_cluster = study.randomisation.unit is AssignmentUnit.CLUSTER
            group, member_index = divmod(cluster_numbers[participant] if is_by_cluster else number, len(conditions))
            names = _shuffled_condition_names(seed, group, conditions)
            if study.randomisation.unit is not AssignmentUnit.TASK:
                order = orders.order_of_group(number)
                condition_names = [names[member_index]] * len(order)
            else:
                order = orders.order_of_group(group)
                condition_names = [names[(index + member_index) % len(names)] for index in range(len(order))]
            tasks = tuple(
                AssignedTask(position=position, problem=problem, condition=condition, difficulty=blocks[problem])
                for position, (problem, condition) in enumerate(zip(order, condition_names, strict=True), start=1)
            )
            by_participant[participant] = Assignment(participant=participant, tasks=tasks)
    assignments = tuple(
        by_participant[participant] for participant in study.pseudonyms if participant in by_participant
    )
    return Plan(study=study.study, study_sha256=study_sha256, seed=seed, assignments=assignments)


def _shuffled_condition_names(seed: int, group_number: int, conditions: Sequence[Condition]) -> list[str]:
    """The conditions in an order of the group's own: who begins with which is drawn by lot."""
    return SeededRandom(seed, f"conditions of group {group_number}").shuffled(
        [condition.name for condition in conditions]
    )


class _ProblemOrders:
    """Orders of the problems by number of the group."""

    def __init__(self, study: Study, seed: int, difficulty_by_problem: Mapping[str, Difficulty]) -> None:
        self._seed = seed
        self._order = study.randomisation.order
        self._blocks = difficulty_by_problem
        problems = [task.problem for task in study.problems]
        self._problems = SeededRandom(self._seed, "problems").shuffled(problems)
        self._rows = SeededRandom(self._seed, "rows").shuffled(williams_square(len(problems)))

    def order_of_group(self, group_number: int) -> list[str]:
        """The order that a group works in."""
        random = SeededRandom(self._seed, f"order of group {group_number}")
        match self._order:
            case Order.LATIN_SQUARE:
                return [self._problems[label] for label in self._rows[group_number % len(self._rows)]]
            case Order.BLOCKED:
                return [
                    problem
                    for difficulty in Difficulty
                    for problem in random.shuffled(
                        [name for name in self._problems if self._blocks[name] is difficulty]
                    )
                ]
            case Order.RANDOM:
                return random.shuffled(self._problems)


def williams_square(size: int) -> list[list[int]]:
    """Rows of a square in which each label is at each place, and follows each other one, equally often.

    E. J. Williams, "Experimental designs balanced for the estimation of residual effects of treatments",
    Australian Journal of Scientific Research A 2 (1949). An odd size needs each row backwards too.
    """
    first_row = [index // 2 if index % 2 == 0 else size - 1 - index // 2 for index in range(size)]
    rows = [[(label + shift) % size for label in first_row] for shift in range(size)]
    return rows if size % 2 == 0 else rows + [row[::-1] for row in rows]
