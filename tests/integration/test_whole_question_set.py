"""A set of CS-Bench's layout: imported by one command, asked, judged and reported; a twentieth of its size here.

Every number that is expected of the report is made from who answers what (`Student`) by arithmetic of this file.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import correlation, fmean, linear_regression
from typing import Any

import pytest
from typer.testing import CliRunner

from benchwright_server.cli.app import app_with_commands

from ..support.packs.csbench_set import CODES, WHOLE, Student, number_in, numbers_in, records, write_layout
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content, says

WRONG_BLANK = json.dumps("\nR0\n")[1:-1]
SIZES = {"student-7b": 7, "student-14b": 14, "student-32b": 32, "student-110b": 110}
WRONG_EVERY = {"student-7b": 2, "student-14b": 3, "student-32b": 4, "student-110b": 6}
AFTER_EXAMPLES = 7
"""Every which number a student is wrong about that has seen solved questions."""
MAIN = "student-32b"
JUDGES = ("ja", "jb")
PEOPLE: dict[str, Callable[[int], int]] = {
    "ana": lambda number: points(number) + number // 16 % 2,
    "bo": lambda number: points(number) - 2 * (number // 16 % 3 == 0),
}
"""The points that people give to the answer to a question of this number."""
PASSES = 7
BENCHMARK = {"student-7b": 40.0, "student-14b": 57.0, "student-32b": 61.0, "student-110b": 80.0}
FEW = 60
"""Questions of English that the other models, and the other ways to ask, get."""
CHANCE = {"Multiple-choice": 0.25, "Assertion": 0.5, "Fill-in-the-blank": 0.0, "Open-ended": 0.1}
ZERO_SHOT = "zero-shot"
Record = dict[str, Any]


@pytest.fixture(scope="module")
def of_each(nightly: bool) -> int:
    return WHOLE if nightly else WHOLE // 20


def run(*arguments: str, status: int = 0) -> Any:
    cli_run = CliRunner().invoke(app_with_commands(), [*arguments], catch_exceptions=False)
    assert cli_run.exit_code == status, cli_run.output
    return json.loads(cli_run.stdout) if "--json" in arguments else cli_run.stdout


def eval_(url: str, model: str, *options: str) -> Any:
    model_options = ("--model", f"openai-api/local/{model}", "--base-url", url)
    return run("eval", "--pack", "cs", *model_options, "--out", f"runs/{model}{len(options)}", "--json", *options)


def set_up_judges(home: Path, url: str) -> None:
    (home / "config").mkdir(parents=True)
    judges = "".join(f'[[judge]]\nname = "{name}"\nbase_url = "{url}"\nmodel = "{name}"\n' for name in JUDGES)
    (home / "config" / "judges.toml").write_text(judges)


class World:
    """Plays the models and the judges."""

    def __init__(self, of_each: int) -> None:
        self._students = {interval: Student(of_each, interval) for interval in {*WRONG_EVERY.values(), AFTER_EXAMPLES}}

    def student(self, model: str, *, examples: bool = False) -> Student:
        return self._students[AFTER_EXAMPLES if examples else WRONG_EVERY[model]]

    def play(self, request: JudgeRequest) -> PlayedReply:
        messages_text = json.dumps(request.body["messages"], ensure_ascii=False)
        model = request.body["model"]
        if model in WRONG_EVERY:
            student = self.student(model, examples=len(numbers_in(messages_text)) > 1)
            return content(student.reply(number_in(messages_text)))
        if '"types"' in messages_text.replace("\\", ""):
            return content(json.dumps({"reason": "It is.", "types": ["calculation"]}))
        return says("0" if WRONG_BLANK in messages_text else points(number_in(messages_text)))


def points(number: int) -> int:
    """Points that judges give to the answer to an open-ended question, 5 to 9."""
    return 5 + number // 16 % 5


def score(student: Student, record: Record) -> float:
    return points(record["ID"]) / 10 if record["Format"] == "Open-ended" else float(student.is_right(record))


def open_ended(of_each: int) -> list[int]:
    """The numbers of the open-ended questions in all languages."""
    return [record["ID"] for name in CODES for record in records(name, of_each) if record["Format"] == "Open-ended"]


def mean(rows: Iterable[Record], measure: Callable[[Record], float]) -> float:
    return fmean(measure(record) for record in rows)


def values(figures: Iterable[dict[str, Any]]) -> dict[tuple[str, str], float]:
    return {(figure["row"], figure["column"]): figure["value"] for figure in figures}


def group_name(model: str, language: str = "en", setting: str = ZERO_SHOT) -> str:
    return f"model: openai-api/local/{model} ({language}, {setting})"


@pytest.mark.nightly
def test_a_whole_set_is_imported_asked_judged_and_reported(
    tmp_path: Path, of_each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    monkeypatch.delenv("BENCHWRIGHT_JUDGE_URL", raising=False)
    world = World(of_each)
    names = write_layout(tmp_path / "Dataset", of_each)
    problem_options = [option for number in range(1, FEW + 1) for option in ("--problem", f"en-{number}")]
    with JudgeEndpoint(world.play) as endpoint:
        set_up_judges(tmp_path / "home", endpoint.url)
        imported = run("problems", "import", "csbench", "Dataset", "--pack", "cs", "--json")
        assert sorted(imported["problems"]) == sorted(names)
        summary = eval_(endpoint.url, MAIN)
        student = world.student(MAIN)
        assert (summary["samples"], summary["error"], summary["undecided"]) == (len(names), 0, 0)
        assert summary["passed"] == student.right + sum(points(number) >= PASSES for number in open_ended(of_each))
        (replies,) = (tmp_path / "runs" / f"{MAIN}0").glob("*.responses.jsonl")
        votes = len(endpoint.requests)
        graded = run("answer", "cs", "--responses", str(replies), "--solver", "again", "--out", "graded", "--json")
        assert len(endpoint.requests) == votes, "votes on the same answer are there already"
        for model in SIZES:
            if model != MAIN:
                eval_(endpoint.url, model, *problem_options)
        eval_(endpoint.url, MAIN, *problem_options, "--shots", "5")
        eval_(endpoint.url, MAIN, *problem_options, "--shots", "5", "--think")
        classified = run("judge", "error-types", "cs", "--json")
    for person in PEOPLE:
        grade_as(person)
    assert (graded["total"], graded["judged"], graded["right"]) == (len(names), len(names), summary["passed"])
    assert set(graded["by_language"]) == set(CODES.values())
    assert len((tmp_path / "graded" / "verdicts.jsonl").read_text().splitlines()) == len(names)
    lines = [f"openai-api/local/{name},Student,{size},{BENCHMARK[name]}" for name, size in SIZES.items()]
    (tmp_path / "models.csv").write_text("\n".join(["model,family,parameters_b,benchmark:GSM8K", *lines, ""]))
    run("report", "--out", "report", "--no-events", "--model-facts", "models.csv")
    sections = json.loads((tmp_path / "report" / "report.json").read_text())["sections"]
    check_domains(sections["domains"]["numbers"], world, of_each)
    check_the_rest(sections, world, of_each, classified)
    check_judges(sections, of_each)


def grade_as(person: str) -> None:
    """Grade the open-ended answers in a sheet, blind, though judges have."""
    sheet = Path(f"{person}.csv")
    run("judge", "sheet", "export", str(sheet), "--as", person, "--all")
    rows = [*csv.DictReader(sheet.read_text().splitlines())]
    for row in rows:
        if "keeps what the reset wrote" in row["answer"]:
            row |= {"label": str(PEOPLE[person](number_in(row["question"]))), "difficulty": "3"}
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    run("judge", "sheet", "import", str(sheet), "--as", person, "--all")


def check_domains(numbers: dict[str, Any], world: World, of_each: int) -> None:
    """Tables 2, 14 and 15 and figure 2, the mean weighted by questions, and the row of chance, in four languages."""
    student = world.student(MAIN)
    for folder, code in CODES.items():
        rows = [*records(folder, of_each)]
        for field, section in (("Domain", "domain"), ("Format", "format")):
            for tag, tagged_records in (("all", rows), *((t, [r for r in rows if r["Tag"] == t]) for t in TAGS)):
                scores = values(numbers[section][tag])
                for part in ("all", *{record[field] for record in tagged_records}):
                    column = part.lower() if field == "Format" else part
                    subset = [record for record in tagged_records if part in ("all", record[field])]
                    expected_score = mean(subset, lambda record: score(student, record))
                    assert scores[group_name(MAIN, code), column] == pytest.approx(expected_score), (code, tag, part)
                    guess = mean(subset, lambda record: CHANCE[record["Format"]])
                    assert scores[f"chance ({code})", column] == pytest.approx(guess), (code, tag, part)
        for domain, part in {(record["Domain"], record["SubDomain"]) for record in rows}:
            subset = [record for record in rows if (record["Domain"], record["SubDomain"]) == (domain, part)]
            scores = values(numbers["subfield"][domain])
            assert scores[group_name(MAIN, code), part] == pytest.approx(
                mean(subset, lambda record: score(student, record))
            )


TAGS = ("Knowledge", "Reasoning")


def check_the_rest(sections: dict[str, Any], world: World, of_each: int, classified: dict[str, Any]) -> None:
    first_records = [*records("EN", of_each)][:FEW]
    test_records = [record for record in first_records if record["Split"] == "Test"]
    taught_student = world.student(MAIN, examples=True)
    expected_scores = {
        ZERO_SHOT: mean(test_records, lambda record: score(world.student(MAIN), record)),
        "5-shot": mean(test_records, lambda record: score(taught_student, record)),
        "5-shot, steps": mean(test_records, lambda record: score(taught_student, record)),
    }
    # Figure 6c.
    scores_by_setting = values(sections["settings"]["numbers"]["scores"])
    group = f"model: openai-api/local/{MAIN} (en)"
    assert scores_by_setting == {(group, way): pytest.approx(value) for way, value in expected_scores.items()}
    # Figure 5.
    tokens = sections["tokens"]["numbers"][group_name(MAIN)]
    assert (tokens["sent"], tokens["received"]) == (100, 20)
    # Section 3.4: the line through the sizes.
    scores = {
        model: mean(
            records("EN", of_each) if model == MAIN else first_records,
            lambda record, model=model: score(world.student(model), record),  # type: ignore[misc]
        )
        for model in SIZES
    }
    slope, start = linear_regression([math.log(size) for size in SIZES.values()], [*scores.values()])
    (fit,) = (line_fit for name, line_fit in sections["scale"]["numbers"]["fits"].items() if "en, zero-shot" in name)
    assert (fit["slope"], fit["intercept"]) == (pytest.approx(slope), pytest.approx(start))
    # Figures 8 and 9.
    pearson = correlation([BENCHMARK[model] for model in scores], [*scores.values()])
    elsewhere = sections["other-benchmarks"]["numbers"][f"en, {ZERO_SHOT}"]["GSM8K"]
    assert (elsewhere["models"], elsewhere["pearson"]["value"]) == (len(SIZES), pytest.approx(pearson))
    # Figure 7.
    wrong_records = [r for r in test_records if r["Format"] == "Multiple-choice" and not taught_student.is_right(r)]
    assert (classified["classified"], classified["types"]) == (len(wrong_records), {"calculation": len(wrong_records)})
    assert sections["error-types"]["numbers"]["wrong"] == len(wrong_records)


def check_judges(sections: dict[str, Any], of_each: int) -> None:
    """Tables 11 and 12: judges by people, and by each other."""
    # People grade each attempt: of the run, of `answer`, and of the runs on a few questions.
    other_runs = len(SIZES) - 1 + 2
    numbers = 2 * open_ended(of_each) + other_runs * [number for number in open_ended(of_each) if number <= FEW]
    mean_grades = [fmean(points_of(number) for points_of in PEOPLE.values()) for number in numbers]
    decisions = [
        (grade >= PASSES, points(number) >= PASSES) for grade, number in zip(mean_grades, numbers, strict=True)
    ]
    (graded,) = (
        form_row for form_row in sections["judges"]["numbers"]["formats"] if form_row["format"] == "open-ended"
    )
    judges = {judge["judge"]: judge for judge in graded["judges"]}
    assert set(JUDGES) <= set(judges)
    for judge in judges.values():
        assert (judge["items"], judge["disagreements"]) == (
            len(numbers),
            sum(by_people != by_judge for by_people, by_judge in decisions),
        )
        assert judge["agreement"]["value"] == pytest.approx(
            fmean(by_people == by_judge for by_people, by_judge in decisions)
        )
        wrong_acceptances = [by_judge for by_people, by_judge in decisions if not by_people]
        rejected = [not by_judge for by_people, by_judge in decisions if by_people]
        assert judge["false_accept"]["value"] == pytest.approx(fmean(wrong_acceptances))
        assert judge["false_reject"]["value"] == pytest.approx(fmean(rejected))
        assert judge["pearson"]["value"] == pytest.approx(
            correlation(mean_grades, [points(number) for number in numbers])
        )
    english = [record["ID"] for record in records("EN", of_each) if record["Format"] == "Open-ended"]
    judge_scores = values(sections["judges-compared"]["numbers"]["scores"])
    row = f"{group_name(MAIN)}, open-ended"
    expected_score = fmean(points(number) for number in english) / 10
    assert {judge: judge_scores[row, judge] for judge in JUDGES} == dict.fromkeys(JUDGES, pytest.approx(expected_score))
