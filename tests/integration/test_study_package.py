"""What a study publishes: its checklist, rows for Every Eval Ever, and data that give the same numbers elsewhere."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet as pq
import pytest

from benchwright_analysis.publication.checklist import checklist_items, checklist_markdown, read_notes
from benchwright_analysis.publication.every_eval import every_eval_records
from benchwright_analysis.publication.package import Publication, anonymous_rows, write_package
from benchwright_analysis.report.demo.demo import record_demo_study
from benchwright_analysis.report.report import read_study_dataset
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.from_table import data_of_planned_population, table_dataset
from benchwright_analysis.report.rows.table_file import read_table
from benchwright_analysis.report.section import json_value
from benchwright_analysis.report.sections.main_result import compute_main_result, main_result_table
from benchwright_analysis.report.sections.success import success_section
from benchwright_analysis.report.sections.time_to_pass import time_to_pass_section
from benchwright_attempts.errors import StudyError
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_studies import open_log
from benchwright_studies.plan.people import Pay
from benchwright_studies.plan.study import Study

DIGITS = 9
PEOPLE = 4


@dataclass(frozen=True)
class Published:
    """A study, and its package."""

    data: Dataset
    folder: Path
    files: list[str]

    @property
    def study(self) -> Study:
        assert self.data.study is not None
        return self.data.study


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    folder = tmp_path_factory.mktemp("lab")
    store = Store(Home.from_environment({"BENCHWRIGHT_HOME": str(folder)}))
    record_demo_study(folder / "log.sqlite", store, participant_count=PEOPLE, seed=3)
    log = open_log(folder / "log.sqlite")
    try:
        data = read_study_dataset(log, store, "demo")
    finally:
        log.close()
    listed_items = checklist_items(data, {}, pilot_people_count=0)
    files = write_package(folder / "package", data, listed_items, Publication("https://example.org/licence"))
    return Published(data, folder / "package", files)


def rounded(value: Any) -> Any:
    """Numbers to as many digits as rounding errors leave alone, whatever order sums are formed in."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") + 0.0 if abs(value) > 1e-12 else 0.0
    if isinstance(value, dict):
        return {name: rounded(member) for name, member in value.items()}
    return [rounded(member) for member in value] if isinstance(value, list) else value


def test_another_lab_gets_the_same_digits_from_the_package(published: Published) -> None:
    package_table = read_table(published.folder / "attempts.parquet")
    elsewhere = table_dataset(package_table, 1, {})
    assert elsewhere.groups == published.data.groups
    own_answer = main_result_table(compute_main_result(published.data.in_planned_population()))
    assert (
        main_result_table(compute_main_result(data_of_planned_population(elsewhere, package_table))).rows
        == own_answer.rows
    )
    own_times, times = (time_to_pass_section(data).numbers for data in (published.data, elsewhere))
    for name in ("curves", "restricted_means", "comparisons"):
        assert rounded(json_value(times[name])) == rounded(json_value(own_times[name])), name


@pytest.mark.nightly
def test_another_lab_gets_the_same_success_from_the_package(published: Published) -> None:
    elsewhere = table_dataset(read_table(published.folder / "attempts.parquet"), 1, {})
    own = json_value(success_section(published.data).numbers)
    theirs = json_value(success_section(elsewhere).numbers)
    assert isinstance(own, dict) and isinstance(theirs, dict)
    for name in ("overall", "at_end", "score", "macro", "comparisons"):
        assert rounded(theirs[name]) == rounded(own[name]), name


def test_people_have_new_names_and_nothing_says_when_they_worked(published: Published) -> None:
    table = pq.read_table(published.folder / "attempts.parquet")
    people = {row.participant for row in published.data.observations if row.is_person}
    names = {row["participant"] for row in table.to_pylist() if row["solver"].startswith("human")}
    assert len(names) == len(people) and not names & people
    assert set(table["started"].to_pylist()) == {""}
    attempts = {row.attempt for row in published.data.observations}
    everything = "".join(
        file.read_text(encoding="utf-8") for file in published.folder.rglob("*") if file.suffix in (".json", ".md")
    )
    for private in (*people, *attempts):
        assert f'"{private}"' not in everything and private not in map(str, table["attempt"].to_pylist())
    draws = {tuple(row.participant for row in anonymous_rows(published.data.observations)[:1]) for _ in range(3)}
    assert draws == {("person-1",)}
    first_passes = [
        next(row.time_s for row in anonymous_rows(published.data.observations) if row.participant == "person-1")
        for _ in range(12)
    ]
    assert len(set(first_passes)) > 1


def test_every_file_is_named_and_metadata_fits_the_table(published: Published) -> None:
    assert {*published.files} == {
        str(file.relative_to(published.folder)) for file in published.folder.rglob("*") if file.is_file()
    }
    metadata = json.loads((published.folder / "croissant.json").read_text())
    fields = [field["name"] for field in metadata["recordSet"][0]["field"]]
    assert fields == pq.read_schema(published.folder / "attempts.parquet").names
    assert metadata["license"] == "https://example.org/licence"


def test_the_checklist_names_what_is_empty_and_where_to_say_it(published: Published) -> None:
    listed_items = {item.number: item for item in checklist_items(published.data, {}, pilot_people_count=2)}
    assert listed_items["1.1"].answer == f"{PEOPLE} of {PEOPLE} planned have made an attempt"
    assert listed_items["1.6"].answer == "pilot of 2 people by the same rules"
    assert listed_items["2.7"].answer == "" and listed_items["2.7"].source == "pay.amount"
    page = checklist_markdown("A study", list(listed_items.values()))
    assert "| 2.7 | pay | **empty** | say it in `pay.amount` |" in page
    assert "Empty: " in page and "2.3.2" in page.split("Empty: ")[1].split(".\n")[0]


def test_the_study_file_and_the_labs_notes_fill_the_checklist(published: Published, tmp_path: Path) -> None:
    study = published.study.model_copy(update={"pay": Pay(amount="25 EUR | hour", bonus="none")})
    data = Dataset(published.data.folded, published.data.problem_facts, study=study)
    notes_file = tmp_path / "notes.yaml"
    notes_file.write_text('"2.3.2": 4 of 30\n')
    listed_items = {item.number: item for item in checklist_items(data, read_notes(notes_file), pilot_people_count=0)}
    assert (listed_items["2.3.2"].answer, listed_items["2.3.2"].source) == ("4 of 30", "--notes")
    assert listed_items["2.7.2"].answer == "none" and listed_items["1.10"].answer == "no"
    assert "25 EUR \\| hour" in checklist_markdown("A study", list(listed_items.values()))
    with pytest.raises(StudyError, match=r"There is no item 9\.9\. The notes may have: 0\.5, "):
        checklist_items(data, {"9.9": "x"}, pilot_people_count=0)
    notes_file.write_text("- 2.3.2\n")
    with pytest.raises(StudyError, match=r"notes\.yaml is no list of notes\. Write each as"):
        read_notes(notes_file)


def test_rows_of_every_eval_ever_have_the_scores_of_the_report(published: Published) -> None:
    planned = published.data.in_planned_population()
    records = every_eval_records(planned, published.study)
    assert set(records) == set(planned.groups)
    overall = success_section(planned).numbers["overall"]
    assert isinstance(overall, dict)
    for group, record in records.items():
        value: Any = record
        result = value["evaluation_results"][0]
        assert result["metric_config"]["metric_name"] == "solved"
        assert result["score_details"]["score"] == overall[group].value
    people: Any = records["alone"]
    assert people["model_info"]["id"] == "people/alone"
    assert people["model_info"]["additional_details"]["people"] == str(PEOPLE)


@pytest.fixture(scope="module")
def registry_python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A Python with what checks the package, which nothing else needs."""
    folder = tmp_path_factory.mktemp("checkers")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    install = subprocess.run(
        [python, "-m", "pip", "install", "-q", "mlcroissant[parquet]==1.1.1"],
        capture_output=True,
        text=True,
        timeout=600,
    )
    if install.returncode:
        pytest.skip(f"mlcroissant can't be installed here: {install.stderr[-300:]}")
    yield python


@pytest.mark.nightly
def test_mlcroissant_accepts_the_metadata_and_reads_the_rows(published: Published, registry_python: Path) -> None:
    script = (
        "import sys, mlcroissant as m; d = m.Dataset(sys.argv[1]); print(d.metadata.ctx.issues.report());"
        "rows = list(d.records('attempts')); print(len(rows)); print(rows[0]['attempts/participant'])"
    )
    process = subprocess.run(
        [registry_python, "-c", script, published.folder / "croissant.json"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert process.returncode == 0, process.stderr
    assert "error" not in process.stdout.lower()
    assert str(len(published.data.observations)) in process.stdout.split()


@pytest.mark.nightly
def test_rows_of_every_eval_ever_fit_its_own_schema(published: Published, tmp_path: Path) -> None:
    download = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--python-version", "3.12"),
            *("--only-binary=:all:", "every-eval-ever==0.3.0", "-d", str(tmp_path)),
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    if download.returncode:
        pytest.skip(f"every-eval-ever can't be fetched here: {download.stderr[-300:]}")
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        schema = json.loads(archive.read("every_eval_ever/schemas/eval.schema.json"))
    validator = jsonschema.Draft7Validator(schema)
    files = sorted((published.folder / "every_eval_ever").glob("*.json"))
    assert files
    for file in files:
        record = json.loads(file.read_text())
        assert [error.message for error in validator.iter_errors(record)] == [], file
        del record["model_info"]["id"]
        assert list(validator.iter_errors(record))
