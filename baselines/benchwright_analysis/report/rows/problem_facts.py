"""Public facts about problems, which rows are grouped by. Nothing hidden is ever read."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchwright_problems.errors import ProblemsError
from benchwright_problems.problem import Pack, Problem
from benchwright_problems.storage.labels import LabelKind, PackLabels
from benchwright_problems.storage.store import Store

_VARIANT = re.compile(r"[_-](?:v|variant)?\d{1,6}$")


@dataclass(frozen=True, slots=True)
class ProblemFacts:
    """Of one problem; all empty where its pack is not on this machine."""

    title: str = ""
    kind: str = ""
    category: str = ""
    category_label: str = ""
    difficulty: str = ""
    format: str = ""
    skill: str = ""
    topic: str = ""
    language: str = ""
    domain: str = ""
    subdomain: str = ""
    tag: str = ""
    family: str = ""
    publication_date: str = ""
    has_pictures: bool = False
    options: tuple[str, ...] = ()
    """Letters of a multiple-choice question."""
    labelled_by: tuple[tuple[str, str], ...] = ()
    """Kind of label → who gave it, such as `data set` or `people`."""

    def observation_columns(self, problem_ref: str) -> dict[str, str]:
        """The columns of an observation that stem from the problem."""
        return {
            "family": self.family or problem_ref,
            "title": self.title or problem_ref,
            "kind": self.kind,
            "category": self.category,
            "difficulty": self.difficulty,
            "format": self.format,
            "skill": self.skill,
            "topic": self.topic,
            "language": self.language,
            "domain": self.domain,
            "subdomain": self.subdomain,
            "tag": self.tag,
            "published": self.publication_date,
        }

    @classmethod
    def from_problem(cls, pack: Pack, problem: Problem, labels: PackLabels) -> ProblemFacts:
        """The facts of a problem's public side, and of its labels."""
        settled = labels.settled_labels(problem)
        label_values = {kind: settled_label.value for kind, settled_label in settled.items()}
        question = problem.public.question
        # The number in a question's id counts the questions of a data set; that of a design counts variants.
        family = _VARIANT.sub("", problem.id) if question is None else question.group or problem.id
        return cls(
            title=problem.title,
            kind=problem.kind.value,
            category=problem.category.value if problem.category is not None else "",
            category_label=problem.category.label if problem.category is not None else "",
            difficulty=label_values.get(LabelKind.DIFFICULTY, problem.difficulty.value),
            format=question.format.value if question is not None else "",
            skill=label_values.get(LabelKind.SKILL, ""),
            topic=label_values.get(LabelKind.TOPIC) or (question.domain if question is not None else ""),
            language=question.language if question is not None else "",
            domain=question.domain if question is not None else "",
            subdomain=question.subdomain if question is not None else "",
            tag=question.tag if question is not None else "",
            family=f"{pack.name}/{family}",
            publication_date=problem.published or pack.published or "",
            has_pictures=bool(problem.public.figures),
            options=tuple(choice.letter for choice in question.choices) if question is not None else (),
            labelled_by=tuple((kind.value, settled_label.by) for kind, settled_label in settled.items()),
        )


def facts_by_problem_ref(store: Store, problem_refs: set[str]) -> Mapping[str, ProblemFacts]:
    """The facts of some problems; empty for those whose pack is not on this machine.

    Raises:
        DatasetError: A file of labels is damaged.
    """
    facts_by_ref: dict[str, ProblemFacts] = {}
    for public in available_public_packs(store, problem_refs):
        labels = store.question_labels(public.name)
        for problem in public.problems:
            ref = f"{public.name}/{problem.id}"
            if ref in problem_refs:
                facts_by_ref[ref] = ProblemFacts.from_problem(public, problem, labels)
    return facts_by_ref


def available_public_packs(store: Store, problem_refs: set[str]) -> Iterator[Pack]:
    """The public sides of the packs of some problems, as far as they are on this machine."""
    for pack in sorted({problem.partition("/")[0] for problem in problem_refs}):
        with contextlib.suppress(ProblemsError):
            yield store.public_pack(pack)
