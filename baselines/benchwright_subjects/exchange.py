"""Prompts out, replies in: for models that run elsewhere, in the JSON Lines that CVDP's local inference reads.

Prompts are lines of {`id`, `prompt`}, replies of {`id`, `completion`}; several lines of one id are several samples.
`system` and `user` repeat `prompt` for callers that send them separately.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from benchwright_attempts.errors import EvaluationError
from benchwright_problems.atomic import write_atomically
from benchwright_problems.datasets.jsonl import read_records
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import Problem
from benchwright_subjects.prompt import Prompt, as_text


def write_prompts(file: Path, problems: Sequence[Problem], ask: Callable[[Problem], Prompt]) -> int:
    """Write the prompt of each problem; how many there are.

    Raises:
        EvaluationError: The file can't be written.
    """
    lines = []
    for problem in problems:
        prompt = ask(problem)
        line: dict[str, str] = {"id": problem.id, "prompt": prompt.plain, "system": prompt.system}
        if not prompt.examples:
            line["user"] = as_text(prompt.user)
        lines.append(line)
    write_lines(file, lines)
    return len(lines)


def write_lines(file: Path, lines: Iterable[Mapping[str, JsonValue]]) -> None:
    """Write JSON Lines, whole or not at all.

    Raises:
        EvaluationError: The file can't be written.
    """
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    try:
        write_atomically(file.absolute(), text.encode("utf-8", "replace"))
    except OSError as error:
        raise EvaluationError(f"{file} can't be written: {error.strerror}.") from error


def read_replies(file: Path, problems: Sequence[Problem]) -> dict[tuple[str, int], str]:
    """Replies by problem and number of the sample, from 1; as many of each problem.

    Raises:
        DatasetError: Names line and field of the first thing that is wrong.
    """
    known = {problem.id for problem in problems}
    counts: dict[str, int] = {}
    found: dict[tuple[str, int], str] = {}
    for line, record in read_records(file):
        name = record.get("id")
        if not isinstance(name, str) or name not in known:
            raise DatasetError(file, "id", f"there is no problem {name!r} among those that are asked", line)
        field = "completion" if "completion" in record else "response"
        text = record.get(field)
        if not isinstance(text, str):
            raise DatasetError(file, "completion", "is not a string", line)
        counts[name] = counts.get(name, 0) + 1
        found[name, counts[name]] = text
    if not found:
        raise DatasetError(file, "", "holds no reply")
    most = max(counts.values())
    for name, count in counts.items():
        # A sample that is missing is no sample that failed.
        if count < most:
            others = next(other for other, number in counts.items() if number == most)
            raise DatasetError(
                file, "id", f"problem {name!r} has {count} replies and {others!r} has {most}; give all as many"
            )
    return found
