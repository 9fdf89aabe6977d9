"""CS-Bench's tables against values made by hand, and against the arithmetic of its paper (arXiv:2406.08587)."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from benchwright_analysis.report.csbench.domains import domains_section
from benchwright_analysis.report.page import report_page
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.exports import write_figure_tables
from benchwright_analysis.report.section import Section, TableNumber

from ....support.packs.csbench_domains import reply

SHARED = Path(__file__).parents[5] / "shared" / "data" / "csbench-test" / "CSBench-EN-test.json"
_FORMATS = {
    "Multiple-choice": "multiple-choice",
    "Assertion": "assertion",
    "Fill-in-the-blank": "fill-in-the-blank",
    "Open-ended": "open-ended",
}


def figures_by_column(
    section: Section | None, kind: str, tag: str, row: str = "model: m (en, zero-shot)"
) -> dict[str, TableNumber]:
    """Column → figure of a row."""
    assert section is not None
    figures_by_part = section.numbers[kind]
    assert isinstance(figures_by_part, dict)
    return {figure.column: figure for figure in figures_by_part[tag] if figure.row == row}


def score_by_column(
    section: Section | None, kind: str, tag: str, row: str = "model: m (en, zero-shot)"
) -> dict[str, float]:
    return {column: figure.value or 0.0 for column, figure in figures_by_column(section, kind, tag, row).items()}


def test_the_overall_is_the_mean_of_the_parts_weighted_by_their_questions() -> None:
    network = [reply(number, float(number < 3)) for number in range(4)]
    system = [
        reply(number, 0.3, domain="Operating System", tag="Reasoning", format="open-ended") for number in range(4, 6)
    ]
    figures_of_row = figures_by_column(domains_section(Dataset([*network, *system], {})), "domain", "all")
    assert {name: figure.value for name, figure in figures_of_row.items()} == pytest.approx(
        {"Computer Network": 0.75, "Operating System": 0.3, "all": (4 * 0.75 + 2 * 0.3) / 6}
    )
    assert (figures_of_row["all"].problems, figures_of_row["all"].attempts) == (6, 6)


def test_a_question_with_more_samples_counts_no_more() -> None:
    rows = [reply(1, 1.0), *(reply(2, 0.0, attempt=f"b{number}") for number in range(3))]
    assert score_by_column(domains_section(Dataset(rows, {})), "domain", "all")["all"] == pytest.approx(0.5)


def test_choices_count_0_or_1_and_open_ended_answers_their_points() -> None:
    rows = [
        reply(1, 1.0),
        reply(2, 0.0),
        reply(3, 0.8, format="open-ended", passed=True),
        reply(4, 0.1, format="open-ended"),
        reply(5, None, format="fill-in-the-blank"),
    ]
    section = domains_section(Dataset(rows, {}))
    assert score_by_column(section, "format", "Knowledge") == pytest.approx(
        {"multiple-choice": 0.5, "fill-in-the-blank": 0.0, "open-ended": 0.45, "all": 1.9 / 5}
    )
    assert score_by_column(section, "format", "all", "chance (en)") == pytest.approx(
        {"multiple-choice": 0.25, "fill-in-the-blank": 0.0, "open-ended": 0.1, "all": 0.7 / 5}
    )


def test_columns_keep_their_interval_and_a_single_question_has_none() -> None:
    rows = [*(reply(number, float(number < 5)) for number in range(10)), reply(99, 1.0, domain="Operating System")]
    figures_of_row = figures_by_column(domains_section(Dataset(rows, {})), "domain", "Knowledge")
    network = figures_of_row["Computer Network"]
    # Wilson's with Student's quantile: 0.5 +- sqrt(e / 4 + e * e / 4) / (1 + e), e = 2.26216 ** 2 / 9.
    assert [network.low, network.high] == pytest.approx([0.19896, 0.80104], abs=1e-4)
    assert figures_of_row["Operating System"].low is None


def test_subfields_have_a_table_for_each_domain() -> None:
    rows = [reply(1, 1.0, subdomain="Bus"), reply(2, 0.0, subdomain="Storage"), reply(3, 1.0, domain="Other")]
    section = domains_section(Dataset(rows, {}))
    assert score_by_column(section, "subfield", "Computer Network") == pytest.approx(
        {"Bus": 1, "Storage": 0, "all": 0.5}
    )
    assert score_by_column(section, "subfield", "Other") == {"Bus": 1, "all": 1}
    assert section is not None
    titles = [table.title for table in section.tables]
    assert titles[-2:] == ["Score by subfield: Computer Network", "Score by subfield: Other"]


def test_sets_without_subfields_are_in_no_mean() -> None:
    rows = [reply(1, 1.0), reply(2, 0.0, subdomain="", tag="unverified", format="free-response")]
    section = domains_section(Dataset(rows, {}))
    assert score_by_column(section, "format", "all") == {"multiple-choice": 1, "all": 1}
    assert domains_section(Dataset(rows[1:], {})) is None


def test_sets_that_share_a_language_have_a_row_each() -> None:
    rows = [reply(1, 1.0, pack="cs"), reply(2, 0.0, pack="exam"), reply(3, 0.0, pack="exam", language="de")]
    section = domains_section(Dataset(rows, {}))
    assert score_by_column(section, "domain", "all", "model: m (cs, en, zero-shot)")["all"] == 1
    assert score_by_column(section, "domain", "all", "model: m (exam, en, zero-shot)")["all"] == 0
    assert score_by_column(section, "domain", "all", "chance (exam, en)")["all"] == 0.25
    assert score_by_column(section, "domain", "all", "model: m (de, zero-shot)")["all"] == 0


def test_ways_to_ask_and_languages_are_not_mixed() -> None:
    rows = [
        reply(1, 1.0),
        reply(2, 0.0, shots=5),
        reply(3, 1.0, shots=5, steps=True),
        reply(4, 0.0, language="zh"),
        reply(5, 1.0, shots=None, steps=None),
        reply(7, 1.0, prompts="benchwright 1efd"),
        reply(8, 1.0, prompts="cs-bench fbd3"),
        reply(6, 1.0, condition="alone", solver="human", participant="P1"),
    ]
    section = domains_section(Dataset(rows, {}))
    assert section is not None
    (table,) = [candidate for candidate in section.tables if candidate.title == "Score by domain: all"]
    assert [row[0] for row in table.rows] == [
        "alone (en)",
        "model: m (en, zero-shot)",
        "model: m (en, form unknown)",
        "model: m (en, zero-shot, cs-bench prompts)",
        "model: m (en, 5-shot)",
        "model: m (en, 5-shot, steps)",
        "model: m (zh, zero-shot)",
        "chance (en)",
        "chance (zh)",
    ]


def test_answers_without_a_decision_are_named_and_in_no_mean() -> None:
    open_ = {"format": "open-ended", "censored_by": "not_decided", "outcome": "error"}
    section = domains_section(Dataset([reply(1, 1.0), reply(2, None, **open_)], {}))
    assert score_by_column(section, "domain", "all") == {"Computer Network": 1.0, "all": 1.0}
    assert section is not None
    assert "1 answer (open-ended)" in section.lead[1]


def test_other_data_shows_nothing_of_this() -> None:
    quarch = reply(1, 1.0, domain="", tag="", topic="Memory Systems")
    design_reply = reply(2, 1.0, kind="design", domain="", tag="")
    assert domains_section(Dataset([quarch, design_reply], {})) is None
    assert domains_section(Dataset([], {})) is None


def test_the_page_shows_the_tables_and_files_stay_in_their_folder(tmp_path: Path) -> None:
    domain_tags = [(domain, tag) for domain in ("Net", "../../=OS") for tag in ("Knowledge", "Reasoning")]
    rows = [
        reply(4 * number + position, float(number < 3), domain=domain, tag=tag)
        for number in range(5)
        for position, (domain, tag) in enumerate(domain_tags)
    ]
    section = domains_section(Dataset(rows, {}))
    assert section is not None
    html = report_page("t", "s", [section], {})
    assert "Score by domain and tag, with intervals" in html
    assert "Profile by domain and format" in html
    assert "Score by format: reasoning" in html
    (tmp_path / "report").mkdir()
    write_figure_tables(tmp_path / "report", [section])
    files = {file.name for file in (tmp_path / "report" / "tables").iterdir()}
    assert files == {
        *(f"{kind}-{tag}.csv" for kind in ("domains", "formats") for tag in ("all", "knowledge", "reasoning")),
        "subfields-net.csv",
        "subfields-..-..-os.csv",
    }
    csv_rows = list(csv.DictReader((tmp_path / "report" / "tables" / "domains-all.csv").open(newline="")))
    assert [float(row["value"]) for row in csv_rows if row["row"].startswith("model")] == [0.6] * 3


RANDOM = {
    "Data Structure and Algorithm": (28.04, 24.63, 26.65),
    "Computer Organization": (26.57, 25.24, 26.13),
    "Computer Network": (26.34, 22.49, 24.98),
    "Operating System": (29.06, 24.23, 27.27),
    "all": (27.4, 24.12, 26.2),
}
"""The published row “Random” of table 2: knowledge, reasoning, all."""
GEMMA_2B = {
    "Data Structure and Algorithm": (56.76, 23.44, 43.20),
    "Computer Organization": (47.69, 30.18, 41.92),
    "Computer Network": (45.22, 26.38, 38.59),
    "Operating System": (37.79, 31.32, 35.39),
    "all": (46.89, 27.59, 39.86),
}
"""The published row of this model."""


@pytest.mark.skipif(not SHARED.exists(), reason="needs CS-Bench's test split in ../shared/data")
def test_the_published_row_of_chance_and_overalls_follow_from_the_published_questions() -> None:
    records = json.loads(SHARED.read_text(encoding="utf-8"))
    rows = [
        reply(
            number,
            GEMMA_2B[record["Domain"]][("Knowledge", "Reasoning").index(record["Tag"])] / 100,
            domain=record["Domain"],
            subdomain=record["SubDomain"],
            tag=record["Tag"],
            format=_FORMATS[record["Format"]],
        )
        for number, record in enumerate(records)
    ]
    section = domains_section(Dataset(rows, {}))
    for index, tag in enumerate(("Knowledge", "Reasoning", "all")):
        chance, model_scores = (
            score_by_column(section, "domain", tag, "chance (en)"),
            score_by_column(section, "domain", tag),
        )
        for domain in RANDOM:
            assert 100 * chance[domain] == pytest.approx(RANDOM[domain][index], abs=0.006)
            assert 100 * model_scores[domain] == pytest.approx(GEMMA_2B[domain][index], abs=0.03)
    assert section is not None
    subfields = section.numbers["subfield"]
    assert isinstance(subfields, dict)
    assert (
        len(
            {(domain, figure.column) for domain, subfield_figures in subfields.items() for figure in subfield_figures}
            - {(d, "all") for d in subfields}
        )
        == 26
    )
