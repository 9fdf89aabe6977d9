"""The list of the papers' tables: every row has its command, and a value that was worked out by hand."""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright_analysis.report.csbench.domains import domains_section
from benchwright_analysis.report.csbench.error_types import error_types
from benchwright_analysis.report.csbench.judges_compared import judges_compared_section
from benchwright_analysis.report.csbench.languages import languages_section
from benchwright_analysis.report.csbench.model_pairs import model_pairs_section
from benchwright_analysis.report.csbench.other_benchmarks import other_benchmarks_section
from benchwright_analysis.report.csbench.scale import model_size_section
from benchwright_analysis.report.csbench.settings import asking_ways_section
from benchwright_analysis.report.csbench.tokens import tokens_and_score_section
from benchwright_analysis.report.fold import FoldedAttempt, NamedErrors
from benchwright_analysis.report.questions.forms import question_forms_section
from benchwright_analysis.report.questions.generations import repeated_answers_section
from benchwright_analysis.report.questions.grades import judge_grades_section
from benchwright_analysis.report.questions.grading_difficulty import grading_difficulty_section
from benchwright_analysis.report.questions.profile import skills_and_topics_section
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.model_facts import ModelFacts
from benchwright_analysis.report.rows.problem_facts import ProblemFacts
from benchwright_analysis.report.rows.verdicts import JudgementRow
from benchwright_analysis.report.section import Section, json_value
from benchwright_analysis.report.sections.failing import failing_section
from benchwright_analysis.report.sections.filtered import filtered_section
from benchwright_analysis.report.sections.models import models_section
from benchwright_analysis.report.sections.success import success_section
from benchwright_judges.agreement.rated import RatedAnswer
from benchwright_judges.scale import Scale
from benchwright_server.cli.app import app_with_commands

from ....support.packs.csbench_domains import reply
from ....support.packs.report_codebook import observation

ROOT = Path(__file__).parents[4]
PAGE = ROOT / "docs" / "how-to" / "papers-tables.md"
PAPERS = ("CVDP", "QuArch", "CS-Bench")


@dataclass(frozen=True)
class Row:
    """A row of the list."""

    paper: str
    subject: str
    command: str
    shown_as: str

    @property
    def commands(self) -> list[str]:
        """The commands that it names; none if it is not made."""
        if self.command.startswith("not made: "):
            return []
        return [text for text in re.findall(r"`([^`]+)`", self.command) if text.startswith("benchwright ")]


def rows() -> Iterator[Row]:
    paper = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("##"):
            paper = line.removeprefix("### ") if line.startswith("### ") else ""
        elif paper and line.startswith("| ") and not line.startswith(("| of the paper", "| ---")):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            assert len(cells) == 3, line
            yield Row(paper, *cells)


ROWS = list(rows())
MADE = [list_row for list_row in ROWS if list_row.commands]
SHOWN = [(list_row, shown) for list_row in MADE for shown in re.findall(r"`([^`]+)`", list_row.shown_as)]


def _answer(model: str, number: int, score: float, **field_changes: object) -> FoldedAttempt:
    tag = ("Knowledge", "Reasoning")[number % 2]
    fields = {
        "participant": model,
        "attempt": f"{model}-{number}-{field_changes}",
        "tag": tag,
        "family": f"cs/{number}",
    }
    return reply(number, score, **(fields | field_changes))


def _csbench() -> Dataset:
    """Four questions, 0 to 3: the sizes of a family are right at the first one, two, three and all."""
    sizes = {"s1": 1, "s2": 10, "s3": 100, "s4": 1000}
    folded_answers = [
        _answer(model, number, float(number < right), output_tokens=10 * (number + 1), reasoning_tokens=number)
        for right, model in enumerate(sizes, 1)
        for number in range(4)
    ]
    folded_answers += [_answer("coder", number, float(number < 3)) for number in range(4)]
    folded_answers += [_answer("s1", number, 1.0, shots=5) for number in range(4)]
    folded_answers += [
        _answer("s2", number, float(number == 0), language="de", problem=f"cs/de-{number}") for number in range(4)
    ]
    wrong = _answer("wrong", 9, 0.0, shots=5, steps=True)
    folded_answers.append(
        replace(wrong, errors=NamedErrors(("calculation", "misreading"), {"j": ("calculation", "misreading")}))
    )
    for number, (first, second) in enumerate((("8", "8"), ("8", "4"))):
        judgement_row = JudgementRow("model", first, (first, second), ("a", "b"))
        folded_answers.append(replace(_answer("open", number, 0.8, format="open-ended"), judgement=judgement_row))
    facts = [
        ModelFacts(model, "S", size, {"MMLU": 10.0 * place}) for place, (model, size) in enumerate(sizes.items(), 1)
    ]
    return Dataset(folded_answers, {}, model_facts=[*facts, ModelFacts("coder", base="s1")])


def _quarch() -> Dataset:
    """Recall is right, one of two analyses; two answers to each; the first question has a picture."""
    skill_questions = (
        ("p/1", "recall", "Caches", 1.0),
        ("p/2", "analyze", "Caches", 1.0),
        ("p/3", "analyze", "Buses", 0.0),
    )
    folded_answers = [
        FoldedAttempt(
            observation(
                attempt=f"{model}-{problem}-{sample}",
                participant=model,
                condition="model",
                solver="model",
                problem=problem,
                family=problem,
                kind="question",
                format="free-response",
                skill=skill,
                topic=topic,
                passed=bool(score) and model == "large",
                score=score if model == "large" else 0.0,
                started=f"2026-01-01T00:00:0{sample}+00:00",
            ),
            (),
            {},
            "",
            JudgementRow("model", *_LABELS[bool(score) and model == "large"]),
        )
        for model in ("small", "large")
        for problem, skill, topic, score in skill_questions
        for sample in (1, 2)
    ]
    rated = [
        RatedAnswer(
            answer_id=f"a{number}",
            problem="p/1",
            format="free-response",
            scale=Scale.EXAM,
            people={"e": "correct"},
            judges={"m": (label,)},
            difficulty={"e": 2},
        )
        for number, label in enumerate(("correct", "incorrect", "correct", "correct"))
    ]
    facts = {"p/1": ProblemFacts(has_pictures=True), "p/2": ProblemFacts(), "p/3": ProblemFacts()}
    model_facts = [ModelFacts("small", "F", 1), ModelFacts("large", "F", 70)]
    return Dataset(folded_answers, facts, model_facts=model_facts, rated=rated)


_LABELS = {
    True: ("correct", ("correct", "correct")),
    False: ("incorrect", ("incorrect", "partially correct", "incorrect")),
}


def _cvdp() -> Dataset:
    """Six problems of two categories, two samples each: a pass and a failure, or two failures of one kind."""
    causes = ("The reset clears the pointer one cycle late.", "The output width truncates the carry of the adder.")
    attempts = [
        FoldedAttempt(
            observation(
                attempt=f"{number}-{sample}",
                participant="m",
                condition="model",
                solver="model",
                problem=f"cvdp/{number}",
                family=f"cvdp/{number}",
                kind="design",
                category=("cid003", "cid016")[number % 2],
                passed=number == 0 and sample == 0,
                outcome="passed" if number == 0 and sample == 0 else "failed",
                score=float(number == 0 and sample == 0),
            ),
            (),
            {},
            "" if number == 0 and sample == 0 else causes[number % 2],
        )
        for number in range(8)
        for sample in range(2)
    ]
    return Dataset(attempts, {}, is_problem_kept={f"cvdp/{number}": number < 2 for number in range(8)})


DATASETS = {"CVDP": _cvdp, "QuArch": _quarch, "CS-Bench": _csbench}
_MODEL, _LARGE, _S = "model: m", "model: large", "model: {} (en, zero-shot)"

Path_ = tuple[object, ...]
VALUES: Mapping[tuple[str, str], Mapping[Path_, object]] = {
    ("CVDP", "success.category"): {(_MODEL, 0, "passed", "value"): 1 / 8, (_MODEL, 1, "passed", "value"): 0.0},
    # One of two passed at one problem of eight.
    ("CVDP", "models.models"): {(_MODEL, "pass@1", "estimate", "unbiased", "value"): 1 / 16},
    ("CVDP", "failures.groups"): {(0, "attempts"): 8, (1, "attempts"): 7},
    ("CVDP", "failures.by_category"): {
        (0,): {"category": "cid003", "group": _MODEL, "attempts": [0, 7]},
        (1,): {"category": "cid016", "group": _MODEL, "attempts": [8, 0]},
    },
    ("CVDP", "failures-messages"): {(): 15},
    ("CVDP", "filtered.before"): {((_MODEL, "cid003"),): 1 / 8, ((_MODEL, "all"),): 1 / 16},
    # Of the two that are left, 0 and 1, half of the first's samples passed.
    ("CVDP", "filtered.after"): {((_MODEL, "cid003"),): 1 / 2, ((_MODEL, "all"),): 1 / 4},
    ("QuArch", "profile.skill"): {((_LARGE, "recall"),): 1.0, ((_LARGE, "reasoning"),): 0.5},
    ("QuArch", "profile.topic"): {((_LARGE, "Caches"),): 1.0, ((_LARGE, "Buses"),): 0.0},
    ("QuArch", "profile.topic_and_skill"): {
        ((f"Caches, {_LARGE}", "analyze"),): 1.0,
        ((f"Buses, {_LARGE}", "analyze"),): 0.0,
    },
    ("QuArch", "question-forms.forms"): {
        ((_LARGE, "image, free response"),): 1.0,
        ((_LARGE, "text, free response"),): 0.5,
    },
    ("QuArch", "grades.grades"): {((_LARGE, "correct"),): 2 / 3, ((_LARGE, "incorrect"),): 1 / 3},
    ("QuArch", "grades.tie_breaks"): {((_LARGE, "a third vote is needed"),): 1 / 3},
    ("QuArch", "generations.generations"): {((_LARGE, "generation 1"),): 2 / 3},
    ("QuArch", "generations.pass_at_1"): {((_LARGE, "k = 2"),): 2 / 3},
    ("QuArch", "grading-difficulty.disagreement"): {(("2", "judges against people"),): 1 / 4},
    ("QuArch", "model-pairs.differences"): {
        (("largest – smallest: large – small (form unknown)", "all"),): 2 / 3,
        (("largest – smallest: large – small (form unknown)", "analyze"),): 1 / 2,
    },
    ("CS-Bench", "domains.domain"): {
        ("all", (_S.format("s3"), "Computer Network")): 3 / 4,
        ("Knowledge", (_S.format("s3"), "Computer Network")): 1.0,
        ("Reasoning", (_S.format("s3"), "Computer Network")): 1 / 2,
    },
    ("CS-Bench", "domains.format"): {("all", (_S.format("s2"), "multiple-choice")): 1 / 2},
    ("CS-Bench", "domains.subfield"): {("Computer Network", (_S.format("s2"), "Bus")): 1 / 2},
    ("CS-Bench", "model-pairs.differences"): {
        (("expert – base: coder – s1 (en, zero-shot)", "all"),): 3 / 4 - 1 / 4,
        (("largest – smallest: s4 – s1 (en, zero-shot)", "all"),): 1 - 1 / 4,
    },
    ("CS-Bench", "tokens"): {
        (_S.format("s1"), "received"): (10 + 20 + 30 + 40) / 4,
        (_S.format("s1"), "reasoning"): (0 + 1 + 2 + 3) / 4,
    },
    ("CS-Bench", "settings.scores"): {(("model: s1 (en)", "zero-shot"),): 1 / 4, (("model: s1 (en)", "5-shot"),): 1.0},
    ("CS-Bench", "settings.differences"): {("model: s1 (en)", "5-shot", "value"): 3 / 4},
    ("CS-Bench", "error-types.shares"): {(("reasoning, model: wrong (en, 5-shot, steps)", "calculation"),): 1.0},
    ("CS-Bench", "other-benchmarks"): {("en, zero-shot", "MMLU", "pearson", "value"): 1.0},
    # The scores of 1, 10 and 100 are on a line over the logarithm, whose next point is 1.
    ("CS-Bench", "scale.predictions"): {("S (en, zero-shot)", 0, "by_line", "value"): 1.0},
    ("CS-Bench", "judges-compared.pairs"): {(0, "judges", 0, "agreement", "value"): 1 / 2},
    ("CS-Bench", "languages.differences"): {(("model: s2, zero-shot", "de – en, all"),): 1 / 4 - 2 / 4},
}
"""(paper, what the list says) → place in it → value."""

OUTPUTS = {
    "benchwright problems statistics": "tests/unit/authoring/test_pack_statistics.py",
    "benchwright problems check": "tests/integration/test_pack_check.py",
    "benchwright problems audit": "tests/integration/test_problem_audit.py",
    "benchwright problems filter": "tests/integration/test_problem_audit.py",
    "benchwright problems convert": "tests/unit/problems/test_conversion.py",
    "benchwright problems label": "tests/integration/test_label_command.py",
    "benchwright grade": "tests/integration/test_many_answers.py",
    "benchwright eval reflect": "tests/integration/test_eval_reflect.py",
    "benchwright questions generate": "tests/unit/authoring/test_generation.py",
    "benchwright questions from-exam": "tests/integration/test_exam_papers.py",
    "benchwright questions review": "tests/unit/authoring/test_reviews.py",
    "benchwright serve": "tests/integration/test_course_questions.py",
    "benchwright judge agreement": "below",
}
"""What a command prints or writes → the test that compares it with values made by hand."""


SECTIONS: Mapping[str, Sequence[Callable[[Dataset], Section | None]]] = {
    "CVDP": (success_section, models_section, failing_section, filtered_section),
    "QuArch": (
        skills_and_topics_section,
        question_forms_section,
        judge_grades_section,
        repeated_answers_section,
        grading_difficulty_section,
        model_pairs_section,
    ),
    "CS-Bench": (
        domains_section,
        model_pairs_section,
        tokens_and_score_section,
        asking_ways_section,
        error_types,
        other_benchmarks_section,
        model_size_section,
        judges_compared_section,
        languages_section,
    ),
}


@cache
def sections(paper: str) -> Mapping[str, Section]:
    dataset = DATASETS[paper]()
    made = (make(dataset) for make in SECTIONS[paper])
    return {section.id: section for section in made if section is not None}


def _at(json_numbers: object, value_place: Path_) -> object:
    """The value at a place: a field, an index, or the row and column of a number."""
    for step in value_place:
        if isinstance(step, tuple):
            assert isinstance(json_numbers, list)
            cells = {(cell["row"], cell["column"]): cell["value"] for cell in json_numbers}
            assert step in cells, f"{step} is not one of {list(cells)}"
            json_numbers = cells[step]
        else:
            assert isinstance(json_numbers, list | dict), (step, json_numbers)
            fields = dict(enumerate(json_numbers)) if isinstance(json_numbers, list) else json_numbers
            assert step in fields, f"{step} is not one of {list(fields)}"
            json_numbers = fields[step]
    return json_numbers


def test_every_row_has_a_command_or_says_why_not() -> None:
    assert {list_row.paper for list_row in ROWS} == set(PAPERS)
    for list_row in ROWS:
        reason = list_row.command.removeprefix("not made: ")
        assert list_row.commands or (reason != list_row.command and len(reason) > 20), list_row


@pytest.mark.parametrize("command", sorted({command for list_row in MADE for command in list_row.commands}))
def test_a_command_of_the_list_is_one_that_benchwright_takes(command: str) -> None:
    """The reference of the command line is made from the commands; a test of its own compares both."""
    reference = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    sections_by_name = dict(re.findall(r"^## (benchwright [^\n]+)\n(.*?)(?=^## |\Z)", reference, re.M | re.S))
    name = max((name for name in sections_by_name if f"{command} ".startswith(f"{name} ")), key=len)
    options = {
        match[1]: match[2] for match in re.finditer(r"^\| `(--[a-z-]+)[^`]*` \| (.*)$", sections_by_name[name], re.M)
    }
    given = {word for word in shlex.split(command) if word.startswith("--")}
    assert given <= options.keys(), f"{name} has no {given - options.keys()}"
    required = {option for option, meaning in options.items() if "Required." in meaning}
    assert required <= given, f"{command} lacks {required - given}"


@pytest.mark.parametrize(("list_row", "shown"), SHOWN, ids=[f"{list_row.paper}-{shown}" for list_row, shown in SHOWN])
def test_a_number_of_the_list_is_the_one_worked_out_by_hand(list_row: Row, shown: str) -> None:
    made = sections(list_row.paper)
    if list_row.shown_as.startswith("picture"):
        pictures = {picture.id: picture for section in made.values() for picture in section.pictures}
        marks = re.search(r"A mark for each of (\d+)", pictures[shown].alt)
        assert marks is not None and int(marks[1]) == VALUES[list_row.paper, shown][()]
        return
    section, _, field = shown.partition(".")
    json_numbers = json_value(made[section].numbers)
    if field and isinstance(json_numbers, dict) and field in json_numbers:
        json_numbers = json_numbers[field]
    for value_place, value in VALUES[list_row.paper, shown].items():
        actual = _at(json_numbers, value_place)
        assert actual == (pytest.approx(value) if isinstance(value, float) else value), (shown, value_place)


def test_every_output_is_compared_by_a_test_that_runs_its_command() -> None:
    for list_row in MADE:
        if list_row.shown_as == "output":
            for command in list_row.commands:
                (file,) = {OUTPUTS[name] for name in OUTPUTS if command.startswith(name)}
                assert file == "below" or any(
                    isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
                    for node in ast.parse((ROOT / file).read_text(encoding="utf-8")).body
                ), (list_row, file)
    assert set(VALUES) == {(list_row.paper, shown) for list_row, shown in SHOWN}


def test_agreement_with_experts_is_a_percentage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    votes_file = tmp_path / "votes.jsonl"
    common = {"problem": "p/1", "format": "free-response"}
    # 39 of 43 agree: 90.7 %.
    votes_file.write_text(
        "\n".join(
            json.dumps({**common, "item": f"a{number}", "judge": judge, "kind": kind, "label": label})
            for number in range(43)
            for judge, kind, label in (
                ("e", "person", "correct"),
                ("m", "model", "correct" if number < 39 else "incorrect"),
            )
        )
    )
    run = CliRunner().invoke(
        app_with_commands(),
        ["judge", "agreement", "--votes", str(votes_file), "--resamples", "100"],
        catch_exceptions=False,
    )
    assert run.exit_code == 0, run.output
    assert "39/43 = 90.7 %" in run.output
