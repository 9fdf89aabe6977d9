"""Reading a model's reply to a design problem: the files in it, or why there are none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchwright_attempts.events.evidence import ReplyRead
from benchwright_judges.reading.statements import declines_to_answer
from benchwright_problems.problem import Problem
from benchwright_problems.storage.responses import AnswerFiles, files_in_answer
from benchwright_problems.verdict import Reason, Verdict

_CODE = re.compile(r"\b(?:end)?(?:module|package|interface)\b|\b(?:assign|always\w*|initial)\b|;")
_MOST = 30
"""Blocks, modules and what was ignored that are recorded of a reply."""
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
    read_event: ReplyRead | None = None
    """The parts of the reply that they are; None if there are none."""
    flaw: Verdict | None = None
    """Reason why there are none: the solver's fault, so it fails like a wrong design."""


def read_reply(problem: Problem, reply_text: str) -> ReplyResult:
    """The files in a reply, in any of the forms that CVDP's prompts ask for; of several versions, the last.

    Args:
        problem: A design problem.
        reply_text: The whole reply.
    """
    if not reply_text.strip():
        return _flawed_reply(Reason.EMPTY)
    if not _CODE.search(reply_text) and declines_to_answer(reply_text):
        return _flawed_reply(Reason.DECLINED)
    try:
        answer_files = files_in_answer(problem, reply_text)
    except ValueError:
        return _flawed_reply(Reason.UNREADABLE)
    files = {path: content for path, content in answer_files.files.items() if path in problem.public.expected}
    if not files:
        return _flawed_reply(Reason.UNREADABLE)
    return ReplyResult(files, _reply_read_event(files, answer_files))


def _reply_read_event(files: Mapping[str, str], answer_files: AnswerFiles) -> ReplyRead:
    code_choice = answer_files.code_choice
    if code_choice is None:
        unexpected = [f"{path}, which the problem does not expect" for path in answer_files.files if path not in files]
        return ReplyRead(files=tuple(files), ignored=_first_phrases_made_printable(unexpected))
    return ReplyRead(
        files=tuple(files),
        block_labels=_first_phrases_made_printable(code_choice.block_labels),
        modules=_first_phrases_made_printable(code_choice.modules),
        ignored=_first_phrases_made_printable(code_choice.ignored),
    )


def _first_phrases_made_printable(phrases: Sequence[str]) -> tuple[str, ...]:
    """The first of them, each without what is long or can't be printed: they quote the reply."""
    printable_phrases = [
        "".join(letter if letter.isprintable() else " " for letter in phrase)[:200] for phrase in phrases[:_MOST]
    ]
    return (*printable_phrases, *([f"{len(phrases) - _MOST:,} more"] if len(phrases) > _MOST else ()))


def _flawed_reply(reason: Reason) -> ReplyResult:
    return ReplyResult(flaw=Verdict(reason=reason, detail=_DETAILS[reason]))
