"""Prompts for models that run elsewhere, in the JSON Lines that CVDP's local inference reads.

They are lines of {`id`, `prompt`}; `system` and `user` repeat `prompt` for callers that send them separately. Replies
come back by `benchwright grade --responses`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.atomic import write_atomically
from benchwright_problems.problem import Problem
from benchwright_subjects.prompts.prompt import ModelPrompt, prompt_parts_text


def write_prompts_and_count(
    file: Path, problems: Sequence[Problem], prompt_for: Callable[[Problem], ModelPrompt]
) -> int:
    """Write the prompt of each problem; how many there are.

    Raises:
        EvaluationError: The file can't be written.
    """
    lines = []
    for problem in problems:
        prompt = prompt_for(problem)
        line: dict[str, str] = {"id": problem.id, "prompt": prompt.plain_text, "system": prompt.system}
        if not prompt.examples:
            line["user"] = prompt_parts_text(prompt.user)
        lines.append(line)
    write_json_lines(file, lines)
    return len(lines)


def write_json_lines(file: Path, lines: Iterable[Mapping[str, JsonValue]]) -> None:
    """Write JSON Lines, whole or not at all.

    Raises:
        EvaluationError: The file can't be written.
    """
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    try:
        write_atomically(file.absolute(), text.encode("utf-8", "replace"))
    except OSError as error:
        raise EvaluationError(f"{file} can't be written: {error.strerror}.") from error
