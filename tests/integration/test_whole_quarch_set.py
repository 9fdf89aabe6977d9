"""A set of QuArch's layout: imported, labelled, asked twice with and without pictures, judged by three, and reported.

Every number that is expected of the report is made from who answers what by arithmetic of this file.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from typer.testing import CliRunner

from benchwright_server.cli.app import app_with_commands

from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content, says

WHOLE = 2_671
TOPICS = ("Memory Systems", "Interconnection Networks", "Processor Architecture", "Storage")
SKILLS = ("recall", "analyze", "design", "implement")
WRONG_EVERY = {"large": 5, "small": 2}
JUDGES = ("ja", "jb", "jc")
SAMPLES = 2
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""One pixel."""
_NUMBER = re.compile(r"unit (\d+)\b")


@pytest.fixture(scope="module")
def questions() -> range:
    return range(1, WHOLE + 1)


# The set.


def is_free(number: int) -> bool:
    return number % 3 == 0


def has_picture(number: int) -> bool:
    return number % 4 < 2


def topic(number: int) -> str:
    return TOPICS[number // 2 % 4]


def skill(number: int) -> str:
    return SKILLS[number // 3 % 4]


def name(number: int) -> str:
    return f"exam-{number}" if is_free(number) else f"mcq-{number}"


def right_letter(number: int) -> str:
    return "ABCD"[number % 4]


def write_set(folder: Path, questions: range) -> None:
    folder.mkdir()
    (folder / "figure.png").write_bytes(PICTURE)
    choice_records, free_records = [], []
    for number in questions:
        question = f"Which value does unit {number} hold?" + (" ![unit](figure.png)" if has_picture(number) else "")
        if is_free(number):
            solution_fields = {
                "context": "",
                "context_figures": [],
                "solution": f"It holds {number}.",
                "solution_figures": [],
            }
            verification_fields = {"passed_llm_verification": True, "reasoning": "", "passed_human_verification": True}
            free_records.append(
                {"question_id": name(number), "question": question} | solution_fields | verification_fields
            )
        else:
            options = [f"{number} plus {step}" for step in range(4)]
            record: dict[str, Any] = {"question_id": number, "question": question, "options": options}
            record["answer"] = right_letter(number)
            choice_records.append(record | {"difficulty": "EASY", "topic": topic(number)})
    (folder / "mcq.jsonl").write_text("".join(json.dumps(choice) + "\n" for choice in choice_records))
    (folder / "frq.json").write_text(json.dumps(free_records))


# Who answers what.


def is_right(model: str, number: int, sample: int) -> bool:
    return (number + sample) % WRONG_EVERY[model] != 0


def labels(number: int, *, is_correct: bool) -> tuple[str, str, str]:
    """The votes on a free response; those of every fifth differ at first."""
    if number % 5 == 0:
        return ("correct", "incorrect", "correct") if is_correct else ("partially correct", "incorrect", "incorrect")
    return ("correct",) * 3 if is_correct else ("incorrect",) * 3


def is_key_itself(number: int) -> bool:
    """True if right answers to it are the reference word for word, so that no judge is asked."""
    return number % 7 == 0


class World:
    """Plays the models, the judges and the labellers."""

    def __init__(self) -> None:
        self._sample_counts: dict[tuple[str, int], int] = {}

    def play(self, request: JudgeRequest) -> PlayedReply:
        messages_text = json.dumps(request.body["messages"], ensure_ascii=False)
        model, number = str(request.body["model"]), int(_NUMBER.findall(messages_text)[-1])
        if model in WRONG_EVERY:
            sample = self._sample_counts[model, number] = self._sample_counts.get((model, number), 0) + 1
            return content(self._reply(number, is_correct=is_right(model, number, sample)))
        if "by the one skill" in messages_text:
            return content(json.dumps({"reason": "It is.", "skill": skill(number)}))
        is_correct = f"has {number} as told" in messages_text
        return says(labels(number, is_correct=is_correct)[JUDGES.index(model)])

    @staticmethod
    def _reply(number: int, *, is_correct: bool) -> str:
        if is_free(number):
            explanation = f"After the reset the register has {number} as told, which no clock changes."
            return (
                (f"It holds {number}." if is_key_itself(number) else explanation)
                if is_correct
                else "It loses all of that."
            )
        letter = right_letter(number) if is_correct else "ABCD"[(number + 1) % 4]
        return f"The answer is {letter}."


def run(*arguments: str) -> Any:
    cli_run = CliRunner().invoke(app_with_commands(), [*arguments], catch_exceptions=False)
    assert cli_run.exit_code == 0, cli_run.output
    return json.loads(cli_run.stdout) if "--json" in arguments else cli_run.stdout


def values(figures: Iterable[dict[str, Any]]) -> dict[tuple[str, str], float]:
    return {(figure["row"], figure["column"]): figure["value"] for figure in figures}


def group_name(model: str) -> str:
    return f"model: openai-api/local/{model}"


@pytest.mark.nightly
def test_a_whole_set_is_labelled_asked_twice_judged_and_reported(
    tmp_path: Path, questions: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    monkeypatch.delenv("BENCHWRIGHT_JUDGE_URL", raising=False)
    write_set(tmp_path / "quarch", questions)
    with JudgeEndpoint(World().play) as endpoint:
        (tmp_path / "home" / "config").mkdir(parents=True)
        lines = [f'[[judge]]\nname = "{judge}"\nbase_url = "{endpoint.url}"\nmodel = "{judge}"\n' for judge in JUDGES]
        (tmp_path / "home" / "config" / "judges.toml").write_text("".join(lines))
        run("problems", "import", "quarch", "quarch/mcq.jsonl", "quarch/frq.json", "--pack", "q")
        labelled = run("problems", "label", "q", "--only", "skill", "--json")
        assert labelled["labelled"] == {"skill": len(questions)}
        for model in WRONG_EVERY:
            model_options = (
                "--model",
                f"openai-api/local/{model}",
                "--base-url",
                endpoint.url,
                "--samples",
                str(SAMPLES),
            )
            summary = run("eval", "--pack", "q", *model_options, "--jobs", "1", "--out", f"runs/{model}", "--json")
            right_count = sum(is_right(model, number, sample + 1) for number in questions for sample in range(SAMPLES))
            assert (summary["samples"], summary["undecided"]) == (SAMPLES * len(questions), 0)
            assert summary["passed"] == right_count
    run("report", "--out", "report", "--no-events")
    sections = json.loads((tmp_path / "report" / "report.json").read_text())["sections"]
    check_profile(sections, questions)
    check_forms(sections, questions)
    check_grades(sections, questions)
    check_generations(sections, questions)


def mean(model: str, numbers: Iterable[int]) -> float:
    return fmean(is_right(model, number, sample + 1) for number in numbers for sample in range(SAMPLES))


def check_profile(sections: dict[str, Any], questions: range) -> None:
    """Skills by model, with those that need reasoning together, and topics."""
    numbers = sections["profile"]["numbers"]
    skills, topics = values(numbers["skill"]), values(numbers["topic"])
    for model in WRONG_EVERY:
        for label in SKILLS:
            subset = [number for number in questions if skill(number) == label]
            assert skills[group_name(model), label] == pytest.approx(mean(model, subset)), label
        reasoning = [number for number in questions if skill(number) != "recall"]
        assert skills[group_name(model), "reasoning"] == pytest.approx(mean(model, reasoning))
        for label in TOPICS:
            subset = [number for number in questions if not is_free(number) and topic(number) == label]
            assert topics[group_name(model), label] == pytest.approx(mean(model, subset)), label
        # Free responses of QuArch have no topic.
        untold = [number for number in questions if is_free(number)]
        assert topics[group_name(model), "Computer Architecture"] == pytest.approx(mean(model, untold))


def check_forms(sections: dict[str, Any], questions: range) -> None:
    """Table 6."""
    scores = values(sections["question-forms"]["numbers"]["forms"])
    for model in WRONG_EVERY:
        for medium, is_pictured in (("text", False), ("image", True)):
            for form, is_free_form in (("multiple choice", False), ("free response", True)):
                subset = [
                    number
                    for number in questions
                    if (has_picture(number), is_free(number)) == (is_pictured, is_free_form)
                ]
                assert scores[group_name(model), f"{medium}, {form}"] == pytest.approx(mean(model, subset)), (
                    medium,
                    form,
                )


def check_grades(sections: dict[str, Any], questions: range) -> None:
    """Table 7, and the share of first two votes that differ."""
    numbers = sections["grades"]["numbers"]
    grade_shares, ties = values(numbers["grades"]), values(numbers["tie_breaks"])
    free_numbers = [number for number in questions if is_free(number)]
    for model in WRONG_EVERY:
        rights = [(number, is_right(model, number, sample + 1)) for number in free_numbers for sample in range(SAMPLES)]
        all_votes = [
            ("correct",) * 3 if is_correct and is_key_itself(number) else labels(number, is_correct=is_correct)
            for number, is_correct in rights
        ]
        for grade in ("correct", "incorrect"):
            share = fmean(sum(vote == grade for vote in votes) >= 2 for votes in all_votes)
            assert grade_shares[group_name(model), grade] == pytest.approx(share), grade
        assert not any(
            row == group_name(model) and value for (row, column), value in grade_shares.items() if "no answer" in column
        )
        # Each question counts alike, whatever number of its answers needed a judge.
        voted: dict[int, list[tuple[str, str, str]]] = {}
        for answer_votes, (number, is_correct) in zip(all_votes, rights, strict=True):
            if not (is_correct and is_key_itself(number)):
                voted.setdefault(number, []).append(answer_votes)
        differ = fmean(fmean(triple[0] != triple[1] for triple in triples) for triples in voted.values())
        assert ties[group_name(model), "a third vote is needed"] == pytest.approx(differ)
        apart = fmean(
            fmean((triple[0] == "correct") != (triple[1] == "correct") for triple in triples)
            for triples in voted.values()
        )
        assert ties[group_name(model), "differ on right or not right"] == pytest.approx(apart)


def check_generations(sections: dict[str, Any], questions: range) -> None:
    numbers = sections["generations"]["numbers"]
    by_generation, pass_rates = values(numbers["generations"]), values(numbers["pass_at_1"])
    of_sample: Callable[[str, int], float] = lambda model, sample: fmean(  # noqa: E731
        is_right(model, number, sample) for number in questions
    )
    for model in WRONG_EVERY:
        for sample in (1, 2):
            assert by_generation[group_name(model), f"generation {sample}"] == pytest.approx(of_sample(model, sample))
        assert pass_rates[group_name(model), "k = 2"] == pytest.approx(mean(model, questions))
