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
from benchwright_judges.agreement.rated import PANEL, RatedAnswer
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
    judges = sorted({judge for vote in votes for judge in vote.labels} - {PEOPLE})
    if len(judges) < 2:
        return None
    pairs = [
        comparison
        for first, second in combinations(judges, 2)
        for comparison in _pair(votes, first, second, seed=data.seed)
    ]
    if not pairs:
        return None
    judge_columns = [*judges, *([PEOPLE] if any(PEOPLE in vote.labels for vote in votes) else [])]
    figures = [figure for format in _formats(votes) for figure in _scores(votes, format, judge_columns)]
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
    judged = {folded.observation.attempt: folded.judged for folded in data.analysed if folded.judged is not None}
    people = {
        rated_answer.attempt: list(rated_answer.people.values())
        for rated_answer in data.rated
        if rated_answer.attempt and rated_answer.people
    }
    voted_answers = []
    # Rows are by format, so that questions of other sets, which have no subfields, have their own.
    for row in in_order(
        data,
        (
            observation
            for observation in data.decided
            if observation.kind == "question" and observation.domain and observation.tag
        ),
    ):
        judged_answer, scale = judged.get(row.attempt), rules_of(QuestionFormat(row.format)).scale
        if judged_answer is None or judged_answer.method != Method.MODEL.value:
            continue
        labels: dict[str, list[str]] = {}
        for judge, label in zip(judged_answer.judges, judged_answer.votes, strict=True):
            labels.setdefault(judge, []).append(label)
        if row.attempt in people:
            labels[PEOPLE] = people[row.attempt]
        voted_answers.append(_Voted(row, scale, labels))
    return voted_answers


def _formats(votes: Sequence[_Voted]) -> list[str]:
    return sorted({vote.row.format for vote in votes})


def _scores(votes: Sequence[_Voted], format: str, judges: Sequence[str]) -> list[Figure]:
    """A row for each contestant, a column for each judge: the mean over the answers that it scored."""
    groups: dict[Contestant, list[_Voted]] = {}
    for vote in votes:
        if vote.row.format == format:
            groups.setdefault(contestant(vote.row), []).append(vote)
    figures = []
    for judge in judges:
        for solver, solver_votes in groups.items():
            by_attempt = {vote.row.attempt: vote.score(judge) for vote in solver_votes if judge in vote.labels}
            rows = [vote.row for vote in solver_votes if judge in vote.labels]
            if rows:
                figures.append(figure(f"{solver.name}, {format}", judge, accuracy(rows, _by_attempt(by_attempt))))
    return figures


def _by_attempt(scores: Mapping[str, float]) -> Callable[[Observation], float]:
    return lambda observation: scores[observation.attempt]


def _pair(
    votes: Sequence[_Voted], first: str, second: str, *, seed: int
) -> list[tuple[FormatAgreement, tuple[str, float, float]]]:
    """The agreement of two judges by format, with the first's name and both means: the first as if it were people."""
    shared_votes = [vote for vote in votes if {first, second} <= vote.labels.keys()]
    rated = [
        RatedAnswer(
            item=vote.row.attempt,
            problem=vote.row.problem,
            format=vote.row.format,
            scale=vote.scale,
            people={f"{first} {number}": label for number, label in enumerate(vote.labels[first])},
            judges={second: vote.labels[second]},
        )
        for vote in shared_votes
    ]
    agreements = []
    for agreement in measure(rated, seed=seed):
        format_votes = [vote for vote in shared_votes if vote.row.format == agreement.format]
        means = [statistics.fmean(vote.score(judge) for vote in format_votes) for judge in (first, second)]
        agreements.append((agreement, (first, means[0], means[1])))
    return agreements


def _table(pairs: Sequence[tuple[FormatAgreement, tuple[str, float, float]]]) -> Table:
    rows: list[Sequence[Cell]] = [
        (agreement.format, first, judge.judge, judge.items, percent(mean), percent(other_mean), *_measures(judge))
        for agreement, (first, mean, other_mean) in pairs
        for judge in agreement.judges
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
