"""Claims in an author's own sentences that the study file itself decides: those that it contradicts are refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from benchwright_attempts.events.evidence import Recording
from benchwright_studies.plan.information import minutes_of_all_limits
from benchwright_studies.plan.study import NOWHERE, Study
from benchwright_studies.plan.study_file import StudyFile, StudyFileError, StudyFlaw
from benchwright_studies.plan.vocabulary import AssignmentUnit

_NUMBERS: Mapping[str, int] = {
    **{"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10},
    **{"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17},
    **{"eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "forty-five": 45, "fifty": 50},
    **{"sixty": 60, "ninety": 90},
}
"""Without `one`, which is a pronoun too."""
_NUMBER = rf"(?P<number>\d+(?:\.\d+)?|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_RECORDS = r"(?:data|records?|recordings?|answers|results|logs?)"
_GOES = r"(?:sent|uploaded|delivered|transferred|transmitted|copied)"
_MACHINE = r"(?:this|your|the|their|that) (?:own )?(?:machine|computer|laptop|pc|device)"
_MADE_OF_ONE = r"(?:per|for each|for every|on each|on every|each|every|a) (?:task|problem)"
_KIND = r"(?:(?:short|small|design|hardware|verilog|different|programming) )*"


@dataclass(frozen=True, slots=True)
class _Claim:
    """Words that claim something, and the rule for what they claim."""

    pattern: re.Pattern[str]
    """Matched within one sentence, white space made single blanks."""
    contradiction: Callable[[Study, re.Match[str]], str]
    """What the file has instead, with the next step; empty where it agrees."""


def refuse_contradicted_claims(file: StudyFile) -> None:
    """Refuses sentences of the author's that the rest of the file contradicts.

    Raises:
        StudyFileError: Names each, with its line, its field and what to write.
    """
    flaws = list(_contradictions(file))
    if flaws:
        raise StudyFileError(file.path, flaws)


def false_claims_about_limits(study: Study, problem: str, problem_statement: str) -> list[str]:
    """What a problem's statement says of its time limit that is not so, as sentences.

    Args:
        study: The study.
        problem: `pack/id`.
        problem_statement: As solvers read it.
    """
    limit_s = study.time_limit_s(problem)
    limit_text = "no time limit" if limit_s is None else f"a time limit of {limit_s / 60:g} minutes"
    return [
        f"The statement of {problem} says {match[0]!r}, and the study gives it {limit_text}. Change one of them."
        for sentence, _ in _sentences_with_words_before(problem_statement)
        for pattern in (_TIME_LIMIT, _TIME_FOR_SOLVER)
        if (match := pattern.search(sentence))
        and _minutes_in_claim(match) != (None if limit_s is None else limit_s / 60)
    ]


def _contradictions(file: StudyFile) -> Iterator[StudyFlaw]:
    study = file.study
    text_by_place = [("title", study.title), ("description", study.description)]
    if study.consent is not None:
        text_by_place.append(("consent.text", study.consent.text))
    text_by_place += [
        (f"questionnaire[{index}].ask", question.ask) for index, question in enumerate(study.questionnaire)
    ]
    for field, text in text_by_place:
        for sentence, words_before in _sentences_with_words_before(text):
            for claim in _CLAIMS:
                for match in claim.pattern.finditer(sentence):
                    if message := claim.contradiction(study, match):
                        line = _line_of_word(file, field, words_before + len(sentence[: match.start()].split()), text)
                        yield StudyFlaw(line, field, f"the text says {match[0]!r}, but {message}")


def _sentences_with_words_before(field_text: str) -> Iterator[tuple[str, int]]:
    """The sentences of a field with single blanks, and the number of words before each."""
    words_before = 0
    for sentence in re.split(r"(?<=[.!?;:])\s+|\n\s*\n", field_text):
        words = sentence.split()
        yield " ".join(words), words_before
        words_before += len(words)


def _line_of_word(file: StudyFile, field: str, words_before: int, field_text: str) -> int:
    """The line of a word of a field, counted in the file's own lines."""
    first_line = file.line_of(field)
    words = field_text.split()
    if words_before >= len(words):
        return first_line
    seen_count = 0
    for number, line in enumerate(file.text.splitlines()[first_line - 1 :], start=first_line):
        line_words = line.split()
        if number == first_line:
            # The field's name, and what begins a block, don't count.
            line_words = line_words[1:] if line_words[1:] and line_words[1][0] not in "|>" else []
        seen_count += len(line_words)
        if seen_count > words_before:
            return number
    return first_line


def _number_in_claim(claim_match: re.Match[str]) -> float:
    word = claim_match["number"].lower()
    return float(_NUMBERS[word]) if word in _NUMBERS else float(word)


def _minutes_in_claim(claim_match: re.Match[str]) -> float:
    return _number_in_claim(claim_match) * (60 if claim_match["unit"].lower().startswith("hour") else 1)


def _data_stay_contradiction(study: Study, claim_match: re.Match[str]) -> str:
    if study.data.to == NOWHERE:
        return ""
    return (
        f"data.to is {study.data.to}, so records are written there. Remove these words: what participants read says "
        "where their data go; or write data.to: nowhere."
    )


def _data_sent_contradiction(study: Study, claim_match: re.Match[str]) -> str:
    if study.data.to != NOWHERE:
        return ""
    return "data.to is nowhere, so nothing is sent. Name the place in data.to, or remove these words."


def _task_count_contradiction(study: Study, claim_match: re.Match[str]) -> str:
    count, conditions = len(study.problems), max(1, len(study.people_conditions))
    expected_counts = {count, count + (study.practice is not None)}
    if study.randomisation.unit is AssignmentUnit.TASK:
        # "Two tasks with an assistant, two without."
        expected_counts |= {count // conditions, -(-count // conditions)}
    if _number_in_claim(claim_match) in expected_counts:
        return ""
    return f"problems has {count}{' and practice' if study.practice else ''}. Write that number, or none."


def _condition_count_contradiction(study: Study, claim_match: re.Match[str]) -> str:
    expected_counts = {len(study.people_conditions), len(study.conditions)}
    if _number_in_claim(claim_match) in expected_counts:
        return ""
    return f"conditions has {len(study.conditions)}. Write that number, or none."


def _participant_count_contradiction(study: Study, claim_match: re.Match[str]) -> str:
    count = len(study.pseudonyms)
    return "" if _number_in_claim(claim_match) == count else f"participants has {count}. Write that number, or none."


def _question_count_contradiction(study: Study, claim_match: re.Match[str]) -> str:
    count = len(study.questionnaire)
    return "" if _number_in_claim(claim_match) == count else f"questionnaire has {count}. Write that number, or none."


def _run_limit_contradiction(study: Study, claim_match: re.Match[str]) -> str:
    if _number_in_claim(claim_match) == study.limits.runs:
        return ""
    run_limit = study.limits.runs if study.limits.runs is not None else "no number"
    return f"limits.runs has {run_limit}. Write the same in both places."


def _task_limit_contradiction(study: Study, claim_match: re.Match[str]) -> str:
    limits = {study.time_limit_s(problem) for problem in study.problem_refs}
    if _minutes_in_claim(claim_match) * 60 in limits:
        return ""
    minutes_text = ", ".join(f"{limit_s / 60:g}" for limit_s in sorted(limit for limit in limits if limit is not None))
    stated_limits = f"tasks have limits of {minutes_text} minutes" if minutes_text else "no time limit is set"
    return f"{stated_limits}. Write the same in limits.time_minutes and here."


def _longest_minutes_contradiction(study: Study, claim_match: re.Match[str]) -> str:
    longest = minutes_of_all_limits(study)
    if longest is not None and longest <= _minutes_in_claim(claim_match):
        return ""
    stated_limits = (
        "there is no time limit for every task"
        if longest is None
        else f"all time limits together are {longest:g} minutes"
    )
    return f"{stated_limits}. Change limits.time_minutes, or the text."


def _kept_months_contradiction(study: Study, claim_match: re.Match[str]) -> str:
    kept_months = study.data.kept_months
    claimed_months = _number_in_claim(claim_match) * (12 if claim_match["period"].lower().startswith("year") else 1)
    if kept_months is None or claimed_months == kept_months:
        return ""
    return f"data.kept_months is {kept_months:g}. Write the same in both places."


def _no_text_contradiction(study: Study, claim_match: re.Match[str]) -> str:
    if study.recording is not Recording.FULL:
        return ""
    return "recording is full, so every text is kept. Write recording: edits, or remove these words."


def _every_text_contradiction(study: Study, claim_match: re.Match[str]) -> str:
    if study.recording is Recording.FULL:
        return ""
    return f"recording is {study.recording.value}, so no text is kept. Write recording: full, or remove these words."


def _every_change_contradiction(study: Study, claim_match: re.Match[str]) -> str:
    if study.recording is not Recording.TIMING:
        return ""
    return "recording is timing, so only times are kept. Write recording: edits, or remove these words."


def _whole_word_pattern(words_pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b{words_pattern}\b", re.IGNORECASE)


_UNIT = r"(?P<unit>minutes?|mins?|hours?)"
_TIME_LIMIT = _whole_word_pattern(rf"time limit (?:is|of) {_NUMBER}[ -]{_UNIT}")
_TIME_FOR_SOLVER = _whole_word_pattern(rf"you have {_NUMBER} {_UNIT}(?: for this (?:task|problem))")

_CLAIMS: tuple[_Claim, ...] = (
    _Claim(
        _whole_word_pattern(rf"(?:stays?|remains?|(?:is|are) (?:only )?(?:kept|stored)(?: only)?) on {_MACHINE}"),
        _data_stay_contradiction,
    ),
    _Claim(_whole_word_pattern(rf"(?:never|not) leaves? {_MACHINE}"), _data_stay_contradiction),
    _Claim(_whole_word_pattern(rf"(?:nothing|no {_RECORDS}) (?:is|are|will be) {_GOES}"), _data_stay_contradiction),
    _Claim(_whole_word_pattern(rf"{_RECORDS} (?:is|are|will be) (?:not|never) {_GOES}"), _data_stay_contradiction),
    _Claim(
        _whole_word_pattern(rf"{_RECORDS} (?:is|are|will be|gets?) (?:then |automatically )?{_GOES} to"),
        _data_sent_contradiction,
    ),
    _Claim(
        _whole_word_pattern(rf"(?<!of the ){_NUMBER} {_KIND}(?:tasks|problems|exercises)"), _task_count_contradiction
    ),
    _Claim(_whole_word_pattern(rf"{_NUMBER} (?:different )?conditions"), _condition_count_contradiction),
    _Claim(_whole_word_pattern(rf"{_NUMBER} (?:participants|people take part)"), _participant_count_contradiction),
    _Claim(
        _whole_word_pattern(rf"{_NUMBER} questions (?:at|in) the (?:end|questionnaire)"), _question_count_contradiction
    ),
    _Claim(_whole_word_pattern(rf"{_NUMBER} runs(?: of the (?:hidden )?tests)?"), _run_limit_contradiction),
    _Claim(_whole_word_pattern(rf"{_NUMBER} {_UNIT} {_MADE_OF_ONE}"), _task_limit_contradiction),
    _Claim(
        _whole_word_pattern(rf"{_MADE_OF_ONE} (?:takes|lasts|has|may take)(?: at most| up to)? {_NUMBER} {_UNIT}"),
        _task_limit_contradiction,
    ),
    _Claim(_TIME_LIMIT, _task_limit_contradiction),
    _Claim(
        _whole_word_pattern(
            rf"(?:at most|no more than|not more than|no longer than) {_NUMBER} {_UNIT} (?:in total|altogether|overall)"
        ),
        _longest_minutes_contradiction,
    ),
    _Claim(
        _whole_word_pattern(
            rf"(?:kept|stored|deleted)(?: for| after| within)(?: at most)? {_NUMBER} (?P<period>months?|years?)"
        ),
        _kept_months_contradiction,
    ),
    _Claim(
        _whole_word_pattern(r"(?:none|nothing) of (?:the text|what) you (?:write|type) is (?:kept|recorded|stored)"),
        _no_text_contradiction,
    ),
    _Claim(
        _whole_word_pattern(r"(?:not|never) records? (?:the text|what you (?:write|type)|your code)"),
        _no_text_contradiction,
    ),
    _Claim(
        _whole_word_pattern(r"records? (?:everything (?:that )?you (?:type|write)|all the text)"),
        _every_text_contradiction,
    ),
    _Claim(_whole_word_pattern(r"records? [^.]*?every change to"), _every_change_contradiction),
)
"""Words → rule. Whoever writes something else is believed: only what the file decides for sure is refused."""
