"""Answer extraction: what reading a letter and reading true or false from free text have in common."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from benchwright_judges import languages
from benchwright_judges.judgement import REFUSAL
from benchwright_judges.languages.language import AnswerLanguage, joined

_MAX_START, _MAX_END = 5_000, 15_000


class ExtractionOutcome(StrEnum):
    """Whether an answer could be read, and if not, why. Labels of unreadable answers."""

    READ = "read"
    NOTHING = "nothing"
    """It names none of the choices."""
    AMBIGUOUS = "ambiguous"
    """It names more than one."""
    REFUSAL = REFUSAL
    """It declines to answer."""


@dataclass(frozen=True)
class Extraction:
    """The answer that a solver's text gives."""

    value: str | None = None
    outcome: ExtractionOutcome = ExtractionOutcome.NOTHING


AMBIGUOUS = Extraction(None, ExtractionOutcome.AMBIGUOUS)


@dataclass(frozen=True)
class Statement:
    """One passage that states the answer."""

    value: str
    position: int
    concluding: bool = False
    """Whether it is stated as a conclusion, such as "so the final answer is C"."""


def prepare(text: str) -> str:
    """The solver's text normalised to one width, without what is not part of the answer: comments, fences, thoughts."""
    plain = text.rpartition("</think>")[2]
    if len(plain) > _MAX_START + _MAX_END:
        # A very long answer says it at the start, or concludes at the end.
        plain = f"{plain[:_MAX_START]}\n{plain[-_MAX_END:]}"
    plain = unicodedata.normalize("NFKC", plain).replace("\u2019", "'")
    while "<!--" in plain:
        before, _, comment = plain.partition("<!--")
        plain = before + comment.partition("-->")[2]
    return re.sub(r"^[ \t]*(?:```|~~~)[\w-]*[ \t]*$", "", plain, flags=re.MULTILINE).strip()


def conclude(text: str, statements: Sequence[Statement]) -> Extraction:
    """The answer according to all statements of the solver.

    They have to agree. Only a conclusion may override what precedes it.
    """
    if not statements:
        refused = _patterns().refusal.search(text)
        return Extraction(None, ExtractionOutcome.REFUSAL) if refused else Extraction()
    first = min((one.position for one in statements if one.concluding), default=0)
    values = {one.value for one in statements if one.position >= first}
    return Extraction(values.pop(), ExtractionOutcome.READ) if len(values) == 1 else AMBIGUOUS


def declines(text: str) -> bool:
    """Whether it says that it does not answer."""
    return _patterns().refusal.search(text.replace("\u2019", "'")) is not None


def since_correction(text: str) -> str:
    """What follows the last "no, wait"; everything if there is none."""
    found = [*_patterns().correction.finditer(text)]
    return text[found[-1].end() :] if found else text


def json_answer(text: str) -> list[object] | None:
    """The answers that the last JSON object with an answer in it gives; None if there is no such object.

    QuArch's prompt asks for `{"final_answer": "B"}` at the end; prose around it, lists and single quotes occur.
    """
    for found in reversed(re.findall(r"\{[^{}]{1,2000}\}", text)):
        value = _load(found)
        if not isinstance(value, dict):
            continue
        for name, answer in value.items():
            if re.sub(r"[\s_-]+", "", str(name)).casefold() in _patterns().fields:
                return answer if isinstance(answer, list) else [answer]
    whole = _load(text) if text[:1] == "[" else None
    return whole if isinstance(whole, list) else None


def boxed(text: str) -> str | None:
    r"""The content of the last `\boxed{…}`, without `\text{…}`."""
    found = [match.end() for match in re.finditer(r"\\f?boxed\s*\{", text)]
    if not found:
        return None
    start = end = found[-1]
    depth = 1
    while end < len(text) and depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return re.sub(r"\\(?:text|mathrm|mathbf|textbf)\s*\{([^{}]*)\}", r"\1", text[start : end - 1]).strip()


def is_denied(text: str, start: int, end: int) -> bool:
    """Whether the statement at a place is negated, hypothetical or a question rather than asserted."""
    before = text[max(0, start - 60) : start].rstrip("([{*_`\"' ")
    clause = re.split(r"[,.;:!?\n，。；：！？(]", before)[-1]
    if _patterns().denial.search(clause) or _patterns().condition.search(clause):
        return True
    sentence = re.split(r"[.;!?\n。；！？]", text[max(0, start - 160) : start])[-1]
    if _patterns().unreal.search(text[start:end]) and _patterns().condition.search(sentence):
        return True
    return bool(_patterns().taken_back.match(text, end))


def concludes(text: str, start: int, end: int) -> bool:
    """Whether the statement at a place is a conclusion."""
    sentence = re.split(r"[.;!?\n。；！？]", text[max(0, start - 100) : start])[-1]
    return bool(_patterns().conclusion.search(sentence + text[start:end]))


def _load(text: str) -> object:
    for candidate in (text, text.replace("'", '"')):
        try:
            return json.loads(candidate)
        except (ValueError, RecursionError):
            continue
    return None


@dataclass(frozen=True, eq=False)
class _Patterns:
    fields: frozenset[str]
    refusal: re.Pattern[str]
    correction: re.Pattern[str]
    denial: re.Pattern[str]
    condition: re.Pattern[str]
    unreal: re.Pattern[str]
    taken_back: re.Pattern[str]
    conclusion: re.Pattern[str]


def _patterns() -> _Patterns:
    return _compile(languages.LANGUAGES)


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _compile(known: tuple[AnswerLanguage, ...]) -> _Patterns:
    taken_back = joined(known, lambda one: one.discourse.taken_back)
    return _Patterns(
        fields=frozenset(name for one in known for name in one.discourse.answer_fields),
        refusal=_verbose(joined(known, lambda one: one.discourse.refusal)),
        correction=_verbose(joined(known, lambda one: one.discourse.correction)),
        denial=_verbose(joined(known, lambda one: one.discourse.denial)),
        condition=_verbose(joined(known, lambda one: one.discourse.condition)),
        unreal=_verbose(joined(known, lambda one: one.discourse.unreal)),
        taken_back=_verbose(rf"""[^.;!?\n。；！？]{{0,40}}[?？]|[)\]}}*_`"'\s]{{0,6}}(?:{taken_back})"""),
        conclusion=_verbose(rf"\#{{4}}|{joined(known, lambda one: one.discourse.conclusion)}"),
    )


def _verbose(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)
