"""Judge models on the same answers: what each gives, how alike two of them are (CS-Bench's tables 11 and 12)."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from benchwright_analysis.report.csbench.contestants import Contestant, contestant, in_order
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Figure, Section, Table, number, percent, with_interval
from benchwright_analysis.report.sections.matrix import accuracy, figure, matrix
from benchwright_judges.agreement.agreement import FormatAgreement, JudgeAgreement, measure
from benchwright_judges.agreement.rated import PANEL, Rated
from benchwright_judges.formats import rules_of
from benchwright_judges.judgement import Method
from benchwright_judges.scale import Scale
from benchwright_problems.problem import QuestionFormat

PEOPLE = "people"


@dataclass(frozen=True)
class _Voted:
    """An answer with the labels that each judge gave it."""

    row: Observation
    scale: Scale
    labels: Mapping[str, Sequence[str]]

    def score(self, judge: str) -> float:
        """The mean of a judge's scores, 0 to 1."""
        return statistics.fmean(self.scale.score(label) for label in self.labels[judge])


def judges_compared(data: Dataset) -> Section | None:
    """Judges' scores of the same answers; None if no two judged any."""
    votes = _votes(data)
    judges = sorted({judge for one in votes for judge in one.labels} - {PEOPLE})
    if len(judges) < 2:
        return None
    pairs = [
        found for first, second in combinations(judges, 2) for found in _pair(votes, first, second, seed=data.seed)
    ]
    if not pairs:
        return None
    shown = [*judges, *([PEOPLE] if any(PEOPLE in one.labels for one in votes) else [])]
    figures = [figure for format in _formats(votes) for figure in _scores(votes, format, shown)]
    lead = [
        "Answers of models and people as each judge scored them, apart from what the panel decided. A judge that votes "
        "only where others differ sees harder answers, so its column is not comparable with theirs: the table of pairs "
        "has answers that both judged. “Judges against people” has the agreement with people."
    ]
    numbers = {"scores": figures, "pairs": [pair for pair, _ in pairs]}
    tables = [
        matrix("judges", "Mean score by judge", figures, rows_are="whose answers, format", unit="answer"),
        _table(pairs),
    ]
    return Section("judges-compared", "Judges against each other", lead, (), tables, numbers)


def _votes(data: Dataset) -> list[_Voted]:
    judged = {one.observation.attempt: one.judged for one in data.analysed if one.judged is not None}
    people = {one.attempt: list(one.people.values()) for one in data.rated if one.attempt and one.people}
    found = []
    # Rows are by format, so that questions of other sets, which have no subfields, have their own.
    for row in in_order(data, (one for one in data.decided if one.kind == "question" and one.domain and one.tag)):
        said, scale = judged.get(row.attempt), rules_of(QuestionFormat(row.format)).scale
        if said is None or said.method != Method.MODEL.value:
            continue
        labels: dict[str, list[str]] = {}
        for judge, label in zip(said.judges, said.votes, strict=True):
            labels.setdefault(judge, []).append(label)
        if row.attempt in people:
            labels[PEOPLE] = people[row.attempt]
        found.append(_Voted(row, scale, labels))
    return found


def _formats(votes: Sequence[_Voted]) -> list[str]:
    return sorted({one.row.format for one in votes})


def _scores(votes: Sequence[_Voted], format: str, judges: Sequence[str]) -> list[Figure]:
    """A row for each contestant, a column for each judge: the mean over the answers that it scored."""
    groups: dict[Contestant, list[_Voted]] = {}
    for one in votes:
        if one.row.format == format:
            groups.setdefault(contestant(one.row), []).append(one)
    found = []
    for judge in judges:
        for who, mine in groups.items():
            by_attempt = {one.row.attempt: one.score(judge) for one in mine if judge in one.labels}
            rows = [one.row for one in mine if judge in one.labels]
            if rows:
                found.append(figure(f"{who.name}, {format}", judge, accuracy(rows, _by_attempt(by_attempt))))
    return found


def _by_attempt(scores: Mapping[str, float]) -> Callable[[Observation], float]:
    return lambda one: scores[one.attempt]


def _pair(
    votes: Sequence[_Voted], first: str, second: str, *, seed: int
) -> list[tuple[FormatAgreement, tuple[str, float, float]]]:
    """The agreement of two judges by format, with the first's name and both means: the first as if it were people."""
    both = [one for one in votes if {first, second} <= one.labels.keys()]
    rated = [
        Rated(
            item=one.row.attempt,
            problem=one.row.problem,
            format=one.row.format,
            scale=one.scale,
            people={f"{first} {place}": label for place, label in enumerate(one.labels[first])},
            judges={second: one.labels[second]},
        )
        for one in both
    ]
    found = []
    for agreement in measure(rated, seed=seed):
        mine = [one for one in both if one.row.format == agreement.format]
        means = [statistics.fmean(one.score(judge) for one in mine) for judge in (first, second)]
        found.append((agreement, (first, means[0], means[1])))
    return found


def _table(pairs: Sequence[tuple[FormatAgreement, tuple[str, float, float]]]) -> Table:
    rows: list[Sequence[Cell]] = [
        (one.format, first, judge.judge, judge.items, percent(mean), percent(other), *_measures(judge))
        for one, (first, mean, other) in pairs
        for judge in one.judges
        if judge.judge != PANEL
    ]
    columns = ("format", "judge", "other judge", "answers", "mean of the judge", "mean of the other", "agreement")
    note = "Agreement is of right or not right, with Wilson's interval; the others have bootstrap intervals of answers."
    return Table(
        "Pairs of judges on the same answers", (*columns, "kappa", "weighted kappa", "alpha", "Pearson"), rows, note
    )


def _measures(judge: JudgeAgreement) -> tuple[str, ...]:
    return (
        with_interval(judge.agreement, share=True),
        with_interval(judge.kappa),
        with_interval(judge.weighted_kappa) if judge.weighted_kappa is not None else number(None),
        with_interval(judge.alpha),
        with_interval(judge.pearson) if judge.pearson is not None else number(None),
    )
