"""Asking a model how probable it is that its answer is right, in a fixed form, and reading that from the reply."""

from __future__ import annotations

import re
from dataclasses import replace

from benchwright_problems.problem import Problem
from benchwright_subjects.prompt_sets.prompt_set import PromptSet
from benchwright_subjects.prompts.prompt import ModelPrompt

SUFFIX = "+confidence"
_REQUEST = """

After all of that, add one last line of its own. It is removed before your answer is read, and says how probable it is \
that your answer is right, as a whole number of percent from 0 to 100, in exactly this form:
Confidence: <number> %"""
_LINE = re.compile(
    r"(?:^|\n)[ \t>*_`#-]*confidence[*_`]*[ \t]*[:：][ \t*_`<]*(\d{1,3}(?:\.\d+)?)[ \t]*>?[ \t]*%[ \t*_`.]*"
    r"(?P<fence>\n[ \t]*```[ \t]*)?\s*\Z",
    re.IGNORECASE,
)


def with_confidence_request(prompts: PromptSet) -> PromptSet:
    """The same prompts, which also ask for a confidence."""

    def asks(problem: Problem) -> ModelPrompt | None:
        prompt = prompts.make_prompt(problem)
        return None if prompt is None else replace(prompt, user=(*prompt.user, _REQUEST))

    return replace(prompts, name=f"{prompts.name}{SUFFIX}", make_prompt=asks, asks_confidence=True)


def confidence_and_rest_of_reply(reply: str) -> tuple[float | None, str]:
    """The confidence in the last line of a reply, from 0 to 1, and the reply without that line.

    Where there is none in the form that was asked for, it is None, and the reply is whole.
    """
    match = _LINE.search(reply)
    if match is None or (percent := float(match[1])) > 100:
        return None, reply
    return percent / 100, reply[: match.start()] + (match["fence"] or "")
