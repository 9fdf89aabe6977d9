"""Number of answers to CS-Bench's multiple-choice and assertion questions that are scored in a minute.

    .venv/bin/python tests/benchmarks/answers.py [COUNT]

Makes a pack of CS-Bench records of its own and COUNT replies (20,000) in the ways that people and models answer,
and scores them with `benchwright answer PACK --responses FILE`. Prints one JSON value.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 20_000
"""Answers a minute that have to be reached on two cores."""

COMMAND = Path(sys.executable).with_name("benchwright")
LANGUAGES = ("English", "Chinese", "French", "German")
CHOICES = {"A": "always the same", "B": "never the same", "C": "the same after a reset", "D": "undefined"}
REPLIES = (
    "{0}",
    "({0})",
    "**{0}.** {1}",
    "The answer is {0}.",
    '{{"final_answer": "{0}"}}',
    "{2}\n\nTherefore, the correct answer is **{0}**.",
    "正确答案是{0}。",
    "La bonne réponse est {0}.",
    "Die richtige Antwort lautet {0}.",
)
THOUGHTS = (
    "Let's look at each option. Option A speaks of every cycle. Option B of none, which is wrong because of the reset."
    " Option C mentions the reset. Option D says nothing about it.\n"
) * 4


def records(count: int) -> list[dict[str, object]]:
    exam_records: list[dict[str, object]] = []
    for number, language in zip(range(count), itertools.cycle(LANGUAGES), strict=False):
        record: dict[str, object] = {
            "ID": number,
            "Split": "Test",
            "Domain": "Computer Organization",
            "SubDomain": "Overview",
            "Tag": "Knowledge",
            "Language": language,
            "Question": f"What is the value of register {number}?",
        }
        format_index = number % 3
        exam_records.append(
            record
            | (
                {"Format": "Assertion", "Answer": bool(number % 2)}
                if not format_index
                else {"Format": "Multiple-choice", "Answer": "ABCD"[number % 4], **CHOICES}
            )
        )
    return exam_records


def reply(record: dict[str, object], chance: random.Random) -> str:
    if record["Format"] == "Assertion":
        return chance.choice(("true", "False.", "The statement is true.", "错误", "Vrai", "Falsch", '{"answer": true}'))
    letter = chance.choice("ABCD")
    return chance.choice(REPLIES).format(letter, CHOICES[letter], THOUGHTS)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        exam_records = records(2_000)
        dataset_file, answers = home / "csbench.json", home / "answers.jsonl"
        dataset_file.write_text(json.dumps(exam_records), encoding="utf-8")
        codes = dict(zip(LANGUAGES, ("en", "zh", "fr", "de"), strict=True))
        rows = (
            {"id": f"{codes[str(record['Language'])]}-{record['ID']}", "response": reply(record, chance)}
            for record in itertools.islice(itertools.cycle(exam_records), count)
        )
        answers.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        environment = os.environ | {"BENCHWRIGHT_HOME": str(home)}
        subprocess.run(
            [COMMAND, "problems", "import", "csbench", dataset_file, "--pack", "csbench"],
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        start = time.monotonic()
        process = subprocess.run(
            [COMMAND, "answer", "csbench", "--responses", answers, "--out", home / "out", "--json"],
            env=environment,
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        seconds = time.monotonic() - start
        summary = json.loads(process.stdout)
    rate = round(count / seconds * 60)
    print(
        json.dumps(
            {
                "answers": count,
                "seconds": round(seconds, 2),
                "per_minute": rate,
                "limit": LIMIT,
                "ratio": round(rate / LIMIT, 2),
                "unreadable": summary["unreadable"],
            }
        )
    )
    sys.exit(rate < LIMIT)


if __name__ == "__main__":
    main()
