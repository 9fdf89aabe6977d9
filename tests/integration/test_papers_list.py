"""The list of the papers' tables: each command is run as the list has it, and each value is one worked out by hand."""

from __future__ import annotations

import ast
import base64
import csv
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from ..support.packs.papers_bench import Bench, bench
from ..support.service.judge_endpoint import JudgeRequest, PlayedReply, content, echoes, says

ROOT = Path(__file__).parents[2]
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

    @property
    def shown(self) -> list[str]:
        """Fields of the report that it names; the subject if its command prints or writes it."""
        return re.findall(r"`([^`]+)`", self.shown_as) or [self.subject]


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
COURSE_QUESTIONS = "test_two_models_are_wrong_two_reviewers_accept_and_the_pack_has_it"
TAKEDOWN = "test_an_author_asks_staff_take_it_down_and_only_its_number_day_and_kind_of_reason_remain"
EXAM = "test_questions_become_unfinished_ones_of_their_author_and_a_lost_one_is_named"
AGENT_IMAGE = "test_an_agent_of_the_template_works_on_designs_which_are_graded"
ELSEWHERE = {
    "benchwright toolchain list": {"test_newer_cocotb.py": "test_both_versions_are_listed"},
    "benchwright serve": {
        "test_course_questions.py": COURSE_QUESTIONS,
        "test_question_takedowns.py": TAKEDOWN,
        "test_exams_at_service.py": EXAM,
    },
    "benchwright eval agent-image my-agent --pack cvdp --out work": {"test_agent_image.py": AGENT_IMAGE},
    "benchwright grade cvdp --responses work/answers.jsonl --solver my-agent --out graded": {
        "test_agent_image.py": AGENT_IMAGE
    },
}
"""Commands that take more than a played model, such as a service or a Docker engine → files and their tests of them."""


def grade_as_person(world: Bench, label_of: Callable[[str], str]) -> None:
    """Grade all answers in a sheet, each of medium difficulty."""
    world.run("benchwright judge sheet export sheet.csv --as ada --all")
    sheet = world.folder / "sheet.csv"
    sheet_rows = list(csv.DictReader(sheet.read_text().splitlines()))
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, sheet_rows[0])
        writer.writeheader()
        writer.writerows(row | {"label": label_of(row["answer"]), "difficulty": "2"} for row in sheet_rows)
    world.run("benchwright judge sheet import sheet.csv --as ada --all")


Outputs = Mapping[str, Any]
"""Subject of a row, or section of the report → values."""


# CVDP: four designs of two categories with four answers each, of which one passes, and a question.

CAUSES = ("The reset clears the pointer one cycle late.", "The output width truncates the carry of the adder.")
ASPECTS = ("ambiguity", "consistency", "category", "behaviour")


def cvdp_reply(request: JudgeRequest) -> PlayedReply:
    text = json.dumps(request.body.get("messages", ""))
    if "input" in request.body:
        vectors = [[1.0, 0.0] if "reset" in failure else [0.0, 1.0] for failure in request.body["input"]]
        embeddings = [{"index": number, "embedding": vector} for number, vector in enumerate(vectors)]
        return PlayedReply(json.dumps({"data": embeddings}).encode(), headers={"Content-Type": "application/json"})
    if request.body["model"] == "gpt-4o":
        return content(CAUSES["Task 1" in text or "Task 3" in text])
    if request.system.startswith("You name a kind of failure"):
        return content(json.dumps({"name": "late reset" if "reset" in request.user else "narrow carry"}))
    if request.system.startswith("You review a hardware-design"):
        points = dict.fromkeys(ASPECTS, 9)
        if "Task 2" in text or "Task 3" in text:
            # (9 + 9 + 9 + 4) / 4 is below 8.0, with 5 it is 8.0.
            points["ambiguity"] = 5 if "Task 3" in text else 4
        return content(json.dumps({name: {"finding": "It is so.", "points": value} for name, value in points.items()}))
    return says(8)


def design_record(number: int) -> dict[str, Any]:
    command = "grep -q right /code/rtl/a.sv"
    return {
        "id": f"d{number}",
        "categories": [("cid003", "cid016")[number % 2], "easy"],
        "input": {"prompt": f"Task {number}.", "context": {}},
        "output": {"response": "", "context": {"rtl/a.sv": "module right; endmodule\n"}},
        "harness": {"files": {"docker-compose.yml": f"services: {{a: {{image: i, command: [sh, -c, '{command}']}}}}"}},
    }


QUESTION_RECORD = {
    "id": "q4",
    "categories": ["cid009", "easy"],
    "input": {"prompt": "What does it do?", "context": {}},
    "output": {"response": "It adds two numbers.", "context": {}},
    "harness": {"files": {}},
}
TEXT_RECORD = QUESTION_RECORD | {
    "id": "t5",
    "categories": ["cid006", "easy"],
    "input": {"prompt": "Which line does it?", "context": {}},
    "output": {"response": "It adds two small numbers", "context": {}},
}


def run_cvdp(world: Bench) -> Outputs:
    world.set_judges("ja", extra_lines=["[embeddings]", f'base_url = "{world.url}"', 'model = "e"'])
    world.write_lines("set.jsonl", [*map(design_record, range(4)), QUESTION_RECORD, TEXT_RECORD])
    answer_rows = [
        {"id": f"d{number}", "files": {"rtl/a.sv": "module right;\n" if number == sample == 0 else "module wrong;\n"}}
        for number in range(4)
        for sample in range(4)
    ]
    answer_rows += [{"id": "q4", "response": "It adds."}, {"id": "t5", "response": "It adds two big numbers"}]
    world.write_lines("answers.jsonl", answer_rows)
    world.run("benchwright problems import cvdp set.jsonl --pack cvdp")
    statistics = world.run_listed("benchwright problems statistics cvdp --encoding cl100k_base", "--json")
    check = world.run_listed("benchwright problems check cvdp", "--json", status=1)
    grade = world.run_listed(
        "benchwright grade cvdp --responses answers.jsonl --out graded", "--solver openai/gpt-4o --json"
    )
    graded = world.folder / "graded"
    reflections = world.run_listed(
        "benchwright eval reflect --pack cvdp --model openai/gpt-4o", f"--base-url {world.url} --out out --json"
    )
    audit = world.run_listed("benchwright problems audit cvdp --rule aggregate", "--json", status=1)
    world.run_listed("benchwright problems filter cvdp good.jsonl --rule aggregate")
    filtered_names = [json.loads(line)["id"] for line in (world.folder / "good.jsonl").read_text().splitlines()]
    shares = world.run_listed("benchwright problems filter cvdp good.jsonl --rule aggregate --json")
    world.run_listed("benchwright problems convert cvdp out.jsonl --to agentic")
    converted = [json.loads(line) for line in (world.folder / "out.jsonl").read_text().splitlines()]
    sections = world.report(
        "benchwright report --out report",
        "benchwright report --out report --embeddings --name-failures",
        "benchwright report --out report --embeddings",
        "benchwright report --out report --filtered good-audit.csv",
    )
    return {
        **sections,
        "table 1: problems and tokens by category": {group["name"]: group for group in statistics["groups"]},
        "both sides of each problem: reference passes, start fails": {row["id"]: row for row in check["problems"]},
        "comprehension: BLEU, ROUGE and a judge's score": [
            json.loads(line) for line in (graded / "verdicts.jsonl").read_text().splitlines()
        ],
        "`raw_result.json`, `report.json`, `report.txt`, composite report": {
            "raw": json.loads((graded / "sample_1" / "raw_result.json").read_text()),
            "report": json.loads((graded / "sample_1" / "report.json").read_text()),
            "text": (graded / "sample_1" / "report.txt").read_text(),
            "composite": json.loads((graded / "composite_report.json").read_text()),
            "summary": grade,
        },
        "reflections on failures (algorithm 1)": reflections,
        "quality judge, four aspects": {row["problem"]: row for row in audit},
        "filter: the aggregate reaches 8.0": filtered_names,
        "table 6: share filtered by category": shares,
        "agentic form from the non-agentic and back": converted,
    }


# QuArch: three questions, two models, two answers to each; recall is right, and one of two analyses.

PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SKILLS = {"unit 1": "recall", "unit 2": "analyze", "unit 3": "analyze"}
TOPICS = {"unit 1": "Memory Systems", "unit 2": "Memory Systems", "unit 3": "Interconnection Networks"}
DRAFT = {
    "topic": "Eviction of lines",
    "sentence": "On eviction, a write-back cache first writes a line to memory if its ____ is set.",
    "answer": "dirty bit",
    "distractors": ["valid bit", "parity bit", "reference bit"],
    "explanation": "Only changed lines differ from memory.",
    "quote": "When a line whose dirty bit is set is evicted, its content is written to memory first",
}
CACHES = """# Caches

A write-back cache keeps a dirty bit for each line. When a line whose dirty bit is set is evicted, its content
is written to memory first; a clean line is simply dropped. A write-through cache sends each store on at once,
so its lines are never dirty and an eviction needs no write at all.
"""
"""A passage; `DRAFT` is a question about it."""


class QuarchModels:
    """Plays the judges of free responses, the labeller, the writer of questions, and the one who sorts an exam."""

    def __init__(self) -> None:
        self._vote_counts: dict[str, int] = {}

    def __call__(self, request: JudgeRequest) -> PlayedReply:
        name, text = request.body["model"], request.user
        unit = next((unit for unit in reversed(SKILLS) if unit in text), "")
        if '"types"' in request.system:
            types = ["usual value"] if "wrong answer 3" in text else ["lost state"]
            return content(json.dumps({"reason": "It is.", "types": types}))
        if name == "writer":
            return content(json.dumps(DRAFT))
        if name == "filter":
            return content(json.dumps(self._opinion(request)))
        if name == "sorter" and request.system.startswith("You are shown the lines"):
            return content(json.dumps({"ranges": EXAM_RANGES}))
        if name == "sorter":
            complete = "How many" in text
            return content(json.dumps({"problem": "" if complete else "A figure is missing.", "complete": complete}))
        if "by the one skill" in request.system:
            return content(json.dumps({"reason": "It is.", "skill": SKILLS[unit]}))
        if "how hard" in request.system:
            return content(json.dumps({"reason": "It is.", "difficulty": "easy"}))
        if "by topic" in request.system:
            listed = [line[2:].partition(":")[0] for line in request.system.splitlines() if line.startswith("- ")]
            second = next(topic for topic in listed if topic != TOPICS[unit])
            first = {"first": TOPICS[unit], "first_reason": "It is."}
            return content(json.dumps({**first, "second": second, "second_reason": "Nearly."}))
        if "right answer" in text:
            return says("correct")
        answer = re.findall(r"wrong answer (\d+)", text)[-1]
        self._vote_counts[answer] = self._vote_counts.get(answer, 0) + 1
        # The first two differ.
        return says("partially correct" if self._vote_counts[answer] == 2 else "incorrect")

    @staticmethod
    def _opinion(request: JudgeRequest) -> dict[str, Any]:
        if "You review" in request.system:
            checks = ("one_right", "relevant", "self_contained", "factual")
            return {check: {"reason": "So it is.", "holds": True} for check in checks}
        block = request.user.partition("BEGIN QUESTION ")[2].partition("\n")[2].partition("\nEND QUESTION")[0]
        options = json.loads(block)["options"]
        return {"reason": "It says so.", "answer": next(k for k, text in options.items() if text == DRAFT["answer"])}


EXAM_LINES = (
    "Question 1. [4 points]",
    "How many bits does the counter need?",
    "Question 2. [6 points]",
    "Which is it?",
)
EXAM_RANGES = [
    {
        "first": f"p1-{2 * number - 1}",
        "last": f"p1-{2 * number}",
        "begins": EXAM_LINES[2 * number - 2],
        "role": "question",
        "item": str(number),
    }
    for number in (1, 2)
]


def write_labels(file: Path, labelled_answers: str, *names: str) -> None:
    """A set of labels with the name of its file."""
    label_tables = "".join(f'[[label]]\nname = "{name}"\nmeaning = "It is so."\n' for name in names)
    file.write_text(f'name = "{file.stem}"\nanswers = "{labelled_answers}"\n{label_tables}')


def write_exam(file: Path) -> None:
    """Two questions."""
    canvas = Canvas(str(file), invariant=True)
    for number, text in enumerate(EXAM_LINES):
        canvas.drawString(72, 760 - 40 * number, text)
    canvas.save()


def run_quarch(world: Bench) -> Outputs:
    world.set_judges("ja", "jb", "jc", "writer", "filter", "sorter")
    (world.folder / "figure.png").write_bytes(PICTURE)
    free_records = [
        {
            "question_id": f"p{number}",
            "context": "",
            "context_figures": [],
            "question": f"Work out what unit {number} holds." + (" ![unit](figure.png)" if number == 1 else ""),
            "solution": f"It holds {number} after the reset.",
            "solution_figures": [],
        }
        for number in (1, 2, 3)
    ]
    (world.folder / "exams.json").write_text(json.dumps(free_records))
    world.run("benchwright problems import quarch exams.json --pack quarch")
    label_result = world.run_listed("benchwright problems label quarch", "--json")
    for solver in ("small", "large"):
        model_answers = [
            {
                "id": f"p{n}",
                "response": "The right answer." if solver == "large" and n < 3 else f"A wrong answer {n}{s}.",
            }
            for n in (1, 2, 3)
            for s in (1, 2)
        ]
        world.write_lines(f"{solver}.jsonl", model_answers)
        world.run(f"benchwright grade quarch --responses {solver}.jsonl --solver {solver}")
    # Of twelve answers, a person calls two right that the judges call wrong.
    grade_as_person(
        world, lambda answer: "correct" if "right answer" in answer or "answer 31" in answer else "incorrect"
    )
    # 39 of 43 agree: 90.7 %.
    votes = [
        {"problem": "p/1", "format": "free-response", "item": f"a{n}", "judge": judge, "kind": kind, "label": label}
        for n in range(43)
        for judge, kind, label in (("e", "person", "correct"), ("m", "model", "correct" if n < 39 else "incorrect"))
    ]
    world.write_lines("votes.jsonl", votes)
    agreement = world.run_listed("benchwright judge agreement", "--votes votes.jsonl --resamples 100")
    (world.folder / "models.csv").write_text("model,family,parameters_b\nsmall,F,1\nlarge,F,70\n")
    write_labels(world.folder / "modes.toml", "all", "lost state", "usual value")
    error_types = "benchwright judge error-types quarch --labels modes.toml"
    world.run_listed(error_types, "--json")
    world.run(f"{error_types} --sheet errors.csv")
    sheet_rows = list(csv.DictReader((world.folder / "errors.csv").read_text().splitlines()))
    # A person finds what the judges found in the answers of large, and something else in one of small.
    corrected = {
        "A wrong answer 31.": "usual value",
        "A wrong answer 32.": "usual value",
        "A wrong answer 11.": "other",
    }
    corrected_lines = [f"{row['attempt']},{corrected.get(row['reply'].strip(), '')}" for row in sheet_rows]
    (world.folder / "errors.csv").write_text("\n".join(["attempt,corrected", *corrected_lines, ""]))
    world.run_listed(f"{error_types} --corrections errors.csv --as NAME")
    sections = world.report(
        "benchwright report --out report", "benchwright report --out report --model-facts models.csv"
    )
    (world.folder / "documents").mkdir()
    (world.folder / "documents" / "caches.md").write_text(CACHES)
    world.run_listed("benchwright questions generate documents/ --out generated --model writer --judge filter")
    generated = json.loads((world.folder / "generated" / "generated.json").read_text())
    world.run_listed("benchwright questions review generated/ --reviewer NAME", typed=("A", *("y",) * 9))
    (review_file,) = (world.folder / "generated" / "reviews").rglob("*.json")
    write_exam(world.folder / "midterm.pdf")
    world.run_listed("benchwright questions from-exam midterm.pdf --out midterm")
    exam = json.loads((world.folder / "midterm" / "items.json").read_text())
    world.run_listed("benchwright questions from-exam midterm.pdf --out midterm --model sorter", status=1)
    verified = json.loads((world.folder / "midterm" / "items.json").read_text())
    return {
        **sections,
        "cloze multiple-choice questions of documents, filtered by a second model": generated,
        "questions of exams: text, figures, context, solution": exam["items"],
        "`passed_llm_verification` and its `reasoning` (D.10)": verified["items"],
        "experts accept or return questions": json.loads(review_file.read_text()),
        "labels of skill and topic, and how far they agree": label_result,
        "agreement of judges with experts in percent (90.7 % in the paper)": re.findall(r"39/43 = [\d.]+ %", agreement)[
            0
        ],
    }


# CS-Bench: four questions in two languages, an open-ended one, and models that are right at the first so many.

SIZES = {"s1": 1, "s2": 10, "s3": 100, "s4": 1000}


def csbench_record(number: int, language: str) -> dict[str, Any]:
    """The question of this number, 1 to 4, or the open-ended one, 5. A translation has the same number."""
    question = {"English": "What is in register {0}?", "German": "Was ist in Register {0}?"}[language]
    record: dict[str, Any] = {
        "ID": number,
        "Split": "Test",
        "Domain": "Computer Network",
        "SubDomain": "Physical Layer",
        "Format": "Open-ended" if number == 5 else "Multiple-choice",
        "Tag": ("Reasoning", "Knowledge")[number % 2],
        "Language": language,
        "Question": question.format(number),
    }
    if number == 5:
        return record | {"Answer": "It holds 5 because of the reset.", "Explanation": None}
    return record | {letter: f"{number} + {step}" for step, letter in enumerate("ABCD")} | {"Answer": "B"}


def csbench_reply(request: JudgeRequest) -> PlayedReply:
    if "prompt" in request.body:
        return echoes(request.body["prompt"], [None, math.log(1 / 2), math.log(1 / 8), -0.1])
    text = json.dumps(request.body["messages"])
    if request.body["model"] == "gpt-4o":
        return aided_reply(request)
    if request.body["model"] == "thinker":
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        details = {"completion_tokens_details": {"reasoning_tokens": 5}}
        completion = json.loads(content("Answer: B").body) | {"usage": usage | details}
        return PlayedReply(json.dumps(completion).encode(), headers={"Content-Type": "application/json"})
    if '"types"' in text.replace("\\", ""):
        types = ["calculation", "misreading"] if request.body["model"] == "ja" else ["calculation"]
        return content(json.dumps({"reason": "It is.", "types": types}))
    # Both give the first answer 8; of the second one of them thinks less.
    return says(4 if "second" in text and request.body["model"] == "jb" else 8)


def aided_reply(request: JudgeRequest) -> PlayedReply:
    """Right if a passage or a script of its own says so."""
    last_message = request.body["messages"][-1]
    if "tools" in request.body and last_message["role"] != "tool":
        function = {"name": "python", "arguments": json.dumps({"script": "print('so it is', 'ABCD'[1])"})}
        call = {"id": "c1", "type": "function", "function": function}
        return content(None, finish_reason="tool_calls", tool_calls=[call])
    return content(f"Answer: {'B' if 'so it is B' in json.dumps(last_message) else 'A'}")


def run_csbench(world: Bench) -> Outputs:
    world.set_judges("ja", "jb")
    for folder, language in (("EN", "English"), ("DE", "German")):
        inside = world.folder / "Dataset" / f"CSBench-{folder}"
        inside.mkdir(parents=True)
        records = [csbench_record(number, language) for number in range(1, 6)]
        (inside / "test.json").write_text(json.dumps(records))
    world.run("benchwright problems import csbench Dataset --pack csbench-en")
    statistics = world.run_listed("benchwright problems statistics csbench-en --by domain", "--json")

    def answer_lines(solver: str, right: int, language: str = "en", **how_asked: object) -> list[dict[str, object]]:
        return [
            {
                "id": f"{language}-{number + 1}",
                "completion": f"I counted.\nAnswer: {'B' if number < right else 'A'}",
                "solver": solver,
                **{"shots": 0, "steps": False, **how_asked},
            }
            for number in range(4)
        ]

    reply_rows = [line for right, solver in enumerate(SIZES, 1) for line in answer_lines(solver, right)]
    reply_rows += answer_lines("coder", 3) + answer_lines("s1", 4, shots=5) + answer_lines("s2", 1, "de")
    reply_rows += answer_lines("wrong", 3, shots=5, steps=True)
    reply_rows += [
        {"id": "en-5", "completion": f"The {place} answer.", "solver": "open", "shots": 0, "steps": False}
        for place in ("first", "second")
    ]
    world.write_lines("replies.jsonl", reply_rows)
    world.run("benchwright grade csbench-en --responses replies.jsonl --out graded")
    world.run(
        "benchwright eval --pack csbench-en --model openai-api/local/thinker --problem en-1 --problem en-2 "
        f"--base-url {world.url} --out runs"
    )
    perplexity = "benchwright eval perplexity --pack csbench-en --model my-model --base-url URL"
    world.taken_commands.add(perplexity)
    perplexities = world.run(f"{perplexity.replace('URL', world.url)} --json")
    world.write_lines("passages.jsonl", [{"id": "en-1", "passages": ["so it is B"]}, {"id": "en-2", "passages": []}])
    aided = f"--problem en-1 --problem en-2 --base-url {world.url} --out runs"
    world.run_listed("benchwright eval --pack csbench-en --model openai/gpt-4o --passages passages.jsonl", aided)
    world.run_listed("benchwright eval --pack csbench-en --model openai/gpt-4o --python", aided)
    world.run_listed("benchwright judge error-types csbench-en")
    write_labels(world.folder / "taxonomy.toml", "choices", "misreading", "calculation")
    world.run_listed("benchwright judge error-types csbench-en --labels taxonomy.toml")
    # The judges give the second answer 8, 4 and 8.
    grade_as_person(world, lambda answer: "8" if "first" in answer else "4")
    agreement = world.run_listed("benchwright judge agreement", "--resamples 100 --json")
    model_lines = [f"{name},S,{size},,{10 * place}" for place, (name, size) in enumerate(SIZES.items(), 1)]
    head = "model,family,parameters_b,base,benchmark:MMLU"
    (world.folder / "models.csv").write_text("\n".join([head, *model_lines, "coder,,,s1,", ""]))
    sections = world.report(
        "benchwright report --out report", "benchwright report --out report --model-facts models.csv"
    )
    return {
        **sections,
        "figures of the data set: questions by domain, format and language": statistics,
        "table 1: perplexity": perplexities,
        "table 11: agreement of judges with people": agreement,
    }


# The values.

_MODEL, _LARGE, _S = "model: openai/gpt-4o", "model: large", "model: {} (en, zero-shot)"

Place = tuple[object, ...]
VALUES: Mapping[tuple[str, str], Mapping[Place, object]] = {
    ("CVDP", "table 1: problems and tokens by category"): {
        ("cid003 Specification to RTL", "problems"): 2,
        # Task, 1, . and what stands before each number: four tokens. What, does, it, do, ?: five.
        ("cid003 Specification to RTL", "sizes", 0, "mean_tokens"): 4.0,
        ("cid009 Question about RTL", "sizes", 0, "mean_tokens"): 5.0,
        ("all", "sizes", 0, "mean_tokens"): (4 * 4 + 2 * 5) / 6,
    },
    ("CVDP", "both sides of each problem: reference passes, start fails"): {
        ("d0", "reference"): "passed",
        ("d0", "starting"): "failed",
        # The word “right” is all that its harness asks for.
        ("d0", "proof"): "wrong",
        ("q4", "proof"): "proved",
    },
    ("CVDP", "success.category"): {(_MODEL, 0, "passed", "value"): 1 / 8, (_MODEL, 3, "passed", "value"): 0.0},
    # One of four passed at the first design, and both answers that are no design.
    ("CVDP", "models"): {(_MODEL, "pass@1", "estimate", "unbiased", "value"): (1 / 4 + 2) / 6},
    ("CVDP", "comprehension: BLEU, ROUGE and a judge's score"): {
        (16, "problem"): "q4",
        (16, "score"): 0.8,
        # Four of five words and two of four pairs of words are the reference's.
        (17, "metrics", "bleu"): (4 / 5 * 2 / 4) ** 0.5,
        (17, "metrics", "rouge"): 2 / 4,
    },
    ("CVDP", "`raw_result.json`, `report.json`, `report.txt`, composite report"): {
        ("raw", "d0", "tests", 0, "result"): 0,
        ("raw", "d1", "tests", 0, "result"): 1,
        ("raw", "q4", "tests", 0, "llm_score"): 0.8,
        ("report", "cid003", "easy", "Passed Tests (%)"): 50.0,
        ("report", "cid016", "easy", "Passed Tests (%)"): 0.0,
        ("composite", "metadata", "n_samples"): 4,
        ("summary", "right"): 3,
        ("summary", "wrong"): 15,
    },
    ("CVDP", "reflections on failures (algorithm 1)"): {("reflections",): 15, ("input_tokens",): 1500},
    ("CVDP", "failures.reflections.groups"): {(0, "attempts"): 8, (0, "name"): "narrow carry", (1, "attempts"): 7},
    ("CVDP", "failures.reflections.by_category"): {
        (0,): {"category": "cid003", "group": _MODEL, "attempts": [0, 7]},
        (1,): {"category": "cid016", "group": _MODEL, "attempts": [8, 0]},
    },
    ("CVDP", "failures-reflections"): {(): 15},
    ("CVDP", "quality judge, four aspects"): {
        ("cvdp/d2", "points", "ambiguity"): 4.0,
        ("cvdp/d2", "aggregate"): 7.75,
        ("cvdp/d2", "passed"): False,
        ("cvdp/d3", "aggregate"): 8.0,
        ("cvdp/d3", "passed"): True,
    },
    ("CVDP", "filter: the aggregate reaches 8.0"): {(): ["d0", "d1", "d3", "q4", "t5"]},
    ("CVDP", "table 6: share filtered by category"): {
        ("by_category", "cid003"): {"problems": 2, "dropped": 1},
        ("by_category", "all"): {"problems": 6, "dropped": 1},
    },
    ("CVDP", "filtered.before"): {((_MODEL, "cid003"),): 1 / 8, ((_MODEL, "all"),): (1 / 4 + 2) / 6},
    ("CVDP", "filtered.after"): {((_MODEL, "cid003"),): 1 / 4, ((_MODEL, "all"),): (1 / 4 + 2) / 5},
    ("CVDP", "agentic form from the non-agentic and back"): {
        (0, "prompt"): "Task 0.",
        (0, "patch"): {"rtl/a.sv": "@@ -0,0 +1 @@\n+module right; endmodule\n"},
    },
    ("QuArch", "cloze multiple-choice questions of documents, filtered by a second model"): {
        ("passages", 0, "draft", "answer"): "dirty bit",
        ("passages", 0, "review", "factual", "holds"): True,
        ("passages", 0, "faults"): [],
    },
    ("QuArch", "questions of exams: text, figures, context, solution"): {
        (0, "label"): "1",
        (0, "points"): 4.0,
        (0, "body", 0, "text"): "How many bits does the counter need?",
        (1, "points"): 6.0,
        (1, "passed_llm_verification"): None,
    },
    ("QuArch", "`passed_llm_verification` and its `reasoning` (D.10)"): {
        (0, "passed_llm_verification"): True,
        (0, "reasoning"): "",
        (1, "passed_llm_verification"): False,
        (1, "reasoning"): "A figure is missing.",
    },
    ("QuArch", "experts accept or return questions"): {("accepts",): True, ("answer",): "A"},
    ("QuArch", "labels of skill and topic, and how far they agree"): {
        ("labelled",): {"skill": 3, "topic": 3, "difficulty": 3},
        # All that two votes say of three questions is the same.
        ("agreement", 0, "votes", "same", "count"): 3,
    },
    ("QuArch", "profile.skill"): {((_LARGE, "recall"),): 1.0, ((_LARGE, "reasoning"),): 0.5},
    ("QuArch", "profile.topic"): {((_LARGE, "Memory Systems"),): 1.0, ((_LARGE, "Interconnection Networks"),): 0.0},
    ("QuArch", "profile.topic_and_skill"): {
        ((f"Memory Systems, {_LARGE}", "analyze"),): 1.0,
        ((f"Interconnection Networks, {_LARGE}", "analyze"),): 0.0,
    },
    ("QuArch", "question-forms.forms"): {
        ((_LARGE, "image, free response"),): 1.0,
        ((_LARGE, "text, free response"),): 0.5,
    },
    ("QuArch", "grades.grades"): {((_LARGE, "correct"),): 2 / 3, ((_LARGE, "incorrect"),): 1 / 3},
    ("QuArch", "grades.tie_breaks"): {((_LARGE, "a third vote is needed"),): 1 / 3},
    ("QuArch", "agreement of judges with experts in percent (90.7 % in the paper)"): {(): "39/43 = 90.7 %"},
    ("QuArch", "generations.generations"): {((_LARGE, "generation 1"),): 2 / 3},
    ("QuArch", "generations.pass_at_1"): {((_LARGE, "k = 2"),): 2 / 3},
    ("QuArch", "grading-difficulty.disagreement"): {(("2", "judges against people"),): 2 / 12},
    ("QuArch", "model-pairs.differences"): {
        (("largest – smallest: large – small (en, form unknown)", "all"),): 2 / 3,
        (("largest – smallest: large – small (en, form unknown)", "analyze"),): 1 / 2,
    },
    # Of six wrong answers of small, a person takes one of the four in which judges name a lost state for another thing.
    ("QuArch", "error-types.sets.modes.shares"): {
        (("unverified, model: large (en, form unknown)", "usual value"),): 1.0,
        (("unverified, model: small (en, form unknown)", "lost state"),): 1 / 2,
    },
    # Two of large's, two of small's, and one that they call otherwise.
    ("QuArch", "error-types.sets.modes.judges_against_people"): {("ja",): 4 / 5},
    ("CS-Bench", "figures of the data set: questions by domain, format and language"): {
        ("groups", 0, "name"): "Computer Network",
        ("groups", 0, "problems"): 10,
        ("counts", "format"): {"multiple-choice": 8, "open-ended": 2},
        ("counts", "language"): {"de": 5, "en": 5},
    },
    # Two tokens of each of five statements, of which one is four times as likely as the other: √(2 · 8).
    ("CS-Bench", "table 1: perplexity"): {
        ("groups", 0, "tokens"): 10,
        ("groups", 0, "perplexity"): 4.0,
        ("groups", 2, "name"): "all",
    },
    ("CS-Bench", "domains.domain"): {
        ("all", (_S.format("s3"), "Computer Network")): 3 / 4,
        ("Knowledge", (_S.format("s3"), "Computer Network")): 1.0,
        ("Reasoning", (_S.format("s3"), "Computer Network")): 1 / 2,
    },
    ("CS-Bench", "domains.format"): {("all", (_S.format("s2"), "multiple-choice")): 1 / 2},
    ("CS-Bench", "domains.subfield"): {("Computer Network", (_S.format("s2"), "Physical Layer")): 1 / 2},
    ("CS-Bench", "model-pairs.differences"): {
        (("expert – base: coder – s1 (en, zero-shot)", "all"),): 3 / 4 - 1 / 4,
        (("largest – smallest: s4 – s1 (en, zero-shot)", "all"),): 1 - 1 / 4,
    },
    ("CS-Bench", "tokens"): {
        (_S.format("openai-api/local/thinker"), "received"): 20.0,
        (_S.format("openai-api/local/thinker"), "reasoning"): 5.0,
    },
    ("CS-Bench", "settings.scores"): {
        (("model: s1 (en)", "zero-shot"),): 1 / 4,
        (("model: s1 (en)", "5-shot"),): 1.0,
        # One of two questions has a passage; a script answers both.
        (("model: openai/gpt-4o (en)", "zero-shot, passages"),): 1 / 2,
        (("model: openai/gpt-4o (en)", "zero-shot, python"),): 1.0,
    },
    ("CS-Bench", "settings.differences"): {("model: s1 (en)", "5-shot", "value"): 3 / 4},
    ("CS-Bench", "error-types.shares"): {(("reasoning, model: wrong (en, 5-shot, steps)", "calculation"),): 1.0},
    ("CS-Bench", "error-types.sets.taxonomy.shares"): {
        (("reasoning, model: wrong (en, 5-shot, steps)", "calculation"),): 1.0
    },
    ("CS-Bench", "other-benchmarks"): {("en, zero-shot", "MMLU", "pearson", "value"): 1.0},
    # The scores of 1, 10 and 100 are on a line over the logarithm, whose next point is 1.
    ("CS-Bench", "scale.predictions"): {("S (en, zero-shot)", 0, "by_line", "value"): 1.0},
    ("CS-Bench", "table 11: agreement of judges with people"): {
        (0, "judges", 0, "judge"): "ja",
        (0, "judges", 0, "agreement", "value"): 1 / 2,
        (0, "judges", 1, "agreement", "value"): 1.0,
    },
    ("CS-Bench", "judges-compared.pairs"): {(0, "judges", 0, "agreement", "value"): 1 / 2},
    ("CS-Bench", "languages.differences"): {(("model: s2, zero-shot", "de – en, all"),): 1 / 4 - 2 / 4},
}
"""(paper, shown) → place in it → value."""

WORLDS: Mapping[str, Callable[[], tuple[Callable[[Bench], Outputs], Callable[[JudgeRequest], PlayedReply]]]] = {
    "CVDP": lambda: (run_cvdp, cvdp_reply),
    "QuArch": lambda: (run_quarch, QuarchModels()),
    "CS-Bench": lambda: (run_csbench, csbench_reply),
}


@dataclass(frozen=True)
class PaperRun:
    """What the commands of a paper's rows made."""

    result_by_command: Outputs
    taken_commands: frozenset[str]


@pytest.fixture(scope="module")
def run_of_paper(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], PaperRun]:
    """The run of a paper's commands, made once."""

    @cache
    def run(paper: str) -> PaperRun:
        run_paper, play = WORLDS[paper]()
        with bench(tmp_path_factory.mktemp("paper"), play) as world:
            return PaperRun(run_paper(world), frozenset(world.taken_commands))

    return run


def at_place(output: Any, value_place: Place) -> Any:
    """The value at a place: a field, an index, or the row and column of a number."""
    for step in value_place:
        if isinstance(step, tuple):
            output = {(cell["row"], cell["column"]): cell["value"] for cell in output}
        fields = dict(enumerate(output)) if isinstance(output, list) else output
        assert step in fields, f"{step} is not one of {list(fields)}"
        output = fields[step]
    return output


def shown_output(result_by_command: Outputs, list_row: Row, shown: str) -> Any:
    """The output that a row means by what it shows."""
    if list_row.shown_as == "output":
        return result_by_command[list_row.subject]
    if list_row.shown_as.startswith("picture"):
        page_pictures = [picture for section in result_by_command.values() for picture in pictures(section)]
        (alt,) = (picture["alt"] for picture in page_pictures if picture["id"] == shown)
        marks = re.search(r"A mark for each of (\d+)", alt)
        assert marks is not None
        return int(marks[1])
    section, *fields = shown.split(".")
    numbers = result_by_command[section]["numbers"]
    return at_place(numbers, tuple(fields))


def pictures(section: Any) -> Sequence[Mapping[str, Any]]:
    return section.get("pictures", ()) if isinstance(section, dict) else ()


SHOWN = [
    (list_row, shown) for list_row in MADE for shown in list_row.shown if not ELSEWHERE.keys() & {*list_row.commands}
]


def test_every_row_has_a_command_or_says_why_not() -> None:
    assert {list_row.paper for list_row in ROWS} == set(PAPERS)
    for list_row in ROWS:
        reason = list_row.command.removeprefix("not made: ")
        assert list_row.commands or (reason != list_row.command and len(reason) > 20), list_row


@pytest.mark.parametrize("paper", PAPERS)
def test_every_command_of_the_list_is_run_as_the_list_has_it(
    run_of_paper: Callable[[str], PaperRun], paper: str
) -> None:
    listed = {command for list_row in MADE if list_row.paper == paper for command in list_row.commands}
    assert listed - run_of_paper(paper).taken_commands == listed & ELSEWHERE.keys()


@pytest.mark.parametrize(("list_row", "shown"), SHOWN, ids=[f"{list_row.paper}-{shown}" for list_row, shown in SHOWN])
def test_a_value_of_the_list_is_the_one_worked_out_by_hand(
    run_of_paper: Callable[[str], PaperRun], list_row: Row, shown: str
) -> None:
    output = shown_output(run_of_paper(list_row.paper).result_by_command, list_row, shown)
    for value_place, value in VALUES[list_row.paper, shown].items():
        actual = at_place(output, value_place)
        assert actual == (pytest.approx(value) if isinstance(value, float) else value), value_place


def test_every_row_has_values_and_every_value_a_row() -> None:
    assert set(VALUES) == {(list_row.paper, shown) for list_row, shown in SHOWN}


@pytest.mark.parametrize(
    ("file", "test_name"), sorted({test for tests_by_file in ELSEWHERE.values() for test in tests_by_file.items()})
)
def test_a_command_that_takes_more_than_a_played_model_has_a_test_of_its_own(file: str, test_name: str) -> None:
    test_module = ast.parse((ROOT / "tests" / "integration" / file).read_text(encoding="utf-8"))
    assert any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == test_name for node in test_module.body
    )
