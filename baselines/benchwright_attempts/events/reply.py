"""Reading a model's reply to a design problem: the files in it, or why there are none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchwright_judges.reading.statements import declines_to_answer
from benchwright_problems.problem import Problem
from benchwright_problems.storage.responses import files_in_answer
from benchwright_problems.verdict import Reason, Verdict

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n[ \t]*```", re.DOTALL)
_CODE = re.compile(r"\b(?:end)?(?:module|package|interface)\b|\b(?:assign|always\w*|initial)\b|;")
_DETAILS = {
    Reason.EMPTY: "The reply is empty.",
    Reason.DECLINED: "The reply declines to solve the problem.",
    Reason.UNREADABLE: "The reply has none of the files that the problem asks for, in the form that it asks for.",
}


@dataclass(frozen=True)
class ReplyResult:
    """Result of a reply."""

    files: Mapping[str, str] = field(default_factory=dict)
    """Those that the problem expects, by path."""
    flaw: Verdict | None = None
    """Reason why there are none: the solver's fault, so it fails like a wrong design."""


def read_reply(problem: Problem, text: str) -> ReplyResult:
    """The files in a reply, in any of the forms that CVDP's prompts ask for.

    Args:
        problem: A design problem.
        text: The whole reply.
    """
    if not text.strip():
        return _flawed_reply(Reason.EMPTY)
    if not _CODE.search(text) and declines_to_answer(text):
        return _flawed_reply(Reason.DECLINED)
    for reply_part in (text, *(match[1] for match in _FENCED.finditer(text))):
        try:
            reply_files = files_in_answer(problem, reply_part) if reply_part.strip() else {}
        except ValueError:
            continue
        files = {path: content for path, content in reply_files.items() if path in problem.public.expected}
        return ReplyResult(files) if files else _flawed_reply(Reason.UNREADABLE)
    return _flawed_reply(Reason.UNREADABLE)


def _flawed_reply(reason: Reason) -> ReplyResult:
    return ReplyResult(flaw=Verdict(reason=reason, detail=_DETAILS[reason]))
