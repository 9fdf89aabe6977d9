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

from benchwright_server.cli.app import command_line

from ..support.packs.csbench_set import CODES, WHOLE, Student, number_in, numbers_in, records, write_layout
from ..support.service.judge_endpoint import Asked, JudgeEndpoint, Played, content, says

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
    ran = CliRunner().invoke(command_line(), [*arguments], catch_exceptions=False)
    assert ran.exit_code == status, ran.output
    return json.loads(ran.stdout) if "--json" in arguments else ran.stdout


def eval_(url: str, model: str, *options: str) -> Any:
    chosen = ("--model", f"openai-api/local/{model}", "--base-url", url)
    return run("eval", "--pack", "cs", *chosen, "--out", f"runs/{model}{len(options)}", "--json", *options)


def set_up_judges(home: Path, url: str) -> None:
    (home / "config").mkdir(parents=True)
    judges = "".join(f'[[judge]]\nname = "{name}"\nbase_url = "{url}"\nmodel = "{name}"\n' for name in JUDGES)
    (home / "config" / "judges.toml").write_text(judges)


class World:
    """Plays the models and the judges."""

    def __init__(self, of_each: int) -> None:
        self._students = {every: Student(of_each, every) for every in {*WRONG_EVERY.values(), AFTER_EXAMPLES}}

    def student(self, model: str, *, examples: bool = False) -> Student:
        return self._students[AFTER_EXAMPLES if examples else WRONG_EVERY[model]]

    def play(self, asked: Asked) -> Played:
        said = json.dumps(asked.body["messages"], ensure_ascii=False)
        model = asked.body["model"]
        if model in WRONG_EVERY:
            student = self.student(model, examples=len(numbers_in(said)) > 1)
            return content(student.reply(number_in(said)))
        if '"types"' in said.replace("\\", ""):
            return content(json.dumps({"reason": "It is.", "types": ["calculation"]}))
        return says("0" if WRONG_BLANK in said else points(number_in(said)))


def points(number: int) -> int:
    """What judges give to the answer to an open-ended question, 5 to 9."""
    return 5 + number // 16 % 5


def score(student: Student, record: Record) -> float:
    return points(record["ID"]) / 10 if record["Format"] == "Open-ended" else float(student.is_right(record))


def open_ended(of_each: int) -> list[int]:
    """The numbers of the open-ended questions in all languages."""
    return [one["ID"] for name in CODES for one in records(name, of_each) if one["Format"] == "Open-ended"]


def mean(rows: Iterable[Record], of: Callable[[Record], float]) -> float:
    return fmean(of(record) for record in rows)


def values(figures: Iterable[dict[str, Any]]) -> dict[tuple[str, str], float]:
    return {(one["row"], one["column"]): one["value"] for one in figures}


def named(model: str, language: str = "en", asked: str = ZERO_SHOT) -> str:
    return f"model: openai-api/local/{model} ({language}, {asked})"


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
    few = [option for number in range(1, FEW + 1) for option in ("--problem", f"en-{number}")]
    with JudgeEndpoint(world.play) as endpoint:
        set_up_judges(tmp_path / "home", endpoint.url)
        imported = run("problems", "import", "csbench", "Dataset", "--pack", "cs", "--json")
        assert sorted(imported["problems"]) == sorted(names)
        asked = eval_(endpoint.url, MAIN)
        student = world.student(MAIN)
        assert (asked["samples"], asked["error"], asked["undecided"]) == (len(names), 0, 0)
        assert asked["passed"] == student.right + sum(points(number) >= PASSES for number in open_ended(of_each))
        (replies,) = (tmp_path / "runs" / f"{MAIN}0").glob("*.responses.jsonl")
        votes = len(endpoint.requests)
        answered = run("answer", "cs", "--responses", str(replies), "--solver", "again", "--out", "graded", "--json")
        assert len(endpoint.requests) == votes, "votes on the same answer are there already"
        for model in SIZES:
            if model != MAIN:
                eval_(endpoint.url, model, *few)
        eval_(endpoint.url, MAIN, *few, "--shots", "5")
        eval_(endpoint.url, MAIN, *few, "--shots", "5", "--think")
        classified = run("judge", "error-types", "cs", "--json")
    for person in PEOPLE:
        grade_as(person)
    assert (answered["total"], answered["judged"], answered["right"]) == (len(names), len(names), asked["passed"])
    assert set(answered["by_language"]) == set(CODES.values())
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
            for tag, chosen in (("all", rows), *((t, [r for r in rows if r["Tag"] == t]) for t in TAGS)):
                found = values(numbers[section][tag])
                for part in ("all", *{record[field] for record in chosen}):
                    column = part.lower() if field == "Format" else part
                    of = [record for record in chosen if part in ("all", record[field])]
                    expected = mean(of, lambda record: score(student, record))
                    assert found[named(MAIN, code), column] == pytest.approx(expected), (code, tag, part)
                    guess = mean(of, lambda record: CHANCE[record["Format"]])
                    assert found[f"chance ({code})", column] == pytest.approx(guess), (code, tag, part)
        for domain, part in {(record["Domain"], record["SubDomain"]) for record in rows}:
            of = [record for record in rows if (record["Domain"], record["SubDomain"]) == (domain, part)]
            found = values(numbers["subfield"][domain])
            assert found[named(MAIN, code), part] == pytest.approx(mean(of, lambda record: score(student, record)))


TAGS = ("Knowledge", "Reasoning")


def check_the_rest(sections: dict[str, Any], world: World, of_each: int, classified: dict[str, Any]) -> None:
    few = [*records("EN", of_each)][:FEW]
    test = [record for record in few if record["Split"] == "Test"]
    after = world.student(MAIN, examples=True)
    asked = {
        ZERO_SHOT: mean(test, lambda record: score(world.student(MAIN), record)),
        "5-shot": mean(test, lambda record: score(after, record)),
        "5-shot, steps": mean(test, lambda record: score(after, record)),
    }
    # Figure 6c.
    ways = values(sections["settings"]["numbers"]["scores"])
    who = f"model: openai-api/local/{MAIN} (en)"
    assert ways == {(who, way): pytest.approx(value) for way, value in asked.items()}
    # Figure 5.
    tokens = sections["tokens"]["numbers"][named(MAIN)]
    assert (tokens["sent"], tokens["received"]) == (100, 20)
    # Section 3.4: the line through the sizes.
    scores = {
        model: mean(
            records("EN", of_each) if model == MAIN else few,
            lambda record, model=model: score(world.student(model), record),  # type: ignore[misc]
        )
        for model in SIZES
    }
    slope, start = linear_regression([math.log(size) for size in SIZES.values()], [*scores.values()])
    (fit,) = (one for name, one in sections["scale"]["numbers"]["fits"].items() if "en, zero-shot" in name)
    assert (fit["slope"], fit["intercept"]) == (pytest.approx(slope), pytest.approx(start))
    # Figures 8 and 9.
    pearson = correlation([BENCHMARK[model] for model in scores], [*scores.values()])
    elsewhere = sections["other-benchmarks"]["numbers"][f"en, {ZERO_SHOT}"]["GSM8K"]
    assert (elsewhere["models"], elsewhere["pearson"]["value"]) == (len(SIZES), pytest.approx(pearson))
    # Figure 7.
    wrong = [r for r in test if r["Format"] == "Multiple-choice" and not after.is_right(r)]
    assert (classified["classified"], classified["types"]) == (len(wrong), {"calculation": len(wrong)})
    assert sections["error-types"]["numbers"]["wrong"] == len(wrong)


def check_judges(sections: dict[str, Any], of_each: int) -> None:
    """Tables 11 and 12: judges by people, and by each other."""
    # People grade each attempt: of the run, of `answer`, and of the runs on a few questions.
    again = len(SIZES) - 1 + 2
    numbers = 2 * open_ended(of_each) + again * [number for number in open_ended(of_each) if number <= FEW]
    people = [fmean(points_of(number) for points_of in PEOPLE.values()) for number in numbers]
    both = [(one >= PASSES, points(number) >= PASSES) for one, number in zip(people, numbers, strict=True)]
    (graded,) = (one for one in sections["judges"]["numbers"]["formats"] if one["format"] == "open-ended")
    found = {one["judge"]: one for one in graded["judges"]}
    assert set(JUDGES) <= set(found)
    for judge in found.values():
        assert (judge["items"], judge["disagreements"]) == (len(numbers), sum(one != other for one, other in both))
        assert judge["agreement"]["value"] == pytest.approx(fmean(one == other for one, other in both))
        accepted = [said for wanted, said in both if not wanted]
        rejected = [not said for wanted, said in both if wanted]
        assert judge["false_accept"]["value"] == pytest.approx(fmean(accepted))
        assert judge["false_reject"]["value"] == pytest.approx(fmean(rejected))
        assert judge["pearson"]["value"] == pytest.approx(correlation(people, [points(number) for number in numbers]))
    english = [one["ID"] for one in records("EN", of_each) if one["Format"] == "Open-ended"]
    judged = values(sections["judges-compared"]["numbers"]["scores"])
    row = f"{named(MAIN)}, open-ended"
    expected = fmean(points(number) for number in english) / 10
    assert {judge: judged[row, judge] for judge in JUDGES} == dict.fromkeys(JUDGES, pytest.approx(expected))
