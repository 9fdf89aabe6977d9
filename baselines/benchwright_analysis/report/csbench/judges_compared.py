"""Judge models on the same answers: what each gives, how alike two of them are (CS-Bench's tables 11 and 12)."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from benchwright_analysis.report.csbench.contestants import Contestant, contestant_of, ordered_with_distinct_languages
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Section, SortableTable, TableNumber, text_with_interval
from benchwright_analysis.report.sections.matrix import mean_over_problems, table_number_of_share, table_of_numbers
from benchwright_foundation.number_text import number, percent
from benchwright_judges.agreement.agreement import FormatAgreement, JudgeAgreement, measure_agreement
from benchwright_judges.agreement.rated import PANEL, RatedAnswer
from benchwright_judges.formats import rules_of
from benchwright_judges.judgement import ScoringMethod
from benchwright_judges.scale import Scale
from benchwright_problems.problem import QuestionFormat

PEOPLE = "people"


@dataclass(frozen=True)
class _VotedAnswer:
    """An answer with the labels that each judge gave it."""

    row: Observation
    scale: Scale
    labels: Mapping[str, Sequence[str]]

    def mean_score(self, judge: str) -> float:
        """The mean of a judge's scores, 0 to 1."""
        return statistics.fmean(self.scale.score(label) for label in self.labels[judge])


def judges_compared_section(data: Dataset) -> Section | None:
    """Judges' scores of the same answers; None if no two judged any."""
    votes = _voted_answers(data)
    judges = sorted({judge for vote in votes for judge in vote.labels} - {PEOPLE})
    if len(judges) < 2:
        return None
    compared_agreements = [
        compared_agreement
        for first_judge, second_judge in combinations(judges, 2)
        for compared_agreement in _agreements_with_means(votes, first_judge, second_judge, seed=data.seed)
    ]
    if not compared_agreements:
        return None
    judge_columns = [*judges, *([PEOPLE] if any(PEOPLE in vote.labels for vote in votes) else [])]
    figures = [
        figure for format in _distinct_formats(votes) for figure in _mean_score_numbers(votes, format, judge_columns)
    ]
    lead = [
        "Answers of models and people as each judge scored them, apart from what the panel decided. A judge that votes "
        "only where others differ sees harder answers, so its column is not comparable with theirs: the table of pairs "
        "has answers that both judged. “Judges against people” has the agreement with people."
    ]
    numbers = {"scores": figures, "pairs": [agreement for agreement, _ in compared_agreements]}
    tables = [
        table_of_numbers("judges", "Mean score by judge", figures, row_heading="whose answers, format", unit="answer"),
        _judge_pairs_table(compared_agreements),
    ]
    return Section("judges-compared", "Judges against each other", lead, (), tables, numbers)


def _voted_answers(data: Dataset) -> list[_VotedAnswer]:
    judgements = {
        folded.observation.attempt: folded.judgement for folded in data.counted_attempts if folded.judgement is not None
    }
    people_labels = {
        rated_answer.attempt: list(rated_answer.people.values())
        for rated_answer in data.rated
        if rated_answer.attempt and rated_answer.people
    }
    voted_answers = []
    # Rows are by format, so that questions of other sets, which have no subfields, have their own.
    for row in ordered_with_distinct_languages(
        data,
        (
            observation
            for observation in data.decided_observations
            if observation.kind == "question" and observation.domain and observation.tag
        ),
    ):
        judged_answer, scale = judgements.get(row.attempt), rules_of(QuestionFormat(row.format)).scale
        if judged_answer is None or judged_answer.method != ScoringMethod.MODEL.value:
            continue
        labels: dict[str, list[str]] = {}
        for judge, label in zip(judged_answer.judges, judged_answer.votes, strict=True):
            labels.setdefault(judge, []).append(label)
        if row.attempt in people_labels:
            labels[PEOPLE] = people_labels[row.attempt]
        voted_answers.append(_VotedAnswer(row, scale, labels))
    return voted_answers


def _distinct_formats(voted_answers: Sequence[_VotedAnswer]) -> list[str]:
    return sorted({vote.row.format for vote in voted_answers})


def _mean_score_numbers(voted_answers: Sequence[_VotedAnswer], format: str, judges: Sequence[str]) -> list[TableNumber]:
    """A row for each contestant, a column for each judge: the mean over the answers that it scored."""
    votes_by_contestant: dict[Contestant, list[_VotedAnswer]] = {}
    for vote in voted_answers:
        if vote.row.format == format:
            votes_by_contestant.setdefault(contestant_of(vote.row), []).append(vote)
    figures = []
    for judge in judges:
        for solver, solver_votes in votes_by_contestant.items():
            by_attempt = {vote.row.attempt: vote.mean_score(judge) for vote in solver_votes if judge in vote.labels}
            rows = [vote.row for vote in solver_votes if judge in vote.labels]
            if rows:
                figures.append(
                    table_number_of_share(
                        f"{solver.name}, {format}", judge, mean_over_problems(rows, _score_lookup(by_attempt))
                    )
                )
    return figures


def _score_lookup(score_by_attempt: Mapping[str, float]) -> Callable[[Observation], float]:
    return lambda observation: score_by_attempt[observation.attempt]


def _agreements_with_means(
    voted_answers: Sequence[_VotedAnswer], first_judge: str, second_judge: str, *, seed: int
) -> list[tuple[FormatAgreement, tuple[str, float, float]]]:
    """The agreement of two judges by format, with the first's name and both means: the first as if it were people."""
    shared_votes = [vote for vote in voted_answers if {first_judge, second_judge} <= vote.labels.keys()]
    rated = [
        RatedAnswer(
            answer_id=vote.row.attempt,
            problem=vote.row.problem,
            format=vote.row.format,
            scale=vote.scale,
            people={f"{first_judge} {number}": label for number, label in enumerate(vote.labels[first_judge])},
            judges={second_judge: vote.labels[second_judge]},
        )
        for vote in shared_votes
    ]
    agreements = []
    for agreement in measure_agreement(rated, seed=seed):
        format_votes = [vote for vote in shared_votes if vote.row.format == agreement.format]
        means = [
            statistics.fmean(vote.mean_score(judge) for vote in format_votes) for judge in (first_judge, second_judge)
        ]
        agreements.append((agreement, (first_judge, means[0], means[1])))
    return agreements


def _judge_pairs_table(
    compared_agreements: Sequence[tuple[FormatAgreement, tuple[str, float, float]]],
) -> SortableTable:
    rows: list[Sequence[Cell]] = [
        (
            agreement.format,
            first_judge,
            judge.judge,
            judge.items,
            percent(mean),
            percent(other_mean),
            *_agreement_cells(judge),
        )
        for agreement, (first_judge, mean, other_mean) in compared_agreements
        for judge in agreement.judges
        if judge.judge != PANEL
    ]
    columns = ("format", "judge", "other judge", "answers", "mean of the judge", "mean of the other", "agreement")
    coefficients = ("kappa", "same label", "weighted kappa", "alpha", "Pearson", "undecided")
    note = (
        "Agreement is of right or not right, with Wilson's interval; the others have bootstrap intervals of answers. "
        "Undecided answers have no majority of one judge's votes, and are in neither agreement nor kappa."
    )
    return SortableTable("Pairs of judges on the same answers", (*columns, *coefficients), rows, note)


def _agreement_cells(judge_agreement: JudgeAgreement) -> tuple[Cell, ...]:
    return (
        text_with_interval(judge_agreement.agreement, as_share=True),
        text_with_interval(judge_agreement.kappa),
        f"{percent(judge_agreement.same_label.value)} of {judge_agreement.same_label.total}",
        text_with_interval(judge_agreement.weighted_kappa)
        if judge_agreement.weighted_kappa is not None
        else number(None),
        text_with_interval(judge_agreement.alpha),
        text_with_interval(judge_agreement.pearson) if judge_agreement.pearson is not None else number(None),
        judge_agreement.undecided,
    )
