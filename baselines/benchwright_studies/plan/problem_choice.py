"""The problems of a new study: drawn by lot from packs, by difficulty, within the time that a participant has."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_attempts.errors import StudyError
from benchwright_problems.problem import Difficulty, Problem, ProblemKind
from benchwright_studies.plan.seeded_random import SeededRandom


@dataclass(frozen=True)
class ProblemWish:
    """The problems that somebody wants."""

    count: int
    kind: ProblemKind
    limits: Mapping[Difficulty, float]
    """Time limit in minutes of each difficulty that is wanted."""
    budget_minutes: float | None = None
    """Active time that all limits may add up to, practice included."""


@dataclass(frozen=True)
class ProblemChoice:
    """The problems that were drawn."""

    refs: Sequence[str]
    """`pack/id`, in the order of the draw."""
    practice: str | None
    """The easiest problem that is left, if one is."""
    minutes: float
    """The limits' sum."""
    text: str
    """How they were chosen, in words."""


def choose_problems(candidates: Mapping[str, Problem], wish: ProblemWish, seed: int) -> ProblemChoice:
    """Draws problems, of each difficulty in turn.

    Args:
        candidates: The public parts of the problems to choose from, by `pack/id`.
        wish: The problems that are wanted.
        seed: The same seed and problems give the same choice.

    Raises:
        StudyError: There are too few, or they take too long.
    """
    refs_by_difficulty = {
        difficulty: SeededRandom(seed, f"choice of {difficulty}").shuffled(
            sorted(
                ref
                for ref, problem in candidates.items()
                if problem.kind is wish.kind and problem.difficulty is difficulty
            )
        )
        for difficulty in Difficulty
        if difficulty in wish.limits
    }
    available = Counter({difficulty.value: len(refs) for difficulty, refs in refs_by_difficulty.items()})
    chosen: list[str] = []
    minutes = 0.0
    while len(chosen) < wish.count and any(refs_by_difficulty.values()):
        for difficulty, refs in refs_by_difficulty.items():
            if refs and len(chosen) < wish.count:
                chosen.append(refs.pop(0))
                minutes += wish.limits[difficulty]
    left = [(difficulty, ref) for difficulty, refs in refs_by_difficulty.items() for ref in refs]
    practice_difficulty, practice = left[0] if left else (None, None)
    minutes += wish.limits[practice_difficulty] if practice_difficulty is not None else 0
    counts = ", ".join(f"{amount} {difficulty}" for difficulty, amount in available.items())
    if len(chosen) < wish.count:
        raise StudyError(
            f"There are not {wish.count} {wish.kind.value} problems of these difficulties: {counts}. Ask for fewer, or "
            "name another pack or difficulty."
        )
    if wish.budget_minutes is not None and minutes > wish.budget_minutes:
        raise StudyError(
            f"The limits of {wish.count} problems and practice add up to {minutes:g} minutes, which is over "
            f"{wish.budget_minutes:g}. Ask for fewer problems, or for shorter limits."
        )
    drawn = Counter(candidates[ref].difficulty.value for ref in chosen)
    drawn_text = ", ".join(f"{amount} {difficulty}" for difficulty, amount in drawn.items())
    packs = ", ".join(sorted({ref.partition("/")[0] for ref in candidates}))
    text = f"drawn by lot (seed {seed}): {drawn_text}, of {counts} {wish.kind.value} problems of {packs}"
    return ProblemChoice(tuple(chosen), practice, minutes, text)


def chosen_problem_fields_yaml(
    problem_choice: ProblemChoice,
    candidates: Mapping[str, Problem],
    wish: ProblemWish,
    measured_minutes_by_ref: Mapping[str, float],
) -> str:
    """The fields `problem_choice`, `problems` and `practice` as they are written in a study file.

    Args:
        problem_choice: The problems.
        candidates: Their public parts.
        wish: Their limits.
        measured_minutes_by_ref: Median of the active minutes that people have taken, of problems that enough people
            have solved.
    """
    lines = [f"problem_choice: {json.dumps(problem_choice.text)}", "problems:"]
    for ref in problem_choice.refs:
        difficulty = candidates[ref].difficulty
        minutes = measured_minutes_by_ref.get(ref)
        expected = "its time was not measured here yet" if minutes is None else f"half took {minutes:.0f} minutes here"
        lines += [f"  - problem: {ref} # {difficulty}; {expected}", f"    time_minutes: {wish.limits[difficulty]:g}"]
    if problem_choice.practice is not None:
        lines.append(f"practice: {problem_choice.practice}")
    return "\n".join(lines) + "\n"
