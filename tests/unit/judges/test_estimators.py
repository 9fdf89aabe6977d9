"""Every estimator against a published worked example, a closed form, or another implementation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from benchwright_judges.agreement.estimators import (
    bootstrap_estimate,
    cohen_kappa,
    cronbach_alpha,
    krippendorff_alpha,
    pearson_correlation,
    wilson_share,
)

RATINGS = st.lists(st.tuples(st.integers(1, 10), st.integers(1, 10)), min_size=2, max_size=60)


def rating_columns(rating_pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([a for a, _ in rating_pairs], float), np.array([b for _, b in rating_pairs], float)


def test_kappa_of_a_worked_example() -> None:
    """Two readers on 50 grant proposals: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no give 0.4."""
    first_ratings = np.repeat([1.0, 1.0, 0.0, 0.0], [20, 5, 10, 15])
    second_ratings = np.repeat([1.0, 0.0, 1.0, 0.0], [20, 5, 10, 15])
    assert cohen_kappa(first_ratings, second_ratings) == pytest.approx(0.4)


@given(RATINGS)
def test_kappa_with_quadratic_weights_is_scikit_learns(pairs: list[tuple[int, int]]) -> None:
    first_ratings, second_ratings = rating_columns(pairs)
    own_kappa = cohen_kappa(first_ratings, second_ratings)
    if math.isnan(own_kappa):
        assert len(set(first_ratings) | set(second_ratings)) == 1
        return
    theirs = cohen_kappa_score(
        first_ratings.astype(int), second_ratings.astype(int), weights="quadratic", labels=range(1, 11)
    )
    assert own_kappa == pytest.approx(theirs, abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=60))
def test_kappa_of_zeros_and_ones_is_the_unweighted_one(pairs: list[tuple[int, int]]) -> None:
    first_ratings, second_ratings = rating_columns(pairs)
    own_kappa = cohen_kappa(first_ratings, second_ratings)
    if not math.isnan(own_kappa):
        assert own_kappa == pytest.approx(
            cohen_kappa_score(first_ratings.astype(int), second_ratings.astype(int)), abs=1e-9
        )


NAN = math.nan
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)


def test_alpha_of_krippendorffs_own_example() -> None:
    """Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), example C and E."""
    assert krippendorff_alpha(KRIPPENDORFF, "nominal") == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(KRIPPENDORFF, "ordinal") == pytest.approx(0.815, abs=5e-4)
    assert krippendorff_alpha(KRIPPENDORFF, "interval") == pytest.approx(0.849, abs=5e-4)


def test_alpha_of_one_value_throughout_is_not_defined() -> None:
    assert math.isnan(krippendorff_alpha(np.ones((2, 5)), "nominal"))
    assert math.isnan(krippendorff_alpha(np.array([[1.0, NAN], [NAN, 2.0]]), "interval"))


@given(st.integers(2, 5), st.integers(3, 20), st.integers(0, 1000))
def test_cronbachs_alpha_is_hoyts_analysis_of_variance(raters: int, items: int, seed: int) -> None:
    """Hoyt (1941): alpha = 1 - MS(residual) / MS(items) of the two-way layout."""
    random = np.random.default_rng(seed)
    ratings = random.normal(size=items) + random.normal(size=(raters, items))
    grand = ratings.mean()
    item_variance = raters * ((ratings.mean(axis=0) - grand) ** 2).sum() / (items - 1)
    deviations = ratings - ratings.mean(axis=0) - ratings.mean(axis=1, keepdims=True) + grand
    residual = (deviations**2).sum() / ((items - 1) * (raters - 1))
    assert cronbach_alpha(ratings) == pytest.approx(1 - residual / item_variance, abs=1e-9)


def test_cronbachs_alpha_of_two_raters_of_equal_variance_is_spearman_brown() -> None:
    """2 r / (1 + r) for equal variances."""
    first_ratings, second_ratings = np.array([1.0, 2, 3, 4, 5]), np.array([2.0, 1, 4, 3, 5])
    r = pearson_correlation(first_ratings, second_ratings)
    assert cronbach_alpha(np.array([first_ratings, second_ratings])) == pytest.approx(2 * r / (1 + r))


def test_cronbachs_alpha_of_too_little_is_not_defined() -> None:
    assert math.isnan(cronbach_alpha(np.ones((3, 5))))
    assert math.isnan(cronbach_alpha(np.array([[1.0, 2.0]])))
    assert math.isnan(cronbach_alpha(np.empty((2, 0))))


def test_pearson_of_anscombes_quartet_is_the_published_one() -> None:
    x = np.array([10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5], float)
    y = np.array([8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68])
    assert pearson_correlation(x, y) == pytest.approx(0.81642, abs=1e-5)
    assert math.isnan(pearson_correlation(x, np.ones(11)))


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilsons_interval_of_newcombes_examples(count: int, total: int, low: float, high: float) -> None:
    """Newcombe (1998), Statistics in Medicine 17, table I, method 3."""
    interval = wilson_share(count, total)
    assert interval.low == pytest.approx(low, abs=5e-5)
    assert interval.high == pytest.approx(high, abs=5e-5)


def test_a_share_of_nothing_has_no_value() -> None:
    assert wilson_share(0, 0).value is None


def test_a_bootstrap_interval_is_scipys_and_the_same_for_the_same_seed() -> None:
    random = np.random.default_rng(7)
    x = random.normal(size=80)
    y = x + random.normal(size=80)
    own_estimate = bootstrap_estimate(pearson_correlation, (x, y), seed=3, resamples=1000)
    repeated = bootstrap_estimate(pearson_correlation, (x, y), seed=3, resamples=1000)
    scipy_interval = stats.bootstrap(
        (x, y), pearson_correlation, paired=True, vectorized=False, method="percentile", n_resamples=1000, rng=5
    ).confidence_interval
    assert own_estimate == repeated
    assert own_estimate.value == pytest.approx(pearson_correlation(x, y))
    assert own_estimate.low == pytest.approx(scipy_interval.low, abs=0.03)
    assert own_estimate.high == pytest.approx(scipy_interval.high, abs=0.03)


def test_what_is_not_defined_has_no_interval() -> None:
    assert bootstrap_estimate(cohen_kappa, (np.ones(5), np.ones(5)), seed=1).value is None
    assert bootstrap_estimate(cohen_kappa, (np.empty(0), np.empty(0)), seed=1).value is None
