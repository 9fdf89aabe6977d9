"""Agreement from synthetic votes with known answers: the papers' definitions, and what must not count."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from sklearn.metrics import cohen_kappa_score

from benchwright_judges.agreement.agreement import FormatAgreement, is_right_by_majority, measure_agreement
from benchwright_judges.agreement.rated import RatedAnswer, read_rated_answers
from benchwright_judges.errors import VotesFileError
from benchwright_judges.scale import Scale

C, P, I = "correct", "partially correct", "incorrect"  # noqa: E741


def answer_with_exam_labels(item_number: int, people: Sequence[str], votes: Sequence[str]) -> RatedAnswer:
    return RatedAnswer(
        answer_id=f"q{item_number}",
        problem=f"p/q{item_number}",
        format="free-response",
        scale=Scale.EXAM,
        people={f"expert{number}": label for number, label in enumerate(people)},
        judges={"m": votes},
        tie_break=len(votes) > 2,
    )


def only_format_agreement(rated: Sequence[RatedAnswer]) -> FormatAgreement:
    (agreement,) = measure_agreement(rated, resamples=200)
    return agreement


def test_quarchs_agreement_is_the_majority_of_experts_against_the_majority_of_judgements() -> None:
    """Prakash et al., arXiv:2510.22087: up to three experts, three judgements, partial counts as incorrect."""
    rated = [
        answer_with_exam_labels(0, [C, C, I], [C, C]),  # right, right
        answer_with_exam_labels(1, [C], [C, I, C]),  # right, right: one expert is enough
        answer_with_exam_labels(2, [I, P, C], [P, P]),  # partial is not right on either side
        answer_with_exam_labels(3, [P, I], [I, C, P]),  # three labels still have a majority of not right
        answer_with_exam_labels(4, [C, C, C], [P, C, I]),  # right, not right: false reject
        answer_with_exam_labels(5, [I, I, C], [C, C]),  # not right, right: false accept
        answer_with_exam_labels(6, [C, I], [C, C]),  # a draw of experts counts for nothing
        answer_with_exam_labels(7, [C, C], []),  # no vote that could be read
    ]
    agreement = only_format_agreement(rated)
    (judge,) = agreement.judges
    assert (agreement.items, agreement.undecided, judge.items) == (8, 1, 6)
    assert (judge.agreement.count, judge.agreement.total) == (4, 6)
    assert (judge.false_accept.count, judge.false_accept.total) == (1, 3)
    assert (judge.false_reject.count, judge.false_reject.total) == (1, 3)
    assert judge.kappa.value == pytest.approx(1 / 3), "2/3 observed, 1/2 by chance"
    assert [disagreement.item for disagreement in judge.disagreements] == ["q4", "q5"]
    assert judge.pearson is None and judge.weighted_kappa is not None
    assert (agreement.tie_breaks.count, agreement.tie_breaks.total) == (3, 7)


def answer_with_points(item_number: int, people_points: Sequence[int], judge_points: Sequence[int]) -> RatedAnswer:
    return RatedAnswer(
        answer_id=f"o{item_number}",
        problem="",
        format="open-ended",
        scale=Scale.TIERS,
        people={f"grader{number}": str(label) for number, label in enumerate(people_points)},
        judges={"m": [str(vote) for vote in judge_points]},
    )


def test_cs_benchs_agreement_is_pearson_with_peoples_mean_and_cronbach_among_people() -> None:
    """Song et al., arXiv:2406.08587. People's means are 2, 4, 6, 8; the judge says 1, 5, 5, 9."""
    rated = [
        answer_with_points(0, [1, 2, 3], [1]),
        answer_with_points(1, [3, 4, 5], [5]),
        answer_with_points(2, [5, 6, 7], [5]),
        answer_with_points(3, [7, 8, 9], [9]),
    ]
    agreement = only_format_agreement(rated)
    (judge,) = agreement.judges
    # Sum of products 24, of squares 20 and 32.
    assert judge.pearson is not None and judge.pearson.value == pytest.approx(24 / (20 * 32) ** 0.5)
    # People differ by constants alone, so their sums order answers without error.
    assert agreement.people.cronbach == pytest.approx(1.0)
    assert agreement.people.people == 3 and agreement.people.items == 4
    # Squared distances 1, 1, 1, 1 against 13 by chance.
    assert judge.weighted_kappa is not None and judge.weighted_kappa.value == pytest.approx(1 - 1 / 13)
    assert (judge.agreement.count, judge.agreement.total) == (4, 4)


def test_people_who_differ_at_random_have_no_reliability() -> None:
    rated = [
        answer_with_points(0, [1, 10], [5]),
        answer_with_points(1, [10, 1], [5]),
        answer_with_points(2, [1, 10], [5]),
        answer_with_points(3, [10, 1], [5]),
    ]
    people_agreement = only_format_agreement(rated).people
    assert people_agreement.cronbach is None, "the sums are constant, so nothing is measured"
    assert people_agreement.alpha is not None and people_agreement.alpha < 0


def test_a_judge_that_passes_everything_agrees_by_chance_alone() -> None:
    rated = [answer_with_exam_labels(number, [C if number % 4 else I], [C, C]) for number in range(40)]
    (judge,) = only_format_agreement(rated).judges
    assert judge.agreement.value == pytest.approx(0.75)
    assert judge.kappa.value == pytest.approx(0)
    assert judge.false_accept.value == 1 and judge.false_reject.value == 0
    assert judge.agreement.low == pytest.approx(0.5981, abs=1e-4)
    assert judge.agreement.high == pytest.approx(0.8581, abs=1e-4)


def test_where_all_say_the_same_kappa_is_not_defined() -> None:
    (judge,) = only_format_agreement([answer_with_exam_labels(number, [C], [C, C]) for number in range(5)]).judges
    assert judge.agreement.value == 1
    assert judge.kappa.value is None and judge.kappa.low is None


def test_two_judges_are_told_apart_and_together() -> None:
    rated = [
        RatedAnswer("q", "", "free-response", Scale.EXAM, {"ana": C}, {"a": [C], "b": [I], "panel": [C, I, C]}),
        RatedAnswer("r", "", "free-response", Scale.EXAM, {"ana": I}, {"a": [I], "b": [I], "panel": [I, I]}),
    ]
    agreed = {judge.judge: judge.agreement.count for judge in only_format_agreement(rated).judges}
    assert agreed == {"a": 2, "b": 1, "panel": 2}


def test_nothing_rated_is_nothing_measured() -> None:
    assert measure_agreement([]) == []
    assert measure_agreement([RatedAnswer("q", "", "free-response", Scale.EXAM, {}, {"a": [C]})]) == []


@pytest.mark.parametrize(
    ("scale", "labels", "is_expected_right"),
    [
        (Scale.EXAM, [C, P], None),
        (Scale.EXAM, [P, I, C], False),
        (Scale.TIERS, ["6", "8"], None),
        (Scale.TIERS, ["3", "9"], None),
        (Scale.TIERS, ["6", "7", "8"], True),
        (Scale.TIERS, ["10", "6", "6"], False),
        (Scale.BLANK, ["1", "0", "1"], True),
        (Scale.BLANK, [], None),
    ],
)
def test_a_majority_decides(scale: Scale, labels: list[str], is_expected_right: bool | None) -> None:
    assert is_right_by_majority(scale, labels) is is_expected_right


# Votes that decide nothing, and people who saw a part


def alpha_by_variances(points_by_answer: Sequence[Sequence[float]]) -> float:
    """Cronbach's alpha by Hoyt's analysis of variance (1941) of answers, each with the points of all raters."""
    raters, answers = len(points_by_answer[0]), len(points_by_answer)
    mean = statistics.fmean(point for row in points_by_answer for point in row)
    between = raters * sum((statistics.fmean(row) - mean) ** 2 for row in points_by_answer) / (answers - 1)
    rater_means = [statistics.fmean(column) for column in zip(*points_by_answer, strict=True)]
    residual = sum(
        (point - statistics.fmean(row) - rater_mean + mean) ** 2
        for row in points_by_answer
        for point, rater_mean in zip(row, rater_means, strict=True)
    ) / ((answers - 1) * (raters - 1))
    return (between - residual) / between


def krippendorff_by_pairs(points_by_answer: Sequence[Sequence[float]]) -> float:
    """Krippendorff's alpha of points: 1 - observed over expected disagreement, each summed over pairs of labels."""
    paired = [row for row in points_by_answer if len(row) > 1]
    everything = [point for row in paired for point in row]
    observed = sum(sum((a - b) ** 2 for a in row for b in row) / (len(row) - 1) for row in paired) / len(everything)
    expected = sum((a - b) ** 2 for a in everything for b in everything) / (len(everything) * (len(everything) - 1))
    return 1 - observed / expected


def answers_and_their_points(answer_count: int, *, with_third: bool) -> tuple[list[RatedAnswer], list[list[float]]]:
    """Answers by two people, disputed ones by a third; and the labels that all three would have given."""
    random = Random(5)
    rated, full_rows = [], []
    for number in range(answer_count):
        quality = random.gauss(5.5, 2.4)
        drawn_points = [min(10, max(1, round(quality + random.gauss(0, 1.1)))) for _ in range(3)]
        full_rows.append([float(point) for point in drawn_points])
        is_disputed = abs(drawn_points[0] - drawn_points[1]) > 1
        rated.append(
            answer_with_points(
                number, drawn_points if is_disputed and with_third else drawn_points[:2], [drawn_points[0]]
            )
        )
    return rated, full_rows


def test_who_sees_only_disputed_answers_is_in_no_cronbachs_alpha() -> None:
    rated, full_rows = answers_and_their_points(400, with_third=True)
    people = only_format_agreement(rated).people
    two = [row[:2] for row in full_rows]
    assert people.cronbach is not None
    assert people.cronbach == pytest.approx(alpha_by_variances(two))
    assert (people.people, people.cronbach_people, people.items) == (3, 2, 400)
    assert people.cronbach == only_format_agreement(answers_and_their_points(400, with_third=False)[0]).people.cronbach
    # Over the answers that all three graded, which are the disputed ones, it would be far too low.
    disputed = [row for row in full_rows if abs(row[0] - row[1]) > 1]
    assert len(disputed) > 50 and alpha_by_variances(disputed) < alpha_by_variances(full_rows) - 0.05
    assert people.cronbach > alpha_by_variances(disputed) + 0.05
    assert people.cronbach == pytest.approx(alpha_by_variances(full_rows), abs=0.06)


def test_without_two_people_who_graded_everything_there_is_no_cronbachs_alpha() -> None:
    rated = [
        replace(
            answer_with_points(number, [number % 7 + 1, 8], [5]), people={"ana": "3", ("ben", "cy")[number % 2]: "4"}
        )
        for number in range(10)
    ]
    people = only_format_agreement(rated).people
    assert (people.cronbach, people.cronbach_people, people.people) == (None, 1, 3)


def test_alpha_and_the_share_of_equal_labels_are_those_of_all_pairs() -> None:
    rated, _ = answers_and_their_points(60, with_third=True)
    points_by_answer = [[float(point) for point in item.people.values()] for item in rated]
    people = only_format_agreement(rated).people
    assert people.alpha == pytest.approx(krippendorff_by_pairs(points_by_answer))
    pairs = [pair for row in points_by_answer for pair in combinations(row, 2)]
    assert (people.same_label.count, people.same_label.total) == (sum(a == b for a, b in pairs), len(pairs))


def test_a_vote_that_decides_nothing_is_not_a_vote_for_not_right(tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    vote_lines = [
        *(("q1", "ana", "person", C), ("q1", "m", "model", C), ("q1", "m", "model", "undecided")),
        *(("q2", "ana", "person", C), ("q2", "m", "model", "undecided"), ("q2", "m", "model", "undecided")),
        *(("q3", "ana", "person", I), ("q3", "m", "model", C), ("q3", "m", "model", I)),
        *(("q4", "ana", "person", I), ("q4", "ben", "person", "undecided"), ("q4", "m", "model", I)),
    ]
    text = "".join(f"{item},free-response,{judge},{kind},{word}\n" for item, judge, kind, word in vote_lines)
    file.write_text(f"item,format,judge,kind,label\n{text}")
    agreement = only_format_agreement(read_rated_answers(file))
    (judge,) = agreement.judges
    # q1 and q4 are decided on both sides and alike; q2 has no vote that decides, q3 no majority.
    assert (judge.agreement.count, judge.agreement.total, judge.items) == (2, 2, 2)
    assert (judge.undecided, judge.undecided_votes, agreement.undecided_grades) == (2, 3, 1)
    assert (judge.false_reject.count, judge.false_reject.total) == (0, 1)


def test_kappa_is_that_of_another_library() -> None:
    rated, _ = answers_and_their_points(120, with_third=False)
    (judge,) = only_format_agreement(rated).judges
    sides = [
        (statistics.median(map(float, item.people.values())), float(item.judges["m"][0]))
        for item in rated
        if len({float(point) >= 7 for point in item.people.values()}) == 1
    ]
    expected = cohen_kappa_score([people >= 7 for people, _ in sides], [points >= 7 for _, points in sides])
    assert judge.kappa.value == pytest.approx(expected)
    assert (judge.items, judge.undecided) == (len(sides), 120 - len(sides))
    medians = [2 * statistics.median(map(float, item.people.values())) for item in rated]
    vote_points = [2 * float(item.judges["m"][0]) for item in rated]
    assert judge.weighted_kappa is not None and judge.weighted_kappa.value == pytest.approx(
        cohen_kappa_score(
            [int(median) for median in medians],
            [int(vote) for vote in vote_points],
            weights="quadratic",
            labels=list(range(2, 21)),
        )
    )
    same = sum(median == vote for median, vote in zip(medians, vote_points, strict=True))
    assert (judge.same_label.count, judge.same_label.total) == (same, 120)


# Votes from a file

ROWS = [
    {"item": "q1", "format": "free-response", "judge": "ana", "kind": "person", "label": C},
    {"item": "q1", "format": "free-response", "judge": "m", "kind": "model", "label": C},
    {"item": "q1", "format": "free-response", "judge": "m", "kind": "model", "label": I},
    {"item": "q1", "format": "free-response", "judge": "m", "kind": "model", "label": C},
]


def test_votes_are_read_from_json_lines_and_from_csv(tmp_path: Path) -> None:
    lines_file = tmp_path / "votes.jsonl"
    lines_file.write_text("\n".join(json.dumps(row) for row in ROWS))
    table = tmp_path / "votes.csv"
    table.write_text("item,format,judge,kind,label\n" + "\n".join(",".join(row.values()) for row in ROWS))
    (rated_answer,) = read_rated_answers(lines_file)
    assert [rated_answer] == read_rated_answers(table)
    assert (rated_answer.people, rated_answer.judges, rated_answer.tie_break) == ({"ana": C}, {"m": [C, I, C]}, True)


@pytest.mark.parametrize(
    ("field_change", "message"),
    [
        ({"label": "great"}, "votes.jsonl:1: field label: "),
        ({"format": "haiku"}, "votes.jsonl:1: field format: "),
        ({"kind": "cat"}, "votes.jsonl:1: field kind: "),
        ({"extra": "1"}, "votes.jsonl:1: field extra: "),
        ({"item": 1}, "votes.jsonl:1: field item: "),
        ({"format": "open-ended", "label": "11"}, "votes.jsonl:1: field label: "),
        ({"format": "open-ended", "label": "nan"}, "votes.jsonl:1: field label: "),
    ],
)
def test_a_vote_that_is_none_is_named_by_line_and_field(
    tmp_path: Path, field_change: dict[str, object], message: str
) -> None:
    file = tmp_path / "votes.jsonl"
    file.write_text(json.dumps(ROWS[0] | field_change))
    with pytest.raises(VotesFileError) as refused:
        read_rated_answers(file)
    assert message in str(refused.value)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"{", b"[]"])
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "votes.jsonl"
    file.write_bytes(content)
    with pytest.raises(VotesFileError, match=r"votes\.jsonl"):
        read_rated_answers(file)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VotesFileError, match="No such file"):
        read_rated_answers(tmp_path / "none.csv")
