"""Replies by an author who did not know the rules, each with what a person reads in it.

A file names a question, and on the lines below it the replies: truth, style, text. A truth is a letter (several where
several are named), `T` or `F`, `right` or `wrong` for blanks and numbers, `nothing` where nobody would say that an
answer was given, or `either` where people disagree; these are left out.
`python tests/unit/judges/independent_replies.py FILE` prints the counts, and with `--show` what fails.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchwright_judges.assertion_answers import read_truth
from benchwright_judges.choice_answers import read_choice
from benchwright_judges.judgement import Status
from benchwright_judges.score import score
from benchwright_problems.problem import (
    Answer,
    Difficulty,
    Hidden,
    Kind,
    Problem,
    Provenance,
    Public,
    Question,
    QuestionFormat,
)


@dataclass(frozen=True)
class IndependentReply:
    """One reply to one question."""

    item: str
    format: str
    """`choice`, `multi` (several letters asked for), `assertion`, `blank` or `number`."""
    language: str
    question: str
    key: str
    """Accepted answers, separated by ` / `; a number may end with `(tolerance x)`, relative."""
    options: tuple[str, ...]
    style: str
    truth: str
    reply: str


def load(path: Path) -> Iterator[IndependentReply]:
    """The replies of a file on which people agree."""
    asked: dict[str, Any] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if isinstance(record, dict):
            asked = {**record, "options": tuple(record["options"])}
            continue
        truth, style, reply = record
        if truth != "either":
            yield IndependentReply(**asked, truth=truth, style=style, reply=reply)


def outcome(reply: IndependentReply) -> str:
    """How it was read: `read`, `unread`, `misread`, `invented` (nothing, or several values, were said), or `judge`.

    `judge` is a wrong text for a blank, which the rules leave to a judge by design.
    """
    value = _reading(reply)
    single = reply.truth != "nothing" and not (reply.format == "multi" and len(reply.truth) > 1)
    if not single:
        return "read" if value is None else "invented"
    if value == reply.truth:
        return "read"
    if value is None:
        return "judge" if (reply.format, reply.truth) == ("blank", "wrong") else "unread"
    return "misread"


def _reading(reply: IndependentReply) -> str | None:
    if reply.format in ("choice", "multi"):
        choices = {chr(65 + index): text for index, text in enumerate(reply.options)}
        return read_choice(reply.reply, choices, reply.language, statement=reply.question).value
    if reply.format == "assertion":
        value = read_truth(reply.reply).value
        return {"true": "T", "false": "F", None: None}[value]
    judged = score(_blank(reply.question, reply.key, reply.language), reply.reply)
    return {True: "right", False: "wrong", None: None}[judged.passed] if judged.status is Status.SCORED else None


@cache
def _blank(statement: str, key: str, language: str) -> Problem:
    key, _, tolerance = key.partition(" (tolerance ")
    value, *others = key.split(" / ")
    return Problem(
        id="q",
        kind=Kind.QUESTION,
        title="Q",
        difficulty=Difficulty.EASY,
        provenance=Provenance(source="", license="", version=""),
        public=Public(
            statement=statement,
            question=Question.model_validate({"format": QuestionFormat.FILL_IN_THE_BLANK, "language": language}),
        ),
        hidden=Hidden(
            answer=Answer(
                value=value,
                alternatives=tuple(others),
                tolerance=float(tolerance.rstrip(")")) if tolerance else None,
            )
        ),
    )


def main() -> None:
    """Print how many replies are read, by format, language and outcome."""
    replies = list(load(Path(sys.argv[1])))
    counts = Counter((reply.format, reply.language, outcome(reply)) for reply in replies)
    for key, number in sorted(counts.items()):
        print(*key, number)
    print("all", dict(Counter(map(outcome, replies))))
    if "--show" in sys.argv:
        for reply in replies:
            if outcome(reply) not in ("read", "judge"):
                said = (outcome(reply), reply.format, reply.language, reply.style, reply.item)
                print(*said, f"truth={reply.truth} read={_reading(reply)}", repr(reply.reply), sep="\t")


if __name__ == "__main__":
    main()
