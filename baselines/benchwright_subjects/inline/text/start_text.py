"""Files that an inline-completion server begins an attempt with, with places where text is to be written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchwright_attempts.errors import EvaluationError
from benchwright_problems.problem import Problem
from benchwright_studies.plan.registration import inline_writable_paths
from benchwright_studies.plan.subject import InitialText
from benchwright_subjects.inline.text.syntactic_units import body_regions

_LAST_END = re.compile(r"^[ \t]*endmodule\b", re.MULTILINE)


@dataclass(frozen=True)
class StartText:
    """One file, cut at the places where a server writes."""

    path: str
    fragments: Sequence[str] = field(repr=False)
    """Strings before, between and after these places."""
    expected_texts: Sequence[str] = field(repr=False)
    """Text of the reference at each; no server ever gets it. Empty where that is not known."""

    @property
    def text(self) -> str:
        """The file as it is given."""
        return "".join(self.fragments)


def start_texts(ref: str, problem: Problem, start_kind: InitialText) -> list[StartText]:
    """The files that a server writes, in order.

    Args:
        ref: PACK/ID.
        problem: Problem with its hidden part if the start is an empty body.
        start_kind: Kind of start, which decides what is given.

    Raises:
        EvaluationError: The files have no place to write at.
    """
    paths = inline_writable_paths(problem)
    if start_kind is InitialText.STARTING_FILES:
        return [_cut_before_last_end(path, problem.public.files.get(path, "")) for path in paths]
    texts = [_cut_at_bodies(path, problem.hidden.reference[path]) for path in paths if path in problem.hidden.reference]
    cut = [start_text for start_text in texts if start_text.expected_texts]
    if not cut:
        raise EvaluationError(
            f"{ref} has no reference with a module's body to leave out. Leave it out of the study, or write "
            "`start: starting-files`."
        )
    return texts


def _cut_at_bodies(path: str, text: str) -> StartText:
    fragments, expected_texts, offset = [], [], 0
    for start, end in body_regions(text):
        fragments.append(text[offset:start])
        expected_texts.append(text[start:end])
        offset = end
    return StartText(path, (*fragments, text[offset:]), tuple(expected_texts))


def _cut_before_last_end(path: str, text: str) -> StartText:
    end_offsets = [match.start() for match in _LAST_END.finditer(text)]
    offset = end_offsets[-1] if end_offsets else len(text)
    return StartText(path, (text[:offset], text[offset:]), ("",))
