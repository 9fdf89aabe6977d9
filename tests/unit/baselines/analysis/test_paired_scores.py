"""Differences of scores on the same questions, and success before and after a filter, against values made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_analysis.report.csbench.languages import languages_section
from benchwright_analysis.report.csbench.model_pairs import model_pairs_section
from benchwright_analysis.report.csbench.tokens import tokens_and_score_section
from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.filtered_problems import FilteredProblemsError, read_is_kept_by_problem
from benchwright_analysis.report.rows.model_facts import ModelFacts, ModelFactsError, read_model_facts
from benchwright_analysis.report.section import Section, TableNumber
from benchwright_analysis.report.sections.filtered import filtered_section

from ....support.packs.csbench_domains import reply
from ....support.packs.report_codebook import observation


def differences_by_row_and_column(section: Section | None) -> dict[tuple[str, str], object]:
    """(row, column) → difference and questions."""
    assert section is not None
    difference_figures = section.numbers["differences"]
    assert isinstance(difference_figures, list)
    return {(figure.row, figure.column): (figure.value, figure.problems) for figure in difference_figures}


def scored_answers(
    model: str, scores: dict[int, float], *, language: str = "en", **field_changes: object
) -> list[FoldedAttempt]:
    return [
        reply(
            number,
            score,
            participant=model,
            attempt=f"{model}-{language}-{number}",
            problem=f"cs/{language}-{number}",
            family=f"cs/{number}",
            language=language,
            **field_changes,
        )
        for number, score in scores.items()
    ]


def test_languages_are_compared_on_questions_that_were_asked_in_both() -> None:
    rows = [
        *scored_answers("m", {1: 1.0, 2: 1.0, 3: 0.0, 9: 0.0}),
        *scored_answers("m", {4: 0.5}, tag="Reasoning"),
        *scored_answers("m", {1: 0.0, 2: 1.0, 3: 0.0}, language="de"),
        *scored_answers("m", {4: 0.3}, language="de", tag="Reasoning"),
        *scored_answers("m", {3: 1.0, 8: 1.0}, language="fr"),
    ]
    assert differences_by_row_and_column(languages_section(Dataset(rows, {}))) == {
        # (0 - 1) + (1 - 1) + (0 - 0) over three; with 0.3 - 0.5 over four.
        ("model: m, zero-shot", "de – en, all"): (pytest.approx((-1 - 0.2) / 4), 4),
        ("model: m, zero-shot", "de – en, Knowledge"): (pytest.approx(-1 / 3), 3),
        ("model: m, zero-shot", "de – en, Reasoning"): (pytest.approx(-0.2), 1),
        ("model: m, zero-shot", "fr – en, all"): (pytest.approx(1.0), 1),
        ("model: m, zero-shot", "fr – en, Knowledge"): (pytest.approx(1.0), 1),
    }


def test_an_interval_is_that_of_paired_differences() -> None:
    english_scores, german_scores = [0.5, 0.6, 0.4, 0.7, 0.5], [0.4, 0.6, 0.4, 0.6, 0.6]
    rows = [
        *scored_answers("m", dict(enumerate(english_scores))),
        *scored_answers("m", dict(enumerate(german_scores)), language="de"),
    ]
    section = languages_section(Dataset(rows, {}))
    assert section is not None
    (figure,) = [figure for figure in section.tables[0].figures if figure.column.endswith("all")]
    # Differences -0.1, 0, 0, -0.1, 0.1: mean -0.02, variance 0.028 / 4, Student's t of 4 degrees 2.77645.
    half = 2.77645 * (0.007 / 5) ** 0.5
    assert [figure.value, figure.low, figure.high] == pytest.approx([-0.02, -0.02 - half, -0.02 + half], abs=1e-4)


def test_an_interval_ends_where_differences_of_scores_end() -> None:
    rows = [*scored_answers("m", {1: 1.0, 2: 0.0}), *scored_answers("m", {1: 0.0, 2: 0.0}, language="de")]
    section = languages_section(Dataset(rows, {}))
    assert section is not None
    assert all((figure.low or -1.0) >= -1 and (figure.high or 1.0) <= 1 for figure in section.tables[0].figures)


def test_languages_of_different_ways_to_ask_or_of_one_language_are_not_compared() -> None:
    assert languages_section(Dataset(scored_answers("m", {1: 1.0, 2: 0.0}), {})) is None
    rows = [*scored_answers("m", {1: 1.0}), *scored_answers("m", {1: 0.0}, language="de", shots=5)]
    assert languages_section(Dataset(rows, {})) is None


def test_an_expert_is_compared_with_its_base_by_domain_and_tag() -> None:
    rows = [
        *scored_answers("base", {1: 1.0, 2: 0.0}),
        *scored_answers("base", {3: 0.0}, tag="Reasoning", domain="Operating System"),
        *scored_answers("coder", {1: 1.0, 2: 1.0, 7: 0.0}),
        *scored_answers("coder", {3: 0.5}, tag="Reasoning", domain="Operating System"),
    ]
    model_facts = [ModelFacts("base"), ModelFacts("coder", base="base"), ModelFacts("absent", base="base")]
    row = "expert – base: coder – base (en, zero-shot)"
    assert differences_by_row_and_column(model_pairs_section(Dataset(rows, {}, model_facts=model_facts))) == {
        (row, "all"): (pytest.approx((0 + 1 + 0.5) / 3), 3),
        (row, "Knowledge"): (pytest.approx(0.5), 2),
        (row, "Reasoning"): (pytest.approx(0.5), 1),
        (row, "Computer Network"): (pytest.approx(0.5), 2),
        (row, "Operating System"): (pytest.approx(0.5), 1),
        (row, "Computer Network, knowledge"): (pytest.approx(0.5), 2),
        (row, "Operating System, reasoning"): (pytest.approx(0.5), 1),
    }


def test_the_largest_of_a_family_is_compared_with_the_smallest_by_skill() -> None:
    quarch = {"domain": "", "subdomain": "", "tag": ""}
    rows = [
        attempt
        for model, recall_score, design_score in (("s", 1.0, 0.0), ("m", 0.0, 0.0), ("l", 1.0, 1.0))
        for attempt in (
            *scored_answers(model, {1: recall_score}, skill="recall", **quarch),
            *scored_answers(model, {2: design_score}, skill="design", **quarch),
        )
    ]
    model_facts = [ModelFacts(name, "F", size) for name, size in (("m", 7), ("l", 70), ("s", 1))]
    row = "largest – smallest: l – s (en, zero-shot)"
    assert differences_by_row_and_column(model_pairs_section(Dataset(rows, {}, model_facts=model_facts))) == {
        (row, "all"): (pytest.approx(0.5), 2),
        (row, "design"): (pytest.approx(1.0), 1),
        (row, "recall"): (pytest.approx(0.0), 1),
    }
    assert model_pairs_section(Dataset(rows, {}, model_facts=model_facts[:1])) is None


def test_a_model_is_not_its_own_base(tmp_path: Path) -> None:
    file = tmp_path / "models.csv"
    file.write_text("model,base\ncoder,llama\nllama,\n")
    assert [facts.base for facts in read_model_facts(file)] == ["llama", ""]
    file.write_text("model,base\nm,m\n")
    with pytest.raises(ModelFactsError, match="line 2, base: is the model itself"):
        read_model_facts(file)


def test_reasoning_tokens_are_a_part_of_those_received() -> None:
    rows = [reply(1, 1.0, output_tokens=30, reasoning_tokens=20), reply(2, 0.0, output_tokens=10, reasoning_tokens=1)]
    section = tokens_and_score_section(Dataset(rows, {}))
    assert section is not None
    token_numbers = section.numbers["model: m (en, zero-shot)"]
    assert isinstance(token_numbers, dict)
    assert (token_numbers["received"], token_numbers["reasoning"]) == (20, 10.5)


def design_attempts() -> list[FoldedAttempt]:
    """Two samples at each of four problems; those of the last two are dropped by the filter."""
    passes = {"a": (True, True), "b": (True, False), "c": (False, False), "d": (True, True), "outside": (True, True)}
    return [
        FoldedAttempt(
            observation(
                attempt=f"{name}{sample}",
                problem=f"cvdp/{name}",
                family=f"cvdp/{name}",
                participant="m",
                condition="model",
                solver="model",
                category="cid016" if name in "bd" else "cid003",
                passed=passed,
                kind="design",
            ),
            (),
            {},
            "",
        )
        for name, sample_passes in passes.items()
        for sample, passed in enumerate(sample_passes)
    ]


def test_success_is_shown_before_and_after_the_filter_by_category() -> None:
    is_problem_kept = {"cvdp/a": True, "cvdp/b": True, "cvdp/c": False, "cvdp/d": False, "cvdp/untried": True}
    section = filtered_section(Dataset(design_attempts(), {}, is_problem_kept=is_problem_kept))
    assert section is not None

    def values(when: str) -> dict[str, float | None]:
        solved_figures = section.numbers[when]
        assert isinstance(solved_figures, list)
        return {figure.column: figure.value for figure in solved_figures if isinstance(figure, TableNumber)}

    assert values("before") == {"cid003": 0.5, "cid016": 0.75, "all": 0.625}
    assert values("after") == {"cid003": 1.0, "cid016": 0.5, "all": 0.75}
    assert (section.numbers["problems"], section.numbers["dropped"]) == (4, 2)
    assert filtered_section(Dataset(design_attempts(), {})) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,kept\na,yes\n", "line 1: there is no column 'problem'"),
        ("problem,kept\np/a,maybe\n", "line 2, kept: is 'maybe'. Write yes or no"),
        ("problem,kept\np/a,yes\np/a,no\n", "line 3, problem: 'p/a' has a row already"),
        ("problem,kept\n", "no rows below the line of names"),
    ],
)
def test_a_table_that_no_filter_wrote_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "audit.csv"
    file.write_text(text)
    with pytest.raises(FilteredProblemsError, match=message):
        read_is_kept_by_problem(file)
    with pytest.raises(FilteredProblemsError, match="can't be read"):
        read_is_kept_by_problem(tmp_path / "none.csv")
