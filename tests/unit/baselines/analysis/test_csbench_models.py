"""CS-Bench's figures over models, against values made by hand and against its paper's (arXiv:2406.08587)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from benchwright_analysis.report.csbench.other_benchmarks import other_benchmarks_section
from benchwright_analysis.report.csbench.scale import Prediction, model_size_section
from benchwright_analysis.report.csbench.settings import asking_ways_section
from benchwright_analysis.report.csbench.tokens import tokens_and_score_section
from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.page import report_page
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.model_facts import ModelFacts, ModelFactsError, read_model_facts
from benchwright_analysis.report.section import Section
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.scale_curve import fit_scale_curve
from benchwright_analysis.statistics.scale_fit import ScaleLine, fit_scale_line

from ....support.packs.csbench_domains import reply

QWEN = {4: 45.54, 7: 51.05, 14: 57.83, 32: 62.45, 72: 65.31, 110: 67.95}
"""Billions of parameters and published overall of Qwen1.5 (table 2)."""


def attempts_of_score(
    model: str, score: float, *, questions: int = 2, first_number: int = 0, **field_changes: object
) -> list[FoldedAttempt]:
    """A model's open-ended answers that all have one score."""
    return [
        reply(number, score, participant=model, attempt=f"{model}-{number}-{field_changes}", **field_changes)
        for number in range(first_number, first_number + questions)
    ]


def test_a_line_is_least_squares_over_the_logarithm() -> None:
    fit = fit_scale_line([1, math.e, math.e**2], [1.0, 2.0, 6.0])
    assert [fit.intercept, fit.slope] == pytest.approx([0.5, 2.5])
    # Residuals 0.5, -1, 0.5: their sum of squares is 1.5, with one degree of freedom; t is 12.7062.
    assert fit.residual == pytest.approx(math.sqrt(1.5))
    assert fit.r_squared == pytest.approx(1 - 1.5 / 14)
    ahead = fit.predict_with_interval(math.e**3)
    half = 12.7062 * math.sqrt(1.5) * math.sqrt(1 + 1 / 3 + 4 / 2)
    assert [ahead.value, ahead.low, ahead.high] == pytest.approx([8.0, 8.0 - half, 8.0 + half], abs=1e-3)
    slope = 12.7062 * math.sqrt(1.5 / 2)
    assert fit.per_doubling.low == pytest.approx((2.5 - slope) * math.log(2), abs=1e-3)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [([1, 2], "Too few models"), ([7, 7, 7], "different sizes"), ([0, 1, 2], "greater than 0")],
)
def test_a_line_needs_three_models_of_different_sizes(sizes: Sequence[float], message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        fit_scale_line(sizes, [0.1] * len(sizes))


@pytest.mark.parametrize("ahead", [72, 110])
def test_published_scores_of_smaller_models_predict_the_larger_ones(ahead: int) -> None:
    smaller = [size for size in QWEN if size < ahead]
    estimate = fit_scale_line(smaller, [QWEN[size] for size in smaller]).predict_with_interval(ahead)
    assert estimate.low is not None and estimate.high is not None
    assert estimate.low < QWEN[ahead] < estimate.high


def test_the_papers_curve_of_four_sizes_predicts_what_the_paper_does() -> None:
    curve = fit_scale_curve([7, 14, 32, 72], [0.5105, 0.5783, 0.6245, 0.6531])
    estimate = curve.predict_with_interval(110)
    assert estimate.value == pytest.approx(0.678, abs=0.0005)
    assert estimate.low is not None and estimate.high is not None
    assert estimate.low < 0.6795 < estimate.high


def test_a_curve_through_given_points_is_found_and_ends_at_1() -> None:
    sizes = [0.5, 2.0, 9.0, 60.0]
    scores = [1 - 1 / (0.7 * math.log10(3 * size + 1) + 1) for size in sizes]
    curve = fit_scale_curve(sizes, scores)
    assert [curve.steepness, curve.reach] == pytest.approx([0.7, 3], rel=1e-4)
    two = fit_scale_curve(sizes[::3], scores[::3])
    assert two.predict_with_interval(9).model_dump() == {
        "value": pytest.approx(scores[2], abs=1e-5),
        "low": None,
        "high": None,
    }
    noisy = fit_scale_curve(sizes, [0.3, 0.25, 0.8, 0.6]).predict_with_interval(1e9)
    assert noisy.high == 1


def test_a_curves_interval_covers_a_new_model_95_times_in_100() -> None:
    dice, sizes, covered = np.random.default_rng(1), np.asarray([1, 3, 7, 14, 32, 70]), 0
    for _ in range(400):
        truth = 1 - 1 / (0.9 * np.log10(2 * np.append(sizes, 110) + 1) + 1)
        scores = truth + dice.normal(0, 0.02, len(truth))
        estimate = fit_scale_curve(sizes, scores[:-1]).predict_with_interval(110)
        assert estimate.low is not None and estimate.high is not None
        covered += estimate.low <= scores[-1] <= estimate.high
    # Two standard errors of a share of 400.
    assert 0.95 - 0.022 <= covered / 400 <= 0.95 + 0.022


@pytest.mark.parametrize(
    ("sizes", "scores", "message"),
    [
        ([7], [0.5], "Too few models for a curve: 1"),
        ([7, 7], [0.5, 0.6], "different sizes"),
        ([0, 1], [0.5, 0.6], "greater than 0"),
        ([7, 14, 32], [0.6, 0.5, 0.4], "do not grow"),
    ],
)
def test_a_curve_needs_two_sizes_and_scores_that_grow(
    sizes: Sequence[float], scores: Sequence[float], message: str
) -> None:
    with pytest.raises(StatisticsError, match=message):
        fit_scale_curve(sizes, scores)


def dataset_of_family(shots: int = 0) -> Dataset:
    rows = [
        attempt for size in (4, 7, 14, 32) for attempt in attempts_of_score(f"q/{size}b", QWEN[size] / 100, shots=shots)
    ]
    model_facts = [ModelFacts(f"q/{size}b", "Q", size, {}) for size in (4, 7, 14, 32, 72)]
    return Dataset(rows, {}, model_facts=model_facts)


def family_predictions(section: Section | None, name: str) -> list[Prediction]:
    assert section is not None
    predictions_by_family = section.numbers["predictions"]
    assert isinstance(predictions_by_family, dict)
    return list(predictions_by_family[name])


def test_the_largest_is_predicted_from_the_others_and_models_that_were_not_run_from_all() -> None:
    section = model_size_section(dataset_of_family())
    left_out, ahead = family_predictions(section, "Q (en, zero-shot)")
    assert left_out.model == "q/32b"
    assert left_out.measured == pytest.approx(0.6245)
    smaller = [0.4554, 0.5105, 0.5783]
    assert left_out.by_line is not None
    assert left_out.by_line.value == pytest.approx(np.polyval(np.polyfit(np.log([4, 7, 14]), smaller, 1), math.log(32)))
    by_curve = fit_scale_curve([4, 7, 14], smaller).predict_with_interval(32)
    assert left_out.by_curve.model_dump() == pytest.approx(by_curve.model_dump())
    assert (ahead.model, ahead.measured) == ("q/72b", None)
    published_sizes, scores = (4, 7, 14, 32), [QWEN[size] / 100 for size in (4, 7, 14, 32)]
    assert ahead.by_line is not None
    assert ahead.by_line.model_dump() == pytest.approx(
        fit_scale_line(published_sizes, scores).predict_with_interval(72).model_dump()
    )
    by_curve = fit_scale_curve(published_sizes, scores).predict_with_interval(72)
    assert ahead.by_curve.model_dump() == pytest.approx(by_curve.model_dump())
    assert section is not None
    assert "not run" in report_page("t", "s", [section], {})


def test_ways_to_ask_have_a_line_each_and_unknown_models_none() -> None:
    dataset = Dataset(
        [*dataset_of_family().folded, *dataset_of_family(shots=5).folded, *attempts_of_score("other", 0.9)],
        {},
        model_facts=dataset_of_family().model_facts,
    )
    section = model_size_section(dataset)
    assert section is not None
    fits = section.numbers["fits"]
    assert isinstance(fits, dict) and all(isinstance(fit, ScaleLine) for fit in fits.values())
    assert list(fits) == ["Q (en, zero-shot)", "Q (en, 5-shot)"]
    assert {fit.models for fit in fits.values()} == {4}
    assert model_size_section(Dataset(attempts_of_score("other", 0.9), {})) is None


def test_two_sizes_have_a_curve_without_an_interval_and_one_size_has_none() -> None:
    section = model_size_section(
        Dataset(dataset_of_family().folded[:4], {}, model_facts=dataset_of_family().model_facts)
    )
    assert {(ahead.by_curve.low, ahead.by_line) for ahead in family_predictions(section, "Q (en, zero-shot)")} == {
        (None, None)
    }
    alone = model_size_section(Dataset(dataset_of_family().folded[:2], {}, model_facts=dataset_of_family().model_facts))
    assert alone is not None
    assert alone.lead[1] == "Q (en, zero-shot): Too few models for a curve: 1, and it takes 2."


def test_a_line_far_ahead_is_cut_where_scores_end() -> None:
    model_facts = [*dataset_of_family().model_facts, ModelFacts("q/huge", "Q", 1e6, {})]
    section = model_size_section(Dataset(dataset_of_family().folded, {}, model_facts=model_facts))
    huge = next(ahead for ahead in family_predictions(section, "Q (en, zero-shot)") if ahead.model == "q/huge")
    assert huge.by_line is not None
    assert (huge.by_line.value, huge.by_line.high) == (1, 1)
    assert huge.by_curve.value is not None
    assert huge.by_curve.value < 1


def test_scores_here_and_elsewhere_are_correlated_over_models() -> None:
    own_scores, elsewhere_scores = [0.2, 0.4, 0.5, 0.9], [30.0, 35.0, 60.0, 61.0]
    model_facts = [
        ModelFacts(f"m{number}", benchmarks={"GSM8K": score} | ({"HumanEval": 1.0} if number else {}))
        for number, score in enumerate(elsewhere_scores)
    ]
    rows = [attempt for number, score in enumerate(own_scores) for attempt in attempts_of_score(f"m{number}", score)]
    section = other_benchmarks_section(Dataset(rows, {}, model_facts=model_facts))
    assert section is not None
    (way,) = section.numbers.values()
    assert isinstance(way, dict)
    assert way["GSM8K"]["pearson"].value == pytest.approx(np.corrcoef(own_scores, elsewhere_scores)[0, 1])
    assert way["GSM8K"]["spearman"].value == 1
    (picture,) = section.pictures
    assert [row[:4] for row in picture.table.rows][1] == ("HumanEval", "en, zero-shot", 3, "fewer than 4 models")
    assert other_benchmarks_section(Dataset(rows, {})) is None


def test_ranks_are_correlated_apart_from_distances() -> None:
    model_facts = [
        ModelFacts(f"m{number}", benchmarks={"MMLU": score}) for number, score in enumerate((30, 61, 35, 60))
    ]
    rows = [
        attempt
        for number, score in enumerate((0.2, 0.4, 0.5, 0.9))
        for attempt in attempts_of_score(f"m{number}", score)
    ]
    section = other_benchmarks_section(Dataset(rows, {}, model_facts=model_facts))
    assert section is not None
    (way,) = section.numbers.values()
    assert isinstance(way, dict)
    # Ranks 1 2 3 4 and 1 4 2 3: squared differences are 0, 4, 1, 1, so 1 - 6 * 6 / (4 * 15).
    assert way["MMLU"]["spearman"].value == pytest.approx(0.4)


def test_the_first_way_with_enough_models_is_drawn() -> None:
    model_facts = [ModelFacts(f"m{number}", benchmarks={"MMLU": 10.0 * number}) for number in range(4)]
    rows = [attempt for number in range(4) for attempt in attempts_of_score(f"m{number}", number / 4)]
    section = other_benchmarks_section(
        Dataset([*attempts_of_score("m0", 0.5, first_number=9, language="de"), *rows], {}, model_facts=model_facts)
    )
    assert section is not None
    (picture,) = section.pictures
    assert "asked en, zero-shot" in picture.alt


def test_ways_to_ask_are_compared_on_the_same_questions_only() -> None:
    rows = [
        *(reply(number, float(number < 4)) for number in range(8)),
        *(reply(number, float(number < 6), shots=5, attempt=f"s{number}") for number in range(8)),
        *(reply(number, float(number < 7), shots=5, steps=True, attempt=f"c{number}") for number in range(9)),
        *(reply(number, 0.0, shots=None, attempt=f"u{number}") for number in range(8)),
    ]
    section = asking_ways_section(Dataset(rows, {}))
    assert section is not None
    (picture,) = section.pictures
    assert {figure.column: figure.value for figure in picture.table.figures} == pytest.approx(
        {"zero-shot": 0.5, "5-shot": 0.75, "5-shot, steps": 0.875}
    )
    (table,) = section.tables
    assert [row[:3] for row in table.rows] == [
        ("model: m (en)", "5-shot – zero-shot", 8),
        ("model: m (en)", "5-shot, steps – zero-shot", 8),
    ]
    assert [str(row[3]).partition(" ")[0] for row in table.rows] == ["25.0", "37.5"]
    assert asking_ways_section(Dataset(rows[:8], {})) is None


def test_tokens_are_shown_beside_the_score_and_by_length_of_the_reply() -> None:
    rows = [reply(number, float(number < 8), input_tokens=100, output_tokens=10 * (number + 1)) for number in range(16)]
    section = tokens_and_score_section(Dataset(rows, {}))
    assert section is not None
    token_numbers = section.numbers["model: m (en, zero-shot)"]
    assert isinstance(token_numbers, dict)
    assert (token_numbers["sent"], token_numbers["received"], token_numbers["score"].value) == (100, 85, 0.5)
    (table,) = section.tables
    assert [(figure.column, figure.problems, figure.value) for figure in table.figures] == [
        ("shortest quarter", 4, 1.0),
        ("second quarter", 4, 1.0),
        ("third quarter", 4, 0.0),
        ("longest quarter", 4, 0.0),
    ]
    assert tokens_and_score_section(Dataset([reply(1, 1.0)], {})) is None


def facts_file(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "models.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_facts_of_models_are_read(tmp_path: Path) -> None:
    text = '\ufeffmodel,family,parameters_b,benchmark:GSM8K\nq/7b,Q,7,61.5\n"x, y",,,\n'
    assert list(read_model_facts(facts_file(tmp_path, text))) == [
        ModelFacts("q/7b", "Q", 7.0, {"GSM8K": 61.5}),
        ModelFacts("x, y"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model,family\n", "has no rows below the line of names. Add a row"),
        ("name,family\na,b\n", "line 1: there is no column `model`"),
        (
            "model,paramters\na,7\n",
            "line 1: there is no column 'paramters'. Known are model, family, parameters_b, base, and",
        ),
        ("model,benchmark:\na,7\n", "line 1: the column 'benchmark:' has no name"),
        ("model,family,family\na,b,c\n", "line 1: two columns are called 'family'"),
        ("model,parameters_b\na,7\nb,7B\n", "line 3, parameters_b: '7B' is not a number. Write 7"),
        ("model,parameters_b\na,-7\n", "line 2, parameters_b: -7 is not greater than 0"),
        ("model,benchmark:X\na,nan\n", "line 2, benchmark:X: 'nan' is not a number"),
        ("model\na\na\n", "line 3, model: 'a' has a row already"),
        ("model,family\na\n", "line 2: it has more or fewer fields"),
        ("model,family\n,Q\n", "line 2, model: is empty"),
        ('model,family\n"a\n', "unexpected end of data. Check the quotes"),
    ],
)
def test_errors_in_facts_of_models_name_line_field_and_what_to_do(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ModelFactsError) as error:
        read_model_facts(facts_file(tmp_path, text))
    assert "models.csv" in str(error.value)
    assert message in str(error.value)


def test_a_file_of_facts_that_is_not_there_or_no_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelFactsError, match="can't be read: No such file"):
        read_model_facts(tmp_path / "none.csv")
    (tmp_path / "binary.csv").write_bytes(b"model\n\xff\n")
    with pytest.raises(ModelFactsError, match="is not UTF-8"):
        read_model_facts(tmp_path / "binary.csv")
