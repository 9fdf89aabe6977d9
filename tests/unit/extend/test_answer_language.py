"""An answer language is one declaration and one line in `benchwright_judges.languages`."""

from __future__ import annotations

import pytest

from benchwright_judges import languages
from benchwright_judges.formats import rules_of
from benchwright_judges.languages.language import AnswerLanguage, AnswerWords, LanguageWording
from benchwright_judges.score import score_by_rules
from benchwright_problems.problem import (
    Answer,
    Choice,
    Difficulty,
    Hidden,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
)

ITALIAN = AnswerLanguage(
    code="it",
    name="Italian",
    comma_is_decimal=True,
    wording=LanguageWording(
        system="Sei un esperto di informatica.",
        choose="Una sola opzione è giusta. X è la sua lettera.",
        choose_several="X sono le lettere di tutte le opzioni giuste.",
        decide="L'affermazione è vera? X è Vero o Falso.",
        fill="X è ciò che va nello spazio vuoto.",
        explain="Rispondi in poche frasi.",
        answer="Rispondi con una sola riga: `{line}`.",
        steps_request="Prima ragiona. Poi termina con questa riga: `{line}`.",
        true="Vero",
        false="Falso",
    ),
    words=AnswerWords(
        answer_labels=r"(?:la )?risposta(?: esatta)?",
        sentences=(r"(?:quindi )?la risposta è (?:la )?<X>", r"l'affermazione è <X>"),
        true="vero|vera",
        false="falso|falsa",
        refusal=r"\bnon\s+lo\s+so\b",
        articles=r"(?:il|lo|la|una?)\s+",
    ),
    units={"s": "secondo|secondi"},
)


@pytest.fixture
def italian(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "LANGUAGES", (*languages.LANGUAGES, ITALIAN))


def question_in_italian(style: QuestionFormat, key: str, *choices: str) -> Problem:
    lettered = tuple(Choice(letter=letter, text=text) for letter, text in zip("ABC", choices, strict=False))
    return Problem(
        id="q",
        kind=ProblemKind.QUESTION,
        title="q",
        difficulty=Difficulty.EASY,
        provenance=Provenance(source="test", license="Apache-2.0", version="1"),
        public=Public(statement="?", question=Question(format=style, choices=lettered, language="it")),
        hidden=Hidden(answer=Answer(value=key, closed=True)),
    )


QUESTIONS = [
    (question_in_italian(QuestionFormat.MULTIPLE_CHOICE, "B", "una cache", "un registro"), "La risposta è la B.", "B"),
    (question_in_italian(QuestionFormat.MULTIPLE_CHOICE, "B", "una cache", "un registro"), "Non lo so.", "refusal"),
    (question_in_italian(QuestionFormat.ASSERTION, "true"), "L'affermazione è vera.", "true"),
    (question_in_italian(QuestionFormat.FILL_IN_THE_BLANK, "cache"), "la cache", "right"),
    (question_in_italian(QuestionFormat.FILL_IN_THE_BLANK, "1,5 s"), "1,5 secondi", "right"),
]


@pytest.mark.usefixtures("italian")
@pytest.mark.parametrize(("problem", "answer", "label"), QUESTIONS)
def test_answers_in_an_added_language_are_read(problem: Problem, answer: str, label: str) -> None:
    assert score_by_rules(problem, answer).label == label


@pytest.mark.parametrize(("problem", "answer", "label"), QUESTIONS)
def test_without_its_line_the_language_is_not_known(problem: Problem, answer: str, label: str) -> None:
    assert score_by_rules(problem, answer).label != label


@pytest.mark.usefixtures("italian")
def test_the_other_languages_are_read_as_before() -> None:
    problem = question_in_italian(QuestionFormat.MULTIPLE_CHOICE, "B", "una cache", "un registro")
    for answer in ("The answer is B.", "La bonne réponse est B.", "Die richtige Antwort lautet B.", "答案是B"):
        assert score_by_rules(problem, answer).passed


@pytest.mark.usefixtures("italian")
def test_models_are_asked_in_the_added_language() -> None:
    assert (
        rules_of(QuestionFormat.ASSERTION).task(languages.wording_of_language("it"))
        == "L'affermazione è vera? X è Vero o Falso."
    )
    assert languages.wording_of_language("xx").true == "True"
