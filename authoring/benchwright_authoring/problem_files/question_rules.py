"""Rules for questions that people and models can be compared by, most of them those of QuArch's authors (B.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright_authoring.problem_files.problem_folder import PROBLEM_FILE, STATEMENT
from benchwright_authoring.problem_files.remark import Remark
from benchwright_authoring.problem_files.toml_places import TomlPlaces, TomlSpan
from benchwright_problems.problem import AnswerKind
from benchwright_problems.storage.pack_files_schema import ProblemToml, QuestionTable

_OPTIONS = 4
_TELLING_WORDS = 3
"""An option of fewer words may stand in a question by chance."""
_LONGER = 2.0
"""A right option that is as many times as long as the longest wrong one can be told by its length."""
_LONG = 40
_ABOUT_OTHERS = re.compile(
    r"\W*(?:(?:all|none|both|neither|any)\b.{0,16}\bthe above\b.*"
    r"|(?:all|none|both|neither|any)(?: of)?(?: the)?(?: two| three| four)?"
    r"(?: (?:these|them|those))?(?: other)?(?: (?:options|answers|choices|statements))?"
    r"(?: (?:is|are) (?:correct|incorrect|true|false|right|wrong|suitable))?"
    r"|(?:alle|keine?[rs]?)(?: der)? (?:oben genannten|obigen|genannten|davon|antworten|dieser antworten)"
    r"|(?:toutes|aucune)(?: de)?(?: ces| les)? (?:réponses|propositions)(?: ci-dessus)?"
    r"|以上(?:都|均|皆|全)\w{0,4})\W*",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"\W*(?:[Bb]oth )?([A-H])(?:,? (?:and|or) ([A-H]))(?: are (?:correct|true|right))?\W*")
_FIGURE = re.compile(
    r"\b(?:(?:the|this) (?:figure|diagram|schematic) (?:above|below|shows)|(?:figure|diagram|table) (?:above|below)"
    r"|(?:in|from|see) the (?:figure|diagram|schematic|table)|(?:following|accompanying) (?:figure|diagram|table)"
    r"|(?:figure|table|fig\.) ?\d+|(?:obige[nr]?|folgende[nr]?) (?:abbildung|tabelle)|(?:abbildung|tabelle) \d+)\b"
    r"|[上下](?:图|表)",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:(?:in|from) (?:the |this |our )?(?:last |previous )?lecture"
    r"|(?:the|your|our) (?:textbook|lecture notes|slides?)"
    r"|(?:discussed|seen|covered) in (?:the )?(?:class|course|chapter)"
    r"|(?:previous|preceding) (?:question|problem|exercise)"
    r"|in der vorlesung|(?:vorige|vorherige)[nr]? (?:frage|aufgabe))\b|上一?题|教材|课本",
    re.IGNORECASE,
)
_SPEAKS_OF_OPTIONS = re.compile(
    r"\b(?:which|what|one|any|all|each|none|most) of the following\b|\b(?:welche[rs]?|eine[rs]?) der folgenden\b"
    r"|\bl(?:e|a|es)quel(?:le)?s? des? .{0,40}suivante?s\b|(?:下列|以下)(?:哪|选项|各项)",
    re.IGNORECASE,
)
_LIST = re.compile(r"^\s*(?:[-*+]|\(?\w{1,3}[.)])\s", re.MULTILINE)
_SHOWS = re.compile(r"!\[|^\|.*\|\s*$|^```", re.MULTILINE)
"""A figure, a table or a drawing in characters."""


def question_remarks(problem_toml: ProblemToml, statement: str, toml_places: TomlPlaces) -> Iterator[Remark]:
    """Remarks on what makes a question hard to score or easy to guess; none of it keeps the pack from being used."""
    question, answer = problem_toml.question, problem_toml.answer
    if question is None or answer is None:
        return
    if not answer.explanation.strip():
        message = "No explanation says why the answer is right. Reviewers and people who read their result need one."
        explanation_path = ("answer", "explanation")
        yield Remark(PROBLEM_FILE, toml_places.nearest_span(explanation_path), message, False, explanation_path)
    yield from _not_self_contained_remarks(statement)
    if not question.choices and not _LIST.search(statement):
        for match in _SPEAKS_OF_OPTIONS.finditer(statement):
            message = "The question speaks of options, and has none. Ask for the answer itself."
            yield Remark(STATEMENT, TomlSpan(match.start(), match.end()), message, False)
    if question.format.answered_by.has_choices:
        yield from _option_remarks(question, statement, toml_places)
    if question.format.answered_by is AnswerKind.CHOICE:
        yield from _given_away_remarks(question, answer.value, statement, toml_places)


def _option_remarks(question: QuestionTable, statement: str, toml_places: TomlPlaces) -> Iterator[Remark]:
    choices = question.choices
    if len(choices) != _OPTIONS:
        message = f"There are {len(choices)} options. Four are usual, so that guessing is right as often everywhere."
        yield Remark(PROBLEM_FILE, toml_places.key_or_nearest_span(("question", "choices")), message, False)
    letters_by_text: dict[str, str] = {}
    for letter, text in choices.items():
        span = toml_places.nearest_span(("question", "choices", letter))
        if _ABOUT_OTHERS.fullmatch(text) or _names_other_options(text, statement):
            yield Remark(
                PROBLEM_FILE, span, f"Option {letter} is about other options. Say what it claims itself.", False
            )
        # Case may matter: b/s and B/s.
        plain_text = " ".join(text.strip(" .").split())
        plain_text = plain_text[:1].lower() + plain_text[1:]
        if plain_text in letters_by_text:
            yield Remark(PROBLEM_FILE, span, f"Option {letter} says the same as {letters_by_text[plain_text]}.", False)
        letters_by_text.setdefault(plain_text, letter)


def _names_other_options(option_text: str, statement: str) -> bool:
    # What the statement itself calls A and B is no option.
    match = _LETTERS.fullmatch(option_text)
    return match is not None and not any(re.search(rf"\b{letter}\b", statement) for letter in match.groups())


def _given_away_remarks(
    question: QuestionTable, right_letter: str, statement: str, toml_places: TomlPlaces
) -> Iterator[Remark]:
    right_option = question.choices.get(right_letter, "")
    wrong_options = [text for letter, text in question.choices.items() if letter != right_letter]
    span = toml_places.nearest_span(("question", "choices", right_letter))
    if wrong_options and len(right_option) >= max(_LONG, _LONGER * max(map(len, wrong_options))):
        message = "The right option is at least twice as long as every other, which tells it. Make them alike."
        yield Remark(PROBLEM_FILE, span, message, False)
    normalised_statement = f" {_plain_words(statement)} "
    given_options = [
        text for text in (right_option, *wrong_options) if f" {_plain_words(text)} " in normalised_statement
    ]
    # Where other options stand there too, it tells nothing.
    if given_options == [right_option] and len(right_option.split()) >= _TELLING_WORDS:
        yield Remark(PROBLEM_FILE, span, "The question has the words of the right option, and of no other.", False)


def _plain_words(option_or_statement: str) -> str:
    return " ".join(re.findall(r"\w+", option_or_statement.casefold()))


def _not_self_contained_remarks(statement: str) -> Iterator[Remark]:
    figure_patterns = [] if _SHOWS.search(statement) else [(_FIGURE, "a figure or table, and has none")]
    for pattern, referent in (*figure_patterns, (_ELSEWHERE, "something that is not in it")):
        for match in pattern.finditer(statement):
            message = f"The question refers to {referent}. Add it, so that the question can be understood alone."
            yield Remark(STATEMENT, TomlSpan(match.start(), match.end()), message, False)
