"""A question set of our own in the layout and proportions that CS-Bench is published in, and who answers it how.

`Dataset/CSBench-EN|CN|FR|DE/valid|test.json` and `Dataset/croissant.json`, numbered as the released files are. Every
question has a number of its own in its text, by which the models and judges of tests know it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WHOLE = 2_419
"""Questions of each language in the released set."""

SUBDOMAINS = {
    "Data Structure and Algorithm": (
        *("Overview", "Linear List", "Stack, Queue, and Array", "String", "Tree", "Graph", "Searching", "Sorting"),
    ),
    "Computer Organization": (
        *("Overview", "Data Representation and Operation", "Storage System", "Instruction System"),
        *("Central Processing Unit", "Bus", "Input/Output System"),
    ),
    "Computer Network": (
        *("Overview and Architecture", "Physical Layer", "Data Link Layer", "Network Layer", "Transport Layer"),
        "Application Layer",
    ),
    "Operating System": (
        *("Overview", "Processes and Threads", "Memory Management", "File Management", "Input/Output Management"),
    ),
}
PLACES = tuple((domain, part) for domain, parts in SUBDOMAINS.items() for part in parts)
# Sixteenths, as the released set has them on the whole.
FORMATS = ("Multiple-choice",) * 10 + ("Assertion",) * 3 + ("Fill-in-the-blank",) * 2 + ("Open-ended",)
LANGUAGES = {
    "EN": ("English", "What is the value of register {0}?", (True, False)),
    "CN": ("Chinese", "寄存器 {0} 的值是多少？", (True, False)),
    "FR": ("French", "Quelle est la valeur du registre {0} ?", ("Vrai", "Faux")),
    "DE": ("German", "Welchen Wert hat das Register {0}?", ("Richtig", "Falsch")),
}
CODES = {"EN": "en", "CN": "zh", "FR": "fr", "DE": "de"}
_NUMBER = re.compile(r"(?:register|registre|Register|寄存器) (\d+)")


def records(dataset_folder: str, records_per_format: int) -> Iterator[dict[str, Any]]:
    """The questions of a language, by number."""
    language, question, truths = LANGUAGES[dataset_folder]
    first = list(LANGUAGES).index(dataset_folder) * records_per_format + 1
    for index in range(records_per_format):
        number, style = first + index, FORMATS[index % len(FORMATS)]
        domain, part = PLACES[index % len(PLACES)]
        record: dict[str, Any] = {
            "ID": number,
            "Split": "Valid" if index % 10 == 9 else "Test",
            "Domain": domain,
            "SubDomain": part,
            "Format": style,
            "Tag": "Reasoning" if index % 3 == 2 else "Knowledge",
            "Language": language,
            "Question": question.format(number),
        }
        match style:
            case "Multiple-choice":
                record |= {letter: f"{number} + {step}" for step, letter in enumerate("ABCD")}
                record["Answer"] = "ABCD"[number % 4]
            case "Assertion":
                record["Answer"] = truths[number % 2]
            case "Fill-in-the-blank":
                record["Answer"] = f"R{number}"
            case _:
                record |= {"Answer": f"It holds {number} because of the reset.", "Explanation": None}
        yield record


def write_layout(folder: Path, records_per_format: int) -> list[str]:
    """Write the whole set below `folder`; the names of its problems.

    Args:
        folder: Gets a folder for each language.
        records_per_format: Questions of each language.
    """
    names = []
    for name, code in CODES.items():
        language_records = list(records(name, records_per_format))
        names += [f"{code}-{record['ID']}" for record in language_records]
        inside = folder / f"CSBench-{name}"
        inside.mkdir(parents=True)
        for split in ("Valid", "Test"):
            chosen = [record for record in language_records if record["Split"] == split]
            text = json.dumps(chosen, ensure_ascii=False, indent=1)
            (inside / f"{split.lower()}.json").write_text(text, encoding="utf-8")
    described = {"@context": {"@language": "en"}, "@type": "sc:Dataset", "name": "CS-Bench", "recordSet": []}
    (folder / "croissant.json").write_text(json.dumps(described, indent=2), encoding="utf-8")
    return names


def number_in(prompt_text: str) -> int:
    """The number of the last question in a prompt, which is the one that is asked."""
    return numbers_in(prompt_text)[-1]


def numbers_in(prompt_text: str) -> list[int]:
    """The numbers of all questions in a prompt, those of examples first."""
    return [int(number) for number in _NUMBER.findall(prompt_text)]


class Student:
    """Answers every question, and is wrong about some numbers but for open-ended ones, which a judge scores.

    Args:
        of_each: Questions of each language.
        wrong_every: Multiples of this number are answered wrong.
    """

    def __init__(self, of_each: int, wrong_every: int = 4) -> None:
        self._wrong_every = wrong_every
        records_by_number = {record["ID"]: record for name in LANGUAGES for record in records(name, of_each)}
        self._records = records_by_number
        self.right = sum(self.is_right(record) for record in records_by_number.values())
        """Answers that are right by rule."""
        self.open_ended = sum(record["Format"] == "Open-ended" for record in records_by_number.values())

    def is_right(self, record: dict[str, Any]) -> bool:
        """True if the answer is right by rule."""
        return record["Format"] != "Open-ended" and int(record["ID"]) % self._wrong_every != 0

    def reply(self, number: int) -> str:
        """Reply of the student to the question of this number."""
        record = self._records[number]
        answer, is_right = record["Answer"], self.is_right(record)
        match record["Format"]:
            case "Multiple-choice":
                return f"The correct answer is ({answer if is_right else 'ABCD'[(number + 1) % 4]})."
            case "Assertion":
                truths = next(truths for language, _, truths in LANGUAGES.values() if language == record["Language"])
                choice = answer if is_right else next(truth for truth in truths if truth != answer)
                return str(choice)
            case "Fill-in-the-blank":
                return f"R{number}" if is_right else "R0"
            case _:
                return f"Register {number} keeps what the reset wrote."
